"""The model of Dawid and Skene: the anaesthetists of 1979, an implementation by loops, labels drawn from the model."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.errors.dawid_skene import NOTHING, ONE_EACH, DawidSkene, dawid_skene
from tests.work import assert_work_grows_with_data, work_of

# Dawid and Skene (1979), table 1: 45 patients, by observer 1 three times and by observers 2 to 5 once
# (reference_values.json "dawid_skene_anaesthetists"; CRAN rater::anesthesia).
PATIENTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1122111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""


def loops(
    rows: list[tuple[int, int, int]], n_labels: int, smoothing: float, iterations: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same model, written out one label at a time."""
    texts = sorted({text for _label, text, _rater in rows})
    raters = sorted({rater for _label, _text, rater in rows})
    truth = {text: np.zeros(n_labels) for text in texts}
    for label, text, _rater in rows:
        truth[text][label] += 1
    truth = {text: votes / votes.sum() for text, votes in truth.items()}
    for _step in range(iterations):
        prior = np.mean([truth[text] for text in texts], axis=0)
        confusion = {rater: np.full((n_labels, n_labels), smoothing) for rater in raters}
        for label, text, rater in rows:
            confusion[rater][:, label] += truth[text]
        confusion = {rater: one / one.sum(axis=1, keepdims=True) for rater, one in confusion.items()}
        for text in texts:
            chance = prior.copy()
            for label, of, rater in rows:
                if of == text:
                    chance = chance * confusion[rater][:, label]
            truth[text] = chance / chance.sum()
    return np.array([truth[text] for text in texts]), np.mean([truth[text] for text in texts], axis=0)


def anaesthetists(**options: float) -> DawidSkene:
    labels, texts, raters = [], [], []
    for patient, answers in enumerate(PATIENTS.split()):
        for label, rater in zip(answers, (0, 0, 0, 1, 2, 3, 4), strict=True):
            labels.append(int(label) - 1)
            texts.append(patient)
            raters.append(rater)
    return dawid_skene(labels, texts, raters, n_labels=4, **options)


def test_the_anaesthetists() -> None:
    """Their maximum has no smoothing: prevalence .40 .42 .11 .07 as printed, log-likelihood as crowd-kit has it."""
    found = anaesthetists(smoothing=1e-9)
    np.testing.assert_allclose(found.prevalence, [0.4000, 0.4216, 0.1118, 0.0667], atol=0.00006)
    assert found.log_likelihood == pytest.approx(-190.730997, abs=0.0001)
    np.testing.assert_allclose(found.posterior[0], [1, 0, 0, 0], atol=0.0006)
    assert found.sensitivity[0, 0] == pytest.approx(0.907, abs=0.0006)
    assert found.converged
    assert found.note is None


def test_the_usual_smoothing_moves_the_fourth_digit() -> None:
    np.testing.assert_allclose(anaesthetists().prevalence, [0.4000, 0.4216, 0.1118, 0.0667], atol=0.0006)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=20))
def test_as_loops_have_it(rows: list[tuple[int, int, int]]) -> None:
    labels, texts, raters = map(list, zip(*rows, strict=True))
    found = dawid_skene(labels, texts, raters, n_labels=3, max_iterations=4, tolerance=1e-300)
    if not found.defined:
        assert len(set(texts)) == len(texts)
        return
    truth, prior = loops(rows, 3, 0.01, found.n_iterations)
    np.testing.assert_allclose(found.posterior, truth, atol=1e-9)
    np.testing.assert_allclose(found.prevalence, prior, atol=1e-9)
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)


def test_accuracy_and_labels_of_a_known_truth() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(3, size=3000)
    texts, raters = np.repeat(np.arange(3000), 7), np.tile(np.arange(7), 3000)
    skill = np.array([0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 1 / 3])
    labels = np.where(rng.random(21_000) < skill[raters], truth[texts], rng.integers(3, size=21_000))
    found = dawid_skene(labels, texts, raters, n_labels=3)
    assert (found.label == truth).mean() > 0.98
    np.testing.assert_allclose(found.accuracy, skill + (1 - skill) / 3, atol=0.025)
    np.testing.assert_allclose(found.sensitivity.mean(axis=1), found.accuracy, atol=0.03)
    # What it is sure of it gets right as often as it says.
    sure = found.confidence
    assert sure.mean() == pytest.approx((found.label == truth).mean(), abs=0.01)


def test_a_label_that_nobody_gave_and_codes_with_gaps() -> None:
    found = dawid_skene([0, 0, 2, 2, 0, 0], [5, 5, 9, 9, 9, 5], [3, 8, 3, 8, 11, 11], n_labels=4)
    assert found.texts.tolist() == [5, 9]
    assert found.raters.tolist() == [3, 8, 11]
    assert found.prevalence[1] == pytest.approx(0, abs=1e-9)
    assert np.isnan(found.sensitivity[:, 1]).all()


def test_one_label_each_is_undefined() -> None:
    found = dawid_skene([0, 1, 1], [0, 1, 2], [0, 0, 1], n_labels=2)
    assert (found.defined, found.note, found.confidence.size) == (False, ONE_EACH, 0)


def test_nothing_labelled() -> None:
    assert dawid_skene([], [], [], n_labels=2).note == NOTHING


def test_all_equal() -> None:
    found = dawid_skene([1] * 6, [0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, n_labels=2)
    np.testing.assert_allclose(found.posterior, [[0, 1], [0, 1]], atol=1e-9)
    assert found.accuracy.tolist() == pytest.approx([1, 1, 1])


def test_ties_everywhere_are_ties() -> None:
    found = dawid_skene([0, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], n_labels=2)
    assert found.label.tolist() == [-1, -1]
    assert found.confidence.tolist() == pytest.approx([0.5, 0.5])


def test_one_text_one_rater_twice() -> None:
    found = dawid_skene([0, 0], [0, 0], [0, 0], n_labels=2)
    assert found.label.tolist() == [0]


def test_where_two_labels_are_confused_the_names_are_doubted() -> None:
    """Two raters call every text of the third label by the first one: the model finds it, and says so."""
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=400)
    texts, raters = np.repeat(np.arange(400), 5), np.tile(np.arange(5), 400)
    wrong = np.where(truth == 2, 0, truth)
    labels = np.where(raters < 3, wrong[texts], truth[texts])
    found = dawid_skene(labels, texts, raters, n_labels=3)
    assert found.note is not None
    assert "switched" in found.note


@pytest.mark.parametrize(
    "options", [{"smoothing": 0.0}, {"max_iterations": 0}, {"tolerance": 0.0}, {"n_labels": 1}, {"n_labels": 0}]
)
def test_wrong_settings_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"."):
        dawid_skene([0, 1], [0, 0], [0, 1], **{"n_labels": 2, **options})


def test_work_and_memory_grow_with_the_labels_alone() -> None:
    def drawn(n: int) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(1)
        truth = rng.integers(5, size=n // 10)
        texts, raters = np.repeat(np.arange(n // 10), 10), rng.integers(n // 1000, size=n)
        return np.where(rng.random(n) < 0.7, truth[texts], rng.integers(5, size=n)), texts, raters, truth

    def prepare(n: int) -> Callable[[], object]:
        labels, texts, raters, _truth = drawn(n)
        return lambda: dawid_skene(labels, texts, raters, n_labels=5)

    labels, texts, raters, truth = drawn(100_000)
    assert (dawid_skene(labels, texts, raters, n_labels=5).label == truth).mean() > 0.99
    # It converges in some iterations more or less.
    assert_work_grows_with_data(prepare, 10_000, steps=3)
    # Many raters and labels: no cube of raters by labels by labels.
    raters = np.random.default_rng(2).integers(20_000, size=50_000)
    many = work_of(
        lambda: dawid_skene(labels[:50_000] * 12, texts[:50_000], raters, n_labels=60, max_iterations=3),
    )
    assert many.held < 200e6
