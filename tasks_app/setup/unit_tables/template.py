"""A table to fill in: the columns of a table about units, and a row for each unit of the texts at hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tasks_app.models import Gold, OutputKind, output_in_words
from tasks_app.setup.unit_tables.answers import criteria_of, kinds_of, knowable_units, purposes_of
from tasks_app.setup.unit_tables.declared import UnitTable
from tasks_app.studyfile.columns import BATCHES, CONTROLS, PREFILL
from tasks_app.studyfile.own_sections.batches import DESIGN, base_of, judged
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, draft_tasks
from tasks_app.task_types.base import OutputText, TaskType, UnitDraft

# Columns that only help people who fill in the table; they are not read again.
SOURCE, TEXT = "source_text", "unit_text"

# Known answers of this kind come first: if a criterion can have marks, a number is not suggested.
_SPAN = Gold.Kind.SPAN.value

# Between the texts of a screen.
_BETWEEN = " | "

Cells = dict[str, str]


def template_rows(reading: StudyReading, table: UnitTable) -> Iterator[Sequence[str]]:
    """Yield the header and the rows of a table to fill in, from a reading made by `reading_of_units`."""
    drafts = draft_tasks(reading)
    names = [name for name in table.declared.names if name != "task" or len(drafts) > 1]
    yield [*names, SOURCE, TEXT]
    for draft in drafts:
        for cells in _ROWS[table.stem](reading, draft):
            row = {"task": draft.task["key"], **cells}
            yield [row.get(name, "") for name in (*names, SOURCE, TEXT)]


def has_suggestions(kind: type[TaskType]) -> bool:
    """Return whether texts of a task type can carry something when they are first shown."""
    return kind.shows_suggestions()


def _in_words(text: OutputText) -> str:
    return output_in_words(text.file.kind if text.file is not None else OutputKind.TEXT, text.text)


def _shown(draft: DraftTask, unit: UnitDraft) -> Cells:
    source = draft.items[unit.item].source if unit.item is not None else ""
    return {SOURCE: source, TEXT: _BETWEEN.join(map(_in_words, draft.texts(unit)))}


def _controls(reading: StudyReading, draft: DraftTask) -> Iterator[Cells]:
    """Yield a row for each unit and criterion, with the purpose and kind that most studies choose."""
    criteria = reading.document["criteria"]
    purposes = purposes_of(draft)
    purpose = Gold.Purpose.CONTROL.value if Gold.Purpose.CONTROL in purposes else "".join(purposes[:1])
    # Kinds depend on the criterion and the type, hardly on the unit: screens with as many texts have the same.
    known: dict[tuple[str, int], str] = {}
    for key, unit in knowable_units(draft):
        for name in criteria_of(draft, unit):
            sort = (name, len(unit.parts))
            if sort not in known:
                kinds = kinds_of(draft, unit, name, criteria)
                known[sort] = _SPAN if _SPAN in kinds else next(iter(kinds), "")
            if known[sort]:
                yield {"unit": key, "purpose": purpose, "criterion": name, "kind": known[sort], **_shown(draft, unit)}


def _batches(reading: StudyReading, draft: DraftTask) -> Iterator[Cells]:
    """Yield a row for each unit to be judged, without a criterion."""
    if draft.task["design"] != DESIGN:
        return
    left = judged(draft, reading)
    for key, unit in draft.units.items():
        base = base_of(draft, key)
        if base in left:
            del left[base]
            yield {"unit": base, **_shown(draft, unit)}


def _prefill(_reading: StudyReading, draft: DraftTask) -> Iterator[Cells]:
    """Yield a row for each text of each unit."""
    if not has_suggestions(type(draft.kind)):
        return
    for key, unit in draft.units.items():
        for number, text in enumerate(draft.texts(unit), start=1):
            yield {"unit": key, "part": str(number), **_shown(draft, unit), TEXT: _in_words(text)}


_ROWS: Mapping[str, Callable[[StudyReading, DraftTask], Iterator[Cells]]] = {
    CONTROLS.stem: _controls,
    BATCHES.stem: _batches,
    PREFILL.stem: _prefill,
}
