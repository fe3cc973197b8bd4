"""Write requirements.lock: the exact version of everything that requirements.txt installs, as .venv has it.

`make lock` calls this after it has brought .venv up to date. The image installs the lock, so that one commit gives
the same numbers to the last digit wherever and whenever it is built; `make run` keeps to requirements.txt, since a
machine of another kind may need other versions.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEAD = "# Exact versions for the image, written by `make lock`. Change requirements.txt instead.\n"


def requirements() -> Iterator[Requirement]:
    """Yield the requirements that requirements.txt names."""
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield Requirement(line)


def canonical(name: str) -> str:
    """Return the one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def versions() -> dict[str, str]:
    """Return the version of each package that is needed here, by name; exits where .venv does not fit."""
    waiting = [(requirement, "") for requirement in requirements()]
    locked: dict[str, str] = {}
    queued: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        installed = distribution(requirement.name)
        if not requirement.specifier.contains(installed.version, prereleases=True):
            sys.exit(f"{requirement} is needed, and .venv has {installed.version}. Delete .venv and try again.")
        locked[canonical(requirement.name)] = installed.version
        for extra_name in ("", *requirement.extras):
            if (key := (canonical(requirement.name), extra_name)) not in queued:
                queued.add(key)
                waiting += [(Requirement(line), extra_name) for line in installed.requires or ()]
    return locked


def content() -> str:
    """Return the lock as it should be here."""
    return HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(versions().items()))


if __name__ == "__main__":
    LOCK.write_text(content(), "utf-8")
