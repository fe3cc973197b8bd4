"""Rankings: mean ranks, first places, pairs, agreement, and Plackett-Luce strengths."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.pairwise import placed_row
from analytics_app.analyses.ranking.further import further_raters
from analytics_app.analyses.ranking.start_order import start_order
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import Bootstrap, bootstrap
from analytics_app.analyses.shared.families import sign_test_notes
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.over_raters import rough, system_means_over_raters
from analytics_app.analyses.shared.pairs import SHARED, Together, chosen_pairs, names_of
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.friedman import concordance, friedman, mid_ranks
from analytics_app.stats.comparison.means import group_means, group_medians
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.comparison.win_rates import WinRate, win_rates
from analytics_app.stats.ranking.pairs_within import pairs_within
from analytics_app.stats.ranking.plackett_luce import plackett_luce
from analytics_app.stats.values import joined
from tasks_app.task_types.base import Scale

UNEQUAL = "Screens held {least} to {most} systems, so mean ranks depend on which ones a system stood beside."
TIES = "Rankings with ties count as their pairs, a tie as half a win of both: {n:,} of {all:,}."
SPLIT = (
    "Each screen had some of the systems of an item, and this test needs items whose systems were ranked together. "
    "Plackett-Luce and TrueSkill compare all systems."
)
IMPLIED = "Pairs that one ranking implies are not independent; the test is over items."


@register
class Ranking(FilteredAnalysis):
    """Rankings of systems by their places, pair by pair, and by the model of Plackett and Luce.

    Ranks are mid-ranks within a screen: texts that tie share the mean of their places, and so do systems that
    produced one text. Intervals are over items, and pairs are tested by an exact sign test over items;
    unless the plan says otherwise also with raters and items both random.
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
        "rank_mean_crossed": _("Mean rank, for further raters and texts"),
        "rank_median": _("Median rank"),
        "first_share": _("Share of first places"),
        "ranked_above": _("Ranked above"),
        "ranked_below": _("Ranked below"),
        "ranked_level": _("Tied"),
        "ranked_above_half": _("Share ranked above (ties half)"),
        "ranked_above_half_crossed": _("Share ranked above (ties half), for further raters and texts"),
        "concordance_w": _("Kendall's W, mean over items"),
        "friedman_chi2": _("Friedman's chi-square"),
        "pl_strength": _("Plackett-Luce strength"),
        "pl_rank": _("Rank by Plackett-Luce strength, with its range"),
        "pl_placed": _("Systems connected by rankings"),
        "start_order_r": _("Correlation of rank with the starting position"),
        "rank_by_start": _("Mean rank by starting position"),
    }

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "ranked_above_half"}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of systems, pairs, agreement, strengths and start order."""
        together = Together.of(sample, by="screen")
        if not len(together.systems):
            return
        make = Rows(self.name, sample)
        ranks = mid_ranks(-together.value, together.group)
        yield from _systems(make, together, ranks)
        if len(together.systems) > 1:
            yield from further_raters(make, together, ranks, _unequal(together))
            yield from _of_pairs(make, together)
            yield from _agreement(make, together, ranks)
            yield from _strengths(make, together, ranks)
        yield from start_order(make)


def _systems(make: Rows, together: Together, ranks: Floats) -> Iterator[Row]:
    n = len(together.systems)
    unequal = _unequal(together)
    shared = SHARED.format(n=f"{together.n_shared:,}") if together.n_shared else None
    over: tuple[tuple[str, Floats, NDArray[Any], str], ...] = (
        ("rank_mean", ranks, together.cluster, together.unit),
        ("rank_mean_over_raters", ranks, together.rater, "raters"),
        ("first_share", _tops(together, ranks), together.cluster, together.unit),
    )
    for name, values, clusters, unit in over:
        purpose = f"ranks over {unit}"
        if unit == "raters":
            means, interval = system_means_over_raters(
                make.sample, purpose, values, together.system, clusters, n_systems=n
            )
        else:
            drawn = bootstrap(make.sample, purpose, unit)
            means, interval = (
                group_means(values, together.system, clusters, n_groups=n, **drawn.options),
                drawn.settings,
            )
        for code, mean in enumerate(means):
            counts: dict[str, Any] = together.counts(code)
            few = rough(make.sample.common, counts["n_raters"]) if unit == "raters" else None
            yield make.row(
                name,
                mean,
                system=together.systems[code],
                note=joined(mean.note, few, unequal, shared),
                settings={
                    "ties": "shared" if name == "first_share" else "mid-ranks",
                    **interval,
                },
                **counts,
            )
    for code, median in enumerate(group_medians(ranks, together.system, n).tolist()):
        about: dict[str, Any] = together.counts(code)
        yield make.row("rank_median", value=median, system=together.systems[code], **about)


def _unequal(together: Together) -> str | None:
    """Return a note if screens held different numbers of systems."""
    _groups, sizes = np.unique(together.group, return_counts=True)
    return UNEQUAL.format(least=sizes.min(), most=sizes.max()) if sizes.min() < sizes.max() else None


def _tops(together: Together, ranks: Floats) -> Floats:
    """Return for each entry its share of the first place of its screen."""
    _known, place = np.unique(together.group, return_inverse=True)
    least = np.full(int(place.max()) + 1, np.inf)
    np.minimum.at(least, place, ranks)
    first = ranks == least[place]
    share: Floats = first / np.bincount(place[first], minlength=len(least))[place]
    return share


def _of_pairs(make: Rows, together: Together) -> Iterator[Row]:
    common = make.sample.common
    pairs = chosen_pairs(together.systems, common.pairs)
    drawn = bootstrap(make.sample, "ranked pairs", together.unit)
    results = _win_rates(together, pairs, drawn)
    results = [result for result in results if result.rate_half.value is not None]
    adjusted = adjust([result.rate.p for result in results], common.correction)
    for result, p in zip(results, adjusted, strict=True):
        total = result.wins + result.losses + result.ties
        about: dict[str, Any] = {
            **names_of(together.systems, result.a, result.b),
            "n_ratings": total,
            "n_items": result.rate_half.n_items,
            "n_raters": len(np.unique(together.rater)),
        }
        for name, count in (
            ("ranked_above", result.wins),
            ("ranked_below", result.losses),
            ("ranked_level", result.ties),
        ):
            yield make.row(name, value=count / total, **about)
        reason, few = sign_test_notes(common, result, together.unit)
        yield make.row(
            "ranked_above_half",
            result.rate_half,
            **about,
            p=result.rate.p,
            p_adjusted=p,
            note=joined(result.rate_half.note, reason, IMPLIED),
            settings={
                "ties": "one half",
                **few,
                **drawn.settings,
                "test": f"exact sign test over {together.unit}: {result.items_won} to {result.items_lost}",
                "correction": common.correction,
                "family": f"{len(results)} pairs of one criterion",
            },
        )


def _win_rates(
    together: Together, pairs: list[tuple[int, int]], drawn: Bootstrap
) -> tuple[WinRate, ...] | list[WinRate]:
    """Return the win rates of the pairs, from every two systems that were on one screen."""
    steps = list(pairs_within(together.group))
    if not steps or not pairs:
        return []
    first, second = (np.concatenate(column) for column in zip(*steps, strict=True))
    return win_rates(
        together.system[first],
        together.system[second],
        np.sign(together.value[first] - together.value[second]).astype(np.intp),
        together.cluster[first],
        pairs,
        **drawn.options,
    ).pairs


def _agreement(make: Rows, together: Together, ranks: Floats) -> Iterator[Row]:
    """Yield Kendall's W and Friedman's test."""
    drawn = bootstrap(make.sample, "concordance", together.unit)
    blocks = _blocks(together)
    is_split = len(np.unique(blocks)) > len(np.unique(together.item))
    w = concordance(
        ranks,
        together.group,
        together.system,
        blocks,
        clusters=together.cluster,
        **drawn.options,
    )
    n_raters = len(np.unique(together.rater))
    n_items = len(np.unique(together.item)) if is_split and w.value is not None else None
    yield make.row(
        "concordance_w", w, n_items=n_items, n_raters=n_raters, settings={"ties": "corrected", **drawn.settings}
    )
    about: dict[str, Any] = {
        "n_raters": n_raters,
        # A difference between systems stays hidden while the study is open.
        "by_system": True,
        "settings": {
            "blocks": f"{together.unit}, by mean rank over raters",
            "ties": "corrected",
            "test": "Friedman's chi-square",
        },
    }
    if is_split:
        yield make.row("friedman_chi2", note=SPLIT, **about)
        return
    matrix, _items = item_means(ranks, together.system, together.cluster, len(together.systems))
    yield make.row("friedman_chi2", friedman(matrix), **about)


def _blocks(together: Together) -> NDArray[np.int64]:
    """Return for each entry a code of the systems of its item that were ranked together: one per item, unless split.

    Systems that no chain of rankings connects were on different screens. Codes follow the items, so that sums over
    blocks have the same last digit as sums over items where nothing is split.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415  takes long to load, and only a run needs it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    if not len(together.group):
        return together.item
    _known, ranking = np.unique(together.group, return_inverse=True)
    _cells, cell = np.unique(together.item * len(together.systems) + together.system, return_inverse=True)
    first_cell = int(ranking.max()) + 1
    n_nodes = first_cell + int(cell.max()) + 1
    graph = coo_array((np.ones(len(cell)), (ranking, first_cell + cell)), shape=(n_nodes, n_nodes))
    n_components, component = connected_components(graph, directed=False)
    _blocks_in_order, of_entry = np.unique(together.item * n_components + component[ranking], return_inverse=True)
    return of_entry


def _strengths(make: Rows, together: Together, ranks: Floats) -> Iterator[Row]:
    drawn = bootstrap(make.sample, "plackett-luce", together.unit)
    model = plackett_luce(
        ranks,
        together.group,
        together.system,
        together.cluster,
        len(together.systems),
        **drawn.options,
    )
    tied, n_rankings = _tied(together)
    note = TIES.format(n=tied, all=n_rankings) if tied else None
    settings = {**drawn.settings, "ties": "as pairs"}
    for code, key in enumerate(together.systems):
        about: dict[str, Any] = {"system": key, "settings": settings, **together.counts(code)}
        strength = model.strengths[code]
        yield make.row("pl_strength", strength, **about, note=joined(strength.note, note))
        yield make.row("pl_rank", model.ranks[code], **about)
    yield placed_row(make, "pl_placed", model, together.systems, {"ties": "as pairs"}, _wins(together, ranks))


def _wins(together: Together, ranks: Floats) -> Floats:
    """Return how often the system of a row was ranked above that of a column on one screen."""
    n = len(together.systems)
    wins: Floats = np.zeros((n, n))
    for first, second in pairs_within(together.group):
        above = np.where(ranks[first] < ranks[second], first, second)
        below = np.where(ranks[first] < ranks[second], second, first)
        apart = ranks[first] != ranks[second]
        np.add.at(wins, (together.system[above[apart]], together.system[below[apart]]), 1)
    return wins


def _tied(together: Together) -> tuple[int, int]:
    """Return the number of rankings with ties, and of all rankings."""
    order = np.lexsort((together.value, together.group))
    group, value = together.group[order], together.value[order]
    tied = (group[1:] == group[:-1]) & (value[1:] == value[:-1])
    return len(np.unique(group[1:][tied])), len(np.unique(group))
