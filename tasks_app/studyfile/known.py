"""The sections of known answers (gold) and of prefilled answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from tasks_app.models import Gold, Prefill, Study, Task
from tasks_app.sections import Json, Section
from tasks_app.services.study import degrading, units
from tasks_app.studyfile import known_answers
from tasks_app.studyfile.columns import CONTROLS, PREFILL, TableDeclaration
from tasks_app.studyfile.lists import asked
from tasks_app.studyfile.problems import closest, nearest, shown
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, draft_tasks
from tasks_app.studyfile.tables import Row, find_table
from tasks_app.task_types.base import GoldAnswer


class UnitRows:
    """Goes through the rows of a table about units."""

    def __init__(self, reading: StudyReading) -> None:
        self.reading = reading
        self.drafts = draft_tasks(reading)

    def report(self, row: Row, column: str, sentence: str) -> None:
        place = row.place(column)
        self.reading.problems.add(row.file, place.line, place.column, f"{column}: {sentence}")

    def rows(self, declared: TableDeclaration) -> Iterator[Row]:
        """The rows of a table that have a value in every column that needs one."""
        table = find_table(declared, self.reading)
        if table is None:
            return
        for row in table.rows():
            missing = [name for name in declared.needed if name not in row.cells]
            for name in missing:
                self.report(row, name, _("A value is needed here in every row."))
            if not missing:
                yield row
        self.reading.notes += table.notes

    def keys_of(self, draft: DraftTask) -> Collection[str]:
        """What units are called in this table."""
        return draft.units

    def task_of(self, row: Row) -> DraftTask | None:
        """The task whose unit a row names; None where that is unclear, which is then reported."""
        if not self.drafts:
            return None  # what keeps units from being made is reported already
        named = [one for one in self.drafts if one.task["key"] == row.cells.get("task", one.task["key"])]
        if not named:
            if row.cells["task"] in (one["key"] for one in self.reading.document["tasks"]):
                return None  # what is wrong with the task itself is reported already
            names = [one.task["key"] for one in self.drafts]
            self.report(row, "task", f"{_('There is no such task.')} {nearest(row.cells['task'], names)}".rstrip())
            return None
        having = [one for one in named if row.cells["unit"] in self.keys_of(one)]
        if len(having) == 1:
            return having[0]
        if having:
            tasks = ", ".join(one.task["key"] for one in having)
            sentence = _("Several tasks have this unit (%(tasks)s). Say which one in the column “task”.")
            self.report(row, "unit", sentence % {"tasks": tasks})
            return None
        keys = [key for one in named for key in self.keys_of(one)]
        near = None if self.reading.problems.is_full(row.file) else closest(row.cells["unit"], keys)
        sentence = _("There is no unit “%(key)s”. Units are called like “%(near)s”.")
        self.report(row, "unit", sentence % {"key": row.cells["unit"], "near": near or keys[0]})
        return None


# What a file may give known answers for, by the stage of the task; nothing at the end.
_PURPOSES = {
    Task.Stage.SCREENING: [Gold.Purpose.SCREENING.value],
    Task.Stage.MAIN: [one for one in Gold.Purpose.values if one != Gold.Purpose.SCREENING],
}

# Degraded copies are made by the tool, and so is what is known about them.
_KINDS = [one for one in Gold.Kind.values if one != Gold.Kind.WORSE]


class _Controls(UnitRows):
    """Goes through known answers."""

    def take(self, row: Row) -> dict[str, Json] | None:
        """Return what a row says, or None where it cannot be used."""
        draft = self.task_of(row)
        sound = draft is not None
        if draft is not None and not self._may_be_known(row, draft):
            return None
        purposes = _PURPOSES[draft.task["stage"]] if draft is not None else Gold.Purpose.values
        for column, choices in (("purpose", purposes), ("kind", _KINDS)):
            if row.cells[column] not in choices:
                sentence = _("must be one of: %(choices)s; it is %(value)s.")
                given = {"choices": ", ".join(choices), "value": shown(row.cells[column])}
                self.report(row, column, sentence % given)
                sound = False
        if draft is None or not sound or not self._answers(row, draft):
            return None
        return {
            "task": draft.task["key"],
            "unit": row.cells["unit"],
            "purpose": row.cells["purpose"],
            "criterion": row.cells.get("criterion", ""),
            "kind": row.cells["kind"],
            "answer": row.cells["answer"],
            "explanation": row.cells.get("explanation", ""),
        }

    def _may_be_known(self, row: Row, draft: DraftTask) -> bool:
        """Say whether there can be a right answer to a unit at all; what is wrong is reported."""
        if draft.task["stage"] == Task.Stage.EXIT:
            sentence = _(
                "The task “%(task)s” is asked of everybody at the end, so nothing follows from a right answer. Take "
                "this row out."
            )
            self.report(row, "unit", sentence % {"task": draft.task["key"]})
            return False
        if len(set(draft.units[row.cells["unit"]].part_items)) > 1:
            sentence = _(
                "“%(unit)s” shows texts of several items, which other screens show as well. Known answers are for "
                "screens with texts of one item: take this row out."
            )
            self.report(row, "unit", sentence % {"unit": row.cells["unit"]})
            return False
        return True

    def _answers(self, row: Row, draft: DraftTask) -> bool:
        """Say whether the task type can grade such an answer; what is wrong is reported."""
        criterion, answer = row.cells.get("criterion"), row.cells["answer"]
        if criterion is not None and criterion not in draft.task["criteria"]:
            sentence = _("The task “%(task)s” does not ask this.") % {"task": draft.task["key"]}
            self.report(row, "criterion", f"{sentence} {nearest(criterion, draft.task['criteria'])}".rstrip())
            return False
        if (fault := known_answers.fault_of(row.cells["kind"], answer)) is not None:
            self.report(row, "answer", fault)
            return False
        screen, cleaned = draft.answer(draft.units[row.cells["unit"]], self.reading.document["criteria"])
        known = GoldAnswer(row.cells["kind"], answer, criterion)
        try:
            draft.kind.grade(screen, cleaned, [known])
        except ValueError as found:
            self.report(row, "kind", str(found))
            return False
        if (fault := known_answers.why_never(draft.kind, screen, known)) is not None:
            self.report(row, "answer", fault)
            return False
        return True


def _keep_apart(reading: StudyReading, drafts: Sequence[DraftTask], controls: list[dict[str, Json]]) -> None:
    """Refuse an item that some units have a known answer for and others are judged of."""
    for draft in drafts:
        known = {one["unit"] for one in controls if one["task"] == draft.task["key"]}
        items = {draft.units[key].item for key in known} - {None}
        for key, unit in draft.units.items():
            if unit.item in items and key not in known:
                sentence = _(
                    "The item “%(item)s” has known answers, but its unit “%(unit)s” has none and would be judged. "
                    "Training, exam, control and judged items must differ: give all its units an answer, or use "
                    "another item."
                )
                file = next((name for name in reading.used if name.startswith("controls.")), "controls.csv")
                reading.problems.add(file, 0, 0, sentence % {"item": unit.item, "unit": key})


def _check_copies(reading: StudyReading, draft: DraftTask) -> None:
    """Refuse degraded copies where a task shows no single text, or asks nothing that has a better end."""
    if not draft.task["checks"].get("degraded") or draft.task["stage"] != Task.Stage.MAIN:
        return
    criteria = asked(reading.document["criteria"], draft.task["criteria"])
    parts = max((len(unit.parts) for unit in draft.units.values()), default=1)
    sentence = degrading.why_not(draft.kind, criteria, parts)
    if sentence is None and draft.task["checks"]["degraded"] > draft.task["set_size"]:
        sentence = _("A set of %(n)d units has room for %(n)d degraded copies at most. Choose fewer, or larger sets.")
        sentence %= {"n": draft.task["set_size"]}
    if sentence is not None:
        reading.problem(("tasks", draft.number, "checks", "degraded"), sentence)


# Settings that say how many units with known answers are wanted, and the purpose of those.
_WANTED = {
    "training": Gold.Purpose.TRAINING,
    "exam": Gold.Purpose.EXAM,
    "controls": Gold.Purpose.CONTROL,
    "attention": Gold.Purpose.ATTENTION,
}


def _note_missing(reading: StudyReading, draft: DraftTask, controls: Sequence[Mapping[str, Json]]) -> None:
    """Say where a task asks for more units with known answers than there are, and where nobody is screened out."""
    about = {"task": draft.task["key"]}
    if draft.task["stage"] == Task.Stage.SCREENING and not controls:
        sentence = _(
            "The task “%(task)s” screens nobody out: controls.csv has no answer for it. Give it rows of the purpose "
            "screening, or make it a task of the stage main or exit."
        )
        reading.note(sentence % about)
    for name, purpose in _WANTED.items():
        wanted = draft.task["checks"].get(name)
        there = len({one["unit"] for one in controls if one["purpose"] == purpose})
        if wanted and wanted > there:
            sentence = _(
                "The task “%(task)s” asks for %(name)s: %(wanted)d, and controls.csv has %(n)d units of that purpose. "
                "Raters get those."
            )
            reading.note(sentence % {**about, "name": name, "wanted": wanted, "n": there})


class ControlsSection(Section):
    """Known answers."""

    name = "controls"
    after = ("items",)

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Read the known answers; items with one must not be judged as well."""
        check, before = _Controls(reading), reading.problems.count
        found: list[dict[str, Json]] = []
        lines: dict[tuple[str, ...], int] = {}
        purposes: dict[tuple[str, str], tuple[str, int]] = {}
        for row in check.rows(CONTROLS):
            one = check.take(row)
            if one is None:
                continue
            key = (one["task"], one["unit"], one["criterion"])
            if key in lines:
                sentence = _("Line %(line)d has an answer to this already. Keep one of them.")
                check.report(row, "unit", sentence % {"line": lines[key]})
            lines.setdefault(key, row.line)
            draft = next(draft for draft in check.drafts if draft.task["key"] == one["task"])
            item = draft.units[one["unit"]].item or one["unit"]
            purpose, line = purposes.setdefault((one["task"], item), (one["purpose"], row.line))
            if purpose != one["purpose"]:
                sentence = _("The item is there for %(purpose)s in line %(line)d. An item has one purpose only.")
                check.report(row, "purpose", sentence % {"purpose": purpose, "line": line})
            found.append(one)
        if reading.problems.count == before:
            # A row that could not be used would make its unit look like one without an answer.
            _keep_apart(reading, check.drafts, found)
            for draft in check.drafts:
                _check_copies(reading, draft)
                _note_missing(reading, draft, [one for one in found if one["task"] == draft.task["key"]])
        # Without every known answer it is not clear which units are to be judged.
        reading.units_sound = reading.units_sound and reading.problems.count == before
        return found

    def export(self, study: Study) -> list[dict[str, Json]]:
        rows = (
            Gold.objects.filter(unit__task__study=study, unit__until=None).exclude(kind=Gold.Kind.WORSE).order_by("id")
        )
        names = ("unit__task__key", "unit__key", "purpose", "criterion__key", "kind", "answer", "explanation")
        columns = ("task", "unit", "purpose", "criterion", "kind", "answer", "explanation")
        return [{**dict(zip(columns, row, strict=True)), "criterion": row[3] or ""} for row in rows.values_list(*names)]

    def store(self, study: Study, controls: Json) -> None:
        """Store the known answers; the units are there already. Whatever is left to be judged can be degraded then."""
        units.store_gold(study=study, controls=controls)
        degrading.make_copies(study=study)


class PrefillSection(Section):
    """What parts carry when they are first shown."""

    name = "prefill"
    after = ("items",)

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Read what parts carry when they are first shown."""
        check = UnitRows(reading)
        found: list[dict[str, Json]] = []
        carried: dict[tuple[str, str, int], list[Json]] = {}
        for row in check.rows(PREFILL):
            draft = check.task_of(row)
            if draft is None:
                continue
            parts, part = len(draft.units[row.cells["unit"]].parts), row.cells["part"]
            if not 1 <= part <= parts:
                sentence = _("The unit has %(n)d texts, counted from 1; this is %(part)d.")
                check.report(row, "part", sentence % {"n": parts, "part": part})
                continue
            text = draft.texts(draft.units[row.cells["unit"]])[part - 1].text
            together = carried.setdefault((draft.task["key"], row.cells["unit"], part), [])
            fault = draft.kind.prefill_problem(row.cells["payload"], text)
            if fault is None:
                together.append(row.cells["payload"])
                fault = draft.kind.prefill_problem_together(together, text)
            if fault is not None:
                check.report(row, "payload", fault)
                continue
            found.append(
                {"task": draft.task["key"], "unit": row.cells["unit"], "part": part, "payload": row.cells["payload"]}
            )
        return found

    def export(self, study: Study) -> list[dict[str, Json]]:
        rows = Prefill.objects.filter(part__unit__task__study=study, part__unit__until=None).order_by("id")
        found = rows.values_list("part__unit__task__key", "part__unit__key", "part__number", "payload")
        return [
            {"task": task, "unit": unit, "part": number + 1, "payload": payload}
            for task, unit, number, payload in found
        ]

    def store(self, study: Study, prefill: Json) -> None:
        """Store what parts carry; the units are there already."""
        units.store_prefill(study=study, prefill=prefill)


SECTIONS = (ControlsSection(), PrefillSection())
