"""The finding that the tests of differences by feature support."""

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed, tests_of
from analytics_app.show.shown import StoredRows


@finding_of("features", "feature_contrast", order=60)
def features(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the features on which differences between systems depend."""
    tested = tests_of(rows, "feature_contrast")
    if not tested:
        return None
    clear = question.clear(tested)
    if not clear:
        return Finding(_("It was not shown that differences of systems depend on a feature"), criterion=question.name)
    names = list(dict.fromkeys(_feature(row) for row in clear))
    start = _("Differences of systems depend on %(features)s") % {"features": listed(names)}
    return Finding(start, criterion=question.name)


def _feature(row: ResultRow) -> str:
    return f"“{(row.settings or {}).get('feature', '')}”"
