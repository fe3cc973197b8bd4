"""Answers of simulated raters: right or wrong ones to a unit with known answers, found by trying."""

from collections.abc import Mapping, Sequence
from random import Random

from tasks_app.models import Assignment, Gold
from tasks_app.services.judging import grading
from tasks_app.task_types.base import GoldAnswer, Quality, Screen, TaskType

# Probability that a rater of each quality gives the known answer. Otherwise they answer as for any unit.
KNOWS: Mapping[Quality, float] = {Quality.CAREFUL: 0.95, Quality.SLOPPY: 0.75}

# Answers tried before a rater makes do with the best one: a choice of eleven steps is found long before.
TRIES = 150


def known(assignment: Assignment) -> list[GoldAnswer]:
    """Return the known answers of a unit, without those that compare a text with its degraded copy."""
    return [answer for row, answer in grading.known_answers(assignment.unit_id) if row.kind != Gold.Kind.WORSE]


def right(
    kind: TaskType, screen: Screen, answer: Mapping[str, str], answers: Sequence[GoldAnswer], rng: Random
) -> dict[str, str]:
    """Change an answer, field by field, until everything known about the unit is right, as far as trying finds it."""
    best = dict(answer)
    passed = _passed(kind, screen, best, answers)
    for _try in range(TRIES):
        if all(passed):
            break
        random_answer = kind.simulate(screen, Quality.RANDOM, rng)
        wrong = [gold.criterion for gold, was_right in zip(answers, passed, strict=True) if not was_right]
        for trial in (random_answer, *_with_fields_of(best, random_answer, wrong)):
            now = _passed(kind, screen, trial, answers)
            if sum(now) > sum(passed):
                best, passed = dict(trial), now
    return best


def wrong(
    kind: TaskType, screen: Screen, answer: Mapping[str, str], answers: Sequence[GoldAnswer], rng: Random
) -> dict[str, str]:
    """Return an answer with a mistake in it; the given answer if no mistake is found."""
    for _try in range(TRIES):
        random_answer = kind.simulate(screen, Quality.RANDOM, rng)
        if (
            answers
            and kind.form(screen, random_answer).is_valid()
            and not all(_passed(kind, screen, random_answer, answers))
        ):
            return random_answer
    return dict(answer)


def _passed(kind: TaskType, screen: Screen, data: Mapping[str, str], answers: Sequence[GoldAnswer]) -> tuple[bool, ...]:
    form = kind.form(screen, data)
    if not form.is_valid():
        return (False,) * len(answers)
    return tuple(result.passed for result in kind.grade(screen, form.cleaned_data, answers))


def _with_fields_of(
    answer: Mapping[str, str], random_answer: Mapping[str, str], criteria: Sequence[str | None]
) -> list[dict[str, str]]:
    """Return `said` with one field of `other` each: those that name one of the criteria, or else any."""
    names = sorted({*answer, *random_answer})
    about = [
        name for name in names if any(criterion and name.endswith(f"-{criterion}") for criterion in criteria)
    ] or names
    trials = []
    for name in about:
        trial = {key: value for key, value in answer.items() if key != name}
        trials.append({**trial, name: random_answer[name]} if name in random_answer else trial)
    return trials
