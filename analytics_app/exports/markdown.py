"""A table in Markdown, as GitHub and most other readers of Markdown show tables."""

import re
from collections.abc import Iterator

from analytics_app.show.cells import Cell
from analytics_app.show.table import Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>&|~$#!])")
# What begins a list or a heading at the start of a line.
_LIST = re.compile(r"^([-+=]|\d+(?=[.)]))")


def write(table: Table, *, title: str, origin: str) -> str:
    """Return a table below its title, its notes below it, and `origin` in a comment at the end."""
    return "\n".join(_lines(table, title, origin))


def escaped(text: str) -> str:
    """Return a text on one line in which nothing is markup."""
    return _SPECIAL.sub(r"\\\1", _joined(text))


def _joined(text: str) -> str:
    """Join the lines of a text, and leave its no-break spaces."""
    return re.sub(r"[^\S\u00a0]+", " ", text).strip(" ")


def _lines(table: Table, title: str, origin: str) -> Iterator[str]:
    yield f"**{escaped(title)}**"
    yield ""
    yield f"| {' | '.join(escaped(str(column.label)) for column in table.columns)} |"
    yield f"| {' | '.join('---:' if column.number else ':---' for column in table.columns)} |"
    for row in table.rows:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""
    if table.notes:
        yield from (f"- {_LIST.sub(_backslash, escaped(str(note)))}" for note in table.notes)
        yield ""
    yield f"<!-- {_joined(origin).replace('--', '- -').replace('>', '')} -->"
    yield ""


def _backslash(start: re.Match[str]) -> str:
    return f"{start[0]}\\" if start[0][0].isdigit() else f"\\{start[0]}"


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    return f"**{text}**" if cell.strong and text else text
