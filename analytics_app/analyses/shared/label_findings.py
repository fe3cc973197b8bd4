"""The finding that tests of labels support: a system that has a label more often than others."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.evidence import Evidence, conditions, differences_in_points, unproven
from analytics_app.show.findings import Finding, FindingQuestion
from analytics_app.show.leading import LargestInWords, largest_finding
from analytics_app.show.shown import StoredRows


def of_labels(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the largest significant difference, with the number of significant tests."""
    words = LargestInWords(
        these=_("; these raters label systems differently, but other raters may not"),
        none=_("The labels of no two systems differ clearly"),
        counts=_("; %(n)s of %(all)s label comparisons are significant"),
        largest=_largest,
        evidence=_evidence,
    )
    return largest_finding(rows, question, "label_difference", words)


def _largest(row: ResultRow, winner: str, others: str) -> str:
    start = _("%(system)s gets the label “%(label)s” more often than %(others)s")
    return start % {"system": winner, "label": row.label, "others": others}


def _evidence(tests: Sequence[ResultRow], limit: float, n_clear: int) -> Evidence:
    """Return the facts for a sentence in a paper: differences of shares, and that unclear ones are not none."""
    return Evidence(
        tests,
        differences_in_points(tests, limit, lambda row: _("“%(label)s”") % {"label": row.label}),
        conditions(tests),
        unproven(n_clear, len(tests), _("This does not show that the systems get the labels equally often.")),
    )
