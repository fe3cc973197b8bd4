"""The finding about degradations that raters notice."""

from django.utils.translation import gettext as _

from analytics_app.analyses.robustness.tables import kind_of
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.shown import Rows


@finding_of("robustness", "robustness_difference", order=16)
def robustness(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding that names the kinds of degraded copies rated lower than originals, and the unclear kinds."""
    tested = [
        row
        for row in rows.of("robustness_difference")
        if row.system is None and row.metric is None and row.p_adjusted is not None and row.value is not None
    ]
    if not tested:
        return None
    lower = [kind_of(row) for row in tested if (row.p_adjusted or 0) < question.limit and (row.value or 0) > 0]
    unclear = [kind_of(row) for row in tested if kind_of(row) not in lower]
    if not lower:
        return Finding(
            _("It was not shown that raters rate any degraded copy lower than its original"), criterion=question.name
        )
    placeholders = {"lower": ", ".join(lower), "others": ", ".join(unclear)}
    if unclear:
        sentence = _("Raters rate degraded copies lower for %(lower)s; this was not shown for %(others)s")
    else:
        sentence = _("Raters rate all kinds of degraded copies lower than their originals: %(lower)s")
    return Finding(sentence % placeholders, criterion=question.name)
