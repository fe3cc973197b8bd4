"""Agreement before and after a re-annotation: between the authors of given marks, and between the raters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.error_spans.agreement import CEILING, NO_CHANCE, documents_of, first_looks_of, spans_of
from analytics_app.analyses.error_spans.looks import marks_of, severities_of
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.ratings import Table
from analytics_app.ratings.extras.given_marks import GivenMarks
from analytics_app.ratings.extras.spans import SIDES
from analytics_app.ratings.extras.spans import Spans as Material
from analytics_app.results import Row
from analytics_app.stats.errors.characters import character_alpha
from analytics_app.stats.errors.marks import Looks, Spans, within_groups
from analytics_app.stats.errors.spans import Kind, span_f1s
from analytics_app.stats.values import joined

SAME = "{same:,} of {pairs:,} pairs of raters of a text were given the same marks, and may agree because of that."


@dataclass(frozen=True, slots=True)
class _Stage:
    """The marks of one stage in the texts of both: the looks, the marks in them, and a note about their raters."""

    name: str
    looks: Looks
    spans: Spans
    note: str | None = None


def before_and_after(make: Rows) -> Iterator[Row]:
    """Yield the agreement of given marks and of the marks that were left, on texts with two of each.

    Texts count that came with the lists of two people or more who are named, and that two raters or more saw.
    """
    sample = make.sample
    extra = sample.extras[GivenMarks]
    looks, _rows, _marks = marks_of(sample)
    shown = extra.list_of(looks.judgment, looks.part)
    named = extra.list_name >= 0
    once, _once, _place = first_looks_of(looks)
    n_parts = len(looks.names.part_ids)
    n_lists = np.bincount(extra.list_part[named], minlength=n_parts)
    n_raters = np.bincount(looks.part[once & (shown >= 0)], minlength=n_parts)
    both = np.flatnonzero((n_lists > 1) & (n_raters > 1))
    if not len(both):
        return
    of_lists = np.flatnonzero(named & np.isin(extra.list_part, both))
    of_looks = np.flatnonzero(once & (shown >= 0) & np.isin(looks.part, both))
    severities = [*severities_of(sample)[1]]
    severities += [name for name in extra.severities if name not in severities]
    before = _before(extra, of_lists, both, severities)
    after = _after(sample, looks, of_looks, both, shown)
    documents = documents_of(make, looks.where(np.isin(np.arange(len(looks)), of_looks)))
    for stage in (before, after):
        yield from _f1s(make, stage, severities, documents)
        yield from _alphas(make, stage, severities, documents, _lengths(sample, both))


def _before(extra: GivenMarks, lists: NDArray[np.intp], parts: NDArray[np.intp], severities: Sequence[str]) -> _Stage:
    """Return the lists of given marks as the looks of those who made them."""
    place = np.full(len(extra.list_part), -1, dtype=np.int64)
    place[lists] = np.arange(len(lists))
    look = place[extra.mark_list]
    known = look >= 0
    code = np.array([*(severities.index(name) + 1 for name in extra.severities), 0], dtype=np.intp)
    spans = Spans(
        look[known].astype(np.intp), extra.mark_side[known].astype(np.intp), extra.mark_start[known].astype(np.intp),
        extra.mark_end[known].astype(np.intp), code[extra.mark_severity[known]],
    )  # fmt: skip
    text = np.searchsorted(parts, extra.list_part[lists]).astype(np.intp)
    return _Stage("before", Looks(text, extra.list_name[lists].astype(np.intp)), spans)


def _after(
    sample: Sample, looks: Table, chosen: NDArray[np.intp], parts: NDArray[np.intp], shown: NDArray[np.int64]
) -> _Stage:
    """Return the marks that raters left, with a note that counts the pairs who were given the same ones."""
    _looks, _rows, marks = marks_of(sample)
    place = np.full(len(looks), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    order, _names = severities_of(sample)
    severity = np.array([*order, -1], dtype=np.int64)[marks.severity]
    spans = spans_of(marks, place, severity)
    text = np.searchsorted(parts, looks.part[chosen]).astype(np.intp)
    _raters, rater = np.unique(looks.rater[chosen], return_inverse=True)
    by_text = np.argsort(text, kind="stable")
    first, second = within_groups(text[by_text])
    lists = shown[chosen][by_text]
    same = int((lists[first] == lists[second]).sum())
    note = SAME.format(same=same, pairs=len(first)) if same else None
    return _Stage("after", Looks(text, rater.astype(np.intp)), spans, note)


def _lengths(sample: Sample, parts: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the lengths of the outputs and of the sources of some parts."""
    extra, names = sample.extras[Material], sample.table.names
    items = names.item_of_unit[names.unit_of_part[parts]]
    sources = extra.source_length[items] if len(extra.source_length) else np.zeros(len(items), dtype=np.int32)
    return extra.output_length[parts].astype(np.intp), np.where(items >= 0, sources, 0).astype(np.intp)


def _f1s(make: Rows, stage: _Stage, severities: Sequence[str], documents: NDArray[np.intp] | None) -> Iterator[Row]:
    over = bootstrap(make.sample, f"F1 of spans {stage.name}", _unit(documents))
    labelled = (False, True) if len(severities) > 1 else (False,)
    kinds = [Kind("exact", labelled=which) for which in labelled] + [
        Kind("overlap", labelled=which) for which in labelled
    ]
    results = span_f1s(stage.looks, stage.spans, kinds, clusters=documents, **over.options)
    for kind, f1 in zip(kinds, results, strict=True):
        note = joined(f1.mean.note, stage.note, NO_CHANCE if f1.mean.value is not None else None)
        yield make.row(
            f"f1_{kind.match}_{stage.name}", f1.mean,
            label="same severity" if kind.labelled else None, note=note,
            settings={**over.settings, "F1": "micro over texts, mean of pairs"},
        )  # fmt: skip


def _alphas(
    make: Rows,
    stage: _Stage,
    severities: Sequence[str],
    documents: NDArray[np.intp] | None,
    lengths: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> Iterator[Row]:
    for side, name in enumerate(SIDES):
        on_side = stage.spans.where(stage.spans.side == side)
        if side and not on_side.look.size:
            continue
        plain = Spans(on_side.look, on_side.side, on_side.start, on_side.end, np.zeros_like(on_side.label))
        for label, spans, n_labels in ((name, plain, 1), (f"{name}, by severity", on_side, len(severities) + 1)):
            if label != name and len(severities) < 2:
                continue
            over = bootstrap(
                make.sample, f"alpha over characters {stage.name} of {label}", _unit(documents), of="agreement"
            )
            options: dict[str, Any] = {"n_labels": n_labels, "clusters": documents, **over.options}
            alpha = character_alpha(stage.looks, spans, lengths[side], **options)
            note = joined(alpha.note, stage.note, CEILING if alpha.value is not None else None)
            settings = {"level": "nominal", **over.settings}
            yield make.row(f"alpha_{stage.name}", alpha, label=label, note=note, settings=settings)


def _unit(documents: NDArray[np.intp] | None) -> str:
    return "texts" if documents is None else "documents"
