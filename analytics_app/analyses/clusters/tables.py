"""Tables of clusters by WMT's rank-sum tests."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.analyses.clusters import SECOND_HIGHER
from analytics_app.models import ResultRow
from analytics_app.show.cells import DASH, Cell, name
from analytics_app.show.formats import digits, items, p_below, ranks, whole
from analytics_app.show.shown import Rows, Shown, by_pair, by_system, subsets, tables_of
from analytics_app.show.table import Table


def tested(row: ResultRow | None) -> Cell:
    """Show the system of a pair that the one-sided test takes as the higher."""
    if row is None:
        return Cell(DASH)
    # Runs of versions that put the higher system first do not say it.
    second = (row.settings or {}).get("tested") == SECOND_HIGHER
    return name(_("second above first") if second else _("first above second"))


@tables_of("clusters")
def clusters(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield systems by their score over segments, and the test of each pair."""
    for kind, caption in (("z", _("Clusters by z (WMT)")), ("raw", _("Clusters by ratings (WMT)"))):
        columns = [
            Shown(_("Cluster"), f"cluster_{kind}", whole),
            Shown(_("Rank"), f"cluster_rank_{kind}", whole),
            Shown(_("Rank range"), f"cluster_rank_{kind}", ranks),
            Shown(_("Mean over segments"), f"segment_score_{kind}", digits(3)),
            Shown(_("Segments"), f"cluster_rank_{kind}", items),
        ]
        yield from by_system(rows.whole, caption, columns, lead=f"segment_score_{kind}")
        pairs = [
            Shown(_("Tested"), f"rank_sum_{kind}", tested),
            Shown(_("Rank-sum test, one-sided p"), f"rank_sum_{kind}", p_below(limit)),
        ]
        yield from by_pair(rows.whole, _("Rank-sum tests"), pairs, lead=f"rank_sum_{kind}", sign="–")
    yield from subsets(rows, limit, _("Clusters by subset"))
