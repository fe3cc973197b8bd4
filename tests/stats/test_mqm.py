"""MQM penalties by hand; the regression against statsmodels' formula interface and numpy."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from analytics_app.stats.errors.mqm import Regression, score_on_counts, segment_penalties


def test_penalties_are_sums_and_nothing_marked_is_zero() -> None:
    # Freitag et al. (2021): major 5, minor 1, minor punctuation 0.1.
    assert segment_penalties([5, 5, 1, 0.1, 0], [0, 0, 2, 2, 3], 5).tolist() == [10, 0, 1.1, 0, 0]
    assert segment_penalties([], np.array([], dtype=int), 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("wrong", [[-1.0], [float("nan")], [float("inf")]])
def test_weights_are_numbers_from_zero(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match=r"weighs|finite"):
        segment_penalties(wrong, [0], 1)


def test_a_million_marks() -> None:
    rng = np.random.default_rng(1)
    segments = rng.integers(100_000, size=1_000_000)
    found = segment_penalties(np.ones(1_000_000), segments, 100_000)
    assert found.sum() == 1_000_000


RNG = np.random.default_rng(3)
COUNTS = RNG.integers(0, 4, (60, 2)).astype(float)
ITEMS = np.repeat(np.arange(20), 3)
SCORES = 95 - 12 * COUNTS[:, 0] - 3 * COUNTS[:, 1] + RNG.normal(0, 4, 60) + RNG.normal(0, 5, 20)[ITEMS]


def fit(scores: object, counts: object, items: object, *names: str) -> Regression:
    return score_on_counts(scores, counts, items, names=names, confidence=0.95)


def test_slopes_as_statsmodels_has_them_from_a_formula() -> None:
    frame = pd.DataFrame({"y": SCORES, "a": COUNTS[:, 0], "b": COUNTS[:, 1], "item": ITEMS})
    other = smf.ols("y ~ a + b", frame).fit(cov_type="cluster", cov_kwds={"groups": frame["item"]}, use_t=True)
    found = fit(SCORES, COUNTS, ITEMS, "major", "minor")
    for one, name in zip((found.intercept, *found.slopes), ("Intercept", "a", "b"), strict=True):
        assert one.value == pytest.approx(other.params[name])
        assert one.se == pytest.approx(other.bse[name])
        assert (one.low, one.high) == pytest.approx(tuple(other.conf_int().loc[name]))
        assert one.p == pytest.approx(other.pvalues[name])
        assert (one.df, one.n_ratings, one.n_items) == (19, 60, 20)
    assert found.r_squared == pytest.approx(other.rsquared)


def test_standard_errors_are_the_sandwich_of_clusters() -> None:
    x = np.column_stack([np.ones(60), COUNTS])
    bread = np.linalg.inv(x.T @ x)
    residuals = SCORES - x @ (bread @ x.T @ SCORES)
    sums = np.array([(x * residuals[:, None])[item == ITEMS].sum(axis=0) for item in range(20)])
    meat = sums.T @ sums * (20 / 19) * (59 / 57)
    se = np.sqrt(np.diag(bread @ meat @ bread))
    found = fit(SCORES, COUNTS, ITEMS, "major", "minor")
    assert [one.se for one in (found.intercept, *found.slopes)] == pytest.approx(se)


@pytest.mark.parametrize(
    ("scores", "counts", "items", "said"),
    [
        ([], np.empty((0, 1)), np.array([], dtype=int), "are too few"),
        ([1, 2, 3, 4], [[0], [1], [2], [0]], [0, 0, 1, 1], "4 scores of 2 items are too few"),
        ([1, 2], [[0], [1]], [0, 1], "too few"),
        ([5, 5, 5, 5], [[0], [1], [2], [0]], [0, 1, 2, 3], "All scores are the same"),
        ([1, 2, 3, 4], [[1], [1], [1], [1]], [0, 1, 2, 3], "the same number of errors"),
    ],
)
def test_what_cannot_be_fitted_is_a_sentence(scores: object, counts: object, items: object, said: str) -> None:
    found = fit(scores, counts, items, "major")
    assert found.intercept.value is None
    assert said in str(found.intercept.note)
    assert found.r_squared is None


def test_kinds_that_come_together_cannot_be_told_apart() -> None:
    counts = np.column_stack([COUNTS[:, 0], COUNTS[:, 0]])
    assert "cannot be told apart" in str(fit(SCORES, counts, ITEMS, "major", "minor").intercept.note)


def test_a_kind_that_never_varies_is_left_out_and_named() -> None:
    counts = np.column_stack([COUNTS[:, 0], np.zeros(60)])
    found = fit(SCORES, counts, ITEMS, "major", "critical")
    assert found.slopes[0].value is not None
    assert found.slopes[1].value is None
    assert str(found.intercept.note) == "Left out, as they do not vary: critical."


def test_a_line_that_fits_exactly_has_no_interval_that_is_not_a_number() -> None:
    found = fit([3, 2, 1, 0], [[0], [1], [2], [3]], [0, 1, 2, 3], "major")
    assert found.slopes[0].value == pytest.approx(-1)


def test_shapes_must_fit() -> None:
    with pytest.raises(ValueError, match="counts for each"):
        fit([1, 2], [[1]], [0, 1], "major")
