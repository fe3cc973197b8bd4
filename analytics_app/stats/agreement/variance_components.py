"""Components of the variance of ratings: items, systems on items, raters, residual."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Estimate, Floats, compressed, joined, rated

NAMES = ("item", "system_item", "rater", "residual")

NOTHING = "Nothing was rated."


@dataclass(frozen=True, slots=True)
class Components:
    """Standard deviations, in units of the scale. Effects that cannot be separated have no value but a note."""

    item: Estimate
    system_item: Estimate
    rater: Estimate
    residual: Estimate


def variance_components(values: ArrayLike, systems: ArrayLike, items: ArrayLike, raters: ArrayLike) -> Components:
    """Variance components by Henderson's first method [1]_, for ratings that may be missing anywhere.

    A rating is the mean of its system + item + system x item + rater + residual. Sums of squares over the groups of
    each effect are set equal to their expectations; in complete data this is the analysis of variance.
    System means are subtracted first. A negative estimate counts as 0, and the note says so.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    systems, items, raters : array_like of int, shape (n,)
        Codes from 0.

    Returns
    -------
    Components
        Square roots of the components. Two effects with the same groups, such as items and systems on items where
        there is one system, cannot be told apart: the first stands for both, and the other has no value.

    References
    ----------
    .. [1] C. R. Henderson (1953). Estimation of variance and covariance components. Biometrics 9(2), 226-252.

    Examples
    --------
    >>> found = variance_components([1, 2, 3, 2, 3, 4, 4, 5, 6], [0] * 9, [0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3)
    >>> round(found.item.value, 3), round(found.rater.value, 3), round(found.residual.value, 3)
    (1.528, 1.0, 0.0)
    """
    numbers, (system, item, rater) = rated(values, systems, items, raters)
    n = numbers.size
    if n < 2:
        undefined = Estimate(None, n_ratings=n, note=NOTHING if not n else "One rating does not vary.")
        return Components(undefined, undefined, undefined, undefined)
    groups: dict[str, Codes] = {"item": compressed(item)[1]}
    _system_codes, system = compressed(system)
    groups["system_item"] = compressed(groups["item"] * (int(system.max()) + 1) + system)[1]
    groups["rater"] = compressed(rater)[1]
    notes = _inseparable(groups, n)
    distinct = {name: groups[name] for name in groups if name not in notes}
    centred, n_systems = _without_systems(numbers, system)
    variances = _solved(centred, distinct, n_systems)
    counts = {"n_ratings": n, "n_items": int(groups["item"].max()) + 1, "n_raters": int(groups["rater"].max()) + 1}
    estimates = {name: _deviation(variances.get(name), notes.get(name), counts) for name in NAMES}
    return Components(**estimates)


def _inseparable(groups: dict[str, Codes], n: int) -> dict[str, str]:
    """Return notes on inseparable effects: one rating per group, the groups of another effect, or one group."""
    sizes = {name: int(codes.max()) + 1 for name, codes in groups.items()}
    notes: dict[str, str] = {}
    words = {"item": "items", "system_item": "systems on items", "rater": "raters"}
    for name, size in sizes.items():
        if size == n:
            notes[name] = f"There is one rating each, so {words[name]} cannot be told from the rest."
        elif size == 1:
            notes[name] = "There is one only, so it cannot vary."
    if "system_item" not in notes and sizes["system_item"] == sizes["item"]:
        notes["system_item"] = "Each item has one system, so the two cannot be told apart."
    return notes


def _without_systems(values: Floats, system: Codes) -> tuple[Floats, int]:
    """Subtract the mean of each system; return the number of systems as well."""
    counts = np.bincount(system)
    centred: Floats = values - (np.bincount(system, weights=values) / counts)[system]
    return centred, int(counts.size)


def _solved(values: Floats, groups: dict[str, Codes], n_systems: int) -> dict[str, float]:
    """Solve the equations for the components, one for each effect and one for all squares, less the overall mean's."""
    names = list(groups)
    sizes = {name: np.bincount(codes).astype(np.float64) for name, codes in groups.items()}
    n = values.size
    # Rows: sums of squares of each effect and of single ratings, less that of the overall mean.
    expected = np.zeros((len(names) + 1, len(names) + 1))
    mean_row = np.array([*(float((sizes[name] ** 2).sum()) / n for name in names), 1.0])
    observed = np.zeros(len(names) + 1)
    correction = float(values.sum()) ** 2 / n
    for row, name in enumerate(names):
        sums = np.bincount(groups[name], weights=values)
        observed[row] = float((sums**2 / sizes[name]).sum()) - correction
        expected[row] = [
            *(_shared_squares(groups[name], groups[column], sizes[name]) for column in names),
            sizes[name].size,
        ]
    observed[-1] = float((values**2).sum()) - correction
    # Each subtracted system mean takes a degree of freedom, except the one that stands for the overall mean.
    expected[-1] = [*([float(n)] * len(names)), n - (n_systems - 1)]
    solution, _residual, rank, _singular = np.linalg.lstsq(expected - mean_row, observed, rcond=1e-10)
    if rank < len(names) + 1:
        return {}
    return dict(zip([*names, "residual"], map(float, solution), strict=True))


def _shared_squares(own: Codes, other: Codes, sizes: Floats) -> float:
    """Return the sum, over own groups, of the squared numbers of ratings by other group over the own group's size."""
    if own is other:
        return float(sizes.sum())
    width = int(other.max()) + 1
    pairs, places = compressed(own * width + other)
    counts = np.bincount(places).astype(np.float64)
    return float((counts**2 / sizes[pairs // width]).sum())


def _deviation(variance: float | None, note: str | None, counts: dict[str, int]) -> Estimate:
    if note is not None:
        return Estimate(None, note=note, **counts)
    if variance is None:
        return Estimate(None, note="Items, systems and raters are too mixed up to be told apart.", **counts)
    below = "The estimate is below 0 and counts as 0." if variance < -1e-9 else None
    return Estimate(max(0.0, variance) ** 0.5, note=joined(below), **counts)
