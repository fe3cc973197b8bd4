"""Tables of best-worst scaling: systems, then reliability and balance."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, interval, ranks, whole
from analytics_app.show.shown import Rows, Shown, by_system, facts, others, subsets, tables_of
from analytics_app.show.table import Table


@tables_of("best_worst")
def best_worst(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield systems by their score, then how well halves agree and how evenly texts were shown."""
    columns = [
        Shown(_("Score"), "bw_score", digits(2)),
        Shown(_("Interval"), "bw_score", interval(2)),
        Shown(_("Rank"), "bw_rank", whole),
        Shown(_("Rank range"), "bw_rank", ranks),
        Shown(_("Times best"), "bw_best", whole),
        Shown(_("Times worst"), "bw_worst", whole),
        Shown(_("Times shown"), "bw_shown", whole),
    ]
    yield from by_system(rows.whole, _("Best-worst scores"), columns, lead="bw_score")
    reliability = {"bw_split_half": digits(2), "bw_split_half_spearman": digits(2)}
    balance = {"bw_least_shown": whole, "bw_most_shown": whole}
    yield from facts(rows.whole, _("Reliability and balance"), reliability | balance)
    yield from others(rows.whole, ("bw_text_score",), limit, _("Best-worst scores of texts"))
    yield from subsets(rows, limit, _("Best-worst scores by subset"))
