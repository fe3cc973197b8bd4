"""Scores given beside the marks: means, contradictions with the marks, and the weight of an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Asked, Rows, count, of_one_system
from analytics_app.analyses.error_spans.looks import ERRORS, Marks, marks_of
from analytics_app.analyses.error_spans.profiles import labels_of
from analytics_app.analyses.error_spans.systems import by_document, segment_means
from analytics_app.analyses.shared.outputs import Outputs, interval_note
from analytics_app.ratings import Floats, Table
from analytics_app.results import Row
from analytics_app.stats.errors.mqm import score_on_counts
from analytics_app.stats.estimate import Estimate, joined

# The criterion of the score that ESA asks for.
ESA = "score"


def scores(make: Rows, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the ESA score of each system; how systems compare on it stands with the other scores."""
    asked = next((one for one in make.sample.question.asked if one.key == ESA), None)
    if asked is None:
        return
    sample = make.sample
    given = sample.where(sample.table.criterion == asked.code)
    outputs = Outputs.of(given, by_document=by_document(sample, settings))
    if not outputs.systems:
        return
    found, drawn = segment_means(make, outputs, outputs.value, f"score over {outputs.unit}")
    said = {**drawn, "segment": "mean over raters", "system": "mean over segments"}
    for code, one in enumerate(found):
        yield make.row(
            "esa_score", one, criterion=ESA, system=outputs.systems[code], by_system=True, settings=said,
            note=joined("Higher is better.", one.note, interval_note(one, outputs.unit)), **outputs.counts(code),
        )  # fmt: skip


def scored(make: Rows) -> Iterator[tuple[Asked, Table, Floats, Marks, Table]]:
    """Yield for each scored criterion the looks with a score on it, their scores, and the marks of these looks."""
    looks, rows, marks = marks_of(make.sample)
    table = make.sample.table
    n_parts = len(table.names.part_ids) + 1
    keys = looks.judgment.astype(np.int64) * n_parts + looks.part
    for asked in make.sample.question.asked:
        given = table.where((table.criterion == asked.code) & (table.number >= 1) & ~np.isnan(table.value))
        if asked.key == ERRORS or not len(given) or not len(looks):
            continue
        of_given = given.judgment.astype(np.int64) * n_parts + given.part
        order = np.argsort(of_given, kind="stable")
        place = np.minimum(np.searchsorted(of_given[order], keys), len(order) - 1)
        has = of_given[order][place] == keys
        renumbered = np.cumsum(has) - 1
        mine = has[marks.look]
        kept = Marks(
            renumbered[marks.look[mine]].astype(np.int64),
            *(getattr(marks, name)[mine] for name in ("side", "start", "end", "category", "severity")),
        )
        yield asked, looks.where(has), given.value[order[place[has]]], kept, rows.where(mine)


def contradictions(make: Rows, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield how many texts have the highest score and a serious error, or a low score and none."""
    for asked, looks, values, marks, _rows in scored(make):
        if asked.limits is None:
            continue
        low, high = asked.limits
        severity, names = labels_of(make.sample, marks)["severity"]
        grave = severity == len(names) - 1 if names else np.ones(len(severity), dtype=bool)
        n_grave, n_any = (
            np.bincount(marks.look[which], minlength=len(looks)) for which in (grave, np.ones(len(grave), dtype=bool))
        )
        limit = low + float(settings["low_score"]) / 100 * (high - low)
        worst = names[-1] if len(names) > 1 else "any"
        for statistic, where, said in (
            ("top_score_grave_error", (values >= high) & (n_grave > 0), {"score": high, "severity": worst}),
            ("low_score_no_error", (values <= limit) & (n_any == 0), {"score at most": limit}),
        ):
            yield make.row(
                statistic, value=float(where.sum()), criterion=asked.key, n_ratings=len(looks), settings=said,
                n_items=count(looks.names.item_of_unit[looks.unit]), n_raters=looks.n_raters,
            )  # fmt: skip
            yield from _of_raters(make, statistic, asked, looks, where)


def _of_raters(make: Rows, statistic: str, asked: Asked, looks: Table, where: NDArray[np.bool_]) -> Iterator[Row]:
    """Yield who gave such answers; who gave none has no row."""
    total = np.bincount(looks.rater, minlength=len(looks.names.raters))
    mine = np.bincount(looks.rater[where], minlength=len(looks.names.raters))
    alone = of_one_system(looks)
    for code in np.flatnonzero(mine).tolist():
        yield make.row(
            statistic, value=float(mine[code]), criterion=asked.key, rater=looks.names.raters[code],
            n_ratings=int(total[code]), by_system=bool(alone[code]),
        )  # fmt: skip


def regressions(make: Rows, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield how a score changes with one more error of each severity, or group of kinds."""
    for asked, looks, values, marks, _rows in scored(make):
        kind = "group" if settings["regress_on"] == "group" else "severity"
        codes, names = labels_of(make.sample, marks)[kind]
        labels = names or ["any"]
        codes = codes if names else np.zeros(len(marks.look), dtype=np.int64)
        there = codes >= 0
        cells = marks.look[there] * len(labels) + codes[there]
        counted = np.bincount(cells, minlength=len(looks) * len(labels)).reshape(len(looks), len(labels))
        item = np.maximum(looks.names.item_of_unit[looks.unit], 0).astype(np.intp)
        found = score_on_counts(values, counted, item, names=labels, confidence=make.sample.common.confidence)
        said = {
            "model": "least squares",
            "errors": "clustered by item",
            "interval": "t",
            "test": "t",
            "on": f"number of errors by {kind}",
        }
        about: dict[str, Any] = {"criterion": asked.key, "n_raters": looks.n_raters, "settings": said}
        yield make.row("score_regression", found.intercept, label="no error", **about)
        if found.intercept.value is None:
            continue
        for label, one in zip(labels, found.slopes, strict=True):
            yield make.row("score_regression", one, label=label[:500], **about)
        share = Estimate(found.r_squared, n_ratings=len(values), note=None)
        yield make.row("score_regression_r2", share, **about)
