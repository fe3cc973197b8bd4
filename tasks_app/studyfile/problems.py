"""A problem of a study file: where it is, what was expected and what to do."""

from __future__ import annotations

import difflib
import re
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# Enough to mend a file by; a table with the wrong delimiter would fill the screen with one line a row.
SHOWN = 200

# A value is quoted in a message only as far as a person needs to find it.
QUOTED = 60

# Places that are named of problems that are alike, and how many of their messages are told apart where these differ
# only in numbers and quoted words.
PLACES, APART = 3, 5

# Places of one message that are remembered, so that none counts twice.
REMEMBERED = 100_000

# What may differ between messages that are alike.
_VARYING = re.compile(r"“[^”]*”|'.*'|[0-9]+")

# Places that are named of problems that are alike, and how many of their messages are told apart where these differ
# only in numbers and quoted words.
PLACES, APART = 3, 5

# Places of one message that are remembered, so that none counts twice.
REMEMBERED = 100_000

# What may differ between messages that are alike.
_VARYING = re.compile(r"“[^”]*”|'.*'|[0-9]+")

# Known names are listed only where a person can take them in.
LISTED = 12

# Names a misspelt one is compared with: looking through many thousands takes a second.
COMPARED = 2000


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem, or several alike. Line 0 is the whole file; columns count cells in a table, characters elsewhere.

    `count` says how often it occurs, and `places` where it does first (line and column) if that is more than once.
    """

    file: str
    line: int
    column: int
    message: str
    count: int = 1
    places: tuple[tuple[int, int], ...] = ()

    @property
    def repeated(self) -> str:
        """Return how often a problem occurs, and where first; "" where it occurs once."""
        if self.count == 1:
            return ""
        places = ", ".join(f"{line}:{column}" for line, column in self.places)
        if self.count <= len(self.places):
            return _("%(n)s problems like this, at %(places)s.") % {"n": f"{self.count:,}", "places": places}
        return _("%(n)s problems like this, first at %(places)s.") % {"n": f"{self.count:,}", "places": places}

    def __str__(self) -> str:
        if not self.line:
            return f"{self.file}: {self.message}"
        return f"{self.file}:{self.line}:{self.column}: {self.message} {self.repeated}".rstrip()


class StudyFileError(Exception):
    """A study file was refused and nothing was stored. `more` counts the problems that are not listed."""

    def __init__(self, problems: Iterable[Problem], more: int = 0) -> None:
        self.problems = tuple(problems)
        self.more = more
        super().__init__(str(self))

    @property
    def count(self) -> int:
        """How many problems there are, listed or not."""
        return sum(problem.count for problem in self.problems) + self.more

    def lines(self) -> list[str]:
        """Every problem as a line of text, those that are alike in one, and how many more there are."""
        lines = [str(problem) for problem in self.problems]
        if self.more:
            lines.append(ngettext("and %(n)d more", "and %(n)d more", self.more) % {"n": self.more})
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


class _Alike:
    """Problems of a file with one message: how many there are, and where the first ones stand."""

    def __init__(self) -> None:
        self.count = 0
        self._seen: set[tuple[int, int, int]] = set()
        self._first: list[tuple[tuple[int, int], str]] = []

    def add(self, place: tuple[int, int], message: str) -> bool:
        """Count a problem; False where it was reported before."""
        key = (*place, hash(message))
        if key in self._seen:
            return False
        if len(self._seen) < REMEMBERED:
            self._seen.add(key)
        self.count += 1
        insort(self._first, (place, message))
        del self._first[PLACES:]
        return True

    @property
    def line(self) -> int:
        """The line of the first place."""
        return self._first[0][0][0]

    def take(self, other: _Alike) -> None:
        """Count the problems of another one here."""
        self.count += other.count
        self._seen |= other._seen
        self._first = sorted(self._first + other._first)[:PLACES]

    def told(self, file: str) -> Problem:
        """Return all of them as one problem, in the words of the first."""
        (line, column), message = self._first[0]
        places = tuple(place for place, _message in self._first) if self.count > 1 else ()
        return Problem(file, line, column, message, self.count, places)


class _Family:
    """Problems of a file whose messages differ only in numbers and quoted words.

    A few messages are told one by one, since each may need a repair of its own; beyond that they are one problem. Those
    of one line, such as unknown columns of a header, are always told one by one.
    """

    def __init__(self) -> None:
        self._alike: dict[str, _Alike] = {}
        self._merged = False

    def add(self, place: tuple[int, int], message: str) -> bool:
        """Count a problem; False where it was reported before."""
        alike = self._alike.setdefault("" if self._merged else message, _Alike())
        is_new = alike.add(place, message)
        if len(self._alike) > APART and len({one.line for one in self._alike.values()}) > APART:
            merged = _Alike()
            for one in self._alike.values():
                merged.take(one)
            self._alike, self._merged = {"": merged}, True
        return is_new

    def add_more(self, n: int, message: str) -> None:
        """Count further problems like one that was reported, of which nobody knows the place."""
        self._alike["" if self._merged else message].count += n

    def told(self, file: str) -> Iterator[Problem]:
        """Yield the problems to be told."""
        return (one.told(file) for one in self._alike.values())


def _kind_of(line: int, message: str) -> str:
    """Return what alike messages have in common; what is said of a file as a whole is told one by one."""
    return _VARYING.sub("", message) if line else message


class Problems:
    """Collects problems: those that are alike become one with a count; the first ones of every file are kept."""

    def __init__(self) -> None:
        self._families: dict[str, dict[str, _Family]] = {}
        self._counts: Counter[str] = Counter()
        self._left_out = 0

    def add(self, file: str, line: int, column: int, message: object) -> None:
        """Report one problem; the same one twice counts once."""
        text = str(message)
        families = self._families.setdefault(file, {})
        kind = _kind_of(line, text)
        if kind not in families and len(families) >= SHOWN:
            self._left_out += 1
        else:
            self._counts[file] += families.setdefault(kind, _Family()).add((line, column), text)

    def add_more(self, file: str, n: int, message: str) -> None:
        """Count further problems like one that was reported; nobody knows their places."""
        if n:
            family = self._families[file].get(_kind_of(1, message))
            if family is None:
                self._left_out += n
            else:
                self._counts[file] += n
                family.add_more(n, message)

    def is_full(self, file: str) -> bool:
        """Say whether a file has so many problems that no advice on a further one is worth working out."""
        return self._counts[file] >= SHOWN

    @property
    def count(self) -> int:
        """How many problems were reported, kept or not."""
        return self._counts.total() + self._left_out

    def raise_if_any(self) -> None:
        """Raise StudyFileError where something was reported."""
        if self.count:
            # Files without a place first: a missing file explains what follows from it.
            everything = sorted(
                (one for file, kinds in self._families.items() for kind in kinds.values() for one in kind.told(file)),
                key=lambda problem: (problem.line > 0, problem),
            )
            left_out = sum(problem.count for problem in everything[SHOWN:]) + self._left_out
            raise StudyFileError(everything[:SHOWN], left_out)


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
