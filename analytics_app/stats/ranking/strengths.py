"""Strengths and ranks from models of preferences, and why some systems have none."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.resampling.bootstrap import interval
from analytics_app.stats.values import Estimate, Floats

NEVER = "It was compared with no other system."
ALWAYS_ABOVE = "It never lost to a system that is placed, so its strength has no upper limit."
ALWAYS_BELOW = "It never won against a system that is placed, so its strength has no lower limit."
APART = "Comparisons do not place it among the others: no chain of wins leads from it to them and back."
NOBODY = "No two systems each won once against the other, directly or by way of others, so none can be placed."
NO_END = "The likelihood has no maximum: some outcomes never occurred."


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths and ranks of systems, estimated from comparisons.

    Parameters
    ----------
    strengths : tuple of Estimate, length n_systems
        Logarithms of strengths, with mean 0 over the systems that are placed: the chance that a wins against b (of
        those with a winner) is 1 / (1 + exp(b - a)). None, with the reason, for systems that cannot be placed.
    ranks : tuple of Estimate, length n_systems
        1 is the strongest; the interval is that of the resamples.
    log_ties : Estimate or None
        log nu of Davidson's model; None where ties count half.
    log_likelihood : float or None
    errors : ndarray of float, shape (n_systems, n_systems)
        Covariance of the strengths by the information matrix, 0 where a system is not placed.
    note : str or None
        A note on the whole result.
    """

    strengths: tuple[Estimate, ...]
    ranks: tuple[Estimate, ...]
    log_ties: Estimate | None
    log_likelihood: float | None
    errors: Floats
    note: str | None = None


def unplaced(links: Floats, placed: NDArray[np.bool_]) -> list[str]:
    """Return a note for every system that says why it is not placed; notes of placed systems have no meaning."""
    notes = []
    for k in range(len(links)):
        won, lost = links[k, placed].any(), links[placed, k].any()
        if not (links[k].any() or links[:, k].any()):
            notes.append(NEVER)
        elif not placed.any():
            notes.append(NOBODY)
        else:
            notes.append(ALWAYS_ABOVE if won and not lost else ALWAYS_BELOW if lost and not won else APART)
    return notes


def estimates(
    theta: Floats,
    covariance: Floats,
    samples: Floats | None,
    placed: NDArray[np.bool_],
    notes: list[str],
    confidence: float,
    n_units: int | None,
) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...]]:
    strengths = [Estimate(None, note=note) for note in notes]
    ranks = list(strengths)
    rank = rank_of(theta[np.newaxis])[0]
    rank_samples = None if samples is None else rank_of(samples)
    for i, k in enumerate(np.flatnonzero(placed).tolist()):
        if samples is None or rank_samples is None:
            strengths[k] = Estimate(theta[i], se=float(np.sqrt(covariance[i, i])))
            ranks[k] = Estimate(rank[i])
            continue
        low, high, se, note = interval(samples[:, i], confidence, n_units)
        strengths[k] = Estimate(theta[i], low=low, high=high, se=se, note=note)
        best, worst, _se, note = interval(rank_samples[:, i], confidence, n_units, ranks=low is not None)
        rank_range = None if best is None or worst is None else (float(np.floor(best)), float(np.ceil(worst)))
        ranks[k] = Estimate(rank[i], low=rank_range and rank_range[0], high=rank_range and rank_range[1], note=note)
    return tuple(strengths), tuple(ranks)


def rank_of(strengths: Floats) -> Floats:
    """Return ranks within each row, 1 the highest; equal values share the best rank, NaN stays.

    Examples
    --------
    >>> rank_of(np.array([[0.5, 2.0, 0.5]])).tolist()
    [[2.0, 1.0, 2.0]]
    """
    above = (strengths[:, np.newaxis, :] > strengths[:, :, np.newaxis]).sum(axis=2)
    return np.where(np.isnan(strengths), np.nan, above + 1.0)
