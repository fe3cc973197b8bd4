"""Guess the uses of the columns of a table of texts: from the names that people give them, and from their cells.

A guess says only what it knows. Where two columns could be the source, or a source has no output beside it, the columns
are asked about: the researcher has to choose before the table can be stored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.importing.guessing import Peek, plain_name
from tasks_app.setup.tables.column_names import (
    FEATURES,
    ITEM,
    KEY_CHARACTERS,
    KNOWN_AS,
    LONGEST_ID,
    MOST,
    NUMBERS_OF_SEGMENTS,
    PEOPLE,
    TEXTS,
    Column,
)
from tasks_app.setup.tables.layout import (
    ASKED,
    COLUMN,
    FEATURE,
    ORDER,
    ROW,
    SOURCE,
    SYSTEM,
    ColumnUse,
    Layout,
    key_of,
    use_label,
)
from tasks_app.studyfile.columns import ITEMS


@dataclass(frozen=True, slots=True)
class Guess:
    """A probable layout, and a sentence for each thing that has to be asked."""

    layout: Layout
    questions: Sequence[str] = ()


def guess_layout(peek: Peek) -> Layout:
    """Return the probable layout of a table, from its columns and first rows."""
    return guess(peek).layout


def guess(peek: Peek) -> Guess:
    """Return the probable layout of a table, and the questions to ask where a guess would contradict itself."""
    columns = [
        Column(name, plain_name(name), [row[index] if index < len(row) else "" for row in peek.rows])
        for index, name in enumerate(peek.columns)
    ]
    uses = _by_name(columns)
    questions: dict[str, str] = {}
    wide = _family(columns, uses)
    _guess_texts(columns, uses, wide, questions)
    by_column = {column: use for use, column in uses.items()}
    by_column.update(dict.fromkeys(questions, ASKED))
    if not {"output", "output_file", "system"} & set(uses):
        wide = wide or _wide(columns, by_column, uses, questions)
        by_column.update(dict.fromkeys(wide, SYSTEM))
    by_column.update(dict.fromkeys(questions, ASKED))
    for column in columns:
        if column.name not in by_column and (column.name.startswith("feature_") or column.plain in FEATURES):
            by_column[column.name] = FEATURE
    items = _guess_item(columns, by_column)
    if items == COLUMN:
        _keep_shared_features(columns, by_column)
    layout = Layout([_use(column.name, by_column) for column in columns], items=items)
    return Guess(layout, list(dict.fromkeys(questions.values())))


def _use(column: str, by_column: Mapping[str, str]) -> ColumnUse:
    use = by_column.get(column, "")
    return ColumnUse(column, use, column.removeprefix("feature_") if use == FEATURE else "")


def _by_name(columns: Iterable[Column]) -> dict[str, str]:
    """Return columns by use, from names alone; our own names first, each use and each column once.

    Sources, references and outputs are left to `_guess_texts`.
    """
    uses: dict[str, str] = {}
    ours = [name for name in ITEMS.names if name != "item" and name not in TEXTS]
    for exact in (True, False):
        for use in ours:
            names = [plain_name(use)] if exact else KNOWN_AS.get(use, ())
            for name in names:
                match = next(
                    (
                        column.name
                        for column in columns
                        if column.plain == name and column.name not in uses.values() and column.can_be(use)
                    ),
                    None,
                )
                if use not in uses and match is not None:
                    uses[use] = match
    return uses


def _family(columns: Sequence[Column], uses: Mapping[str, str]) -> list[str]:
    """Return columns of one output each that differ in a letter or number alone, such as response_a and response_b."""
    families: dict[str, list[str]] = {}
    for column in columns:
        stem, _space, last = column.plain.rpartition(" ")
        if stem in KNOWN_AS["output"] and re.fullmatch(r"[a-z]|\d{1,2}", last) and column.name not in uses.values():
            families.setdefault(stem, []).append(column.name)
    family = next((names for names in families.values() if len(names) > 1), [])
    return [] if "system" in uses else family


def _guess_texts(
    columns: Sequence[Column], uses: dict[str, str], wide: Sequence[str], questions: dict[str, str]
) -> None:
    """Decide which columns are the output, the source and the reference; add undecided ones to `questions`."""
    roles = {column.name: column.text_role() for column in columns}
    for use in TEXTS:
        candidates = [
            column
            for column in columns
            if roles[column.name][0] == use
            and column.name not in (*uses.values(), *wide)
            and column.can_be(use)
            and column.can_be_output
        ]
        if not candidates or (use == "output" and wide):
            continue
        best = max(candidates, key=lambda column: (roles[column.name][1], column.is_text, -_rank(use, column)))
        rivals = [column for column in candidates if column is not best and _rivals(column, best, roles[best.name][1])]
        if rivals:
            either = [column for column in candidates if column is best or column in rivals]
            _ask(questions, either, _("%(names)s could each be the %(use)s. Choose the right one."), use)
        else:
            uses[use] = best.name
    if not wide and not {"output", "output_file"} & {*uses, *_asked_uses(roles, questions)}:
        _guess_output(columns, uses, questions)
    if "output" in uses and "source" not in uses and "source" not in _asked_uses(roles, questions):
        left = [column for column in _texts(columns, (*uses.values(), *questions)) if column.is_text]
        if left:
            sentence = _("Is %(names)s what “%(output)s” was made from? Say what it is.")
            _ask(questions, left, sentence, "source", output=uses["output"])


def _rivals(column: Column, best: Column, certainty: int) -> bool:
    """Return whether a column could as well be the text as the best one, or is a text where the best one is none."""
    if best.has_words:
        return certainty < 3 and column.has_words
    return column.is_text


def _rank(use: str, column: Column) -> int:
    """Return the place of a name in the list of known ones: earlier names are better guesses."""
    names = list(KNOWN_AS[use])
    return next((names.index(name) for name in (column.plain, column.stem) if name in names), len(names))


def _asked_uses(roles: Mapping[str, tuple[str, int]], questions: Iterable[str]) -> set[str]:
    """Return the texts that the columns asked about could be."""
    return {roles[name][0] for name in questions}


def _guess_output(columns: Sequence[Column], uses: dict[str, str], questions: dict[str, str]) -> None:
    """Find the output where no name tells it, as long as each system does not have a column of its own."""
    texts = _texts(columns, (*uses.values(), *questions))
    if "source" in uses:
        # Another form of the source, such as “orig_mr” beside “mr”, is no output.
        texts = [column for column in texts if column.plain.split(" ")[-1] not in KNOWN_AS["source"]]
    if len(texts) == 1:
        uses["output"] = texts[0].name
    elif texts and "system" in uses:
        _ask(questions, texts, _("%(names)s could each be the %(use)s. Choose the right one."), "output")
    elif not texts and "source" in uses and "reference" in uses:
        names = {uses.pop("source"), uses.pop("reference")}
        both = [column for column in columns if column.name in names]
        _ask(questions, both, _("There is no column with outputs. Say which of %(names)s raters should judge."), "")
    elif not texts and "source" in uses:
        # One column of texts, which looked like an input.
        uses["output"] = uses.pop("source")


def _wide(
    columns: Sequence[Column], by_column: Mapping[str, str], uses: Mapping[str, str], questions: dict[str, str]
) -> list[str]:
    """Return the columns that hold the outputs of one system each, unless they could be an input and its output."""
    if questions:
        return []
    texts = _texts(columns, by_column)
    is_ours = any(column.plain == "item" for column in columns)
    if len(texts) == 2 and "source" not in uses and not is_ours:
        sentence = _("%(names)s could be a source and its output, or the outputs of two systems. Choose what each is.")
        _ask(questions, texts, sentence, "")
        return []
    return [column.name for column in texts]


def _texts(columns: Iterable[Column], taken: Iterable[str]) -> list[Column]:
    taken = set(taken)
    return [column for column in columns if column.name not in taken and (column.is_text or column.has_files)]


def _ask(questions: dict[str, str], columns: Iterable[Column], sentence: str, use: str, **words: str) -> None:
    """Ask about some columns, in a sentence about their names."""
    listed = [column.name for column in columns]
    named = [f"“{name}”" for name in listed]
    names = _(" and ").join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0]
    label = use_label(use).split(" (")[0]
    questions.update(dict.fromkeys(listed, sentence % {"names": names, "use": label, **words}))


def _keep_shared_features(columns: Iterable[Column], by_column: dict[str, str]) -> None:
    """Leave out features that differ between the rows of an item, unless their names say that they are some."""
    cells = {column.name: column.cells for column in columns}
    item = next(name for name, use in by_column.items() if use == "item")
    for name in [name for name, use in by_column.items() if use == FEATURE and not name.startswith("feature_")]:
        values: dict[str, set[str]] = {}
        for key, cell in zip(cells[item], cells[name], strict=True):
            values.setdefault(key, set()).add(cell)
        if any(len(different) > 1 for different in values.values()):
            del by_column[name]


def _guess_item(columns: Sequence[Column], by_column: dict[str, str]) -> str:
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
        column for name in ITEM for column in columns if column.plain == name and column.name not in by_column
    ]
    candidates += [
        column
        for column in columns
        if column not in candidates and column.name not in by_column and _ends_like_a_key(column.plain)
    ]
    candidates = [column for column in candidates if column.cells and _share(map(_is_keylike, column.cells)) >= MOST]
    several = len(set(systems)) > 1
    variants = cells.get(uses.get("variant", ""), [""] * len(systems))
    for shares in (True, False) if several else (False,):
        for column in candidates:
            pairs = list(zip(column.cells, systems, variants, strict=True)) if systems else list(column.cells)
            shared = len(set(column.cells)) < len(column.cells)
            if len(set(pairs)) >= MOST * len(pairs) and (shared or not shares):
                if several and not shared and SOURCE in uses and len(set(cells[uses["source"]])) < len(column.cells):
                    continue  # it numbers outputs, while the sources show which of them belong together
                by_column[column.name] = "item"
                return COLUMN
    _guess_position(columns, by_column)
    if systems:
        return SOURCE if "source" in uses else ORDER
    return ROW


def _guess_position(columns: Iterable[Column], by_column: dict[str, str]) -> None:
    """Take numbers of segments that name no item for positions, where there are documents."""
    if "document" not in by_column.values() or "position" in by_column.values():
        return
    free = [column for column in columns if column.plain in NUMBERS_OF_SEGMENTS and column.name not in by_column]
    if free and all(cell.strip().isdecimal() for cell in free[0].filled):
        by_column[free[0].name] = "position"


def _ends_like_a_key(plain: str) -> bool:
    """Return whether a name ends like that of a key: “sentence id”, “bbcid”."""
    first, _space, last = plain.rpartition(" ")
    if first:
        return last in ("id", "key", "number") and first not in PEOPLE
    return len(plain) <= LONGEST_ID and plain.endswith("id") and plain != "id"


def _share(answers: Iterable[bool]) -> float:
    every = list(answers)
    return sum(every) / len(every)


def _is_keylike(cell: str) -> bool:
    return len(cell) <= KEY_CHARACTERS and bool(key_of(cell.strip()))
