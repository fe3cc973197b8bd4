"""Shift by wording, and by wording and system: against t tests of raters, and with planted effects."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from analytics_app.stats.mixed import wordings
from analytics_app.stats.mixed.wordings import RATER_MEANS, compare_wordings

Floats = NDArray[np.float64]


def ratings(
    seed: int,
    *,
    n_wordings: int = 2,
    raters: int = 5,
    systems: int = 2,
    items: int = 30,
    gain: float = 0.0,
    shift: float = 0.0,
    leaning: float = 0.4,
) -> tuple[Floats, dict[str, NDArray[np.int64]]]:
    """Ratings of every text by every rater; the last wording shifts all systems, and gives the first system a gain."""
    rng = np.random.default_rng(seed)
    rater, item, system = (grid.ravel() for grid in np.indices((n_wordings * raters, items, systems)))
    wording = rater % n_wordings
    values = 3 + rng.normal(0, 0.9, items)[item] + rng.normal(0, 0.4, (items, systems))[item, system]
    values += rng.normal(0, 0.4, n_wordings * raters)[rater]
    values += rng.normal(0, leaning, (n_wordings * raters, systems))[rater, system]
    last = wording == n_wordings - 1
    values += shift * last + gain * (last & (system == 0)) + rng.normal(0, 0.8, rater.size)
    return values, {"wordings": wording, "systems": system, "items": item, "raters": rater}


def compared(values: Floats, codes: dict[str, NDArray[np.int64]]) -> wordings.WordingComparison:
    counts = {f"n_{name}": int(codes[name].max()) + 1 for name in ("wordings", "systems")}
    return compare_wordings(values, *codes.values(), **counts, confidence=0.95)


def test_in_complete_data_the_tests_are_t_tests_of_raters() -> None:
    """Where every rater judges every text and texts do not vary with the wording, the model is a split plot.

    The level of a rater is tested by Student's t between the groups, and so is the difference of a rater's systems.
    """
    values, codes = ratings(4)
    found = compared(values, codes)
    assert found.zero == ("system_item",)
    table = values.reshape(10, 30, 2).mean(axis=1)
    group = np.arange(10) % 2 == 1
    level = stats.ttest_ind(table[group].mean(axis=1), table[~group].mean(axis=1))
    own = stats.ttest_ind(*(np.diff(table[mask], axis=1).ravel() for mask in (group, ~group)))
    interval = level.confidence_interval(0.95)
    (shift,) = found.shifts
    assert (shift.low, shift.high, shift.p, shift.df) == pytest.approx(
        (interval.low, interval.high, level.pvalue, 8), abs=2e-4
    )
    assert found.shift_test.p == pytest.approx(level.pvalue, abs=2e-4)
    assert found.system_test.p == pytest.approx(own.pvalue, abs=2e-4)
    first, second = found.by_system[0]
    assert first.value == pytest.approx(-(second.value or 0.0))
    assert found.system_test.f == pytest.approx(own.statistic**2, abs=1e-3)


def test_a_planted_gain_of_one_system_is_found_and_a_shift_alone_is_none() -> None:
    found = compared(*ratings(7, n_wordings=3, systems=3, gain=1.2, raters=6))
    assert found.system_test.p is not None
    assert found.system_test.p < 0.001
    assert (found.system_test.df, found.shift_test.df) == (4, 2)
    gains = np.array([[one.value for one in row] for row in found.by_system])
    assert np.argmax(gains) == gains.shape[1]  # of the second wording, the first system
    # The system gains 1.2, of which a third is the average gain.
    assert found.by_system[1][0].value == pytest.approx(0.8, abs=0.4)
    moved = compared(*ratings(8, systems=3, shift=1.5, raters=8))
    assert moved.shift_test.p is not None
    assert moved.shift_test.p < 0.001
    assert moved.system_test.p is not None
    assert moved.system_test.p > 0.05


def test_two_raters_a_wording_are_described_and_not_tested() -> None:
    found = compared(*ratings(3, raters=2, shift=2.0))
    assert [(one.value is not None, one.low, one.p) for one in (*found.shifts, *found.by_system[0])] == [
        (True, None, None)
    ] * 3
    assert found.shift_test.p is found.system_test.p is None
    assert "Fewer than 3 raters" in str(found.note)


@pytest.mark.parametrize("beyond", [True, False])
def test_beyond_the_limits_of_the_model_means_of_raters_are_compared(
    monkeypatch: pytest.MonkeyPatch, *, beyond: bool
) -> None:
    if beyond:
        monkeypatch.setattr(wordings, "MOST_COLUMNS", 10)
    values, codes = ratings(5, raters=8, systems=3, gain=1.5)
    # Half of the texts are missing at random: texts of one rater are not those of another.
    keep = np.random.default_rng(1).random(values.size) < 0.5
    found = compared(values[keep], {name: code[keep] for name, code in codes.items()})
    assert (found.method == RATER_MEANS) is beyond
    assert found.by_system[0][0].value == pytest.approx(1.0, abs=0.4)
    assert found.system_test.p is not None
    assert found.system_test.p < 0.01
    if beyond:
        assert "means of raters" in str(found.note)


def test_degenerate_ratings_have_no_tests() -> None:
    values, codes = ratings(2)
    same = compared(np.where(codes["wordings"] == 1, 4.0, 3.0), codes)
    assert [one.value for one in same.shifts] == [1.0]
    assert same.shift_test.p is None
    one_system = compared(
        values[codes["systems"] == 0], {name: code[codes["systems"] == 0] for name, code in codes.items()}
    )
    assert one_system.system_test.p is None
    assert one_system.shift_test.p is not None
    unread = codes["wordings"] == 0
    nothing = compare_wordings(
        values[unread], *(code[unread] for code in codes.values()), n_wordings=2, n_systems=2, confidence=0.95
    )
    assert [one.value for one in nothing.shifts] == [None]
    with pytest.raises(ValueError, match="two wordings"):
        compare_wordings(
            values, codes["items"] % 2, *list(codes.values())[1:], n_wordings=2, n_systems=2, confidence=0.95
        )
