"""The tables about units, declared once: their columns, the step that leads to each, and how columns are called."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.importing.guessing import plain_name
from tasks_app.setup.tables.layout import PROBLEM
from tasks_app.studyfile.columns import BATCHES, CONTROLS, PREFILL, TableDeclaration
from tasks_app.studyfile.files.headers import Naming


@dataclass(frozen=True, slots=True)
class UnitTable:
    """A table about units. `filtered_by` is the column with values that its page offers as a filter."""

    declared: TableDeclaration
    step: str
    label: Promise
    lead: Promise
    upload_label: Promise
    manual: str
    filtered_by: str

    @property
    def stem(self) -> str:
        """Return its name in addresses, and in the names of files."""
        return self.declared.stem


@dataclass(frozen=True, slots=True)
class UnitLayout:
    """The layout of a file for such a table: the file's names of our columns, its sheet and its quotation marks."""

    table: UnitTable
    mapped: Mapping[str, str]
    sheet: str = ""
    quoting: str = ""

    @property
    def naming(self) -> Naming:
        """Return the file's names of our columns."""
        return Naming(self.table.declared, self.mapped)


UNIT_TABLES: Mapping[str, UnitTable] = {
    table.stem: table
    for table in (
        UnitTable(
            CONTROLS,
            "checks",
            _("Known answers"),
            _("Units whose right answer you know: to screen, train, examine and check raters."),
            _("Table of known answers"),
            "setting-up#known-answers-batches-and-suggestions",
            "purpose",
        ),
        UnitTable(
            BATCHES,
            "raters",
            _("Batches"),
            _("Sets of units that you compose yourself, for tasks with the design “batches”."),
            _("Table of batches"),
            "setting-up#known-answers-batches-and-suggestions",
            "batch",
        ),
        UnitTable(
            PREFILL,
            "task",
            _("Suggestions"),
            _("What raters see already filled in, such as marks to confirm or remove."),
            _("Table of suggestions"),
            "setting-up#known-answers-batches-and-suggestions",
            "task",
        ),
    )
}

# Other names that people give these columns.
_KNOWN_AS: Mapping[str, Sequence[str]] = {
    "unit": ("unit key", "unit id", "screen"),
    "answer": ("known answer", "right answer", "correct answer", "correct", "gold", "expected", "value"),
    "criterion": ("aspect", "dimension", "question"),
    "explanation": ("feedback", "reason", "why"),
    "batch": ("batch id", "batch name", "set", "booklet", "hit"),
    "position": ("place", "order", "rank"),
    "part": ("text number", "output number"),
    "payload": ("suggestion", "prefill", "marks", "spans"),
}


def guess_columns(table: UnitTable, names: Iterable[str]) -> dict[str, str]:
    """Return the file's names of our columns: those called as ours are, then those that others call so."""
    plain = {plain_name(name): name for name in reversed(list(names)) if name != PROBLEM}
    mapped: dict[str, str] = {}
    for known_as in ({}, _KNOWN_AS):
        for ours in table.declared.names:
            for name in (ours, *known_as.get(ours, ())):
                theirs = plain.get(plain_name(name))
                if theirs is not None and ours not in mapped and theirs not in mapped.values():
                    mapped[ours] = theirs
    return mapped
