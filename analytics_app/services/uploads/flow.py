"""Upload a table of values from elsewhere: it is checked row by row, and stored whole or not at all."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing import ColumnMapping
from tasks_app.importing.guessing import peek
from tasks_app.importing.rows import MappedTable
from tasks_app.importing.shaping.prepared import prepared
from tasks_app.importing.source import RatingsFile, Scanned, lines_of, scan_whole
from tasks_app.models import Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.quoting import Quoting
from tasks_app.studyfile.files.tables import Row, Table, word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

# What programs write where there is no value, in small letters.
_NO_VALUE = frozenset({"nan", "none", "null", "na", "n/a"})

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The result of reading a file: counts, a phrase with the main ones, names of metrics or outcomes, and notes."""

    counts: Mapping[str, int]
    summary: str
    notes: tuple[str, ...]
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """The names that a file gives the columns of its kind, where they differ; "" for a column that is not to be read.

    `named` are the columns that hold values under their own names, such as metrics. Of a file in long form, which names
    them in a column, only those are read. `quoting` says what quotation marks are in a file with tabs.
    """

    theirs: Mapping[str, str] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    quoting: str = ""


class ValuesTable(Table):
    """A table in which a program may have written NaN or None where there is no number."""

    def value(self, column: Column, name: str, given: Json) -> Json:
        """Read a cell."""
        if column.kind is Kind.NUMBER and word_of(given).lower() in _NO_VALUE:
            return None
        return super().value(column, name, given)


class MappedValues(MappedTable):
    """Values as a mapping reads them, under our own names."""

    values_of_row = frozenset({"value"})

    def value(self, column: Column, name: str, given: Json) -> Json:
        """Read a cell."""
        if column.kind is Kind.NUMBER and word_of(given).lower() in _NO_VALUE:
            return None
        return super().value(column, name, given)


class Upload(ABC, Generic[Key, Value]):
    """A kind of table: its columns, how its rows are read, and where their values are stored.

    An instance reads one file against a study that is locked; problems are reported.
    """

    stem: ClassVar[str]
    model: ClassVar[type[models.Model]]  # of the stored values
    counted: ClassVar[str]  # what the study's log calls them
    columns: ClassVar[tuple[Column, ...]]
    verb: ClassVar[str]  # of the entry in the study's log
    deleted_verb: ClassVar[str]
    empty: ClassVar[Promise]  # says that the file has no values
    twice: ClassVar[Promise]  # says which line has the value already
    draft: ClassVar[Promise]  # says why a draft takes no such file
    advice: ClassVar[Promise] = gettext_lazy("Use --quoting, or choose it on the page.")

    def __init__(self, study: Study, table: Table, problems: Problems, columns: Columns, *, replace: bool) -> None:
        self.study, self.table, self.chosen, self.replace = study, table, columns, replace
        self._problems = problems

    @classmethod
    def refusal(cls, study: Study) -> str:
        """Return why a study takes no such file; "" where it does."""
        return "" if study.is_frozen else str(cls.draft)

    @classmethod
    def has_values(cls, study: Study) -> bool:
        """Return whether any value of a study is stored."""
        return cls.model._default_manager.filter(study=study).exists()

    @classmethod
    @abstractmethod
    def deletable(cls, study: Study, name: str) -> models.QuerySet[Any]:
        """Return the stored values of a name that can be deleted."""

    @classmethod
    def lock(cls, study_id: int) -> Study:
        """Lock the study until its values are stored, so that the checks still hold."""
        return storing.hold(study_id)

    @classmethod
    def read_columns(cls, file: str, names: Sequence[str], columns: Columns) -> tuple[Column, ...]:
        """Return the columns to read of a file with columns of these names. Raises StudyFileError."""
        return tuple(replace(column, name=columns.theirs.get(column.name, column.name)) for column in cls.columns)

    @classmethod
    def mapped_table(cls) -> TableDeclaration:
        """Return the columns that a mapping gives, by our names."""
        return TableDeclaration(cls.stem, ("csv", "tsv", "jsonl"), cls.columns)

    @abstractmethod
    def entries(self, row: Row) -> Iterator[tuple[Key, str, Value]]:
        """Yield the values of a row by their keys, with the column that a problem is reported for."""

    @abstractmethod
    def fault(self, key: Key, value: Value) -> str:
        """Return why a value cannot be stored; "" where it can."""

    @abstractmethod
    def store(self, values: Mapping[Key, Value]) -> Mapping[str, Any]:
        """Store all values; return the details for the study's log."""

    @abstractmethod
    def uploaded(self, values: Mapping[Key, Value]) -> Uploaded:
        """Count the values before they are stored."""

    def values(self) -> dict[Key, Value]:
        """Return every value of the file by its key."""
        values: dict[Key, Value] = {}
        lines: dict[Key, int] = {}
        for row in self.table.rows():
            for key, column, value in self.entries(row):
                if (line := lines.setdefault(key, row.line)) != row.line:
                    self.report(row, column, self.twice % {"line": line})
                elif fault := self.fault(key, value):
                    self.report(row, column, fault)
                else:
                    values[key] = value
        return values

    def theirs(self, name: str) -> str:
        """Return the name of one of our columns in the file."""
        return self.chosen.theirs.get(name, name)

    def has(self, name: str) -> bool:
        """Return whether the file has one of our columns."""
        return self.table.naming.theirs(self.theirs(name)) is not None

    def word(self, row: Row, name: str) -> str:
        """Return the cell of one of our columns; "" where it is empty."""
        return str(row.cells.get(self.theirs(name), ""))

    def report(self, row: Row, column: str, sentence: str) -> None:
        """Report a problem of a cell, by the name of its column in the file."""
        row.report(self._problems, column, sentence)


def upload(
    kind: type[Upload[Any, Any]],
    *,
    study: Study,
    file: RatingsFile,
    by: Actor,
    columns: Columns | None = None,
    mapping: ColumnMapping | None = None,
    replace: bool = False,
    check: bool = False,
) -> Uploaded:
    """Store the values of a file with a study; with `check`, only report whether they could be stored.

    The columns are those of a `mapping`, if there is one. With `replace`, all stored values under the names of the file
    are deleted first; without it the file adds to them.

    Raises
    ------
    StudyFileError
        With every problem by file, line and column; nothing is stored then.
    """
    if refusal := kind.refusal(study):
        raise StudyFileError([Problem(file.name, 0, 0, refusal)])
    with prepared(file, {} if mapping is None else mapping.document) as table:
        scanned = scan_whole(table)
        try:
            return _upload(
                kind, study.pk, table, scanned, by, columns or Columns(), mapping, replace=replace, check=check
            )
        except NotPossible as error:
            raise StudyFileError([Problem(file.name, 0, 0, str(error))]) from error


@atomically
def delete(kind: type[Upload[Any, Any]], *, study: Study, name: str, by: Actor) -> int:
    """Delete the stored values of a name; return how many there were."""
    storing.hold(study.pk)
    deleted, _each = kind.deletable(study, name).delete()
    if deleted:
        events.log(study, by, kind.deleted_verb, about=name, after={kind.counted: deleted})
    return deleted


@atomically
def _upload(
    kind: type[Upload[Any, Any]], study_id: int, file: RatingsFile, scanned: Scanned, by: Actor, columns: Columns,
    mapping: ColumnMapping | None, *, replace: bool, check: bool,
) -> Uploaded:  # fmt: skip
    """Check and store in one transaction."""
    study = kind.lock(study_id)
    problems = Problems()
    with lines_of(file, scanned.encoding) as lines:
        if mapping is None:
            table: Table = _plain_table(kind, file, columns, lines, problems)
        else:
            table = MappedValues(kind.mapped_table(), mapping, file, lines, problems)
        reader = kind(study, table, problems, columns, replace=replace)
        values = reader.values()
    if not values and not problems.count:
        problems.add(file.name, 0, 0, str(kind.empty))
    problems.raise_if_any()
    uploaded = reader.uploaded(values)
    if not check:
        after = {"file": file.name, **reader.store(values)}
        events.log(study, by, kind.verb, about=file.name[:100], after=after)
    return uploaded


def _plain_table(
    kind: type[Upload[Any, Any]],
    file: RatingsFile,
    columns: Columns,
    lines: Callable[[], Iterable[str]],
    problems: Problems,
) -> ValuesTable:
    """Open a table with columns that are named one by one."""
    names = peek(file, columns.quoting).columns
    declared = kind.read_columns(file.name, names, columns)
    present = {column.name: column.name for column in declared if column.needed or column.name in names}
    naming = Naming(TableDeclaration(kind.stem, ("csv", "tsv", "jsonl"), declared), present)
    quoting = Quoting(columns.quoting, str(kind.advice))
    return ValuesTable(naming, file.name, lines, problems, format=file.format, quoting=quoting)
