"""Scores of people and of a metric as matrices of items by systems, and the groups within which texts are compared."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Floats, checked_values, compressed

Grouping = Literal["none", "item", "system"]
"""All texts together, the texts of one item, or the texts of one system."""


def score_matrices(human: ArrayLike, metric: ArrayLike, clusters: Codes | None) -> tuple[Floats, Floats, Codes]:
    """Return both scores of the texts that have both, and the unit of each item that is resampled.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of documents that were shown whole.

    Returns
    -------
    gold, scores : ndarray of float, shape (m, n_systems)
        NaN where either score is missing; items without any text that has both are left out.
    unit : ndarray of int, shape (m,)
        Codes from 0 without gaps: of the item itself, or of its document.

    Raises
    ------
    ValueError
        The scores have not two dimensions, or their shapes differ.
    """
    gold, scores = (np.asarray(side, dtype=np.float64) for side in (human, metric))
    if gold.ndim != 2 or gold.shape != scores.shape:
        raise ValueError(f"Scores are items by systems, in one shape, not {gold.shape} and {scores.shape}.")
    checked_values(gold.ravel()), checked_values(scores.ravel())
    missing = np.isnan(gold) | np.isnan(scores)
    judged = ~missing.all(axis=1)
    units = np.arange(len(gold), dtype=np.intp) if clusters is None else np.asarray(clusters)
    if units.shape != (len(gold),):
        raise ValueError(f"There are {len(gold)} items, but documents of shape {units.shape}.")
    _codes, unit = compressed(units[judged]) if judged.any() else (units[:0], units[:0])
    gold, scores = (np.where(missing, np.nan, side)[judged] for side in (gold, scores))
    return gold, scores, unit


def in_groups(gold: Floats, scores: Floats, grouping: Grouping) -> tuple[Floats, Floats]:
    """Return both scores with one row for each group, shape (n_groups, n_texts); ValueError for another grouping.

    Examples
    --------
    >>> gold, scores = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    >>> [side.tolist() for side in in_groups(gold, scores, "system")]
    [[[1.0, 3.0], [2.0, 4.0]], [[5.0, 7.0], [6.0, 8.0]]]
    """
    if grouping == "item":
        return gold, scores
    if grouping == "system":
        return gold.T, scores.T
    if grouping != "none":
        raise ValueError(f"Texts are grouped by none, item or system, not {grouping!r}.")
    return gold.reshape(1, -1), scores.reshape(1, -1)
