"""Rankings: mean ranks, first places, pairs, agreement, and Plackett-Luce strengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Filters, Rows, Sample
from analytics_app.analyses.pairwise import placed_row
from analytics_app.analyses.ranking.start_order import start_order
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import Bootstrap, bootstrap
from analytics_app.analyses.shared.outputs import RATERS_NEEDED
from analytics_app.analyses.shared.pairs import SHARED, Together, chosen_pairs
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.friedman import concordance, friedman, mid_ranks
from analytics_app.stats.comparison.means import group_means, group_medians
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.comparison.win_rates import WinRate, win_rates
from analytics_app.stats.estimate import joined
from analytics_app.stats.ranking.pairs_within import pairs_within
from analytics_app.stats.ranking.plackett_luce import plackett_luce
from tasks_app.task_types.base import Scale

FEW_RATERS = f"Fewer than {RATERS_NEEDED} raters: this interval is rough."
UNEQUAL = "Screens held {least} to {most} systems, so mean ranks depend on which ones a system stood beside."
TIES = "Rankings with ties count as their pairs, a tie as half a win of both: {n:,} of {all:,}."
SPLIT = (
    "Each screen had some of the systems of an item, and this test needs items whose systems were ranked together. "
    "Plackett-Luce and TrueSkill compare all systems."
)
IMPLIED = "Pairs that one ranking implies are not independent; the test is over items."


@register
class Ranking(Analysis):
    """Rankings of systems by their places, pair by pair, and by the model of Plackett and Luce.

    Ranks are mid-ranks within a screen: texts that tie share the mean of their places, and so do systems that
    produced one text. Intervals are over items; pairs are tested by an exact sign test over items.
    """

    label = _("Rankings")
    summary = _("Mean rank and first places of each system, pairs, agreement, and Plackett-Luce strengths.")
    source = (
        "Kendall and Gibbons (1990). Rank Correlation Methods. Friedman (1937). The use of ranks. JASA 32, 675-701. "
        "Plackett (1975). The analysis of permutations. Applied Statistics 24(2), 193-202."
    )
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"ranking"})
    statistics = {
        "rank_mean": _("Mean rank"),
        "rank_mean_over_raters": _("Mean rank, interval over raters"),
        "rank_median": _("Median rank"),
        "first_share": _("Share of first places"),
        "ranked_above": _("Ranked above"),
        "ranked_below": _("Ranked below"),
        "ranked_level": _("Tied"),
        "ranked_above_half": _("Ranked above, ties half"),
        "concordance_w": _("Kendall's W, mean over items"),
        "friedman_chi2": _("Friedman's chi-square"),
        "pl_strength": _("Plackett-Luce strength"),
        "pl_rank": _("Rank by Plackett-Luce strength, with its range"),
        "pl_placed": _("Systems connected by rankings"),
        "start_order_r": _("Correlation of rank with the starting position"),
        "rank_by_start": _("Mean rank by starting position"),
    }

    Settings = Filters

    def of_pairs(self, sample: Sample, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the leading row of a pair of systems is called."""
        return {"statistic": "ranked_above_half"}

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the rows of systems, pairs, agreement, strengths and start order."""
        taken = Together.of(sample, by="screen")
        if not len(taken.systems):
            return
        make = Rows(self.name, sample)
        ranks = mid_ranks(-taken.value, taken.group)
        yield from _systems(make, taken, ranks)
        if len(taken.systems) > 1:
            yield from _of_pairs(make, taken)
            yield from _agreement(make, taken, ranks)
            yield from _strengths(make, taken, ranks)
        yield from start_order(make)


def _systems(make: Rows, taken: Together, ranks: Floats) -> Iterator[Row]:
    n = len(taken.systems)
    _groups, sizes = np.unique(taken.group, return_counts=True)
    unequal = UNEQUAL.format(least=sizes.min(), most=sizes.max()) if sizes.min() < sizes.max() else None
    shared = SHARED.format(n=f"{taken.n_shared:,}") if taken.n_shared else None
    over: tuple[tuple[str, Floats, NDArray[Any], str], ...] = (
        ("rank_mean", ranks, taken.cluster, taken.unit),
        ("rank_mean_over_raters", ranks, taken.rater, "raters"),
        ("first_share", _tops(taken, ranks), taken.cluster, taken.unit),
    )
    for name, values, clusters, unit in over:
        drawn = bootstrap(make.sample, f"ranks over {unit}", unit)
        found = group_means(values, taken.system, clusters, n_groups=n, **drawn.options)
        for code, one in enumerate(found):
            counts: dict[str, Any] = taken.counts(code)
            few = unit == "raters" and counts["n_raters"] < RATERS_NEEDED
            yield make.row(
                name,
                one,
                system=taken.systems[code],
                by_system=True,
                note=joined(one.note, FEW_RATERS if few else None, unequal, shared),
                settings={
                    "ties": "shared" if name == "first_share" else "mid-ranks",
                    **drawn.said,
                },
                **counts,
            )
    for code, median in enumerate(group_medians(ranks, taken.system, n).tolist()):
        about: dict[str, Any] = taken.counts(code)
        yield make.row("rank_median", value=median, system=taken.systems[code], by_system=True, **about)


def _tops(taken: Together, ranks: Floats) -> Floats:
    """Return for each entry its share of the first place of its screen."""
    _known, place = np.unique(taken.group, return_inverse=True)
    least = np.full(int(place.max()) + 1, np.inf)
    np.minimum.at(least, place, ranks)
    first = ranks == least[place]
    share: Floats = first / np.bincount(place[first], minlength=len(least))[place]
    return share


def _of_pairs(make: Rows, taken: Together) -> Iterator[Row]:
    common = make.sample.common
    pairs = chosen_pairs(taken.systems, common.pairs)
    drawn = bootstrap(make.sample, "ranked pairs", taken.unit)
    found = _win_rates(taken, pairs, drawn)
    found = [one for one in found if one.rate_half.value is not None]
    adjusted = adjust([one.rate.p for one in found], common.correction)
    for one, p in zip(found, adjusted, strict=True):
        total = one.wins + one.losses + one.ties
        about: dict[str, Any] = {
            "system": taken.systems[one.a],
            "system_b": taken.systems[one.b],
            "by_system": True,
            "n_ratings": total,
            "n_items": one.rate_half.n_items,
            "n_raters": len(np.unique(taken.rater)),
        }
        for name, count in (("ranked_above", one.wins), ("ranked_below", one.losses), ("ranked_level", one.ties)):
            yield make.row(name, value=count / total, **about)
        yield make.row(
            "ranked_above_half",
            one.rate_half,
            **about,
            p=one.rate.p,
            p_adjusted=p,
            note=joined(one.rate_half.note, IMPLIED),
            settings={
                "ties": "one half",
                **drawn.said,
                "test": f"exact sign test over {taken.unit}: {one.items_won} to {one.items_lost}",
                "correction": common.correction,
                "family": f"{len(found)} pairs of one criterion",
            },
        )


def _win_rates(taken: Together, pairs: list[tuple[int, int]], drawn: Bootstrap) -> tuple[WinRate, ...] | list[WinRate]:
    """Count every pair that stood on one screen."""
    steps = list(pairs_within(taken.group))
    if not steps or not pairs:
        return []
    one, other = (np.concatenate(column) for column in zip(*steps, strict=True))
    return win_rates(
        taken.system[one],
        taken.system[other],
        np.sign(taken.value[one] - taken.value[other]).astype(np.intp),
        taken.cluster[one],
        pairs,
        **drawn.options,
    ).pairs


def _agreement(make: Rows, taken: Together, ranks: Floats) -> Iterator[Row]:
    """Yield Kendall's W and Friedman's test."""
    drawn = bootstrap(make.sample, "concordance", taken.unit)
    blocks = _blocks(taken)
    is_split = len(np.unique(blocks)) > len(np.unique(taken.item))
    w = concordance(
        ranks,
        taken.group,
        taken.system,
        blocks,
        clusters=taken.cluster,
        **drawn.options,
    )
    n_raters = len(np.unique(taken.rater))
    n_items = len(np.unique(taken.item)) if is_split and w.value is not None else None
    yield make.row("concordance_w", w, n_items=n_items, n_raters=n_raters, settings={"ties": "corrected", **drawn.said})
    about: dict[str, Any] = {
        "n_raters": n_raters,
        # Whether systems differ at all is what stays hidden while the study is open.
        "by_system": True,
        "settings": {
            "blocks": f"{taken.unit}, by mean rank over raters",
            "ties": "corrected",
            "test": "Friedman's chi-square",
        },
    }
    if is_split:
        yield make.row("friedman_chi2", note=SPLIT, **about)
        return
    matrix, _items = item_means(ranks, taken.system, taken.cluster, len(taken.systems))
    yield make.row("friedman_chi2", friedman(matrix), **about)


def _blocks(taken: Together) -> NDArray[np.int64]:
    """Return for each entry the systems of its item that were ranked together: one code for an item, unless split.

    Systems that no chain of rankings connects stood on different screens.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  takes long to load, and only a run needs it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    if not len(taken.group):
        return taken.item
    _known, ranking = np.unique(taken.group, return_inverse=True)
    _cells, cell = np.unique(taken.item * len(taken.systems) + taken.system, return_inverse=True)
    first_cell = int(ranking.max()) + 1
    n_nodes = first_cell + int(cell.max()) + 1
    graph = coo_array((np.ones(len(cell)), (ranking, first_cell + cell)), shape=(n_nodes, n_nodes))
    _n, component = connected_components(graph, directed=False)
    of_entry: NDArray[np.int64] = component[ranking].astype(np.int64)
    return of_entry


def _strengths(make: Rows, taken: Together, ranks: Floats) -> Iterator[Row]:
    drawn = bootstrap(make.sample, "plackett-luce", taken.unit)
    found = plackett_luce(
        ranks,
        taken.group,
        taken.system,
        taken.cluster,
        len(taken.systems),
        **drawn.options,
    )
    tied, n_rankings = _tied(taken)
    note = TIES.format(n=tied, all=n_rankings) if tied else None
    said = {**drawn.said, "ties": "as pairs"}
    for code, key in enumerate(taken.systems):
        about: dict[str, Any] = {"system": key, "by_system": True, "settings": said, **taken.counts(code)}
        strength = found.strengths[code]
        yield make.row("pl_strength", strength, **about, note=joined(strength.note, note))
        yield make.row("pl_rank", found.ranks[code], **about)
    yield placed_row(make, "pl_placed", found, taken.systems, {"ties": "as pairs"})


def _tied(taken: Together) -> tuple[int, int]:
    """Return how many rankings have ties, and how many there are."""
    order = np.lexsort((taken.value, taken.group))
    group, value = taken.group[order], taken.value[order]
    same = (group[1:] == group[:-1]) & (value[1:] == value[:-1])
    return len(np.unique(group[1:][same])), len(np.unique(group))
