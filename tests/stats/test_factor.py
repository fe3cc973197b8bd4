"""Factors: R's factanal, varimax and promax, psych's KMO and Bartlett, statsmodels, and parallel analysis on rows."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from analytics_app.stats.scales.factor import (
    LOWEST,
    chi2_p,
    degrees_of_freedom,
    maximum_likelihood,
    most_factors,
    promax,
    regression_scores,
    varimax,
)
from analytics_app.stats.scales.factorability import (
    constant_columns,
    correlations,
    factorability,
    parallel_analysis,
    too_few_rows,
)
from tests.work import assert_work_grows_with_data

# psych::bfi, items A1 to A5 and E1 to E5, complete rows (n = 2563): reference_values.json, efa_ml_uniqueness.
_UPPER = """
-0.346943 -0.266806 -0.146002 -0.182213 0.100125 0.087846 -0.045263 -0.059359 -0.020247
0.493734 0.349818 0.394547 -0.209407 -0.236309 0.248946 0.286395 0.294166
0.372908 0.513085 -0.208984 -0.289476 0.385579 0.38295 0.250007
0.317174 -0.117668 -0.194969 0.191554 0.305364 0.167918
-0.251642 -0.331825 0.412307 0.479753 0.26344
0.46572 -0.326293 -0.420561 -0.303336
-0.388256 -0.524478 -0.376778
0.420053 0.381836
0.315899
"""
BFI = np.eye(10)
BFI[np.triu_indices(10, 1)] = [float(word) for word in _UPPER.split()]
BFI = BFI + BFI.T - np.eye(10)
N = 2563

# reference_values.json, varimax_kaiser: loadings that R rotated.
UNROTATED = np.array(
    [
        [-0.24962739, -0.31264821], [0.56793328, 0.34905927], [0.6747018, 0.35133623], [0.44264356, 0.22070886],
        [0.66406402, 0.13979829], [-0.50353557, 0.32812211], [-0.62577972, 0.3728321], [0.58827729, -0.13047254],
        [0.69207696, -0.22475721], [0.48283111, -0.16390991],
    ]
)  # fmt: skip


def matched(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Put two columns into the order and direction of others: signs and order of factors are arbitrary."""
    if abs(found[:, 0] @ wanted[:, 0]) < abs(found[:, 1] @ wanted[:, 0]):
        found = found[:, ::-1]
    turned: np.ndarray = found * np.sign((found * wanted).sum(axis=0))
    return turned


def drawn(loadings: np.ndarray, n: int, seed: int = 1) -> np.ndarray:
    """Draw rows of scales that have these factors, with uniquenesses that make up a variance of 1."""
    rng = np.random.default_rng(seed)
    p, k = loadings.shape
    common = rng.standard_normal((n, k)) @ loadings.T
    rows: np.ndarray = common + rng.standard_normal((n, p)) * np.sqrt(1 - (loadings**2).sum(axis=1))
    return rows


TWO = np.array([[0.8, 0], [0.7, 0], [0.7, 0.1], [0.6, 0], [0, 0.8], [0, 0.7], [0.1, 0.6], [0, 0.6]])


def test_kmo_and_bartlett_of_psych() -> None:
    # reference_values.json, kmo_bartlett: R psych KMO, cortest.bartlett.
    found = factorability(BFI, N)
    assert found.kmo.value == pytest.approx(0.8510820682, abs=1e-6)
    assert found.bartlett.value == pytest.approx(6642.32822912, abs=1e-4)
    assert (found.bartlett.df, found.bartlett.p) == (45, 0)
    assert found.refusal is None
    assert len(found.of_scales) == 10


def test_kmo_of_each_scale_by_its_definition() -> None:
    """Partial correlations as residuals of regressions on all other scales."""
    data = drawn(TWO, 300)
    r = correlations(data)
    z = (data - data.mean(axis=0)) / data.std(axis=0)
    partial = np.zeros((8, 8))
    for i in range(8):
        for j in range(8):
            others = [one for one in range(8) if one not in {i, j}]
            left = [z[:, a] - z[:, others] @ np.linalg.lstsq(z[:, others], z[:, a], rcond=None)[0] for a in (i, j)]
            partial[i, j] = np.corrcoef(*left)[0, 1] if i != j else 0
    off = r - np.eye(8)
    wanted = (off**2).sum(axis=1) / ((off**2).sum(axis=1) + (partial**2).sum(axis=1))
    found = factorability(r, 300)
    assert [one.value for one in found.of_scales] == pytest.approx(wanted.tolist())
    assert found.kmo.value == pytest.approx((off**2).sum() / ((off**2).sum() + (partial**2).sum()))


def test_uniquenesses_and_fit_of_factanal() -> None:
    # reference_values.json, efa_ml_uniqueness and efa_ml_chi2: R factanal(covmat, factors = 2).
    found = maximum_likelihood(BFI, 2, N)
    wanted = [
        0.83993622, 0.55560924, 0.42134026, 0.75535292, 0.53947508, 0.63878726, 0.4693962, 0.63690601, 0.47051346,
        0.74000603,
    ]  # fmt: skip
    assert found.uniquenesses == pytest.approx(wanted, abs=5e-6)
    assert found.fit.value == pytest.approx(401.190970289, abs=1e-3)
    assert found.fit.df == 26
    assert found.fit.p == pytest.approx(0, abs=1e-12)
    assert found.converged
    assert found.heywood == ()
    assert matched(found.loadings, UNROTATED) == pytest.approx(UNROTATED, abs=1e-5)
    assert (found.loadings.sum(axis=0) >= 0).all()


def test_the_model_of_statsmodels() -> None:
    from statsmodels.multivariate.factor import Factor

    other = Factor(corr=BFI, n_factor=3, method="ml", nobs=N).fit(rng=np.random.default_rng(1))
    found = maximum_likelihood(BFI, 3, N)
    assert found.uniquenesses == pytest.approx(other.uniqueness, abs=1e-4)
    implied = found.loadings @ found.loadings.T
    assert implied == pytest.approx(other.loadings @ other.loadings.T, abs=1e-4)


def test_varimax_of_r() -> None:
    # reference_values.json, varimax_kaiser: R varimax(normalize = TRUE, eps = 1e-12).
    wanted = np.array(
        [
            [0.0081611135, -0.399995166], [0.2131872279, 0.631618394], [0.2937903519, 0.70167435],
            [0.1990055404, 0.452816203], [0.4209473422, 0.532285563], [-0.5969243732, -0.069953462],
            [-0.7194819548, -0.113796982], [0.5356071517, 0.27607651], [0.6757044929, 0.270018076],
            [0.4759554394, 0.182917352],
        ]
    )  # fmt: skip
    height = np.sqrt((UNROTATED**2).sum(axis=1, keepdims=True))
    rotated, rotation = varimax(UNROTATED / height)
    assert matched(rotated * height, wanted) == pytest.approx(wanted, abs=1e-5)
    assert rotation @ rotation.T == pytest.approx(np.eye(2), abs=1e-12)


# reference_values.json, promax_R: R promax(varimax(L), m = 4).
PROMAX_R = np.array(
    [
        [0.181501407, -0.474762535], [-0.029178482, 0.682834682], [0.032440987, 0.741729948],
        [0.031652355, 0.475882628], [0.250157333, 0.504102644], [-0.649583542, 0.093893109],
        [-0.770260481, 0.078357003], [0.491021943, 0.167645546], [0.653155016, 0.119066833],
        [0.463205779, 0.075273016],
    ]
)  # fmt: skip
# reference_values.json, promax_full_kaiser_SPSS: rows normalised before varimax and promax, restored after.
PROMAX_SPSS = np.array(
    [
        [0.1504403036, -0.4638372368], [0.0226876673, 0.6537261126], [0.090770005, 0.7064055844],
        [0.0694115602, 0.4525929012], [0.296874967, 0.4669172041], [-0.6624758145, 0.127185264],
        [-0.7880965438, 0.119321321], [0.5192083729, 0.1317187417], [0.682616154, 0.0759643718],
        [0.4833906413, 0.0451189324],
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("kaiser", "wanted", "phi", "tolerance"),
    [("varimax", PROMAX_R, 0.570264656, 1e-5), ("throughout", PROMAX_SPSS, 0.5568553776, 2e-6)],
)
def test_promax_of_r_and_of_spss(kaiser: str, wanted: np.ndarray, phi: float, tolerance: float) -> None:
    found = promax(UNROTATED, power=4, kaiser=kaiser)
    assert matched(found.pattern, wanted) == pytest.approx(wanted, abs=tolerance)
    assert abs(found.factors[0, 1]) == pytest.approx(phi, abs=tolerance)
    # The same model: communalities do not depend on the rotation.
    assert np.diag(found.pattern @ found.factors @ found.pattern.T) == pytest.approx((UNROTATED**2).sum(axis=1))
    assert found.explained.sum() == pytest.approx((UNROTATED**2).sum() / 10)
    assert found.explained[0] >= found.explained[1]
    assert (found.pattern.sum(axis=0) >= 0).all()


def test_signs_and_order_of_what_is_rotated_change_nothing() -> None:
    one, other = promax(UNROTATED), promax(-UNROTATED[:, ::-1])
    assert other.pattern == pytest.approx(one.pattern, abs=1e-8)
    assert other.factors == pytest.approx(one.factors, abs=1e-8)


def test_one_factor_is_not_rotated_and_a_scale_without_communality_is_no_problem() -> None:
    found = promax([[-0.5], [-0.6], [-0.7]])
    assert found.pattern.ravel().tolist() == [0.5, 0.6, 0.7]
    assert found.factors.tolist() == [[1]]
    assert np.isfinite(promax([[0.7, 0.1], [0.6, 0.2], [0.1, 0.7], [0.2, 0.6], [0, 0]]).pattern).all()


def test_fit_of_macketanz_and_others() -> None:
    # Macketanz et al. (2022): eight scales, four factors: chi2 2.06, df 2, p .36; data/textq/expected.json.
    assert degrees_of_freedom(8, 4) == 2
    assert chi2_p(2.06, 2) == pytest.approx(0.357, abs=1e-3)
    # data/panas_msqr/expected.json: twenty words, two factors.
    assert degrees_of_freedom(20, 2) == 151
    assert [most_factors(p) for p in (1, 2, 3, 4, 5, 6, 8)] == [0, 0, 1, 1, 2, 3, 4]


def test_scores_by_regression() -> None:
    """Least squares of the true factor on the scales, over many rows."""
    loadings = TWO[:, :1].copy()
    rng = np.random.default_rng(3)
    factor = rng.standard_normal(200_000)
    noise = rng.standard_normal((200_000, 8)) * np.sqrt(1 - loadings[:, 0] ** 2)
    data = factor[:, None] * loadings[:, 0] + noise
    scores = regression_scores(data, correlations(data), loadings)[:, 0]
    wanted = data @ np.linalg.lstsq(data, factor, rcond=None)[0]
    assert np.corrcoef(scores, wanted)[0, 1] > 0.9999
    assert scores.mean() == pytest.approx(0, abs=1e-12)


def test_parallel_analysis_finds_what_was_drawn() -> None:
    data = drawn(TWO, 400)
    found = parallel_analysis(correlations(data), 400, rng=np.random.default_rng(1))
    assert found.n_factors == 2
    assert sum(found.eigenvalues) == pytest.approx(8)
    # Noise has a factor in about one of twenty data sets.
    noise = [np.random.default_rng(seed).standard_normal((400, 8)) for seed in range(40)]
    many = [parallel_analysis(correlations(one), 400, n_draws=200, rng=np.random.default_rng(1)) for one in noise]
    assert sum(one.n_factors > 0 for one in many) <= 6


def test_random_eigenvalues_are_those_of_random_data() -> None:
    """The Wishart short cut against correlations of rows that were really drawn."""
    rng, n, p = np.random.default_rng(2), 60, 6
    slow = [np.linalg.eigvalsh(np.corrcoef(rng.standard_normal((n, p)).T))[::-1] for _draw in range(4000)]
    found = parallel_analysis(np.eye(p), n, n_draws=4000, rng=np.random.default_rng(1))
    assert found.random == pytest.approx(np.quantile(slow, 0.95, axis=0), abs=0.02)
    middle = parallel_analysis(np.eye(p), n, n_draws=4000, quantile=0.5, rng=np.random.default_rng(1))
    assert middle.random == pytest.approx(np.quantile(slow, 0.5, axis=0), abs=0.01)


def test_the_same_seed_the_same_digits() -> None:
    one, two = (parallel_analysis(BFI, N, n_draws=100, rng=np.random.default_rng(7)) for _time in range(2))
    assert one == two
    assert maximum_likelihood(BFI, 2, N).fit == maximum_likelihood(BFI, 2, N).fit


def test_a_heywood_case_is_reported() -> None:
    r = np.array([[1, 0.9, 0.9], [0.9, 1, 0.7], [0.9, 0.7, 1]])
    found = maximum_likelihood(r, 1, 100)
    assert found.heywood == (0,)
    assert found.uniquenesses[0] == pytest.approx(LOWEST)
    assert found.fit.value is None
    assert found.fit.note is not None


@pytest.mark.parametrize(
    ("correlation", "n", "sentence"),
    [
        (np.eye(2), 100, "at least three scales"),
        (np.eye(4), 100, "No two scales correlate"),
        (np.ones((3, 3)), 100, "follows exactly"),
        (BFI, 49, "50 for 10 scales"),
        (np.eye(1), 100, "at least three scales"),
    ],
)
def test_what_is_refused(correlation: np.ndarray, n: int, sentence: str) -> None:
    found = factorability(correlation, n)
    assert found.refusal is not None
    assert sentence in found.refusal


def test_a_low_kmo_is_refused_and_still_given() -> None:
    r = np.array([[1, 0.6, 0], [0.6, 1, 0.6], [0, 0.6, 1]])
    found = factorability(r, 100)
    assert found.kmo.value is not None
    assert found.kmo.value < 0.5
    assert found.refusal is not None
    assert "below 0.5" in found.refusal


def test_a_scale_that_correlates_with_no_other_has_no_measure_and_says_so() -> None:
    r = np.eye(4)
    r[:3, :3] = [[1, 0.6, 0.5], [0.6, 1, 0.4], [0.5, 0.4, 1]]
    found = factorability(r, 100)
    *others, alone = found.of_scales
    assert (alone.value, alone.note) == (None, "It correlates with no other scale.")
    assert all(one.value is not None and one.note is None for one in others)
    three = factorability(r[:3, :3], 100)
    assert [one.value for one in others] == pytest.approx([one.value for one in three.of_scales])
    assert found.kmo.value == pytest.approx(three.kmo.value)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="complete"):
        correlations([[1, float("nan")], [2, 3]])
    with pytest.raises(ValueError, match="all the same"):
        correlations([[1, 2], [1, 3]])
    with pytest.raises(ValueError, match="two rows"):
        correlations([[1, 2]])
    with pytest.raises(ValueError, match="square"):
        factorability([[1, 0.5]], 10)
    with pytest.raises(ValueError, match="symmetric"):
        factorability([[1, 0.5], [0.4, 1]], 10)
    with pytest.raises(ValueError, match="between -1 and 1"):
        factorability([[1, 1.5], [1.5, 1]], 10)
    with pytest.raises(ValueError, match="between 1 and 4 factors"):
        maximum_likelihood(np.eye(8), 5, 100)
    with pytest.raises(ValueError, match="no inverse"):
        maximum_likelihood(np.ones((4, 4)), 1, 100)
    with pytest.raises(ValueError, match="more rows than scales"):
        parallel_analysis(np.eye(4), 4, rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="at least one draw"):
        parallel_analysis(np.eye(4), 40, n_draws=0, rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="at least 0"):
        chi2_p(-1, 2)
    with pytest.raises(ValueError, match="finite"):
        promax([[float("nan")]])


def test_degenerate_data() -> None:
    assert constant_columns(np.empty((0, 2))).tolist() == [0, 1]
    assert too_few_rows(0, 3) is not None
    # Two values only, and ties everywhere.
    binary = (drawn(TWO, 500) > 0).astype(float)
    r = correlations(binary)
    assert factorability(r, 500).refusal is None
    assert parallel_analysis(r, 500, n_draws=200, rng=np.random.default_rng(1)).n_factors == 2


def test_work_grows_with_the_raters_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        data = drawn(np.vstack([TWO, TWO[:2]]), n)

        def analyse() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                r = correlations(data)
                factorability(r, n)
                parallel_analysis(r, n, n_draws=20, rng=np.random.default_rng(1))
                found = maximum_likelihood(r, 2, n)
                rotated = promax(found.loadings)
                regression_scores(data, r, rotated.structure)

        return analyse

    # The search for loadings takes a few steps more or less with other data.
    assert_work_grows_with_data(prepare, 10_000, steps=3)
