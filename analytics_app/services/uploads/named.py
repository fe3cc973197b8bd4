"""Tables of numbers under names, such as scores of metrics: a column for each name, or names and values in columns."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.services.uploads.flow import Columns, Upload
from tasks_app.models import Study
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problem, StudyFileError

# Rows of one statement that inserts.
_BATCH = 5000

# As the columns of the tables.
_LONGEST = 100

_VALUE = "value"

About = TypeVar("About")


class NamedValues(Upload[tuple[About, str], float], Generic[About]):
    """A kind of table with keys that are the subject of a number, and its name."""

    name: ClassVar[str]  # of the column of names, and of the field of the model
    noun: ClassVar[Promise]
    nouns: ClassVar[Promise]
    named_doc: ClassVar[Promise]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_long = self.is_long(self.table.naming.declared.names)
        self._stored = set() if self.replace else set(self.stored())
        self._left_out: dict[str, None] = {}

    @classmethod
    def is_long(cls, names: Iterable[str]) -> bool:
        """Return whether a file with these columns has its values in two columns: name and value."""
        return {cls.name, _VALUE} <= set(names)

    @classmethod
    def looks_like_values(cls, numbers: Sequence[float]) -> bool:
        """Return whether the first numbers of a column may be values."""
        return bool(numbers)

    @classmethod
    def deletable(cls, study: Study, name: str) -> models.QuerySet[Any]:
        """Return all values of a name."""
        return cls.model._default_manager.filter(study=study, **{cls.name: name})

    @classmethod
    def read_columns(cls, file: str, names: Sequence[str], columns: Columns) -> tuple[Column, ...]:
        """Add the columns of values. Raises StudyFileError where nobody said which columns hold values."""
        declared = super().read_columns(file, names, columns)
        if cls.is_long(names):
            return *declared, *cls.name_and_value()
        about = {column.name for column in declared}
        others = [name for name in names if name not in about]
        words: dict[str, object] = {"nouns": cls.nouns, "names": ", ".join(others)}
        if others and not columns.named:
            sentence = _(
                "Which of these columns are %(nouns)s: %(names)s? Name them with --%(nouns)s, or tick them on the page."
            )
            raise StudyFileError([Problem(file, 1, 1, sentence % words)])
        for named in about.intersection(columns.named):
            sentence = _("The column “%(name)s” says what a value belongs to, so it cannot be one of the %(nouns)s.")
            raise StudyFileError([Problem(file, 1, 1, sentence % {**words, "name": named})])
        doc = gettext_lazy("The values of this name.")
        return *declared, *(Column(named, Kind.NUMBER, doc, needed=True) for named in columns.named)

    @classmethod
    def name_and_value(cls) -> tuple[Column, Column]:
        """Return the two columns of a file in long form."""
        name = Column(cls.name, Kind.WORD, gettext_lazy("Name of what was measured."), needed=True)
        return name, Column(_VALUE, Kind.NUMBER, gettext_lazy("Its value."), needed=True)

    @classmethod
    def mapped_table(cls) -> TableDeclaration:
        """Return the columns that a mapping gives: values are in long form by then."""
        return TableDeclaration(cls.stem, ("csv", "tsv", "jsonl"), (*cls.columns, *cls.name_and_value()))

    @abstractmethod
    def about(self, row: Row) -> About | None:
        """Return the subject of the values of a row; None where that was reported as a problem."""

    @abstractmethod
    def stored(self) -> Iterable[tuple[Any, str]]:
        """Return the keys of all stored values."""

    @abstractmethod
    def rows(self, values: Mapping[tuple[About, str], float]) -> Iterable[models.Model]:
        """Return the values as rows of the model."""

    def entries(self, row: Row) -> Iterator[tuple[tuple[About, str], str, float]]:
        """Yield the values of a row by their subjects and names; an empty cell is no value."""
        about, values = self.about(row), list(self._cells(row))
        if about is not None:
            for name, column, value in values:
                yield (about, name), column, value

    def fault(self, key: tuple[About, str], value: float) -> str:
        """Refuse a value that is stored already."""
        if key not in self._stored:
            return ""
        return _("The study already has this value. To replace it, tick Replace on the page, or use --replace.")

    def store(self, values: Mapping[tuple[About, str], float]) -> Mapping[str, Any]:
        """Store the values, in place of all of their names where that was chosen."""
        names = self.names(values)
        if self.replace:
            self.model._default_manager.filter(study=self.study, **{f"{self.name}__in": names}).delete()
        rows = self.model._default_manager.bulk_create(self.rows(values), batch_size=_BATCH)
        return {f"{self.name}s": names, self.counted: len(rows), "replaced": self.replace}

    def names(self, values: Mapping[tuple[About, str], float]) -> list[str]:
        """Return the names of the values in order."""
        return sorted({name for _about, name in values})

    def notes(self) -> Iterator[str]:
        """Yield a note on names of the file that were left out."""
        yield from self.table.notes
        if self._left_out:
            sentence = _("Left out, because they were not named: %(names)s.")
            yield sentence % {"names": ", ".join(self._left_out)}

    def _cells(self, row: Row) -> Iterator[tuple[str, str, float]]:
        """Yield name, column and value of the cells of a row."""
        cells, chosen = row.cells, self.chosen.named
        if not self._is_long:
            pairs = [(name, name, float(cells[name])) for name in chosen if name in cells]
        elif self.name not in cells:
            self.report(row, self.name, _("Every row needs the name of its %(noun)s.") % {"noun": self.noun})
            pairs = []
        elif chosen and cells[self.name] not in chosen:
            self._left_out.setdefault(str(cells[self.name]))
            pairs = []
        else:
            pairs = [(str(cells[self.name]), _VALUE, float(cells[_VALUE]))] if _VALUE in cells else []
        for name, column, value in pairs:
            if len(name) > _LONGEST:
                sentence = _("This name is too long: at most %(n)d characters can be stored.") % {"n": _LONGEST}
                self.report(row, self.name if self._is_long else column, sentence)
            else:
                yield name, column, value
