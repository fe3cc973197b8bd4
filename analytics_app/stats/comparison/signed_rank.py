"""The exact signed-rank distribution where differences are tied, by enumeration."""

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

# Up to this number of differences all 8,192 combinations of signs are enumerated, as in scipy's "auto" method.
MOST = 13


def tied(differences: ArrayLike) -> bool:
    """Return whether some differences are equally large, or zero, so that the tables of the test do not apply.

    Examples
    --------
    >>> tied([1, -1, 2]), tied([1, 2, 3]), tied([0, 1, 2])
    (True, False, True)
    """
    sizes = np.abs(np.asarray(differences, dtype=np.float64))
    return bool(len(np.unique(sizes)) < sizes.size or np.any(sizes == 0))


def exact_p(differences: ArrayLike) -> float:
    """Two-sided p of Wilcoxon's signed-rank test over all combinations of signs [1]_.

    Gives the same as scipy's permutation of `wilcoxon` with zero differences dropped, about a hundred times faster: the
    rank sums of all combinations are one product of matrices.

    Parameters
    ----------
    differences : array_like of float, shape (n,)
        At most 13, not all zero.

    Raises
    ------
    ValueError
        More differences than can be enumerated, or none that is not zero.

    References
    ----------
    .. [1] J. W. Pratt and J. D. Gibbons (1981). Concepts of Nonparametric Theory. Springer, chapter 3.

    Examples
    --------
    >>> exact_p([1, 1, 1, 1])
    0.125
    """
    from scipy.stats import rankdata  # noqa: PLC0415  takes a second to load, and only a test needs it

    moving = np.asarray(differences, dtype=np.float64)
    moving = moving[moving != 0]
    if not 0 < moving.size <= MOST:
        raise ValueError(f"Between 1 and {MOST} differences that are not zero are enumerated, not {moving.size}.")
    ranks = rankdata(np.abs(moving))
    observed = float(ranks[moving > 0].sum())
    sums = np.array(list(product((0.0, 1.0), repeat=moving.size))) @ ranks
    # Ranks are multiples of one half, so equal sums are equal to the last bit.
    least = min(int(np.count_nonzero(sums >= observed)), int(np.count_nonzero(sums <= observed)))
    return min(1.0, 2 * least / len(sums))
