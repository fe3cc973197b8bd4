"""What is wrong with a study file: where, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# Enough to mend a file by; a table with the wrong delimiter would fill the screen with one line a row.
SHOWN = 200

# A value is quoted in a message only as far as a person needs to find it.
QUOTED = 60

# Known names are listed only where a person can take them in.
LISTED = 12

# Names a misspelt one is compared with: looking through many thousands takes a second.
COMPARED = 2000


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem. Line 0 is the whole file; columns count cells in a table, characters elsewhere."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        if not self.line:
            return f"{self.file}: {self.message}"
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class StudyFileError(Exception):
    """A study file was refused and nothing was stored. `more` counts the problems that are not listed."""

    def __init__(self, problems: Iterable[Problem], more: int = 0) -> None:
        self.problems = tuple(problems)
        self.more = more
        super().__init__(str(self))

    @property
    def count(self) -> int:
        """How many problems there are, listed or not."""
        return len(self.problems) + self.more

    def lines(self) -> list[str]:
        """Every problem as a line of text, and how many more there are."""
        lines = [str(problem) for problem in self.problems]
        if self.more:
            lines.append(ngettext("and %(n)d more", "and %(n)d more", self.more) % {"n": self.more})
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Problems:
    """Collects problems: the first ones of every file are kept, the rest are counted."""

    def __init__(self) -> None:
        self._kept: dict[str, set[Problem]] = {}
        self._left_out = 0

    def add(self, file: str, line: int, column: int, message: object) -> None:
        """Report one problem; the same one twice counts once."""
        problem = Problem(file, line, column, str(message))
        kept = self._kept.setdefault(file, set())
        if problem in kept:
            return
        if len(kept) < SHOWN:
            kept.add(problem)
        else:
            self._left_out += 1

    def count_more(self, n: int) -> None:
        """Count problems that are not told."""
        self._left_out += n

    def is_full(self, file: str) -> bool:
        """Say whether further problems of a file are only counted, so that no advice on them is worth working out."""
        return len(self._kept.get(file, ())) >= SHOWN

    @property
    def count(self) -> int:
        """How many problems were reported, kept or not."""
        return sum(map(len, self._kept.values())) + self._left_out

    def raise_if_any(self) -> None:
        """Raise StudyFileError where something was reported."""
        if self.count:
            # Files without a place first: a missing file explains what follows from it.
            everything = sorted(
                (problem for kept in self._kept.values() for problem in kept),
                key=lambda problem: (problem.line > 0, problem),
            )
            raise StudyFileError(everything[:SHOWN], max(0, len(everything) - SHOWN) + self._left_out)


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None where none is like it; only the first ones are looked at."""
    lowered = {one.lower(): one for one in islice(known, COMPARED)}
    found = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    return lowered[found[0]] if found else None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the known name most like `name`, or lists the names where they are few."""
    names = list(known)
    found = closest(name, names)
    if found is not None:
        return _("Did you mean “%(name)s”?") % {"name": found}
    if 0 < len(names) <= LISTED:
        return _("Known are: %(names)s.") % {"names": ", ".join(names)}
    return ""


def shown(value: object) -> str:
    """Describe a value that stands in a file, for a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _("the number %(value)s") % {"value": value}
    if isinstance(value, Mapping):
        return _("a group of settings")
    if isinstance(value, list | tuple):
        return _("a list")
    return _("empty") if value is None else quoted(str(value))


def quoted(text: str) -> str:
    """Put a text in quotation marks, on one line and cut short."""
    flat = " ".join(text.split())
    return f"'{flat[:QUOTED]}…'" if len(flat) > QUOTED else f"'{flat}'"
