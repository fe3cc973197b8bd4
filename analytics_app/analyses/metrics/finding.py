"""The finding that the tests of systems by composite scores support."""

from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.show.comparisons import Compared, Comparison, Verb
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import StoredRows

_COMPARISON = Comparison(
    analysis="metrics",
    level="metric_mean",
    tested="metric_difference",
    measure=gettext_lazy("Mean of the metric"),
    pair_measure=gettext_lazy("Difference of two systems by the metric"),
    verbs={"": Verb(gettext_lazy("scores higher than"), gettext_lazy("score higher than"))},
    has_raters=False,
)


@finding_of("metrics", "metric_mean", "metric_difference", order=60, beside=True)
def metrics(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about differences of systems by the one composite score, shown beside that of ratings."""
    compared = {str(row.metric) for row in rows.of("metric_difference") if (row.settings or {}).get("composite")}
    if len(compared) != 1:
        return None
    (name,) = compared
    own = RowIndex([row for row in rows.rows if row.metric == name])
    comparison = Compared.of(_COMPARISON, own, question.limit)
    if comparison is None or not comparison.tested:
        return None
    finding = comparison.finding(replace(question, name=""))
    by = _("By the composite score “%(name)s”") % {"name": name}
    start = finding.start[:1].lower() + finding.start[1:] if finding.start.startswith(_("No ")) else finding.start
    return replace(finding, start=f"{by}, {start}", criterion="")
