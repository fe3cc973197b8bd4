"""A problem of a study file: its place, the expected value and the way to fix it."""

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

# Most problems to list; a table with the wrong delimiter has one per row.
SHOWN = 200

# Most characters of a value quoted in a message, enough to find it.
QUOTED = 60

# PLACES is how many places of similar problems are listed. Up to APART messages that differ only in numbers and quoted
# words are listed one by one.
PLACES, APART = 3, 5

# Most places of a message that are remembered, so that none counts twice.
REMEMBERED = 100_000

# The parts that may differ between similar messages.
_VARYING = re.compile(r"“[^”]*”|'.*'|[0-9]+")

# Known names are listed only if there are at most this many.
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
        """Return the number of times that a problem occurs, and its first places; "" if it occurs once."""
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

    def __reduce__(self) -> tuple[type[StudyFileError], tuple[tuple[Problem, ...], int]]:
        """Be sent between processes whole; an exception would be made anew from its message."""
        return type(self), (self.problems, self.more)

    @property
    def count(self) -> int:
        """Number of problems, listed or not."""
        return sum(problem.count for problem in self.problems) + self.more

    @property
    def has_places(self) -> bool:
        """Whether any of the problems has a line or column."""
        return any(problem.line or problem.column for problem in self.problems)

    def lines(self) -> list[str]:
        """Return every problem as a line of text, similar ones in one line, and the number of unlisted problems."""
        lines = [str(problem) for problem in self.problems]
        if self.more:
            lines.append(ngettext("and %(n)d more", "and %(n)d more", self.more) % {"n": self.more})
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


class _Alike:
    """Problems of a file with the same message: their number and first places."""

    def __init__(self) -> None:
        self.count = 0
        self._seen: set[tuple[int, int, int]] = set()
        self._first: list[tuple[tuple[int, int], str]] = []

    def add(self, place: tuple[int, int], message: str) -> bool:
        """Count a problem; return False if it was reported before."""
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
        """Add the problems of another group."""
        self.count += other.count
        self._seen |= other._seen
        self._first = sorted(self._first + other._first)[:PLACES]

    def merged_problem(self, file: str) -> Problem:
        """Return all problems as one, with the message of the first."""
        (line, column), message = self._first[0]
        places = tuple(place for place, _message in self._first) if self.count > 1 else ()
        return Problem(file, line, column, message, self.count, places)


class _Family:
    """Problems of a file with messages that differ only in numbers and quoted words.

    A few messages are reported one by one, since each may need its own fix; beyond that they are one problem. Those
    of one line, such as unknown columns of a header, are always reported one by one.
    """

    def __init__(self) -> None:
        self._alike: dict[str, _Alike] = {}
        self._merged = False

    def add(self, place: tuple[int, int], message: str) -> bool:
        """Count a problem; return False if it was reported before."""
        alike = self._alike.setdefault("" if self._merged else message, _Alike())
        is_new = alike.add(place, message)
        if len(self._alike) > APART and len({group.line for group in self._alike.values()}) > APART:
            merged = _Alike()
            for group in self._alike.values():
                merged.take(group)
            self._alike, self._merged = {"": merged}, True
        return is_new

    def add_more(self, n: int, message: str) -> None:
        """Count further problems like a reported one, without places."""
        self._alike["" if self._merged else message].count += n

    def merged_problem(self, file: str) -> Iterator[Problem]:
        """Yield the problems to report."""
        return (group.merged_problem(file) for group in self._alike.values())


def _kind_of(line: int, message: str) -> str:
    """Return the common part of similar messages; messages about a whole file are never grouped."""
    return _VARYING.sub("", message) if line else message


class Problems:
    """Collects problems: similar ones become one with a count; the first of every file are kept."""

    def __init__(self) -> None:
        self._families: dict[str, dict[str, _Family]] = {}
        self._counts: Counter[str] = Counter()
        self._left_out = 0

    def add(self, file: str, line: int, column: int, message: object) -> None:
        """Report a problem; a repeated report counts once."""
        text = str(message)
        families = self._families.setdefault(file, {})
        kind = _kind_of(line, text)
        if kind not in families and len(families) >= SHOWN:
            self._left_out += 1
        else:
            self._counts[file] += families.setdefault(kind, _Family()).add((line, column), text)

    def add_more(self, file: str, n: int, message: str) -> None:
        """Count further problems like a reported one, without places."""
        if n:
            family = self._families[file].get(_kind_of(1, message))
            if family is None:
                self._left_out += n
            else:
                self._counts[file] += n
                family.add_more(n, message)

    def is_full(self, file: str) -> bool:
        """Return whether a file has so many problems that advice on further ones is not worth computing."""
        return self._counts[file] >= SHOWN

    @property
    def count(self) -> int:
        """Number of reported problems, kept or not."""
        return self._counts.total() + self._left_out

    def raise_if_any(self) -> None:
        """Raise StudyFileError if problems were reported."""
        if self.count:
            # Files without a place first: a missing file explains what follows from it.
            everything = sorted(
                (
                    problem
                    for file, kinds in self._families.items()
                    for kind in kinds.values()
                    for problem in kind.merged_problem(file)
                ),
                key=lambda problem: (problem.line > 0, problem),
            )
            left_out = sum(problem.count for problem in everything[SHOWN:]) + self._left_out
            raise StudyFileError(everything[:SHOWN], left_out)


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to `name`, or None; only the first known names are compared."""
    lowered = {known_name.lower(): known_name for known_name in islice(known, COMPARED)}
    matches = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    return lowered[matches[0]] if matches else None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the most similar known name, or lists the known names if they are few."""
    names = list(known)
    suggestion = closest(name, names)
    if suggestion is not None:
        return _("Did you mean “%(name)s”?") % {"name": suggestion}
    if 0 < len(names) <= LISTED:
        return _("Known are: %(names)s.") % {"names": ", ".join(names)}
    return ""


def shown(value: object) -> str:
    """Describe a value of a file, for a message."""
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
