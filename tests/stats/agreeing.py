"""Published ratings that several tests of agreement share."""

import numpy as np
from numpy.typing import NDArray

NAN = float("nan")

# Krippendorff (2011), example C, which is also cac.raw4raters of R's irrCAC (Gwet 2014): raters x texts.
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
DIAGNOSES = [
    [4, 4, 4, 4, 4, 4], [2, 2, 2, 5, 5, 5], [2, 3, 3, 3, 3, 5], [5, 5, 5, 5, 5, 5], [2, 2, 2, 4, 4, 4],
    [1, 1, 3, 3, 3, 3], [3, 3, 3, 3, 5, 5], [1, 1, 3, 3, 3, 4], [1, 1, 4, 4, 4, 4], [5, 5, 5, 5, 5, 5],
    [1, 4, 4, 4, 4, 4], [1, 2, 4, 4, 4, 4], [2, 2, 2, 3, 3, 3], [1, 4, 4, 4, 4, 4], [2, 2, 4, 4, 4, 5],
    [3, 3, 3, 3, 3, 5], [1, 1, 1, 4, 5, 5], [1, 1, 1, 1, 1, 2], [2, 2, 4, 4, 4, 4], [1, 3, 3, 5, 5, 5],
    [5, 5, 5, 5, 5, 5], [2, 4, 4, 4, 4, 4], [2, 2, 4, 5, 5, 5], [1, 1, 4, 4, 4, 4], [1, 4, 4, 4, 4, 5],
    [2, 2, 2, 2, 2, 4], [1, 1, 1, 1, 5, 5], [2, 2, 4, 4, 4, 4], [1, 3, 3, 3, 3, 3], [5, 5, 5, 5, 5, 5],
]  # fmt: skip

# Shrout and Fleiss (1979), table 2: 6 targets, 4 judges.
FOUR_JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def long(matrix: object) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Return values, texts and raters of a table of texts by raters."""
    table = np.array(matrix, dtype=float)
    n, k = table.shape
    return table.ravel(), np.repeat(np.arange(n), k), np.tile(np.arange(k), n)


def many(n_texts: int = 100_000, n_raters: int = 10, seed: int = 1) -> NDArray[np.float64]:
    """Make ratings in five steps that agree somewhat: texts by raters."""
    rng = np.random.default_rng(seed)
    around = rng.integers(1, 6, n_texts)[:, np.newaxis] + rng.integers(-1, 2, (n_texts, n_raters))
    return np.asarray(np.clip(around, 1, 5), dtype=float)
