"""Findings: what the adjusted tests of an analysis support, in one sentence. Each analysis declares its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Rows

# Names that a sentence lists; of more it says how many others there are.
NAMED = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """The criterion that a finding is about: its name ("" for a whole task), and the type of its task.

    `limit` is below what an adjusted p value is significant.
    """

    name: str
    task_type: str
    limit: float


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence without its full stop. The criterion stands between `start` and `rest`; "" where it is about none.

    Not `tested` is what only describes. Findings that differ in their criterion alone are told in one sentence.
    """

    start: str
    rest: str = ""
    tested: bool = True
    criterion: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        return told([self])[0]


# Makes the finding of the rows of one analysis about one criterion; None where there is none.
Make: TypeAlias = Callable[[Rows, Asked], Finding | None]


@dataclass(frozen=True, slots=True)
class Registered:
    """The finding of an analysis. Of several about one criterion that of the lowest order is told.

    `statistics` are those of the rows it needs; with `parts`, rows of slices, groups and waves too. One that is told
    `beside` the others does not compete with them: it is about other data than raters' answers.
    """

    analysis: str
    order: int
    statistics: frozenset[str]
    parts: bool
    beside: bool
    make: Make


_registered: dict[str, Registered] = {}


def finding_of(
    analysis: str, *statistics: str, order: int, parts: bool = False, beside: bool = False
) -> Callable[[Make], Make]:
    """Make known the finding of an analysis; those made for a task type come first (10), ratings last (50)."""

    def known(make: Make) -> Make:
        if analysis in _registered:
            raise ValueError(f"There is a finding of the analysis {analysis!r} already.")
        _registered[analysis] = Registered(analysis, order, frozenset(statistics), parts, beside, make)
        return make

    return known


def registered() -> list[Registered]:
    """Return every finding that was made known, those to be told first in front."""
    return sorted(_registered.values(), key=lambda one: (one.order, one.analysis))


def finding(rows: Sequence[ResultRow], asked: Asked) -> Finding | None:
    """Return the finding to tell of the rows of one criterion."""
    return next(_findings(rows, asked, beside=False), None)


def findings_beside(rows: Sequence[ResultRow], asked: Asked) -> tuple[Finding, ...]:
    """Return the findings to tell beside that of a criterion."""
    return tuple(_findings(rows, asked, beside=True))


def _findings(rows: Sequence[ResultRow], asked: Asked, *, beside: bool) -> Iterator[Finding]:
    for one in registered():
        if one.beside != beside:
            continue
        own = RowIndex([row for row in rows if row.analysis == one.analysis and row.statistic in one.statistics])
        if own.kept and (found := one.make(own if one.parts else own.whole, asked)) is not None:
            yield found


def told(findings: Iterable[Finding]) -> list[str]:
    """Return sentences, what was tested first; findings that differ in the criterion alone become one sentence.

    Those about no criterion become one where they begin alike.
    """
    alike: dict[tuple[str, str], list[Finding]] = {}
    for one in sorted(findings, key=lambda one: not one.tested):
        alike.setdefault((one.start, one.rest if one.criterion else ""), []).append(one)
    return [
        f"{start}{_on([one.criterion for one in same])}{''.join(dict.fromkeys(one.rest for one in same))}."
        for (start, _rest), same in alike.items()
    ]


def _on(criteria: Sequence[str]) -> str:
    named = [one for one in dict.fromkeys(criteria) if one]
    return _(" on %(criteria)s") % {"criteria": listed(named)} if named else ""


def listed(names: Sequence[str]) -> str:
    """Write a list of names in full: A and B; A, B and C; A, B, C and 2 others."""
    if len(names) > NAMED + 1:
        more = len(names) - NAMED
        others = ngettext("%(n)s other", "%(n)s others", more) % {"n": more}
        return _("%(names)s and %(last)s") % {"names": ", ".join(names[:NAMED]), "last": others}
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}


def listed_pairs(pairs: Sequence[str]) -> str:
    """Write a list of pairs: those of three in full; of more than three says how many others there are."""
    more = len(pairs) - NAMED
    if more <= 0:
        return "; ".join(pairs)
    others = ngettext("and %(n)s more pair", "and %(n)s more pairs", more) % {"n": more}
    return "; ".join([*pairs[:NAMED], others])


def sentence(text: str) -> str:
    """Begin a sentence with a capital letter."""
    return str(capfirst(text))
