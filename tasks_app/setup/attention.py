"""Attention checks in one click: a text that says which answer to give, with the answer, in the tables of a draft.

A check belongs to one task: its text names the questions and answers of that task, and no other task takes its item.
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
from tasks_app.services.study.item_sets import ONLY_TASKS
from tasks_app.settings.checks import CHECK_ITEM, CHECK_SYSTEM, checks_of
from tasks_app.setup import changes, table_rows
from tasks_app.setup.changes import Edit
from tasks_app.setup.checking import reading_of
from tasks_app.setup.entries import task_called
from tasks_app.setup.facts import known_answers
from tasks_app.setup.tables.checking import cells_of
from tasks_app.setup.texts import reads, writes
from tasks_app.setup.unit_tables import rows as unit_rows
from tasks_app.setup.unit_tables.checking import reading_of_units
from tasks_app.setup.unit_tables.declared import UNIT_TABLES
from tasks_app.studyfile.columns import CONTROLS
from tasks_app.studyfile.files.writing import answer_text
from tasks_app.studyfile.own_sections.criteria import criteria_asked
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
    """An attention check of a draft: its task, the numbers of its rows of texts, their words, and the right answers.

    `task` is the key of the task, `title` its name; both "" for a check that several tasks show.
    """

    item: str
    task: str
    title: str
    rows: Sequence[tuple[int, str]]
    answers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Offer:
    """The check that a task offers: its place in the list, its name, and why none can be added; "" if one can.

    `available` is the number of attention checks that the task has, `shown` how many of them a set shows.
    """

    number: int
    title: str
    why_not: str
    available: int = 0
    shown: int = 0


def offers(setup: Setup, reading: StudyReading) -> list[Offer]:
    """Return the attention checks that can be added: one for each task that is judged."""
    known = known_answers(setup, reading)
    made: list[Offer] = []
    for number, task in enumerate(reading.document["tasks"]):
        if task["stage"] != Task.Stage.MAIN or task["type"] not in registry:
            continue
        instruction = _instruction(reading, number, 0)
        why_not = "" if isinstance(instruction, Instruction) else instruction
        available = known[str(task["key"])].get(GoldPurpose.ATTENTION.value, 0)
        is_sound = reading.sound(("tasks", number))
        shown = checks_of(task["checks"]).attention_among(available) if is_sound else 0
        made.append(Offer(number, task_called(task, number + 1), why_not, available if is_sound else 0, shown))
    return made


def checks_in(setup: Setup) -> list[Check]:
    """Return the attention checks that were added so, by their items; two queries."""
    of_item: dict[str, list[tuple[int, str]]] = {}
    own = reads.rows_of(setup).filter(cells__item__startswith=f"{CHECK_ITEM}-")
    for number, cells in own.values_list("number", "cells"):
        of_item.setdefault(cells["item"], []).append((number, cells["output"]))
    answers: dict[str, list[str]] = {}
    tasks: dict[str, set[str]] = {}
    if of_item:
        for _pk, cells in _known(setup):
            item = table_rows.item_of(cells["unit"])
            answers.setdefault(item, []).append(cells["answer"])
            tasks.setdefault(item, set()).add(cells.get("task", ""))
    keys = {item: min(of_tasks) if len(of_tasks) == 1 else "" for item, of_tasks in tasks.items()}
    entries = setup.document.entries("tasks")
    titles = {str(entry.get("key", "")): task_called(entry, number) for number, entry in enumerate(entries, start=1)}
    return [
        Check(item, keys[item], titles.get(keys[item], ""), rows, answers[item])
        for item, rows in of_item.items()
        if item in answers
    ]


def _known(setup: Setup) -> list[tuple[int, dict[str, str]]]:
    rows = table_rows.rows_of(setup, CONTROLS.stem).filter(cells__purpose=GoldPurpose.ATTENTION.value)
    return list(rows.values_list("pk", "cells"))


@atomically
def add(*, setup: Setup, number: int, by: events.Actor) -> Setup:
    """Add an attention check to a task of a set-up; no other task shows it.

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
    task = reading.document["tasks"][number]
    instruction = _instruction(reading, number, sum(check.task == task["key"] for check in checks_in(setup)))
    if not isinstance(instruction, Instruction):
        raise CannotAdd(instruction)
    item = _free_item(setup)
    rows = _rows_of(reading, task, item, instruction)
    known_systems = reads.systems_of(setup)
    systems = {row["system"]: _("Attention check") for row in rows if row["system"] not in known_systems}
    setup = writes.store(setup=setup, rows=rows, systems=systems, by=by, add=True, source={"attention_check": item})
    try:
        answers = _answers(setup, item, number, instruction)
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
    writes.remove_rows(setup=setup, rows=reads.rows_of(setup).filter(cells__item=item), by=by)
    setup = changes.hold(setup)
    left = set(
        reads.rows_of(setup).filter(cells__system__startswith=CHECK_SYSTEM).values_list("cells__system", flat=True)
    )
    given = setup.document.entries("systems")
    staying = [
        entry for entry in given if not str(entry.get("key", "")).startswith(CHECK_SYSTEM) or entry["key"] in left
    ]
    if len(staying) < len(given):
        return changes.change(setup=setup, values={("systems",): staying or None}, base=setup.revision, by=by).setup
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


def _instruction(reading: StudyReading, number: int, check: int) -> Instruction | str:
    """Return the check that a task type makes, in the study's language, or why there is none."""
    task, document = reading.document["tasks"][number], reading.document
    if not reading.sound(("tasks", number)):
        return _("Settle the problems of this task first.")
    kind: TaskType = registry[task["type"]](task["params"])
    criteria = kind.asked(criteria_asked(document["criteria"], task["criteria"]))
    if not criteria and kind.criteria_needed[0]:
        return _("Add at least one question.")
    with languages.speaking(document["study"]["language"] or "en"):
        made = kind.instructed(criteria, check)
    return made if isinstance(made, Instruction) else str(made)


def _free_item(setup: Setup) -> str:
    taken = set(reads.rows_of(setup).filter(cells__item__startswith=CHECK_ITEM).values_list("cells__item", flat=True))
    return next(key for n in range(1, len(taken) + 2) if (key := f"{CHECK_ITEM}-{n}") not in taken)


def _rows_of(
    reading: StudyReading, task: Mapping[str, Json], item: str, instruction: Instruction
) -> list[dict[str, str]]:
    """Return the rows of a check as items.csv has them; the item names the task as the only one that shows it."""
    shared: dict[str, Json] = {"item": item, "source": instruction.source, "reference": instruction.reference}
    shared["options"] = {**instruction.options, ONLY_TASKS: [task["key"]]}
    rows, own = [], 0
    for system, text in instruction.texts:
        own += not system
        key = system or (CHECK_SYSTEM if own == 1 else f"{CHECK_SYSTEM}-{own}")
        row = {**shared, "system": key, "output": text, "language": reading.document["study"]["language"]}
        rows.append(cells_of(row))
    return rows


def _answers(setup: Setup, item: str, number: int, instruction: Instruction) -> list[dict[str, str]]:
    """Return the known answers to every unit of a check, as controls.csv has them. Raises StudyFileError, CannotAdd."""
    reading = reading_of_units(setup, _TABLE)
    answers = []
    for draft in (draft for draft in reading.drafts if draft.number == number):
        units = {key: unit for key, unit in draft.units.items() if item in (unit.item, *unit.part_items)}
        if any(len(set(unit.part_items)) > 1 for unit in units.values()):
            raise CannotAdd(_("This task shows texts of several items on a screen, so a check would stand among them."))
        for key, unit in units.items():
            for criterion, kind, answer in instruction.answers:
                if not unit.criterion or criterion in ("", unit.criterion):
                    cells = {"task": draft.task["key"], "unit": key, "purpose": GoldPurpose.ATTENTION.value}
                    cells |= {"kind": kind, "answer": answer_text(answer)}
                    answers.append(cells | ({"criterion": criterion} if criterion else {}))
    return answers
