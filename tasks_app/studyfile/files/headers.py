"""Read the header of a table: the meaning of its columns, the known columns, and the separator."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.studyfile.columns import Column, TableDeclaration
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.problems import Problems, closest, nearest, shown


@dataclass(frozen=True, slots=True)
class Naming:
    """The columns of a table by their names in a file.

    `mapped` gives for our names the file's; columns of the file that it does not name are then left out. Without it
    a file has our names.
    """

    declared: TableDeclaration
    mapped: Mapping[str, str] | None = None
    _known: dict[str, Sequence[tuple[str, Column]]] = field(default_factory=dict)

    def columns(self, theirs: str) -> Sequence[tuple[str, Column]]:
        """Return (our name, column) for everything that a column of the file stands for."""
        if theirs not in self._known:
            self._known[theirs] = tuple(self._columns(theirs))
        return self._known[theirs]

    def _columns(self, theirs: str) -> Iterable[tuple[str, Column]]:
        names = [theirs] if self.mapped is None else [ours for ours, name in self.mapped.items() if name == theirs]
        for ours in names:
            if (column := self.declared.column(ours)) is not None:
                yield ours, column

    def theirs(self, ours: str) -> str | None:
        """Return the name that one of our columns has in the file; None where no column is mapped to it."""
        return ours if self.mapped is None else self.mapped.get(ours)

    @property
    def needed(self) -> list[str]:
        """Our names of the columns that the file must have: those every file needs, and all that are mapped."""
        mapped = () if self.mapped is None else self.mapped
        return list(dict.fromkeys([*self.declared.needed, *mapped]))


_DELIMITER_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a CSV or TSV file.

    `read_as` lists the cells that are read: index, our name, column; `numbers` counts the columns from 1 by our
    names. `filters` says which cells decide whether a row counts, and by which words.
    """

    names: Sequence[str]
    read_as: Sequence[tuple[int, str, Column]]
    numbers: Mapping[str, int]
    filters: Sequence[tuple[int, Collection[str]]]


class Headers:
    """Reads headers, and remembers unknown columns."""

    def __init__(
        self, naming: Naming, file: str, problems: Problems, where: Mapping[str, Collection[str]], hint: str = ""
    ) -> None:
        self.naming = naming
        self.file = file
        self.where = where
        self._problems = problems
        self._advice = hint
        self._unknown: set[str] = set()
        # In the order of the file.
        self._unmapped: dict[str, None] = {}

    def notes(self) -> Iterator[str]:
        """Yield a note on the columns that a mapping leaves out."""
        if self._unmapped:
            sentence = ngettext(
                "%(file)s: %(n)d column is not mapped and was left out: %(names)s.",
                "%(file)s: %(n)d columns are not mapped and were left out: %(names)s.",
                len(self._unmapped),
            )
            names = ", ".join(self._unmapped)
            yield sentence % {"file": self.file, "n": len(self._unmapped), "names": names}

    def delimiter(self, lines: Callable[[], Iterable[str]], candidates: str) -> str:
        """Return the delimiter that gives the most known columns or, if there are none, the most columns."""

        def columns(delimiter: str) -> tuple[int, int]:
            try:
                names = next(csv.reader(lines(), delimiter=delimiter), [])
            except csv.Error:
                return 0, 0
            return sum(bool(self.naming.columns(name.strip())) for name in names), len(names)

        return max(candidates, key=columns)

    def read(self, cells: Sequence[str], line: int, delimiter: str) -> Header | None:
        """Check and return the header; None if rows cannot be read with it."""
        if fault := fault_of_first_line(cells):
            self._report(line, 1, fault)
            return None
        names = [cell.strip() for cell in cells]
        while names and not names[-1]:
            names.pop()
        if len(names) > limits().columns:
            sentence = _("There are more than %(n)d columns. Remove those you don't need.")
            self._report(line, 1, sentence % {"n": limits().columns})
            return None
        usable = True
        for number, name in enumerate(names, start=1):
            if not name and self.naming.mapped is not None:
                # An unnamed column that nobody needs, such as the row numbers that pandas writes.
                self._unmapped.setdefault(_("column %(n)d, which has no name") % {"n": number})
            elif not name:
                self._report(line, number, _("Column %(n)d has no name. Name it, or remove it.") % {"n": number})
            elif names.index(name) != number - 1:
                self._report(line, number, _("There are two columns “%(name)s”. Keep one.") % {"name": name})
                usable = False
            elif not self.naming.columns(name) and name not in self.where:
                self.unknown(line, number, name)
        for ours, theirs in self._needed_names():
            if theirs not in names:
                self._report(line, 1, _missing(ours, theirs, names, delimiter))
                usable = False
        return self._understood(names) if usable else None

    def _needed_names(self) -> Iterator[tuple[str, str | None]]:
        """Yield our name and the file's name of every needed column; None for columns that are not mapped."""
        for ours in self.naming.needed:
            yield ours, self.naming.theirs(ours)
        for theirs in self.where:
            yield theirs, theirs

    def _understood(self, names: Sequence[str]) -> Header:
        cells = [
            (index, ours, column) for index, name in enumerate(names) for ours, column in self.naming.columns(name)
        ]
        return Header(
            names,
            cells,
            {ours: index + 1 for index, ours, _column in cells},
            [(names.index(name), words) for name, words in self.where.items()],
        )

    def unknown(self, line: int, number: int, name: str) -> None:
        """Report an unknown column, or note that it is not mapped."""
        if self.naming.mapped is not None:
            self._unmapped.setdefault(name)
        elif name not in self._unknown:
            self._unknown.add(name)
            sentence = _("Unknown column “%(name)s”.") % {"name": name}
            self._report(line, number, f"{sentence} {self._hint(name)}".rstrip())

    def _hint(self, name: str) -> str:
        declared = self.naming.declared
        if self._advice:
            return f"{nearest(name, declared.names)} {self._advice}".lstrip()
        if declared.prefixes and closest(name, declared.names) is None:
            return _("Name a column of your own feature_…, such as feature_%(name)s.") % {"name": name}
        return nearest(name, declared.names)

    def _report(self, line: int, column: int, sentence: str) -> None:
        self._problems.add(self.file, line, column, sentence)


def fault_of_first_line(cells: Sequence[str]) -> str:
    """Return the problem of a first line that tells Excel the separator instead of being a header, else ""."""
    name, _equals, separator = "".join(cells).strip().partition("=")
    if name.lower() == "sep" and len(separator) <= 1:
        return _("This line is an instruction to Excel. Remove it: the separator is found without it.")
    return ""


def _missing(ours: str, theirs: str | None, names: Sequence[str], delimiter: str) -> str:
    words = {"name": theirs or ours, "delimiter": _DELIMITER_NAMES[delimiter], "names": shown(", ".join(names))}
    if theirs is None:
        sentence = _("No column is mapped to “%(name)s”. The columns here, separated by %(delimiter)s, are: %(names)s.")
        return sentence % words
    sentence = _("The column “%(name)s” is missing. The columns here, separated by %(delimiter)s, are: %(names)s.")
    near = closest(theirs, names)
    hint = " " + _("Did you mean “%(name)s”?") % {"name": near} if near is not None else ""
    return sentence % words + hint
