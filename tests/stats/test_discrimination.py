"""The triangle test: exact numbers of sensR, of an independent enumeration with scipy, and its edges."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution
from scipy.stats import binom, ncf

from analytics_app.stats.discrimination import triangle_test as exact
from analytics_app.stats.discrimination.beta_binomial import beta_binomial
from analytics_app.stats.discrimination.sensitivity import d_prime, d_prime_of, psychometric
from analytics_app.stats.planning.discrimination_power import (
    judges_each,
    judges_needed,
    power_of_difference,
    power_of_similarity,
)
from tests.work import assert_work_grows_with_data, work_of

# shared/reference_values.json, triangle_min_correct_alpha_*: R sensR 1.5-3 findcr.
N = [10, 12, 18, 24, 30, 36, 42, 48, 60, 66, 100]
LEAST = {
    0.1: [6, 7, 10, 12, 14, 17, 19, 21, 26, 28, 40],
    0.05: [7, 8, 10, 13, 15, 18, 20, 22, 27, 29, 42],
    0.01: [8, 9, 12, 15, 17, 20, 22, 25, 30, 32, 46],
    0.001: [9, 10, 13, 16, 19, 22, 25, 27, 33, 35, 49],
}
# triangle_max_correct_similarity_pd_*: R sensR findcr(test="similarity"), beta .05.
MOST = {0.3: [11, 13, 19, 25, 28, 36, 44], 0.2: [9, 11, 16, 21, 23, 31, 37]}
# triangle_sample_size_exact and _stable: R sensR discrimSS, alpha .05.
SIZES = dict(
    zip(
        product((0.2, 0.3, 0.4, 0.5), (0.2, 0.1, 0.05)),
        zip(
            [87, 117, 147, 40, 53, 66, 23, 30, 40, 16, 20, 23],
            [94, 124, 154, 42, 57, 73, 25, 34, 42, 16, 22, 29],
            strict=True,
        ),
        strict=True,
    )
)


@pytest.mark.parametrize("alpha", LEAST)
def test_fewest_right_choices_of_sensr(alpha: float) -> None:
    assert exact.least_correct(N, alpha).tolist() == LEAST[alpha]


@pytest.mark.parametrize("pd", MOST)
def test_most_right_choices_of_sensr(pd: float) -> None:
    assert exact.most_correct([30, 36, 48, 60, 66, 84, 100], 0.05, pd).tolist() == MOST[pd]


@given(
    st.integers(0, 3000),
    st.sampled_from([0.5, 0.2, 0.1, 0.05, 0.01, 0.001, 0.0001]),
    st.sampled_from([0.01, 0.1, 0.3, 0.6, 0.95, 0.99]),
)
def test_critical_numbers_are_where_the_tails_cross(n: int, risk: float, pd: float) -> None:
    least = int(exact.least_correct(n, risk))
    assert binom.sf(least - 1, n, 1 / 3) <= risk
    assert least == 0 or binom.sf(least - 2, n, 1 / 3) > risk
    p = pd + (1 - pd) / 3
    most = int(exact.most_correct(n, risk, pd))
    assert most == -1 or binom.cdf(most, n, p) <= risk
    assert most == n or binom.cdf(most + 1, n, p) > risk


@pytest.mark.parametrize(("pd", "beta"), SIZES)
def test_numbers_of_judges_of_sensr(pd: float, beta: float) -> None:
    found = judges_needed(alpha=0.05, beta=beta, pd=pd)
    assert (found.smallest, found.stable) == SIZES[pd, beta]


def test_judges_are_the_smallest_and_stable_ones_by_enumeration() -> None:
    for alpha, beta, pd in product((0.2, 0.001), (0.2, 0.001), (0.15, 0.6)):
        n = np.arange(1, 3000)
        enough = power_of_difference(n, alpha=alpha, pd=pd) >= 1 - beta
        found = judges_needed(alpha=alpha, beta=beta, pd=pd)
        assert found.smallest == n[enough][0]
        assert found.stable == n[~enough][-1] + 1


def test_many_judges_are_searched_for_near_their_number_and_all_at_once() -> None:
    asked = {"alpha": 0.0001, "beta": 0.0001}
    found = judges_needed(**asked, pd=0.01)
    # About 280,000 judges and 2,900: a loop over numbers of judges would take steps for each.
    work, fewer = (work_of(lambda pd=pd: judges_needed(**asked, pd=pd)) for pd in (0.01, 0.1))
    assert work.steps <= 1.5 * fewer.steps
    assert work.held <= 100 * found.smallest
    n = np.array([found.smallest - 1, found.smallest, found.stable - 1, found.stable])
    power = power_of_difference(n, alpha=0.0001, pd=0.01)
    assert (power >= 0.9999).tolist() == [False, True, False, True]


def test_power_of_sensr() -> None:
    # triangle_power: R sensR discrimPwr(statistic="exact").
    assert power_of_difference(30, alpha=0.05, pd=0.3) == pytest.approx(0.709083141211, abs=1e-10)
    assert power_of_difference(100, alpha=0.05, pd=0.2) == pytest.approx(0.849865253948, abs=1e-10)
    # methods.md: a saw-tooth.
    assert power_of_difference([23, 24], alpha=0.05, pd=0.5).round(3).tolist() == [0.952, 0.932]
    assert (power_of_difference(np.arange(29, 200), alpha=0.05, pd=0.5) >= 0.95).all()


def test_power_of_similarity_is_that_of_the_other_tail() -> None:
    n, most = 66, int(exact.most_correct(66, 0.05, 0.3))
    assert power_of_similarity(n, beta=0.05, pd=0.3) == pytest.approx(binom.cdf(most, n, 1 / 3))
    assert power_of_similarity(n, beta=0.05, pd=0.3, true=0.1) == pytest.approx(binom.cdf(most, n, 0.4))


def test_fifteen_of_thirty() -> None:
    # triangle_15_of_30: R sensR discrim(statistic="exact"), d' good to 5e-5.
    share = exact.discriminators(15, 30, confidence=0.95)
    assert share.p == pytest.approx(0.0434822757279, abs=1e-12)
    assert share.value == pytest.approx(0.25)
    assert share.low == 0
    assert share.high == pytest.approx(0.530544571198, abs=1e-9)
    assert exact.share_limits(15, 30, confidence=0.95)[1] == pytest.approx(0.687029714132, abs=1e-9)
    distance = d_prime(15, 30, confidence=0.95)
    assert (distance.value, distance.low, distance.high) == pytest.approx((1.46627, 0, 2.4317), abs=5e-5)


def test_similarity_of_twenty_five_of_sixty_six() -> None:
    # triangle_similarity_25_of_66: R sensR discrim(test="similarity", pd0=.3), 90 % two-sided.
    found = exact.upper_limit(25, 66, risk=0.05, pd=0.3)
    assert found.p == pytest.approx(0.00831802916327, abs=1e-12)
    assert found.value == pytest.approx(0.2308545606, abs=1e-9)
    assert exact.discriminators(25, 66, confidence=0.9).value == pytest.approx(0.06818181818)
    assert d_prime(25, 66, confidence=0.9).value == pytest.approx(0.718396, abs=5e-5)


@given(st.integers(1, 200), st.data())
def test_limits_are_those_of_clopper_and_pearson_and_agree_with_the_test(n: int, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, n))
    low, high = exact.share_limits(x, n, confidence=0.95)
    assert low == pytest.approx(beta_distribution.ppf(0.025, x, n - x + 1) if x else 0)
    assert high == pytest.approx(beta_distribution.ppf(0.975, x + 1, n - x) if x < n else 1)
    limit = exact.upper_limit(x, n, risk=0.05, pd=0.3)
    if abs(limit.value - 0.3) > 1e-9:
        assert (limit.value < 0.3) == (limit.p < 0.05) == (x <= exact.most_correct(n, 0.05, 0.3))


def test_everybody_right_and_nobody_there() -> None:
    # triangle_perfect_30_of_30: 3^-30.
    assert exact.difference_p(30, 30) == pytest.approx(4.8569357e-15, abs=1e-20)
    all_right = d_prime(30, 30, confidence=0.95)
    assert (all_right.value, all_right.low, all_right.high) == (None, None, None)
    assert "above 3.85" in all_right.note
    assert exact.discriminators(30, 30, confidence=0.95).value == 1
    for empty in (exact.discriminators(0, 0, confidence=0.95), d_prime(0, 0, confidence=0.95)):
        assert (empty.value, empty.note) == (None, "Nobody judged a triad.")
    assert exact.upper_limit(0, 0, risk=0.05, pd=0.3).value is None


def test_below_chance_nobody_can_tell() -> None:
    found = exact.discriminators(3, 30, confidence=0.95)
    assert (found.value, found.low, found.high) == (0, 0, 0)
    assert found.note == "Fewer are right than by guessing."
    assert d_prime(3, 30, confidence=0.95).value == 0
    assert exact.discriminators(1, 1, confidence=0.95).value == 1
    assert exact.difference_p(0, 1) == 1


def test_psychometric_function_of_sensr_and_of_the_noncentral_f() -> None:
    # psychometric_triangle: R sensR psyfun.
    expected = [1 / 3, 0.355834649653, 0.418046674796, 0.506456097376, 0.604806932921, 0.781427598858, 0.897660380695]
    assert psychometric([0, 0.5, 1, 1.5, 2, 3, 4]) == pytest.approx(expected, abs=1e-8)
    d = np.linspace(0.01, 8, 50)
    assert psychometric(d) == pytest.approx(ncf.sf(3, 1, 1, 2 * d * d / 3), abs=1e-10)
    # dprime_triangle_from_pc.
    shares = [0.34, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99]
    inverse = [0.2701737, 0.8791122, 1.4662628, 1.9755852, 2.5037049, 3.128585, 4.027626, 6.3094656]
    assert [d_prime_of(share) for share in shares] == pytest.approx(inverse, abs=1e-6)


def test_words_of_the_norm() -> None:
    # methods.md: strong evidence is 0.001 to 0.01.
    assert exact.evidence(0.01) == "strong evidence"
    assert exact.evidence(0.0010001) == "strong evidence"
    assert exact.evidence(0.001) == "very strong evidence"
    assert exact.evidence(0.0101) == "moderate evidence"
    assert exact.evidence(0.2) == "no evidence"


def test_orders_are_shown_as_evenly_as_can_be() -> None:
    assert judges_each(64).tolist() == [11, 11, 11, 11, 10, 10]
    assert judges_each(0).sum() == 0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: exact.difference_p(4, 3),
        lambda: exact.difference_p(-1, 3),
        lambda: exact.least_correct(10, 0),
        lambda: exact.least_correct([1.5], 0.05),
        lambda: exact.most_correct(10, 1, 0.3),
        lambda: exact.probability_correct(1.2),
        lambda: exact.share_limits(0, 0, confidence=0.95),
        lambda: exact.normal_limits(0, 0, alpha=0.05, beta=0.05),
        lambda: psychometric(-1),
        lambda: d_prime_of(1.1),
        lambda: judges_needed(alpha=0.05, beta=0.05, pd=0),
        lambda: judges_needed(alpha=0.05, beta=0.05, pd=0.001),
        lambda: judges_each(-1),
        lambda: beta_binomial([3], [2], confidence=0.95),
    ],
)
def test_wrong_input_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        wrong()


# Several triads a judge -----------------------------------------------------------------------------------

REPLICATED = [
    [2, 3], [3, 4], [1, 4], [2, 4], [4, 4], [0, 4], [1, 4], [4, 4], [3, 4], [2, 4],
    [1, 4], [4, 4], [2, 4], [0, 4], [3, 4], [4, 4], [1, 4], [2, 4], [4, 4], [1, 4],
]  # fmt: skip


def test_beta_binomial_of_sensr() -> None:
    # betabinomial_triangle: R sensR betabin(method="triangle"), corrected.
    found = beta_binomial(*np.array(REPLICATED).T, confidence=0.95)
    assert found.discriminators.value == pytest.approx(0.3355711628, abs=2e-5)
    assert found.overdispersion.value == pytest.approx(0.657642567, abs=2e-5)
    assert found.log_likelihood == pytest.approx(-31.0938870324, abs=2e-5)
    assert found.discriminators.low < found.discriminators.value < found.discriminators.high
    assert (found.discriminators.n_raters, found.discriminators.n_ratings) == (20, 79)
    assert found.overdispersion.p < 0.01


def test_beta_binomial_finds_what_was_put_in() -> None:
    rng = np.random.default_rng(1)
    tell = rng.beta(0.4 * 4, 0.6 * 4, 20_000)  # gamma = 1 / (1 + a + b) = .2
    right = rng.binomial(6, tell + (1 - tell) / 3)
    found = beta_binomial(right, np.full(20_000, 6), confidence=0.95)
    assert found.discriminators.value == pytest.approx(0.4, abs=0.01)
    assert found.overdispersion.value == pytest.approx(0.2, abs=0.02)
    assert found.discriminators.low < 0.4 < found.discriminators.high


def test_beta_binomial_at_its_edges() -> None:
    one_each = beta_binomial([1, 0], [1, 1], confidence=0.95)
    assert one_each.discriminators.note == "No judge judged several triads."
    guessing = beta_binomial([1, 1, 2, 1, 1, 2], [4] * 6, confidence=0.95)
    assert (guessing.discriminators.value, guessing.overdispersion.value) == (0, None)
    assert guessing.discriminators.high > 0
    certain = beta_binomial([4, 4, 4], [4] * 3, confidence=0.95)
    assert (certain.discriminators.value, certain.discriminators.high) == (1, 1)
    split = beta_binomial([6, 1, 6, 2, 6, 2], [6] * 6, confidence=0.95)
    assert split.overdispersion.value == 1
    assert "always tell and the others never" in split.overdispersion.note
    assert beta_binomial([], [], confidence=0.95).discriminators.value is None
    alike = beta_binomial([3, 3, 3, 3, 3, 3], [6] * 6, confidence=0.95)
    assert (alike.overdispersion.value, alike.overdispersion.p) == (0, 1)
    # gamma = 0 is the binomial: (3/6 - 1/3) / (2/3), and the log-likelihood of six judges.
    assert alike.discriminators.value == pytest.approx(0.25, abs=1e-12)
    assert alike.log_likelihood == pytest.approx(6 * binom.logpmf(3, 6, 0.5), abs=1e-12)


def by_quadrature(x: int, n: int, mu: float, gamma: float) -> float:
    """Return P(x of n right) as the mean over the quantiles of the share of triads that judges can tell."""
    rest = (1 - gamma) / gamma
    share = beta_distribution(mu * rest, (1 - mu) * rest).ppf
    return float(quad(lambda u: binom.pmf(x, n, (1 + 2 * share(u)) / 3), 0, 1, epsabs=1e-9)[0])


def test_beta_binomial_likelihood_is_the_integral_over_judges() -> None:
    found = beta_binomial([3, 0, 3, 1, 4, 0, 4, 1], [4] * 8, confidence=0.95)
    mu, gamma = found.discriminators.value, found.overdispersion.value
    judges = {0: 2, 1: 2, 3: 2, 4: 2}

    def integral(mu: float, gamma: float) -> float:
        return float(sum(count * np.log(by_quadrature(x, 4, mu, gamma)) for x, count in judges.items()))

    assert found.log_likelihood == pytest.approx(integral(mu, gamma), abs=1e-6)
    for other in ((mu + 0.01, gamma), (mu - 0.01, gamma), (mu, gamma + 0.01), (mu, gamma - 0.01)):
        assert integral(*other) < found.log_likelihood


def test_a_search_that_does_not_converge_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    from analytics_app.stats.discrimination import beta_binomial as module

    monkeypatch.setattr(module, "_FLAT", 0.0)
    found = beta_binomial(*np.array(REPLICATED).T, confidence=0.95)
    assert found.discriminators.value is None
    assert found.overdispersion.value is None
    assert found.discriminators.note == "The likelihood could not be maximised."


def test_work_grows_with_the_judges_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        right = np.random.default_rng(1).binomial(10, 0.5, n)
        return lambda: beta_binomial(right, np.full(n, 10), confidence=0.95)

    assert_work_grows_with_data(prepare, 1000, steps=3)  # the search may take a few steps more
