"""Agreement on marked errors."""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows
from analytics_app.analyses.error_spans.looks import Marks
from analytics_app.analyses.error_spans.profiles import severity_of
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.pairs import clusters_of
from analytics_app.ratings import Mask, Table
from analytics_app.ratings.extras import spans as material
from analytics_app.results import Row
from analytics_app.stats.errors.characters import character_alpha
from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.errors.spans import Kind, span_f1s
from analytics_app.stats.values import joined

CEILING = "Nearly all characters are unmarked and long texts weigh more: read F1 beside it."
NO_CHANCE = "Chance is not taken off."


# The statistics of F1, with their way of matching.
MATCHES: Mapping[str, Literal["exact", "overlap", "partial"]] = {
    "span_f1_exact": "exact", "span_f1_overlap": "overlap", "span_f1_partial": "partial",
}  # fmt: skip


def agreement(make: Rows, looks: Table, marks: Marks, penalty: float) -> Iterator[Row]:
    """Yield F1 of spans, by place only and with the severity, and alpha over characters on each side.

    `penalty` is the share of the partial credit that marks of different severities lose.
    """
    sample = make.sample
    first, first_looks, place = first_looks_of(looks)
    if not len(first_looks.text) or np.bincount(first_looks.text).max() < 2:
        # If every text has one rater, there is no agreement to compute: no rows, rather than six empty ones.
        return
    severity, severities = severity_of(sample, marks)
    marked = spans_of(marks, place, severity)
    del severity
    documents = documents_of(make, looks.where(first))
    over = bootstrap(sample, "F1 of spans", _unit(documents))
    settings = {**over.settings, "F1": "micro over texts, mean of pairs"}
    matches = [(statistic, labelled) for statistic in MATCHES for labelled in (False, True)]
    matches = [match for match in matches if not match[1] or len(severities) > 1]
    kinds = [kind_of(*match, penalty) for match in matches]
    f1s = span_f1s(first_looks, marked, kinds, clusters=documents, **over.options)
    for (statistic, labelled), kind, f1 in zip(matches, kinds, f1s, strict=True):
        note = joined(f1.mean.note, NO_CHANCE if f1.mean.value is not None else None)
        about = {**settings, "penalty of another severity": kind.penalty} if kind.penalty else settings
        yield make.row(statistic, f1.mean, label="same severity" if labelled else None, note=note, settings=about)
    yield from _alphas(make, looks.where(first), first_looks, marked, severities, documents)


def kind_of(statistic: str, labelled: bool, penalty: float) -> Kind:
    """Return the way of matching: marks of another severity never match, or lose a share of their partial credit."""
    match = MATCHES[statistic]
    if match == "partial":
        return Kind(match, penalty=penalty if labelled else 0.0)
    return Kind(match, labelled=labelled)


def documents_of(make: Rows, looks: Table) -> NDArray[np.intp] | None:
    """Return the document of each text, by its code among the texts looked at; None if none was shown whole."""
    if not make.sample.question.by_document:
        return None
    names = looks.names
    items = names.item_of_unit[names.unit_of_part[np.unique(looks.part)]]
    return clusters_of(names, by_document=True)[items].astype(np.intp)


def _unit(documents: NDArray[np.intp] | None) -> str:
    return "texts" if documents is None else "documents"


def first_looks_of(looks: Table) -> tuple[Mask, Looks, NDArray[np.int64]]:
    """Return a mask of each rater's first looks at each text, these looks, and the place of every look among them."""
    keys = looks.part.astype(np.int64) * (len(looks.names.raters) + 1) + looks.rater
    # Judgments are numbered in the order in which they arrived.
    order = np.lexsort((looks.judgment, keys))
    first = np.zeros(len(keys), dtype=bool)
    first[order[np.r_[True, np.diff(keys[order]) != 0][: len(keys)]]] = True
    place = np.full(len(keys), -1, dtype=np.int64)
    place[first] = np.arange(int(first.sum()))
    _texts, text = np.unique(looks.part[first], return_inverse=True)
    _raters, rater = np.unique(looks.rater[first], return_inverse=True)
    return first, Looks(text.astype(np.intp), rater.astype(np.intp)), place


def spans_of(marks: Marks, place: NDArray[np.int64], severity: NDArray[np.int64]) -> Spans:
    """Return marks of looks with a place as spans, without marks that have no place in a text."""
    look = place[marks.look]
    placed = np.flatnonzero((look >= 0) & (marks.side >= 0) & (marks.end > marks.start))
    # Half as wide as codes usually are, since there may be a million marks.
    columns = (look, marks.side, marks.start, marks.end, severity + 1)
    return Spans(*(column[placed].astype(np.int32) for column in columns))


def _alphas(
    make: Rows,
    looks: Table,
    first_looks: Looks,
    marked: Spans,
    severities: list[str],
    documents: NDArray[np.intp] | None,
) -> Iterator[Row]:
    extra, names = make.sample.extras[material.Spans], looks.names
    parts = np.unique(looks.part)
    items = names.item_of_unit[names.unit_of_part[parts]]
    of_sources = extra.source_length[items] if len(extra.source_length) else np.zeros(len(items), dtype=np.int32)
    lengths = (extra.output_length[parts], np.where(items >= 0, of_sources, 0))
    for side, name in enumerate(material.SIDES):
        on_side = marked.where(marked.side == side)
        if side and not on_side.look.size:
            # Most tasks take no marks in the source.
            continue
        for label, spans, n_labels in (
            (name, Spans(on_side.look, on_side.side, on_side.start, on_side.end, np.zeros_like(on_side.label)), 1),
            (f"{name}, by severity", on_side, len(severities) + 1),
        ):
            if label != name and len(severities) < 2:
                continue
            over = bootstrap(make.sample, f"alpha over characters of {label}", _unit(documents), of="agreement")
            sizes = lengths[side].astype(np.intp)
            alpha = character_alpha(first_looks, spans, sizes, n_labels=n_labels, clusters=documents, **over.options)
            note = joined(alpha.note, CEILING if alpha.value is not None else None)
            yield make.row(
                "character_alpha", alpha, label=label, note=note, settings={"level": "nominal", **over.settings}
            )
