"""Trust coefficients against the algorithm written out in plain Python, and their odd cases."""

from collections.abc import Callable
from itertools import combinations

import krippendorff
import numpy as np
import pytest

from analytics_app.stats.quality.trust import trust_coefficients
from tests.work import assert_work_grows_with_data

NAN = float("nan")


def naive(table: np.ndarray, level: str) -> list[float]:
    """The authors' procedure (data_analysis.ipynb of project178/coref-metrics-vs-humans), with a library's alpha.

    `table` is raters x texts. Equal alphas are made equal by rounding, so that no rounding error counts as a rise.
    """
    k = len(table)
    found = []
    for size in range(2, k + 1):
        for members in combinations(range(k), size):
            some = table[list(members)]
            pairable = some[:, (~np.isnan(some)).sum(axis=0) > 1]
            values = pairable[~np.isnan(pairable)]
            alpha = 1.0
            if values.size and values.min() < values.max():
                alpha = krippendorff.alpha(reliability_data=some, level_of_measurement=level)
            found.append((round(alpha, 9), members))
    found.sort(key=lambda one: one[0])
    total, weight, before = [0.0] * k, 1, found[0][0]
    for alpha, members in found:
        weight += alpha > before
        before = alpha
        for member in members:
            total[member] += weight * alpha
    return [one / max(total) for one in total]


def of(table: np.ndarray, level: str = "nominal", **more: object) -> object:
    raters, units = np.nonzero(~np.isnan(table))
    return trust_coefficients(table[raters, units], units, raters, level=level, **more)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_as_the_authors_have_them(level: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, 12)
    table = np.clip(truth + rng.integers(-1, 2, (5, 12)), 1, 5).astype(float)
    table[rng.random(table.shape) < 0.3] = NAN
    table[4, :10] = NAN
    found = of(table, level)
    assert found.subsets == 2**5 - 6
    assert found.coefficients == pytest.approx(naive(table, level), abs=1e-6)


def test_undefined_groups_count_as_one_and_are_counted() -> None:
    # The third rater shares no text with anybody: with each of the others alone there is no alpha.
    table = np.array([[1, 2, 3, NAN], [1, 2, 1, NAN], [NAN, NAN, NAN, 2.0]])
    found = of(table)
    assert found.undefined == 2
    assert found.coefficients == pytest.approx(naive(table, "nominal"))


def test_the_order_of_ratings_does_not_matter_and_codes_may_have_gaps() -> None:
    rng = np.random.default_rng(5)
    values, units, raters = rng.integers(1, 4, 60), np.tile(np.arange(15), 4) * 7, np.repeat([3, 9, 11, 40], 15)
    first = trust_coefficients(values, units, raters)
    order = rng.permutation(60)
    again = trust_coefficients(values[order], units[order], raters[order])
    assert first.raters.tolist() == again.raters.tolist() == [3, 9, 11, 40]
    assert first.coefficients == pytest.approx(again.coefficients, abs=1e-12)


def test_a_sample_of_groups_is_close_to_all_of_them() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(1, 6, 60)
    # The most raters whose groups are all taken (docs/methods/trust.md).
    table = np.clip(truth + rng.integers(-1, 2, (14, 60)), 1, 5).astype(float)
    table[3] = rng.integers(1, 6, 60)
    exact = of(table)
    assert not exact.sampled
    assert exact.coefficients.argmin() == 3
    # One rater more, who only rated one text: groups are drawn, and the others stay nearly as they were.
    more = np.vstack([table, np.where(np.arange(60) == 0, truth, NAN)])
    drawn = of(more, rng=np.random.default_rng(1))
    assert drawn.sampled
    assert drawn.coefficients[:14] == pytest.approx(exact.coefficients, abs=0.05)
    assert of(more, rng=np.random.default_rng(1)).coefficients.tolist() == drawn.coefficients.tolist()
    with pytest.raises(ValueError, match="generator"):
        of(more)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (np.full((0, 3), NAN), "Nothing was rated"),
        (np.full((2, 3), NAN), "Nothing was rated"),
        (np.array([[1.0, 2, 3]]), "one rater"),
        (np.array([[2.0, 2, 2], [2, 2, 2]]), "all ratings are the same"),
        (np.array([[1.0, NAN], [NAN, 2]]), "No two raters"),
        (np.array([[1.0, 2.0], [2, 1]]), "more than by chance"),
    ],
)
def test_undefined_is_said(table: np.ndarray, said: str) -> None:
    found = of(table)
    assert found.coefficients is None
    assert said in found.note


def test_two_values_and_one_text() -> None:
    assert of(np.array([[1.0, 5, 1, 5], [1, 5, 1, 5], [1, 5, 1, 1]])).coefficients.max() == 1
    one = of(np.array([[1.0], [1.0], [2.0]]))
    assert one.undefined == 1


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="once a unit"):
        trust_coefficients([1, 2, 3], [0, 0, 1], [0, 0, 1])
    with pytest.raises(ValueError, match="level"):
        trust_coefficients([1, 2], [0, 0], [0, 1], level="ratio")


@pytest.mark.parametrize("k", [10, 100])
def test_work_grows_with_the_ratings_alone(k: int) -> None:
    def prepare(n: int) -> Callable[[], object]:
        values = np.random.default_rng(0).integers(1, 6, n).astype(float)
        units, raters = np.tile(np.arange(n // k), k), np.repeat(np.arange(k), n // k)
        return lambda: trust_coefficients(values, units, raters, rng=np.random.default_rng(0))

    found = prepare(100_000)()
    assert found.coefficients is None or found.coefficients.max() == 1
    # What is drawn again is drawn in parts of bounded size, and the search may take a few steps more.
    assert_work_grows_with_data(prepare, 10_000, steps=3)
