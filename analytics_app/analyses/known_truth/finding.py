"""The finding that tests of right answers against chance support."""

from django.utils.translation import gettext as _

from analytics_app.show.evidence import Evidence, conditions, in_points
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.index import RowIndex
from analytics_app.show.leading import leading
from analytics_app.show.shown import StoredRows


@finding_of("known_truth", "right_against_chance", "right_against_chance_crossed", "right_share", order=15)
def known_truth(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding that raters are right more often, or less often, than chance."""
    these = _("; by the answers of these raters they are, but other raters may not be")
    together = RowIndex([row for row in rows.rows if row.system is None])
    by = leading(together, question, "right_against_chance", these=these)
    test = next(iter(by.tests), None)
    share = next((row for row in rows.of("right_share") if row.system is None and row.label is None), None)
    if test is None or share is None or test.p_adjusted is None or share.value is None or test.value is None:
        return None
    chance = (test.settings or {})["chance"]
    placeholders = {"share": _percent(share.value), "chance": _percent(chance)}
    reason, is_clear = by.claimed, test.p_adjusted < question.limit
    if not is_clear:
        reason = by.unclear
        start = _("It was not shown that raters are right more often than chance (%(share)s, chance %(chance)s)")
    elif test.value > 0:
        start = _("Raters are right in %(share)s of their answers, more often than chance (%(chance)s)")
    else:
        start = _("Raters are right in %(share)s of their answers, less often than chance (%(chance)s)")
    evidence = Evidence(
        [test],
        [in_points(test, _("share of right answers, difference from chance"), question.limit)],
        conditions([test]),
        [] if is_clear else [_("This does not show that raters guess.")],
        values=[share],
    )
    return Finding(start % placeholders, reason, criterion=question.name, evidence=evidence)


def _percent(share: float) -> str:
    return f"{share * 100:.0f}\u00a0%"
