"""Krippendorff's alpha: published examples, the package, a naive version, and what has no alpha."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.agreement import krippendorff as agreement
from analytics_app.stats.agreement.coincidences import disagreement
from analytics_app.stats.agreement.krippendorff import krippendorff_alpha
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE
from tests.stats import naive

NAN = float("nan")
LEVELS = ["nominal", "ordinal", "interval", "ratio"]

# Krippendorff (2011), Computing Krippendorff's alpha-reliability: examples A, B and C, raters x units.
A = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
B = [[1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1], [2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4]]
C = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


def of(matrix: list[list[float]], **options: object) -> object:
    table = np.array(matrix, dtype=float)
    units = np.tile(np.arange(table.shape[1]), table.shape[0])
    raters = np.repeat(np.arange(table.shape[0]), table.shape[1])
    return krippendorff_alpha(table.ravel(), units, raters=raters, **options)


def ratings(seed: int, n_units: int = 40, n_raters: int = 4, steps: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Ratings that agree somewhat, a fifth of them missing."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(n_units), n_raters)
    values = np.clip(np.round(rng.normal(size=n_units)[units] + rng.normal(size=units.size) + steps / 2), 1, steps)
    values[rng.random(values.size) < 0.2] = NAN
    return values, units


@pytest.mark.parametrize(
    ("matrix", "level", "expected"),
    [
        # Printed as .095, .692 and .743 .815 .849 .797; the digits are those of R irr 0.84.1 kripp.alpha.
        (A, "nominal", 0.0952380952),
        (B, "nominal", 0.6919642857),
        (C, "nominal", 0.7434210526),
        (C, "ordinal", 0.8153875038),
        (C, "interval", 0.8491071429),
        (C, "ratio", 0.7974027747),
    ],
)
def test_published_examples(matrix: list[list[float]], level: str, expected: float) -> None:
    estimate = of(matrix, level=level)
    assert estimate.value == pytest.approx(expected, abs=1e-9)
    assert (estimate.low, estimate.high, estimate.note) == (None, None, None)


def test_what_was_counted() -> None:
    # In example C unit 12 has one rating: 41 ratings, 40 of them pairable (Krippendorff 2011).
    estimate = of(C, level="nominal")
    assert (estimate.n_ratings, estimate.n_items, estimate.n_raters) == (40, 11, 4)
    assert krippendorff_alpha([1, 2, 1], [0, 0, 1], level="nominal").n_raters is None


def test_many_equal_ratings_do_not_overflow() -> None:
    # krippendorff 0.9.0 with int64 counts; with 8 bits it goes wrong from 12 equal ratings on (reference_values.json).
    values = np.repeat([1, 2, 1, 2], [40, 40, 20, 20]).astype(np.uint8)
    units = np.repeat([0, 1, 2], [40, 40, 40]).astype(np.uint8)
    assert krippendorff_alpha(values, units, level="nominal").value == pytest.approx(0.6609686609686609, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("steps", [2, 5, 101])
def test_as_the_package_has_it(level: str, steps: int) -> None:
    values, units = ratings(3, n_units=60, steps=steps)
    expected = krippendorff.alpha(reliability_data=values.reshape(60, 4).T, level_of_measurement=level)
    assert krippendorff_alpha(values, units, level=level).value == pytest.approx(expected, abs=1e-12)


SMALL = st.lists(st.tuples(st.sampled_from([0, 1, 2, 5.5, NAN]), st.integers(0, 4)), max_size=14)


@given(SMALL, st.sampled_from(LEVELS))
def test_as_the_definition_has_it(rows: list[tuple[float, int]], level: str) -> None:
    values, units = [value for value, _unit in rows], [unit for _value, unit in rows]
    estimate = krippendorff_alpha(values, np.array(units, dtype=int), level=level)
    expected = naive.alpha(values, units, level)
    assert estimate.value == (expected if expected is None else pytest.approx(expected, abs=1e-9))
    assert (estimate.value is None) == (estimate.note is not None)


@pytest.mark.parametrize("level", LEVELS)
def test_wide_scales_take_another_way_to_the_same_value(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, units = ratings(4, steps=7)
    by_package = krippendorff_alpha(values, units, level=level).value
    monkeypatch.setattr(agreement, "_LIBRARY_VALUES", 0)
    narrow = krippendorff_alpha(values, units, level=level, rng=np.random.default_rng(1))
    monkeypatch.setattr("analytics_app.stats.agreement.coincidences._DENSE_VALUES", 0)
    wide = krippendorff_alpha(values, units, level=level, rng=np.random.default_rng(1))
    assert narrow.value == pytest.approx(by_package, abs=1e-12)
    assert wide.value == pytest.approx(by_package, abs=1e-12)
    # The resamples differ, as units are drawn in another order; the interval is the same within its noise.
    assert (wide.low, wide.high) == pytest.approx((narrow.low, narrow.high), abs=0.05)


@pytest.mark.parametrize("level", LEVELS)
def test_more_than_200_values(level: str) -> None:
    rng = np.random.default_rng(6)
    units = np.repeat(np.arange(90), 3)
    values = np.round(np.exp(rng.normal(size=90)[units] + rng.normal(size=270) * 0.3), 4)
    assert np.unique(values).size > 200
    expected = krippendorff.alpha(reliability_data=values.reshape(90, 3).T, level_of_measurement=level)
    estimate = krippendorff_alpha(values, units, level=level, rng=rng, n_resamples=50)
    assert estimate.value == pytest.approx(expected, abs=1e-12)
    assert estimate.low <= estimate.value <= estimate.high or level == "nominal"


def test_too_many_values_at_the_ratio_level() -> None:
    values = np.arange(1.0, 2003)
    estimate = krippendorff_alpha(values, np.arange(2002) // 2, level="ratio")
    assert estimate.value is None
    assert "2,000 different values, and these are 2,002. Take logarithms" in estimate.note
    assert krippendorff_alpha(np.log(values), np.arange(2002) // 2, level="interval").value > 0.99


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("wide", [False, True])
def test_a_resample_is_alpha_of_its_units(level: str, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every unit as often as it was drawn, written out as units of their own, and alpha by the definition.
    if wide:
        monkeypatch.setattr("analytics_app.stats.agreement.coincidences._DENSE_VALUES", 0)
    rng = np.random.default_rng(7)
    units = np.repeat(np.arange(8), [2, 3, 2, 4, 2, 2, 3, 2])
    places = rng.integers(0, 4, units.size)
    places[:4] = [0, 1, 2, 3]
    scale = np.array([1.0, 2.0, 4.0, 7.5])
    table = disagreement(units, places, scale, level)
    counts = np.asarray(table.counts.todense() if wide else table.counts)
    drawn = rng.integers(0, 3, (30, len(counts))).astype(float)
    drawn[0] = 0
    drawn[0, counts.max(axis=1).argmax()] = 1
    for weights, found in zip(drawn, table.alphas(drawn), strict=True):
        rows = counts[np.repeat(np.arange(len(counts)), weights.astype(int))].astype(int)
        values = [value for row in rows for value in np.repeat(scale, row)]
        expected = naive.alpha(values, np.repeat(np.arange(len(rows)), rows.sum(axis=1)).tolist(), level)
        assert found == pytest.approx(np.nan if expected is None else expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("wide", [False, True])
def test_a_constant_resample_has_no_alpha(level: str, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # Sevenths, whose sums and squares are never exact, and as many as a few thousand times.
    if wide:
        monkeypatch.setattr("analytics_app.stats.agreement.coincidences._DENSE_VALUES", 0)
    table = disagreement(np.repeat(np.arange(7), 3), np.repeat(np.arange(7), 3), np.arange(1, 8) / 7, level)
    for times in (1, 3, 7, 1001):
        assert np.isnan(table.alphas(np.eye(7) * times)).all()
        assert table.alphas(np.ones((1, 7)) * times) == pytest.approx([1], abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_is_that_of_a_plain_bootstrap(level: str) -> None:
    values, units = ratings(8, n_units=60)
    matrix = values.reshape(60, 4).T
    rng = np.random.default_rng(9)
    slow = [
        krippendorff.alpha(reliability_data=matrix[:, rng.integers(60, size=60)], level_of_measurement=level)
        for _resample in range(1500)
    ]
    estimate = krippendorff_alpha(values, units, level=level, n_resamples=4000, rng=np.random.default_rng(1))
    assert (estimate.low, estimate.high) == pytest.approx(np.percentile(slow, [2.5, 97.5]), abs=0.02)
    assert estimate.se == pytest.approx(np.std(slow), rel=0.1)
    narrower = krippendorff_alpha(values, units, level=level, confidence=0.5, rng=np.random.default_rng(1))
    assert estimate.low < narrower.low < estimate.value < narrower.high < estimate.high


@given(st.integers(0, 10**6), st.sampled_from(LEVELS))
def test_order_of_rows_and_codes_of_units_change_no_digit(seed: int, level: str) -> None:
    values, units = ratings(seed, n_units=15)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(values.size)
    codes = rng.choice(10**6, size=15, replace=False)
    plain = krippendorff_alpha(values, units, level=level, n_resamples=50, rng=np.random.default_rng(seed))
    other = krippendorff_alpha(
        values[rows], codes[units[rows]], level=level, n_resamples=50, rng=np.random.default_rng(seed)
    )
    assert plain == other


@given(st.integers(0, 10**6), st.floats(-100, 100), st.floats(0.01, 100))
def test_the_interval_level_does_not_see_origin_and_unit(seed: int, shift: float, factor: float) -> None:
    values, units = ratings(seed, n_units=6)
    plain = krippendorff_alpha(values, units, level="interval").value
    assert krippendorff_alpha(shift + factor * values, units, level="interval").value == pytest.approx(plain, abs=1e-6)


def test_the_domain_gives_the_order_and_unused_steps_nothing() -> None:
    plain = of(C, level="ordinal").value
    assert of(C, level="ordinal", domain=[1, 2, 3, 4, 5, 6, 7]).value == pytest.approx(plain, abs=1e-12)
    assert of(C, level="ordinal", domain=[5, 4, 3, 2, 1]).value == pytest.approx(plain, abs=1e-12)
    # 1 and 5 as neighbours: another scale.
    mixed = of(C, level="ordinal", domain=[1, 5, 2, 3, 4]).value
    renamed = np.array(C)
    renamed[np.array(C) == 5] = 1.5
    assert mixed == pytest.approx(of(renamed, level="ordinal").value, abs=1e-12)
    assert mixed != pytest.approx(plain, abs=1e-3)


@pytest.mark.parametrize("level", LEVELS)
def test_all_equal_has_no_alpha(level: str) -> None:
    # 0/0: reference_values.json, undefined_krippendorff_constant.
    estimate = of([[3, 3, 3], [3, 3, 3]], level=level, rng=np.random.default_rng(1))
    assert (estimate.value, estimate.note) == (None, "All ratings are the same, so alpha is undefined.")
    assert estimate.n_ratings == 6


def test_equal_where_they_can_be_compared_has_no_alpha() -> None:
    estimate = krippendorff_alpha([3, 3, 4], [0, 0, 1], level="nominal")
    assert (estimate.value, estimate.note) == (
        None,
        "All ratings that can be compared are the same, so alpha is undefined.",
    )


@pytest.mark.parametrize("matrix", [[[1, NAN], [NAN, 2]], [[1, 2, 3]]])
def test_one_rating_a_text_has_no_alpha(matrix: list[list[float]]) -> None:
    # reference_values.json, undefined_krippendorff_no_pairs, and a single rater.
    estimate = of(matrix, level="nominal")
    assert (estimate.value, estimate.note) == (None, "No two raters rated the same text, so alpha is undefined.")
    assert (estimate.n_ratings, estimate.n_items, estimate.n_raters) == (0, 0, 0)


@pytest.mark.parametrize("values", [[], [NAN, NAN]])
def test_nothing_rated_has_no_alpha(values: list[float]) -> None:
    estimate = krippendorff_alpha(values, [0] * len(values), level="interval", rng=np.random.default_rng(1))
    assert (estimate.value, estimate.note) == (None, "Nothing was rated, so alpha is undefined.")


def test_one_item() -> None:
    # Two raters, one text: observed and expected disagreement are the same thing.
    estimate = krippendorff_alpha([1, 2], [0, 0], level="nominal", rng=np.random.default_rng(1))
    assert estimate.value == 0
    assert estimate.low is None
    assert estimate.note == "Too few texts with two ratings or more for an interval: 1, and it takes 10."


def test_complete_agreement_is_exactly_one() -> None:
    values = np.repeat(np.arange(12) % 3, 2) / 7
    for level in LEVELS:
        estimate = krippendorff_alpha(values, np.arange(24) // 2, level=level, rng=np.random.default_rng(1))
        assert estimate.value == pytest.approx(1, abs=1e-12)
        assert (estimate.low, estimate.high, estimate.note) == (None, None, ALL_ALIKE)


def test_mostly_undefined_resamples_give_no_interval() -> None:
    # One of 40 texts differs: a third of all resamples lack it, and are constant.
    values = np.full(80, 4.0)
    values[0] = 3
    estimate = krippendorff_alpha(values, np.arange(80) // 2, level="ordinal", rng=np.random.default_rng(1))
    assert estimate.value == pytest.approx(naive.alpha(values.tolist(), (np.arange(80) // 2).tolist(), "ordinal"))
    assert (estimate.low, estimate.high) == (None, None)
    assert estimate.note.startswith("No interval: ")


def test_missing_in_blocks() -> None:
    # Two panels that share no text: nothing but the pairs within texts and the values of all enters.
    matrix = np.full((4, 20), NAN)
    rng = np.random.default_rng(2)
    matrix[:2, :10] = rng.integers(1, 6, (2, 10))
    matrix[2:, 10:] = rng.integers(1, 6, (2, 10))
    for level in LEVELS:
        expected = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
        estimate = of(matrix, level=level, rng=np.random.default_rng(1))
        assert estimate.value == pytest.approx(expected, abs=1e-12)
        assert estimate.low < estimate.value < estimate.high


@pytest.mark.parametrize("size", [1e-200, 1e-90, 1e90])
def test_values_of_any_size(size: float) -> None:
    expected = of(C, level="interval").value
    assert of((np.array(C) * size).tolist(), level="interval").value == pytest.approx(expected, abs=1e-9)


def test_without_resamples_or_generator_there_is_no_interval() -> None:
    values, units = ratings(1)
    assert krippendorff_alpha(values, units, level="ordinal").low is None
    without = krippendorff_alpha(values, units, level="ordinal", n_resamples=0, rng=np.random.default_rng(1))
    assert (without.low, without.note) == (None, None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": "metric"}, "level"),
        ({"level": "ordinal", "domain": [1, 2, 3]}, "outside the domain: 4, 5"),
        ({"level": "ordinal", "n_resamples": -1}, "resamples"),
        ({"level": "ordinal", "confidence": 95}, "confidence"),
    ],
)
def test_wrong_settings_are_refused(options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        of(C, **options)


def test_wrong_ratings_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        krippendorff_alpha([1, 2], [0], level="nominal")
    with pytest.raises(ValueError, match="at least 0"):
        krippendorff_alpha([1, 2], [0, -1], level="nominal")
    with pytest.raises(ValueError, match="ratio level"):
        krippendorff_alpha([-1, 2], [0, 0], level="ratio")
