"""Small sets of ratings whose mixed models were fitted with R (lme4 1.1.31, lmerTest 3.1.3)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Ratings:
    """Ratings with their systems, items, raters, and documents of items if there are any."""

    values: NDArray[np.float64]
    systems: Codes
    items: Codes
    raters: Codes
    documents: Codes | None = None

    def only(self, chosen: NDArray[np.bool_] | Codes) -> "Ratings":
        """Return some of the ratings."""
        documents = None if self.documents is None else self.documents[chosen]
        return Ratings(self.values[chosen], self.systems[chosen], self.items[chosen], self.raters[chosen], documents)


def _grid(n_items: int, n_systems: int, n_raters: int, without: list[int]) -> tuple[Codes, Codes, Codes]:
    """Return system, item and rater of each rating; items change fastest, then systems."""
    rater, system, item = (codes.ravel() for codes in np.indices((n_raters, n_systems, n_items)))
    kept = np.delete(np.arange(item.size), without)
    return system[kept], item[kept], rater[kept]


# lme4's Penicillin: 24 plates by 6 samples, diameters of zones in mm less 15, as hexadecimal digits. From O. L. Davies
# and P. L. Goldsmith (1972), Statistical Methods in Research and Production, 4th ed., Oliver and Boyd, table 6.6.
_PENICILLIN = (
    "c8b886 c8b886 a6a995 b8a885 a7b785 97a874 958674 b7b996 969775 969874 b8b996 a7b995 b9b9a7 b8b885 b8a997 a7a885 "
    "a69885 a79884 968664 b8b996 a69773 a7a775 969794 969763"
)


def penicillin() -> Ratings:
    """Return the diameters; plates are items, samples are raters, and there is one system."""
    rows = np.array([[int(digit, 16) + 15 for digit in row] for row in _PENICILLIN.split()], dtype=float)
    plate, sample = np.indices(rows.shape)
    return Ratings(rows.ravel(), np.zeros(rows.size, dtype=int), plate.ravel(), sample.ravel())


def three_systems() -> Ratings:
    """Return ratings of 3 systems on 6 items by 4 raters, of which 7 are missing. Items by system have variance 0."""
    values = (
        "6 2.7 3.4 5.4 3.4 4.6 4.9 4.8 3 5.7 4.5 5.4 2.6 3.9 3.1 2.9 2.9 2.1 2.7 0.8 2.9 2.5 4.3 2.1 3.4 2.9 "
        "2 3.2 2.9 2.8 0.7 3.6 2.9 5.1 1.8 3.8 3.7 3.9 2.3 4.1 2.4 3.7 2.9 4.8 2.8 2.1 1.5 4.3 2 2.7 1.9 2.5 "
        "1.9 1.9 4.6 3.2 2.5 2.2 4.8 2 2.4 2.1 2 2 1.7"
    )
    return Ratings(np.array(values.split(), dtype=float), *_grid(6, 3, 4, [2, 16, 28, 39, 40, 57, 69]))


def documents() -> Ratings:
    """Return ratings of 2 systems on 12 items of 4 documents by 5 raters, of which 10 are missing."""
    values = (
        "6.8 4.1 3 3.9 2.3 3.4 5.7 3.6 3.8 4.1 4.7 3.2 3.9 4.9 1.3 3.8 4.9 4.2 3.3 3.7 1.7 2.6 4.8 3.6 3.2 "
        "1.1 1.1 1.6 3.4 2.5 2.1 1.1 2.7 4.3 3.3 4.9 4.4 3.2 4.8 4.6 2.5 1.9 4.1 5.2 3.1 5.7 2 1.6 2 4 3.3 "
        "2.8 3.3 2.4 4.2 4.5 4.1 1.1 4 3.6 3.4 4.7 4.7 0.6 3.2 4.7 2 4.1 1.6 0.2 1.3 3.6 1.5 1.7 2 2.6 3.1 "
        "3.8 4.8 1.2 3.6 4.4 3.6 3.6 4.6 3.1 1 3.3 6.5 3.3 2.4 2.8 1.3 3.8 5.4 2.6 2.9 3.8 3.5 3.8 4.2 2.9 "
        "2.8 4 4.6 4 4.5 4.2 1.5 2.5"
    )
    system, item, rater = _grid(12, 2, 5, [2, 16, 28, 39, 40, 57, 69, 76, 98, 110])
    return Ratings(np.array(values.split(), dtype=float), system, item, rater, item // 3)


def one_judgment_each() -> Ratings:
    """Return 24 ratings, one of each system on each of 12 items, by 5 raters."""
    values = [6.8, 3.6, 5.7, 1.6, 2.8, 2.3, 1.6, 3.3, 1.5, 2.9, 4.1, 2.7]
    values += [3.2, 3.3, 4.1, 1.2, 2.8, 3.8, 3.2, 4.7, 4.6, 4.2, 1.7, 4.1]
    raters = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    return Ratings(np.array(values), np.repeat([0, 1], 12), np.tile(np.arange(12), 2), np.array(raters))


def one_system_each() -> Ratings:
    """Return the ratings of `documents` by raters of one system each: 2 of the first, 3 of the second."""
    given = documents()
    chosen = given.only((given.raters < 2) == (given.systems == 0))
    return Ratings(chosen.values, chosen.systems, chosen.items, chosen.raters)
