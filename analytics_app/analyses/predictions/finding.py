"""The finding that the tests of right predictions support."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.evidence import Evidence, conditions, differences_in_points, unproven
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.leading import LargestInWords, largest_finding
from analytics_app.show.shown import StoredRows


@finding_of("predictions", "prediction_difference", "prediction_difference_crossed", order=12)
def predictions(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the model that is right most clearly more often, and the models below it."""
    words = LargestInWords(
        these=_("; by the answers of these raters one is, but other raters may not agree"),
        none=_("No model is clearly right more often than another"),
        counts=_("; %(n)s of %(all)s comparisons of models are significant"),
        largest=_largest,
        evidence=_evidence,
    )
    return largest_finding(rows, question, "prediction_difference", words)


def _largest(row: ResultRow, winner: str, others: str) -> str:
    return _("%(system)s is right more often than %(others)s") % {"system": winner, "others": others}


def _evidence(tests: Sequence[ResultRow], limit: float, n_clear: int) -> Evidence:
    """Return the facts for a sentence in a paper: differences of shares of right predictions."""
    return Evidence(
        tests,
        differences_in_points(tests, limit, lambda _row: _("right predictions")),
        conditions(tests),
        unproven(n_clear, len(tests), _("This does not show that the models are right equally often.")),
        [_("Raters saw the predictions; they might have chosen otherwise without seeing them.")],
    )
