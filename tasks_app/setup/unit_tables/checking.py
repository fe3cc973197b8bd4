"""Check rows about units against the texts and tasks of a set-up, as the loader of study files does."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.models import Setup
from tasks_app.setup import table_rows
from tasks_app.setup.files import SetupFiles
from tasks_app.setup.tables.checking import row_of
from tasks_app.setup.tables.marking import CheckedRows, MarkedProblems
from tasks_app.setup.tables.source import TextsFile, table_of
from tasks_app.setup.unit_tables.declared import UnitLayout, UnitTable
from tasks_app.studyfile.columns import BATCHES, CONTROLS, Kind, TableDeclaration
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.jsontext import dumps
from tasks_app.studyfile.files.source import STUDY_YAML
from tasks_app.studyfile.files.tables import Row, Table
from tasks_app.studyfile.files.writing import answer_text
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks

# Parts of study.yaml that decide which units there are.
_ABOUT_UNITS = ("study", "systems", "criteria", "tasks")


class _Rows(Table):
    """A table of rows that were read before, from one file or several; `file` names it as a whole."""

    def __init__(self, declared: TableDeclaration, file: str, rows: Iterable[Row]) -> None:
        super().__init__(Naming(declared), file, lambda: (), Problems(), format="csv")
        self._rows = rows

    def rows(self) -> Iterator[Row]:
        """Yield the rows in their order."""
        yield from self._rows


def reading_of_units(setup: Setup, table: UnitTable) -> StudyReading:
    """Read all that the rows of a table are checked against: tasks, texts, and for batches the known answers.

    Raises
    ------
    StudyFileError
        Where no units can be made yet, with what has to be put right first.
    """
    reading = StudyReading(SetupFiles(setup))
    for section in sections.registered():
        if section.name == table.stem:
            break
        reading.document[section.name] = section.check(reading)
    drafts = draft_tasks(reading)
    tasks = reading.document["tasks"]
    if not tasks or len(drafts) < len(tasks):
        sentence = _(
            "The rows of this table name units, and there are none yet. Complete the task and the texts first."
        )
        raise StudyFileError([Problem("", 0, 0, sentence), *_in_the_way(reading, reading.items_file)])
    if table.declared is BATCHES and (problems := list(_in_the_way(reading, *CONTROLS.files, yaml=False))):
        sentence = _("Batches leave out units with known answers, so correct the known answers first.")
        raise StudyFileError([Problem("", 0, 0, sentence), *problems])
    return reading


def _in_the_way(reading: StudyReading, *files: str, yaml: bool = True) -> Iterator[Problem]:
    """Yield problems of some files and, with `yaml`, of the settings that units are made of."""
    try:
        reading.problems.raise_if_any()
    except StudyFileError as error:
        for problem in error.problems:
            if problem.file in files:
                yield problem
            elif yaml and problem.file == STUDY_YAML and problem.message.startswith(_ABOUT_UNITS):
                # The researcher has a form in front of them, not the lines of a file.
                yield Problem("", 0, 0, problem.message, problem.count)


def check_rows(reading: StudyReading, table: UnitTable, rows: Iterable[Row], problems: MarkedProblems) -> None:
    """Check rows as those of a study file; add their problems to `problems`."""
    reading.tables[table.stem] = _Rows(table.declared, problems.file, rows)
    reading.problems, reading.notes = problems, []
    section = next(section for section in sections.registered() if section.name == table.stem)
    reading.document[section.name] = section.check(reading)


def check_file(setup: Setup, file: TextsFile, layout: UnitLayout, *, add: bool = False) -> CheckedRows:
    """Check a whole file, with `add` together with the rows that are there.

    Raises
    ------
    StudyFileError
        Where the file is of another format, too large or damaged, or where no units can be made yet.
    """
    table, problems = layout.table, MarkedProblems(file.name)
    checked = CheckedRows([], problems)
    reading = reading_of_units(setup, table)
    rows_read: list[Row] = []

    def read(opened: Table) -> Iterator[Row]:
        for row in opened.rows():
            rows_read.append(row)
            yield row

    with table_of(file, layout.naming, problems, sheet=layout.sheet, quoting=layout.quoting) as opened:
        if opened is None:
            return checked
        check_rows(reading, table, chain(stored_rows(setup, table) if add else (), read(opened)), problems)
    if not rows_read and not problems.count:
        problems.add(file.name, 1, 1, _("There are no rows below the header."))
    if not problems.count:
        checked.rows = [texts_of(table.declared, row.cells) for row in rows_read]
    checked.notes += [*file.notes, *opened.notes, *reading.notes]
    return checked


def stored_rows(setup: Setup, table: UnitTable, *, without: int | None = None) -> list[Row]:
    """Return the rows of a table that are there, as a check reads them, but for the one of a number."""
    naming = Naming(table.declared)
    rows = table_rows.rows_of(setup, table.stem).values_list("cells", "number")
    return [row_of(cells, number, naming, _("rows of this study")) for cells, number in rows if number != without]


def texts_of(declared: TableDeclaration, values: Mapping[str, Json]) -> dict[str, str]:
    """Write the values of a row as texts that are read back as the same values."""
    kinds = {column.name: column.kind for column in declared.columns}
    return {name: _written(kinds[name], value) for name, value in values.items()}


def _written(kind: Kind, value: Json) -> str:
    if kind is Kind.ANSWER:
        return answer_text(value)
    return dumps(value) if kind is Kind.JSON else str(value)
