"""Scores by counts of errors: statsmodels' least squares, and what is refused."""

import numpy as np
import pytest
import statsmodels.api as sm

from analytics_app.stats.errors.effects import effects_of_errors

RNG = np.random.default_rng(5)
COUNTS = RNG.poisson(0.7, (40, 3)).astype(float)
SCORES = 7 - COUNTS @ np.array([2.0, 0.5, 0.0]) + RNG.normal(0, 0.6, 40)
NAMES = ("border", "noise", "silence")


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_as_statsmodels_has_it(confidence: float) -> None:
    scores, counts = SCORES.copy(), COUNTS.copy()
    scores[3], counts[7, 1] = np.nan, np.nan
    found = effects_of_errors(scores, counts, NAMES, confidence=confidence)
    keep = [place for place in range(40) if place not in {3, 7}]
    oracle = sm.OLS(SCORES[keep], sm.add_constant(COUNTS[keep])).fit()
    assert found.n == 38
    for place, one in enumerate((found.intercept, *found.effects)):
        assert one.value == pytest.approx(oracle.params[place])
        assert one.se == pytest.approx(oracle.bse[place])
        assert one.p == pytest.approx(oracle.pvalues[place], rel=1e-6)
        assert (one.low, one.high) == pytest.approx(tuple(oracle.conf_int(alpha=1 - confidence)[place]))
        assert one.df == oracle.df_resid
    assert found.r_squared.value == pytest.approx(oracle.rsquared)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (np.column_stack((COUNTS, COUNTS[:, 0] + 2 * COUNTS[:, 1])), "The count of “both” follows exactly from"),
        (np.column_stack((COUNTS, np.full(40, 3.0))), "The count of “both” is the same in all of these texts"),
        (np.column_stack((COUNTS, 2 - COUNTS[:, 2])), "others in these texts (border, noise, silence)"),
    ],
)
def test_counts_that_cannot_be_told_apart_are_refused(counts: np.ndarray, sentence: str) -> None:
    found = effects_of_errors(SCORES, counts, (*NAMES, "both"), confidence=0.95)
    assert found.effects == ()
    assert found.intercept.value is None
    assert sentence in str(found.intercept.note)


def test_counts_that_nearly_follow_from_each_other_are_not_refused() -> None:
    nearly = COUNTS[:, 0].copy()
    nearly[0] += 1
    found = effects_of_errors(SCORES, np.column_stack((COUNTS, nearly)), (*NAMES, "nearly"), confidence=0.95)
    assert len(found.effects) == 4


def test_few_texts_are_refused() -> None:
    found = effects_of_errors(SCORES[:4], [[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]], NAMES, confidence=0.95)
    assert found.intercept.note == "4 texts are too few for 4 coefficients, the score without errors included."
    nothing = effects_of_errors([np.nan], [[0, 0, 0]], NAMES, confidence=0.95)
    assert nothing.intercept.note == "No text has both a score and a count of every type of error."
    with pytest.raises(ValueError, match="a column for each name"):
        effects_of_errors(SCORES, COUNTS, ("border",), confidence=0.95)


def test_scores_without_residue_have_no_interval() -> None:
    exact = effects_of_errors(7 - 2 * COUNTS[:, 0], COUNTS, NAMES, confidence=0.95)
    assert [one.value for one in exact.effects] == pytest.approx([-2, 0, 0])
    assert {one.low for one in exact.effects} == {None}
    assert exact.r_squared.value == pytest.approx(1)
    same = effects_of_errors(np.full(40, 4.0), COUNTS, NAMES, confidence=0.95)
    assert same.r_squared.value is None
    assert "All scores are the same" in str(same.r_squared.note)
