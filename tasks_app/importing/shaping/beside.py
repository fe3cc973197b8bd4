"""Files that stand beside a table: joined by a key, or with one line for each of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import PurePath

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.opening import readable
from tasks_app.importing.formats.records import Layout, records
from tasks_app.importing.formats.worksheets import names_of
from tasks_app.importing.shaping.declared import Join
from tasks_app.importing.source import RatingsFile, lines_of, scan_whole
from tasks_app.studyfile.files.tables import word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

# Gives a file by its name.
Find = Callable[[str], RatingsFile]


class Joined:
    """The rows of another file by their keys."""

    def __init__(self, join: Join, table: RatingsFile, find: Find, problems: Problems) -> None:
        # In a zip of several tables, the files that belong together are its sheets.
        is_within = not join.file or join.file in names_of(table)
        file, sheet = (table, join.file or join.sheet) if is_within else (find(join.file), join.sheet)
        self._on = join.on
        self.name = join.file or join.sheet
        self.records: dict[tuple[str, ...], Mapping[str, Json]] = {}
        with ExitStack() as stack:
            file = stack.enter_context(readable(file))
            rows = stack.enter_context(records(file, Layout(sheet=sheet), problems))
            for row in rows.rows() if rows is not None else ():
                key = tuple(word_of(row.cells.get(theirs)) for theirs in join.on.values())
                if self.records.setdefault(key, row.cells) != row.cells:
                    sentence = _("Another row has the key %(key)s already, with other cells. Keep one of them.")
                    row.report(problems, next(iter(join.on.values())), sentence % {"key": ", ".join(key)})

    def add(self, record: Mapping[str, Json]) -> dict[str, Json] | None:
        """Return a record with the columns of the row that has its key; None where there is none.

        A column whose name the record has already is called after the file as well, as in systems.name.
        """
        found = self.records.get(self.key_of(record))
        if found is None:
            return None
        stem = PurePath(self.name).stem
        more = {(name if name not in record else f"{stem}.{name}"): value for name, value in found.items()}
        return {**record, **more}

    def key_of(self, record: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the key that a record has."""
        return tuple(word_of(record.get(ours)) for ours in self._on)


class Aligned:
    """The lines of files that have one for each row of a table."""

    def __init__(self, names: Mapping[str, str], find: Find, stack: ExitStack) -> None:
        self._lines: dict[str, Iterator[str]] = {}
        self._files = names
        for column, name in names.items():
            file = find(name)
            opened = stack.enter_context(lines_of(file, scan_whole(file).encoding))
            self._lines[column] = iter(opened())
        self._n = 0

    def add(self, record: Mapping[str, Json]) -> dict[str, Json]:
        """Return a record with the next line of each file. Raises StudyFileError where a file has no more."""
        self._n += 1
        more: dict[str, Json] = {}
        for column, lines in self._lines.items():
            line = next(lines, None)
            if line is None:
                sentence = _("has only %(n)d lines, fewer than the table has rows: each row needs one.")
                raise StudyFileError([Problem(self._files[column], 0, 0, sentence % {"n": self._n - 1})])
            more[column] = line.rstrip("\r\n")
        return {**record, **more}

    def check_end(self) -> None:
        """Raise StudyFileError where a file has more lines than the table has rows."""
        longer = [self._files[column] for column, lines in self._lines.items() if next(lines, None) is not None]
        if longer:
            sentence = _("has more lines than the table has rows (%(n)d): one for each row is needed.")
            raise StudyFileError([Problem(name, self._n + 1, 0, sentence % {"n": self._n}) for name in longer])
