"""Simulated sittings in which the preceding text and answer change an answer."""

import numpy as np

Columns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def sittings(
    rng: np.random.Generator, raters: int, each: int, texts: int, *, text: float = 0.0, answer: float = 0.0
) -> Columns:
    """Return values, texts, raters and places: `each` texts per rater in random order, every text equally often.

    One point more in the preceding text adds `text`, and in the rater's own preceding deviation `answer`.
    """
    quality, leniency = rng.normal(size=texts), rng.normal(0, 0.5, raters)
    drawn = np.concatenate([rng.permutation(texts) for _ in range(-(-raters * each // texts))])
    shown = drawn[: raters * each].reshape(raters, each)
    deviation = rng.normal(size=shown.shape)
    for place in range(1, each):
        deviation[:, place] += text * quality[shown[:, place - 1]] + answer * deviation[:, place - 1]
    values = quality[shown] + leniency[:, np.newaxis] + deviation
    place_of = np.arange(shown.size)
    return values.ravel(), shown.ravel(), place_of // each, place_of % each
