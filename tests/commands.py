"""Commands of manage.py on a site's database, each in a fork of one process that has loaded Django.

Loading takes two seconds, which is most of what a command takes, and a browser test needs two commands or more. A fork
shares no state with the one before: a command begins as it would if it were typed.
"""

import gc
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import django
from django.conf import settings
from django.core.checks import run_checks

import manage
from evalweb.local_services.folder import BASE_DIR


class Commands:
    """The process, started by the first command that is run; `folder` takes what commands print."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = environment
        self.printed, self.complained = folder / "command-stdout", folder / "command-stderr"
        self.process: subprocess.Popen[str] | None = None

    def run(self, *arguments: str) -> str:
        """Run a command and return what it printed; fail with what it complained of where it failed."""
        if self.process is None:
            self.process = self._start()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"arguments": arguments, "stdout": str(self.printed), "stderr": str(self.complained)}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        code = self.process.stdout.readline().strip()
        assert code == "0", f"manage.py {' '.join(arguments)} ended with {code}:\n{self.complained.read_text()}"
        return self.printed.read_text()

    def stop(self) -> None:
        """End the process, if it was started."""
        if self.process is not None:
            self.process.communicate()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.commands"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=BASE_DIR, env=self.environment, stdin=pipe, stdout=pipe, text=True)


def main() -> None:
    """Load what a command loads, then run what each line says, until there are no more."""
    for name, value in manage.OF_COMMANDS.items():
        os.environ.setdefault(name, value)
    django.setup()
    # Checks load all of the site; each command would run them first, and opening a study loads a library in C.
    run_checks()
    for name in (settings.ROOT_URLCONF, "scipy.optimize"):
        import_module(name)
    # Loaded objects are excluded from garbage collection, which would copy their pages in forks.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            run_here(**request)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


def run_here(arguments: list[str], stdout: str, stderr: str) -> NoReturn:
    """Run a command with its own output and end, as manage.py does when it is typed."""
    for number, path in ((sys.stdout.fileno(), stdout), (sys.stderr.fileno(), stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.argv = ["manage.py", *arguments]
    manage.main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # Without tidying up, for the same reason.
    os._exit(0)


if __name__ == "__main__":
    main()
