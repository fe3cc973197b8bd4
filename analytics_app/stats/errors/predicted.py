"""Precision, recall and F1 of predictions, such as the marks of a metric, from counts that are summed over texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics_app.stats.resampling.bootstrap import check_settings, interval, weights
from analytics_app.stats.resampling.pair_sums import few_drawn
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, compressed, joined

NOTHING = "Neither side has any, so there is nothing to find."
NOTHING_PREDICTED = "Nothing was predicted, so precision is undefined, and F1 counts as 0."
NOTHING_TO_FIND = "People have none, so recall is undefined, and F1 counts as 0."
ONE_UNIT = "One {unit} is too few for an interval."


@dataclass(frozen=True, slots=True)
class Found:
    """Precision, recall and F1 of a set of texts."""

    precision: Estimate
    recall: Estimate
    f1: Estimate


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of comparisons of a prediction with a person, one entry for each comparison and figure that it is part of.

    Parameters
    ----------
    counts : ndarray of float, shape (n, 4)
        What was predicted, what the person has, the credit of what was predicted, the credit of what the person has.
    figure : ndarray of int, shape (n,)
        The figure that an entry is summed into, by codes from 0.
    unit : ndarray of int, shape (n,)
        The unit of resampling, such as the item or the document, by codes from 0.
    """

    counts: Floats
    figure: Codes
    unit: Codes

    def __post_init__(self) -> None:
        n = len(self.counts)
        if self.counts.shape != (n, 4):
            raise ValueError(f"There are four counts for each comparison, not shape {self.counts.shape}.")
        checked_codes(self.figure, n)
        checked_codes(self.unit, n)


def micro_f1s(
    entries: Counts,
    n_figures: int,
    *,
    differences: Sequence[tuple[int, int]] = (),
    unit: str,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[list[Found], list[Estimate]]:
    """Precision, recall and F1 = 2 P R / (P + R) of each figure, micro over its comparisons, and differences of F1.

    Precision is the sum of the credits of what was predicted over its number, recall the same for what people have.
    Where nothing was predicted, precision is undefined, and F1 is 0 if people have something. Where people have
    nothing, recall is undefined, and F1 is 0 if something was predicted. Where neither side has anything, all three are
    undefined.

    Parameters
    ----------
    entries : Counts
    n_figures : int
    differences : sequence of (int, int)
        Figures whose F1 are compared, first minus second.
    unit : str
        The name of the resampled units in the plural, such as "items".
    n_resamples : int
        Bootstrap samples over units, shared by all figures; 0 gives no interval.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    list of Found
        `n_items` counts the units with an entry.
    list of Estimate
        The differences.

    Examples
    --------
    >>> entries = Counts(np.array([[2, 1, 1, 1], [0, 3, 0, 0]], dtype=float), np.array([0, 0]), np.array([0, 1]))
    >>> options = {"unit": "items", "n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    >>> (found,), _differences = micro_f1s(entries, 1, **options)
    >>> found.precision.value, found.recall.value, round(found.f1.value, 4)
    (0.5, 0.25, 0.3333)
    """
    check_settings(n_resamples, confidence)
    checked_codes(entries.figure, len(entries.figure), below=n_figures)
    totals = np.zeros((n_figures, 4))
    np.add.at(totals, entries.figure, entries.counts)
    unit_codes, units = compressed(entries.unit)
    pairs = np.unique(entries.figure * max(unit_codes.size, 1) + units)
    n_units = np.bincount(pairs // max(unit_codes.size, 1), minlength=n_figures)
    samples = _samples(entries, units, unit_codes.size, n_figures, n_resamples if unit_codes.size > 1 else 0, rng)
    limits = _Limits(unit, confidence, n_resamples > 0)
    values = _figures(totals)
    found = []
    for figure in range(n_figures):
        n_predicted, n_of_people = totals[figure, :2]
        notes: list[str | None] = [None, None, None]
        if not n_predicted and not n_of_people:
            notes = [NOTHING] * 3
        elif not n_predicted:
            notes = [NOTHING_PREDICTED, None, NOTHING_PREDICTED]
        elif not n_of_people:
            notes = [None, NOTHING_TO_FIND, NOTHING_TO_FIND]
        found.append(
            Found(*(
                limits.estimate(values[place][figure], samples[place, :, figure], int(n_units[figure]), notes[place])
                for place in range(3)
            ))
        )  # fmt: skip
    compared = []
    for a, b in differences:
        n = int(min(n_units[a], n_units[b]))
        undefined = "One of the two is undefined." if np.isnan(values[2][[a, b]]).any() else None
        value = values[2][a] - values[2][b]
        compared.append(limits.estimate(value, samples[2, :, a] - samples[2, :, b], n, undefined))
    return found, compared


@dataclass(frozen=True, slots=True)
class _Limits:
    """How values get their intervals."""

    unit: str
    confidence: float
    wanted: bool

    def estimate(self, value: float, samples: Floats, n_units: int, note: str | None) -> Estimate:
        """Return the value of a figure over a number of units with the interval of its samples."""
        if np.isnan(value):
            return Estimate(None, n_items=n_units, note=note or NOTHING)
        if not self.wanted:
            return Estimate(float(value), n_items=n_units, note=note)
        if n_units < 2:
            return Estimate(float(value), n_items=n_units, note=joined(note, ONE_UNIT.format(unit=self.unit[:-1])))
        low, high, se, about = interval(samples, self.confidence, n_units)
        few = few_drawn(n_units, self.unit) if low is not None else None
        return Estimate(float(value), low=low, high=high, se=se, n_items=n_units, note=joined(note, about, few))


def _samples(
    entries: Counts, units: Codes, n_units: int, n_figures: int, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """Return precision, recall and F1 in resamples of units, shape (3, n_resamples, n_figures)."""
    if not n_resamples:
        return np.zeros((3, 0, n_figures))
    # Lazy import: scipy.sparse loads slowly, and web processes do not resample.
    from scipy.sparse import csr_array  # noqa: PLC0415

    row, column = np.repeat(units, 4), (4 * entries.figure[:, np.newaxis] + np.arange(4)).ravel()
    cells = entries.counts.ravel()
    filled = cells != 0
    width = 4 * n_figures
    table = csr_array((cells[filled], (row[filled], column[filled])), shape=(n_units, width))
    drawn = [
        np.stack(_figures((table.T @ chunk.T.astype(np.float64)).T.reshape(-1, n_figures, 4)))
        for chunk in weights(n_units, n_resamples, rng, width=width)
    ]
    return np.concatenate(drawn, axis=1)


def _figures(totals: Floats) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 from sums of the four counts along the last axis, NaN where undefined."""
    n_predicted, n_of_people, of_predicted, of_people = np.moveaxis(totals, -1, 0)
    undefined = np.full(n_predicted.shape, np.nan)
    precision = np.divide(of_predicted, n_predicted, out=undefined.copy(), where=n_predicted > 0)
    recall = np.divide(of_people, n_of_people, out=undefined.copy(), where=n_of_people > 0)
    p, r = np.nan_to_num(precision), np.nan_to_num(recall)
    f1 = np.divide(2 * p * r, p + r, out=np.zeros(p.shape), where=p + r > 0)
    return precision, recall, np.where(n_predicted + n_of_people > 0, f1, np.nan)
