"""Guess how the tables of one file belong together: by a column that holds the keys of another table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePath

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.worksheets import names_of, sheet_rows
from tasks_app.importing.guessing import Peek, peek
from tasks_app.importing.source import RatingsFile
from tasks_app.studyfile.files.limits import limits


@dataclass(frozen=True, slots=True)
class JoinedPeek:
    """A look at a table with the columns of those that it is joined with, and the joins as a mapping has them."""

    peek: Peek
    joins: Sequence[Mapping[str, Json]] = ()


def joined_peek(file: RatingsFile, rows: int) -> JoinedPeek:
    """Look at the first rows of a file; where it holds several tables, with the columns of those that fit.

    Raises
    ------
    StudyFileError
        Where it cannot be read.
    """
    others = names_of(file)[1:]
    # A join that leaves a row without a partner is refused, so that all rows are looked at.
    found = JoinedPeek(peek(file, rows=limits().ratings_rows if others else rows))
    for name in others:
        columns, by_row = _table(file, name)
        on = _key(found.peek, columns, by_row)
        if on is not None:
            found = JoinedPeek(_with(found.peek, name, columns, by_row, on), [*found.joins, _join(name, on)])
    return replace(found, peek=replace(found.peek, rows=found.peek.rows[:rows]))


def with_joins(document: Mapping[str, Json], joins: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return a mapping with the joins by which its columns are found."""
    return {**document, "join": [*joins]} if joins else dict(document)


def _table(file: RatingsFile, name: str) -> tuple[list[str], list[list[str]]]:
    with sheet_rows(file, name) as (opened, _notes):
        found = [cells for cells in islice(opened, limits().ratings_rows) if any(cells)]
    header = [cell.strip() for cell in found[0]] if found else []
    return header, found[1:]


def _key(main: Peek, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, str] | None:
    """Return the columns of a table and those of another by which they belong together; None where there are none.

    Values are unique in the other table, and each row has its own there; equal names come first.
    """
    keys: dict[str, set[str]] = {}
    for at, name in enumerate(columns):
        values = [row[at].strip() for row in rows if at < len(row)]
        if name and len(set(values)) == len(values) and all(values):
            keys[name] = set(values)
    pairs = [(ours, theirs) for ours in main.columns for theirs in keys]
    for ours, theirs in sorted(pairs, key=lambda pair: pair[0].casefold() != pair[1].casefold()):
        at = main.columns.index(ours)
        cells = [row[at].strip() if at < len(row) else "" for row in main.rows]
        # Numbers from 1 on are in every table: they say something only where the names are the same.
        same = ours.casefold() == theirs.casefold()
        tells = same or any(not cell.isdigit() for cell in cells)
        if cells and tells and keys[theirs].issuperset(cells):
            return {ours: theirs}
    return _key_of_several(main, columns, rows)


def _key_of_several(main: Peek, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, str] | None:
    """Return the columns of equal names that are a key together, such as item and system; None where they are none."""
    names = [name for name in columns if name and name in main.columns]
    keys = [_cells(row, columns, names) for row in rows]
    known = set(keys)
    is_key = len(names) > 1 and len(known) == len(keys) and bool(main.rows)
    has_all = is_key and all(_cells(row, main.columns, names) in known for row in main.rows)
    return {name: name for name in names} if has_all else None


def _cells(row: Sequence[str], columns: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    places = map(columns.index, names)
    return tuple(row[place].strip() if place < len(row) else "" for place in places)


def _join(name: str, on: Mapping[str, str]) -> dict[str, Json]:
    ((ours, theirs), *others) = on.items()
    return {"sheet": name, "on": ours if ours == theirs and not others else dict(on)}


def _with(main: Peek, name: str, columns: Sequence[str], rows: Sequence[Sequence[str]], on: Mapping[str, str]) -> Peek:
    """Return a look with the columns of another table, called as a join calls them."""
    by_key = {_cells(row, columns, [*on.values()]): row for row in rows}
    named = {
        place: column if column not in main.columns else f"{PurePath(name).stem}.{column}"
        for place, column in enumerate(columns)
        if column and column not in on.values()
    }
    joined = []
    for row in main.rows:
        other = by_key.get(_cells(row, main.columns, [*on]), ())
        joined.append([*row, *(other[place] if place < len(other) else "" for place in named)])
    return Peek([*main.columns, *named.values()], joined, main.paths)
