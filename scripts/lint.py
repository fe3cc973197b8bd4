"""Run every linter, two at a time, and fail at the end with the names of those that found problems.

With `--skip-types-of-tests` the types of tests are left out, which take a third of mypy's time: a wrong type in a test
is mostly a failing test. `make lint` and `make test-all` check them, `make test` does not.

Runs in the same folder wait for each other, since mypy and import-linter keep caches.
"""

import argparse
import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import processor  # noqa: E402  found once the folder of the project is on the path

AT_ONCE = 2


def main() -> None:
    """Run the linters and exit with 1 where one complains."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--skip-types-of-tests", action="store_true")
    skipped = parser.parse_args().skip_types_of_tests
    os.chdir(ROOT)
    with (ROOT / ".lint.lock").open("w") as lock, ThreadPoolExecutor(AT_ONCE) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        runs = {name: pool.submit(outcome, command) for name, command in commands(skipped).items()}
        failed = [name for name, run in runs.items() if not passed(name, run.result())]
    sys.stdout.write(f"{processor.said('Linting', processor.seconds_so_far(), processor.loop_seconds())}\n")
    if failed:
        sys.exit(f"Not clean: {', '.join(failed)}.")


def commands(skip_types_of_tests: bool) -> dict[str, list[str]]:
    """Return the command of each linter by the name people know it by, the longest first.

    That tests can be collected is found out here once, and what pytest compiles for it is kept: each process of the
    suite would otherwise compile all tests again, in twice the time that collecting them takes. mypy has no workers,
    since they connect too late on a busy machine, which fails.
    """
    bin_folder = Path(sys.executable).parent
    templates = [str(path) for path in sorted(Path("templates").rglob("*.html"))]
    # Not by manage.py, which would start a database; the ignored warning says that there is none.
    django = [sys.executable, "-W", "ignore::RuntimeWarning", "-m", "django"]
    settings = ["--settings", "tests.settings"]
    packages = {path.parts[0] for path in Path().glob("[a-z]*/*.py")} - {"tests"}
    typed = ["manage.py", *sorted(packages)] if skip_types_of_tests else ["."]
    return {
        "mypy": [str(bin_folder / "mypy"), "--no-error-summary", *typed],
        "collection of tests": [sys.executable, "-m", "pytest", "-n", "0", "--collect-only", "-qq"],
        "ruff check": [str(bin_folder / "ruff"), "check", "--quiet", "."],
        "ruff format": [str(bin_folder / "ruff"), "format", "--check", "--quiet", "."],
        "import contracts": [str(bin_folder / "lint-imports"), "--no-logo"],
        "django check": [*django, "check", "--fail-level", "WARNING", *settings],
        "migrations": [*django, "makemigrations", "--check", "--dry-run", *settings],
        "djade": [str(bin_folder / "djade"), "--check", "--target-version", "5.2", *templates],
    }


def outcome(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run one linter and return how it ended, with its output."""
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def passed(name: str, linter: subprocess.CompletedProcess[str]) -> bool:
    """Return whether a linter found nothing, and print its findings."""
    is_clean = linter.returncode == 0
    sys.stdout.write(f"Linting: {name}\n{'' if is_clean else linter.stdout}")
    sys.stdout.flush()
    return is_clean


if __name__ == "__main__":
    main()
