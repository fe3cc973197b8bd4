"""The questions of a questionnaire: counts of answers, medians, means and spread."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, QuestionCriterion, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.answer_counts import answer_counts
from analytics_app.ratings import Table
from analytics_app.results import Row
from analytics_app.stats.comparison.change import mean_with_limits
from analytics_app.stats.values import Estimate
from tasks_app.task_types.base import Scale

QUARTERS = {"answer_lower_quarter": 0.25, "answer_median": 0.5, "answer_upper_quarter": 0.75}


@register
class Questions(Analysis):
    """Counts and shares of every answer, median and quartiles (type 7) of steps and numbers, mean and SD of numbers.

    Each person answers once a wave; where a task has several waves or groups there are rows for each. Who left a
    question out is counted: of those who answered anything of the task.
    """

    label = _("Questions")
    summary = _("How many gave each answer to each question, with medians of steps and means of numbers.")
    source = "Amidei, Piwek and Willis (2019). The use of rating and Likert scales in NLG human evaluation tasks. INLG."
    scales = frozenset({Scale.ORDINAL, Scale.NOMINAL, Scale.INTERVAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    statistics = {
        "people": _("People who answered anything"),
        "question_mode": _("Share of the most frequent answer"),
        "question_median": _("Median of the numbers given"),
        "answered": _("People who answered"),
        "not_answered": _("People who did not answer"),
        "answer_count": _("Count of an answer"),
        "answer_share": _("Share of an answer"),
        "answer_lower_quarter": _("Lower quartile of answers"),
        "answer_median": _("Median of answers"),
        "answer_upper_quarter": _("Upper quartile of answers"),
        "answer_mean": _("Mean of numbers"),
        "answer_sd": _("SD of numbers"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each question, in their order."""
        table, make = sample.table, Rows(self.name, sample)
        people = table.n_raters
        yield make.row("people", value=float(people), n_raters=people)
        for question in sample.question.criteria:
            if question.scale is Scale.TEXT:
                continue
            mine = table.where(table.criterion == question.code)
            about: dict[str, Any] = {"criterion": question.key, "n_raters": mine.n_raters}
            yield make.row("answered", value=float(mine.n_raters), **about)
            yield make.row("not_answered", value=float(people - mine.n_raters), **about)
            yield from _answers(make, question, mine, about)
            if question.scale is not Scale.NOMINAL:
                yield from _middle(make, question, mine, about)
            if sample.group is None and sample.wave is None:
                yield _at_a_glance(make, question, mine)


def _answers(make: Rows, question: QuestionCriterion, mine: Table, about: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the count and share of each option."""
    options, counts = answer_counts(question, mine)
    total, settings = sum(counts), {"question": question.name}
    for option, count in zip(options, counts, strict=True):
        yield make.row("answer_count", value=float(count), label=option, **about)
        none = None if total else "Nobody answered this."
        yield make.row(
            "answer_share", value=count / total if total else None, label=option, note=none, settings=settings, **about
        )


def _at_a_glance(make: Rows, question: QuestionCriterion, mine: Table) -> Row:
    """Return the row of the share of the most frequent answer, or of the median of numbers, for the overview."""
    options, counts = answer_counts(question, mine)
    about: dict[str, Any] = {"label": question.key, "n_raters": mine.n_raters}
    values = mine.value[~np.isnan(mine.value)]
    if not sum(counts) and not len(values):
        return make.row("question_mode", note="Nobody answered this.", settings={"question": question.name}, **about)
    if not options:
        return make.row(
            "question_median", value=float(np.median(values)), settings={"question": question.name}, **about
        )
    most = max(counts)
    tied = [option for option, count in zip(options, counts, strict=True) if count == most]
    settings: dict[str, Any] = {"question": question.name, "answers": tied}
    if len(values):
        settings["median"] = float(np.median(values))
    return make.row("question_mode", value=most / sum(counts), settings=settings, **about)


def _middle(make: Rows, question: QuestionCriterion, mine: Table, about: Mapping[str, Any]) -> Iterator[Row]:
    """Yield median and quartiles, and mean and SD of numbers."""
    values = mine.value[~np.isnan(mine.value)]
    none = None if len(values) else "Nobody answered this."
    for name, share in QUARTERS.items():
        yield make.row(name, value=float(np.quantile(values, share)) if len(values) else None, note=none, **about)
    if question.scale is Scale.INTERVAL:
        mean: Estimate = mean_with_limits(values, confidence=make.sample.common.confidence)
        yield make.row("answer_mean", mean, settings={"interval": "Student's t over people"}, **about)
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        why = None if spread is not None else "Fewer than two answers have no spread."
        yield make.row("answer_sd", value=spread, note=why, settings={"ddof": 1}, **about)
