"""The list of erased raters and deleted studies outside the database, from which both are repeated after a restore.

A line for each: the number of the row, which says nothing to anybody without a database in which the rater or the study
still is, and a digest that tells whether that database is of the same site. No Django is needed here: backups read and
write the list as well.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Erased raters with what their digests are made of.
ERASED = """SELECT r.id, r.seed, s.seed FROM tasks_app_rater r JOIN tasks_app_study s ON s.id = r.study_id
    WHERE r.erased_at IS NOT NULL ORDER BY r.id"""

# Deleted studies.
DELETED = "SELECT number, digest FROM tasks_app_deletedstudy ORDER BY number"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An erased rater."""

    rater: int
    digest: str


@dataclass(frozen=True, slots=True)
class StudyTombstone:
    """A deleted study."""

    study: int
    digest: str


AnyTombstone = Tombstone | StudyTombstone


def of(rater: Any) -> Tombstone:
    """Return the tombstone of a rater with a loaded study."""
    return of_seeds(rater.pk, rater.seed, rater.study.seed)


def of_seeds(rater: int, seed: int, study_seed: int) -> Tombstone:
    """Return the tombstone of the rater with a number; both seeds are drawn at random and never change."""
    return Tombstone(rater, hashlib.sha256(f"{study_seed} {seed}".encode()).hexdigest())


def of_study(study: Any) -> StudyTombstone:
    """Return the tombstone of a study; the code of its link is drawn at random and never changes."""
    return StudyTombstone(study.pk, hashlib.sha256(f"study {study.seed} {study.link_code}".encode()).hexdigest())


def read(path: Path) -> Sequence[Tombstone]:
    """Return the erased raters of a list, none where there is no list yet. Raises ValueError as `read_all` does."""
    return [tombstone for tombstone in read_all(path) if isinstance(tombstone, Tombstone)]


def read_studies(path: Path) -> Sequence[StudyTombstone]:
    """Return the deleted studies of a list. Raises ValueError as `read_all` does."""
    return [tombstone for tombstone in read_all(path) if isinstance(tombstone, StudyTombstone)]


def announced(path: Path) -> Iterator[str]:
    """Yield a line for each step of the next start with a list of erased raters and deleted studies."""
    if n := len(read(path)):
        yield (
            f"Erased raters on the list {path}: {n}. Those still in this backup are erased again when evalweb starts."
        )
    if n := len(read_studies(path)):
        yield (
            f"Deleted studies on the list {path}: {n}. Those still in this backup are deleted again when evalweb "
            "starts. To keep one, remove its line from the list first."
        )


def read_all(path: Path) -> Sequence[AnyTombstone]:
    """Return all tombstones of a list, none where there is no list yet.

    Raises
    ------
    ValueError
        Where a line is none of ours: it may be an erasure that would not be repeated. A last line that was not
        written whole is left out; its erasure is in the database that was used then.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    tombstones: list[AnyTombstone] = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = json.loads(line) if line else None
            if row is not None:
                tombstones.append(_of_row(row))
        except (ValueError, KeyError, TypeError) as problem:
            raise ValueError(f"{path}, line {number}: this is no erasure. Correct or remove the line.") from problem
    return list(dict.fromkeys(tombstones))


def _of_row(row: dict[str, Any]) -> AnyTombstone:
    if "study" in row:
        return StudyTombstone(int(row["study"]), str(row["digest"]))
    return Tombstone(int(row["rater"]), str(row["digest"]))


def add(path: Path, tombstones: Iterable[AnyTombstone]) -> int:
    """Add tombstones to a list that it does not have yet, and return how many; the disk has them on return."""
    with open(path, "a+b", opener=_private) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        known = set(read_all(path))
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
