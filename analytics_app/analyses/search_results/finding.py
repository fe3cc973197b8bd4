"""The finding that the tests of search results support."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show.evidence import NOT_EQUAL, SOME_NOT_EQUAL, Evidence, conditions, differences_in_points
from analytics_app.show.findings import (
    Finding,
    FindingQuestion,
    finding_of,
    largest_difference,
    listed,
)
from analytics_app.show.leading import leading
from analytics_app.show.shown import StoredRows


@finding_of("search_results", "precision_difference", "precision_difference_crossed", order=14)
def search_results(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the system with the largest clear difference of precision, and the worse systems."""
    these = _("; the labels of these raters show a difference, but those of other raters may not")
    by = leading(rows, question, "precision_difference", these=these)
    tests = by.tests
    if not tests:
        return None
    clear = [row for row in question.clear(tests) if row.value]
    evidence = _evidence(tests, question.limit, n_clear=len(clear))
    if not clear:
        none = _("The precision of no two systems differs clearly")
        return Finding(none, by.unclear, criterion=question.name, evidence=evidence)
    largest, winner, beaten = largest_difference(clear)
    cutoff = (largest.settings or {}).get("cutoff", 1)
    placeholders = {"system": winner, "others": listed(beaten), "n": cutoff}
    start = ngettext(
        "%(system)s returns a relevant first result more often than %(others)s",
        "%(system)s has more relevant results among its first %(n)s than %(others)s",
        cutoff,
    )
    counts = ""
    if len(clear) > len(beaten):
        counts = _("; %(n)s of %(all)s comparisons of precision are significant") % {"n": len(clear), "all": len(tests)}
    return Finding(start % placeholders, counts + by.claimed, criterion=question.name, evidence=evidence)


def _evidence(tests: Sequence[ResultRow], limit: float, *, n_clear: int) -> Evidence:
    """Return the facts for a sentence in a paper: differences of precision, and the limits of precision."""
    unproven = [_(SOME_NOT_EQUAL)] if n_clear < len(tests) else []
    return Evidence(
        tests,
        differences_in_points(tests, limit, _cutoff),
        conditions(tests, _("raters and queries random")),
        unproven if n_clear else [_(NOT_EQUAL)],
        [_("Precision is about the results that were shown, not about relevant texts that no system found.")],
        of_queries=True,
    )


def _cutoff(row: ResultRow) -> str:
    cutoff = (row.settings or {}).get("cutoff", 1)
    return ngettext("first result", "first %(n)s results", cutoff) % {"n": cutoff}
