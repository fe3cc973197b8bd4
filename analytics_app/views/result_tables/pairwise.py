"""Tables of pairwise preferences: pairs, strengths, sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views.result_tables._comparisons import (
    Parts,
    Shown,
    digits,
    interval,
    items,
    p,
    p_below,
    ranks,
    ratings,
    share,
    share_ends,
    whole,
)
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Table


@tables_of("pairwise")
def pairwise(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield pairs first, then strengths, then the side that was chosen."""
    parts = Parts(rows)
    columns = [
        Shown(_("Comparisons"), "win_rate_half", ratings),
        Shown(_("Wins"), "pair_wins", whole),
        Shown(_("Losses"), "pair_losses", whole),
        Shown(_("Ties"), "pair_ties", whole),
        Shown(_("Both bad"), "pair_both_bad", whole),
        Shown(_("Win rate"), "win_rate_half", share),
        Shown(_("Interval"), "win_rate_half", share_ends),
        Shown(_("Adjusted p"), "win_rate", p_below(limit)),
        Shown(_("p"), "win_rate", p),
        Shown(_("Items"), "win_rate_half", items),
        Shown(_("Without ties"), "win_rate", share),
        Shown(_("Interval without ties"), "win_rate", share_ends),
    ]
    yield from parts.by_pair(_("Preferences by pair (ties count half)"), columns, lead="win_rate_half", sign=_("over"))
    strengths = [
        Shown(_("Comparisons"), "bt_strength", ratings),
        Shown(_("Strength (log)"), "bt_strength", digits(2)),
        Shown(_("Interval"), "bt_strength", interval(2)),
        Shown(_("Rank"), "bt_rank", whole),
        Shown(_("Rank range"), "bt_rank", ranks),
    ]
    yield from parts.by_system(_("Bradley-Terry strengths"), strengths, lead="bt_strength", also="bt_placed")
    yield from parts.facts(_("Sides and ties"), {"left_share": digits(2), "bt_log_ties": digits(2)})
    yield from parts.part_by_part(_("Preferences by subset"), limit)
