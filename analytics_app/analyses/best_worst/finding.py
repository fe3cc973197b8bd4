"""The finding that the intervals of best-worst scores support: the method has no test of pairs."""

from django.utils.translation import gettext as _

from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.shown import Rows


@finding_of("best_worst", "bw_score", order=10)
def best_worst(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding whether the interval of the highest score lies above those of all others."""
    scores = [row for row in rows.of("bw_score") if row.value is not None and row.low is not None]
    scores.sort(key=lambda row: -(row.value or 0.0))
    if len(scores) < 2:
        return None
    first, others = scores[0], scores[1:]
    overlapping = [row for row in others if row.high is not None and row.high >= (first.low or 0.0)]
    if not overlapping:
        start = _("%(system)s is chosen as best more often, and as worst less often, than every other system")
        rest = _(": its interval lies above all others")
        return Finding(start % {"system": first.system}, rest, criterion=question.name)
    if len(overlapping) == len(others):
        start = _("No system stands clearly above all others")
        rest = _(": the interval of the highest score, that of %(system)s, overlaps with every other interval")
        return Finding(start, rest % {"system": first.system}, criterion=question.name)
    start = _("No system stands clearly above all others")
    rest = _(": the intervals of %(system)s and %(other)s, the two highest, overlap")
    return Finding(start, rest % {"system": first.system, "other": overlapping[0].system}, criterion=question.name)
