"""The texts that people and metrics judged, with their marks, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.error_spans.agreement import first_looks_of, spans_of
from analytics_app.analyses.error_spans.looks import Marks, marks_of
from analytics_app.analyses.error_spans.profiles import labels_of, per_look
from analytics_app.analyses.error_spans.scores import ESA
from analytics_app.analyses.shared.pairs import clusters_of
from analytics_app.ratings import Floats, Table
from analytics_app.ratings.extras.metric_marks import MetricMarks
from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.values import Codes
from tasks_app.task_types.error_spans.scoring import as_key


@dataclass(frozen=True, slots=True)
class OfMetric:
    """A metric's looks at texts that people judged: the texts by code, the spans, and which texts it finds error-free.

    `unplaced` counts marks without a place, `elsewhere` its answers to texts that nobody judged.
    """

    name: str
    text: Codes
    spans: Spans
    error_free: Floats
    unplaced: int
    elsewhere: int

    @property
    def has_severities(self) -> bool:
        """Return whether a mark has a severity."""
        return bool((self.spans.label > 0).any())


@dataclass(frozen=True, slots=True)
class Judged:
    """The first look of each rater at each text, the marks of raters, and the metrics that judged these texts.

    `people` has the looks, by codes of texts and of `raters`; `error_free` is 1, 0, or NaN where a look has no score
    although the task asks for it. `item`, `document` and the resampled `unit` are those of each text. `output_text` and
    `output_system` list the systems, by codes into `systems`, that each text stands for.
    """

    people: Looks
    raters: tuple[str, ...]
    rater_codes: NDArray[np.int32]
    spans: Spans
    error_free: Floats
    unplaced: int
    item: Codes
    unit: Codes
    document: Codes
    over: str
    output_text: Codes
    output_system: Codes
    systems: tuple[str, ...]
    looks: Table
    all_error_free: Floats
    metrics: tuple[OfMetric, ...]
    least_score: float | None

    @classmethod
    def of(cls, sample: Sample, percent: float, *, by_document: bool) -> Judged:
        """Return the looks of a sample; texts of systems that it leaves out are no texts of it."""
        looks, _rows, marks = marks_of(sample)
        names = looks.names
        kept = np.ones(len(names.shown_part), dtype=bool)
        if sample.without:
            kept &= ~np.isin(names.shown_system, sorted(sample.without))
        seen = np.isin(looks.part, names.shown_part[kept])
        looks, marks = looks.where(seen), _of_looks(marks, seen)
        first, people, place = first_looks_of(looks)
        parts = np.unique(looks.part[first])
        severity, severities = labels_of(sample, marks)["severity"]
        placed = (place[marks.look] >= 0) & (marks.side >= 0) & (marks.end > marks.start)
        score, least = _scores(sample, looks, percent)
        free = _error_free(per_look(looks, marks), score, least, given=least is not None)
        item = names.item_of_unit[names.unit_of_part[parts]].astype(np.intp)
        shown = kept & np.isin(names.shown_part, parts)
        system_codes, system = np.unique(names.shown_system[shown], return_inverse=True)
        raters = np.unique(looks.rater[first])
        return cls(
            people=people,
            raters=tuple(names.raters[code] for code in raters.tolist()),
            rater_codes=raters,
            spans=spans_of(marks, place, severity),
            error_free=free[first],
            unplaced=int(np.count_nonzero(~placed & (place[marks.look] >= 0))),
            item=item,
            unit=clusters_of(names, by_document=by_document)[item].astype(np.intp),
            document=clusters_of(names, by_document=True)[item].astype(np.intp),
            over="documents" if by_document else "items",
            output_text=np.searchsorted(parts, names.shown_part[shown]).astype(np.intp),
            output_system=system.astype(np.intp),
            systems=tuple(names.systems[code] for code in system_codes.tolist()),
            looks=looks,
            all_error_free=free,
            metrics=tuple(_metrics(sample.extras[MetricMarks], parts, severities, least)),
            least_score=least,
        )

    @property
    def n_texts(self) -> int:
        """Return the number of texts."""
        return len(self.unit)

    @property
    def definition(self) -> dict[str, object]:
        """Return the settings that define an error-free text."""
        if self.least_score is None:
            return {"error-free": "no mark"}
        return {"error-free": "no mark and a score of at least", "score": self.least_score}

    def systems_of(self, text: Codes) -> tuple[Codes, Codes]:
        """Return the rows of texts, repeated for each system that they stand for, and these systems."""
        order = np.argsort(self.output_text, kind="stable")
        of_texts = self.output_text[order]
        begin = np.searchsorted(of_texts, text, side="left")
        times = np.searchsorted(of_texts, text, side="right") - begin
        row = np.repeat(np.arange(len(text)), times)
        within = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
        return row, self.output_system[order[begin[row] + within]]


def _of_looks(marks: Marks, kept: NDArray[np.bool_]) -> Marks:
    """Return the marks of some looks, which are numbered anew."""
    mine, number = kept[marks.look], np.cumsum(kept) - 1
    columns = (getattr(marks, name)[mine] for name in ("side", "start", "end", "category", "severity"))
    return Marks(number[marks.look[mine]].astype(np.int32), *columns)


def _scores(sample: Sample, looks: Table, percent: float) -> tuple[Floats, float | None]:
    """Return the score of each look (NaN: none), and the least score of an error-free text (None: no scores asked)."""
    criterion = next((criterion for criterion in sample.question.criteria if criterion.key == ESA), None)
    scores = np.full(len(looks), np.nan)
    if criterion is None or criterion.limits is None:
        return scores, None
    table = sample.table
    rows = table.where((table.criterion == criterion.code) & (table.number >= 1) & ~np.isnan(table.value))
    n_parts = len(table.names.part_ids) + 1
    keys = looks.judgment.astype(np.int64) * n_parts + looks.part
    of_rows = rows.judgment.astype(np.int64) * n_parts + rows.part
    order = np.argsort(of_rows, kind="stable")
    if len(order):
        place = np.minimum(np.searchsorted(of_rows[order], keys), len(order) - 1)
        has = of_rows[order][place] == keys
        scores[has] = rows.value[order[place[has]]]
    low, high = criterion.limits
    return scores, low + percent / 100 * (high - low)


def _error_free(n_marks: Floats, score: Floats, least: float | None, *, given: bool) -> Floats:
    """Return 1 for each look without a mark and with a sufficient score, else 0.

    Where a score should be `given` and is missing, the result is NaN; else it counts as sufficient.
    """
    sufficient = np.ones(len(score), dtype=bool) if least is None else np.isnan(score) | (score >= least)
    free = ((n_marks == 0) & sufficient).astype(np.float64)
    return np.where(np.isnan(score), np.nan, free) if given else free


def _metrics(
    extra: MetricMarks, parts: NDArray[np.int32], severities: list[str], least: float | None
) -> list[OfMetric]:
    """Return the metrics with their marks in these texts; severities of the same name have the same code."""
    codes = {as_key(name): place + 1 for place, name in enumerate(severities)}
    label_of = np.array(
        [*(codes.setdefault(as_key(name), len(codes) + 1) for name in extra.severities), 0], dtype=np.intp
    )
    n_marks = np.bincount(extra.look, minlength=len(extra.part)).astype(np.float64)
    free = _error_free(n_marks, extra.score, least, given=False)
    place = np.minimum(np.searchsorted(parts, extra.part), max(len(parts) - 1, 0))
    known = parts[place] == extra.part if len(parts) else np.zeros(len(extra.part), dtype=bool)
    found = []
    for code, name in enumerate(extra.metrics):
        mine = known & (extra.metric == code)
        number = np.cumsum(mine) - 1
        of_mine = mine[extra.look]
        placed = of_mine & (extra.side >= 0) & (extra.end > extra.start)
        spans = Spans(
            number[extra.look[placed]].astype(np.intp), extra.side[placed].astype(np.intp),
            extra.start[placed].astype(np.intp), extra.end[placed].astype(np.intp), label_of[extra.severity[placed]],
        )  # fmt: skip
        found.append(
            OfMetric(
                name=name,
                text=place[mine].astype(np.intp),
                spans=spans,
                error_free=free[mine],
                unplaced=int(np.count_nonzero(of_mine & ~placed)),
                elsewhere=int(np.count_nonzero((extra.metric == code) & ~known)),
            )
        )
    return found
