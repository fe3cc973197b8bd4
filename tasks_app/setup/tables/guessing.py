"""Guess the uses of the columns of a table of texts: from the names that people give them, and from their cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tasks_app.importing.guessing import Peek, plain_name
from tasks_app.setup.tables.layout import (
    COLUMN,
    FEATURE,
    ORDER,
    PROBLEM,
    ROW,
    SOURCE,
    SYSTEM,
    ColumnUse,
    Layout,
    key_of,
)
from tasks_app.studyfile.columns import ITEMS
from tasks_app.studyfile.files.media import is_file_name

# Other people's names for our columns, found in published data sets; earlier names are better guesses.
_KNOWN_AS: Mapping[str, Sequence[str]] = {
    "system": (
        "system", "system name", "system id", "model", "model name", "sys", "mt system", "engine", "generator",
        "method", "translator", "submission",
    ),
    "output": (
        "output", "output text", "hyp", "hypothesis", "translation", "mt", "prediction", "pred", "candidate",
        "generated", "generated text", "generation", "system output", "response", "summary", "target", "tgt", "text",
        "sentence", "answer", "completion",
    ),
    "source": (
        "source", "source text", "src", "input", "mr", "meaning representation", "prompt", "article", "context",
        "data", "triples", "facts", "question", "source sentence", "original",
        "query",
    ),
    "reference": ("reference", "reference text", "ref", "references", "gold", "human reference", "ground truth"),
    "document": ("document", "document id", "doc", "doc id", "docid", "conversation", "dialogue id"),
    "position": ("position", "sentence number", "sent no", "turn"),
    "language": ("language", "lang", "target language", "tgt lang", "target lang", "trg lang"),
    "source_language": ("source language", "src lang", "source lang"),
    # The rank of a search result tells the results of one system for one query apart.
    "variant": ("variant", "sample", "sample id", "run", "rank"),
    "output_file": ("output file", "output image", "output picture", "output audio", "output video", "output film"),
    "captions": ("captions", "subtitles", "vtt"),
    "context_image": ("context image", "image", "picture", "img"),
    "context_audio": ("context audio", "audio", "sound", "wav"),
    "context_video": ("context video", "video"),
    "format": ("format",),
    "highlight": ("highlight", "output highlight", "target word", "mentions", "chains"),
    "source_highlight": ("source highlight",),
    "reference_highlight": ("reference highlight",),
    "options": ("options",),
    "unit": ("unit",),
}  # fmt: skip

_ITEM = (
    "item", "item id", "id", "seg", "seg id", "segid", "segment", "segment id", "sentence id", "example id", "example",
    "instance", "instance id", "mr id", "source id", "sample id", "idx", "index", "no", "number", "key", "doc seg",
)  # fmt: skip

_FEATURES = frozenset(
    {
        "domain", "genre", "topic", "category", "dataset", "split", "type", "difficulty", "size", "language pair",
        "lang pair", "langpair", "lp", "pair",
    }
)  # fmt: skip

# Columns of texts that are nobody's output.
_NOT_OUTPUTS = frozenset({"comment", "comments", "note", "notes", "instructions", "url", "link", "date", PROBLEM})

# A column of texts to judge has on average as many characters as a short clause.
_TEXT_CHARACTERS = 15
# A column is what most of its cells are: the others are mistakes, which the check finds.
_MOST = 0.9
# A key is no sentence.
_KEY_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class _Column:
    """A column while it is guessed: its name in plain words, and its cells."""

    name: str
    plain: str
    cells: Sequence[str]

    @property
    def is_text(self) -> bool:
        """Return whether it holds texts, rather than keys, words or numbers."""
        filled = [cell for cell in self.cells if cell.strip()]
        if not filled or self.plain in _NOT_OUTPUTS:
            return False
        words = sum(len(cell.split()) > 1 for cell in filled)
        return sum(map(len, filled)) >= _TEXT_CHARACTERS * len(filled) and 2 * words >= len(filled)

    @property
    def has_files(self) -> bool:
        """Return whether most of its cells are the names of pictures, sounds or films."""
        filled = [cell for cell in self.cells if cell.strip()]
        return bool(filled) and 2 * sum(map(is_file_name, filled)) >= len(filled)


def guess_layout(peek: Peek) -> Layout:
    """Return the probable layout of a table, from its columns and first rows."""
    columns = [
        _Column(name, plain_name(name), [row[index] if index < len(row) else "" for row in peek.rows])
        for index, name in enumerate(peek.columns)
    ]
    uses = _by_name(columns)
    _guess_outputs(columns, uses)
    taken = {column: use for use, column in uses.items()}
    wide = [] if {"output", "output_file", "system"} & set(uses) else _texts(columns, taken)
    by_column = {name: use for name, use in taken.items() if use in ITEMS.names}
    by_column.update(dict.fromkeys(wide, SYSTEM))
    for column in columns:
        if (column.name not in by_column and column.name.startswith("feature_")) or (
            column.name not in by_column and column.plain in _FEATURES
        ):
            by_column[column.name] = FEATURE
    items = _guess_item(columns, by_column)
    return Layout([_use(column.name, by_column) for column in columns], items=items)


def _use(column: str, by_column: Mapping[str, str]) -> ColumnUse:
    use = by_column.get(column, "")
    return ColumnUse(column, use, column.removeprefix("feature_") if use == FEATURE else "")


def _by_name(columns: Iterable[_Column]) -> dict[str, str]:
    """Return columns by use, from names alone; our own names first, each use and each column once."""
    uses: dict[str, str] = {}
    ours = [name for name in ITEMS.names if name != "item"]
    for exact in (True, False):
        for use in ours:
            names = [plain_name(use)] if exact else _KNOWN_AS.get(use, ())
            for name in names:
                match = next(
                    (column.name for column in columns if column.plain == name and column.name not in uses.values()),
                    None,
                )
                if use not in uses and match is not None:
                    uses[use] = match
    return uses


def _texts(columns: Iterable[_Column], taken: Mapping[str, str]) -> list[str]:
    return [column.name for column in columns if column.name not in taken and (column.is_text or column.has_files)]


def _guess_outputs(columns: Sequence[_Column], uses: dict[str, str]) -> None:
    """Decide whether the outputs have one column, or each system its own."""
    texts = _texts(columns, {column: use for use, column in uses.items()})
    if "output" not in uses and ("system" in uses or len(texts) == 1) and texts:
        uses["output"] = texts[0]
    elif "output" not in uses and not texts and "source" in uses:
        # One column of texts, which looked like an input.
        uses["output"] = uses.pop("source")


def _guess_item(columns: Sequence[_Column], by_column: dict[str, str]) -> str:
    """Mark the column that names the items, if one does; return where the keys of items come from."""
    ours = next((column.name for column in columns if column.plain == "item"), None)
    if ours is not None:
        # The column has our own name: faults in its cells are reported, and no other column is guessed instead.
        by_column[ours] = "item"
        return COLUMN
    uses = {use: name for name, use in by_column.items()}
    cells = {column.name: column.cells for column in columns}
    systems = cells.get(uses.get("system", ""), ())
    candidates = [
        column for name in _ITEM for column in columns if column.plain == name and column.name not in by_column
    ]
    candidates += [
        column
        for column in columns
        if column not in candidates
        and column.name not in by_column
        and column.plain.endswith((" id", " key", " number"))
    ]
    candidates = [column for column in candidates if column.cells and _share(map(_is_keylike, column.cells)) >= _MOST]
    several = len(set(systems)) > 1
    variants = cells.get(uses.get("variant", ""), [""] * len(systems))
    for shares in (True, False) if several else (False,):
        for column in candidates:
            pairs = list(zip(column.cells, systems, variants, strict=True)) if systems else list(column.cells)
            shared = len(set(column.cells)) < len(column.cells)
            if len(set(pairs)) >= _MOST * len(pairs) and (shared or not shares):
                if several and not shared and SOURCE in uses and len(set(cells[uses["source"]])) < len(column.cells):
                    continue  # it numbers outputs, while the sources show which of them belong together
                by_column[column.name] = "item"
                return COLUMN
    if systems:
        return SOURCE if "source" in uses else ORDER
    return ROW


def _share(answers: Iterable[bool]) -> float:
    every = list(answers)
    return sum(every) / len(every)


def _is_keylike(cell: str) -> bool:
    return len(cell) <= _KEY_CHARACTERS and bool(key_of(cell.strip()))
