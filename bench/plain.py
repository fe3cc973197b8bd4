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
    """Seconds that the script takes in all, and what it found for one criterion."""

    seconds: float
    criterion: int
    figures: tuple[Figure, ...]


def compute(csv: bytes) -> Computed:
    """Run the script on the ratings of `csv`: rater, item, system, unit, criterion, value."""
    began = time.perf_counter()
    frame = pd.read_csv(io.BytesIO(csv))
    judged = frame.groupby(["criterion", "rater"])["value"]
    frame["z"] = (frame["value"] - judged.transform("mean")) / judged.transform("std")
    whole = time.perf_counter() - began
    criteria = frame["criterion"].unique()
    one = frame[frame["criterion"] == criteria[0]]
    seconds, figures = _criterion(one)
    return Computed(whole + seconds * len(criteria), int(criteria[0]), tuple(figures))


def _criterion(one: pd.DataFrame) -> tuple[float, list[Figure]]:
    """Return seconds for one criterion, all draws counted up, and what was found."""
    rng = np.random.default_rng(1)
    began = time.perf_counter()
    matrix = one.pivot_table(index="rater", columns="unit", values="value").to_numpy()
    alpha = krippendorff.alpha(matrix, level_of_measurement="ordinal")
    by_system = one.groupby("system")[["value", "z"]].agg(["mean", "median", "std"])
    items = one.pivot_table(index="item", columns="system", values="value")
    tests = list(_tests(items))
    of_items = [mine.set_index("item")[["value", "z"]] for _system, mine in one.groupby("system")]
    once = time.perf_counter() - began

    began = time.perf_counter()
    for _draw in range(TRIED_DRAWS):
        units = rng.integers(0, matrix.shape[1], matrix.shape[1])
        krippendorff.alpha(matrix[:, units], level_of_measurement="ordinal")
        drawn = rng.choice(items.index.to_numpy(), len(items))
        for mine in of_items:
            mine.loc[drawn].mean()
    draws = (time.perf_counter() - began) * DRAWS / TRIED_DRAWS

    began = time.perf_counter()
    a, b = items.columns[:2]
    both = items[[a, b]].dropna()
    stats.permutation_test(
        (both[a].to_numpy(), both[b].to_numpy()),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=TRIED_PERMUTATIONS,
        rng=rng,
    )
    permuted = (time.perf_counter() - began) * len(tests) / 2 * PERMUTATIONS / TRIED_PERMUTATIONS
    return once + draws + permuted, [Figure("alpha", float(alpha)), *_means(by_system), *tests]


def _means(by_system: pd.DataFrame) -> Iterator[Figure]:
    names = {("value", "mean"): "mean", ("z", "mean"): "mean_z", ("value", "median"): "median", ("value", "std"): "sd"}
    for column, statistic in names.items():
        for system, value in by_system[column].items():
            yield Figure(statistic, float(value), system=int(system))


def _tests(items: pd.DataFrame) -> Iterator[Figure]:
    """Yield the mean difference and Wilcoxon's test of every two systems."""
    for a, b in combinations(items.columns, 2):
        both = items[[a, b]].dropna()
        difference = both[a] - both[b]
        yield Figure("difference", float(difference.mean()), system=int(a), system_b=int(b))
        # Means that are equal but for rounding tie.
        found = stats.wilcoxon(difference.round(12))
        yield Figure("wilcoxon", float(found.statistic), float(found.pvalue), int(a), int(b))
