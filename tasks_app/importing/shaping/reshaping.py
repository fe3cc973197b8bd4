"""Reshape a file: write its rows as lines of JSON, in which every column and path of a mapping is a plain name.

Each line is [line of the file, number of the row within it, {name: value}], so that whatever reads the rows names the
place in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.records import Records, records
from tasks_app.importing.shaping.beside import Aligned, Find, Joined
from tasks_app.importing.shaping.declared import Shape
from tasks_app.importing.shaping.paths import (
    LISTED,
    BadPath,
    Expander,
    fits,
    is_path,
    names_in,
    parse,
    paths_of,
    step_of,
)
from tasks_app.importing.shaping.splits import Splitter, is_expression, words_of
from tasks_app.importing.source import RatingsFile, Reshaped
from tasks_app.studyfile.columns import BadCell, Column, Kind, from_json
from tasks_app.studyfile.problems import Problems, nearest

# Rows whose texts are split together.
BATCH = 2_000

# Records of which the paths are listed where one is missing.
LOOKED_AT = 300

# The columns of a marked span: an empty list of them is an answer that found nothing.
_SPAN = ("span_side", "span_start", "span_end", "category", "severity")
NOTHING = "none"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The part of a file to read: `columns` by our names (None: ours), `where` and, with `everything`, all columns."""

    columns: Mapping[str, str] | None
    where: Sequence[str] = ()
    everything: bool = False

    @classmethod
    def read(cls, document: Mapping[str, Json]) -> Wanted:
        """Read the parts of a mapping that fits the schema."""
        columns = document.get("columns")
        return cls(columns, tuple(document.get("where", ())), columns is None or "wide" in document)


@dataclass(slots=True)
class Reshaping:
    """Reshapes one file; problems are reported."""

    shape: Shape
    wanted: Wanted
    file: RatingsFile
    problems: Problems
    _met: set[str] = field(default_factory=set)
    _samples: list[Mapping[str, Json]] = field(default_factory=list)
    _width: int = 1
    _without: int = 0
    _has_marks: bool = False

    def run(self, find: Find, target: IO[bytes], limit: int | None = None) -> Reshaped | None:
        """Write the rows of a file, or of its first lines up to `limit`; None where that was reported as impossible."""
        with ExitStack() as stack:
            table = stack.enter_context(records(self.file, self.shape.layout, self.problems))
            if table is None:
                return None
            joins = [Joined(join, self.file, find, self.problems) for join in self.shape.joins]
            aligned = Aligned(self.shape.beside, find, stack) if self.shape.beside else None
            for line, part, row in self._rows(table, joins, aligned, limit):
                self._width = max(self._width, part + 1)
                target.write(json.dumps([line, part, row], ensure_ascii=False).encode() + b"\n")
            if aligned is not None and limit is None:
                aligned.check_end()
        target.flush()
        if limit is None:
            self._report_missing(table)
        return Reshaped(
            tuple(dict.fromkeys(name for record in self._samples for name in record)),
            self._numbers(table), self._words(), self._width, (*table.notes, *self._notes()),
            not table.is_json,
        )  # fmt: skip

    @property
    def _paths(self) -> list[str]:
        preference = self.shape.preference
        sides = [] if preference is None else [preference.first, preference.second]
        mapped = (self.wanted.columns or {}).values()
        return list(dict.fromkeys([*mapped, *self.wanted.where, *self.shape.splits, *sides]))

    def _words(self) -> tuple[str, ...]:
        """Return our columns that stand in braces."""
        words = {word for path in self._paths if is_path(path) and path not in self._met_columns for word in
                 names_in(path)}  # fmt: skip
        for pattern in self.shape.splits.values():
            words.update(split_words(pattern))
        if self.shape.preference is not None:
            words.add("label")
        if self._has_marks:
            words.update(word for word in ("label", "criterion") if word not in (self.wanted.columns or {}))
        return tuple(sorted(words))

    @property
    def _met_columns(self) -> set[str]:
        return {name for record in self._samples for name in record}

    def _rows(
        self, table: Records, joins: Sequence[Joined], aligned: Aligned | None, limit: int | None
    ) -> Iterator[tuple[int, int, dict[str, Json]]]:
        expander = Expander(self.shape.only, frozenset(path for path in self._paths if "{" not in path))
        splitters = {path: Splitter(pattern, expander) for path, pattern in self.shape.splits.items()}
        rows = self._expanded(table, joins, aligned, expander, limit)
        while batch := list(islice(rows, BATCH)):
            for path, splitter in splitters.items():
                texts = [str(row[path]) for _line, _part, row in batch if row.get(path) is not None]
                splitter.prepare(texts)
            for line, part, row in batch:
                try:
                    yield line, part, self._finished(row, splitters)
                except BadPath as error:
                    self.problems.add(self.file.name, line, 1, str(error))

    def _finished(self, row: dict[str, Json], splitters: Mapping[str, Splitter]) -> dict[str, Json]:
        for path, splitter in splitters.items():
            if row.get(path) is not None:
                row.update({f"{{{word}}}": text for word, text in splitter.parts(str(row[path])).items()})
        if self.shape.preference is not None:
            row[self._called("label")] = self._preferred(row)
        return row

    def _preferred(self, row: Mapping[str, Json]) -> str | None:
        """Return the label of a preference that follows from two numbers. Raises BadPath."""
        preference = self.shape.preference
        assert preference is not None, "asked for one"
        sides = [row.get(preference.first), row.get(preference.second)]
        try:
            first, second = (from_json(_SIDE, side) for side in sides)
        except BadCell as error:
            raise BadPath(f"prefer: {error}") from None
        if first is None or second is None:
            return None
        if first == second:
            return "tie"
        return "first" if (first > second) == (preference.better == "higher") else "second"

    def _expanded(
        self, table: Records, joins: Sequence[Joined], aligned: Aligned | None, expander: Expander, limit: int | None
    ) -> Iterator[tuple[int, int, dict[str, Json]]]:
        paths = {path: path for path in self._paths}
        for row in islice(table.rows(), limit):
            record: dict[str, Json] | None = row.cells
            if aligned is not None:
                record = aligned.add(record or {})
            for join in joins:
                if record is not None and (joined := join.add(record)) is None:
                    sentence = _("The file %(file)s has no row with the key %(key)s.")
                    key = ", ".join(join.key_of(record))
                    self.problems.add(self.file.name, row.line, 1, sentence % {"file": join.name, "key": key})
                    record = None
                elif record is not None:
                    record = joined
            if record is None:
                continue
            if len(self._samples) < LOOKED_AT:
                self._samples.append(record)
            try:
                made = list(self._of_record(record, paths, expander))
            except BadPath as error:
                self.problems.add(self.file.name, row.line, 1, str(error))
                continue
            self._without += not made
            for part, cells in enumerate(made):
                self._met.update(cells)
                yield row.line, part, cells

    def _of_record(
        self, record: Mapping[str, Json], paths: Mapping[str, str], expander: Expander
    ) -> Iterator[dict[str, Json]]:
        own = dict(record) if self.wanted.everything else {}
        spans, score = self._span_paths(record)
        if not spans:
            yield from ({**own, **row} for row in expander.rows(record, paths))
            return
        # Marks are rows of their own, and so is a score that stands beside them.
        self._has_marks = True
        label, criterion = (self._called(name) for name in ("label", "criterion"))
        unscored = {name: path for name, path in paths.items() if name != score}
        marks = list(expander.rows(record, unscored))
        of_marks = {criterion: "errors"} if score else {}
        yield from ({**own, **cells, **of_marks} for cells in marks)
        beside = {name: path for name, path in paths.items() if name not in spans}
        if not marks:
            nothing = expander.rows(record, {name: path for name, path in beside.items() if name != score})
            yield from ({**own, **cells, label: NOTHING} for cells in nothing)
        if score:
            yield from ({**own, **cells, criterion: "score"} for cells in expander.rows(record, beside))

    def _called(self, ours: str) -> str:
        """Return the name of one of our columns in the rows."""
        return (self.wanted.columns or {}).get(ours, f"{{{ours}}}")

    def _span_paths(self, record: Mapping[str, Json]) -> tuple[set[str], str]:
        """Return the paths of marked spans that stand in a list, and that of a score beside them."""
        columns = self.wanted.columns or {}
        loops = {ours for ours, path in columns.items() if path not in record and is_path(path)
                 and any(step.makes_rows for step in parse(path))}  # fmt: skip
        if not loops.intersection(_SPAN):
            return set(), ""
        score = "" if "value" in loops else columns.get("value", "")
        return {columns[ours] for ours in loops}, score

    def _report_missing(self, table: Records) -> None:
        """Report columns and paths that no record has, with those that exist."""
        known = dict.fromkeys(path for record in self._samples for path in paths_of(record))
        names = {*self._met_columns, *table.names}
        for path in self._paths:
            if path in self._met or path in names or not self._samples or self._is_there(path, known):
                continue
            sentence = _("The file has no “%(path)s”.") % {"path": path}
            listed = list(known)[:LISTED]
            more = " …" if len(known) > LISTED else ""
            there = _("It has: %(paths)s.") % {"paths": ", ".join(listed) + more}
            suggestion = nearest(path, known) if len(known) > LISTED else ""
            advice = [sentence, suggestion, there, self._about_split(path), self._about_header(table)]
            self.problems.add(self.file.name, 0 if table.is_json else 1, 0, " ".join(filter(None, advice)))

    def _about_split(self, path: str) -> str:
        """Return advice where a column of the mapping is a part that a pattern of `split` names; else ""."""
        if not any(path in words_of(pattern) for pattern in self.shape.splits.values()):
            return ""
        return _("The pattern under “split” fills “%(path)s” already: remove it from “columns”.") % {"path": path}

    def _about_header(self, table: Records) -> str:
        """Return advice where the first line of a file may be no header; "" where it looks like one."""
        if table.is_json or self.shape.layout.header or not looks_like_data(table.names):
            return ""
        return _("The first line looks like data: if the file has no header, write header: none.")

    def _is_there(self, path: str, known: Mapping[str, None]) -> bool:
        """Return whether a path without a value exists: its list or cell is empty everywhere."""
        first = parse(path)[0]
        if first.kind == "names":
            return any(fits(name, first) for name in self._met_columns - set(self._paths))
        begin = path.partition("{")[0].rstrip(".[")
        return any(other in {path, begin} or other.startswith((f"{begin}[", f"{begin}.")) for other in known)

    def _numbers(self, table: Records) -> dict[str, int]:
        """Return the numbers of the columns by the paths into them."""
        if table.is_json:
            return {}
        numbers = {name: number for number, name in enumerate(table.names, start=1) if name}
        for path in self._paths:
            if path not in numbers and is_path(path):
                first = parse(path)[0]
                if first.kind == "key" and first.word in numbers:
                    numbers[path] = numbers[first.word]
        return numbers

    def _notes(self) -> Iterator[str]:
        if self._without:
            sentence = ngettext(
                "%(n)d row has an empty list, so it has no ratings.",
                "%(n)d rows have an empty list, so they have no ratings.",
                self._without,
            )
            yield sentence % {"n": self._without}
        unused = [name for name in self._met_columns if not self._uses(name)]
        if unused and not self.wanted.everything:
            sentence = ngettext(
                "%(file)s: %(n)d column is not mapped and was left out: %(names)s.",
                "%(file)s: %(n)d columns are not mapped and were left out: %(names)s.",
                len(unused),
            )
            in_order = [name for name in dict.fromkeys(name for record in self._samples for name in record)
                        if name in unused]  # fmt: skip
            yield sentence % {"file": self.file.name, "n": len(unused), "names": ", ".join(in_order)}

    def _uses(self, name: str) -> bool:
        """Return whether a column of the file is read, by its name or by a path into it."""
        joined = {theirs for join in self.shape.joins for theirs in join.on}
        if name in self._paths or name in joined:
            return True
        firsts = [parse(path)[0] for path in self._paths if is_path(path) and path not in self._met_columns]
        return any(first.word == name or (first.kind == "names" and fits(name, first)) for first in firsts)


_SIDE = Column("value", Kind.NUMBER, gettext_lazy("A rank or score."))


def looks_like_data(names: Sequence[str]) -> bool:
    """Return whether the first line of a table may be data: names of columns are rarely numbers, and never equal."""
    filled = [name for name in names if name]
    return any(name.replace(".", "", 1).lstrip("-").isdecimal() for name in filled) or len(set(filled)) < len(filled)


def split_words(pattern: str) -> list[str]:
    """Return our columns that a pattern of split fills."""
    if is_expression(pattern):
        return [part.partition(">")[0] for part in pattern.split("(?P<")[1:]]
    return list(step_of(pattern).names)


def reshape(
    file: RatingsFile, document: Mapping[str, Json], find: Find, target: IO[bytes], problems: Problems,
    limit: int | None = None,
) -> Reshaped | None:  # fmt: skip
    """Write the rows of a file as a mapping shapes them; None where problems were reported. Raises StudyFileError."""
    return Reshaping(Shape.read(document), Wanted.read(document), file, problems).run(find, target, limit)
