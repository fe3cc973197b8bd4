"""PANAS scores: positive affect (PA) and negative affect (NA), ten words each.

Watson, Clark and Tellegen (1988). Development and validation of brief measures of positive and negative affect: the
PANAS scales. Journal of Personality and Social Psychology 54(6), 1063-1070.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import ngettext

from tasks_app.task_types.questionnaire.instruments import instrument_data

# What the keys of the twenty criteria begin with.
PREFIX = "panas-"

# At most so many of the ten words of a score may be missing; what is there then stands for them.
MOST_MISSING = 2

_SCORES: Mapping[str, list[str]] = instrument_data("panas")["scores"]
POSITIVE, NEGATIVE = tuple(_SCORES["PA"]), tuple(_SCORES["NA"])
WORDS = (*POSITIVE, *NEGATIVE)


@dataclass(frozen=True, slots=True)
class Score:
    """One score: the sum of its ten words, 10 to 50 on the published five steps; None with a `reason` where undefined.

    `missing` counts the words without an answer. Where there are any, the mean of the others stands for them.
    """

    value: float | None
    missing: int
    reason: str = ""

    @property
    def prorated(self) -> bool:
        """Whether missing words were filled in by the mean of the others."""
        return self.value is not None and self.missing > 0


@dataclass(frozen=True, slots=True)
class Panas:
    """Both scores of one person at one time."""

    pa: Score
    na: Score


def score_panas(answers: Mapping[str, float | None]) -> Panas:
    """Score one person's answers by word ("interested") or by key of the criterion ("panas-interested").

    Raises
    ------
    ValueError
        Where a word is answered under both names, with different answers.
    """
    by_word: dict[str, float | None] = {}
    for name, answer in answers.items():
        word = name.removeprefix(PREFIX)
        if by_word.get(word, answer) != answer:
            raise ValueError(f"Two different answers to {word!r}.")
        by_word[word] = answer
    return Panas(_score(by_word, POSITIVE), _score(by_word, NEGATIVE))


def _score(answers: Mapping[str, float | None], words: tuple[str, ...]) -> Score:
    given = [answer for word in words if (answer := answers.get(word)) is not None]
    missing = len(words) - len(given)
    if missing > MOST_MISSING:
        sentence = ngettext(
            "%(missing)d of the %(all)d words has no answer; at most %(most)d may be missing.",
            "%(missing)d of the %(all)d words have no answer; at most %(most)d may be missing.",
            missing,
        )
        return Score(None, missing, sentence % {"missing": missing, "all": len(words), "most": MOST_MISSING})
    return Score(sum(given) * len(words) / len(given), missing)
