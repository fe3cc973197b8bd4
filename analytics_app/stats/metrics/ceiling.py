"""Human ceiling of metrics: the statistics that judge a metric, between raters of the same texts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.metrics.grouped import grouped_correlations
from analytics_app.stats.metrics.metric_meta import over_systems, over_texts
from analytics_app.stats.metrics.tie_calibration import equal_accuracy
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed, settled

Kind = Literal["one", "half"]

# Raters who are compared with the others in turn; of more, this many are drawn.
MOST_RATERS = 50
# Random halves of the raters.
N_HALVES = 20

ALONE = "No text has ratings of two raters, so people cannot be compared with each other."
UNDEFINED = "In no comparison of raters is this defined: the scores are all the same, or there are too few texts."


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A statistic between people: its mean over comparisons, the lowest and the highest, and how many have a value.

    `estimate.n_ratings` is the median number of texts that a comparison has.
    """

    estimate: Estimate
    lowest: float | None = None
    highest: float | None = None
    n_comparisons: int = 0


def human_ceiling(
    values: ArrayLike,
    raters: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    *,
    n_systems: int,
    kind: Kind,
    rng: np.random.Generator,
) -> Mapping[str, Ceiling]:
    """Compare raters with the other raters of the same texts as a metric is compared with people [1]_.

    With `one`, each rater in turn stands where the metric stands: their ratings of a text against the mean of everybody
    else's ratings of it. With `half`, the raters are divided at random: the mean of one half against that of the other.
    A comparison takes the texts that have ratings on both sides. The value is the mean over comparisons.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings; NaN = not rated.
    raters, systems, items : array_like of int, shape (n,)
        Codes from 0. A text is a system's output for an item.
    n_systems : int
    kind : {"one", "half"}
        Of more than `MOST_RATERS` raters as many are drawn; there are `N_HALVES` divisions in halves.
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to Ceiling
        By the end of the metric's statistic: `pearson_texts`, `spearman_texts`, `kendall_texts`, `pearson_by_item`,
        `spearman_by_item`, `tau_b_by_item`, `acc_eq_by_item`, `pearson_systems`, `spearman_systems` and
        `pairwise_accuracy`. Only `pearson_texts`, with a note, if no text has two raters.

    Raises
    ------
    ValueError
        Columns of different lengths, or an unknown kind.

    References
    ----------
    .. [1] E. Agirre, D. Cer, M. Diab and A. Gonzalez-Agirre (2012). SemEval-2012 task 6: a pilot on semantic textual
       similarity. *SEM, 385-393; there each annotator is compared with the average of the others.

    Examples
    --------
    >>> found = human_ceiling(
    ...     [1, 2, 3, 1, 3, 2], [0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0] * 6,
    ...     n_systems=3, kind="one", rng=np.random.default_rng(1),
    ... )
    >>> round(found["pearson_texts"].estimate.value, 4), found["pearson_texts"].n_comparisons
    (0.5, 2)
    """
    if kind not in {"one", "half"}:
        raise ValueError(f"Raters are compared by one or by half, not {kind!r}.")
    ratings = checked_values(values)
    rater, system, item = (checked_codes(codes, ratings.size) for codes in (raters, systems, items))
    rated = ~np.isnan(ratings)
    shape = (int(item.max(initial=-1)) + 1, n_systems)
    of_rated = compressed(rater[rated])[1]
    cells = _Cells(ratings[rated], of_rated, (item * n_systems + system)[rated], shape)
    if not cells.shared:
        return {"pearson_texts": Ceiling(Estimate(None, note=ALONE))}
    found: dict[str, list[float]] = {}
    texts: list[int] = []
    names: dict[str, None] = {}
    for theirs, others in cells.ones(rng) if kind == "one" else cells.halves(rng):
        known = ~np.isnan(theirs + others)
        if not known.any():
            continue
        texts.append(int(known.sum()))
        for name, value in _statistics(theirs, others, known):
            names[name] = None
            if value is not None:
                found.setdefault(name, []).append(value)
    median = int(np.median(texts)) if texts else 0
    return {name: _ceiling(found.get(name, []), median) for name in names}


def _ceiling(values: list[float], n_texts: int) -> Ceiling:
    if not values:
        return Ceiling(Estimate(None, n_ratings=n_texts, note=UNDEFINED))
    mean = Estimate(float(np.mean(values)), n_ratings=n_texts)
    return Ceiling(mean, min(values), max(values), len(values))


def _statistics(theirs: Floats, others: Floats, known: NDArray[np.bool_]) -> Iterator[tuple[str, float | None]]:
    """Yield the statistics of a comparison of two tables of items by systems; `theirs` takes the metric's place."""
    options: dict[str, Any] = {
        "n_resamples": 0,
        "confidence": 0.95,
        "rng": np.random.default_rng(0),
    }  # nothing is drawn
    item = np.repeat(np.arange(len(theirs)), theirs.shape[1])[known.ravel()]
    texts = over_texts(others[known], theirs[known], np.unique(item, return_inverse=True)[1], **options)
    yield "pearson_texts", texts.pearson.value
    yield "spearman_texts", texts.spearman.value
    yield "kendall_texts", texts.third.value
    within = grouped_correlations(others, theirs, grouping="item", **options)
    yield "pearson_by_item", within.pearson.value
    yield "spearman_by_item", within.spearman.value
    yield "tau_b_by_item", within.kendall.value
    yield "acc_eq_by_item", equal_accuracy(others, theirs, grouping="item", digits=10, **options).calibrated.value
    systems = over_systems(others, theirs, **options)
    yield "pearson_systems", systems.pearson.value
    yield "spearman_systems", systems.spearman.value
    yield "pairwise_accuracy", systems.third.value


@dataclass(frozen=True, slots=True)
class _Cells:
    """Ratings in the cells of a table of items by systems; raters have codes without gaps."""

    value: Floats
    rater: Codes
    cell: Codes
    shape: tuple[int, int]

    @property
    def shared(self) -> bool:
        """Return whether a text has ratings of two raters."""
        if not self.rater.size:
            return False
        pairs = np.unique(np.column_stack([self.cell, self.rater]), axis=0)
        return bool(np.bincount(pairs[:, 0]).max() > 1)

    def ones(self, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """Yield the tables of each rater and of all others, of drawn raters where there are many."""
        n = int(self.rater.max()) + 1
        drawn = np.arange(n) if n <= MOST_RATERS else np.sort(rng.choice(n, MOST_RATERS, replace=False))
        for code in drawn:
            yield self._sides(self.rater == code)

    def halves(self, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """Yield the tables of random halves of the raters; of an odd number, the first half is the smaller one."""
        n = int(self.rater.max()) + 1
        for _division in range(N_HALVES):
            in_first = np.zeros(n, dtype=bool)
            in_first[rng.permutation(n)[: n // 2]] = True
            yield self._sides(in_first[self.rater])

    def _sides(self, chosen: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        return self._means(chosen), self._means(~chosen)

    def _means(self, chosen: NDArray[np.bool_]) -> Floats:
        size = self.shape[0] * self.shape[1]
        total = np.bincount(self.cell[chosen], weights=self.value[chosen], minlength=size)
        n = np.bincount(self.cell[chosen], minlength=size)
        means = np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
        # Means that differ by rounding only are tied, on either side.
        return settled(means).reshape(self.shape)
