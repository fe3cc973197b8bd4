"""The section of batches: sets composed by a researcher, for tasks of that design."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Json, Section
from tasks_app.models import Study
from tasks_app.services.plan import batches
from tasks_app.studyfile.columns import BATCHES
from tasks_app.studyfile.files.tables import Row, file_of
from tasks_app.studyfile.own_sections.known import UnitRows
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask

DESIGN = "batches"


class _Batches(UnitRows):
    """Reads the rows of all batches."""

    def __init__(self, reading: StudyReading) -> None:
        super().__init__(reading)
        self.others = [draft.task["key"] for draft in self.drafts if draft.task["design"] != DESIGN]
        self.drafts = [draft for draft in self.drafts if draft.task["design"] == DESIGN]
        self.rows_by_batch: dict[tuple[str, str], list[tuple[Row, str]]] = {}
        self._lines: dict[tuple[str, str], int] = {}

    def keys_of(self, draft: DraftTask) -> Collection[str]:
        """Return the texts: where criteria have separate units, a batch has a text's units for all of them."""
        return {base_of(draft, key) for key in draft.units}

    def take(self, row: Row) -> None:
        """Add a row to its batch, or report its problem."""
        if row.cells.get("task") in self.others or (self.others and not self.drafts):
            sentence = _("Batches are for tasks with “design: batches”. Choose that design, or leave the row out.")
            self.report(row, "task" if "task" in row.cells else "batch", sentence)
            return
        draft = self.task_of(row)
        if draft is None:
            return
        task, unit = draft.task["key"], row.cells["unit"]
        if unit not in judged(draft, self.reading):
            self.report(row, "unit", _("This unit has a known answer, so it cannot be in a batch. Leave it out."))
        elif (task, unit) in self._lines:
            sentence = _("Line %(line)d has this unit already. A unit is in one batch; k raters judge each batch.")
            self.report(row, "unit", sentence % {"line": self._lines[task, unit]})
        else:
            self._lines[task, unit] = row.line
            self.rows_by_batch.setdefault((task, row.cells["batch"]), []).append((row, unit))

    def rows_in_order(self) -> Iterator[dict[str, Json]]:
        """Yield the rows by batch, in their order; report missing or repeated positions."""
        for (task, batch), rows in self.rows_by_batch.items():
            placed = [row.cells.get("position") for row, _unit in rows]
            lines: dict[int, int] = {}
            for (row, _unit), position in zip(rows, placed, strict=True):
                if position is None and any(place is not None for place in placed):
                    sentence = _("Other rows of this batch have a position. Give one to every row of it, or to none.")
                    self.report(row, "position", sentence)
                elif position in lines:
                    sentence = _("Line %(line)d has this position in the batch already. Choose another.")
                    self.report(row, "position", sentence % {"line": lines[position]})
                elif position is not None:
                    lines[position] = row.line
            for _row, unit in sorted(rows, key=lambda row_and_unit: row_and_unit[0].cells.get("position", 0)):
                yield {"task": task, "batch": batch, "unit": unit}

    def report_left_out(self, file: str) -> None:
        """Report units to be judged that are in no batch."""
        for draft in self.drafts:
            task = draft.task["key"]
            missing = [unit for unit in judged(draft, self.reading) if (task, unit) not in self._lines]
            if missing and any(key == task for key, _batch in self.rows_by_batch):
                sentence = ngettext(
                    "%(n)d unit of the task “%(task)s” is in no batch: “%(unit)s”. Add it to one.",
                    "%(n)d units of the task “%(task)s” are in no batch, such as “%(unit)s”. Add them to one.",
                    len(missing),
                )
                self.reading.problems.add(file, 0, 0, sentence % {"n": len(missing), "task": task, "unit": missing[0]})


def base_of(draft: DraftTask, key: str) -> str:
    """Return the name of a unit without its criterion."""
    criterion = draft.units[key].criterion
    return key.removesuffix(f"@{criterion}") if criterion else key


def judged(draft: DraftTask, reading: StudyReading) -> dict[str, None]:
    """Return the texts to be judged, in their order: those with a unit without a known answer."""
    known_units = {control["unit"] for control in reading.document["controls"] if control["task"] == draft.task["key"]}
    return {base_of(draft, key): None for key in draft.units if key not in known_units}


class BatchesSection(Section):
    """Sets composed by a researcher."""

    name = "batches"
    after = ("controls",)

    def check(self, reading: StudyReading) -> list[dict[str, Json]]:
        """Read the batches; every unit to be judged must be in one."""
        check, before = _Batches(reading), reading.problems.count
        for row in check.rows(BATCHES):
            check.take(row)
        batches = list(check.rows_in_order())
        if reading.problems.count == before:
            check.report_left_out(file_of(BATCHES, reading))
        # Unreadable batches would also cause problems of the plan.
        reading.units_sound = reading.units_sound and reading.problems.count == before
        return batches

    def export(self, study: Study) -> list[dict[str, Json]]:
        return list(batches.rows_of(study))

    def store(self, study: Study, rows: Json) -> None:
        """Store the batches; their tasks are stored already."""
        batches.store_batches(study=study, rows=rows)


SECTIONS = (BatchesSection(),)
