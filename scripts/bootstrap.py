"""Make .venv and install the packages of requirements.txt or requirements-dev.txt: `bootstrap.py [--dev]`.

The Makefile calls this before everything else. It needs nothing but Python and pip, so it lives outside the
packages, which need Django to be imported. It does nothing while the files are unchanged, and several calls at once
wait for each other.
"""

import sys

OLDEST = (3, 11)
if sys.version_info < OLDEST:  # before anything an older Python could not read
    sys.exit(
        "evalweb needs Python %d.%d or newer; this is %d.%d. Name another one: make run PYTHON=python3.12"
        % (OLDEST + sys.version_info[:2])
    )

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import threading
import venv
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed.json"
UV = "uv>=0.9,<1"
FILES = {"run": ("requirements.txt",), "dev": ("requirements.txt", "requirements-dev.txt")}


def main() -> None:
    """Bring .venv up to date with the files of one kind."""
    kind = "dev" if "--dev" in sys.argv[1:] else "run"
    current_digest = digest(kind)
    if (installed() or {}).get(kind) == current_digest:
        return
    with (ROOT / ".venv.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another installation into .venv to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = installed()
        if stamp is None:
            make_environment()
            stamp = {}
            write(stamp)
        if stamp.get(kind) == current_digest:
            return
        install(FILES[kind][-1])
        # The tests' list includes the other one.
        kinds = ("run", "dev") if kind == "dev" else ("run",)
        write(stamp | {name: digest(name) for name in kinds})


def say(line: str) -> None:
    """Print a line of progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextlib.contextmanager
def elapsed_shown() -> Iterator[None]:
    """Say after two seconds, and then every five, how long a step has taken so far."""
    ended = threading.Event()

    def watch() -> None:
        seconds, wait = 0, 2
        while not ended.wait(wait):
            seconds, wait = seconds + wait, 5
            say(f"  … {seconds} s")

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def digest(kind: str) -> str:
    """Return a digest of the files of one kind."""
    content = b"\0".join((ROOT / name).read_bytes() for name in FILES[kind])
    return hashlib.sha256(content).hexdigest()


def installed() -> dict[str, str] | None:
    """Return the digests of the installed packages; None where .venv is missing, half made or broken."""
    try:
        stamp: dict[str, str] = json.loads(STAMP.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return stamp if PYTHON.exists() else None


def write(stamp: dict[str, str]) -> None:
    """Store the digests of the installed packages, in one piece."""
    unfinished = STAMP.with_suffix(".new")
    unfinished.write_text(json.dumps(stamp))
    unfinished.replace(STAMP)


def make_environment() -> None:
    """Make .venv with this Python; with pip inside where this Python can, else pip is run from outside."""
    say(f"Making .venv with Python {sys.version.split()[0]} ({sys.executable})")
    has_pip = find_spec("ensurepip") is not None
    if not has_pip and find_spec("pip") is None:
        sys.exit("This Python has neither ensurepip nor pip. Install one (Debian: apt-get install python3-venv).")
    with elapsed_shown():
        venv.create(VENV, clear=True, symlinks=True, with_pip=has_pip)


def install(name: str) -> None:
    """Install the packages of one file of requirements: by uv, or where it fails by pip, which also says why."""
    say(f"Installing what {name} names (a minute at the first time)")
    file = ["--requirement", str(ROOT / name)]
    with elapsed_shown():
        # uv takes a fifth of the time, but reads none of pip's settings, such as another index: then pip installs.
        uv = uv_program()
        if uv and run([uv, "pip", "install", "--quiet", "--python", str(PYTHON), *file], capture_output=True) == 0:
            return
        answer = run([*pip_install(), *file])
    if answer != 0:
        sys.exit(f"pip could not install {name}; its reason stands above. Run the same command again to go on.")


def uv_program() -> str | None:
    """Return the path of uv, which is installed into .venv where this machine has none; None where that fails."""
    folders = [str(PYTHON.parent), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    if found := shutil.which("uv", path=os.pathsep.join(folders)):
        return found
    run([*pip_install(), "--only-binary", "uv", UV], capture_output=True)
    return shutil.which("uv", path=str(PYTHON.parent))


def pip_install() -> list[str]:
    """Return the start of the command by which pip installs into .venv: its own pip, else the one outside."""
    pip = [str(PYTHON), "-m", "pip"]
    if run([str(PYTHON), "-c", "import pip"], capture_output=True) != 0:
        pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    # Python compiles a module when it is first imported; pip would compile every module, for half of the time.
    return [*pip, "install", "--disable-pip-version-check", "-qq", "--no-input", "--no-compile"]


def run(command: list[str], *, capture_output: bool = False) -> int:
    """Run a command and return its exit status."""
    return subprocess.run(command, capture_output=capture_output, check=False).returncode


if __name__ == "__main__":
    main()
