"""A pre-study of adjective pairs: which of them people find suited to describe the texts of the main study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Asked, Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.results import Row
from analytics_app.stats.comparison.change import mean_with_limits
from tasks_app.study_settings import Block
from tasks_app.task_types.base import Scale
from tasks_app.task_types.semantic_differential.pairs import ends_of

# As published, on steps counted from 1: a pair below the one or above the other is not used in the main study.
LEAST_MEAN, MOST_SD = 3.2, 1.2
# A mean or SD that is a decimal fraction, such as 1.2, may miss it by less than this.
ROUNDING = 1e-9
STEPS = 5


@register
class PairSelection(Analysis):
    """Mean and SD of the ratings of each adjective pair, and whether it is kept for the main study.

    For questionnaires that ask about pairs of words: questions or rows of a grid on one scale, written with a dash
    between the words, such as "confusing – clear". A pair is kept unless its mean is below `least_mean` or its SD above
    `most_sd`.
    """

    label = _("Selection of pairs")
    summary = _("Mean and SD of each adjective pair in a pre-study, and which pairs pass both cut-offs.")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval."
    )
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    splits = False
    statistics = {
        "pair_mean": _("Mean rating of a pair"),
        "pair_sd": _("SD of the ratings of a pair"),
        "pair_kept": _("Pair kept for the main study (1) or not (0)"),
    }

    class Settings(Block):
        least_mean = forms.FloatField(min_value=-100, max_value=100, initial=LEAST_MEAN, label=_("Lowest mean kept"))
        most_sd = forms.FloatField(min_value=0, max_value=100, initial=MOST_SD, label=_("Highest SD kept"))

    def fits(self, question: Question) -> bool:
        """Say whether pairs of words were asked about on one scale."""
        return super().fits(question) and len(_pairs(question)) > 1

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield mean, SD and verdict of each pair, in the order in which the pairs were asked."""
        make = Rows(self.name, sample)
        for asked in _pairs(sample.question):
            values = sample.table.value[sample.table.criterion == asked.code]
            yield from _of_pair(make, asked, values[~np.isnan(values)], settings)


def _pairs(question: Question) -> list[Asked]:
    """Return the questions about pairs of words that have the steps of the first one."""
    found = [asked for asked in question.asked if asked.scale is Scale.ORDINAL and ends_of(asked.name)]
    return [asked for asked in found if asked.domain == found[0].domain]


def _of_pair(make: Rows, asked: Asked, values: Any, settings: Mapping[str, Any]) -> Iterator[Row]:
    said: dict[str, Any] = {"pair": asked.name, "steps": len(asked.domain)}
    counts = {"n_ratings": len(values), "n_raters": len(values)}
    about: dict[str, Any] = {"label": asked.key, **counts}
    mean = mean_with_limits(values, confidence=make.sample.common.confidence)
    yield make.row("pair_mean", mean, settings={**said, "interval": "Student's t over people"}, **about)
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    few = None if sd is not None else "Fewer than two ratings have no spread."
    yield make.row("pair_sd", value=sd, note=few, settings={"ddof": 1}, **about)
    limits = {name: float(settings[name]) for name in ("least_mean", "most_sd")}
    if mean.value is None or sd is None:
        yield make.row("pair_kept", note="A pair with fewer than two ratings is not judged.", settings=limits, **about)
        return
    fails = [
        *(["mean"] if mean.value < limits["least_mean"] - ROUNDING else []),
        *(["sd"] if sd > limits["most_sd"] + ROUNDING else []),
    ]
    other = None
    if len(asked.domain) != STEPS and limits == {"least_mean": LEAST_MEAN, "most_sd": MOST_SD}:
        other = (
            f"We assume that the published cut-offs are for {STEPS}-step scales; these pairs were rated on "
            f"{len(asked.domain)} steps, so set your own."
        )
    said |= {**limits, "fails": fails}
    yield make.row("pair_kept", value=float(not fails), settings=said, note=other, **about)
