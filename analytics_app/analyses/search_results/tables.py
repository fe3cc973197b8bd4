"""Tables of search results: precision and nDCG by system and cut-off, and pairs of systems."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.differences import differences
from analytics_app.show.formats import digits, interval, items, pair, percent, share_interval
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import MOST_ROWS, Shown, StoredRows, general_table, named, own, table_of, tables_of
from analytics_app.show.table import Table

STATISTICS = ("precision_at", "precision_at_crossed", "ndcg_at", "ndcg_at_crossed", "judged_at")


@tables_of("search_results")
def search_results(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a line for each system and cut-off, a line for each pair and cut-off, and the rows of subsets."""
    whole = rows.whole
    yield from _by_system(whole)
    yield from _pairs(whole, limit)
    yield from general_table(rows.parts, limit, caption=_("Search results by subset"))


def _first(row: ResultRow) -> str:
    """Return how many of the first results a row is about."""
    return str((row.settings or {}).get("cutoff", ""))


def _by_system(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("System"), lambda row: row.system),
        named(_("First results"), _first),
        own(_("Queries"), items),
        own(_("Precision"), percent(1)),
        own(_("Interval"), share_interval),
        Shown(_("For further queries and raters"), "precision_at_crossed", share_interval),
        Shown(_("nDCG"), "ndcg_at", digits(3)),
        Shown(_("Interval"), "ndcg_at", interval(3)),
        Shown(_("For further queries and raters"), "ndcg_at_crossed", interval(3)),
        Shown(_("Judged"), "judged_at", percent(0)),
    ]
    notes = notes_of(rows.of(*STATISTICS))
    yield from table_of(
        rows,
        _("Search results by system"),
        columns,
        rows.of("precision_at"),
        by=("system", "label"),
        notes=notes,
        used_only=True,
    )


def _pairs(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the comparisons of precision, then those of nDCG."""
    more = _("Further comparisons in the file of results: %(n)s.")
    for statistic, caption, measure in (
        ("precision_difference", _("Precision, pairs of systems"), _("Difference of precision")),
        ("ndcg_difference", _("nDCG, pairs of systems"), _("Difference of nDCG")),
    ):
        columns = [
            named(_("Pair"), pair("−")),
            named(_("First results"), _first),
            *differences(statistic, limit, measure, crossed=rows.has(f"{statistic}_crossed")),
            Shown(_("Queries"), statistic, items),
        ]
        by = ("system", "system_b", "label")
        yield from table_of(rows, caption, columns, rows.of(statistic), by=by, most=MOST_ROWS, more=more)
