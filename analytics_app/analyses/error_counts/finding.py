"""The finding about types of errors that lower ratings."""

from django.utils.translation import gettext as _

from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed, tests_of
from analytics_app.show.shown import Rows


@finding_of("error_counts", "error_effect", order=65)
def error_counts(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the types of errors that clearly lower ratings."""
    tested = tests_of(rows, "error_effect")
    if not tested:
        return None
    lower = [f"“{row.label}”" for row in question.clear(tested) if (row.value or 0) < 0]
    if not lower:
        return Finding(_("It was not shown that ratings fall with the errors of any type"), criterion=question.name)
    start = (
        _("Ratings fall with each error of the types %(types)s")
        if len(lower) > 1
        else _("Ratings fall with each error of the type %(types)s")
    )
    return Finding(start % {"types": listed(lower)}, criterion=question.name)
