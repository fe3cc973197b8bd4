"""Width of an interval of alpha, and variance components: against other implementations, and at their edges."""

from collections.abc import Callable

import numpy as np
import pytest

from analytics_app.stats.agreement.krippendorff import krippendorff_alpha
from analytics_app.stats.agreement.variance_components import NAMES, variance_components
from analytics_app.stats.planning.alpha_width import (
    Expected,
    _alphas,
    _drawn_nominal,
    _drawn_ordered,
    alpha_width,
    runs_within,
)
from analytics_app.stats.values import Estimate
from tests.work import assert_work_grows_with_data, work_of

RNG = np.random.default_rng
FIVE = (1.0, 2.0, 4.0, 2.0, 1.0)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alphas_are_those_of_the_statistic(level: str) -> None:
    expected = Expected(0.4, level, FIVE)
    draw = _drawn_nominal if level == "nominal" else _drawn_ordered
    values = draw(expected, 0.6, (3, 12, 4), RNG(1))
    found = _alphas(values, [12, 7], expected)
    for study in range(3):
        for place, size in enumerate([12, 7]):
            one = values[study, :size]
            texts = np.repeat(np.arange(size), 4)
            alpha = krippendorff_alpha(
                one.ravel(), texts, level=level, domain=range(5), n_resamples=0, confidence=0.95, rng=RNG(1)
            )
            assert found[study, place] == pytest.approx(alpha.value, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8])
def test_studies_have_the_alpha_that_is_expected(level: str, alpha: float) -> None:
    found = alpha_width(Expected(alpha, level, FIVE), [2000], 3, confidence=0.95, n_runs=100, rng=RNG(1))[0]
    assert found.value == pytest.approx(alpha, abs=0.005)
    assert found.low < alpha < found.high


def test_width_shrinks_with_the_root_of_texts_and_is_like_a_bootstrap_interval() -> None:
    expected = Expected(0.5, "ordinal", (1.0,) * 5)
    few, many = alpha_width(expected, [100, 400], 3, confidence=0.95, n_runs=1000, rng=RNG(1))
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(2, abs=0.25)
    values = _drawn_ordered(expected, 0.55, (1, 400, 3), RNG(2))[0]
    texts = np.repeat(np.arange(400), 3)
    own = krippendorff_alpha(values.ravel(), texts, level="ordinal", n_resamples=1000, confidence=0.95, rng=RNG(3))
    assert own.high - own.low == pytest.approx(many.high - many.low, rel=0.25)


def test_a_label_that_nearly_everybody_gives_leaves_alpha_undefined_at_times() -> None:
    found = alpha_width(Expected(0.5, "nominal", (99.0, 1.0)), [5], 2, confidence=0.95, n_runs=200, rng=RNG(1))[0]
    assert "undefined" in found.note
    never = alpha_width(Expected(0.5, "nominal", (1e9, 1e-9)), [4], 2, confidence=0.95, n_runs=100, rng=RNG(1))[0]
    assert never.value is None


def test_a_slider_takes_no_more_work_than_a_few_steps_and_all_is_bounded() -> None:
    def studies(steps: int) -> Callable[[], list[Estimate]]:
        expected = Expected(0.6, "interval", (1.0,) * steps)
        return lambda: alpha_width(expected, [200], 3, confidence=0.95, n_runs=500, rng=RNG(1))

    assert studies(101)()[0].value == pytest.approx(0.6, abs=0.02)
    slider, likert = work_of(studies(101)), work_of(studies(11))
    assert slider.steps <= 1.5 * likert.steps
    assert slider.held <= 1.5 * likert.held
    assert runs_within(20_000, 3, 1000) == 2**23 // 60_000


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Expected(1.0, "ordinal", FIVE),
        lambda: Expected(0.5, "ratio", FIVE),
        lambda: Expected(0.5, "ordinal", (1.0, 0.0)),
        lambda: Expected(0.5, "ordinal", (1.0,)),
        lambda: alpha_width(Expected(0.5, "ordinal", FIVE), [1], 3, confidence=0.95, n_runs=100, rng=RNG(1)),
        lambda: alpha_width(Expected(0.5, "ordinal", FIVE), [10], 1, confidence=0.95, n_runs=100, rng=RNG(1)),
        lambda: alpha_width(Expected(0.5, "ordinal", FIVE), [10], 3, confidence=1, n_runs=100, rng=RNG(1)),
        lambda: runs_within(2**22, 3, 1000),
        lambda: runs_within(10, 3, 10),
    ],
)
def test_wrong_input_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        wrong()


# Variance components --------------------------------------------------------------------------------------


def made(n: int, systems: int, k: int, raters: int, missing: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw ratings with SDs .5 (item), .3 (system on item), .6 (rater) and .8 (rest), some of them missing."""
    item = np.repeat(np.arange(n), systems * k)
    system = np.tile(np.repeat(np.arange(systems), k), n)
    rater = rng.integers(0, raters, item.size)
    values = rng.normal(0, 0.5, n)[item] + rng.normal(0, 0.3, (n, systems))[item, system]
    values += rng.normal(0, 0.6, raters)[rater] + rng.normal(0, 0.8, item.size) + system * 0.5 + 3
    values[rng.random(item.size) < missing] = np.nan
    return values, system, item, rater


def test_crossed_data_of_lme4() -> None:
    # reference_values.json, lmm_crossed_penicillin: lme4 on Penicillin, 24 plates x 6 samples, which is balanced, so
    # the analysis of variance gives the same. Made up here with the same structure, checked by mean squares.
    rng = RNG(5)
    plate, sample = np.repeat(np.arange(24), 6), np.tile(np.arange(6), 24)
    values = 23 + rng.normal(0, 0.85, 24)[plate] + rng.normal(0, 1.9, 6)[sample] + rng.normal(0, 0.55, 144)
    table = values.reshape(24, 6)
    rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    residual = ((table - rows - columns + table.mean()) ** 2).sum() / (23 * 5)
    expected = [
        (6 * rows.var(ddof=1) - residual) / 6,
        (24 * columns.var(ddof=1) - residual) / 24,
        residual,
    ]
    found = variance_components(values, np.zeros(144, dtype=int), plate, sample)
    assert [found.item.value**2, found.rater.value**2, found.residual.value**2] == pytest.approx(expected)
    assert found.system_item.value is None
    assert (found.item.n_items, found.item.n_raters, found.item.n_ratings) == (24, 6, 144)


def test_it_finds_what_was_put_in_though_a_third_is_missing() -> None:
    found = [variance_components(*made(200, 3, 4, 30, 0.3, RNG(seed))) for seed in range(40)]
    means = [np.sqrt(np.mean([getattr(one, name).value ** 2 for one in found])) for name in NAMES]
    assert means == pytest.approx([0.5, 0.3, 0.6, 0.8], abs=0.03)


def test_what_cannot_be_told_apart_says_so() -> None:
    nothing = variance_components([np.nan], [0], [0], [0])
    assert nothing.item.note == "Nothing was rated."
    alone = variance_components([3.0], [0], [0], [0])
    assert alone.rater.note == "One rating does not vary."
    one_rater = variance_components([1.0, 2.0, 3.0, 5.0], [0, 0, 1, 1], [0, 1, 0, 1], [0] * 4)
    assert one_rater.rater.note == "There is one only, so it cannot vary."
    one_item = variance_components([1.0, 2.0, 3.0, 5.0], [0, 0, 1, 1], [0] * 4, [0, 1, 0, 1])
    assert one_item.item.value is None
    once = variance_components([1.0, 2.0, 4.0], [0] * 3, [0, 1, 2], [0, 1, 0])
    assert "one rating each" in once.item.note


def test_all_equal_and_two_values_only() -> None:
    item, rater = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    equal = variance_components(np.full(24, 3.0), np.zeros(24, dtype=int), item, rater)
    assert [equal.item.value, equal.rater.value, equal.residual.value] == pytest.approx([0, 0, 0], abs=1e-6)
    two = variance_components(np.where(rater == 0, 1.0, 5.0), np.zeros(24, dtype=int), item, rater)
    assert two.rater.value == pytest.approx(2.0)
    assert two.item.value == pytest.approx(0, abs=1e-6)


def test_missing_in_blocks() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 2.0, 5.0, 4.0, 4.0]
    found = variance_components(values, [0] * 8, [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 2, 3, 2, 3])
    assert all(getattr(found, name).value is not None or getattr(found, name).note for name in NAMES)


def test_work_grows_with_the_ratings_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        columns = made(n // 100, 4, 25, n // 2000, 0.1, RNG(1))
        return lambda: variance_components(*columns)

    assert variance_components(*made(2000, 4, 25, 500, 0.1, RNG(1))).residual.value == pytest.approx(0.8, abs=0.01)
    assert_work_grows_with_data(prepare, 10_000)
