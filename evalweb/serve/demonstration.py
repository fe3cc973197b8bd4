"""The demonstration studies: loaded behind the running site, with a line each as they are ready.

`python -m evalweb.serve.demonstration URL` waits until the site answers at URL and then becomes `manage.py demo`.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread

from evalweb.local_services import processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.announcement import readiness

WAIT_SECONDS = 0.2
STOP_SECONDS = 10
# Pages that somebody waits for come first.
NICE = 10

AGAIN = (
    "The site runs without the rest; the next start goes on with them, and so does `.venv/bin/python manage.py demo`."
)


class Demonstration:
    """The process that loads the studies. It is never started again: the next start of evalweb goes on."""

    name = "demonstration"

    def __init__(
        self, command: list[str], *, log: Path, environment: Mapping[str, str], show: Callable[[str], object]
    ) -> None:
        self.command, self.log, self.show, self.environment = command, log, show, environment
        self.process: subprocess.Popen[bytes] | None = None
        self._stopping = False
        self._reader: Thread | None = None

    def launch(self) -> None:
        """Start the process without waiting for it."""
        with open(self.log, "wb", opener=_private) as errors:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                cwd=BASE_DIR,
                env=self.environment,
                preexec_fn=processes.tied_to_parent(signal.SIGTERM),  # noqa: PLW1509  one system call
            )
        self._reader = Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()

    def _read(self, process: "subprocess.Popen[bytes]") -> None:
        """Show each study as it is ready, and at the end how it went. Links are credentials, and are not logged."""
        assert process.stdout is not None
        ready = 0
        for line in process.stdout:
            title, tab, link = line.decode(errors="replace").rstrip("\n").partition("\t")
            ready += bool(tab)
            if ready == 1 and tab:
                self.show("Demonstration studies: results to look at, and links to judge as a rater")
            self.show(f"  {title.ljust(44)}  {link}" if tab else title)
        code = process.wait()
        if self._stopping:
            return
        if code == 0:
            self.show(f"All {ready} demonstration studies are ready.")
        else:
            self.show(
                f"{ready} demonstration studies are ready, the others are not. {processes.tail(self.log)}\n{AGAIN}"
            )

    def stop(self) -> None:
        """End the process, which takes back its unfinished work, and wait for it."""
        self._stopping = True
        if self.process is not None:
            processes.stop(self.process, signal.SIGTERM, seconds=STOP_SECONDS)
        if self._reader is not None:
            self._reader.join(timeout=STOP_SECONDS)


def command(url: str) -> list[str]:
    """Return the command that loads the studies behind the site at `url`."""
    return [sys.executable, "-m", "evalweb.serve.demonstration", url]


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def main(url: str) -> None:
    """Wait for the site, so that its start is not slowed down, and go on as the command, which gives way to others."""
    while readiness(url) is not None:
        Event().wait(WAIT_SECONDS)
    os.nice(NICE)
    os.execv(sys.executable, [sys.executable, str(Path(BASE_DIR) / "manage.py"), "demo", "--base-url", url])  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1])
