"""Rows of carry-over: the effects of the preceding text and the rater's preceding answer on an answer."""

from collections.abc import Iterator

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.order_effects.sittings import LOGS, Answers
from analytics_app.results import Row
from analytics_app.stats.comparison.carry_over import carry_over
from analytics_app.stats.values import joined

STATISTICS = ("preceding_text", "preceding_answer")


def preceding(make: Rows, ratings: Answers) -> Iterator[Row]:
    """Yield the effects of the preceding text and answer, where a screen has one text that is judged on its own."""
    _judged, texts_a_screen = np.unique(ratings.table.judgment, return_counts=True)
    if (texts_a_screen > 1).any() or (ratings.chosen >= 0).any() or len(texts_a_screen) < 2:
        return
    # Raters who judged a text twice are not among the others at their second time.
    keys = ratings.text * (int(ratings.rater.max()) + 1) + ratings.rater
    first = np.zeros(len(keys), dtype=bool)
    order = np.lexsort((ratings.sitting, keys))
    first[order[np.unique(keys[order], return_index=True)[1]]] = True
    settings = {"within": "texts and raters", "errors": "over raters", "interval": "t", "test": "t"}
    if ratings.note == LOGS:
        settings["of"] = "logarithms"
    for word, values in ratings.outcomes():
        effects = carry_over(
            np.where(first, values, np.nan),
            ratings.text,
            ratings.rater,
            ratings.sitting,
            confidence=make.sample.common.confidence,
        )
        note = ratings.note if word is None else "1 = the label was given, 0 = it was not."
        for statistic, effect in zip(STATISTICS, (effects.text, effects.answer), strict=True):
            yield make.row(
                statistic,
                effect,
                label=word,
                criterion=ratings.key,
                note=joined(effect.note, note if effect.value is not None else None),
                settings=settings if effect.value is not None else None,
            )
