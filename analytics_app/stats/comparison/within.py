"""Effects of position, half and time on ratings, within texts and raters.

Least squares with a constant for each text and each rater. The constants are absorbed, not estimated, so that a
million ratings need no matrix of texts; errors are clustered by rater.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed, joined

# With fewer raters, limits clustered by rater are unreliable (methods: units of resampling).
FEW_RATERS = 10
# Several groupings are absorbed in rounds until no mean exceeds this share of a standard deviation.
_CONVERGED, _ROUNDS = 1e-8, 100
# The smallest share of a regressor's variance that must remain after absorbing.
_LEAST_VARIANCE = 1e-9
_ROUNDING = 1e-12
# The fewest residual degrees of freedom.
_FEWEST_DF = 10

NO_VARIATION = "Too few ratings of the same texts by several raters, or by the same rater, to see an effect."
ONE_RATER = "One rater: no interval and no test."
ROUGH = f"Fewer than {FEW_RATERS} raters: interval and test are rough."
NO_TEST = "There are too few raters for a test."


@dataclass(frozen=True, slots=True)
class Within:
    """Coefficients of k regressors with their clustered covariance, from `n` ratings of `n_clusters` raters."""

    coefficients: Floats
    covariance: Floats
    n: int
    n_clusters: int

    def estimate(self, contrast: ArrayLike, *, confidence: float) -> Estimate:
        """Return a weighted sum of coefficients, with limits and p by the t distribution with clusters - 1 df."""
        weights = np.asarray(contrast, dtype=np.float64)
        value = float(weights @ self.coefficients)
        variance = float(weights @ self.covariance @ weights)
        df = self.n_clusters - 1
        counts = {"n_ratings": self.n, "n_raters": self.n_clusters}
        if df < 1:
            return Estimate(value, **counts, note=ONE_RATER)
        se = float(np.sqrt(max(variance, 0.0)))
        # Where every residual is 0, rounding leaves a tiny remainder.
        if se <= 1e-12 * max(1.0, abs(value)):
            return Estimate(value, **counts, note="Nothing is left over that an interval could be taken from.")
        # Lazy import: web processes import this module but never compute limits.
        from scipy.special import stdtr, stdtrit  # noqa: PLC0415

        width = float(stdtrit(df, 0.5 + confidence / 2)) * se
        return Estimate(
            value,
            low=value - width,
            high=value + width,
            se=se,
            df=df,
            p=float(2 * stdtr(df, -abs(value) / se)),
            **counts,
            note=ROUGH if self.n_clusters < FEW_RATERS else None,
        )

    def all_zero(self) -> Estimate:
        """Return the Wald test that every coefficient is 0, as F with k and clusters - 1 degrees of freedom."""
        k, df = self.coefficients.size, self.n_clusters - 1
        counts = {"n_ratings": self.n, "n_raters": self.n_clusters}
        # With too few clusters for the coefficients, the covariance cannot be inverted.
        if df < k or np.linalg.matrix_rank(self.covariance, hermitian=True) < k:
            return Estimate(None, **counts, note=NO_TEST)
        from scipy.special import fdtrc  # noqa: PLC0415

        f = float(self.coefficients @ np.linalg.solve(self.covariance, self.coefficients)) / k
        note = ROUGH if self.n_clusters < FEW_RATERS else None
        return Estimate(f, df=k, p=float(fdtrc(k, df, max(f, 0.0))), **counts, note=note)


def effects_within(
    values: ArrayLike, regressors: ArrayLike, groupings: Sequence[ArrayLike], clusters: ArrayLike
) -> Within | None:
    """Least squares on regressors with a constant for each level of each grouping [1]_, clustered errors [2]_.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated, and left out.
    regressors : array_like of float, shape (n, k)
        NaN where a regressor is unknown: such ratings are left out.
    groupings : sequence of array_like of int, shape (n,)
        Codes from 0 of groups that get a constant each, such as texts and raters; without groupings one constant.
    clusters : array_like of int, shape (n,)
        Codes from 0 of the clusters within which errors may correlate: raters.

    Returns
    -------
    Within or None
        None if, after absorbing the constants, a regressor does not vary or depends on the others, or if
        fewer than 10 degrees of freedom are left: errors would look far smaller than they are.

    Notes
    -----
    Covariance: (X'X)^-1 (sum over clusters of X_g' e_g e_g' X_g) (X'X)^-1 times g / (g - 1) (n - 1) / (n - p), p the
    regressors and all constants, as in statsmodels where all of them are columns.

    References
    ----------
    .. [1] P. Guimarães and P. Portugal (2010). A simple feasible procedure to fit models with high-dimensional fixed
       effects. Stata Journal 10(4), 628-649.
    .. [2] A. C. Cameron and D. L. Miller (2015). A practitioner's guide to cluster-robust inference. Journal of Human
       Resources 50(2), 317-372.

    Examples
    --------
    >>> values, places = [1, 2, 3, 5, 2, 4, 1, 1] * 2, [[0], [1]] * 8
    >>> texts, raters = [0, 0, 1, 1, 2, 2, 3, 3] * 2, [0] * 8 + [1] * 8
    >>> effects_within(values, places, [texts], raters).coefficients.round(6).tolist()
    [1.25]
    """
    numbers = checked_values(values)
    x = np.asarray(regressors, dtype=np.float64)
    if x.ndim != 2 or len(x) != numbers.size:
        raise ValueError(f"There are {numbers.size} values, but regressors of shape {x.shape}.")
    codes = [checked_codes(array, numbers.size) for array in (*map(np.asarray, groupings), np.asarray(clusters))]
    complete = ~(np.isnan(numbers) | np.isnan(x).any(axis=1))
    numbers, x = numbers[complete], x[complete]
    *levels, cluster = (compressed(array[complete])[1] for array in codes)
    constants = 1 + sum(int(level.max(initial=0)) for level in levels)
    df = numbers.size - x.shape[1] - constants
    if df < _FEWEST_DF:
        return None
    spread = x.std(axis=0)
    columns = np.column_stack((numbers, x))
    columns -= columns.mean(axis=0)
    absorbed = _absorbed(columns, levels)
    y, x = absorbed[:, 0], absorbed[:, 1:]
    if ((x**2).mean(axis=0) <= _LEAST_VARIANCE * spread**2).any() or (spread == 0).any():
        return None
    square = x.T @ x
    if np.linalg.cond(square) > 1e10:
        return None
    inverse = np.linalg.inv(square)
    coefficients = inverse @ (x.T @ y)
    residuals = y - x @ coefficients
    g = int(cluster.max()) + 1
    scores = np.column_stack([np.bincount(cluster, weights=column * residuals) for column in x.T])
    correction = (g / (g - 1) if g > 1 else 1.0) * (numbers.size - 1) / df
    # Coefficients this small are rounding errors: the means of all positions are the same.
    coefficients[np.abs(coefficients) * x.std(axis=0) < _ROUNDING * numbers.std()] = 0.0
    return Within(coefficients, correction * inverse @ (scores.T @ scores) @ inverse, numbers.size, g)


def position_effects(
    values: ArrayLike,
    positions: ArrayLike,
    groupings: Sequence[ArrayLike],
    clusters: ArrayLike,
    *,
    n_positions: int,
    confidence: float,
) -> tuple[list[Estimate], Estimate] | None:
    """Effect of each position as its difference from the mean of all positions, and a test that there is none.

    Parameters
    ----------
    values : array_like of float, shape (n,)
    positions : array_like of int, shape (n,)
        From 0 to n_positions - 1.
    groupings, clusters
        As in `effects_within`.
    n_positions : int
        At least 2.
    confidence : float

    Returns
    -------
    tuple of (list of Estimate, Estimate) or None
        An estimate per position, and F of the Wald test; None if positions cannot be separated from texts and raters.

    Examples
    --------
    >>> values, places = [1, 2, 3, 5, 2, 4, 1, 1] * 2, [0, 1] * 8
    >>> texts, raters = [0, 0, 1, 1, 2, 2, 3, 3] * 2, [0] * 8 + [1] * 8
    >>> effects, test = position_effects(values, places, [texts], raters, n_positions=2, confidence=0.9)
    >>> [round(effect.value, 6) for effect in effects]
    [-0.625, 0.625]
    """
    check_settings(0, confidence)
    numbers = checked_values(values)
    place = checked_codes(positions, numbers.size, below=n_positions)
    # The last position is the reference; the contrasts below turn differences from it into deviations from the mean.
    x = (place[:, np.newaxis] == np.arange(n_positions - 1)).astype(np.float64)
    fit = effects_within(numbers, x, groupings, clusters)
    if fit is None:
        return None
    contrasts = np.eye(n_positions) - 1 / n_positions
    rated = ~np.isnan(numbers)
    estimates = []
    for position in range(n_positions):
        estimate = fit.estimate(contrasts[position, :-1], confidence=confidence)
        at_position = rated & (place == position)
        estimates.append(_counted(estimate, int(at_position.sum())))
    return estimates, fit.all_zero()


def _counted(estimate: Estimate, n: int) -> Estimate:
    return Estimate(
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.se,
        estimate.df,
        estimate.p,
        n,
        estimate.n_items,
        estimate.n_raters,
        joined(estimate.note),
    )


def _absorbed(columns: Floats, levels: Sequence[Codes]) -> Floats:
    """Subtract the means of each grouping in turn until all means are 0."""
    if not levels:
        return columns
    scale = columns.std(axis=0)
    scale[scale == 0] = 1.0
    columns = columns / scale
    constants = [_means(columns, levels[0])] if len(levels) == 1 else _constants(columns, levels)
    for level, constant in zip(levels, constants, strict=True):
        columns -= constant[level]
    return np.asarray(columns * scale)


def _means(columns: Floats, level: Codes) -> Floats:
    """Return the mean of each column in each group."""
    sizes = np.bincount(level)
    return np.column_stack([np.bincount(level, weights=column) / sizes for column in columns.T])


def _constants(columns: Floats, levels: Sequence[Codes]) -> list[Floats]:
    """Return a constant for each group of several groupings, found in rounds, so that all means become 0.

    The mean of a group is that of its ratings less the constants of the other groupings, weighted by the share of its
    ratings that they have: rounds over groups, of which there are far fewer than ratings.
    """
    # Lazy import: web processes import this module but never compute effects.
    from scipy.sparse import csr_array  # noqa: PLC0415

    means = [_means(columns, level) for level in levels]
    sizes = [len(mean) for mean in means]
    shares = [
        [
            csr_array((1.0 / np.bincount(level)[level], (level, other)), shape=(size, other_size))
            for other, other_size in zip(levels, sizes, strict=True)
        ]
        for level, size in zip(levels, sizes, strict=True)
    ]
    constants = [np.zeros_like(mean) for mean in means]
    for _round in range(_ROUNDS):
        largest = 0.0
        for g, mean in enumerate(means):
            left = mean - constants[g]
            for h, other in enumerate(constants):
                if h != g:
                    left -= shares[g][h] @ other
            largest = max(largest, float(np.abs(left).max(initial=0.0)))
            constants[g] += left
        if largest < _CONVERGED:
            break
    return constants
