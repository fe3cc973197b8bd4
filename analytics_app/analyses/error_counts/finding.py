"""The finding about types of errors that lower ratings."""

from django.utils.translation import gettext as _

from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed
from analytics_app.show.leading import leading
from analytics_app.show.shown import StoredRows


@finding_of("error_counts", "error_effect", "error_effect_crossed", order=65)
def error_counts(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the types of errors that clearly lower ratings."""
    these = _("; those of these raters do, but those of other raters may not")
    by = leading(rows, question, "error_effect", these=these)
    if not by.tests:
        return None
    lower = [f"“{row.label}”" for row in question.clear(by.tests) if (row.value or 0) < 0]
    if not lower:
        start = _("It was not shown that ratings fall with the errors of any type")
        return Finding(start, by.unclear, criterion=question.name)
    start = (
        _("Ratings fall with each error of the types %(types)s")
        if len(lower) > 1
        else _("Ratings fall with each error of the type %(types)s")
    )
    return Finding(start % {"types": listed(lower)}, by.claimed, criterion=question.name)
