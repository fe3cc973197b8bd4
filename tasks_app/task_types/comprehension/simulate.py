"""Simulate raters who read a text and answer questions about it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tasks_app.task_types.base import Quality, Screen
from tasks_app.task_types.comprehension.form import ITEM_FIELD, STUDY_FIELD, ComprehensionForm
from tasks_app.task_types.comprehension.questions import ItemQuestion
from tasks_app.task_types.simulation import latent_quality, share_of

if TYPE_CHECKING:
    from tasks_app.task_types.comprehension import Comprehension

# Seconds that a careful rater takes for a word; the worse a text is, the longer.
SECONDS_A_WORD = 0.25
STRAY = {Quality.CAREFUL: 0.15, Quality.SLOPPY: 0.4}

WRONG_WORDS = "I don't know"


def simulated_answer(kind: Comprehension, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Answer a screen: the better a text, the more of it is understood, with the noise of the rater's quality."""
    text = screen.shown_parts[0].part.content
    answer = {"read": "1", "reading": f"{_seconds(text, quality, rng):.3f}"}
    for question in kind.questions_on(screen):
        answer[ITEM_FIELD.format(n=question.number)] = _answered(kind, screen, question, quality, rng)
    for criterion in ComprehensionForm(kind, screen).study_questions:
        share = share_of(text, criterion.key, quality, rng)
        step = min(len(criterion.labels), 1 + int(share * len(criterion.labels)))
        answer[STUDY_FIELD.format(key=criterion.key)] = str(step)
    return answer


def _seconds(text: str, quality: Quality, rng: Random) -> float:
    if quality in STRAY:
        effort = 1.5 - latent_quality(text)
        return max(1, len(text.split())) * SECONDS_A_WORD * effort * rng.lognormvariate(0, STRAY[quality])
    return 1.0 + rng.random()


def _answered(kind: Comprehension, screen: Screen, question: ItemQuestion, quality: Quality, rng: Random) -> str:
    options = kind.shown_options(screen, question)
    if quality is Quality.STRAIGHT_LINER:
        return options[0] if options else WRONG_WORDS
    if quality is Quality.RANDOM:
        return rng.choice(options) if options else WRONG_WORDS
    understood = share_of(screen.shown_parts[0].part.content, f"question-{question.number}", quality, rng)
    if rng.random() < 0.4 + 0.6 * understood:
        return question.correct[0]
    wrong = [option for option in options if option not in question.correct]
    return rng.choice(wrong) if wrong else WRONG_WORDS
