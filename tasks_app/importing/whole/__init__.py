"""One table that holds texts and ratings becomes a study: read, stored as a draft, its ratings imported."""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import importing, studyfile
from tasks_app.hooks.sections import Json
from tasks_app.importing.mapping import EMPTY_TEXT, MISSING, ColumnMapping
from tasks_app.importing.plain import rewound
from tasks_app.importing.rows import MappedTable
from tasks_app.importing.shaping.prepared import prepared
from tasks_app.importing.source import RatingsFile, Reshaped, lines_of, scan_whole
from tasks_app.importing.whole.columns import declared
from tasks_app.importing.whole.places import in_table
from tasks_app.importing.whole.reading import ANSWER, Reading
from tasks_app.importing.whole.writing import (
    TaskOfTable,
    attribute_rows,
    attributes_in_study,
    in_study,
    tasks_of,
    write_study,
)
from tasks_app.models import Study
from tasks_app.services.database import atomically
from tasks_app.services.progress import Tell, tell_nobody
from tasks_app.studyfile.fields import notes_on_keys
from tasks_app.studyfile.problems import LISTED, Problem, Problems, StudyFileError

__all__ = ["Made", "declared", "mapping_of", "study_of_table"]


@dataclass(frozen=True, slots=True)
class Made:
    """A study that was made of one table, with notes for the researcher."""

    study: Study
    counts: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def summary(self) -> str:
        """Say how many texts, ratings and raters there are."""
        words = {
            "texts": ngettext("%(n)s text", "%(n)s texts", self.counts["texts"]),
            "ratings": ngettext("%(n)s rating", "%(n)s ratings", self.counts["ratings"]),
            "raters": ngettext("%(n)s rater", "%(n)s raters", self.counts["raters"]),
        }
        return ", ".join(word % {"n": f"{self.counts[noun]:,}"} for noun, word in words.items())


def mapping_of(name: str, document: Json) -> ColumnMapping:
    """Check a mapping of a table of texts and ratings. Raises StudyFileError."""
    return importing.from_document(name, document, declared(document))


@atomically
def study_of_table(
    *, file: RatingsFile, mapping: ColumnMapping, title: str, slug: str, owner: AbstractBaseUser | None,
    public_title: str = "", replace_draft: bool = False, check: bool = False, tell: Tell = tell_nobody,
) -> Made:  # fmt: skip
    """Make an imported study of one table and import its ratings; nothing is stored unless all of it can be.

    With `replace_draft` it takes the place of the draft of its slug; with `check`, nothing is stored. `tell` is called
    with a sentence whenever the import is further.

    Raises
    ------
    StudyFileError
        With every problem by file, line and column.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        target = stack.enter_context(tempfile.TemporaryFile())
        reading, tasks, notes, width = _read(file, mapping, target, tell)
        tell(_("Storing the texts"))
        write_study(folder, reading, tasks, slug=slug, title=title, public_title=public_title, file=file.name)
        try:
            study = studyfile.load(folder, owner=owner, replace=replace_draft)
        except StudyFileError as error:
            raise in_table(error, reading, file.name) from error
        named = {name: name for name in USED}
        numbers = {name: number for name, number in reading.table.numbers.items() if name in named}
        rows = RatingsFile(
            file.name, lambda: rewound(target), reshaped=Reshaped(USED, numbers, (), width, is_text=False)
        )
        plain = replace(
            importing.NO_MAPPING, columns=named, repeats=mapping.repeats, offsets=mapping.offsets, label=mapping.label
        )
        n_attributes = sum(len(found.values) for found in reading.attributes.values())
        imported = importing.import_ratings(
            study=study, file=rows, mapping=plain, by=owner, check=check, beside=n_attributes, tell=tell
        )
        if check:
            transaction.set_rollback(True)
        else:
            study.refresh_from_db()
        counts = {
            "items": len(reading.items),
            "texts": len(reading.outputs),
            "ratings": imported.counts["ratings"] - n_attributes,
            "raters": imported.counts["raters"],
        }
        # Some words are noticed when the table is read, and again when its ratings are.
        return Made(study, counts, tuple(dict.fromkeys((*notes, *imported.notes))))


def _read(
    file: RatingsFile, mapping: ColumnMapping, target: IO[bytes], tell: Tell
) -> tuple[Reading, list[TaskOfTable], list[str], int]:
    """Read a table, and write its ratings into the target by the keys of the study; return also rows per line."""
    problems = Problems()
    with ExitStack() as stack:
        table_file = stack.enter_context(prepared(file, mapping.document))
        lines = stack.enter_context(lines_of(table_file, scan_whole(table_file).encoding))
        table = MappedTable(mapping.declared, mapping, table_file, lines, problems)
        reading = Reading(table, problems, mapping.tells("system"))
        raw = stack.enter_context(tempfile.TemporaryFile())
        for n, (row, rating) in enumerate(reading.rows(), start=1):
            if n % importing.TOLD == 0:
                tell(_("%(n)s rows read") % {"n": f"{n:,}"})
            raw.write(json.dumps([row.line, row.part, rating], ensure_ascii=False, default=str).encode() + b"\n")
        problems.raise_if_any()
        of_file = () if table_file.form is None else table_file.form.notes
        empty = list(_of_empty(reading, mapping.empty))
        if not reading.scales:
            sentence = _("No column holds ratings. Map one to value (numbers) or label (words).")
            raise StudyFileError([Problem(file.name, 0, 0, sentence)])
        tasks = tasks_of(reading)
        raw.seek(0)
        width = table.width + len(reading.attribute_names)
        attributes = ((line, table.width + number, cells) for line, number, cells in attribute_rows(reading))
        ratings = ((line, part, in_study(reading, tasks, cells)) for line, part, cells in map(json.loads, raw))
        for entry in heapq.merge(ratings, sorted(attributes, key=_place), key=_place):
            target.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        target.flush()
    return reading, tasks, [*of_file, *table.notes, *empty, *_notes(reading, tasks)], width


def _place(entry: tuple[int, int, object]) -> tuple[int, int]:
    return entry[:2]


def _of_empty(reading: Reading, empty: str) -> Iterator[str]:
    """Read outputs without a text as the mapping says, and yield notes on them and questions still to be decided."""
    empty_outputs = reading.without_text
    if not empty_outputs:
        return
    if len(empty_outputs) == len(reading.outputs) and empty != EMPTY_TEXT:
        yield _("Some outputs have no text in the table: a sentence that says so stands in its place.")
        return
    lines = ", ".join(
        [*(f"{output.line:,}" for output in empty_outputs[:LISTED]), *(["…"] if len(empty_outputs) > LISTED else [])]
    )
    sentence = ngettext(
        "%(n)s output is empty (line %(lines)s).", "%(n)s outputs are empty (lines %(lines)s).", len(empty_outputs)
    )
    what = {
        EMPTY_TEXT: _("Each is an empty text, as the mapping says."),
        MISSING: _("Their texts are missing, as the mapping says; a sentence that says so stands in their place."),
    }.get(
        empty,
        _(
            "Is this missing or an empty text? It is taken as missing, and a sentence that says so stands in its "
            "place. Write “empty: text” into the mapping if the raters saw an empty text, or “empty: missing” to "
            "confirm."
        ),
    )
    if empty == EMPTY_TEXT:
        for output in empty_outputs:
            output.values["output"] = ""
    yield f"{sentence % {'n': f'{len(empty_outputs):,}', 'lines': lines}} {what}"


def _notes(reading: Reading, tasks: list[TaskOfTable]) -> Iterator[str]:
    """Yield notes on values left out, and on assumptions where the table says nothing."""
    if reading.n_unanswered:
        lines = ", ".join([*map(str, reading.unanswered), *(["…"] if reading.n_unanswered > LISTED else [])])
        sentence = ngettext(
            "%(n)s rating is empty and was left out (line %(lines)s).",
            "%(n)s ratings are empty and were left out (lines %(lines)s).",
            reading.n_unanswered,
        )
        yield sentence % {"n": f"{reading.n_unanswered:,}", "lines": lines}
    if reading.n_unknown:
        yield _(
            "The file does not say who rated, so each row counts as the rating of another, unknown person. Means and "
            "their intervals are right if that is so; agreement cannot be judged, since one person may have given "
            "several of these ratings."
        )
    yield from notes_on_keys(reading.items, dict.fromkeys(system for _item, system, _variant in reading.outputs))
    if splits := [*reading.feature_names, *attributes_in_study(reading), *reading.system_attribute_names]:
        sentence = _("Results can be split by %(names)s: name them in “slices” of an analysis.")
        yield sentence % {"names": ", ".join(splits)}
    for task in tasks:
        if task.assumed:
            yield f"{', '.join(task.criteria)}: {task.assumed}."


# Our columns that the ratings of a table have.
USED = ("task", "unit", "rater", "item", "system", "variant", "system_b", "criterion", *ANSWER)
