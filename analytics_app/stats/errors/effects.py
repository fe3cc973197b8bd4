"""Effects of errors by type: regressions of scores of texts on counts of their errors, by ordinary least squares."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Estimate, Floats

__all__ = ["Effects", "effects_of_errors"]

# A remainder of scores, or of a column, below this share of its size is rounding error.
NOTHING = 1e-9

NO_TEXTS = "No text has both a score and a count of every type of error."
FEW = "{n} texts are too few for {k} coefficients, the score without errors included."
CONSTANT = "The count of “{name}” is the same in all of these texts, so its effect cannot be told. Leave it out."
FOLLOWS = (
    "The count of “{name}” follows exactly from the others in these texts ({others}), so their effects cannot be told "
    "apart. Leave one of them out."
)
EXACT = "The counts explain these scores completely, so there is no interval and no test."
SAME = "All scores are the same, so there is no share of variance to explain."


@dataclass(frozen=True, slots=True)
class Effects:
    """A regression of scores on counts of errors.

    Parameters
    ----------
    intercept : Estimate
        The score of a text without errors.
    effects : tuple of Estimate
        The change of the score with one more error of each type, the others held fixed. Empty if the regression
        is refused: `intercept.note` then says why.
    r_squared : Estimate
        Share of the variance that the counts explain; no interval.
    n : int
        Texts with a score and all counts.
    """

    intercept: Estimate
    effects: tuple[Estimate, ...]
    r_squared: Estimate
    n: int


def effects_of_errors(scores: ArrayLike, counts: ArrayLike, names: Sequence[str], *, confidence: float) -> Effects:
    """Regress the scores of texts on their numbers of errors of each type, by ordinary least squares.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        NaN = no score.
    counts : array_like of float, shape (n, k)
        NaN = not counted; such a text is left out.
    names : sequence of str, length k
        The types of errors, for sentences.
    confidence : float

    Returns
    -------
    Effects
        Intervals and p values from t with n - k - 1 degrees of freedom, under errors that are independent and of equal
        variance. Nothing is estimated where a count is constant or follows from the others, or where texts are too few.

    Raises
    ------
    ValueError
        Wrong shapes.

    Examples
    --------
    >>> fit = effects_of_errors([7, 5, 6, 3], [[0], [1], [1], [2]], ["silence"], confidence=0.95)
    >>> round(fit.intercept.value, 2), round(fit.effects[0].value, 2), round(fit.r_squared.value, 2)
    (7.25, -2.0, 0.91)
    """
    from scipy.stats import t  # noqa: PLC0415  slow to import

    y, x = np.asarray(scores, dtype=float), np.asarray(counts, dtype=float)
    if y.ndim != 1 or x.shape != (len(y), len(names)):
        raise ValueError("Counts are a table with a row for each score and a column for each name.")
    known = ~np.isnan(y) & ~np.isnan(x).any(axis=1)
    y, x = y[known], x[known]
    n, k = len(y), len(names) + 1
    if reason := _problem(x, names):
        refused = Estimate(None, n_items=n, note=reason)
        return Effects(refused, (), refused, n)
    design = np.column_stack((np.ones(n), x))
    coefficients, *_rest = np.linalg.lstsq(design, y, rcond=None)
    residual = float(((y - design @ coefficients) ** 2).sum())
    total = float(((y - y.mean()) ** 2).sum())
    size = max(1.0, float(np.abs(y).max())) * NOTHING
    spread = total > n * size**2
    r_squared = Estimate(1 - residual / total if spread else None, n_items=n, note=None if spread else SAME)
    if residual <= n * size**2:
        exact = [Estimate(_rounded(coefficient), n_items=n, note=EXACT) for coefficient in coefficients]
        return Effects(exact[0], tuple(exact[1:]), r_squared, n)
    df = n - k
    errors = np.sqrt(residual / df * np.diag(np.linalg.inv(design.T @ design)))
    width = float(t.ppf((1 + confidence) / 2, df))
    estimates = [
        Estimate(
            b, low=b - width * se, high=b + width * se, se=se, df=df, p=float(2 * t.sf(abs(b) / se, df)), n_items=n
        )
        for b, se in zip(coefficients.tolist(), errors.tolist(), strict=True)
    ]
    return Effects(estimates[0], tuple(estimates[1:]), r_squared, n)


def _problem(x: Floats, names: Sequence[str]) -> str | None:
    """Return the reason why these counts have no regression, or None."""
    n, k = len(x), len(names) + 1
    if not n:
        return NO_TEXTS
    centred = x - x.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    basis = np.empty((n, 0))
    for place, name in enumerate(names):
        if size[place] <= NOTHING * max(1.0, float(np.abs(x[:, place]).max())) * np.sqrt(n):
            return CONSTANT.format(name=name)
        column = centred[:, place] / size[place]
        remainder = column - basis @ (basis.T @ column)
        if np.linalg.norm(remainder) <= np.sqrt(NOTHING):
            return FEW.format(n=n, k=k) if n <= k else FOLLOWS.format(name=name, others=", ".join(names[:place]))
        basis = np.column_stack((basis, remainder / np.linalg.norm(remainder)))
    return FEW.format(n=n, k=k) if n <= k else None


def _rounded(value: float) -> float:
    """Return a coefficient of an exact fit without the noise of its computation."""
    return float(np.round(value, 12)) + 0.0
