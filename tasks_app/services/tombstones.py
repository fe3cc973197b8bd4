"""The list of erased raters outside the database, from which erasures are repeated after a backup was restored.

A line for each erased rater: the number of their row, which says nothing to anybody without a database in which the
rater still is, and a digest that tells whether that database is of the same site. No Django is needed here: backups
read and write the list as well.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Erased raters with what their digests are made of.
ERASED = """SELECT r.id, r.seed, s.seed FROM tasks_app_rater r JOIN tasks_app_study s ON s.id = r.study_id
    WHERE r.erased_at IS NOT NULL ORDER BY r.id"""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An erased rater."""

    rater: int
    digest: str


def of(rater: Any) -> Tombstone:
    """Return the tombstone of a rater, whose study is at hand."""
    return of_seeds(rater.pk, rater.seed, rater.study.seed)


def of_seeds(rater: int, seed: int, study_seed: int) -> Tombstone:
    """Return the tombstone of the rater with a number; both seeds are drawn at random and never change."""
    return Tombstone(rater, hashlib.sha256(f"{study_seed} {seed}".encode()).hexdigest())


def read(path: Path) -> Sequence[Tombstone]:
    """Return the tombstones of a list, none where there is no list yet.

    Raises
    ------
    ValueError
        Where a line is none of ours: it may be an erasure that would not be repeated. A last line that was not
        written whole is left out; its erasure is in the database that was used then.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    tombstones = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = json.loads(line) if line else None
            if row is not None:
                tombstones.append(Tombstone(int(row["rater"]), str(row["digest"])))
        except (ValueError, KeyError, TypeError) as problem:
            raise ValueError(f"{path}, line {number}: this is no erasure. Correct or remove the line.") from problem
    return list(dict.fromkeys(tombstones))


def add(path: Path, tombstones: Iterable[Tombstone]) -> int:
    """Add tombstones to a list that it does not have yet, and return how many; the disk has them on return."""
    with open(path, "a+b", opener=_private) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        known = set(read(path))
        new = [tombstone for tombstone in dict.fromkeys(tombstones) if tombstone not in known]
        file.seek(0)
        # A line that a crash cut off goes, so that it does not spoil the next one.
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write("".join(f"{json.dumps(asdict(tombstone))}\n" for tombstone in new).encode())
        file.flush()
        os.fsync(file.fileno())
    return len(new)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
