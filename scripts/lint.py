"""Run every linter, and fail at the end with the names of those that found problems.

Runs in the same folder wait for each other, since mypy and import-linter keep caches.
"""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Run the linters and exit with 1 where one complains."""
    os.chdir(ROOT)
    with (ROOT / ".lint.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        failed = [name for name, command in commands().items() if not passes(name, command)]
    if failed:
        sys.exit(f"Not clean: {', '.join(failed)}.")


def commands() -> dict[str, list[str]]:
    """Return the command of each linter by the name people know it by."""
    bin_folder = Path(sys.executable).parent
    templates = [str(path) for path in sorted(Path("templates").rglob("*.html"))]
    # Not by manage.py, which would start a database; the ignored warning says that there is none.
    django = [sys.executable, "-W", "ignore::RuntimeWarning", "-m", "django"]
    settings = ["--settings", "tests.settings"]
    return {
        "ruff check": [str(bin_folder / "ruff"), "check", "--quiet", "."],
        "ruff format": [str(bin_folder / "ruff"), "format", "--check", "--quiet", "."],
        "mypy": [str(bin_folder / "mypy"), "--no-error-summary", "--num-workers", "2", "."],
        "import contracts": [str(bin_folder / "lint-imports"), "--no-logo"],
        "django check": [*django, "check", "--fail-level", "WARNING", *settings],
        "migrations": [*django, "makemigrations", "--check", "--dry-run", *settings],
        "djade": [str(bin_folder / "djade"), "--check", "--target-version", "5.2", *templates],
    }


def passes(name: str, command: list[str]) -> bool:
    """Run one linter and return whether it passes."""
    sys.stdout.write(f"Linting: {name}\n")
    sys.stdout.flush()
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    main()
