"""The script a careful researcher would write with pandas, for the same figures as a run.

Repeated draws are timed on a few and counted up, since all of them would take hours; everything else is done whole.
"""

import io
import time
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
from scipy import stats

DRAWS, TRIED_DRAWS = 1000, 2
PERMUTATIONS, TRIED_PERMUTATIONS = 9999, 200
TRIED_CRITERIA = 1


def seconds(csv: bytes) -> float:
    """Return how long the script takes for the ratings of `csv`: rater, item, system, unit, criterion, value."""
    began = time.perf_counter()
    frame = pd.read_csv(io.BytesIO(csv))
    judged = frame.groupby(["criterion", "rater"])["value"]
    frame["z"] = (frame["value"] - judged.transform("mean")) / judged.transform("std")
    whole = time.perf_counter() - began
    counted = 0.0
    criteria = frame["criterion"].unique()
    for criterion in criteria[:TRIED_CRITERIA]:
        counted += _criterion(frame[frame["criterion"] == criterion])
    return whole + counted * len(criteria) / TRIED_CRITERIA


def _criterion(one: pd.DataFrame) -> float:
    """Return seconds for alpha, means with intervals and comparisons of one criterion, all draws counted up."""
    rng = np.random.default_rng(1)
    began = time.perf_counter()
    matrix = one.pivot_table(index="rater", columns="unit", values="value").to_numpy()
    krippendorff.alpha(matrix, level_of_measurement="ordinal")
    one.groupby("system")[["value", "z"]].agg(["mean", "median", "std"])
    items = one.pivot_table(index="item", columns="system", values="value")
    once = time.perf_counter() - began

    began = time.perf_counter()
    for _draw in range(TRIED_DRAWS):
        units = rng.integers(0, matrix.shape[1], matrix.shape[1])
        krippendorff.alpha(matrix[:, units], level_of_measurement="ordinal")
        for system in items.columns:
            mine = one[one["system"] == system]
            drawn = rng.choice(items.index.to_numpy(), len(items))
            mine.set_index("item").loc[drawn, ["value", "z"]].mean()
    draws = (time.perf_counter() - began) * DRAWS / TRIED_DRAWS

    began = time.perf_counter()
    pairs = list(combinations(items.columns, 2))
    for a, b in pairs[:1]:
        both = items[[a, b]].dropna()
        stats.wilcoxon(both[a], both[b])
        stats.permutation_test(
            (both[a].to_numpy(), both[b].to_numpy()),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=TRIED_PERMUTATIONS,
            rng=rng,
        )
    tests = (time.perf_counter() - began) * len(pairs) * PERMUTATIONS / TRIED_PERMUTATIONS
    return once + draws + tests
