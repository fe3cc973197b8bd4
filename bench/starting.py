"""`make run DEMO=no` twice in a folder of its own: seconds until pages are served, processor seconds, memory at rest.

The first start makes the database, the second finds it; the installation into .venv is not measured. Memory is the
proportional share (PSS) of all processes, private servers included, so that what they share counts once. At rest means
that they use no more than a hundredth of a processor, with two web and two worker processes.
`python -m bench.starting` does the same.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from evalweb.local_services import VarFolder
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.announcement import readiness

# Promised: seconds from a start to its address, the first and later ones, and MiB at rest.
MOST_OF_FIRST, MOST_OF_SECOND, MOST_AT_REST = 20, 15, 400
# At rest, all processes together use this share of a processor at most, over so many seconds; a site that does not come
# to rest in so long is measured as it is, and said to be busy.
REST_SHARE, REST_SECONDS, MOST_SECONDS_TO_REST = 0.01, 10, 180
# The processes that the supervisor has forked from one that had loaded the code.
CHILDREN = ("web", "worker", "scheduler")
# Seconds between two looks at a start.
BETWEEN_LOOKS = 0.1
# What a site reads from the environment of the bench and has to find by itself here.
OWN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "EVALWEB_LOG_LEVEL", "EVALWEB_STATEMENT_SECONDS")


def main() -> None:
    """Start twice and print a line for each start, and the memory of the second."""
    with tempfile.TemporaryDirectory(prefix="evalweb-start-") as name:
        folder = Path(name)
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
        for what, most in (("first", MOST_OF_FIRST), ("second", MOST_OF_SECOND)):
            _start(folder, what, most, rests=what == "second")


def _start(folder: Path, what: str, most: int, *, rests: bool) -> None:
    """Start everything, wait for its address, print the time that it took, and stop it."""
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    environment = kept | {"EVALWEB_VAR": str(folder), "EVALWEB_DEMO": "0", "PORT": "18300"}
    begun = time.monotonic()
    site = subprocess.Popen(
        [sys.executable, "-m", "evalweb.serve"],
        env=environment,
        cwd=BASE_DIR,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = _address(folder, site)
        seconds = time.monotonic() - begun
        print(f"{what} start: {seconds:.1f} s to the address, {_processor_seconds(site.pid):.1f} processor seconds "
              f"(promised: at most {most} s)")  # fmt: skip
        if rests:
            _wait_for_rest(site)
            _tell_memory(site.pid)
    finally:
        site.send_signal(signal.SIGTERM)
        site.wait()
    assert url


def _address(folder: Path, site: "subprocess.Popen[bytes]") -> str:
    """Wait until pages are served, and return their address."""
    var = VarFolder(folder)
    while True:
        state = var.state()
        url = state.get("url") if state.get("pid") == site.pid else None
        if url and readiness(str(url)) is None:
            return str(url)
        _wait_for_end(site, BETWEEN_LOOKS)


def _wait_for_rest(site: "subprocess.Popen[bytes]") -> None:
    """Wait until all processes together are at rest; say so if they are not within the time given for it."""
    until = time.monotonic() + MOST_SECONDS_TO_REST
    while time.monotonic() < until:
        before = _processor_seconds(site.pid)
        _wait_for_end(site, REST_SECONDS)
        if _processor_seconds(site.pid) - before <= REST_SHARE * REST_SECONDS:
            return
    print(f"    not at rest after {MOST_SECONDS_TO_REST} s")


def _wait_for_end(site: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Wait for so many seconds. Raises SystemExit if evalweb ends before."""
    try:
        site.wait(seconds)
    except subprocess.TimeoutExpired:
        return
    raise SystemExit("evalweb ended by itself")


def _processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process and all that it started, ended ones included."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(sum(process.cpu_times()[:4]) for process in processes)


def _tell_memory(pid: int) -> None:
    """Print the memory of each program, and that of all which Python runs."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    by_name: dict[str, float] = {}
    for process in processes:
        name = _name_of(process)
        by_name[name] = by_name.get(name, 0) + process.memory_full_info().pss / (1 << 20)
    for name, memory in sorted(by_name.items()):
        print(f"    {name:20} {memory:6.0f} MiB")
    print(f"at rest: {sum(by_name.values()):.0f} MiB (promised: at most {MOST_AT_REST})")


def _name_of(process: psutil.Process) -> str:
    """Return the name of a process, as the supervisor gives it to its children."""
    name, words = str(process.name()), process.cmdline()
    if name in CHILDREN:
        return name
    if "celery" in words:
        return "scheduler" if "beat" in words else "worker"
    modules = {"gunicorn": "web", "evalweb.serve.forks": "loader", "evalweb.serve": "supervisor"}
    return next((modules[word] for word in words if word in modules), name)


if __name__ == "__main__":
    main()
