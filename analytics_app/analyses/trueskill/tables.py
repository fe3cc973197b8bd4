"""The table of TrueSkill: systems in clusters."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, interval, ranks, ratings, whole
from analytics_app.show.shown import Rows, Shown, by_system, subsets, tables_of
from analytics_app.show.table import Table


@tables_of("trueskill")
def trueskill(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield systems by their score: cluster, rank range, mu."""
    columns = [
        Shown(_("Cluster"), "trueskill_cluster", whole),
        Shown(_("Rank"), "trueskill_rank", whole),
        Shown(_("Rank range"), "trueskill_rank", ranks),
        Shown(_("Score (mu)"), "trueskill_mu", digits(2)),
        Shown(_("Range of runs"), "trueskill_mu", interval(2)),
        Shown(_("Ratings"), "trueskill_mu", ratings),
    ]
    yield from by_system(rows.whole, _("TrueSkill"), columns, lead="trueskill_mu")
    yield from subsets(rows, limit, _("TrueSkill by subset"))
