"""The sections of known answers (gold) and of prefilled answers."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Json, Section
from tasks_app.models import Gold, Prefill, Study, Task
from tasks_app.services.study import degrading, units
from tasks_app.settings.checks import copied_exam_in_words
from tasks_app.studyfile.columns import CONTROLS, PREFILL, TableDeclaration
from tasks_app.studyfile.files.tables import Row, file_of, find_table
from tasks_app.studyfile.own_sections.checks import known_answers
from tasks_app.studyfile.own_sections.criteria import criteria_asked
from tasks_app.studyfile.problems import closest, nearest, shown
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, draft_tasks
from tasks_app.task_types.base import GoldAnswer


class UnitRows:
    """Reads the rows of a table about units."""

    def __init__(self, reading: StudyReading) -> None:
        self.reading = reading
        self.drafts = draft_tasks(reading)

    def report(self, row: Row, column: str, sentence: str) -> None:
        row.report(self.reading.problems, column, sentence)

    def rows(self, declared: TableDeclaration) -> Iterator[Row]:
        """Yield the rows of a table that have a value in every needed column."""
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
        """Return the names of a task's units in this table."""
        return draft.units

    def task_of(self, row: Row) -> DraftTask | None:
        """Return the task with the unit that a row names; report a problem and return None if that is unclear."""
        if not self.drafts:
            return None  # the problem that kept units from being made is reported already
        candidates = [draft for draft in self.drafts if draft.task["key"] == row.cells.get("task", draft.task["key"])]
        if not candidates:
            if row.cells["task"] in (task["key"] for task in self.reading.document["tasks"]):
                return None  # the problem of the task itself is reported already
            names = [draft.task["key"] for draft in self.drafts]
            self.report(row, "task", f"{_('There is no such task.')} {nearest(row.cells['task'], names)}".rstrip())
            return None
        with_unit = [draft for draft in candidates if row.cells["unit"] in self.keys_of(draft)]
        if len(with_unit) == 1:
            return with_unit[0]
        if with_unit:
            tasks = ", ".join(draft.task["key"] for draft in with_unit)
            sentence = _("Several tasks have this unit (%(tasks)s). Say which one in the column “task”.")
            self.report(row, "unit", sentence % {"tasks": tasks})
            return None
        keys = [key for draft in candidates for key in self.keys_of(draft)]
        near = None if self.reading.problems.is_full(row.file) else closest(row.cells["unit"], keys)
        sentence = _(
            "There is no unit “%(key)s”. Units are called like “%(near)s”. If its text is no longer in the study, "
            "remove this row, or give it the unit of another text."
        )
        self.report(row, "unit", sentence % {"key": row.cells["unit"], "near": near or keys[0]})
        return None


# Purposes of known answers that a file may have, by the stage of the task; none for exit tasks.
PURPOSES = {
    Task.Stage.SCREENING: [Gold.Purpose.SCREENING.value],
    Task.Stage.MAIN: [purpose for purpose in Gold.Purpose.values if purpose != Gold.Purpose.SCREENING],
}

# Degraded copies, and the known answers about them, are made by the tool.
KINDS = [kind for kind in Gold.Kind.values if kind != Gold.Kind.WORSE]


class _Controls(UnitRows):
    """Reads known answers."""

    def take(self, row: Row) -> dict[str, Json] | None:
        """Return the known answer in a row, or None if it cannot be used."""
        draft = self.task_of(row)
        sound = draft is not None
        if draft is not None and not self._may_be_known(row, draft):
            return None
        purposes = PURPOSES[draft.task["stage"]] if draft is not None else Gold.Purpose.values
        for column, choices in (("purpose", purposes), ("kind", KINDS)):
            if row.cells[column] not in choices:
                sentence = _("must be one of: %(choices)s; it is %(value)s.")
                words = {"choices": ", ".join(choices), "value": shown(row.cells[column])}
                self.report(row, column, sentence % words)
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
        """Return whether a unit can have a right answer, and report problems."""
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
        """Return whether the task type can grade such an answer, and report problems."""
        criterion, answer = row.cells.get("criterion"), row.cells["answer"]
        if criterion is not None and criterion not in draft.task["criteria"]:
            sentence = _("The task “%(task)s” does not ask this.") % {"task": draft.task["key"]}
            self.report(row, "criterion", f"{sentence} {nearest(criterion, draft.task['criteria'])}".rstrip())
            return False
        if (fault := known_answers.fault_of(row.cells["kind"], answer)) is not None:
            self.report(row, "answer", fault)
            return False
        screen, cleaned = draft.answer(draft.units[row.cells["unit"]], self.reading.document["criteria"])
        gold = GoldAnswer(row.cells["kind"], answer, criterion)
        try:
            draft.kind.grade(screen, cleaned, [gold])
        except ValueError as error:
            self.report(row, "kind", str(error))
            return False
        if (fault := known_answers.why_never(draft.kind, screen, gold)) is not None:
            self.report(row, "answer", fault)
            return False
        return True


def _keep_apart(reading: StudyReading, drafts: Sequence[DraftTask], controls: list[dict[str, Json]]) -> None:
    """Refuse items of which some units have known answers and others are to be judged."""
    for draft in drafts:
        known_units = {control["unit"] for control in controls if control["task"] == draft.task["key"]}
        items = {draft.units[key].item for key in known_units} - {None}
        for key, unit in draft.units.items():
            if unit.item in items and key not in known_units:
                sentence = _(
                    "The item “%(item)s” has known answers, but its unit “%(unit)s” has none and would be judged. "
                    "Training, exam, control and judged items must differ: give all its units an answer, or use "
                    "another item."
                )
                reading.problems.add(file_of(CONTROLS, reading), 0, 0, sentence % {"item": unit.item, "unit": key})


def _check_copies(reading: StudyReading, draft: DraftTask) -> None:
    """Refuse degraded copies if a task shows several texts, or has no question with a better end."""
    if not draft.task["checks"].get("degraded") or draft.task["stage"] != Task.Stage.MAIN:
        return
    criteria = criteria_asked(reading.document["criteria"], draft.task["criteria"])
    parts = max((len(unit.parts) for unit in draft.units.values()), default=1)
    sentence = degrading.why_not(draft.kind, criteria, parts)
    if sentence is None and all(text.file is not None for unit in draft.units.values() for text in draft.texts(unit)):
        sentence = _(
            "Degraded copies are made of texts; all outputs of this task are pictures, sounds or films. Leave 0."
        )
    if sentence is None and draft.task["checks"]["degraded"] > draft.task["set_size"]:
        sentence = _("A set of %(n)d units has room for %(n)d degraded copies at most. Choose fewer, or larger sets.")
        sentence %= {"n": draft.task["set_size"]}
    if sentence is not None:
        reading.problem(("tasks", draft.number, "checks", "degraded"), sentence)


# Settings that ask for a number of units with known answers, and the purpose of these units.
_WANTED = {
    "training": Gold.Purpose.TRAINING,
    "exam": Gold.Purpose.EXAM,
    "controls": Gold.Purpose.CONTROL,
    "attention": Gold.Purpose.ATTENTION,
}


def _note_missing(reading: StudyReading, draft: DraftTask, controls: Sequence[Mapping[str, Json]]) -> None:
    """Note tasks that ask for more units with known answers than there are, and screening tasks without any."""
    words = {"task": draft.task["key"]}
    if draft.task["stage"] == Task.Stage.SCREENING and not controls:
        sentence = _(
            "The task “%(task)s” screens nobody out: controls.csv has no answer for it. Give it rows of the purpose "
            "screening, or make it a task of the stage main or exit."
        )
        reading.note(sentence % words)
    for name, purpose in _WANTED.items():
        n_wanted = draft.task["checks"].get(name)
        n_there = len({control["unit"] for control in controls if control["purpose"] == purpose})
        if n_wanted and n_wanted > n_there:
            sentence = _(
                "The task “%(task)s” asks for %(name)s: %(wanted)d, and controls.csv has %(n)d units of that purpose. "
                "Raters get those."
            )
            reading.note(sentence % {**words, "name": name, "wanted": n_wanted, "n": n_there})
        if name == "exam" and (copied := copied_exam_in_words(draft.checks, n_there)):
            reading.note(_("Task “%(task)s”: %(note)s") % {**words, "note": copied})


def _put_limit_within_reach(reading: StudyReading, draft: DraftTask, controls: Sequence[Mapping[str, Json]]) -> None:
    """Have the limit on failed checks apply from the last check of a rater on where the default is out of reach."""
    if draft.task["stage"] != Task.Stage.MAIN or draft.task["checks"].get("fail_after") is not None:
        return
    units_known = {(control["purpose"], control["unit"]) for control in controls}
    known = Counter(purpose for purpose, _unit in units_known)
    sets = reading.document["flow"]["sets_per_rater"] or 1
    met = sets * draft.checks.watched_among(draft.task["set_size"], known)
    if 0 < met < draft.checks.limit_after:
        draft.task["checks"]["fail_after"] = met


class ControlsSection(Section):
    """Known answers."""

    name = "controls"
    after = ("items",)

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Read the known answers; items with one must not be judged as well."""
        check, before = _Controls(reading), reading.problems.count
        controls: list[dict[str, Json]] = []
        lines: dict[tuple[str, ...], int] = {}
        purposes: dict[tuple[str, str], tuple[str, int]] = {}
        for row in check.rows(CONTROLS):
            control = check.take(row)
            if control is None:
                continue
            key = (control["task"], control["unit"], control["criterion"])
            if key in lines:
                sentence = _("Line %(line)d has an answer to this already. Keep one of them.")
                check.report(row, "unit", sentence % {"line": lines[key]})
            lines.setdefault(key, row.line)
            draft = next(draft for draft in check.drafts if draft.task["key"] == control["task"])
            item = draft.units[control["unit"]].item or control["unit"]
            purpose, line = purposes.setdefault((control["task"], item), (control["purpose"], row.line))
            if purpose != control["purpose"]:
                sentence = _("The item is there for %(purpose)s in line %(line)d. An item has one purpose only.")
                check.report(row, "purpose", sentence % {"purpose": purpose, "line": line})
            controls.append(control)
        if reading.problems.count == before:
            # Otherwise a row with a problem would make its unit look like a unit without an answer.
            _keep_apart(reading, check.drafts, controls)
            for draft in check.drafts:
                _check_copies(reading, draft)
                own = [control for control in controls if control["task"] == draft.task["key"]]
                _note_missing(reading, draft, own)
                _put_limit_within_reach(reading, draft, own)
        # Only if every known answer could be read is it clear which units are to be judged.
        reading.units_sound = reading.units_sound and reading.problems.count == before
        return controls

    def export(self, study: Study) -> list[dict[str, Json]]:
        rows = (
            Gold.objects.filter(unit__task__study=study, unit__until=None).exclude(kind=Gold.Kind.WORSE).order_by("id")
        )
        names = ("unit__task__key", "unit__key", "purpose", "criterion__key", "kind", "answer", "explanation")
        columns = ("task", "unit", "purpose", "criterion", "kind", "answer", "explanation")
        return [{**dict(zip(columns, row, strict=True)), "criterion": row[3] or ""} for row in rows.values_list(*names)]

    def store(self, study: Study, controls: Json) -> None:
        """Store the known answers of the stored units, then make degraded copies of units to be judged."""
        units.store_gold(study=study, controls=controls)
        degrading.make_copies(study=study)


class PrefillSection(Section):
    """Prefilled answers of parts, such as marks shown at first."""

    name = "prefill"
    after = ("items", "controls")

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Read the prefilled answers."""
        check = UnitRows(reading)
        entries: list[dict[str, Json]] = []
        carried: dict[tuple[str, str, int, str], list[Json]] = {}
        for row in check.rows(PREFILL):
            draft = check.task_of(row)
            if draft is None:
                continue
            parts, part = len(draft.units[row.cells["unit"]].parts), row.cells["part"]
            if not 1 <= part <= parts:
                sentence = _("The unit has %(n)d texts, counted from 1; this is %(part)d.")
                check.report(row, "part", sentence % {"n": parts, "part": part})
                continue
            unit = draft.units[row.cells["unit"]]
            text = draft.texts(unit)[part - 1].text
            source = draft.items[unit.item].source if unit.item is not None else ""
            given_by = row.cells.get("given_by") or ""
            # Suggestions by several people are never shown together.
            payloads = carried.setdefault((draft.task["key"], row.cells["unit"], part, given_by), [])
            fault = draft.kind.prefill_problem(row.cells["payload"], text, source)
            if fault is None:
                payloads.append(row.cells["payload"])
                fault = draft.kind.prefill_problem_together(payloads, text, source)
            if fault is not None:
                check.report(row, "payload", fault)
                continue
            entry = {
                "task": draft.task["key"],
                "unit": row.cells["unit"],
                "part": part,
                "payload": row.cells["payload"],
            }
            entries.append(entry | ({"given_by": given_by} if given_by else {}))
        self._note_gaps(reading, check.drafts, entries)
        return entries

    def _note_gaps(self, reading: StudyReading, drafts: Sequence[DraftTask], entries: Sequence[Json]) -> None:
        """Note texts without suggestions in tasks where others have suggestions by somebody who is named."""
        known = {(control["task"], control["unit"]) for control in reading.document.get("controls", ())}
        for draft in drafts:
            key = draft.task["key"]
            given = {entry["unit"] for entry in entries if entry["task"] == key and entry.get("given_by")}
            without = [unit for unit in draft.units if unit not in given and (key, unit) not in known] if given else []
            if without:
                note = ngettext(
                    "prefill.csv: %(n)d unit of task “%(task)s” has no marks by anybody, while others have: %(first)s.",
                    "prefill.csv: %(n)d units of task “%(task)s” have no marks by anybody, while others have: "
                    "%(first)s.",
                    len(without),
                )
                reading.note(note % {"n": len(without), "task": key, "first": ", ".join(without[:3])})

    def export(self, study: Study) -> list[dict[str, Json]]:
        rows = Prefill.objects.filter(part__unit__task__study=study, part__unit__until=None).order_by("id")
        prefills = rows.values_list("part__unit__task__key", "part__unit__key", "part__number", "payload", "given_by")
        return [
            {"task": task, "unit": unit, "part": number + 1, "payload": payload}
            | ({"given_by": given_by} if given_by else {})
            for task, unit, number, payload, given_by in prefills
        ]

    def store(self, study: Study, prefill: Json) -> None:
        """Store the prefilled answers; the units are stored already."""
        units.store_prefill(study=study, prefill=prefill)


SECTIONS = (ControlsSection(), PrefillSection())
