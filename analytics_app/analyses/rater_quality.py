"""The figures on which quality rules are based, rater by rater."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.answered import judgments_of
from analytics_app.models import ResultRow
from analytics_app.ratings.carefulness import (
    LEAST_SECONDS,
    WORDS_PER_SECOND,
    Scales,
    fast_screens,
    inconsistency_of,
    positions_of,
    working_seconds,
)
from analytics_app.ratings.extras.controls import Controls
from analytics_app.ratings.extras.excluded import Gone
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.ratings.extras.screens import Screens
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.skips import Skips
from analytics_app.ratings.extras.times import Times
from analytics_app.ratings.extras.words import Words
from analytics_app.ratings.sameness import flat_screens, one_number, same_texts
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.formats import Format, digits, ratings, share
from analytics_app.show.shown import MOST_ROWS, StoredRows, lines_of, named, table_of, tables_of
from analytics_app.show.shown import Shown as Column
from analytics_app.show.table import Table
from analytics_app.stats.quality.control_score import TOLERANCE, control_scores
from analytics_app.stats.quality.straight_lining import runs
from tasks_app.task_types.base import Scale

FAST = f"below 1 s for {WORDS_PER_SECOND:g} words, at least {LEAST_SECONDS:g} s"


@dataclass(frozen=True, slots=True)
class Figures:
    """One figure of some raters: their codes, its values, and the number of cases behind each value."""

    statistic: str
    raters: NDArray[np.intp]
    values: NDArray[Any]
    counts: NDArray[Any]
    # The note if no rater has the figure.
    without: str
    settings: Mapping[str, Any] | None = None


@register
class RaterQuality(Analysis):
    """The figures of the quality rules for every rater of a task, whether or not a rule is on.

    `n_ratings` is the number of cases behind a figure: repeats, answers, checks, screens. Differences are in shares of
    the scale; the inconsistency score is that of Naderi (2018). There are no slices: times and checks belong to a whole
    task.
    """

    label = _("Carefulness of raters")
    summary = _("Repeats, runs of one position, checks, fast screens, skips and working time of each rater.")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval, 24-31."
    )
    scales = frozenset(Scale)
    whole_task = True
    splits = False
    needs = frozenset({Controls, Gone, Repeats, Screens, Shown, Skips, Times, Words})

    statistics = {
        "rater_inconsistency": _("Inconsistency score (after Naderi 2018)"),
        "rater_repeat_difference": _("Mean difference between repeats"),
        "rater_longest_run": _("Longest run of one position"),
        "rater_mean_run": _("Mean run of one position"),
        "rater_same_number": _("Share of answers with the rater's most frequent number"),
        "rater_flat_screens": _("Share of screens on which all texts got the same number"),
        "rater_identical_texts": _("Share of identical texts that got different numbers"),
        "rater_checks_right": _("Share of checks answered right"),
        "rater_control_score": _("Control score from 0 to 10 (as in KEOPS, without its penalties)"),
        "rater_fast_screens": _("Share of screens too fast"),
        "rater_skips": _("Units skipped as “cannot judge” or “other”"),
        "rater_working_time": _("Working time in seconds"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield a row for each rater and figure, or a row with a note for a figure that no rater has."""
        make, names = Rows(self.name, sample), sample.table.names
        raters = np.unique(sample.table.judgments.rater[judgments_of(sample)]).astype(np.int64)
        for figures in _figures(sample):
            mine = np.isin(figures.raters, raters)
            if not mine.any():
                yield make.row(figures.statistic, note=figures.without, n_raters=len(raters))
            for code, value, n in zip(
                figures.raters[mine].tolist(), figures.values[mine].tolist(), figures.counts[mine].tolist(), strict=True
            ):
                yield make.row(
                    figures.statistic,
                    value=float(value),
                    rater=names.raters[code],
                    n_ratings=int(n),
                    n_raters=1,
                    settings=figures.settings,
                )


def _figures(sample: Sample) -> Iterator[Figures]:
    yield from _repeats(sample)
    yield from _runs(sample)
    yield from _sameness(sample)
    yield _checks(sample)
    yield from _control_score(sample)
    yield _fast(sample)
    yield _skips(sample)
    yield _times(sample)


def _scales(sample: Sample) -> Scales:
    return {
        criterion.code: (
            *criterion.limits,
            criterion.domain[1] - criterion.domain[0] if len(criterion.domain) > 1 else 0.0,
        )
        for criterion in sample.question.criteria
        if criterion.limits is not None and criterion.code >= 0
    }


def _repeats(sample: Sample) -> Iterator[Figures]:
    inconsistency = inconsistency_of(sample.table, sample.extras[Repeats], _scales(sample))
    without = "Nothing was asked twice on a numeric scale."
    settings = {"score": "sqrt(mean((x - x')^2)), in shares of the scale"}
    yield Figures(
        "rater_inconsistency", inconsistency.raters, inconsistency.scores, inconsistency.pairs, without, settings
    )
    yield Figures(
        "rater_repeat_difference", inconsistency.raters, inconsistency.differences, inconsistency.pairs, without
    )


def _runs(sample: Sample) -> Iterator[Figures]:
    """Yield the longest run of each rater over all scales, and the mean run on the scale of the longest."""
    n = len(sample.table.names.raters)
    longest, mean, answers = np.zeros(n), np.zeros(n), np.zeros(n)
    for positions in positions_of(sample.table, _scales(sample), sample.extras[Screens]):
        longest_runs = runs(positions.position, positions.rater)
        longer = longest_runs.longest > longest[longest_runs.raters]
        raters = longest_runs.raters[longer]
        longest[raters], mean[raters], answers[raters] = (
            longest_runs.longest[longer],
            longest_runs.mean[longer],
            longest_runs.answers[longer],
        )
    some = np.flatnonzero(answers)
    without = "The task has no scale with positions."
    yield Figures("rater_longest_run", some, longest[some], answers[some], without)
    yield Figures("rater_mean_run", some, mean[some], answers[some], without)


def _sameness(sample: Sample) -> Iterator[Figures]:
    """Yield figures of equal ratings for different texts, and different ratings for identical texts."""
    flat = flat_screens(sample.table)
    if len(flat.raters):
        yield Figures("rater_flat_screens", flat.raters, flat.equal / flat.screens, flat.screens, "")
    repeated = one_number(sample.table)
    # On a scale, runs of positions have this information.
    if len(repeated.raters) and not _scales(sample):
        yield Figures("rater_same_number", repeated.raters, repeated.times / repeated.answers, repeated.answers, "")
    identical = same_texts(sample.table, sample.extras[Shown])
    if len(identical.raters):
        shares = identical.differ / identical.texts
        yield Figures("rater_identical_texts", identical.raters, shares, identical.texts, "")


def _checks(sample: Sample) -> Figures:
    controls, n_raters = sample.extras[Controls], len(sample.table.names.raters)
    known = controls.rater >= 0
    n = np.bincount(controls.rater[known], minlength=n_raters)
    right = np.bincount(controls.rater[known & controls.passed], minlength=n_raters)
    some = np.flatnonzero(n)
    return Figures(
        "rater_checks_right", some, right[some] / n[some], n[some], "No unit with a known answer was answered."
    )


def _control_score(sample: Sample) -> Iterator[Figures]:
    """Yield the score of each rater on checks and repeats, for tasks with a scale that can show a tenth."""
    table, controls = sample.table, sample.extras[Controls]
    fine = {code: high - low for code, (low, high, step) in _scales(sample).items() if step <= TOLERANCE * (high - low)}
    width = np.zeros(len(table.names.criteria) + 1)  # the last entry is for ratings without a criterion, code -1
    for code, length in fine.items():
        width[code] = length
    pairs = sample.extras[Repeats].of(table)
    pairs = pairs.where((width[pairs.criterion] > 0) & ~np.isnan(pairs.first) & ~np.isnan(pairs.again))
    known = controls.rater >= 0
    if not fine or not (known.any() or len(pairs)):
        return
    scores = control_scores(
        controls.rater[known],
        controls.passed[known],
        pairs.rater,
        np.abs(pairs.again - pairs.first) / width[pairs.criterion],
        n_raters=len(table.names.raters),
    )
    settings = {"wrong": f"a check missed, or a repeat that differs by more than {TOLERANCE:g} of the scale"}
    yield Figures(
        "rater_control_score", scores.raters, scores.scores, scores.controls, "Nobody had a control.", settings
    )


def _fast(sample: Sample) -> Figures:
    table, n_raters = sample.table, len(sample.table.names.raters)
    timed, fast = fast_screens(table, sample.extras[Times], sample.extras[Words], unrated=judgments_of(sample))
    n = np.bincount(table.judgments.rater[timed], minlength=n_raters)
    too_fast = np.bincount(table.judgments.rater[fast], minlength=n_raters)
    some = np.flatnonzero(n)
    without = "No answer has a time."
    return Figures("rater_fast_screens", some, too_fast[some] / n[some], n[some], without, {"too fast": FAST})


def _skips(sample: Sample) -> Figures:
    skips, n_raters = sample.extras[Skips], len(sample.table.names.raters)
    known = skips.rater >= 0
    n = np.bincount(skips.rater[known], minlength=n_raters)
    counted = np.bincount(skips.rater[known & skips.counted], minlength=n_raters)
    some = np.flatnonzero(n)
    return Figures("rater_skips", some, counted[some], n[some], "No unit was skipped.")


def _times(sample: Sample) -> Figures:
    times = sample.extras[Times]
    seconds = working_seconds(times)
    some = np.flatnonzero(~np.isnan(seconds))
    settings = {"time": "with a unit on the screen in one sitting, else active"}
    return Figures("rater_working_time", some, seconds[some], times.answered[some], "No answer has a time.", settings)


# The table of raters' carefulness: one line for each rater, with the figures of the quality rules.


@tables_of("rater_quality")
def rater_quality(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield one table of all raters, which marks those that the rules left out."""
    kept_raters = {row.rater for row in rows.kept}
    everybody = rows.before or rows.kept

    def shown(head: str, statistic: str, show: Format) -> Column:
        return Column(head, statistic, show, before=rows.both)

    columns = [
        named(gettext("Rater"), lambda row: row.rater),
        named(gettext("Left out"), lambda row: "" if row.rater in kept_raters else gettext("yes")),
        shown(gettext("Inconsistency score"), "rater_inconsistency", digits(2)),
        shown(gettext("Repeats"), "rater_inconsistency", ratings),
        shown(gettext("Longest run"), "rater_longest_run", digits(0)),
        shown(gettext("Answers on that scale"), "rater_longest_run", ratings),
        shown(gettext("Most frequent number"), "rater_same_number", share),
        shown(gettext("Screens with one number for all texts"), "rater_flat_screens", share),
        shown(gettext("Screens with several texts"), "rater_flat_screens", ratings),
        shown(gettext("Identical texts, different numbers"), "rater_identical_texts", share),
        shown(gettext("Checks right"), "rater_checks_right", share),
        shown(gettext("Checks"), "rater_checks_right", ratings),
        shown(gettext("Control score"), "rater_control_score", digits(1)),
        shown(gettext("Screens too fast"), "rater_fast_screens", share),
        shown(gettext("Skipped, cannot judge or other"), "rater_skips", digits(0)),
        shown(gettext("Working minutes"), "rater_working_time", _minutes),
    ]
    notes = list(dict.fromkeys(row.note for row in everybody if row.note))
    if any(row.statistic == "rater_inconsistency" and row.rater for row in everybody):
        notes.append(gettext("Inconsistency score (after Naderi 2018): 0 never changed, 1 from one end to the other."))
    if any(row.statistic == "rater_control_score" and row.rater for row in everybody):
        notes.append(
            gettext(
                "Control score, 0 to 10: checks right and repeats within a tenth of the scale. Even good raters may "
                "score low, so do not exclude anybody for this score alone."
            )
        )
    lines = lines_of((row for row in everybody if row.rater), "rater")
    yield from table_of(
        rows,
        gettext("Carefulness of raters"),
        columns,
        lines,
        by=("rater",),
        notes=notes,
        most=MOST_ROWS,
        more=gettext("Further raters in the file of results: %(n)s."),
        used_only=True,
        for_notes=True,
    )


def _minutes(row: ResultRow | None) -> Cell:
    return cells.number(row.value / 60 if row is not None and row.value is not None else None, 1)
