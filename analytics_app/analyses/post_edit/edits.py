"""Edited texts and the suggestions that were shown with them, as columns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.shared.pairs import clusters_of
from analytics_app.ratings import Floats, Mask, Table
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.texts import Texts
from analytics_app.ratings.table import Coding
from analytics_app.stats.errors.edits import Ter, normalised_distance
from tasks_app.task_types.post_edit.changes import unified

# Criteria that the task type declares.
CHOICE, TEXT, KEYS, SECONDS = "choice", "edited-text", "keystrokes", "edit-seconds"
CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class Edited:
    """One entry for each edited text. `seconds` and `keys` are NaN if the page recorded none."""

    rater: NDArray[np.int32]
    unit: NDArray[np.int32]
    part: NDArray[np.int32]
    words: Floats
    characters: Floats
    seconds: Floats
    keys: Floats


@dataclass(frozen=True, slots=True)
class Suggested:
    """One entry for each edited text, suggestion shown with it, and system of that suggestion.

    `edit` is the place of the edited text, `cluster` what intervals are over: the item, or the document where documents
    were shown whole. `word_edits` over `words` is HTER; NaN beyond a page of text.
    """

    edit: NDArray[np.int64]
    system: NDArray[np.int32]
    cluster: NDArray[np.int64]
    chosen: Mask
    distance: Floats
    word_edits: Floats
    words: Floats


def edits_of(sample: Sample, ter: Ter) -> tuple[Edited, Suggested, int]:
    """Return edited texts, the suggestions shown with them, and the number of texts too long."""
    table = sample.table
    codes = {criterion.key: criterion.code for criterion in sample.question.criteria}
    rows = table.where(table.criterion == codes.get(TEXT, -2))
    texts = sample.extras[Texts]
    place = Coding(texts.id)(rows.id)
    rows, place = rows.where(place >= 0), place[place >= 0]
    written = [unified(texts.text[index]) for index in place.tolist()]
    edited = Edited(
        rater=rows.rater,
        unit=rows.unit,
        part=rows.part,
        words=np.array([len(text.split()) for text in written], dtype=np.float64),
        characters=np.array([len(text) for text in written], dtype=np.float64),
        seconds=_beside(table, rows, codes.get(SECONDS)),
        keys=_beside(table, rows, codes.get(KEYS)),
    )
    suggested, too_long = _suggested(sample, rows, written, ter)
    return edited, suggested, too_long


def _beside(table: Table, rows: Table, code: int | None) -> Floats:
    """Return the values of the same answers on another criterion, NaN for missing ones."""
    values = np.full(len(rows), np.nan)
    other = table.where(table.criterion == (-2 if code is None else code))
    if len(other):
        order = np.argsort(other.judgment, kind="stable")
        place = np.minimum(np.searchsorted(other.judgment[order], rows.judgment), len(order) - 1)
        matches = other.judgment[order][place] == rows.judgment
        values[matches] = other.value[order[place[matches]]]
    return values


def _suggested(sample: Sample, rows: Table, written: list[str], ter: Ter) -> tuple[Suggested, int]:
    """Compare each edited text with every suggestion of its screen; equal pairs of texts are compared once."""
    names, shown = rows.names, sample.extras[Shown]
    order = np.argsort(names.unit_of_part, kind="stable")
    units = names.unit_of_part[order]
    begin = np.searchsorted(units, rows.unit, side="left")
    times = np.searchsorted(units, rows.unit, side="right") - begin
    edit = np.repeat(np.arange(len(rows), dtype=np.int64), times)
    part = order[np.arange(len(edit)) - np.repeat(np.cumsum(times) - times - begin, times)]
    known: dict[tuple[str, str], tuple[float, float, float]] = {}
    numbers = np.empty((len(edit), 3))
    for at, (edit_place, part_code) in enumerate(zip(edit.tolist(), part.tolist(), strict=True)):
        pair = (unified(shown.of_part[part_code]), written[edit_place])
        if pair not in known:
            by_words = ter.edits(*pair)
            rate = (np.nan, np.nan) if by_words is None else (by_words.edits, by_words.words)
            known[pair] = (normalised_distance(*pair), *rate)
        numbers[at] = known[pair]
    first = np.searchsorted(names.shown_part, part, side="left")
    many = np.searchsorted(names.shown_part, part, side="right") - first
    row = np.repeat(np.arange(len(edit)), many)
    output = np.arange(len(row)) - np.repeat(np.cumsum(many) - many - first, many)
    system = names.shown_system[output]
    included = ~np.isin(system, sorted(sample.without))
    row, output, system = row[included], output[included], system[included]
    return Suggested(
        edit=edit[row],
        system=system,
        cluster=clusters_of(names, by_document=sample.question.by_document)[names.shown_item[output]],
        chosen=part[row] == rows.part[edit[row]],
        distance=numbers[row, 0],
        word_edits=numbers[row, 1],
        words=numbers[row, 2],
    ), int(np.isnan(numbers[:, 1]).sum())
