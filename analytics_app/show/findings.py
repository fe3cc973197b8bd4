"""Findings: one sentence that the adjusted tests of an analysis support. Each analysis declares its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analytics_app.models import ResultRow
from analytics_app.results import CannotDiffer, is_significant
from analytics_app.show.evidence import Evidence
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import StoredRows

# Why no test of a family can be significant, as the end of a sentence.
NONE_CAN = {
    CannotDiffer.UNITS: gettext_noop("; there are too few texts for any of the tests to be significant"),
    CannotDiffer.DIFFERING: gettext_noop("; they differ on too few texts for any of the tests to be significant"),
    CannotDiffer.EQUAL: gettext_noop("; they have the same value on every text"),
    CannotDiffer.PERMUTATIONS: gettext_noop("; the tests draw too few permutations to become significant"),
}
# The most names that a sentence lists; further ones are counted.
NAMED = 3


@dataclass(frozen=True, slots=True)
class FindingQuestion:
    """The criterion of a finding: its name ("" for a whole task), and the type of its task.

    An adjusted p value below `limit` is significant.
    """

    name: str
    task_type: str
    limit: float

    def clear(self, tests: Iterable[ResultRow]) -> list[ResultRow]:
        """Return the rows of significant tests."""
        return [row for row in tests if is_significant(row.p_adjusted, self.limit)]


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence without its full stop. The criterion is between `start` and `rest`; "" if there is none.

    A finding that only describes is not `tested`. Findings that differ only in their criterion become one sentence. One
    that is `on_design` is about how the study was run, such as its number of judgments, and never a headline. `link` is
    the phrase that joins the criterion, " on %(criteria)s" if empty. One that `denies` says that something was not
    found: of several criteria it holds on each, so these are joined by "or". `evidence` has the facts for a sentence in
    a paper; without them a page offers no such sentence.
    """

    start: str
    rest: str = ""
    tested: bool = True
    criterion: str = ""
    on_design: bool = False
    link: str = ""
    denies: bool = False
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """Return the whole sentence."""
        return sentences_of([self])[0]


# A function that returns the finding of the rows of one analysis about one criterion, or None.
Make: TypeAlias = Callable[[StoredRows, FindingQuestion], Finding | None]


@dataclass(frozen=True, slots=True)
class Registered:
    """The finding of an analysis. Of several about one criterion that of the lowest order is shown.

    `statistics` are those of the rows it needs; with `parts`, rows of slices, groups and waves too. A finding `beside`
    the others does not compete with them: it is about data other than raters' answers.
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
    """Register the finding of an analysis; findings for a task type come first (10), those of ratings last (50)."""

    def known(make: Make) -> Make:
        if analysis in _registered:
            raise ValueError(f"There is a finding of the analysis {analysis!r} already.")
        _registered[analysis] = Registered(analysis, order, frozenset(statistics), parts, beside, make)
        return make

    return known


def registered() -> list[Registered]:
    """Return all registered findings in order."""
    return sorted(_registered.values(), key=lambda entry: (entry.order, entry.analysis))


def finding(rows: Sequence[ResultRow], question: FindingQuestion) -> Finding | None:
    """Return the finding to show for the rows of one criterion."""
    return next(_findings(rows, question, beside=False), None)


def findings_beside(rows: Sequence[ResultRow], question: FindingQuestion) -> tuple[Finding, ...]:
    """Return the findings to show beside that of a criterion."""
    return tuple(_findings(rows, question, beside=True))


def _findings(rows: Sequence[ResultRow], question: FindingQuestion, *, beside: bool) -> Iterator[Finding]:
    for entry in registered():
        if entry.beside != beside:
            continue
        own = RowIndex([row for row in rows if row.analysis == entry.analysis and row.statistic in entry.statistics])
        if own.kept and (result := entry.make(own if entry.parts else own.whole, question)) is not None:
            yield result


def sentences_of(findings: Iterable[Finding]) -> list[str]:
    """Return sentences, tested findings first; findings that differ only in the criterion become one sentence.

    Findings without a criterion become one sentence if they begin alike.
    """
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: not finding.tested):
        own_reason = finding.rest if finding.criterion else ""
        alike.setdefault((finding.start, finding.link, own_reason), []).append(finding)
    return [
        f"{start}{_on(link, group)}{''.join(dict.fromkeys(entry.rest for entry in group))}."
        for (start, link, _rest), group in alike.items()
    ]


def _on(link: str, group: Sequence[Finding]) -> str:
    named = [name for name in dict.fromkeys(entry.criterion for entry in group) if name]
    names = listed(named, joined_by_or=group[0].denies)
    return (link or _(" on %(criteria)s")) % {"criteria": names} if named else ""


def tests_of(rows: StoredRows, *statistics: str) -> list[ResultRow]:
    """Return the rows of these statistics that have a test."""
    return [row for row in rows.of(*statistics) if row.p_adjusted is not None]


def none_can(tests: Iterable[ResultRow]) -> str:
    """Return a phrase with the reason if no test of the family could be significant, else ""."""
    row = next((row for row in tests if (row.settings or {}).get("cannot_differ")), None)
    if row is None:
        return ""
    # Runs of earlier versions do not have the kind of reason.
    kind = (row.settings or {}).get("cannot_differ_since")
    return str(
        _(NONE_CAN[CannotDiffer(kind)])
        if kind
        else _("; there are too few data for any of the tests to become significant")
    )


def only_these(tests: Iterable[ResultRow]) -> str:
    """Return the end of a sentence about tests that cannot speak of further raters, or of further texts."""
    if max((row.n_items or 0 for row in tests), default=0) == 1:
        return _("; there is one text only, so this is not about further texts")
    return _("; this is about these raters only")


def winner_of(row: ResultRow) -> tuple[str, str]:
    """Return the systems of a difference, the higher one first."""
    a, b = str(row.system), str(row.system_b)
    return (a, b) if (row.value or 0.0) > 0 else (b, a)


def largest_difference(clear: Sequence[ResultRow]) -> tuple[ResultRow, str, list[str]]:
    """Return the row of the largest difference, its higher system, and the systems clearly lower on the same label."""
    largest = max(clear, key=lambda row: abs(row.value or 0.0))
    winner, _loser = winner_of(largest)
    ordered = [winner_of(row) for row in clear if row.label == largest.label]
    return largest, winner, [lower for higher, lower in ordered if higher == winner]


def listed(names: Sequence[str], *, joined_by_or: bool = False) -> str:
    """Return a list of names in words: A and B (or A or B); A, B and C; A, B, C and 2 others."""
    if len(names) < 2:
        return "".join(names)
    first, last = names[:-1], names[-1]
    if len(names) > NAMED + 1:
        more = len(names) - NAMED
        first, last = names[:NAMED], ngettext("%(n)s other", "%(n)s others", more) % {"n": more}
    joined = _("%(names)s or %(last)s") if joined_by_or else _("%(names)s and %(last)s")
    return joined % {"names": ", ".join(first), "last": last}


def listed_pairs(pairs: Sequence[str]) -> str:
    """Return a list of pairs in words: up to three in full; of more, three and the number of others."""
    more = len(pairs) - NAMED
    if more <= 0:
        return "; ".join(pairs)
    others = ngettext("and %(n)s more pair", "and %(n)s more pairs", more) % {"n": more}
    return "; ".join([*pairs[:NAMED], others])


def sentence(text: str) -> str:
    """Return a sentence with a capital letter at its beginning."""
    return str(capfirst(text))
