"""Attention checks in one click: a text that says which answer to give, with the answer, in the tables of a draft.

What is added are rows of the texts and of the known answers like any others: they can be changed and removed there.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup, Task
from tasks_app.models.items import GoldPurpose
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.settings.checks import CHECK_ITEM, CHECK_SYSTEM
from tasks_app.setup import changes, table_rows, texts
from tasks_app.setup.changes import Edit
from tasks_app.setup.checking import reading_of
from tasks_app.setup.entries import task_called
from tasks_app.setup.tables.checking import cells_of
from tasks_app.setup.unit_tables import rows as unit_rows
from tasks_app.setup.unit_tables.checking import reading_of_units
from tasks_app.setup.unit_tables.declared import UNIT_TABLES
from tasks_app.studyfile.columns import CONTROLS
from tasks_app.studyfile.files.writing import answer_text
from tasks_app.studyfile.own_sections.lists import asked
from tasks_app.studyfile.problems import StudyFileError
from tasks_app.studyfile.reading import StudyReading
from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Instruction
from tasks_app.texts import languages

_TABLE = UNIT_TABLES[CONTROLS.stem]


class CannotAdd(Exception):
    """A check that cannot be added; the message gives the reason and the way to fix it."""


@dataclass(frozen=True, slots=True)
class Check:
    """An attention check of a draft: the numbers of its rows of texts, their words, and the answers asked for."""

    item: str
    rows: Sequence[tuple[int, str]]
    answers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Offer:
    """The check that a task offers: its place in the list, its name, and why none can be added; "" if one can."""

    number: int
    title: str
    why_not: str


def offers(reading: StudyReading) -> list[Offer]:
    """Return the attention checks that can be added: one for the tasks that show the same texts."""
    made: list[Offer] = []
    offered: set[int] = set()
    for number, task in enumerate(reading.document["tasks"]):
        if task["stage"] != Task.Stage.MAIN or task["type"] not in registry or number in offered:
            continue
        try:
            screens, why_not = _screens_of(reading, number, 0), ""
        except CannotAdd as reason:
            screens, why_not = {}, str(reason)
        offered |= set(screens)
        names = [task_called(reading.document["tasks"][other], other + 1) for other in screens or [number]]
        made.append(Offer(number, ", ".join(names), why_not))
    return made


def checks_in(setup: Setup) -> list[Check]:
    """Return the attention checks that were added so, by their items; two queries."""
    of_item: dict[str, list[tuple[int, str]]] = {}
    own = texts.rows_of(setup).filter(cells__item__startswith=f"{CHECK_ITEM}-")
    for number, cells in own.values_list("number", "cells"):
        of_item.setdefault(cells["item"], []).append((number, cells["output"]))
    answers: dict[str, list[str]] = {}
    if of_item:
        for _pk, cells in _known(setup):
            answers.setdefault(table_rows.item_of(cells["unit"]), []).append(cells["answer"])
    return [Check(item, rows, answers[item]) for item, rows in of_item.items() if item in answers]


def _known(setup: Setup) -> list[tuple[int, dict[str, str]]]:
    rows = table_rows.rows_of(setup, CONTROLS.stem).filter(cells__purpose=GoldPurpose.ATTENTION.value)
    return list(rows.values_list("pk", "cells"))


@atomically
def add(*, setup: Setup, number: int, by: events.Actor) -> Setup:
    """Add an attention check to a task of a set-up, and to the tasks that show the same texts.

    Raises
    ------
    CannotAdd
        Where a task type has no such check, or the task cannot be checked yet. Nothing is added then.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    setup = changes.hold(setup)
    reading = reading_of(setup)
    if not 0 <= number < len(reading.document["tasks"]):
        raise CannotAdd(_("There is no such task any more."))
    screens = _screens_of(reading, number, len(checks_in(setup)))
    item = _free_item(setup)
    task = reading.document["tasks"][number]
    rows = _rows_of(reading, task, item, _together(list(screens.values())))
    known_systems = texts.systems_of(setup)
    systems = {row["system"]: _("Attention check") for row in rows if row["system"] not in known_systems}
    setup = texts.store(setup=setup, rows=rows, systems=systems, by=by, add=True, source={"attention_check": item})
    try:
        answers = _answers(setup, item, screens, [row["output"] for row in rows])
        return unit_rows.store(setup=setup, table=_TABLE, rows=answers, base=setup.revision, by=by, add=True)
    except StudyFileError as error:
        raise CannotAdd(error.problems[0].message) from error


@atomically
def remove(*, setup: Setup, item: str, by: events.Actor) -> Setup:
    """Remove an attention check, its texts and its known answers; nothing where there is none. Raises NotADraft."""
    setup = changes.hold(setup)
    if not any(check.item == item for check in checks_in(setup)):
        return setup
    own = [pk for pk, cells in _known(setup) if table_rows.item_of(cells["unit"]) == item]
    unit_rows.remove_rows(setup=setup, table=_TABLE, rows=setup.rows.filter(pk__in=own), by=by)
    texts.remove_rows(setup=setup, rows=texts.rows_of(setup).filter(cells__item=item), by=by)
    setup = changes.hold(setup)
    left = set(
        texts.rows_of(setup).filter(cells__system__startswith=CHECK_SYSTEM).values_list("cells__system", flat=True)
    )
    given = setup.document.entries("systems")
    kept = [entry for entry in given if not str(entry.get("key", "")).startswith(CHECK_SYSTEM) or entry["key"] in left]
    if len(kept) < len(given):
        return changes.change(setup=setup, values={("systems",): kept or None}, base=setup.revision, by=by).setup
    return setup


def press_add(edit: Edit, number: str) -> str:
    """Add an attention check to the task with a number, as a button says; return why none was added, else ""."""
    place = int(number) if number.isdecimal() and len(number) < 6 else -1
    try:
        with _pressed(edit):
            add(setup=edit.setup, number=place, by=edit.by)
    except CannotAdd as reason:
        return str(reason)
    return ""


def press_remove(edit: Edit, item: str) -> str:
    """Remove the attention check that a button names; it is never refused."""
    with _pressed(edit):
        remove(setup=edit.setup, item=item, by=edit.by)
    return ""


@contextmanager
def _pressed(edit: Edit) -> Iterator[None]:
    """Store the key of the press with the changes that are made, so that it is carried out once if it is sent twice."""
    before = edit.setup.revision
    yield
    edit.setup.changes.filter(revision__gt=before).update(click=edit.click)
    edit.setup = changes.hold(edit.setup)


def _screens_of(reading: StudyReading, number: int, turn: int) -> dict[int, Instruction]:
    """Return the checks of a task and of those that show the same texts, by their places. Raises CannotAdd."""
    tasks = reading.document["tasks"]
    screens = {}
    for other in [number, *_with_its_texts(tasks, number)]:
        made = _instruction(reading, other, turn)
        if not isinstance(made, Instruction):
            if other != number:
                words = {"other": task_called(tasks[other], other + 1), "reason": made}
                made = _("“%(other)s” shows the same texts and cannot have this check: %(reason)s") % words
            raise CannotAdd(made)
        screens[other] = made
    _together(list(screens.values()))
    return screens


def _instruction(reading: StudyReading, number: int, turn: int) -> Instruction | str:
    """Return the check that a task type makes, in the study's language, or why there is none."""
    task, document = reading.document["tasks"][number], reading.document
    if not reading.sound(("tasks", number)):
        return _("Settle the problems of this task first.")
    kind: TaskType = registry[task["type"]](task["params"])
    criteria = kind.asked(asked(document["criteria"], task["criteria"]))
    if not criteria and kind.criteria_needed[0]:
        return _("Add at least one question.")
    with languages.speaking(document["study"]["language"] or "en"):
        made = kind.instructed(criteria, turn)
    return made if isinstance(made, Instruction) else str(made)


def _with_its_texts(tasks: Sequence[Mapping[str, Json]], number: int) -> list[int]:
    """Return the places of other tasks that show the texts of one. Raises CannotAdd where they share some of them."""
    own, others = tasks[number], []
    for other, task in enumerate(tasks):
        shows_texts = task["type"] in registry and registry[task["type"]].needs_items
        if other == number or not shows_texts or (task["items"] and own["items"] and task["items"] != own["items"]):
            continue
        if task["items"] != own["items"]:
            words = {"other": task_called(task, other + 1)}
            raise CannotAdd(_("“%(other)s” shows some of the same texts. Say in both which items they take.") % words)
        others.append(other)
    return others


def _together(screens: Sequence[Instruction]) -> Instruction:
    """Return one check that tells the answer to give in each of several tasks. Raises CannotAdd."""
    longest = max(screens, key=lambda screen: len(screen.texts))
    n = len(longest.texts)
    if (
        any(len(screen.texts) not in (1, n) for screen in screens)
        or sum(bool(screen.options) for screen in screens) > 1
    ):
        raise CannotAdd(_("Tasks that show the same texts need different checks. Add them in the table of texts."))
    joined = []
    for place, (system, _text) in enumerate(longest.texts):
        lines: dict[str, None] = {}
        for screen in screens:
            lines |= dict.fromkeys(screen.texts[min(place, len(screen.texts) - 1)][1].split("\n"))
        joined.append((system, "\n".join(lines)))
    return Instruction(
        tuple(joined),
        (),
        next((screen.source for screen in screens if screen.source), ""),
        next((screen.reference for screen in screens if screen.reference), ""),
        next((screen.options for screen in screens if screen.options), {}),
    )


def _free_item(setup: Setup) -> str:
    taken = set(texts.rows_of(setup).filter(cells__item__startswith=CHECK_ITEM).values_list("cells__item", flat=True))
    return next(key for n in range(1, len(taken) + 2) if (key := f"{CHECK_ITEM}-{n}") not in taken)


def _rows_of(
    reading: StudyReading, task: Mapping[str, Json], item: str, instruction: Instruction
) -> list[dict[str, str]]:
    """Return the rows of a check as items.csv has them; the item matches the filter of the task."""
    shared: dict[str, Json] = {"item": item, "source": instruction.source, "reference": instruction.reference}
    shared |= {"options": dict(instruction.options)} if instruction.options else {}
    for column, values in (task["items"] or {}).items():
        if column == "item":
            raise CannotAdd(_("This task names its items one by one. Add the check in the table of texts instead."))
        shared[column] = values[0]
    rows, own = [], 0
    for system, text in instruction.texts:
        own += not system
        key = system or (CHECK_SYSTEM if own == 1 else f"{CHECK_SYSTEM}-{own}")
        row = {**shared, "system": key, "output": text, "language": reading.document["study"]["language"]}
        rows.append(cells_of(row))
    return rows


def _answers(
    setup: Setup, item: str, screens: Mapping[int, Instruction], outputs: Sequence[str]
) -> list[dict[str, str]]:
    """Return the known answers to every unit of a check, as controls.csv has them. Raises StudyFileError, CannotAdd."""
    reading = reading_of_units(setup, _TABLE)
    answers = []
    for draft in reading.drafts:
        units = {key: unit for key, unit in draft.units.items() if item in (unit.item, *unit.part_items)}
        if any(len(set(unit.part_items)) > 1 for unit in units.values()):
            raise CannotAdd(_("This task shows texts of several items on a screen, so a check would stand among them."))
        for key, unit in units.items():
            for criterion, kind, answer in screens[draft.number].answers:
                if not unit.criterion or criterion in ("", unit.criterion):
                    place = _in_joined(screens[draft.number], outputs, answer) if kind == "span" else answer
                    cells = {"task": draft.task["key"], "unit": key, "purpose": GoldPurpose.ATTENTION.value}
                    cells |= {"kind": kind, "answer": answer_text(place)}
                    answers.append(cells | ({"criterion": criterion} if criterion else {}))
    return answers


def _in_joined(screen: Instruction, outputs: Sequence[str], spans: Json) -> Json:
    """Return spans of a check's own text as places in the text that several tasks share."""
    own = screen.texts[0][1]
    line = next(line for line in own.split("\n") if own[spans[0]["start"] : spans[0]["end"]] in line)
    shift = outputs[0].index(line) - own.index(line)
    return [{"start": span["start"] + shift, "end": span["end"] + shift} for span in spans]
