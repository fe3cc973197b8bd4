"""PANAS: positive and negative affect by group and wave, and change since the first time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.panas.times import (
    SCALES,
    Point,
    Times,
    about_steps,
    in_group,
    norm_of,
    raters_of,
    steps_of,
    times_of,
)
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.changes import ChangeAnalysis, baseline_rows, change_rows
from analytics_app.ratings.extras.same_questions import SameQuestions
from analytics_app.results import Row
from analytics_app.stats.comparison.change import mean_with_limits
from analytics_app.stats.scales.reliability import cronbach_alpha
from analytics_app.stats.values import joined
from tasks_app.settings.fields import YesNoField, whole_field
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.panas import MOST_MISSING, PREFIX


@register
class Panas(ChangeAnalysis):
    """Positive and negative affect: sums of ten words each, with the words a person left out filled in by their mean.

    A time is one task in one wave; other tasks of the study that ask PANAS are the other times. Change is between two
    times, of the same people, with the paired t test; between groups by Welch's t test on the changes, and by analysis
    of covariance with the earlier time as covariate. Each of the three is a family of tests of its own, over groups,
    pairs of times and both scales. Groups are compared at the first time too, by Welch's t test.
    """

    label = _("PANAS")
    summary = _("Positive and negative affect by group and wave with alpha, change, and whether groups changed alike.")
    source = (
        "Watson, Clark and Tellegen (1988). Development and validation of brief measures of positive and negative "
        "affect: the PANAS scales. Journal of Personality and Social Psychology 54(6), 1063-1070."
    )
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    splits = False
    needs = frozenset({SameQuestions})
    statistics = {
        "affect_mean": _("Mean score"),
        "affect_sd": _("SD of scores"),
        "affect_alpha": _("Cronbach's alpha of a score"),
        "affect_missing": _("People without a score"),
        "affect_prorated": _("People with a prorated score"),
        "affect_attrition": _("Share of the people of the first time who dropped out"),
        "affect_baseline": _("Difference between groups at the first time"),
        "affect_baseline_effect": _("Effect size of a difference at the first time, g"),
        "affect_over_time": _("Mean score at each time"),
        "affect_change": _("Change between two times"),
        "affect_change_effect": _("Effect size of a change, d_z"),
        "affect_change_between": _("Difference between groups in change"),
        "affect_change_between_effect": _("Effect size of a difference in change, d_ppc2"),
        "affect_change_adjusted": _("Difference between groups, adjusted for the earlier time"),
        "affect_change_adjusted_effect": _("Effect size of an adjusted difference"),
    }

    most_missing = whole_field(
        _("Words of a score that may be missing"),
        _("Of ten. The mean of the others stands for them; with more missing there is no score."),
        within=(0, 9),
        initial=MOST_MISSING,
    )
    complete_only = YesNoField(
        label=_("Only people who answered every word"),
        help_text=_("For both scores, at each time: some papers leave out people with any missing answer."),
    )

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the question has all ten words of a score."""
        keys = {criterion.key for criterion in question.criteria}
        return super().fits(question) and any(
            keys.issuperset(f"{PREFIX}{word}" for word in words) for words in SCALES.values()
        )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the scores at the times of this task, then their changes between times of the study."""
        sample, groups_of_raters = self.regrouped(sample)
        others = sample.extras[SameQuestions]
        if groups_of_raters is not None:
            others = replace(others, group=np.where(others.rater >= 0, groups_of_raters[others.rater], -1))
        times = times_of(sample, others, self.most_missing, complete_only=self.complete_only)
        if not times.own:
            return
        context = _Context(Rows(self.name, sample), times, 0 if self.complete_only else self.most_missing)
        for place in times.own:
            yield from _scores(context, place)
        if 0 in times.own:
            yield from baseline_rows(context.make, "affect", times.course[0], times.groups, correction=self.family)
        if max(times.own) > 0:
            yield from _over_time(context)
            yield from change_rows(context.make, "affect", times.course, times.groups, self)


@dataclass(frozen=True, slots=True)
class _Context:
    """The source of the rows: the answers at all times, and the number of words that a score may lack."""

    make: Rows
    times: Times
    most_missing: int

    @property
    def confidence(self) -> float:
        return self.make.sample.common.confidence

    @property
    def groups(self) -> tuple[int | None, ...]:
        """Return None for everybody, then each group if there are several."""
        groups = self.times.groups
        return (None, *groups) if len(groups) > 1 else (None,)

    def named(self, group: int | None) -> str | None:
        return None if group is None else self.make.sample.table.names.groups[group]

    def wave(self, point: Point) -> int | None:
        """Return the wave of a point, if the study has several times."""
        return point.wave if len(self.times.points) > 1 else None


def _scores(context: _Context, place: int) -> Iterator[Row]:
    """Yield the rows of one time of this task, for everybody and for each group."""
    point, first = context.times.points[place], context.times.points[0]
    steps = steps_of(context.make.sample.question)
    for group in context.groups:
        of_group = in_group(point, group)
        about: dict[str, Any] = {"group": context.named(group), "wave": context.wave(point)}
        if group is not None and not of_group.any() and not in_group(first, group).any():
            continue
        for scale in SCALES:
            scores = point.scores[scale]
            values = scores.value[of_group]
            known = values[~np.isnan(values)]
            mean = mean_with_limits(values, confidence=context.confidence)
            settings: dict[str, Any] = {
                "interval": "Student's t over people",
                "steps": list(steps),
                "most_missing": context.most_missing,
            }
            note = joined(mean.note, about_steps(steps), norm_of(context.make.sample.question, scale, steps))
            yield context.make.row("affect_mean", mean, label=scale, settings=settings, note=note, **about)
            spread = float(known.std(ddof=1)) if len(known) > 1 else None
            why = None if spread is not None else "Fewer than two scores have no spread."
            yield context.make.row(
                "affect_sd", value=spread, label=scale, n_raters=len(known), note=why, settings={"ddof": 1}, **about
            )
            answers = point.answers[scale][of_group]
            complete = answers[~np.isnan(answers).any(axis=1)]
            alpha = cronbach_alpha(complete, confidence=context.confidence)
            yield context.make.row(
                "affect_alpha", alpha, label=scale, settings={"interval": "Feldt", "rows": "complete"}, **about
            )
            counts = {
                "affect_missing": np.isnan(values).sum(),
                "affect_prorated": scores.prorated[of_group].sum(),
            }
            for name, count in counts.items():
                yield context.make.row(name, value=float(count), label=scale, n_raters=int(of_group.sum()), **about)
        if place > 0:
            yield _attrition(context, point, group, about)


def _attrition(context: _Context, point: Point, group: int | None, about: Mapping[str, Any]) -> Row:
    """Return the row of the share of people of the first time who did not answer at this time."""
    first = raters_of(context.times.points[:1], group)
    n_lost = np.setdiff1d(first, point.rater).size
    note = None if first.size else "Nobody of this group answered the first time."
    settings = {"since": context.times.name(0), "gone": int(n_lost)}
    value = n_lost / first.size if first.size else None
    return context.make.row("affect_attrition", value=value, n_raters=first.size, note=note, settings=settings, **about)


def _over_time(context: _Context) -> Iterator[Row]:
    """Yield the means of every time up to this task's last, of each group, or of everybody without groups."""
    for number, point in enumerate(context.times.points[: max(context.times.own) + 1]):
        for group in context.groups[1:] or context.groups:
            of_group = in_group(point, group)
            if group is not None and not of_group.any():
                continue
            for scale in SCALES:
                mean = mean_with_limits(point.scores[scale].value[of_group], confidence=context.confidence)
                yield context.make.row(
                    "affect_over_time",
                    mean,
                    label=scale,
                    group=context.named(group),
                    wave=point.wave,
                    metric=context.times.name(number),
                    settings={"time": number + 1, "interval": "Student's t over people"},
                )
