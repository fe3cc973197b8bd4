"""Precision, recall and F1 from summed counts, against sums written out."""

import numpy as np
import pytest

from analytics_app.stats.errors.predicted import NOTHING_PREDICTED, NOTHING_TO_FIND, Counts, Found, micro_f1s

OPTIONS = {"unit": "items", "confidence": 0.95}


def found(counts: list[list[float]], **more: object) -> Found:
    """One figure over comparisons in an item each."""
    entries = Counts(
        np.array(counts, dtype=float).reshape(-1, 4), np.zeros(len(counts), dtype=int), np.arange(len(counts))
    )
    (figure,), _none = micro_f1s(entries, 1, n_resamples=0, rng=np.random.default_rng(1), **OPTIONS, **more)
    return figure


@pytest.mark.parametrize(
    ("counts", "precision", "recall", "f1"),
    [
        ([[2, 4, 1, 3]], 1 / 2, 3 / 4, 0.6),
        # Texts with more marks weigh more.
        ([[1, 1, 1, 1], [9, 9, 0, 0]], 1 / 10, 1 / 10, 1 / 10),
        ([[0, 3, 0, 0]], None, 0, 0),
        ([[3, 0, 0, 0]], 0, None, 0),
        ([[0, 0, 0, 0]], None, None, None),
        ([], None, None, None),
        ([[2, 2, 0, 0]], 0, 0, 0),
    ],
)
def test_figures_by_hand(counts: list[list[float]], precision: float, recall: float, f1: float) -> None:
    figure = found(counts)
    values = (figure.precision.value, figure.recall.value, figure.f1.value)
    assert list(values) == [None if value is None else pytest.approx(value) for value in (precision, recall, f1)]
    assert figure.f1.n_items == len(counts)


def test_what_is_undefined_says_why() -> None:
    assert found([[0, 3, 0, 0]]).precision.note == found([[0, 3, 0, 0]]).f1.note == NOTHING_PREDICTED
    assert found([[3, 0, 0, 0]]).recall.note == NOTHING_TO_FIND
    assert found([[2, 4, 1, 3]]).f1.note is None


def test_intervals_resample_whole_units_and_differences_pair_them() -> None:
    """Ten items of two comparisons each: figure 1 is figure 0 with half of the credit."""
    rng = np.random.default_rng(3)
    n = rng.integers(1, 6, size=(20, 2)).astype(float)
    counts = np.column_stack([n, n * rng.uniform(size=(20, 2))])
    unit = np.repeat(np.arange(10), 2)
    halved = counts * [1, 1, 0.5, 0.5]
    entries = Counts(np.vstack([counts, halved]), np.repeat([0, 1], 20), np.tile(unit, 2))
    figures, (difference,) = micro_f1s(
        entries, 2, differences=[(0, 1)], n_resamples=400, rng=np.random.default_rng(5), **OPTIONS
    )

    def f1(rows: np.ndarray) -> float:
        n_a, n_b, a, b = rows.sum(axis=0)
        return float(2 * a / n_a * b / n_b / (a / n_a + b / n_b))

    assert figures[0].f1.value == pytest.approx(f1(counts))
    assert difference.value == pytest.approx(f1(counts) / 2)
    # The same draws, one unit at a time.
    drawn = np.random.default_rng(5).integers(10, size=(256, 10)), np.random.default_rng(5)
    drawn[1].integers(10, size=(256, 10))
    draws = np.vstack([drawn[0], drawn[1].integers(10, size=(144, 10))])
    resampled = [f1(np.vstack([counts[unit == one] for one in units])) for units in draws.tolist()]
    assert (figures[0].f1.low, figures[0].f1.high) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])))
    assert (difference.low, difference.high) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975]) / 2))


def test_one_unit_has_no_interval() -> None:
    entries = Counts(np.array([[1, 1, 1, 1.0], [1, 2, 0, 0]]), np.zeros(2, dtype=int), np.zeros(2, dtype=int))
    (figure,), _none = micro_f1s(entries, 1, n_resamples=50, rng=np.random.default_rng(1), **OPTIONS)
    assert figure.f1.low is None
    assert figure.f1.note == "One item is too few for an interval."
