"""Diversity of texts: against sacreBLEU and brute force, left out one by one, and texts that repeat themselves."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from analytics_app.stats.comparison.diversity import (
    ALL_ALIKE,
    TOO_FEW,
    Jackknifed,
    Tokens,
    distinct,
    self_bleu,
    within_texts,
)

Texts = Sequence[Sequence[str]]


def texts(seed: int, n: int, words: int = 40, *, repeats: float = 0.0) -> list[list[str]]:
    """Return n texts of 3 to 12 words, frequent and rare; a share of them begins with the same four words."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, words + 1)
    drawn = [
        [f"w{word}" for word in rng.choice(words, size=rng.integers(3, 13), p=weights / weights.sum())]
        for _text in range(n)
    ]
    return [["here", "is", "the", "thing", *text] if rng.random() < repeats else text for text in drawn]


def by_hand(some: Texts, n: int) -> float:
    sequences = [tuple(text[at : at + n]) for text in some for at in range(len(text) - n + 1)]
    return len(set(sequences)) / len(sequences)


def by_sacrebleu(some: Texts) -> float:
    """Return Self-BLEU by sacreBLEU, with the smoothing of Texygen."""
    metric = BLEU(smooth_method="floor", smooth_value=0.1, tokenize="none", effective_order=True)
    lines = [" ".join(text) for text in some]
    scores = [metric.sentence_score(line, lines[:n] + lines[n + 1 :]).score for n, line in enumerate(lines)]
    return float(np.mean(scores)) / 100


def ratios(some: Texts) -> float:
    return float(np.mean([len(set(text)) / len(text) for text in some]))


MEASURES: dict[str, tuple[Callable[[Tokens], Jackknifed | None], Callable[[Texts], float]]] = {
    "within": (within_texts, ratios),
    "distinct-1": (lambda tokens: distinct(tokens, 1), lambda some: by_hand(some, 1)),
    "distinct-2": (lambda tokens: distinct(tokens, 2), lambda some: by_hand(some, 2)),
    "distinct-3": (lambda tokens: distinct(tokens, 3), lambda some: by_hand(some, 3)),
    "self-bleu": (self_bleu, by_sacrebleu),
}


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_that_of_another_program_and_so_is_it_without_each_text(name: str) -> None:
    measure, oracle = MEASURES[name]
    some = texts(1, 14)
    # Lengths that stand there several times: leaving a text out changes no brevity penalty.
    some += [[*text] for text in texts(2, 14)]
    found = measure(Tokens.of(some))
    assert found is not None
    assert found.value == pytest.approx(oracle(some), abs=1e-9)
    left_out = [oracle(some[:n] + some[n + 1 :]) for n in range(len(some))]
    assert found.without == pytest.approx(left_out, abs=1e-9 if name != "self-bleu" else 5e-3)


def test_texts_that_begin_alike_are_less_diverse_than_others() -> None:
    plain, alike = (Tokens.of(texts(seed, 120, 400, repeats=share)) for seed, share in ((3, 0.0), (4, 0.6)))
    for measure, sign in ((lambda t: distinct(t, 2), -1), (self_bleu, 1)):
        difference = (measure(alike) - measure(plain)).estimate(0.95)
        assert sign * difference.value > 0
        assert difference.p is not None
        assert difference.p < 1e-4


def test_systems_that_write_alike_seldom_differ() -> None:
    # The table of 1,000 studies for each measure is in decision 151.
    p = [
        [(measure(Tokens.of(texts(2 * n, 60, 400))) - measure(Tokens.of(texts(2 * n + 1, 60, 400)))).estimate(0.95).p
         for n in range(10, 50)]
        for measure in (lambda t: distinct(t, 1), lambda t: distinct(t, 2), within_texts, self_bleu)
    ]  # fmt: skip
    assert all(np.less(values, 0.05).sum() <= 5 for values in p)


def test_what_has_no_interval_says_why() -> None:
    few = within_texts(Tokens.of(texts(5, 4))).estimate(0.95)
    assert (few.low, few.note) == (None, TOO_FEW)
    same = within_texts(Tokens.of([["a", "b"]] * 12)).estimate(0.95)
    assert (same.value, same.low, same.note) == (1.0, None, ALL_ALIKE)
    assert distinct(Tokens.of([["a"], ["b", "c"], ["d"]]), 2) is None
    with pytest.raises(ValueError, match="a word in each"):
        Tokens.of([["a"], []])


def test_identical_texts_are_wholly_alike() -> None:
    same = Tokens.of([["a", "b", "c", "d", "e"]] * 3)
    assert self_bleu(same).value == pytest.approx(1)
    assert distinct(same, 5).value == pytest.approx(1 / 3)
    assert Counter(same.sequences(2)[0].tolist()) == dict.fromkeys(range(4), 3)
