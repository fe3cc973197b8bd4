"""The common part of correlations of metrics: Pearson's r, its p, and intervals from resamples."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.metrics.exact_correlation import MOST, exact_p
from analytics_app.stats.resampling.bootstrap import interval
from analytics_app.stats.resampling.pair_sums import few_drawn
from analytics_app.stats.values import Estimate, Floats, joined

# The note where means of systems are over different test sets.
APART = (
    "Some systems share no item with the others: their means are of different test sets, and differences between the "
    "sets enter the correlation. Analyse each set on its own, with slices of a feature."
)
# Correlations closer to 1 than this differ from 1 by rounding only.
_PERFECT = 1e-12


def r_of(x: Floats, y: Floats) -> float:
    """Return Pearson's r of two sides that vary, shape (n,) both."""
    dx, dy = x - x.mean(), y - y.mean()
    # Scaled, so that no square is too small for a float.
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(np.clip(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)), -1, 1))


def p_of(r: float, x: Floats, y: Floats) -> tuple[float, float | None]:
    """Return the two-sided p of a correlation, with its degrees of freedom where it is from the t distribution."""
    n = x.size
    if n <= MOST or abs(r) > 1 - _PERFECT:
        return exact_p(x, y), None
    from scipy.special import stdtr  # noqa: PLC0415  as scipy.stats has it, without the checks that take longer

    return float(2 * stdtr(n - 2, -abs(r) * sqrt((n - 2) / (1 - r * r)))), float(n - 2)


def with_interval(value: float, samples: Floats, n: int, n_items: int, confidence: float) -> Estimate:
    """Return a value over n texts or systems with its interval from resamples of items; none without samples."""
    if not samples.size:
        note = "One item, or document, is too few for an interval." if n_items < 2 else None
        return Estimate(value, n_ratings=n, n_items=n_items, note=note)
    low, high, se, interval_note = interval(samples, confidence, n_items)
    few_note = None if low is None else few_drawn(n_items, "items or documents")
    return Estimate(
        value, low=low, high=high, se=se, n_ratings=n, n_items=n_items, note=joined(interval_note, few_note)
    )


def linked(judged: NDArray[np.bool_]) -> bool:
    """Return whether chains of shared items link all systems; `judged` has shape (n_items, n_systems)."""
    shares = (judged.T.astype(np.int64) @ judged) > 0
    reached = shares[0]
    for _system in range(len(shares)):
        reached = shares[reached].any(axis=0)
    return bool(reached.all())


def column_means(matrix: Floats) -> Floats:
    """Return the mean of each column over its values that are not NaN."""
    counts = (~np.isnan(matrix)).sum(axis=0)
    result: Floats = np.nansum(matrix, axis=0) / counts
    return result
