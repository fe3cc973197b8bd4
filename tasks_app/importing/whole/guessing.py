"""Guess the uses of the columns of a table of texts and ratings: a mapping to start from, which a person looks over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.columns import RATINGS
from tasks_app.importing.guessing import Peek, guess, numbered, peek, plain_name
from tasks_app.importing.mapping import COMMA, NO_HEADER
from tasks_app.importing.names import DECIMAL_COMMA
from tasks_app.importing.source import RatingsFile
from tasks_app.importing.whole.columns import ATTRIBUTE, FEATURE, OF_SYSTEM
from tasks_app.importing.whole.joins import joined_peek, with_joins
from tasks_app.importing.whole.nested import nested_answers
from tasks_app.importing.whole.numbered import Family, Grid, family_of, grid_of
from tasks_app.setup.tables.column_names import FEATURES, KNOWN_AS
from tasks_app.setup.tables.layout import feature_name
from tasks_app.studyfile.columns import BadCell, from_text

# Names of attributes of raters, in small letters.
_ATTRIBUTES = frozenset(
    {"age", "gender", "sex", "expertise", "education", "country", "nationality", "native language", "native speaker",
     "occupation", "experience", "first language"}
)  # fmt: skip

# Names of attributes of systems: alone, or behind “system” or “model”, as in model_size.
_OF_SYSTEMS = frozenset({"size", "parameters", "params", "architecture", "family", "type", "kind", "version", "vendor"})

# Names that are no criterion although their cells are numbers.
_NO_CRITERIA = frozenset({"index", "row", "line", "number", "no", "id", "unnamed", "time", "timestamp", "batch", "hit"})

# Rows from which columns are guessed.
LOOKED_AT = 300

# The longest scale whose steps a person would choose, and the cells that decide.
_MOST, _CELLS = 100.0, 20

# Share of the cells of a column of ratings that are numbers.
_NUMBERS = 0.75

# The longest scale of steps.
_STEPS = 11

# The longest word of a label, and the most labels.
_LABEL, _LABELS = 30, 12


# The two ways to read columns that are numbered.
RATERS, CRITERIA = "raters", "criteria"


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read the columns of a table: its name, the mapping, and a sentence on the uses of the columns."""

    name: str
    document: Mapping[str, Json]
    about: str = ""


def readings_of(file: RatingsFile, *, has_header: bool = True) -> list[Reading]:
    """Return the ways to read a file; its tables are joined where they belong together. Raises StudyFileError."""
    if not has_header:
        found = readings(numbered(peek(file, rows=LOOKED_AT)))
        return [replace(reading, document={"header": NO_HEADER, **reading.document}) for reading in found]
    joined = joined_peek(file, LOOKED_AT)
    return [replace(found, document=with_joins(found.document, joined.joins)) for found in readings(joined.peek)]


def readings(look: Peek) -> list[Reading]:
    """Return the ways to read a table with these columns and first rows; with several, only a person can choose."""
    with_commas = {name for name, cells in _cells_of(look).items() if _has_decimal_commas(cells)}
    if not with_commas:
        return _readings(look)
    rows = [
        [cell.replace(",", ".") if name in with_commas else cell for name, cell in zip(look.columns, row, strict=False)]
        for row in look.rows
    ]
    return [
        replace(found, document={**found.document, "decimal": COMMA})
        for found in _readings(Peek(look.columns, rows, look.paths))
    ]


def _cells_of(look: Peek) -> dict[str, list[str]]:
    return {name: [row[at].strip() for row in look.rows if at < len(row)] for at, name in enumerate(look.columns)}


def _has_decimal_commas(cells: Sequence[str]) -> bool:
    """Return whether cells are numbers of which some have a decimal comma."""
    filled = [cell for cell in cells if cell]
    some = any(DECIMAL_COMMA.fullmatch(cell) for cell in filled)
    return some and all(DECIMAL_COMMA.fullmatch(cell) or re.fullmatch(r"[-+]?[0-9]+", cell) for cell in filled)


def _readings(look: Peek) -> list[Reading]:
    cells = _cells_of(look)
    nested = nested_answers(cells)
    if nested is not None:
        columns = _described(look, cells, nested.used)
        if "item" not in columns:
            ids = [name for name in look.columns if plain_name(name) == "id" and name not in nested.used]
            columns |= {"item": ids[0]} if ids else {}
        columns = {ours: theirs for ours, theirs in columns.items() if ours not in {"rater", "value", "label"}}
        return [Reading("", _finished({"columns": {**columns, **nested.columns}, **nested.more}))]
    numbered: Grid | Family | None = grid_of(_may_be_answers(look.columns), lambda name: _is_rated(cells[name]))
    numbered = numbered or _family(look, cells)
    columns = _described(look, cells, numbered.columns if numbered is not None else ())
    if numbered is None or "rater" in columns:
        return [Reading("", _one_reading(look, cells))]
    of_raters = {name: theirs for name, theirs in columns.items() if name not in {"value", "label", "criterion"}}
    names = ", ".join(numbered.columns)
    if isinstance(numbered, Grid):
        document = {"columns": {**of_raters, "value": numbered.pattern}, **numbered.document}
        is_sure = numbered.is_sure
    else:
        answer = "value" if _is_rated(cells[numbered.columns[0]]) else "label"
        document = {"columns": of_raters, "wide": {"of": "rater", answer: list(numbered.columns)}}
        if not numbered.is_rater:
            document["constant"] = {"criterion": numbered.stem}
        is_sure = numbered.is_rater and numbered.is_sure and _on_one_scale(cells[name] for name in numbered.columns)
    about = _("%(names)s hold the ratings of one rater each.") % {"names": names}
    raters = Reading(RATERS, document, about)
    if is_sure:
        return [raters]
    about = _("%(names)s are criteria, and the file does not say who rated.") % {"names": names}
    return [raters, Reading(CRITERIA, _one_reading(look, cells, numbered.columns), about)]


def warning_of(document: Mapping[str, Json]) -> str:
    """Return the loss by a reading of a table: agreement, where no column says who rated; "" where nothing is lost."""
    if not document.get("unknown_raters"):
        return ""
    return _(
        "No column says who rated: each row counts as the rating of another, unknown person, and no agreement is "
        "computed. If a column names the rater, map it to rater."
    )


def _family(look: Peek, cells: Mapping[str, Sequence[str]]) -> Family | None:
    free = _may_be_answers(look.columns)
    found = family_of(free, lambda name: _is_rated(cells[name]))
    return found or family_of(free, lambda name: _is_label(cells[name]) and not _is_text(cells[name]))


def _may_be_answers(columns: Sequence[str]) -> list[str]:
    """Return the columns without the name of an attribute, a number of a row or a time."""
    plain = {name: plain_name(name) for name in columns}
    return [
        name
        for name, words in plain.items()
        if not {words, words.partition(" ")[2]} & _ATTRIBUTES
        and not set(words.split()) & (_NO_CRITERIA | {"seconds", "duration"})
        and not name.startswith(FEATURE)
        and not _attribute_of_system(name)
    ]


def _attribute_of_system(name: str) -> str:
    """Return the name of the attribute of systems that a column seems to hold; "" for another column."""
    first, _space, rest = plain_name(name).partition(" ")
    if first in {"system", "model"} and rest in _OF_SYSTEMS:
        return rest
    return "architecture" if first == "architecture" and not rest else ""


def _on_one_scale(columns: Iterable[Sequence[str]]) -> bool:
    """Return whether the numbers or words of all columns may be of one scale: steps up to 11, or wider ranges."""
    kinds = set()
    for cells in columns:
        numbers = [float(cell) for cell in cells if cell and _is_rated([cell])]
        kinds.add("label" if not numbers else max(map(abs, numbers)) <= _STEPS)
    return len(kinds) == 1


def _described(look: Peek, cells: Mapping[str, list[str]], numbered: Sequence[str]) -> dict[str, str]:
    """Return the uses of columns about texts and raters, without some columns that hold answers."""
    rest = [name for name in look.columns if name not in numbered]
    # Names such as “submission” seldom mean the key of an answer; without one, the rows of a rater on a text are one.
    is_ours = {"judgment", "unit"} <= set(rest)
    unsure = {"text", "document"} if is_ours else {"text", "document", "judgment"}
    columns = {ours: theirs for ours, theirs in guess(rest).items() if ours not in unsure}
    for ours in ("source", "reference", "output", "language", "source_language", "document"):
        taken = set(columns.values())
        names = [name for word in KNOWN_AS[ours] for name in rest if plain_name(name) == word]
        free = [name for name in names if name not in taken or columns.get("item") == name]
        if free and (ours not in {"source", "reference", "output"} or _is_text(cells[free[0]])):
            columns = {name: theirs for name, theirs in columns.items() if theirs != free[0]}
            columns[ours] = free[0]
    if "value" in columns and not _is_rated(cells[columns["value"]]):
        words = columns.pop("value")
        if _is_label(cells[words]) and "label" not in columns:
            columns["label"] = words
    for name in rest:
        if name not in columns.values() and plain_name(name) in _ATTRIBUTES:
            columns[f"{ATTRIBUTE}{plain_name(name).replace(' ', '_')}"] = name
        elif name not in columns.values() and (name.startswith(FEATURE) or plain_name(name) in FEATURES):
            columns[name if name.startswith(FEATURE) else f"{FEATURE}{feature_name(name)}"] = name
        elif name not in columns.values() and (attribute := _attribute_of_system(name)):
            columns[f"{OF_SYSTEM}{attribute}"] = name
    return columns


def _one_reading(look: Peek, cells: dict[str, list[str]], numbered: Sequence[str] = ()) -> dict[str, Json]:
    """Return the mapping of a table with one rating in a row, or a column for each criterion."""
    columns = _described(look, cells, numbered)
    document: dict[str, Json] = {"columns": columns}
    if numbered and not all(_is_rated(cells[name]) for name in numbered):
        document["wide"] = {"of": "criterion", "label": list(numbered)}
        columns.pop("label", None)
    elif numbered:
        columns.pop("value", None)
    if "value" in columns and "criterion" not in columns:
        document["constant"] = {"criterion": columns["value"]}
    if "wide" not in document and not {"value", "label"} & set(columns):
        document |= _criteria(look, columns, cells)
    return _finished(document)


def _finished(document: dict[str, Json]) -> dict[str, Json]:
    """Return a mapping that says so where no column names a rater."""
    wide = document.get("wide")
    if "rater" not in document["columns"] and (wide is None or wide["of"] != "rater"):
        document["unknown_raters"] = True
    return document


def _criteria(look: Peek, columns: dict[str, str], cells: dict[str, list[str]]) -> dict[str, Json]:
    """Return the columns that hold ratings on a criterion each."""
    free = [name for name in look.columns if name not in columns.values() and plain_name(name) not in _NO_CRITERIA]
    rated = [name for name in free if _is_rated(cells[name]) and not plain_name(name).endswith(" id")]
    if not rated:
        labels = [name for name in free if _is_label(cells[name])]
        if labels:
            columns["label"] = labels[-1]
        return {}
    if len(rated) == 1:
        columns["value"] = rated[0]
        return {"constant": {"criterion": rated[0]}}
    columns.pop("criterion", None)
    return {"wide": {"of": "criterion", "value": rated}}


def _is_rated(cells: Sequence[str]) -> bool:
    """Return whether cells look like ratings: numbers on a scale, with at least two of them alike.

    Of many cells a few may be something else, such as a hyphen: whoever reads them asks what they mean.
    """
    filled = [cell for cell in cells if cell]
    values = [number for number in map(_number, filled) if number is not None]
    if len(values) < _NUMBERS * len(filled):
        return False
    alike = len(set(values)) < len(values) or len(values) < _CELLS
    return bool(values) and alike and all(-_MOST <= value <= _MOST for value in values)


def _number(cell: str) -> float | None:
    try:
        number: float | None = from_text(_NUMBER, cell)
    except BadCell:
        return None
    return number


def _is_label(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    if any(cell.startswith(("{", "[")) for cell in filled):
        return False
    return bool(filled) and max(map(len, filled)) <= _LABEL and len(set(filled)) <= min(_LABELS, len(filled))


def _is_text(cells: Sequence[str]) -> bool:
    """Return whether cells are texts rather than keys: some have several words."""
    return any(" " in cell or len(cell) > _LABEL for cell in cells)


_NUMBER = next(column for column in RATINGS.columns if column.name == "value")
