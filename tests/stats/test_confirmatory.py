"""Confirmatory factors, against lavaan 0.6-14 on correlations of Holzinger and Swineford (1939), 301 pupils."""

import numpy as np
import pytest

from analytics_app.stats.scales.confirmatory import confirm, degrees_of_freedom, robust_fit

# Correlations of x1 to x9 of R's lavaan::HolzingerSwineford1939, below the diagonal, column by column, to 4 digits.
BELOW = [
    0.2973, 0.4407, 0.3727, 0.2934, 0.3568, 0.0669, 0.2239, 0.3903, 0.3398, 0.1529, 0.1394, 0.1925, -0.0757, 0.0923,
    0.2060, 0.1586, 0.0772, 0.1977, 0.0719, 0.1860, 0.3287, 0.7332, 0.7045, 0.1738, 0.1069, 0.2078, 0.7200, 0.1020,
    0.1387, 0.2275, 0.1211, 0.1496, 0.2142, 0.4868, 0.3406, 0.4490,
]  # fmt: skip
N = 301

# Chi-squared, df and p of lavaan's test "mean.var.adjusted" on the values of `clustered`.
ADJUSTED = (5.753533940680, 3.935476599682, 0.211591310164)


def pupils() -> np.ndarray:
    """Return the correlations of the nine tests."""
    r = np.eye(9)
    column, row = np.triu_indices(9, 1)
    r[row, column] = r[column, row] = BELOW
    return r


def test_fit_loadings_and_correlations_of_lavaan() -> None:
    fit = confirm(pupils(), [0, 0, 0, 1, 1, 1, 2, 2, 2], N)
    assert fit.refusal is None
    assert fit.chi2.value == pytest.approx(85.32415, abs=1e-5)
    assert fit.chi2.df == 24
    assert fit.chi2.p == pytest.approx(8.4e-9, rel=0.01)
    assert fit.cfi.value == pytest.approx(0.9305437, abs=1e-7)
    assert fit.tli.value == pytest.approx(0.8958156, abs=1e-7)
    rmsea = (fit.rmsea.value, fit.rmsea.low, fit.rmsea.high)
    assert rmsea == pytest.approx((0.09213548, 0.07143306, 0.1136915), abs=1e-7)
    assert fit.srmr == pytest.approx(0.06521475, abs=1e-8)
    wanted = [0.771898, 0.423536, 0.581147, 0.851582, 0.855096, 0.838036, 0.569581, 0.723157, 0.664871]
    assert fit.loadings == pytest.approx(wanted, abs=2e-6)
    assert fit.factors[np.tril_indices(3, -1)] == pytest.approx([0.458481, 0.470412, 0.282936], abs=2e-6)


def test_a_factor_of_two_scales_beside_another() -> None:
    some = [0, 1, 3, 4, 5]
    fit = confirm(pupils()[np.ix_(some, some)], [0, 0, 1, 1, 1], N)
    assert fit.chi2.value == pytest.approx(7.02722248, abs=1e-7)
    assert (fit.cfi.value, fit.tli.value) == pytest.approx((0.99468793, 0.98671982), abs=1e-7)
    assert (fit.rmsea.value, fit.rmsea.low, fit.rmsea.high) == pytest.approx((0.05014284, 0, 0.11003446), abs=1e-7)
    assert fit.loadings == pytest.approx([0.794222, 0.374329, 0.853012, 0.855295, 0.836343], abs=2e-6)
    assert fit.factors[1, 0] == pytest.approx(0.504516, abs=2e-6)


def test_a_scale_that_runs_the_other_way_has_a_negative_loading_and_the_same_fit() -> None:
    turned = np.ones(9)
    turned[1] = -1
    r = pupils() * np.outer(turned, turned)
    fit = confirm(r, [0, 0, 0, 1, 1, 1, 2, 2, 2], N)
    assert fit.chi2.value == pytest.approx(85.32415, abs=1e-5)
    assert fit.loadings[:3] == pytest.approx([0.771898, -0.423536, 0.581147], abs=2e-6)


def test_the_order_of_scales_and_factors_changes_nothing() -> None:
    order = [8, 0, 3, 1, 6, 4, 2, 7, 5]
    groups = np.array([2, 2, 2, 0, 0, 0, 1, 1, 1])
    fit = confirm(pupils()[np.ix_(order, order)], groups[order], N)
    assert fit.chi2.value == pytest.approx(85.32415, abs=1e-5)
    assert fit.loadings[order.index(0)] == pytest.approx(0.771898, abs=2e-6)


def test_three_scales_of_one_factor_have_no_test() -> None:
    fit = confirm(pupils()[:3, :3], [0, 0, 0], N)
    assert fit.chi2.value is None
    assert fit.chi2.note == "The factors fit any data exactly: there is no test of fit."
    # Three correlations give three loadings: .4407 = .62 x .71 and so on.
    assert np.outer(fit.loadings, fit.loadings)[0, 1:] == pytest.approx([0.2973, 0.4407], abs=1e-5)


def test_factors_that_cannot_be_told_are_refused() -> None:
    r = np.eye(5)
    r[0, 1] = r[1, 0] = 0.5
    r[2:, 2:] = np.where(np.eye(3) > 0, 1, 0.4)
    assert "cannot be told" in str(confirm(r, [0, 0, 1, 1, 1], N).refusal)


def test_more_common_variance_than_a_scale_has_is_said() -> None:
    r = np.array([[1, 0.9, 0.9], [0.9, 1, 0.7], [0.9, 0.7, 1]])
    assert confirm(r, [0, 0, 0], N).heywood == (0,)


@pytest.mark.parametrize(
    ("r", "groups", "sentence"),
    [
        (np.eye(3), [0, 0], "one factor for each scale"),
        (np.eye(3), [0, 0, 1], "two scales or more"),
        (np.eye(4), [0, 0, 2, 2], "without gaps"),
        (np.eye(2), [0, 0], "three scales or more"),
        (np.ones((3, 3)), [0, 0, 0], "no inverse"),
    ],
)
def test_impossible_factors_are_refused(r: np.ndarray, groups: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        confirm(r, groups, N)


def test_degrees_of_freedom_are_those_of_lavaan() -> None:
    assert degrees_of_freedom([3, 3, 3]) == 24
    assert degrees_of_freedom([2, 3]) == 4


def clustered() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ratings of 20 raters of 12 texts on five scales with two factors, with their raters and texts."""
    rng = np.random.default_rng(2)
    rater, text = (code.ravel() for code in np.divmod(np.arange(240), 12))
    own = rng.standard_normal((240, 2)) + 0.7 * rng.standard_normal((20, 2))[rater]
    values = own[:, [0, 0, 0, 1, 1]] + rng.standard_normal((240, 5)) + 0.6 * rng.standard_normal((20, 5))[rater]
    return values + 0.5 * rng.standard_normal((12, 5))[text], rater, text


def test_rows_that_are_clusters_of_their_own_give_the_adjusted_test_of_lavaan() -> None:
    values, _rater, _text = clustered()
    fit = confirm(np.corrcoef(values.T), [0, 0, 0, 1, 1], len(values))
    robust = robust_fit(values, [0, 0, 0, 1, 1], fit, np.arange(len(values)))
    assert (robust.value, robust.df, robust.p) == pytest.approx(ADJUSTED, abs=1e-6)


def test_raters_and_texts_as_samples_make_the_test_more_careful() -> None:
    values, rater, text = clustered()
    fit = confirm(np.corrcoef(values.T), [0, 0, 0, 1, 1], len(values))
    both = robust_fit(values, [0, 0, 0, 1, 1], fit, rater, text)
    assert both.p > fit.chi2.p
    assert both.df < fit.chi2.df
    assert robust_fit(values, [0, 0, 0, 1, 1], fit, text, rater).p == pytest.approx(both.p)
