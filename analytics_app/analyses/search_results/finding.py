"""The finding that the tests of search results support."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show.evidence import Evidence, conditions, differences_in_points, unproven
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.leading import LargestInWords, largest_finding
from analytics_app.show.shown import StoredRows


@finding_of("search_results", "precision_difference", "precision_difference_crossed", order=14)
def search_results(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the system with the largest clear difference of precision, and the worse systems."""
    words = LargestInWords(
        these=_("; the labels of these raters show a difference, but those of other raters may not"),
        none=_("The precision of no two systems differs clearly"),
        counts=_("; %(n)s of %(all)s comparisons of precision are significant"),
        largest=_largest,
        evidence=_evidence,
    )
    return largest_finding(rows, question, "precision_difference", words)


def _largest(row: ResultRow, winner: str, others: str) -> str:
    cutoff = (row.settings or {}).get("cutoff", 1)
    start = ngettext(
        "%(system)s returns a relevant first result more often than %(others)s",
        "%(system)s has more relevant results among its first %(n)s than %(others)s",
        cutoff,
    )
    return start % {"system": winner, "others": others, "n": cutoff}


def _evidence(tests: Sequence[ResultRow], limit: float, n_clear: int) -> Evidence:
    """Return the facts for a sentence in a paper: differences of precision, and the limits of precision."""
    return Evidence(
        tests,
        differences_in_points(tests, limit, _cutoff),
        conditions(tests, _("raters and queries random")),
        unproven(n_clear, len(tests)),
        [_("Precision is about the results that were shown, not about relevant texts that no system found.")],
        of_queries=True,
    )


def _cutoff(row: ResultRow) -> str:
    cutoff = (row.settings or {}).get("cutoff", 1)
    return ngettext("first result", "first %(n)s results", cutoff) % {"n": cutoff}
