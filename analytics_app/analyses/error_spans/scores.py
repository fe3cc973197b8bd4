"""Scores given with the marks: means, contradictions with the marks, and the effect of an error."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import QuestionCriterion, Rows, count, of_one_system
from analytics_app.analyses.error_spans.looks import ERRORS, Marks, scheme
from analytics_app.analyses.error_spans.profiles import labels_of, severity_of
from analytics_app.analyses.error_spans.systems import segment_means
from analytics_app.analyses.shared.outputs import Outputs, interval_note
from analytics_app.ratings import Floats, Table
from analytics_app.results import Row
from analytics_app.stats.errors.mqm import score_on_counts
from analytics_app.stats.values import Estimate, joined
from tasks_app.task_types.error_spans import ErrorSpans
from tasks_app.task_types.error_spans.params import HIGH_SCORE, LOW_SCORE
from tasks_app.task_types.error_spans.scoring import as_key

# The criterion of the score of ESA.
ESA = "score"

# What raters were told of a score that contradicts the errors, by the setting of the task.
SAID = {"ask": "asked once whether both are meant", "refuse": "refused", "nothing": "nothing"}


def scores(make: Rows, *, by_document: bool) -> Iterator[Row]:
    """Yield the ESA score of each system; its comparisons of systems are with those of other scores."""
    criterion = next((criterion for criterion in make.sample.question.criteria if criterion.key == ESA), None)
    if criterion is None:
        return
    sample = make.sample
    score_sample = sample.where(sample.table.criterion == criterion.code)
    outputs = Outputs.of(score_sample, by_document=by_document)
    if not outputs.systems:
        return
    means, drawn = segment_means(make, outputs, outputs.value, f"score over {outputs.unit}")
    row_settings = {**drawn, "segment": "mean over raters", "system": "mean over segments"}
    for code, mean in enumerate(means):
        yield make.row(
            "esa_score",
            mean,
            criterion=ESA,
            system=outputs.systems[code],
            settings=row_settings,
            note=joined("Higher is better.", mean.note, interval_note(mean, outputs.unit)),
            **outputs.counts(code),
        )


def scored(make: Rows, looks: Table, marks: Marks) -> Iterator[tuple[QuestionCriterion, Table, Floats, Marks]]:
    """Yield for each scored criterion the looks that have a score on it, their scores, and their marks."""
    table = make.sample.table
    n_parts = len(table.names.part_ids) + 1
    keys = looks.judgment.astype(np.int64) * n_parts + looks.part
    for criterion in make.sample.question.criteria:
        scored_rows = table.where((table.criterion == criterion.code) & (table.number >= 1) & ~np.isnan(table.value))
        if criterion.key == ERRORS or not len(scored_rows) or not len(looks):
            continue
        of_given = scored_rows.judgment.astype(np.int64) * n_parts + scored_rows.part
        order = np.argsort(of_given, kind="stable")
        place = np.minimum(np.searchsorted(of_given[order], keys), len(order) - 1)
        has = of_given[order][place] == keys
        renumbered = np.cumsum(has) - 1
        mine = has[marks.look]
        scored_marks = Marks(
            renumbered[marks.look[mine]].astype(np.int32),
            *(getattr(marks, name)[mine] for name in ("side", "start", "end", "category", "severity")),
        )
        yield criterion, looks.where(has), scored_rows.value[order[place[has]]], scored_marks


def contradictions(make: Rows, all_looks: Table, all_marks: Marks, low_score: float) -> Iterator[Row]:
    """Yield the number of texts with the highest score and a serious error, or with a low score and no error.

    Scores up to `low_score`, in percent of the scale, are low.
    """
    for criterion, looks, values, marks in scored(make, all_looks, all_marks):
        if criterion.limits is None:
            continue
        low, high = criterion.limits
        severity, names = severity_of(make.sample, marks)
        grave = severity == len(names) - 1 if names else np.ones(len(severity), dtype=bool)
        n_grave, n_any = (
            np.bincount(marks.look[mask], minlength=len(looks)) for mask in (grave, np.ones(len(grave), dtype=bool))
        )
        limit = low + low_score / 100 * (high - low)
        worst = names[-1] if len(names) > 1 else "any"
        for statistic, where, row_settings in (
            ("top_score_grave_error", (values >= high) & (n_grave > 0), {"score": high, "severity": worst}),
            ("low_score_no_error", (values <= limit) & (n_any == 0), {"score at most": limit}),
        ):
            yield make.row(
                statistic,
                value=float(where.sum()),
                criterion=criterion.key,
                n_ratings=len(looks),
                settings=row_settings,
                n_items=count(looks.names.item_of_unit[looks.unit]),
                n_raters=looks.n_raters,
            )
            yield from _of_raters(make, statistic, criterion, looks, where)


def beyond_limits(make: Rows, all_looks: Table, all_marks: Marks) -> Iterator[Row]:
    """Yield the number of answers with a score that contradicts the errors by the limits of the study.

    Limits that the study left as they are have no rows: `contradictions` counts what nobody would mean.
    """
    kind = ErrorSpans(make.sample.question.params)
    if (kind.high_score, kind.low_score, kind.score_check) == (HIGH_SCORE, LOW_SCORE, "ask"):
        return
    for criterion, looks, values, marks in scored(make, all_looks, all_marks):
        if criterion.key != ESA:
            continue
        severity, names = severity_of(make.sample, marks)
        keys = scheme(make.sample).severity_keys
        gravest = [place for place, name in enumerate(names) if len(keys) > 1 and as_key(name) == keys[-1]]
        n_grave = np.bincount(marks.look[np.isin(severity, gravest)], minlength=len(looks))
        n_any = np.bincount(marks.look, minlength=len(looks))
        for statistic, where, limit in (
            (
                "high_score_grave_error",
                (values >= (kind.high_score or 101)) & (n_grave > 0),
                f"at least {kind.high_score}",
            ),
            ("score_too_low_no_error", (values < (kind.low_score or 0)) & (n_any == 0), f"below {kind.low_score}"),
        ):
            yield make.row(
                statistic, value=float(where.sum()), criterion=criterion.key, n_ratings=len(looks),
                n_items=count(looks.names.item_of_unit[looks.unit]), n_raters=looks.n_raters,
                settings={"score": limit, "said to raters": SAID[kind.score_check]},
            )  # fmt: skip
            yield from _of_raters(make, statistic, criterion, looks, where)


def _of_raters(
    make: Rows, statistic: str, criterion: QuestionCriterion, looks: Table, where: NDArray[np.bool_]
) -> Iterator[Row]:
    """Yield the number of such answers of each rater who gave any."""
    total = np.bincount(looks.rater, minlength=len(looks.names.raters))
    mine = np.bincount(looks.rater[where], minlength=len(looks.names.raters))
    alone = of_one_system(looks)
    for code in np.flatnonzero(mine).tolist():
        yield make.row(
            statistic,
            value=float(mine[code]),
            criterion=criterion.key,
            rater=looks.names.raters[code],
            n_ratings=int(total[code]),
            by_system=bool(alone[code]),
        )


def regressions(make: Rows, all_looks: Table, all_marks: Marks, kind: str) -> Iterator[Row]:
    """Yield the change of a score with one more error of each severity, or group of kinds."""
    for criterion, looks, values, marks in scored(make, all_looks, all_marks):
        codes, names = labels_of(make.sample, marks)[kind]
        labels = names or ["any"]
        codes = codes if names else np.zeros(len(marks.look), dtype=np.int64)
        has_code = codes >= 0
        cells = marks.look[has_code].astype(np.int64) * len(labels) + codes[has_code]
        counted = np.bincount(cells, minlength=len(looks) * len(labels)).reshape(len(looks), len(labels))
        item = np.maximum(looks.names.item_of_unit[looks.unit], 0).astype(np.intp)
        regression = score_on_counts(values, counted, item, names=labels, confidence=make.sample.common.confidence)
        row_settings = {
            "model": "least squares",
            "errors": "clustered by item",
            "interval": "t",
            "test": "t",
            "on": f"number of errors by {kind}",
        }
        about: dict[str, Any] = {"criterion": criterion.key, "n_raters": looks.n_raters, "settings": row_settings}
        yield make.row("score_regression", regression.intercept, label="no error", **about)
        if regression.intercept.value is None:
            continue
        for label, slope in zip(labels, regression.slopes, strict=True):
            yield make.row("score_regression", slope, label=label[:500], **about)
        share = Estimate(regression.r_squared, n_ratings=len(values), note=None)
        yield make.row("score_regression_r2", share, **about)
