"""Keep the logs of `make run` small: each program appends to its own file, which is cut here when it has grown."""

import os
import shutil
from itertools import pairwise
from pathlib import Path

LOG_BYTES, OLDER_FILES = 5_000_000, 3


def rotate(log: Path) -> bool:
    """Move the contents of a large log to `<name>.1` and so on, and return whether it was large.

    The content is copied and the file emptied, since a server goes on writing to the file that it has open. OSError,
    as on a full disk, leaves the log as it was.
    """
    if not log.exists() or log.stat().st_size < LOG_BYTES:
        return False
    older = [log.with_name(f"{log.name}.{number}") for number in range(1, OLDER_FILES + 1)]
    copy = log.with_name(f"{log.name}.new")
    try:
        with log.open("rb") as source, open(copy, "wb", opener=_private) as target:
            shutil.copyfileobj(source, target)
            target.flush()
            for newer, aside in reversed(list(pairwise(older))):
                if newer.exists():
                    newer.replace(aside)
            shutil.copyfileobj(source, target)  # what was written meanwhile
            target.flush()
            os.truncate(log, 0)
        copy.replace(older[0])
    finally:
        copy.unlink(missing_ok=True)
    return True


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
