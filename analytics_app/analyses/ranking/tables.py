"""Tables of rankings: systems, pairs, agreement and start order."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, interval, items, p, p_below, ranks, ratings, share, share_interval, whole
from analytics_app.show.shown import Shown, StoredRows, by_pair, by_system, facts, subsets, tables_of
from analytics_app.show.table import Table


@tables_of("ranking")
def ranking(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield systems by their mean rank, then pairs, then agreement and start order."""
    crossed = rows.whole.has("ranked_above_half_crossed")
    columns = [
        Shown(_("Rankings"), "rank_mean", ratings),
        Shown(_("Mean rank"), "rank_mean", digits(2)),
        Shown(_("For further texts and raters"), "rank_mean_crossed", interval(2)),
        Shown(_("Over items"), "rank_mean", interval(2)),
        Shown(_("Over raters"), "rank_mean_over_raters", interval(2)),
        Shown(_("Median rank"), "rank_median", digits(1)),
        Shown(_("First places"), "first_share", share),
        Shown(_("Interval"), "first_share", share_interval),
    ]
    yield from by_system(rows.whole, _("Rankings"), columns, lead="rank_mean", lowest_first=True)
    pairs = [
        Shown(_("Rankings"), "ranked_above_half", ratings),
        *(_crossed(limit) if crossed else []),
        Shown(_("First above second"), "ranked_above", share),
        Shown(_("Tied"), "ranked_level", share),
        Shown(_("First below second"), "ranked_below", share),
        Shown(_("Above, these raters") if crossed else _("Above, ties half"), "ranked_above_half", share),
        Shown(_("Interval, these raters") if crossed else _("Interval"), "ranked_above_half", share_interval),
        Shown(_("Adjusted p, these raters") if crossed else _("Adjusted p"), "ranked_above_half", p_below(limit)),
        Shown(_("p, these raters") if crossed else _("p"), "ranked_above_half", p),
        Shown(_("Items"), "ranked_above_half", items),
    ]
    yield from by_pair(rows.whole, _("Rankings by pair"), pairs, lead="ranked_above_half", sign="–")
    strengths = [
        Shown(_("Rankings"), "pl_strength", ratings),
        Shown(_("Strength (log)"), "pl_strength", digits(2)),
        Shown(_("Interval"), "pl_strength", interval(2)),
        Shown(_("Rank"), "pl_rank", whole),
        Shown(_("Rank range"), "pl_rank", ranks),
    ]
    yield from by_system(rows.whole, _("Plackett-Luce strengths"), strengths, lead="pl_strength", also="pl_placed")
    numbers = dict.fromkeys(("concordance_w", "friedman_chi2", "start_order_r", "rank_by_start"), digits(2))
    yield from facts(rows.whole, _("Agreement, and the order at the start"), numbers)
    yield from subsets(rows, limit, _("Rankings by subset"))


def _crossed(limit: float) -> list[Shown]:
    """Return the columns of pairs with raters and items both random."""
    return [
        Shown(_("Above, ties half"), "ranked_above_half_crossed", share),
        Shown(_("For further texts and raters"), "ranked_above_half_crossed", share_interval),
        Shown(_("Adjusted p"), "ranked_above_half_crossed", p_below(limit)),
        Shown(_("p"), "ranked_above_half_crossed", p),
    ]
