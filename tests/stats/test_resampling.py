"""The bootstrap: exact multinomial counts, bounded memory, the same digits for the same seed."""

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.resampling import bootstrap
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE, Adjusted, interval, ratio_samples, weights

NAN = float("nan")


def drawn(n: int, n_resamples: int, seed: int = 1, **options: object) -> np.ndarray:
    return np.concatenate(list(weights(n, n_resamples, np.random.default_rng(seed), **options)))


def test_every_sample_has_n_units() -> None:
    counts = drawn(37, 1000)
    assert counts.shape == (1000, 37)
    assert counts.dtype == np.float32
    assert (counts.sum(axis=1) == 37).all()


def test_counts_are_multinomial() -> None:
    # Mean 1, variance 1 - 1/n and covariance -1/n of a multinomial of n draws from n units.
    counts = drawn(5, 40_000)
    covariance = np.cov(counts.T)
    assert counts.mean(axis=0) == pytest.approx(np.ones(5), abs=0.02)
    assert np.diag(covariance) == pytest.approx(np.full(5, 0.8), abs=0.03)
    assert covariance[~np.eye(5, dtype=bool)] == pytest.approx(np.full(20, -0.2), abs=0.02)
    # How often a unit is missing is binomial (5, 1/5).
    assert (counts == 0).mean() == pytest.approx(scipy.stats.binom.pmf(0, 5, 0.2), abs=0.005)


def test_chunks_stay_small_and_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = drawn(100, 700)
    assert [len(chunk) for chunk in weights(100, 700, np.random.default_rng(1))] == [256, 256, 188]
    monkeypatch.setattr(bootstrap, "_CELLS", 1000)
    assert {len(chunk) for chunk in weights(100, 700, np.random.default_rng(1))} == {10}
    assert (drawn(100, 700) == whole).all()
    assert {len(chunk) for chunk in weights(100, 20, np.random.default_rng(1), width=500)} == {2}


def test_units_of_a_class_are_counted_together() -> None:
    classes = np.array([2, 0, 2, 1])
    alone, together = drawn(4, 300), drawn(4, 300, classes=classes)
    expected = np.stack([alone[:, classes == c].sum(axis=1) for c in range(3)], axis=1)
    assert (together == expected).all()


def test_the_same_seed_gives_the_same_digits() -> None:
    assert (drawn(20, 500, seed=3) == drawn(20, 500, seed=3)).all()
    assert not (drawn(20, 500, seed=3) == drawn(20, 500, seed=4)).all()


def test_no_resamples_are_no_chunks() -> None:
    assert list(weights(4, 0, np.random.default_rng(1))) == []


@pytest.mark.parametrize(("n", "n_resamples"), [(0, 10), (5, -1)])
def test_wrong_numbers_are_refused(n: int, n_resamples: int) -> None:
    with pytest.raises(ValueError, match=r"at least 1 unit|0 or more"):
        weights(n, n_resamples, np.random.default_rng(1))


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, -1]])
def test_wrong_classes_are_refused(classes: list[int]) -> None:
    with pytest.raises(ValueError, match="class"):
        weights(3, 10, np.random.default_rng(1), classes=np.array(classes))


def test_ratios_are_sums_over_counts_of_the_drawn_units() -> None:
    rng = np.random.default_rng(5)
    sums, counts = rng.normal(size=(12, 3)), rng.integers(0, 4, (12, 3))
    counts[3:, 2] = 0
    samples = ratio_samples(sums, counts, 400, np.random.default_rng(8))
    chosen = drawn(12, 400, seed=8)
    expected = np.full((400, 3), NAN)
    for b, row in enumerate(chosen.astype(int)):
        units = np.repeat(np.arange(12), row)
        for k in range(3):
            if counts[units, k].sum():
                expected[b, k] = sums[units, k].sum() / counts[units, k].sum()
    np.testing.assert_allclose(samples, expected, rtol=1e-9)
    assert np.isnan(samples[:, 2]).any()


def test_ratios_need_a_count_for_each_sum() -> None:
    with pytest.raises(ValueError, match="same two dimensions"):
        ratio_samples([[1.0]], [1.0], 5, np.random.default_rng(1))


def test_percentiles_are_numpys() -> None:
    samples = np.random.default_rng(2).normal(size=999)
    assert interval(samples, 0.95)[:2] == pytest.approx(np.percentile(samples, [2.5, 97.5]))
    assert interval(samples, 0.9)[:2] == pytest.approx(np.percentile(samples, [5, 95]))


def test_a_few_failed_samples_are_left_out_and_counted() -> None:
    samples = np.r_[np.arange(96), np.full(4, NAN)].astype(float)
    low, high, se, note = interval(samples, 0.5)
    assert (low, high) == pytest.approx(np.percentile(np.arange(96), [25, 75]))
    assert se == pytest.approx(np.arange(96).std(ddof=1))
    assert note == "4 of 100 resamples left the value undefined and are left out."


@pytest.mark.parametrize("samples", [[1, 2, NAN], [NAN, NAN], [1] * 94 + [NAN] * 6])
def test_many_failed_samples_give_no_interval(samples: list[float]) -> None:
    low, high, se, note = interval(samples, 0.95)
    assert (low, high, se) == (None, None, None)
    assert note.startswith("No interval: ")


def test_no_samples_give_no_interval_and_no_note() -> None:
    assert interval([], 0.95) == (None, None, None, None)


def test_one_sample_has_no_standard_error() -> None:
    assert interval([3.0], 0.95) == (None, None, None, ALL_ALIKE)
    assert interval([3.0], 0.95, ranks=True) == (3, 3, None, None)


@pytest.mark.parametrize("confidence", [0, 1, 95, NAN])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        interval([1, 2], confidence)


def test_samples_are_one_list() -> None:
    with pytest.raises(ValueError, match="one dimension"):
        interval([[1, 2]], 0.9)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize("n", [6, 10, 40])
def test_expanded_percentiles_of_normal_means_are_students_limits(n: int, confidence: float) -> None:
    """Resampled means vary by (n - 1) / n of s² / n; of normal ones expanded percentiles are the t interval."""
    s = 2.5
    quantiles = (np.arange(1_000_000) + 0.5) / 1_000_000
    resamples = 7 + s * np.sqrt((n - 1) / n) / np.sqrt(n) * scipy.stats.norm.ppf(quantiles)
    low, high, _se, note = interval(resamples, Adjusted(confidence), n)
    expected = scipy.stats.t.interval(confidence, n - 1, loc=7, scale=s / np.sqrt(n))
    assert (low, high) == pytest.approx(expected, abs=1e-3)
    assert note is None
    plain = interval(resamples, confidence)
    assert high - low > plain.high - plain.low


def test_expanded_percentiles_take_at_least_two_units_and_their_number() -> None:
    found = interval(range(100), Adjusted(0.95), 1)
    assert found == (None, None, None, "No interval: only one unit could be drawn.")
    with pytest.raises(ValueError, match="takes their number"):
        interval(range(100), Adjusted(0.95))
    with pytest.raises(ValueError, match="confidence"):
        interval(range(100), Adjusted(1.5), 10)


@pytest.mark.parametrize("classes", [None, np.arange(50) % 7])
def test_samples_do_not_depend_on_how_many_units_are_drawn_at_a_time(
    classes: np.ndarray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    for at_once in (2**15, 1):
        monkeypatch.setattr(bootstrap, "_DRAWN", at_once)
        chunks = bootstrap.weights(50, 300, np.random.default_rng(1), classes=classes)
        drawn.append(np.concatenate(list(chunks)).tolist())
    assert drawn[0] == drawn[1]
