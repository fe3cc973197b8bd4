"""Counts of the answers to a question."""

import numpy as np

from analytics_app.analyses.base import QuestionCriterion
from analytics_app.ratings import Table
from tasks_app.task_types.base import Scale


def answer_counts(question: QuestionCriterion, answers: Table) -> tuple[list[str], list[int]]:
    """Return the options, including unchosen ones, and their counts; empty for questions with numbers."""
    if question.scale is Scale.NOMINAL and not question.domain:
        given = np.bincount(answers.label[answers.label >= 0], minlength=len(answers.names.labels))
        known = {word: int(number) for word, number in zip(answers.names.labels, given.tolist(), strict=True) if number}
        options = list(dict.fromkeys([*question.labels, *sorted(known)]))
        counts = [known.get(option, 0) for option in options]
    else:
        values = answers.value[~np.isnan(answers.value)]
        steps = question.domain or ((0.0, 1.0) if question.scale is Scale.NOMINAL else ())
        options, counts = [f"{step:g}" for step in steps], [int((values == step).sum()) for step in steps]
    return options, counts
