"""The tests by which a finding goes: for further raters and texts, where a run has such tests, else over texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analytics_app.models import ResultRow
from analytics_app.results import TO_TEXTS
from analytics_app.show.evidence import Evidence
from analytics_app.show.findings import (
    Finding,
    FindingQuestion,
    largest_difference,
    listed,
    none_can,
    only_these,
    tests_of,
)
from analytics_app.show.scope import first_scope
from analytics_app.show.shown import StoredRows

OTHERS_MAY_DIFFER = gettext_noop("; other raters may differ")


@dataclass(frozen=True, slots=True)
class Leading:
    """The tests of a finding, and the ends of sentences: of one that claims a difference, and of one that does not."""

    tests: list[ResultRow]
    claimed: str
    unclear: str


def leading(rows: StoredRows, question: FindingQuestion, statistic: str, *, these: str) -> Leading:
    """Return the tests by which a finding goes.

    `statistic` is that of the tests over texts; its tests for further raters end in `_crossed`. `these` is the end of a
    sentence if only tests over texts find a difference, which other raters may not share.
    """
    over_texts = [row for row in tests_of(rows, statistic) if row.value is not None]
    all_crossed = rows.of(f"{statistic}_crossed")
    crossed = [row for row in all_crossed if row.p_adjusted is not None and row.value is not None]
    if crossed:
        return Leading(crossed, "", these if question.clear(over_texts) else "")
    only = only_these(over_texts) if all_crossed and over_texts else ""
    named = _(OTHERS_MAY_DIFFER) if first_scope(over_texts) == TO_TEXTS else ""
    return Leading(over_texts, only or named, none_can(over_texts) + only)


@dataclass(frozen=True, slots=True)
class LargestInWords:
    """The sentences of a finding about the largest clear difference.

    `these` is as in `leading`, `none` claims no difference, and `counts` says how many of all tests are significant.
    `largest` returns the sentence of a row, its higher system and the systems below; `evidence` the facts for a paper
    from the tests, the limit of their p and the number of clear ones.
    """

    these: str
    none: str
    counts: str
    largest: Callable[[ResultRow, str, str], str]
    evidence: Callable[[Sequence[ResultRow], float, int], Evidence]


def largest_finding(
    rows: StoredRows, question: FindingQuestion, statistic: str, words: LargestInWords
) -> Finding | None:
    """Return the finding about the system with the largest clear difference, and the systems clearly below it."""
    by = leading(rows, question, statistic, these=words.these)
    if not by.tests:
        return None
    clear = [row for row in question.clear(by.tests) if row.value]
    evidence = words.evidence(by.tests, question.limit, len(clear))
    if not clear:
        return Finding(words.none, by.unclear, criterion=question.name, denies=True, evidence=evidence)
    largest, winner, beaten = largest_difference(clear)
    counts = words.counts % {"n": len(clear), "all": len(by.tests)} if len(clear) > len(beaten) else ""
    start = words.largest(largest, winner, listed(beaten))
    return Finding(start, counts + by.claimed, criterion=question.name, evidence=evidence)
