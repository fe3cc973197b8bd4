"""Tables of ways of scoring: the scores of systems, and how scores correlate."""

from collections.abc import Iterator

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from analytics_app.analyses.ways_of_scoring.ways import WAYS
from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.formats import digits, interval, p_adjusted
from analytics_app.show.shown import (
    Shown,
    StoredRows,
    by_system,
    general_table,
    lines_of,
    named,
    own,
    table_of,
    tables_of,
)
from analytics_app.show.table import Table

MOST_PAIRS = 200
CORRELATIONS = ("scoring_spearman", "scoring_pearson", "scoring_kendall")


@tables_of("ways_of_scoring")
def ways_of_scoring(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the scores of a criterion by every way, then correlations of ways, or of tasks and criteria."""
    whole = rows.whole
    ways = [way for way in whole.values("metric", "scoring_score") if way in WAYS]
    columns = [Shown(capfirst(str(WAYS[way])), "scoring_score", digits(2), where={"metric": way}) for way in ways]
    yield from by_system(whole, _("Systems by ways of scoring"), columns, lead="scoring_score") if columns else ()
    yield from _correlations(whole, limit)
    yield from general_table(rows.parts, limit, caption=_("Ways of scoring on parts of the texts"))


def _correlations(rows: StoredRows, limit: float) -> Iterator[Table]:
    correlations = rows.of(*CORRELATIONS)
    if not any(row.value is not None for row in correlations):
        return
    by = ("label", "metric", "metric_b")
    between = any(row.label for row in correlations)
    columns = [
        *([named(_("Scores of"), _compared)] if between else []),
        named(_("Scored by"), _ways),
        Shown(_("Spearman's rho"), CORRELATIONS[0], digits(2)),
        Shown(_("Interval"), CORRELATIONS[0], interval(2)),
        Shown(_("Adjusted p"), CORRELATIONS[0], p_adjusted(limit)),
        Shown(_("Pearson's r"), CORRELATIONS[1], digits(2)),
        Shown(_("Kendall's tau-b"), CORRELATIONS[2], digits(2)),
        own(_("Systems"), lambda row: cells.whole(row.n_ratings if row else None)),
    ]
    caption = (
        _("Correlations over systems between tasks and criteria")
        if between
        else _("Correlations over systems between ways of scoring")
    )
    more = _("Further pairs in the file of results: %(n)s.")
    lines = lines_of(correlations, *by)
    yield from table_of(rows, caption, columns, lines, by=by, most=MOST_PAIRS, more=more, used_only=True)


def _compared(row: ResultRow) -> object:
    """Name the two criteria, with their tasks where these are two."""
    settings = row.settings or {}
    return f"{settings['a']} – {settings['b']}" if "a" in settings else row.label


def _ways(row: ResultRow) -> str:
    """Name the two ways of scoring, or the one that both have."""
    ways = dict.fromkeys(str(WAYS.get(way or "", way)) for way in (row.metric, row.metric_b))
    return " – ".join(ways)
