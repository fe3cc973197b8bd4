"""Outcomes measured elsewhere, such as calories: means by group and wave, and change between waves."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.changes import ChangeAnalysis, Time, baseline_rows, change_rows
from analytics_app.ratings.extras.measured import Measured
from analytics_app.results import Row
from analytics_app.stats.comparison.change import mean_with_limits
from tasks_app.task_types.base import Scale


@register
class Outcomes(ChangeAnalysis):
    """Uploaded values of raters by wave, compared as scores of PANAS are.

    Change is between two waves, of the same people, with the paired t test; between groups by Welch's t test on the
    changes, and by analysis of covariance with the earlier wave as covariate. Each of the three is a family of tests
    of its own, over groups, pairs of waves and outcomes. Groups are compared at the first wave too. All rows stand
    with one questionnaire of the study.
    """

    label = _("Outcomes measured elsewhere")
    summary = _("Compares uploaded values of raters, such as calories or steps, between waves and between groups.")
    source = (
        "Morris (2008). Estimating effect sizes from pretest-posttest-control group designs. Organizational Research "
        "Methods 11(2), 364-386."
    )
    scales = frozenset({Scale.ORDINAL, Scale.NOMINAL, Scale.INTERVAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    splits = False
    leads = False
    needs = frozenset({Measured})
    statistics = {
        "outcome_mean": _("Mean outcome"),
        "outcome_sd": _("SD of an outcome"),
        "outcome_baseline": _("Difference between groups at the first wave"),
        "outcome_baseline_effect": _("Effect size of a difference at the first wave, g"),
        "outcome_change": _("Change of an outcome between two waves"),
        "outcome_change_effect": _("Effect size of a change of an outcome, d_z"),
        "outcome_change_between": _("Difference between groups in change of an outcome"),
        "outcome_change_between_effect": _("Effect size of a difference in change of an outcome, d_ppc2"),
        "outcome_change_adjusted": _("Difference between groups in an outcome, adjusted for the earlier wave"),
        "outcome_change_adjusted_effect": _("Effect size of an adjusted difference in an outcome"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield means of every wave, then how they changed."""
        measured = sample.extras[Measured]
        if measured.task != sample.question.task:
            return
        times = times_of(measured, only_kept=sample.basis == "kept")
        if not times:
            return
        make = Rows(self.name, sample)
        groups = sorted({int(code) for time in times for code in np.unique(time.group)} - {-1})
        yield from _means(make, times, groups)
        yield from baseline_rows(make, "outcome", times[0], groups, correction=self.family)
        if len(times) > 1:
            yield from change_rows(make, "outcome", times, groups, self)


def times_of(measured: Measured, *, only_kept: bool) -> list[Time]:
    """Return a time for each wave in which anything was measured; raters without an outcome there have NaN."""
    counts = measured.rater >= 0
    if only_kept:
        counts &= measured.kept
    times = []
    for wave in np.unique(measured.wave[counts]).tolist():
        in_wave = counts & (measured.wave == wave)
        raters, first, row = np.unique(measured.rater[in_wave], return_index=True, return_inverse=True)
        outcome, value = measured.outcome[in_wave], measured.value[in_wave]
        scores = {}
        for code in np.unique(outcome).tolist():
            values = np.full(len(raters), np.nan)
            values[row[outcome == code]] = value[outcome == code]
            scores[measured.outcomes[code]] = values
        times.append(
            Time(
                name=f"wave {wave}",
                wave=wave,
                rater=raters.astype(np.int64),
                group=measured.group[in_wave][first].astype(np.int64),
                scores=scores,
                own=True,
            )
        )
    return times


def _means(make: Rows, times: list[Time], groups: list[int]) -> Iterator[Row]:
    """Yield mean and SD of each outcome at each time, for everybody and for each of several groups."""
    names, confidence = make.sample.table.names.groups, make.sample.common.confidence
    outcomes = sorted({outcome for time in times for outcome in time.scores})
    for outcome in outcomes:
        for time in times:
            for group in (None, *groups) if len(groups) > 1 else (None,):
                if outcome not in time.scores:
                    continue
                values = time.scores[outcome]
                values = values if group is None else values[time.group == group]
                known = values[~np.isnan(values)]
                about: dict[str, Any] = {
                    "label": outcome,
                    "group": None if group is None else names[group],
                    "wave": time.wave,
                    "metric": time.name,
                }
                mean = mean_with_limits(known, confidence=confidence)
                interval = {"interval": "Student's t over people"}
                yield make.row("outcome_mean", mean, settings=interval, **about)
                few = None if len(known) > 1 else "Fewer than two values have no spread."
                sd = float(known.std(ddof=1)) if few is None else None
                yield make.row("outcome_sd", value=sd, n_raters=len(known), note=few, settings={"ddof": 1}, **about)
