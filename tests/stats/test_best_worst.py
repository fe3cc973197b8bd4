"""Best-worst scores by counting, and split halves written out."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.ranking.best_worst import ALIKE, FEW_TEXTS, NEVER, best_worst, split_half
from tests.work import assert_work_grows_with_data


def scores(systems: object, choices: object, clusters: object, n: int, **options: object) -> list:
    chosen = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return best_worst(systems, choices, clusters, n_systems=n, **chosen)


def tuples(n_judgments: int, n_texts: int, seed: int, noise: float) -> tuple[np.ndarray, ...]:
    """Choose among four of many texts by what they are worth: texts, choices, judgments, tuples."""
    draw = np.random.default_rng(seed)
    worth = np.linspace(0, 3, n_texts)
    units = [draw.choice(n_texts, 4, replace=False) for _unit in range(n_judgments // 4)]
    texts, choices = [], []
    for judgment in range(n_judgments):
        shown = units[judgment // 4]
        seen = worth[shown] + noise * draw.normal(size=4)
        texts.append(shown)
        choices.append((np.arange(4) == seen.argmax()).astype(int) - (np.arange(4) == seen.argmin()))
    judgments = np.repeat(np.arange(n_judgments), 4)
    return np.concatenate(texts), np.concatenate(choices), judgments, judgments // 4


def test_counts() -> None:
    # reference_values.json, best_worst_counts: (best - worst) / appearances, Orme (2009).
    systems = np.tile(range(4), 4)
    choices = [1, 0, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1, 0, 1, -1, 0]
    found = scores(systems, choices, np.repeat(range(4), 4), 4)
    assert [one.score.value for one in found] == pytest.approx([0.75, 0.25, -0.25, -0.75])
    assert [(one.best, one.worst, one.shown) for one in found] == [(3, 0, 4), (1, 0, 4), (0, 1, 4), (0, 3, 4)]
    assert [one.rank.value for one in found] == [1, 2, 3, 4]


def test_intervals_are_a_bootstrap_over_tuples() -> None:
    texts, choices, _judgments, units = tuples(400, 5, 1, 1.5)
    found = scores(texts, choices, units, 5, n_resamples=2000)
    draw, slow = np.random.default_rng(2), []
    for _resample in range(2000):
        times = np.bincount(draw.integers(100, size=100), minlength=100)[units]
        mine = texts == 2
        slow.append((times * choices)[mine].sum() / times[mine].sum())
    assert (found[2].score.low, found[2].score.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.02)
    assert found[0].rank.low >= 4
    assert found[4].rank.high == 1


def test_weak_and_undefined() -> None:
    never = scores([0, 1], [1, -1], [0, 0], 3, n_resamples=20)
    assert never[2].score.note == NEVER
    assert (never[0].score.low, never[0].rank.low) == (None, None)
    assert never[0].score.note.startswith("An interval takes")
    assert scores([], [], [], 2)[0].score.note == NEVER
    level = scores([0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 1, 1], 2, n_resamples=20)
    assert [one.rank.value for one in level] == [1, 1]
    for systems, choices in (([0], [2]), ([5], [1]), ([0, 1], [1])):
        with pytest.raises(ValueError, match=r"[a-z]"):
            scores(systems, choices, [0] * len(systems), 2)


def test_split_half_written_out() -> None:
    texts, choices, judgments, units = tuples(240, 12, 3, 0.7)
    found = split_half(texts, choices, judgments, units, n_splits=300, rng=np.random.default_rng(1))
    draw, pearson, spearman = np.random.default_rng(2), [], []
    for _split in range(300):
        half = np.concatenate([draw.permutation([0, 0, 1, 1]) for _unit in range(60)])[judgments]
        halves = [[choices[(texts == text) & (half == side)].mean() for text in range(12)] for side in range(2)]
        pearson.append(scipy.stats.pearsonr(*halves).statistic)
        spearman.append(scipy.stats.spearmanr(*halves).statistic)
    assert found.pearson.value == pytest.approx(np.mean(pearson), abs=0.01)
    assert found.spearman.value == pytest.approx(np.mean(spearman), abs=0.015)
    assert (found.pearson.n_items, found.pearson.n_ratings) == (12, 240)


def test_halves_of_chance_do_not_agree() -> None:
    texts, _choices, judgments, units = tuples(2000, 40, 4, 1.0)
    draw = np.random.default_rng(5)
    choices = np.concatenate([draw.permutation([1, -1, 0, 0]) for _judgment in range(2000)])
    found = split_half(texts, choices, judgments, units, n_splits=20, rng=draw)
    assert abs(found.pearson.value) < 0.35


def test_halves_that_cannot_be_correlated() -> None:
    one = split_half([0, 1, 2], [1, 0, -1], [0, 0, 0], [0, 0, 0], rng=np.random.default_rng(1))
    assert (one.pearson.note, one.spearman.note) == (FEW_TEXTS, FEW_TEXTS)
    texts = np.tile([0, 1, 2, 3], 6)
    level = split_half(texts, [0] * 24, np.repeat(range(6), 4), [0] * 24, rng=np.random.default_rng(1))
    assert level.pearson.note == ALIKE
    assert split_half([], [], [], [], rng=np.random.default_rng(1)).pearson.note == FEW_TEXTS
    with pytest.raises(ValueError, match="split"):
        split_half([], [], [], [], n_splits=0, rng=np.random.default_rng(1))


def test_work_grows_with_the_choices_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        draw = np.random.default_rng(6)
        texts = (np.arange(n)[:, np.newaxis] * 3 + np.arange(4)).ravel() % (n // 50)
        choices, judgments = np.tile([1, 0, 0, -1], n), np.repeat(np.arange(n), 4)

        def rank() -> None:
            sets, about = judgments // 20, {"n_resamples": 20, "confidence": 0.95, "rng": draw}
            best_worst(texts % 10, choices, sets, n_systems=10, **about)
            split_half(texts, choices, judgments, sets, n_splits=5, rng=draw)

        return rank

    assert_work_grows_with_data(prepare, 2500)
