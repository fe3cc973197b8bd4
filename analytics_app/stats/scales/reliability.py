"""Reliability of several scales as one measure: Cronbach's alpha and McDonald's omega total."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.scales.factor import NOT_CONVERGED, maximum_likelihood
from analytics_app.stats.scales.factorability import checked_rows, constant_columns, correlations
from analytics_app.stats.values import Estimate, Floats, joined


def cronbach_alpha(data: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Cronbach's alpha [1]_ of scales that point the same way, with Feldt's interval [2]_.

    ``alpha = k/(k - 1) (1 - sum of variances / variance of the sum)``; limits ``1 - (1 - alpha) F``, with F quantiles
    of n - 1 and (n - 1)(k - 1) degrees of freedom. As `pingouin.cronbach_alpha`, which rounds its limits to three
    digits.

    Parameters
    ----------
    data : array_like of float, shape (n, k)
        One complete row per respondent; scales that point the other way must be reversed first.
    confidence : float

    Returns
    -------
    Estimate
        Without a value for fewer than two rows or scales, or where the sum does not vary.

    Raises
    ------
    ValueError
        NaN or infinite values, or a confidence that is not between 0 and 1.

    References
    ----------
    .. [1] L. J. Cronbach (1951). Coefficient alpha and the internal structure of tests. Psychometrika 16, 297-334.
    .. [2] L. S. Feldt, D. J. Woodruff and F. A. Salih (1987). Statistical inference for coefficient alpha. Applied
       Psychological Measurement 11, 93-103.

    Examples
    --------
    >>> round(cronbach_alpha([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]]).value, 4)
    0.8753
    """
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
    rows = checked_rows(data)
    n, k = rows.shape
    reason = _too_little(rows)
    # Equal sums are found by their range, since rounding leaves a variance of 1e-32.
    totals = rows.sum(axis=1)
    if reason is None and np.ptp(totals) <= 1e-12 * max(1.0, float(np.abs(totals).max())):
        reason = "The sum is the same in every row, so alpha is undefined."
    if reason is not None:
        return Estimate(None, n_raters=n, note=reason)
    alpha = float(k / (k - 1) * (1 - rows.var(axis=0, ddof=1).sum() / totals.var(ddof=1)))
    if n < 3:
        return Estimate(alpha, n_raters=n, note="An interval takes at least three complete rows.")
    from scipy.special import fdtri  # noqa: PLC0415

    tail, df, df_b = (1 - confidence) / 2, n - 1, (n - 1) * (k - 1)
    low, high = (1 - (1 - alpha) * fdtri(df, df_b, share) for share in (1 - tail, tail))
    negative_note = "It is below 0: some scales point the other way." if alpha < 0 else None
    return Estimate(alpha, low=float(low), high=float(high), n_raters=n, note=negative_note)


def omega_total(loadings: ArrayLike, uniquenesses: ArrayLike) -> float:
    """McDonald's omega total of one factor [1]_: ``(sum l)^2 / ((sum l)^2 + sum u)``.

    Raises
    ------
    ValueError
        Loadings and uniquenesses of different lengths, or nothing that varies.

    References
    ----------
    .. [1] R. P. McDonald (1999). Test Theory: A Unified Treatment. Erlbaum.

    Examples
    --------
    >>> round(omega_total([0.5, 0.6, 0.7], [0.75, 0.64, 0.51]), 6)
    0.63035
    """
    factor, unique = np.asarray(loadings, dtype=np.float64), np.asarray(uniquenesses, dtype=np.float64)
    if factor.ndim != 1 or factor.shape != unique.shape or not factor.size:
        raise ValueError("There is a loading and a uniqueness for each scale.")
    common = float(factor.sum() ** 2)
    total = common + float(unique.sum())
    if not total > 0:
        raise ValueError("Neither the factor nor the uniquenesses vary.")
    return common / total


def omega(data: ArrayLike) -> Estimate:
    """McDonald's omega total of scales that point the same way, from one factor by maximum likelihood.

    Parameters
    ----------
    data : array_like of float, shape (n, k)
        One complete row per respondent.

    Returns
    -------
    Estimate
        Without a value for fewer than three scales, if a scale follows from the others or does not vary, or with too
        few rows.

    Examples
    --------
    >>> omega([[1, 2], [2, 3]]).note
    'Omega takes at least three scales.'
    """
    rows = checked_rows(data)
    n, k = rows.shape
    if k < 3:
        return Estimate(None, n_raters=n, note="Omega takes at least three scales.")
    reason = _too_little(rows)
    if reason is None and constant_columns(rows).size:
        reason = "A scale does not vary, so omega is undefined."
    if reason is None and n <= k:
        reason = f"Omega takes more rows than scales, and here are {n} for {k}."
    if reason is not None:
        return Estimate(None, n_raters=n, note=reason)
    try:
        extraction = maximum_likelihood(correlations(rows), 1, n)
    except ValueError:
        return Estimate(None, n_raters=n, note="A scale follows exactly from the others, so omega is undefined.")
    if not extraction.converged:
        return Estimate(None, n_raters=n, note=NOT_CONVERGED)
    at_bound = "Heywood case: the uniqueness of a scale ended at its bound." if extraction.heywood else None
    value = omega_total(extraction.loadings[:, 0], extraction.uniquenesses)
    return Estimate(value, n_raters=n, note=joined(at_bound))


def _too_little(rows: Floats) -> str | None:
    n, k = rows.shape
    if k < 2:
        return "One scale alone has no consistency."
    if n < 2:
        return f"There {'is one complete row' if n else 'are no complete rows'}, and reliability takes at least two."
    return None
