"""Means of groups and differences between them, with Student's t intervals over raters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.pair_sums import checked_pairs
from analytics_app.stats.values import Estimate, Floats, checked_codes, checked_values, compressed, rated

# With fewer raters than this there is no interval over raters.
LEAST = 4

TOO_FEW = f"No interval over raters: it takes at least {LEAST}, and here are {{n}}."
ALIKE = "No interval over raters: they do not differ."
NOTHING = "Nothing was rated."


def means_over_raters(
    values: ArrayLike, groups: ArrayLike, raters: ArrayLike, *, n_groups: int, confidence: float
) -> list[Estimate]:
    """Mean rating of each group, such as a system, with a Student's t interval over raters.

    The mean is the ratio of the sum of all ratings to their number, and its variance is that of a ratio estimated from
    whole clusters [1]_, with one degree of freedom less than there are raters. If all raters gave equally many ratings,
    this is the t interval of the raters' own means.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    groups : array_like of int, shape (n,)
        Codes 0 to n_groups - 1.
    raters : array_like of int, shape (n,)
        Codes from 0.
    n_groups : int
    confidence : float
        Between 0 and 1.

    Returns
    -------
    list of Estimate, length n_groups
        `n_raters` and `n_items` are the number of raters of the group. A group without ratings has no value; with fewer
        than 4 raters, or raters who do not differ, there is no interval, and the note says why.

    Raises
    ------
    ValueError
        Wrong shapes, codes or confidence.

    References
    ----------
    .. [1] W. G. Cochran (1977). Sampling Techniques, 3rd edition. Wiley, section 3.12.

    Examples
    --------
    >>> (mean,) = means_over_raters([1, 2, 3, 4, 5], [0] * 5, range(5), n_groups=1, confidence=0.95)
    >>> mean.value, round(mean.low, 3), round(mean.high, 3), mean.df
    (3.0, 1.037, 4.963, 4.0)
    """
    _check(confidence)
    everything = checked_values(values)
    checked_codes(groups, everything.size, below=n_groups)
    numbers, (group, rater) = rated(everything, groups, raters)
    codes, places = compressed(rater)
    shape = (max(codes.size, 1), n_groups)
    cells = places * n_groups + group
    size = shape[0] * n_groups
    sums: Floats = np.bincount(cells, weights=numbers, minlength=size).reshape(shape).astype(np.float64)
    counts = np.bincount(cells, minlength=size).reshape(shape).astype(np.float64)
    return [_of_group(sums[:, code], counts[:, code], confidence) for code in range(n_groups)]


def _of_group(sums: Floats, counts: Floats, confidence: float) -> Estimate:
    n, n_raters = float(counts.sum()), int(np.count_nonzero(counts))
    if not n:
        return Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=NOTHING)
    mean = float(sums.sum()) / n
    left = (sums - mean * counts)[counts > 0]
    scale = float(np.abs(sums).max()) or 1.0
    se = (n_raters / max(n_raters - 1, 1) * float((left**2).sum())) ** 0.5 / n
    return _with_limits(
        Estimate(mean, n_ratings=int(n), n_items=n_raters, n_raters=n_raters),
        se if float(np.abs(left).max()) > 1e-12 * scale else 0.0,
        confidence,
        test=False,
    )


def differences_over_raters(
    matrix: ArrayLike, pairs: Sequence[tuple[int, int]], *, confidence: float
) -> list[Estimate]:
    """Mean over raters of the differences between two columns of their means, with Student's paired t test [1]_.

    Parameters
    ----------
    matrix : array_like of float, shape (n_raters, n_columns)
        The mean of a rater's ratings of a system, NaN where there is none.
    pairs : sequence of (int, int)
        Columns a and b of each difference a minus b.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    list of Estimate
        In the order of `pairs`, with `n_raters` (and `n_items`) the raters with ratings of both. With fewer than 4 of
        them, or where all differences are equal, there is neither interval nor p; with none there is no value.

    Raises
    ------
    ValueError
        Wrong shapes, a pair that does not name two columns, or wrong confidence.

    References
    ----------
    .. [1] Student (1908). The probable error of a mean. Biometrika 6(1), 1-25.

    Examples
    --------
    >>> (difference,) = differences_over_raters([[3, 1], [4, 3], [5, 2], [4, 4]], [(0, 1)], confidence=0.95)
    >>> difference.value, round(difference.p, 4), difference.df
    (1.5, 0.1027, 3.0)
    """
    _check(confidence)
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"The matrix has two dimensions, not {table.ndim}.")
    columns = checked_pairs(pairs, table.shape[1])
    estimates = []
    for a, b in columns.tolist():
        differences = table[:, a] - table[:, b]
        differences = differences[~np.isnan(differences)]
        n = differences.size
        if not n:
            estimates.append(Estimate(None, n_items=0, n_raters=0, note="No rater judged both."))
            continue
        scale = float(np.nanmax(np.abs(table[:, [a, b]]))) or 1.0
        spread = float(differences.std(ddof=1)) if n > 1 and float(np.ptp(differences)) > 1e-12 * scale else 0.0
        value = Estimate(float(differences.mean()), n_items=n, n_raters=n)
        estimates.append(_with_limits(value, spread / n**0.5, confidence, test=True))
    return estimates


def _with_limits(estimate: Estimate, se: float, confidence: float, *, test: bool) -> Estimate:
    """Return an estimate with its limits and, for a test that it is 0, its p; else with the reason in the note."""
    # Lazy import: scipy loads slowly, and web processes never run tests.
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415

    n, value = estimate.n_raters or 0, estimate.value
    assert value is not None
    if n < LEAST:
        return replace(estimate, note=TOO_FEW.format(n=n))
    if se == 0:
        return replace(estimate, note=ALIKE)
    df = n - 1
    half = -float(stdtrit(df, (1 - confidence) / 2)) * se
    p = float(2 * stdtr(df, -abs(value) / se)) if test else None
    return replace(estimate, low=value - half, high=value + half, se=se, df=df, p=p)


def _check(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"Confidence is between 0 and 1, not {confidence}.")
