"""Errors by severity and category: by system, by rater, and as counts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, count, of_one_system
from analytics_app.analyses.error_spans.looks import Marks, Weights, severities_of
from analytics_app.analyses.error_spans.systems import outputs_of, segment_means
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.ratings import Table
from analytics_app.ratings.extras.spans import Spans
from analytics_app.results import Row
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.values import joined

# The weighting of figures per text, the same as that of the published penalty (Freitag et al. 2021).
WEIGHTING = {"segment": "mean over raters", "system": "mean over segments"}

# Statistics of systems, and the kind of their labels.
BY_LABEL = (("errors_by_severity", "severity"), ("errors_by_category", "category"), ("errors_by_group", "both"))


def group_of(category: str) -> str:
    """Return the group of a kind of error: the part before the slash."""
    return category.partition("/")[0].strip()


def labels_of(sample: Sample, marks: Marks) -> dict[str, tuple[NDArray[np.int64], list[str]]]:
    """Return the code of each mark and the names, for severities, kinds, groups of kinds, and groups with severities.

    A mark without a label has -1. Severities are in order from minor to major.
    """
    severity, severities = severity_of(sample, marks)
    categories = list(sample.extras[Spans].categories)
    groups = sorted({group_of(name) for name in categories})
    group = _recoded(marks.category, [groups.index(group_of(name)) for name in categories])
    both = np.where((group >= 0) & (severity >= 0), group * max(len(severities), 1) + severity, -1)
    crossed = [f"{name}, {degree}" for name in groups for degree in severities]
    return {
        "severity": (severity, severities),
        "category": (marks.category.astype(np.int64), categories),
        "group": (group, groups),
        "both": (both, crossed),
    }


def severity_of(sample: Sample, marks: Marks) -> tuple[NDArray[np.int64], list[str]]:
    """Return the code of the severity of each mark, -1 for none, and the names, from minor to major."""
    place, severities = severities_of(sample)
    return _recoded(marks.severity, place), severities


def _recoded(codes: NDArray[np.int32], place: Sequence[int]) -> NDArray[np.int64]:
    known = np.array([*place, -1], dtype=np.int64)
    return known[codes]


def per_look(looks: Table, marks: Marks) -> NDArray[np.float64]:
    """Return the number of errors of each look."""
    return np.bincount(marks.look, minlength=len(looks)).astype(np.float64)


def of_systems(make: Rows, looks: Table, marks: Marks, *, by_document: bool) -> Iterator[Row]:
    """Yield errors per text and the share of texts without an error, with intervals; then errors by severity and kind.

    All of them are means over segments of means over raters, as penalties are, so that parts sum to the whole.
    """
    outputs = looks_by_system(make.sample, len(looks), by_document=by_document)
    if not outputs.systems:
        return
    look = outputs.value.astype(np.int64)
    number = per_look(looks, marks)[look]
    for statistic, values in (("errors_per_text", number), ("no_error_share", (number == 0) * 1.0)):
        means, drawn = segment_means(make, outputs, values, f"{statistic} over {outputs.unit}")
        row_settings = {**WEIGHTING, **drawn}
        for code, mean in enumerate(means):
            yield make.row(statistic, mean, system=outputs.systems[code], settings=row_settings, **outputs.counts(code))
    yield from _by_label(make, marks, outputs, look)


def looks_by_system(sample: Sample, n_looks: int, *, by_document: bool) -> Outputs:
    """Return the looks of a sample by system; their values are the places of the looks, from 0."""
    value = sample.table.value.copy()
    value[(sample.table.number == 0) & (sample.table.id < 0)] = np.arange(n_looks, dtype=np.float64)
    numbered = replace(sample, table=replace(sample.table, value=value))
    return outputs_of(numbered, by_document=by_document)


def _by_label(make: Rows, marks: Marks, outputs: Outputs, look: NDArray[np.int64]) -> Iterator[Row]:
    """Yield errors per text by severity and kind; `look` is that of each output."""
    n = len(outputs.systems)
    labels_by_kind = labels_of(make.sample, marks)
    for statistic, kind in BY_LABEL:
        codes, labels = labels_by_kind[kind]
        for place, label in enumerate(labels):
            number = np.bincount(marks.look[codes == place], minlength=int(look.max()) + 1)[look]
            if not number.any():
                continue
            means, _items = item_means(number, outputs.system, outputs.item, n)
            marked = np.bincount(outputs.system, weights=number, minlength=n)
            for code, (key, value) in enumerate(zip(outputs.systems, np.nanmean(means, axis=0).tolist(), strict=True)):
                yield make.row(
                    statistic,
                    system=key,
                    label=label[:500],
                    value=value,
                    n_ratings=int(marked[code]),
                    settings={**WEIGHTING, "n_ratings": "marks"},
                )


def counts(make: Rows, looks: Table, marks: Marks) -> Iterator[Row]:
    """Yield the number of marks of each severity, kind and group of kinds, and of texts without a mark."""
    if not len(looks):
        return
    labels_by_kind = labels_of(make.sample, marks)
    silent = int(np.count_nonzero(per_look(looks, marks) == 0))
    about: dict[str, Any] = {
        "n_items": count(looks.names.item_of_unit[looks.unit]), "n_raters": looks.n_raters
    }  # fmt: skip
    yield make.row("no_error_count", value=float(silent), n_ratings=len(looks), **about)
    yield make.row("most_errors", value=float(per_look(looks, marks).max()), n_ratings=len(looks), **about)
    for statistic, kind in (("severity_count", "severity"), ("category_count", "category"), ("group_count", "group")):
        codes, labels = labels_by_kind[kind]
        numbers = np.bincount(codes[codes >= 0], minlength=len(labels))
        for label, number in zip(labels, numbers.tolist(), strict=True):
            if number:
                yield make.row(statistic, label=label[:500], value=float(number), n_ratings=len(marks.look), **about)


def of_raters(make: Rows, looks: Table, marks: Marks, weights: Weights) -> Iterator[Row]:
    """Yield the marks of each rater: the mean penalty, errors by severity, and texts without an error."""
    if not len(looks):
        return
    names = looks.names
    codes, place = np.unique(looks.rater, return_inverse=True)
    n = np.bincount(place)
    number = per_look(looks, marks)
    severity, labels = severity_of(make.sample, marks)
    has_severity = severity >= 0
    cells = place[marks.look[has_severity]] * max(len(labels), 1) + severity[has_severity]
    table = np.bincount(cells, minlength=len(codes) * max(len(labels), 1)).reshape(len(codes), -1)
    penalty = np.bincount(place, weights=np.nan_to_num(looks.value))
    errors, silent = np.bincount(place, weights=number), np.bincount(place, weights=number == 0)
    few, alone = "A handful of texts says little about a rater.", of_one_system(looks)
    for code, of_names in enumerate(codes.tolist()):
        note = few if n[code] < 10 else None
        about: dict[str, Any] = {
            "rater": names.raters[of_names], "n_ratings": int(n[code]), "note": note,
            "by_system": bool(alone[of_names]),
            "n_items": count(names.item_of_unit[looks.unit[place == code]]) if len(codes) < 1000 else None,
        }  # fmt: skip
        if weights.called:
            of_penalty = {**about, "note": joined("Lower is better.", note)}
            yield make.row(
                "mqm_of_rater", value=float(penalty[code] / n[code]), settings={"weights": weights.called}, **of_penalty
            )
        yield make.row("errors_of_rater", value=float(errors[code] / n[code]), **about)
        for label, n_errors in zip(labels, table[code].tolist(), strict=False):
            yield make.row("errors_of_rater", value=float(n_errors / n[code]), label=label[:500], **about)
        yield make.row("no_error_of_rater", value=float(silent[code] / n[code]), **about)
