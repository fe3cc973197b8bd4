"""The script a careful researcher would write with pandas, for the main figures of a run.

Alpha with an interval, means, medians and spreads by system with intervals over items, and every two systems compared
by a permutation test and Wilcoxon's. A run does more (intervals over raters, comparisons of z, superiority, adjusted
p); what both compute has to be the same numbers. Repeated draws are timed on a few and counted up, since all of them
would take hours; everything else is done whole, for one criterion, and counted once for each.
"""

import io
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
from scipy import stats

DRAWS, TRIED_DRAWS = 1000, 3
PERMUTATIONS, TRIED_PERMUTATIONS = 9999, 1000


@dataclass(frozen=True)
class Figure:
    """A number of the criterion that was computed, by the name of the run's row; systems by their ids."""

    statistic: str
    value: float
    p: float | None = None
    system: int | None = None
    system_b: int | None = None


@dataclass(frozen=True)
class Computed:
    """Seconds that the whole script takes, and its figures for one criterion."""

    seconds: float
    criterion: int
    figures: tuple[Figure, ...]


def compute(csv: bytes) -> Computed:
    """Run the script on the ratings of `csv`: rater, item, system, unit, criterion, value."""
    began = time.perf_counter()
    frame = pd.read_csv(io.BytesIO(csv))
    judged = frame.groupby(["criterion", "rater"])["value"]
    frame["z"] = (frame["value"] - judged.transform("mean")) / judged.transform("std")
    shared_seconds = time.perf_counter() - began
    criteria = frame["criterion"].unique()
    ratings = frame[frame["criterion"] == criteria[0]]
    seconds, figures = _criterion(ratings)
    return Computed(shared_seconds + seconds * len(criteria), int(criteria[0]), tuple(figures))


def _criterion(ratings: pd.DataFrame) -> tuple[float, list[Figure]]:
    """Return the seconds for one criterion, extrapolated to all draws, and its figures."""
    rng = np.random.default_rng(1)
    began = time.perf_counter()
    matrix = ratings.pivot_table(index="rater", columns="unit", values="value").to_numpy()
    alpha = krippendorff.alpha(matrix, level_of_measurement="ordinal")
    by_system = ratings.groupby("system")[["value", "z"]].agg(["mean", "median", "std"])
    items = ratings.pivot_table(index="item", columns="system", values="value")
    tests = list(_tests(items))
    of_items = [mine.set_index("item")[["value", "z"]] for _system, mine in ratings.groupby("system")]
    base_seconds = time.perf_counter() - began

    began = time.perf_counter()
    for _draw in range(TRIED_DRAWS):
        units = rng.integers(0, matrix.shape[1], matrix.shape[1])
        krippendorff.alpha(matrix[:, units], level_of_measurement="ordinal")
        sample = rng.choice(items.index.to_numpy(), len(items))
        for mine in of_items:
            mine.loc[sample].mean()
    draws = (time.perf_counter() - began) * DRAWS / TRIED_DRAWS

    began = time.perf_counter()
    a, b = items.columns[:2]
    paired = items[[a, b]].dropna()
    stats.permutation_test(
        (paired[a].to_numpy(), paired[b].to_numpy()),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=TRIED_PERMUTATIONS,
        rng=rng,
    )
    test_seconds = (time.perf_counter() - began) * len(tests) / 2 * PERMUTATIONS / TRIED_PERMUTATIONS
    return base_seconds + draws + test_seconds, [Figure("alpha", float(alpha)), *_means(by_system), *tests]


def _means(by_system: pd.DataFrame) -> Iterator[Figure]:
    names = {("value", "mean"): "mean", ("z", "mean"): "mean_z", ("value", "median"): "median", ("value", "std"): "sd"}
    for column, statistic in names.items():
        for system, value in by_system[column].items():
            yield Figure(statistic, float(value), system=int(system))


def _tests(items: pd.DataFrame) -> Iterator[Figure]:
    """Yield the mean difference and Wilcoxon's test of every two systems."""
    for a, b in combinations(items.columns, 2):
        paired = items[[a, b]].dropna()
        difference = paired[a] - paired[b]
        yield Figure("difference", float(difference.mean()), system=int(a), system_b=int(b))
        # Rounded, so that means that differ by rounding only are tied.
        test = stats.wilcoxon(difference.round(12))
        yield Figure("wilcoxon", float(test.statistic), float(test.pvalue), int(a), int(b))
