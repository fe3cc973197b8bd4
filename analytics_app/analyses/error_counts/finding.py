"""The finding about types of errors that lower ratings."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.evidence import Evidence, conditions, figure, selected
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
    evidence = _evidence(by.tests, question.limit, clear=bool(lower))
    if not lower:
        start = _("It was not shown that ratings fall with the errors of any type")
        return Finding(start, by.unclear, criterion=question.name, denies=True, evidence=evidence)
    start = (
        _("Ratings fall with each error of the types %(types)s")
        if len(lower) > 1
        else _("Ratings fall with each error of the type %(types)s")
    )
    return Finding(start % {"types": listed(lower)}, by.claimed, criterion=question.name, evidence=evidence)


def _evidence(tests: Sequence[ResultRow], limit: float, *, clear: bool) -> Evidence:
    """Return the facts for a sentence in a paper: effects of an error of each type, and that they are associations."""
    figures = []
    for row in selected(tests, limit, lambda row: abs(row.value or 0.0)):
        value, *ends = [cells.figure(end, 2) for end in (row.value or 0.0, row.low, row.high) if end is not None]
        name = _("per error of the type “%(type)s”") % {"type": row.label}
        figures.append(figure(row, name, value, ends, limit))
    return Evidence(
        tests,
        figures,
        conditions(tests),
        [] if clear else [_("This does not show that errors of these types do not matter.")],
        [_("Texts with more errors may be worse in other respects, too: this is an association, not a cause.")],
    )
