"""The finding that the tests of outcomes measured elsewhere support."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, sentence
from analytics_app.show.shown import Rows


@finding_of("outcomes", "outcome_change", "outcome_change_adjusted", order=20, parts=True, beside=True)
def outcomes(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about changes of outcomes, between groups first, beside that of the questionnaire."""
    between = [row for row in rows.of("outcome_change_adjusted") if row.value is not None]
    within = [row for row in rows.of("outcome_change") if row.value is not None]
    apart = [_apart(row) for row in question.clear(between) if row.value]
    moved = [_moved(row) for row in question.clear(within) if row.value]
    if apart:
        return Finding(sentence("; ".join(apart)))
    # A change within one group alone is no difference between groups, so the comparison comes first.
    if between:
        return Finding(_none(between, between=True), "".join(f"; {change}" for change in moved))
    if moved:
        return Finding(sentence("; ".join(moved)))
    return Finding(_none(within, between=False)) if within else None


def _apart(row: ResultRow) -> str:
    """Return a phrase about the group with more of an outcome, given the earlier wave."""
    text = (
        _("in %(last)s, %(outcome)s was higher in %(group)s than in %(other)s (adjusted for %(first)s)")
        if (row.value or 0) > 0
        else _("in %(last)s, %(outcome)s was lower in %(group)s than in %(other)s (adjusted for %(first)s)")
    )
    return text % {**_about(row), "other": (row.slice or "").removeprefix("against=")}


def _moved(row: ResultRow) -> str:
    """Return a phrase about the change of an outcome within a group, or in everybody."""
    rose = (row.value or 0) > 0
    if row.group:
        text = (
            _("%(outcome)s rose in %(group)s from %(first)s to %(last)s")
            if rose
            else _("%(outcome)s fell in %(group)s from %(first)s to %(last)s")
        )
    else:
        text = (
            _("%(outcome)s rose from %(first)s to %(last)s")
            if rose
            else _("%(outcome)s fell from %(first)s to %(last)s")
        )
    return text % _about(row)


def _about(row: ResultRow) -> dict[str, object]:
    return {"outcome": row.label, "group": row.group, "first": row.metric, "last": row.metric_b}


def _none(tests: Sequence[ResultRow], *, between: bool) -> str:
    n = len({row.label for row in tests})
    if between:
        text = ngettext(
            "No clear difference between groups in how %(n)d outcome changed",
            "No clear difference between groups in how %(n)d outcomes changed",
            n,
        )
    else:
        text = ngettext("No clear change in %(n)d outcome", "No clear change in %(n)d outcomes", n)
    return text % {"n": n}
