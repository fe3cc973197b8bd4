"""Guess what the columns of a table of texts and ratings are: a mapping to start from, which a person looks over."""

from __future__ import annotations

from collections.abc import Sequence

from tasks_app.hooks.sections import Json
from tasks_app.importing.columns import RATINGS
from tasks_app.importing.guessing import Peek, guess, plain_name
from tasks_app.importing.whole.columns import ATTRIBUTE, FEATURE
from tasks_app.setup.tables.column_names import FEATURES, KNOWN_AS
from tasks_app.setup.tables.layout import feature_name
from tasks_app.studyfile.columns import BadCell, from_text

# Names of attributes of raters, in small letters.
_ATTRIBUTES = frozenset(
    {"age", "gender", "sex", "expertise", "education", "country", "nationality", "native language", "native speaker",
     "occupation", "experience", "first language"}
)  # fmt: skip

# Names that are no criterion although their cells are numbers.
_NO_CRITERIA = frozenset({"index", "row", "line", "number", "no", "id", "unnamed", "time", "timestamp", "batch", "hit"})

# Rows from which columns are guessed.
LOOKED_AT = 300

# The longest scale whose steps a person would choose, and the cells that decide.
_MOST, _CELLS = 100.0, 20

# The longest word of a label, and the most labels.
_LABEL, _LABELS = 30, 12


def first_mapping(peek: Peek) -> dict[str, Json]:
    """Return a mapping for a table with these columns and first rows."""
    columns = {ours: theirs for ours, theirs in guess(peek.columns).items() if ours not in {"text", "document"}}
    cells = {name: [row[at].strip() for row in peek.rows if at < len(row)] for at, name in enumerate(peek.columns)}
    for ours in ("source", "reference", "output", "language", "source_language", "document"):
        taken = set(columns.values())
        names = [name for word in KNOWN_AS[ours] for name in peek.columns if plain_name(name) == word]
        free = [name for name in names if name not in taken or columns.get("item") == name]
        if free and (ours not in {"source", "reference", "output"} or _is_text(cells[free[0]])):
            columns = {name: theirs for name, theirs in columns.items() if theirs != free[0]}
            columns[ours] = free[0]
    if "value" in columns and not _is_rated(cells[columns["value"]]):
        words = columns.pop("value")
        if _is_label(cells[words]) and "label" not in columns:
            columns["label"] = words
    for name in peek.columns:
        if name not in columns.values() and plain_name(name) in _ATTRIBUTES:
            columns[f"{ATTRIBUTE}{plain_name(name).replace(' ', '_')}"] = name
        elif name not in columns.values() and (name.startswith(FEATURE) or plain_name(name) in FEATURES):
            columns[name if name.startswith(FEATURE) else f"{FEATURE}{feature_name(name)}"] = name
    document: dict[str, Json] = {"columns": columns}
    if "value" in columns and "criterion" not in columns:
        document["constant"] = {"criterion": columns["value"]}
    if not {"value", "label"} & set(columns):
        document |= _criteria(peek, columns, cells)
    if "rater" not in columns and "wide" not in document:
        document["unknown_raters"] = True
    return document


def _criteria(peek: Peek, columns: dict[str, str], cells: dict[str, list[str]]) -> dict[str, Json]:
    """Return the columns that hold ratings on a criterion each."""
    free = [name for name in peek.columns if name not in columns.values() and plain_name(name) not in _NO_CRITERIA]
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
    """Return whether cells look like ratings: numbers on a scale, with at least two of them alike."""
    filled = [cell for cell in cells if cell]
    try:
        numbers = [from_text(_NUMBER, cell) for cell in filled]
    except BadCell:
        return False
    values = [number for number in numbers if number is not None]
    alike = len(set(values)) < len(values) or len(values) < _CELLS
    return bool(values) and alike and all(-_MOST <= value <= _MOST for value in values)


def _is_label(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and max(map(len, filled)) <= _LABEL and len(set(filled)) <= min(_LABELS, len(filled))


def _is_text(cells: Sequence[str]) -> bool:
    """Return whether cells are texts rather than keys: some have several words."""
    return any(" " in cell or len(cell) > _LABEL for cell in cells)


_NUMBER = next(column for column in RATINGS.columns if column.name == "value")
