"""Ways of scoring systems from the same ratings, and their scores in resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Common, Sample, Words
from analytics_app.ratings import Floats, Mask
from analytics_app.stats.ranking.pairs_within import pair_totals, won_shares
from analytics_app.stats.ranking.trueskill_wmt import Comparisons, ranked_together
from analytics_app.stats.resampling.bootstrap import weights
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.task_types.base import Scale

# The ways, in the order in which they are shown.
WAYS: dict[str, Words] = {
    "mean": _("mean rating"),
    "mean_z": _("mean z"),
    "geometric_mean": _("geometric mean"),
    "log_mean_z": _("mean z of logs"),
    "comparisons_won": _("share of comparisons won"),
    "trueskill": _("TrueSkill score"),
}
# What a criterion is usually reported by, which is compared with other tasks and criteria.
LEADING = {Scale.RATIO: "geometric_mean"}
# Raters who saw fewer systems than this, by their median, cannot tell systems apart by z.
FEW_SYSTEMS_SEEN = 1


@dataclass(frozen=True, slots=True)
class Entries:
    """Ratings of one criterion in one task, one for each output that a rating counts for; higher is better.

    `system`, `item` and `rater` are codes of the study, `screen` is the judgment.
    """

    task: str
    criterion: str
    scale: Scale
    value: Floats
    z: Floats
    rater: NDArray[Any]
    system: NDArray[Any]
    item: NDArray[Any]
    screen: NDArray[Any]

    @property
    def lead(self) -> str:
        """The way by which the criterion is usually reported."""
        return LEADING.get(self.scale, "mean")

    def where(self, mask: Mask) -> Entries:
        """Return some of the ratings."""
        columns = (self.value, self.z, self.rater, self.system, self.item, self.screen)
        return Entries(self.task, self.criterion, self.scale, *(column[mask] for column in columns))

    @property
    def tells_systems_apart(self) -> bool:
        """Whether raters saw several systems, without which z means nothing."""
        if not len(self.rater):
            return False
        pairs = np.unique(np.column_stack([self.rater, self.system]), axis=0)
        return bool(np.median(np.unique(pairs[:, 0], return_counts=True)[1]) > FEW_SYSTEMS_SEEN)

    @property
    def together(self) -> NDArray[np.int64]:
        """Which ratings are compared: those of one screen if screens have several systems, else of a rater and item."""
        screens = np.unique(np.column_stack([self.screen, self.system]), axis=0)[:, 0]
        if len(screens) > len(np.unique(screens)):
            return self.screen.astype(np.int64)
        group: NDArray[np.int64] = self.rater.astype(np.int64) * (int(self.item.max(initial=0)) + 1) + self.item
        return group


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all systems of the study by one way, NaN where a system has none.

    `drawn` has the scores in resamples of items, shape (n_resamples, n_systems); None for a way that is not computed
    again in resamples. `n` counts the ratings of each system, `n_clusters` what is drawn.
    """

    way: str
    value: Floats
    drawn: Floats | None
    n: NDArray[np.int64]
    n_clusters: int


def scores_of(
    several: Sequence[Entries], sample: Sample, place_of_item: NDArray[np.int64], chosen: Sequence[str], *, n_runs: int
) -> list[list[Scores]]:
    """Return the scores of each criterion by every way that fits its ratings.

    `place_of_item` is the code of what an item of the study is drawn with, -1 for items that are not drawn. All ways,
    criteria and tasks share the resamples.
    """
    compared = [_Compared.of(entries, sample, chosen) for entries in several]
    scores = [
        list(_drawn_scores(entries, comparisons, sample, place_of_item, chosen))
        for entries, comparisons in zip(several, compared, strict=True)
    ]
    if "trueskill" in chosen:
        for place, mu in _trueskill(several, compared, sample, n_runs):
            counts, n_clusters = _counted(several[place], sample, place_of_item)
            scores[place].append(Scores("trueskill", mu, None, counts, n_clusters))
    return scores


@dataclass(frozen=True, slots=True)
class _Compared:
    """The comparisons of the systems of one criterion: which ratings are compared, and how often each system won."""

    group: NDArray[np.int64]
    wins: Floats
    ties: Floats

    @classmethod
    def of(cls, entries: Entries, sample: Sample, chosen: Sequence[str]) -> _Compared | None:
        """Return the comparisons, or None if there are none or no chosen way uses them."""
        if {"comparisons_won", "trueskill"}.isdisjoint(chosen) or not len(entries.value):
            return None
        group = np.unique(entries.together, return_inverse=True)[1].ravel()
        wins, ties = pair_totals(entries.value, group, entries.system, len(sample.table.names.systems))
        return cls(group, wins, ties) if wins.any() or ties.any() else None


def _counted(entries: Entries, sample: Sample, place_of_item: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the number of ratings of each system, and the number of units that are drawn."""
    counts = np.bincount(entries.system, minlength=len(sample.table.names.systems)).astype(np.int64)
    return counts, int(place_of_item.max(initial=-1)) + 1


def _drawn_scores(
    entries: Entries,
    compared: _Compared | None,
    sample: Sample,
    place_of_item: NDArray[np.int64],
    chosen: Sequence[str],
) -> Iterator[Scores]:
    """Yield the scores by the ways that are computed again in resamples."""
    counts, n_clusters = _counted(entries, sample, place_of_item)
    place, n_systems = place_of_item[entries.item], counts.size
    for way, values, logs in _averages(entries, sample.common):
        if way in chosen and not np.isnan(values).all():
            sums, times = _by_cluster(values, place, entries.system, (n_clusters, n_systems))
            yield _averaged(way, sums, times, sample, counts, logs=logs)
    if "comparisons_won" in chosen and compared is not None:
        sums, times = won_shares(entries.value, compared.group, entries.system, place, n_systems, n_clusters)
        yield _averaged("comparisons_won", sums, times, sample, counts)


def _averages(entries: Entries, common: Common) -> Iterator[tuple[str, Floats, bool]]:
    """Yield each way that is a mean over ratings, its values, and whether they are logarithms that are taken back."""
    yield "mean", entries.value, False
    apart = entries.tells_systems_apart
    if apart:
        yield "mean_z", entries.z, False
    if entries.scale is Scale.RATIO:
        positive = entries.value > 0
        logs = np.full(len(entries.value), np.nan)
        logs[positive] = np.log(entries.value[positive])
        yield "geometric_mean", logs, True
        if apart:
            yield "log_mean_z", judge_wise_z(logs, entries.rater, **common.of_z).z, False


def _by_cluster(
    values: Floats, place: NDArray[Any], system: NDArray[Any], shape: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return sums and numbers of values, by cluster and system."""
    there = ~np.isnan(values)
    cell = place[there] * shape[1] + system[there]
    sums = np.bincount(cell, weights=values[there], minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    times = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    return sums, times


def _averaged(
    way: str, sums: Floats, times: Floats, sample: Sample, counts: NDArray[np.int64], *, logs: bool = False
) -> Scores:
    value = _ratio(sums.sum(axis=0), times.sum(axis=0))
    drawn = None
    if len(sums) > 1:
        n_resamples, n = sample.common.n_resamples, sums.shape[1]
        both = np.hstack([sums, times])
        chunks = weights(len(sums), n_resamples, sample.rng("ways of scoring"), width=2 * n)
        totals = np.concatenate([chunk.astype(np.float64) @ both for chunk in chunks])
        drawn = _ratio(totals[:, :n], totals[:, n:])
    if logs:
        value, drawn = np.exp(value), None if drawn is None else np.exp(drawn)
    return Scores(way, value, drawn, counts, len(sums))


def _ratio(sums: Floats, times: Floats) -> Floats:
    means: Floats = np.divide(sums, times, out=np.full(sums.shape, np.nan), where=times > 0)
    return means


def _trueskill(
    several: Sequence[Entries], compared: Sequence[_Compared | None], sample: Sample, n_runs: int
) -> Iterator[tuple[int, Floats]]:
    """Yield the place of each criterion with comparisons, and mu of each system, NaN if no comparison places it."""
    placed, comparisons = [], []
    for place, (entries, found) in enumerate(zip(several, compared, strict=True)):
        if found is None:
            continue
        systems = np.flatnonzero((found.wins + found.wins.T + found.ties).any(axis=0))
        square = np.ix_(systems, systems)
        rng = sample.rng(f"ways of scoring, TrueSkill, {entries.task}, {entries.criterion}")
        placed.append((place, systems))
        comparisons.append(Comparisons(found.wins[square], found.ties[square], rng))
    all_ranked = ranked_together(comparisons, n_runs=n_runs, confidence=sample.common.confidence)
    for (place, systems), ranked in zip(placed, all_ranked, strict=True):
        mu = np.full(len(sample.table.names.systems), np.nan)
        mu[systems] = [np.nan if skill.mu.value is None else skill.mu.value for skill in ranked.skills]
        yield place, mu
