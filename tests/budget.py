"""How much processor time the whole suite has taken, said at the end of a run.

It is said and not asserted: other programs on the machine make every test take more. The loop that it is compared with
runs before and after the tests, since they may take long.
"""

import pytest

from scripts import processor


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Say it last, when the servers of the run have ended; only where the whole suite was asked for."""
    is_whole = config.args_source == pytest.Config.ArgsSource.TESTPATHS
    if not is_whole or hasattr(config, "workerinput") or config.option.collectonly or config.option.help:
        return
    before = processor.loop_seconds()

    def say() -> None:
        seconds = processor.seconds_so_far()
        loop = (before + processor.loop_seconds()) / 2
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(processor.said("The suite", seconds, loop))

    config.add_cleanup(say)
