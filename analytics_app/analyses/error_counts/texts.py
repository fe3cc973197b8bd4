"""Rated texts with their counts of errors, the ratings of people, and the scores of metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, Sample
from analytics_app.analyses.metrics.scores import metrics_of
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.scores import Scores


@dataclass(frozen=True, slots=True)
class MetricScale:
    """The metrics that a plan names, their lowest and highest possible score, and those for which lower is better."""

    names: Sequence[str]
    low: float
    high: float
    lower_is_better: Sequence[str]

    def scaled(self, scores: Mapping[str, Floats], counts_of: Sequence[str]) -> dict[str, Floats]:
        """Return the scores of metrics from 0 to 1, higher is better; by default of all that are no counts."""
        names = self.names or [name for name in scores if name not in counts_of]
        scaled = {name: (scores[name] - self.low) / (self.high - self.low) for name in names if name in scores}
        return {name: 1 - values if name in self.lower_is_better else values for name, values in scaled.items()}


@dataclass(frozen=True, slots=True)
class Texts:
    """The rated texts, one row each: arrays of length n, NaN where a value is missing.

    `counts` has a column for each type in `errors`. `mean` and `mode` are of people's ratings, `by_metric` has the
    scores of each metric; all are from 0 to 1 if the rating scale has ends (`ends`), else as they are. `entry` is the
    text of each rating, `value` and `rater` are those of the ratings.
    """

    errors: tuple[str, ...]
    counts: Floats
    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    unit: str
    mean: Floats
    mode: Floats
    by_metric: Mapping[str, Floats]
    entry: NDArray[np.intp]
    value: Floats
    rater: NDArray[np.int32]
    ends: tuple[float, float] | None
    outside: tuple[str, ...]

    @property
    def share_items(self) -> bool:
        """Return whether several texts with counts belong to the same item."""
        known = ~np.isnan(self.counts).any(axis=1)
        return len(np.unique(self.item[known])) < int(known.sum())


def texts_of(sample: Sample, counts_of: Sequence[str], metrics: MetricScale) -> Texts | str:
    """Return the rated texts with their counts, or a sentence that explains why there are none."""
    outputs = Outputs.of(sample, by_document=sample.question.by_document)
    if not len(outputs.value):
        return "Nothing was rated."
    n_systems = len(outputs.systems)
    known, entry = np.unique(outputs.item.astype(np.int64) * n_systems + outputs.system, return_inverse=True)
    item, system = known // n_systems, known % n_systems
    items, row = np.unique(item, return_inverse=True)
    scores = {
        metric.name: metric.of_texts[row, system]
        for metric in metrics_of(sample, outputs.systems, items)
        if metric.of_texts is not None
    }
    counts = []
    for name in counts_of:
        column = scores[name] if name in scores else _feature_counts(sample, name, item)
        if isinstance(column, str):
            return column
        if (column < 0).any():
            return f"“{name}” has values below zero, so it is no count of errors."
        counts.append(column)
    ends = ends_of(sample.question)
    value = outputs.value if ends is None else (outputs.value - ends[0]) / (ends[1] - ends[0])
    by_metric = metrics.scaled(scores, counts_of)
    return Texts(
        errors=tuple(counts_of),
        counts=np.column_stack(counts),
        item=item,
        cluster=outputs.cluster_of_item[item],
        unit=outputs.unit,
        mean=np.bincount(entry, weights=value) / np.bincount(entry),
        mode=modes(value, entry, len(known)),
        by_metric=by_metric if ends is not None else {},
        entry=entry,
        value=value,
        rater=outputs.rater,
        ends=ends,
        outside=tuple(name for name, values in by_metric.items() if ((values < 0) | (values > 1)).any()),
    )


def _feature_counts(sample: Sample, name: str, item: NDArray[np.int64]) -> Floats | str:
    """Return a count that is a feature of the items, or a sentence that explains why there is none."""
    features = sample.table.names.features
    if name not in features:
        available = sorted({*sample.extras[Scores].metrics, *features})
        return (
            f"There is no count of “{name}”: neither imported scores nor a feature of the items have this name. "
            f"There are: {', '.join(available) or 'none'}."
        )
    if not _are_numbers(features[name]):
        return f"The feature “{name}” of the items is not always a number, so it is no count of errors."
    counts: Floats = _numbers(features[name])[item]
    return counts


def ends_of(question: Question) -> tuple[float, float] | None:
    """Return the ends of the rating scale, None if it has none."""
    if question.limits is not None:
        return question.limits
    return (question.domain[0], question.domain[-1]) if question.domain else None


def modes(value: Floats, entry: NDArray[np.intp], n: int) -> Floats:
    """Return the most frequent value of each entry; if several are equally frequent, their mean."""
    steps, step = np.unique(value, return_inverse=True)
    times = np.zeros((n, len(steps)), dtype=np.int64)
    np.add.at(times, (entry, step), 1)
    most = (times == times.max(axis=1, keepdims=True)) & (times > 0)
    of_entry: Floats = (most * steps).sum(axis=1) / most.sum(axis=1)
    return of_entry


def _are_numbers(words: NDArray[Any]) -> bool:
    try:
        return bool(np.isfinite([float(str(word)) for word in words if str(word)]).all())
    except ValueError:
        return False


def _numbers(words: NDArray[Any]) -> Floats:
    return np.array([float(str(word)) if str(word) else np.nan for word in words])
