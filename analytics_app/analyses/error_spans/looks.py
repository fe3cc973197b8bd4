"""Texts as raters saw them, including those without an error: the basis of every figure about marked errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import QuestionCriterion, Sample
from analytics_app.ratings import Floats, Mask, Table
from analytics_app.ratings.extras.excluded import answered
from analytics_app.ratings.extras.spans import Spans
from analytics_app.ratings.table import COLUMNS, Coding
from analytics_app.stats.errors.mqm import segment_penalties
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.task_types.error_spans import ErrorSpans
from tasks_app.task_types.error_spans.scheme import Scheme
from tasks_app.task_types.error_spans.scoring import Rule, as_key, rules_of, weight_of

# The criterion of the marks, which the task type declares.
ERRORS = "errors"

# Weights of Freitag et al. (2021), for severities of these names if neither task nor plan has weights.
PUBLISHED = rules_of(
    (
        {"category": "non-translation", "weight": 25},
        {"severity": "neutral", "weight": 0},
        {"severity": "minor", "category": "fluency/punctuation", "weight": 0.1},
        {"severity": "major", "weight": 5},
        {"severity": "minor", "weight": 1},
    )
)
AS_PUBLISHED = "as published: major 5, minor 1, minor Fluency/Punctuation 0.1, non-translation 25"

# No ids.
NOBODY = np.empty(0, dtype=np.int64)

# The number of a row that stands for a text as a rater saw it: marks are numbered from 1.
LOOK = 0


@dataclass(frozen=True, slots=True)
class Named:
    """A weight from the plan: each name is the error's severity, its category, or a category above that."""

    names: tuple[str, ...]
    weight: float

    @classmethod
    def of(cls, words: str) -> Named:
        """Read a weight such as "minor + fluency/punctuation: 0.1". Raises ValueError with the problem."""
        names, colon, weight = words.rpartition(":")
        keys = tuple(as_key(name) for name in names.split("+"))
        try:
            number = float(weight)
        except ValueError:
            number = -1.0
        if not colon or not all(keys) or not 0 <= number <= 1_000_000:
            raise ValueError(f"“{words}” is no weight: write a severity or category and a number, as in “major: 5”.")
        return cls(keys, number)

    def fits(self, category: str, severity: str) -> bool:
        """Return whether an error of this category and severity has this weight."""
        return all(name in {category, severity} or category.startswith(f"{name}/") for name in self.names)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each mark (NaN if unknown), the name of the weights on pages, and the number of unmatched marks."""

    of_mark: Floats
    called: str
    unknown: int


@dataclass(frozen=True, slots=True)
class Marks:
    """Details of marks that ratings do not hold; each mark belongs to a look, by its place."""

    look: NDArray[np.int32]
    side: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    category: NDArray[np.int32]
    severity: NDArray[np.int32]


def errors_of(sample: Sample) -> QuestionCriterion | None:
    """Return the criterion of the marks, or None if the task has none."""
    return next((criterion for criterion in sample.question.criteria if criterion.key == ERRORS), None)


def with_looks(sample: Sample, plan_weights: Sequence[str] = ()) -> tuple[Sample, Weights]:
    """Add a row for every text that a rater saw, with its penalty as value, and the judge-wise z of the penalty.

    An answer without an error has no row of its own, and yet counts. Rules exclude rows; the extra `Spans` has the
    raters and judgments that rules excluded as a whole.
    """
    criterion, extra, table = errors_of(sample), sample.extras[Spans], sample.table
    code = criterion.code if criterion is not None else -1
    judgment, part = _seen(sample, extra)
    marked = (table.criterion == code) & (table.number > LOOK)
    weights = _weights(sample, table.id[marked], table.value[marked], plan_weights)
    keys = judgment.astype(np.int64) * (len(table.names.part_ids) + 1) + part
    of_marks = table.judgment[marked].astype(np.int64) * (len(table.names.part_ids) + 1) + table.part[marked]
    look, known = _places(keys, of_marks)
    if weights.called or not len(weights.of_mark):
        penalty = segment_penalties(weights.of_mark[known], look[known], len(keys))
    else:
        penalty = np.full(len(keys), np.nan)
    n, rater = len(keys), table.judgments.rater[judgment]
    z = judge_wise_z(penalty, rater.astype(np.int64), **sample.common.of_z).z if n else np.empty(0)
    none = np.full(n, -1, dtype=np.int32)
    # Ids below zero belong to no rating.
    looks: dict[str, NDArray[Any]] = {
        "id": np.arange(-n, 0, dtype=np.int64), "judgment": judgment, "rater": rater,
        "unit": table.judgments.unit[judgment], "part": part, "part_b": none,
        "criterion": np.full(n, code, dtype=np.int32), "number": np.full(n, LOOK, dtype=np.int32), "value": penalty,
        "shown": np.full(n, np.nan), "label": none,
    }  # fmt: skip
    columns: dict[str, Any] = {
        name: np.concatenate((looks[name].astype(getattr(table, name).dtype), getattr(table, name))) for name in COLUMNS
    }
    return replace(sample, table=replace(table, **columns), z=np.concatenate((z, sample.z))), weights


def _seen(sample: Sample, extra: Spans) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return judgment and part of every text in an answer that counts."""
    table = sample.table
    judgments, names = table.judgments, table.names
    excluded = (extra.gone_raters, extra.gone_judgments) if sample.basis == "kept" else (NOBODY, NOBODY)
    judgment = np.flatnonzero(answered(table, *excluded)).astype(np.int32)
    order = np.argsort(names.unit_of_part, kind="stable").astype(np.int32)
    sorted_units = names.unit_of_part[order]
    unit = judgments.unit[judgment]
    begin = np.searchsorted(sorted_units, unit, side="left")
    times = np.searchsorted(sorted_units, unit, side="right") - begin
    first = np.repeat(begin - (np.cumsum(times) - times), times)
    return np.repeat(judgment, times), order[first + np.arange(int(times.sum()))]


def marks_of(sample: Sample) -> tuple[Table, Table, Marks]:
    """Return the looks of a sample, the ratings that are marks, and the details of the marks."""
    looks, is_mark, marks = looks_and_marks(sample)
    return looks, sample.table.where(is_mark), marks


def looks_and_marks(sample: Sample) -> tuple[Table, Mask, Marks]:
    """Return the looks of a sample, a mask of the ratings that are marks, and the details of the marks."""
    criterion, extra, table = errors_of(sample), sample.extras[Spans], sample.table
    code = criterion.code if criterion is not None else -1
    about = table.criterion == code
    looks, is_mark = table.where(about & (table.number == LOOK)), about & (table.number > LOOK)
    n_parts = len(table.names.part_ids) + 1
    keys = looks.judgment.astype(np.int64) * n_parts + looks.part
    look, known = _places(keys, table.judgment[is_mark].astype(np.int64) * n_parts + table.part[is_mark])
    look_of_mark = look[known].astype(np.int32)
    is_mark[is_mark] = known
    place = Coding(extra.id)(table.id[is_mark])
    none = np.zeros(len(look_of_mark), dtype=np.int32)

    def column(values: NDArray[np.int32], without: int) -> NDArray[np.int32]:
        return np.where(place >= 0, values[place], np.int32(without)) if len(values) else none + np.int32(without)

    return looks, is_mark, Marks(
        look_of_mark, column(extra.side, -1), column(extra.start, 0), column(extra.end, 0),
        column(extra.category, -1), column(extra.severity, -1),
    )  # fmt: skip


def _places(keys: NDArray[np.int64], targets: NDArray[np.int64]) -> tuple[NDArray[np.int64], Mask]:
    """Return the place of each target among the keys, and a mask of the targets that are keys."""
    if not len(keys):
        return np.zeros(len(targets), dtype=np.int64), np.zeros(len(targets), dtype=bool)
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys[order], targets), len(keys) - 1)
    return order[place].astype(np.int64), keys[order][place] == targets


def scheme(sample: Sample) -> Scheme:
    """Return the scheme of errors of the task."""
    return ErrorSpans(sample.question.params).told_apart(source=True)


def severities_of(sample: Sample) -> tuple[list[int], list[str]]:
    """Return the place of each severity in the order from minor to major, and the names in that order."""
    names = sample.extras[Spans].severities
    known = {key: place for place, key in enumerate(scheme(sample).severity_keys)}
    order = sorted(range(len(names)), key=lambda code: (known.get(as_key(names[code]), -1), names[code]))
    place = [0] * len(names)
    for number, code in enumerate(order):
        place[code] = number
    return place, [names[code] for code in order]


def _weights(sample: Sample, ids: NDArray[np.int64], stored: Floats, plan_weights: Sequence[str]) -> Weights:
    """Return the weight of each mark: from the plan, from the task, as stored, or as published."""
    extra = sample.extras[Spans]
    place = Coding(extra.id)(ids)
    has_place = place >= 0
    width = len(extra.severities) + 1
    kind = np.zeros(len(ids), dtype=np.int64)
    kind[has_place] = (extra.category[place[has_place]] + 1) * width + extra.severity[place[has_place]] + 1
    categories, degrees = ("", *extra.categories), ("", *extra.severities)
    named = {int(code): (categories[int(code) // width], degrees[int(code) % width]) for code in np.unique(kind)}
    own, rules = [Named.of(words) for words in plan_weights], scheme(sample).rules
    if own:
        return _by(kind, {key: _own_weight(own, *names) for key, names in named.items()}, "of the plan")
    if rules:
        return _by(kind, {key: _rule_weight(rules, *names) for key, names in named.items()}, "of the task")
    if len(ids) and not np.isnan(stored).any():
        return Weights(stored, "as stored with each mark", 0)
    severities = {as_key(name) for name in extra.severities}
    if severities and severities <= {"major", "minor", "neutral"}:
        return _by(kind, {key: _rule_weight(PUBLISHED, *names) for key, names in named.items()}, AS_PUBLISHED)
    return Weights(np.full(len(ids), np.nan), "", 0)


def _own_weight(own: Sequence[Named], category: str, severity: str) -> float | None:
    return next((named.weight for named in own if named.fits(as_key(category), as_key(severity))), None)


def _rule_weight(rules: Sequence[Rule], category: str, severity: str) -> float | None:
    weight = weight_of(category, severity, rules)
    # A rule may give 0; a mark that no rule fits weighs 0 as well, and these are counted as unknown.
    known = weight or any(
        (rule.category is None or as_key(category) == rule.category or as_key(category).startswith(f"{rule.category}/"))
        and rule.severity in {None, as_key(severity)}
        for rule in rules
    )
    return weight if known else None


def _by(kind: NDArray[np.int64], weight: Mapping[int, float | None], source: str) -> Weights:
    keys, index = np.unique(kind, return_inverse=True)
    values = np.array([weight[int(key)] or 0.0 for key in keys], dtype=np.float64)
    unknown = np.array([weight[int(key)] is None for key in keys], dtype=bool)
    return Weights(values[index] if len(keys) else np.empty(0), source, int(unknown[index].sum()) if len(keys) else 0)
