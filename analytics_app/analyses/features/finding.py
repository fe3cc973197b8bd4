"""The finding that the tests of differences by feature support."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed
from analytics_app.show.shown import Rows


@finding_of("features", "feature_contrast", order=60)
def features(rows: Rows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the features on which differences between systems depend."""
    tested = [row for row in rows.of("feature_contrast") if row.p_adjusted is not None]
    if not tested:
        return None
    clear = [row for row in tested if row.p_adjusted is not None and row.p_adjusted < question.limit]
    if not clear:
        return Finding(_("It was not shown that differences of systems depend on a feature"), criterion=question.name)
    names = list(dict.fromkeys(_feature(row) for row in clear))
    start = _("Differences of systems depend on %(features)s") % {"features": listed(names)}
    return Finding(start, criterion=question.name)


def _feature(row: ResultRow) -> str:
    return f"“{(row.settings or {}).get('feature', '')}”"
