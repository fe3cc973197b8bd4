"""How often intervals hold the true value, in simulated studies: `python -m bench.coverage --studies 2000`.

A rating is quality of the item + difference of the system + system on this item + leniency of the rater + residual, all
normal, cut into steps from 1 to 5. Every rater judges every text. Intervals over items take the raters as they are, so
the panel of raters is the same in all studies, and the true value is that of the panel on very many items. ICC(1) has
new raters for every text and ICC(2) new ones for every study, as their models say. Every statistic is the product's.

Prints the table of docs/methods/intervals.md: for plain percentiles and for the default in how many of 100 studies the
interval held the true value; ICC has limits by equation, and so one number.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from analytics_app.stats.agreement.icc import icc_forms, icc_one_way
from analytics_app.stats.agreement.krippendorff import Level, krippendorff_alpha
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import paired
from analytics_app.stats.resampling.bootstrap import Adjusted
from analytics_app.stats.values import Estimate

Floats = NDArray[np.float64]
Rng = np.random.Generator

# Spread of the items, of a system on an item, of raters' leniency.
ITEM, SYSTEM_ITEM, RATER, DIFFERENCE = 0.9, 0.3, 0.3, 0.3
PLAIN, DEFAULT = 0.95, Adjusted(0.95)


@dataclass(frozen=True, slots=True)
class Kind:
    """A statistic: its name, how much of a rating is residual, and from ratings to estimates."""

    name: str
    residual: float
    estimate: Callable[[Floats, float, int, Rng], Estimate]
    panel: str = "the same"
    bootstrap: bool = True


def ratings(n_items: int, n_raters: int, kind: Kind, rng: Rng) -> Floats:
    """Return ratings of two systems, shape (2, n_items, n_raters)."""
    shape = (2, n_items, n_raters)
    quality = ITEM * rng.normal(size=(1, n_items, 1)) + SYSTEM_ITEM * rng.normal(size=(2, n_items, 1))
    if kind.panel == "the same":
        leniency = RATER * ndtri((np.arange(n_raters) + 0.5) / n_raters).reshape(1, 1, n_raters)
    else:
        leniency = RATER * rng.normal(size=(1, n_items if kind.panel == "by text" else 1, n_raters))
    shift = np.array([0.0, DIFFERENCE]).reshape(2, 1, 1)
    latent = 3.3 + shift + quality + leniency + kind.residual * rng.normal(size=shape)
    steps: Floats = np.clip(np.round(latent), 1, 5)
    return steps


def mean(ratings: Floats, confidence: float, n_resamples: int, rng: Rng) -> Estimate:
    """Return the mean of a system."""
    _systems, n, k = ratings.shape
    return group_means(
        ratings[0].ravel(), np.zeros(n * k, dtype=int), np.repeat(np.arange(n), k),
        n_groups=1, n_resamples=n_resamples, confidence=confidence, rng=rng,
    )[0]  # fmt: skip


def difference(ratings: Floats, confidence: float, n_resamples: int, rng: Rng) -> Estimate:
    """Return the difference of two systems."""
    matrix = ratings.mean(axis=2).T
    pairs = paired(matrix, [(1, 0)], n_resamples=n_resamples, n_permutations=0, confidence=confidence, rng=rng)
    return pairs[0].difference


def alpha(level: Level) -> Callable[[Floats, float, int, Rng], Estimate]:
    """Return a function for Krippendorff's alpha of a system; labels are steps from 4 on, and the others."""

    def of(ratings: Floats, confidence: float, n_resamples: int, rng: Rng) -> Estimate:
        _systems, n, k = ratings.shape
        values = (ratings[0] >= 4).astype(float) if level == "nominal" else ratings[0]
        return krippendorff_alpha(
            values.ravel(), np.repeat(np.arange(n), k), level=level,
            n_resamples=n_resamples, confidence=confidence, rng=rng,
        )  # fmt: skip

    return of


def icc1(ratings: Floats, confidence: float, _n_resamples: int, _rng: Rng) -> Estimate:
    """Return ICC(1) of one rating."""
    _systems, n, k = ratings.shape
    return icc_one_way(ratings[0].ravel(), np.repeat(np.arange(n), k), confidence=float(confidence)).single


def icc2(ratings: Floats, confidence: float, _n_resamples: int, _rng: Rng) -> Estimate:
    """Return ICC(2) of one rating."""
    return icc_forms(ratings[0], confidence=float(confidence))["ICC2"]


KINDS = (
    Kind("mean", 0.9, mean),
    Kind("difference", 0.9, difference),
    Kind("alpha, ordinal", 0.9, alpha("ordinal")),
    Kind("alpha, ordinal, high", 0.45, alpha("ordinal")),
    Kind("alpha, interval", 0.9, alpha("interval")),
    Kind("alpha, labels", 0.9, alpha("nominal")),
    Kind("ICC1", 0.9, icc1, panel="by text", bootstrap=False),
    Kind("ICC2", 0.9, icc2, panel="by study", bootstrap=False),
)


def true_value(kind: Kind, n_raters: int, n_items: int, rng: Rng) -> float:
    """Return the statistic over all items, and for ICC(2) over all raters."""
    if kind.name == "ICC2":
        # Two ratings of a text by any two raters: their covariance over the variance of a rating.
        first, second = ratings(2 * n_items, 2, Kind("", kind.residual, icc2, panel="by text"), rng)[0].T
        return float(np.cov(first, second)[0, 1] / np.r_[first, second].var())
    value = kind.estimate(ratings(n_items, n_raters, kind, rng), PLAIN, 0, rng).value
    return value if value is not None else float("nan")


def held(kind: Kind, n_items: int, n_raters: int, arguments: argparse.Namespace, rng: Rng) -> tuple[str, float]:
    """Return in how many of 100 studies each interval held the true value, and that value."""
    true = true_value(kind, n_raters, arguments.many, rng)
    confidences = (PLAIN, DEFAULT) if kind.bootstrap else (PLAIN,)
    times, defined = np.zeros(len(confidences)), 0
    for _study in range(arguments.studies):
        sample = ratings(n_items, n_raters, kind, rng)
        seed = int(rng.integers(2**63))
        estimates = [
            kind.estimate(sample, level, arguments.resamples, np.random.default_rng(seed)) for level in confidences
        ]
        ends = [
            (estimate.low, estimate.high)
            for estimate in estimates
            if estimate.low is not None and estimate.high is not None
        ]
        if len(ends) == len(confidences):
            times += [low <= true <= high for low, high in ends]
            defined += 1
    return " → ".join(f"{share:.1f}" for share in 100 * times / max(defined, 1)), true


def rows(arguments: argparse.Namespace, kinds: Sequence[Kind]) -> Iterator[list[str]]:
    """Yield the cells of the table, a row for each number of items and raters."""
    for n_items in arguments.items:
        for n_raters in arguments.raters:
            cells = [str(n_items), str(n_raters)]
            for kind in kinds:
                rng = np.random.default_rng([arguments.seed, n_items, n_raters, KINDS.index(kind)])
                cell, true = held(kind, n_items, n_raters, arguments, rng)
                cells.append(f"{cell} ({true:.2f})" if arguments.true else cell)
            yield cells


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--raters", type=int, nargs="+", default=[2, 4, 10])
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--many", type=int, default=400_000, help="items behind a true value")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[], help="statistics whose names begin so")
    parser.add_argument("--true", action="store_true", help="add the true values")
    arguments = parser.parse_args()
    kinds = [kind for kind in KINDS if not arguments.only or kind.name.startswith(tuple(arguments.only))]
    print("| items | raters | " + " | ".join(kind.name for kind in kinds) + " |")
    print("|---|---|" + "---|" * len(kinds))
    for cells in rows(arguments, kinds):
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
