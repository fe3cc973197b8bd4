"""Simulate a rater who answers a questionnaire."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

from tasks_app.task_types.base import Quality
from tasks_app.task_types.questionnaire.fields import TICKED
from tasks_app.task_types.questionnaire.panas import NEGATIVE, POSITIVE, PREFIX
from tasks_app.task_types.questionnaire.questions import (
    DATE,
    LONG_TEXT,
    MULTIPLE,
    NUMBER,
    TEXT,
    TICK,
    Option,
    Prompt,
    Question,
)
from tasks_app.task_types.simulation import HABIT, latent_quality, share_of

# Shift of all of a rater's answers of one kind, as a share of the scale: it makes ten words correlate in one score.
MOOD = 0.12

REMARKS = ("Nothing to add.", "It was easy to follow.", "Some texts were hard to judge.", "It took a little long.")

# A span of days where a question sets no limit.
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2025, 12, 31)


def answer(prompts: Sequence[Prompt], quality: Quality, rng: Random) -> dict[str, str]:
    """Return the posted answers by the key of the criterion; boxes that stay empty are left out."""
    moods = {name: rng.gauss(0, MOOD) for name in ("PA", "NA", "")}
    answers: dict[str, str] = {}
    for prompt in prompts:
        if prompt.question.kind == MULTIPLE:
            continue
        key = prompt.criterion.key
        answers[key] = _single_answer(prompt.question, _share(key, quality, moods, rng), quality, rng)
    for question, options in _boxes(prompts).items():
        for option in _ticked(options, question, quality, rng):
            answers[f"{question.key}-{option.key}"] = TICKED
    return answers


def _share(key: str, quality: Quality, moods: dict[str, float], rng: Random) -> float:
    """Return a rater's position on a scale, as a share of the scale."""
    share = share_of("", key, quality, rng)
    if quality in {Quality.RANDOM, Quality.STRAIGHT_LINER}:
        return share
    word = key.removeprefix(PREFIX)
    mood = "PA" if word in POSITIVE else "NA" if word in NEGATIVE else ""
    return min(1.0, max(0.0, share + moods[mood]))


def _single_answer(question: Question, share: float, quality: Quality, rng: Random) -> str:
    if question.kind == TICK:
        return TICKED
    if question.kind in {TEXT, LONG_TEXT}:
        careful = quality in {Quality.CAREFUL, Quality.SLOPPY}
        return (rng.choice(REMARKS) if careful else REMARKS[0])[: question.most_characters]
    if question.kind == NUMBER:
        low, high = _range(question)
        number = low + share * (high - low)
        return f"{number:.2f}" if question.decimals else f"{round(number)}"
    if question.kind == DATE:
        first, last = _days(question)
        return (first + timedelta(days=round(share * (last - first).days))).isoformat()
    place = min(len(question.choices) - 1, round(share * (len(question.choices) - 1)))
    return str(place + 1) if question.is_scale else question.choices[place].key


def _range(question: Question) -> tuple[float, float]:
    low = question.minimum if isinstance(question.minimum, int | float) else None
    high = question.maximum if isinstance(question.maximum, int | float) else None
    if low is None:
        low = 0.0 if high is None or high >= 0 else high - 100
    return low, low + 100 if high is None else high


def _days(question: Question) -> tuple[date, date]:
    low, high = map(_day, (question.minimum, question.maximum))
    first = low or min(FIRST_DAY, high or FIRST_DAY)
    return first, high or max(LAST_DAY, first)


def _day(end: object) -> date | None:
    return date.fromisoformat(end) if isinstance(end, str) else None


def _boxes(prompts: Sequence[Prompt]) -> dict[Question, list[Option]]:
    boxes: dict[Question, list[Option]] = {}
    for prompt in prompts:
        if prompt.question.kind == MULTIPLE and prompt.option is not None:
            boxes.setdefault(prompt.question, []).append(prompt.option)
    return boxes


def _ticked(options: list[Option], question: Question, quality: Quality, rng: Random) -> list[Option]:
    """Return the options that a rater ticks: at least one, and an exclusive one only where no other fits."""
    together = [option for option in options if not option.alone] or options[:1]
    if quality is Quality.STRAIGHT_LINER:
        return [together[min(len(together) - 1, round(HABIT * (len(together) - 1)))]]
    keys = {option: f"{question.key}-{option.key}" for option in together}
    fit = [option for option in together if share_of("", keys[option], quality, rng) >= 0.5]
    last = next((option for option in options if option.alone), None)
    best = max(together, key=lambda option: latent_quality("", keys[option]))
    return fit or [last or best]
