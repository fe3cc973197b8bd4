"""Scores from error marks: the penalty of a segment, and the regression of a score on counts of errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Estimate, Floats, checked_codes, checked_values, compressed, joined


def segment_penalties(weights: ArrayLike, segments: ArrayLike, n_segments: int) -> Floats:
    """Penalty of each segment: the sum of the weights of its errors; 0 without errors, more is worse [1]_.

    Parameters
    ----------
    weights : array_like of float, shape (n_errors,)
        Weight of each marked error, at least 0.
    segments : array_like of int, shape (n_errors,)
        Codes 0 to n_segments - 1 of the segment (a text as one rater saw it) of each error.
    n_segments : int
        Number of segments, including those without errors.

    Returns
    -------
    ndarray of float, shape (n_segments,)

    Raises
    ------
    ValueError
        A weight is negative, NaN or infinite, or a code does not fit.

    References
    ----------
    .. [1] M. Freitag, G. Foster, D. Grangier, V. Ratnakar, Q. Tan and W. Macherey (2021). Experts, errors, and
       context: a large-scale study of human evaluation for machine translation. TACL 9, 1460-1474.

    Examples
    --------
    >>> segment_penalties([5, 1, 0.1], [0, 0, 2], 3).tolist()
    [6.0, 0.0, 0.1]
    """
    numbers = checked_values(weights)
    if np.isnan(numbers).any() or (numbers < 0).any():
        raise ValueError("Every error weighs 0 or more.")
    codes = checked_codes(segments, numbers.size, below=n_segments)
    return np.bincount(codes, weights=numbers, minlength=n_segments).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True)
class Regression:
    """A score explained by counts of errors.

    Parameters
    ----------
    intercept : Estimate
        The fitted score of a text without errors.
    slopes : tuple of Estimate
        For each kind of error, the change of the score with one more error.
    r_squared : float or None
        Share of the variance of the score that the counts explain.
    """

    intercept: Estimate
    slopes: tuple[Estimate, ...]
    r_squared: float | None


def score_on_counts(
    scores: ArrayLike, counts: ArrayLike, clusters: ArrayLike, *, names: Sequence[str], confidence: float
) -> Regression:
    """Regress a score on counts of errors by least squares, with standard errors clustered by item [1]_.

    score = intercept + sum of slope times count. Scores of one item are not independent, so the standard errors are
    those of clusters, with clusters - 1 degrees of freedom.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        Without NaN.
    counts : array_like of float, shape (n, k)
        How many errors of each kind the scored text has.
    clusters : array_like of int, shape (n,)
        Codes from 0 of the items.
    names : sequence of str, length k
        Names of the kinds for notes.
    confidence : float

    Returns
    -------
    Regression
        Without values, but with a note, if nothing can be fitted: fewer than 3 items, as many unknowns as
        scores, a score that never varies, or kinds of error that always come in the same numbers together. A kind that
        never varies has no slope and is left out of the model.

    Raises
    ------
    ValueError
        Shapes do not fit.

    References
    ----------
    .. [1] A. C. Cameron and D. L. Miller (2015). A practitioner's guide to cluster-robust inference. Journal of Human
       Resources 50(2), 317-372.

    Examples
    --------
    >>> found = score_on_counts(
    ...     [100, 90, 81, 99, 91, 80], [[0], [1], [2], [0], [1], [2]], [0, 1, 2, 3, 4, 5], names=["major"],
    ...     confidence=0.95,
    ... )
    >>> round(found.intercept.value, 2), round(found.slopes[0].value, 2)
    (99.67, -9.5)
    """
    y = checked_values(scores)
    x = np.asarray(counts, dtype=np.float64)
    if x.shape != (y.size, len(names)) or np.isnan(x).any() or np.isnan(y).any():
        raise ValueError(f"There are {y.size} scores, and {len(names)} counts for each.")
    codes = checked_codes(clusters, y.size)
    varying = [i for i in range(len(names)) if y.size and np.ptp(x[:, i]) > 0]
    design = np.column_stack([np.ones(y.size), x[:, varying]])
    n_items = compressed(codes)[0].size
    problem = _problem(y, design, n_items)
    if problem is not None:
        undefined = Estimate(None, n_ratings=y.size, n_items=n_items, note=problem)
        return Regression(undefined, tuple(undefined for _name in names), None)
    return _fitted(y, design, codes, varying, names, confidence, n_items)


def _problem(y: Floats, design: Floats, n_items: int) -> str | None:
    """Return a note that says why there is no regression, or None."""
    if n_items < 3 or y.size <= design.shape[1]:
        return (
            f"{y.size} scores of {n_items} items are too few: a regression takes at least 3 items, and more scores "
            f"than its {design.shape[1]} unknowns."
        )
    if np.ptp(y) == 0:
        return "All scores are the same, so there is nothing to explain."
    if design.shape[1] == 1:
        return "Every text has the same number of errors, so they explain nothing."
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return "Some kinds of error always come in the same numbers together, so their effects cannot be told apart."
    return None


def _fitted(
    y: Floats,
    design: Floats,
    codes: np.ndarray[tuple[int], np.dtype[np.intp]],
    varying: Sequence[int],
    names: Sequence[str],
    confidence: float,
    n_items: int,
) -> Regression:
    # Lazy import: statsmodels takes a second to load, and only a regression needs it.
    import statsmodels.api as sm  # noqa: PLC0415

    model = sm.OLS(y, design)
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    limits = fit.conf_int(alpha=1 - confidence)

    def estimate(column: int, note: str | None = None) -> Estimate:
        numbers = {"low": limits[column][0], "high": limits[column][1], "se": fit.bse[column], "p": fit.pvalues[column]}
        exact = not all(np.isfinite(number) for number in numbers.values())
        interval = {} if exact else {**numbers, "df": float(n_items - 1)}
        note = joined("The line fits exactly, so there is no interval." if exact else None, note)
        return Estimate(float(fit.params[column]), n_ratings=y.size, n_items=n_items, note=note, **interval)

    slopes = []
    for kind, name in enumerate(names):
        if kind in varying:
            slopes.append(estimate(1 + varying.index(kind)))
        else:
            note = f"Every text has the same number of {name} errors, so these are left out."
            slopes.append(Estimate(None, n_ratings=y.size, n_items=n_items, note=note))
    constant = ", ".join(name for kind, name in enumerate(names) if kind not in varying)
    intercept = estimate(0, f"Left out, as they do not vary: {constant}." if constant else None)
    return Regression(intercept, tuple(slopes), float(fit.rsquared))
