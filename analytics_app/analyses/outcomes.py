"""Outcomes measured elsewhere, such as calories: means by group and wave, and change between waves."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.change_tables import OF_SCALE, Course, baseline_table, between_table, change_table
from analytics_app.analyses.shared.changes import ChangeAnalysis, Time, baseline_rows, change_rows
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES, course_chart
from analytics_app.charts.picking import INTERVAL, Material, value_of
from analytics_app.models import ResultRow
from analytics_app.ratings.extras.measured import Measured
from analytics_app.results import Row
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, sentence
from analytics_app.show.formats import digits, interval, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, own, table_of, tables_of
from analytics_app.show.table import Table
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
        sample, groups_of_raters = self.regrouped(sample)
        if groups_of_raters is not None:
            measured = replace(measured, group=np.where(measured.rater >= 0, groups_of_raters[measured.rater], -1))
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


# Tables of outcomes measured elsewhere: means by group and wave, then how groups began and changed.

_LEFT = gettext_noop(
    "Dropped out: people of the groups compared with an outcome in the earlier wave but none in the later one."
)
_CAPTIONS = (
    _("Outcomes at the beginning"),
    _("Change of outcomes"),
    _("Outcomes of groups compared"),
)
MEASURED = Course("outcome", _("Outcome"), str, _CAPTIONS, _LEFT)


@tables_of("outcomes")
def outcome_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield means, then how groups began or changed, then the differences between groups."""
    lines = rows.of("outcome_mean")
    columns = [
        MEASURED.score(lines),
        own(gettext("People"), raters),
        own(gettext("Mean"), digits(2)),
        own(gettext("Interval"), interval(2)),
        Shown(gettext("SD"), "outcome_sd", digits(2)),
        Shown(gettext("Mean before rules"), "", digits(2), before=True),
    ]
    notes = notes_of(rows.of("outcome_mean", "outcome_sd"))
    yield from table_of(rows, gettext("Outcomes measured elsewhere"), columns, lines, by=OF_SCALE, notes=notes)
    yield from baseline_table(MEASURED, rows, limit)
    yield from change_table(MEASURED, rows, limit)
    yield from between_table(MEASURED, rows, limit)


# The chart of outcomes measured elsewhere: means by group over the waves.

# More panels than these would be too small to read; the tables have all outcomes.
MOST_PANELS = 4


@chart(order=15)
def outcomes_chart(material: Material) -> Iterator[Sketch]:
    """Draw the means of each outcome over the waves, a line for each group."""
    means = [row for row in material.kept("outcome_mean") if row.value is not None]
    rows = [row for row in means if row.group] or means
    names = list(dict.fromkeys(str(row.group or "everybody") for row in rows))[:MOST_LINES]
    every = list(dict.fromkeys(str(row.label) for row in rows))
    shown = every[:MOST_PANELS]
    rows = [row for row in rows if str(row.label) in shown and str(row.group or "everybody") in names]
    times = [name for _wave, name in sorted({(row.wave or 0, str(row.metric)) for row in rows})]
    if len(times) < 2:
        return
    points = [
        {
            "panel": str(row.label),
            "outcome": str(row.label),
            "time": str(row.metric),
            "name": str(row.group or "everybody"),
            "value": value_of(row),
            "low": row.low,
            "high": row.high,
            "n": row.n_raters,
        }
        for row in rows
    ]
    some = f" The first {len(shown)} of {len(every)} outcomes." if len(shown) < len(every) else ""
    yield Sketch(
        kind="outcomes",
        title=_title(material, shown, times),
        subtitle=(
            f"Mean over people. Lines at points: "
            f"{material.confidence * 100:g}{words.SPACE}% interval over people.{some}"
        ),
        by_system=False,
        chart=course_chart([(name, words.short(name, 30)) for name in shown], points, names, times),
        columns=(
            ("outcome", "Outcome"),
            ("time", "Wave"),
            ("name", "Group"),
            ("value", "Mean"),
            *INTERVAL,
            ("n", "People"),
        ),
    )


def _title(material: Material, shown: list[str], times: list[str]) -> str:
    """Return a title with the result of the corrected tests from the first wave to the last."""
    between = _whole(material.kept("outcome_change_adjusted"), times)
    tests = between or _whole(material.kept("outcome_change"), times)
    clear = [row for row in tests if str(row.label) in shown and material.is_significant(row)]
    outcome_names = words.names([words.short(name, 30) for name in shown])
    if not clear:
        if between:
            return f"No clear difference between groups in how {outcome_names} changed, {times[0]} to {times[-1]}"
        if not tests:
            return f"{outcome_names} by wave"
        return f"No clear change in {outcome_names} from {times[0]} to {times[-1]}"
    changes = words.names([_in_words(row, between=bool(between)) for row in clear])
    if between:
        return f"In {times[-1]}, {changes} (adjusted for {times[0]})"
    return f"From {times[0]} to {times[-1]}, {changes}"


def _whole(rows: list[Row], times: list[str]) -> list[Row]:
    return [row for row in rows if (row.metric, row.metric_b) == (times[0], times[-1])]


def _in_words(row: Row, *, between: bool) -> str:
    name, rose = words.short(str(row.label), 30), value_of(row) > 0
    group = words.short(row.group, 20) if row.group else ""
    if between:
        other = words.short((row.slice or "").removeprefix("against="), 20)
        return f"{name} was {'higher' if rose else 'lower'} in {group} than in {other}"
    return f"{name} {'rose' if rose else 'fell'}" + (f" in {group}" if group else "")


# The finding that the tests of outcomes measured elsewhere support.


@finding_of("outcomes", "outcome_change", "outcome_change_adjusted", order=20, parts=True, beside=True)
def outcomes_finding(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about changes of outcomes, between groups first, beside that of the questionnaire."""
    between = [row for row in rows.of("outcome_change_adjusted") if row.value is not None]
    within = [row for row in rows.of("outcome_change") if row.value is not None]
    apart = [_apart(row) for row in question.clear(between) if row.value]
    moved = [_moved(row) for row in question.clear(within) if row.value]
    if apart:
        return Finding(sentence("; ".join(apart)))
    # A change within one group alone is no difference between groups, so the comparison comes first.
    if between:
        return Finding(_none(between, between=True), "".join(f"; {change}" for change in moved))
    if moved:
        return Finding(sentence("; ".join(moved)))
    return Finding(_none(within, between=False)) if within else None


def _apart(row: ResultRow) -> str:
    """Return a phrase about the group with more of an outcome, given the earlier wave."""
    text = (
        gettext("in %(last)s, %(outcome)s was higher in %(group)s than in %(other)s (adjusted for %(first)s)")
        if (row.value or 0) > 0
        else gettext("in %(last)s, %(outcome)s was lower in %(group)s than in %(other)s (adjusted for %(first)s)")
    )
    return text % {**_about(row), "other": (row.slice or "").removeprefix("against=")}


def _moved(row: ResultRow) -> str:
    """Return a phrase about the change of an outcome within a group, or in everybody."""
    rose = (row.value or 0) > 0
    if row.group:
        text = (
            gettext("%(outcome)s rose in %(group)s from %(first)s to %(last)s")
            if rose
            else gettext("%(outcome)s fell in %(group)s from %(first)s to %(last)s")
        )
    else:
        text = (
            gettext("%(outcome)s rose from %(first)s to %(last)s")
            if rose
            else gettext("%(outcome)s fell from %(first)s to %(last)s")
        )
    return text % _about(row)


def _about(row: ResultRow) -> dict[str, object]:
    return {"outcome": row.label, "group": row.group, "first": row.metric, "last": row.metric_b}


def _none(tests: Sequence[ResultRow], *, between: bool) -> str:
    n = len({row.label for row in tests})
    if between:
        text = ngettext(
            "No clear difference between groups in how %(n)d outcome changed",
            "No clear difference between groups in how %(n)d outcomes changed",
            n,
        )
    else:
        text = ngettext("No clear change in %(n)d outcome", "No clear change in %(n)d outcomes", n)
    return text % {"n": n}
