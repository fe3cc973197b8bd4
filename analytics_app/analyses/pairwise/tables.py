"""Tables of pairwise preferences: pairs, strengths, sides."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, interval, items, p, p_below, ranks, ratings, share, share_interval, whole
from analytics_app.show.shown import Rows, Shown, by_pair, by_system, facts, subsets, tables_of
from analytics_app.show.table import Table


@tables_of("pairwise")
def pairwise(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield pairs first, then strengths, then the side that was chosen."""
    crossed = rows.whole.has("win_rate_crossed")
    columns = [
        Shown(_("Comparisons"), "win_rate_half", ratings),
        *(_crossed(limit) if crossed else []),
        Shown(_("Wins"), "pair_wins", whole),
        Shown(_("Losses"), "pair_losses", whole),
        Shown(_("Ties"), "pair_ties", whole),
        Shown(_("Both bad"), "pair_both_bad", whole),
        Shown(_("Win rate, these raters") if crossed else _("Win rate"), "win_rate_half", share),
        Shown(_("Interval, these raters") if crossed else _("Interval"), "win_rate_half", share_interval),
        Shown(_("Adjusted p, these raters") if crossed else _("Adjusted p"), "win_rate", p_below(limit)),
        Shown(_("p, these raters") if crossed else _("p"), "win_rate", p),
        Shown(_("Items"), "win_rate_half", items),
        Shown(_("Without ties"), "win_rate", share),
        Shown(_("Interval without ties"), "win_rate", share_interval),
    ]
    caption = _("Preferences by pair (ties count half; the sign test leaves them out)")
    yield from by_pair(
        rows.whole, caption, columns, lead="win_rate_crossed" if crossed else "win_rate_half", sign=_("over")
    )
    strengths = [
        Shown(_("Comparisons"), "bt_strength", ratings),
        Shown(_("Strength (log)"), "bt_strength", digits(2)),
        Shown(_("For further texts and raters"), "bt_strength_crossed", interval(2)),
        Shown(_("Interval, these raters") if crossed else _("Interval"), "bt_strength", interval(2)),
        Shown(_("Rank"), "bt_rank", whole),
        Shown(_("Rank range"), "bt_rank", ranks),
    ]
    yield from by_system(rows.whole, _("Bradley-Terry strengths"), strengths, lead="bt_strength", also="bt_placed")
    yield from facts(rows.whole, _("Sides and ties"), {"left_share": digits(2), "bt_log_ties": digits(2)})
    yield from subsets(rows, limit, _("Preferences by subset"))


def _crossed(limit: float) -> list[Shown]:
    """Return the columns of shares of wins with raters and items both random."""
    return [
        Shown(_("Win rate"), "win_rate_crossed", share),
        Shown(_("For further texts and raters"), "win_rate_crossed", share_interval),
        Shown(_("Adjusted p"), "win_rate_crossed", p_below(limit)),
        Shown(_("p"), "win_rate_crossed", p),
    ]
