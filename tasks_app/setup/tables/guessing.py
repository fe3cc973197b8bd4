"""Guess the uses of the columns of a table of texts: from the names that people give them, and from their cells.

A guess says only what it knows. Where two columns could be the source, or a source has no output beside it, the columns
are asked about: the researcher has to choose before the table can be stored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.importing.guessing import Peek, plain_name
from tasks_app.setup.tables.layout import (
    ASKED,
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
    use_label,
)
from tasks_app.studyfile.columns import ITEMS
from tasks_app.studyfile.files.media import is_file_name

# Other people's names for our columns, found in published data sets; earlier names are better guesses.
_KNOWN_AS: Mapping[str, Sequence[str]] = {
    "system": (
        "system", "system name", "system id", "model", "model name", "model id", "model type", "sys", "mt system",
        "engine", "generator", "method", "translator", "submission",
    ),
    "output": (
        "output", "output text", "hyp", "hypothesis", "translation", "mt", "prediction", "pred", "candidate",
        "candidates", "generated", "generated text", "generation", "system output", "response", "summary", "target",
        "tgt", "trg", "text", "sentence", "answer", "completion", "decoded", "simplification", "simplified",
        "paraphrase",
    ),
    "source": (
        "source", "source text", "src", "input", "mr", "meaning representation", "prompt", "article", "context",
        "data", "triples", "facts", "question", "source sentence", "original", "query", "instruction",
    ),
    "reference": (
        "reference", "reference text", "ref", "references", "gold", "human reference", "ground truth", "gold standard",
    ),
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

# Texts that raters read or judge: only these have a language, and only of these can two columns be the same thing.
_TEXTS = ("output", "source", "reference")

# Words that say whose a text is where its name has several: “predicted translation”, “SystemSummary”, “article text”.
_WORDS_OF: Sequence[tuple[str, frozenset[str]]] = (
    ("reference", frozenset({"reference", "ref", "gold", "human", "truth"})),
    ("output", frozenset({"output", "system", "model", "predicted", "generated", "machine", "mt", "hypothesis"})),
    ("source", frozenset({"source", "src", "input", "article", "document", "prompt", "original"})),
)  # fmt: skip
_TEXT_NOUNS = frozenset({"text", "sentence", "segment", "article"})
_OUTPUT_NOUNS = frozenset({"summary", "translation", "response", "answer", "output", "target"})

# Languages behind the name of a text, as in source_de. Codes that are English words are left out: id, no, is.
_LANGUAGES = frozenset(
    {
        "ar", "bg", "bn", "ca", "cs", "cy", "da", "de", "deu", "el", "en", "eng", "es", "et", "eu", "fa", "fi", "fr",
        "fra", "ga", "gl", "gu", "ha", "he", "hi", "hr", "hu", "hy", "ja", "ka", "kk", "km", "ko", "lt", "lv", "mk",
        "mt", "nb", "nl", "nn", "pl", "ps", "pt", "ro", "ru", "sk", "sl", "spa", "sq", "sr", "sv", "sw", "ta", "te",
        "th", "tr", "uk", "ur", "uz", "vi", "zh", "zho", "arabic", "chinese", "czech", "english", "french", "german",
        "italian", "japanese", "russian", "spanish",
    }
)  # fmt: skip

_ITEM = (
    "item", "item id", "id", "seg", "seg id", "segid", "segment", "segment id", "segment no", "segment number",
    "sentence id", "example id", "example", "instance", "instance id", "mr id", "source id", "prompt id", "question id",
    "article id", "sample id", "idx", "index", "no", "number", "key", "hash", "uuid", "guid", "doc seg",
)  # fmt: skip
# Numbers of segments begin anew in each document, so they may be positions and no items.
_NUMBERS_OF_SEGMENTS = ("segment no", "segment number", "segment", "seg", "seg id", "segment id")

_FEATURES = frozenset(
    {
        "domain", "genre", "topic", "category", "dataset", "split", "type", "difficulty", "size", "language pair",
        "lang pair", "langpair", "lp", "pair",
    }
)  # fmt: skip

# Columns of texts that are nobody's output, by the last word of their names.
_NOT_OUTPUTS = frozenset(
    {
        "comment", "comments", "note", "notes", "instructions", "url", "link", "date", "title", "speaker", "author",
        "name", "filename", "path", "rationale", "explanation", "reason", PROBLEM,
    }
)  # fmt: skip
# An instruction for a model is no name of a model.
_INSTRUCTIONS = frozenset({"system", "system prompt"})

# People are no items.
_PEOPLE = frozenset({"worker", "rater", "annotator", "judge", "user", "participant", "assessor", "evaluator"})

# A column of texts to judge has on average as many characters as a short clause.
_TEXT_CHARACTERS = 15
# A column is what most of its cells are: the others are mistakes, which the check finds.
_MOST = 0.9
# A key is no sentence.
_KEY_CHARACTERS = 60
# “bbcid” is short enough to be the name of a key; in longer words, “id” at the end means nothing.
_LONGEST_ID = 5


@dataclass(frozen=True, slots=True)
class Guess:
    """A probable layout, and a sentence for each thing that has to be asked."""

    layout: Layout
    questions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Column:
    """A column while it is guessed: its name in plain words, and its cells."""

    name: str
    plain: str
    cells: Sequence[str]

    @property
    def filled(self) -> list[str]:
        """Return the cells that hold anything."""
        return [cell for cell in self.cells if cell.strip()]

    @property
    def is_text(self) -> bool:
        """Return whether it holds texts, rather than keys, words or numbers."""
        if not self.filled or self.plain in _INSTRUCTIONS or self.plain.split(" ")[-1] in _NOT_OUTPUTS:
            return False
        return self.has_sentences

    @property
    def has_words(self) -> bool:
        """Return whether most cells have several words, however short."""
        return 2 * sum(len(cell.split()) > 1 for cell in self.filled) > len(self.filled)

    @property
    def has_sentences(self) -> bool:
        """Return whether most cells have several words, as long as a short clause."""
        filled = self.filled
        words = sum(len(cell.split()) > 1 for cell in filled)
        return sum(map(len, filled)) >= _TEXT_CHARACTERS * len(filled) and 2 * words >= len(filled)

    @property
    def has_files(self) -> bool:
        """Return whether most of its cells are the names of pictures, sounds or films."""
        filled = self.filled
        return bool(filled) and 2 * sum(map(is_file_name, filled)) >= len(filled)

    def can_be(self, use: str) -> bool:
        """Return whether the cells are of a kind that the use has, as far as there are any."""
        if not self.filled:
            return True
        if use == "system":
            return not (self.has_sentences and sum(map(len, self.filled)) > _KEY_CHARACTERS / 2 * len(self.filled))
        if use == "reference":
            return self.has_sentences or not all(re.search(r"\d", cell) for cell in self.filled)
        return True

    @property
    def stem(self) -> str:
        """Return the name of a text without its language: “source” for source_de."""
        words = [word for word in self.plain.split(" ") if word not in _LANGUAGES]
        return " ".join(words) if words else self.plain

    def text_role(self) -> tuple[str, int]:
        """Return which text the name calls it, and how sure that is; ("", 0) for none.

        3 is one of our own names, 2 a known one, 1 a name put together of known words.
        """
        if self.plain in _TEXTS:
            return self.plain, 3
        for use in _TEXTS:
            if self.plain in _KNOWN_AS[use] or self.stem in _KNOWN_AS[use]:
                return use, 2
        words = frozenset(self.plain.split(" "))
        if len(words) == 1 or not words & (_TEXT_NOUNS | _OUTPUT_NOUNS):
            return "", 0
        called = next((use for use, markers in _WORDS_OF if words & markers), "")
        # An “original target” is a translation, too.
        use = "output" if words & _OUTPUT_NOUNS and called != "reference" else called
        return (use, 1) if use else ("", 0)


def guess_layout(peek: Peek) -> Layout:
    """Return the probable layout of a table, from its columns and first rows."""
    return guess(peek).layout


def guess(peek: Peek) -> Guess:
    """Return the probable layout of a table, and what has to be asked since a guess would contradict itself."""
    columns = [
        _Column(name, plain_name(name), [row[index] if index < len(row) else "" for row in peek.rows])
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
        if column.name not in by_column and (column.name.startswith("feature_") or column.plain in _FEATURES):
            by_column[column.name] = FEATURE
    items = _guess_item(columns, by_column)
    if items == COLUMN:
        _keep_shared_features(columns, by_column)
    layout = Layout([_use(column.name, by_column) for column in columns], items=items)
    return Guess(layout, list(dict.fromkeys(questions.values())))


def _use(column: str, by_column: Mapping[str, str]) -> ColumnUse:
    use = by_column.get(column, "")
    return ColumnUse(column, use, column.removeprefix("feature_") if use == FEATURE else "")


def _by_name(columns: Iterable[_Column]) -> dict[str, str]:
    """Return columns by use, from names alone; our own names first, each use and each column once.

    Sources, references and outputs are left to `_guess_texts`.
    """
    uses: dict[str, str] = {}
    ours = [name for name in ITEMS.names if name != "item" and name not in _TEXTS]
    for exact in (True, False):
        for use in ours:
            names = [plain_name(use)] if exact else _KNOWN_AS.get(use, ())
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


def _family(columns: Sequence[_Column], uses: Mapping[str, str]) -> list[str]:
    """Return columns of one output each that differ in a letter or number alone, such as response_a and response_b."""
    families: dict[str, list[str]] = {}
    for column in columns:
        stem, _space, last = column.plain.rpartition(" ")
        if stem in _KNOWN_AS["output"] and re.fullmatch(r"[a-z]|\d{1,2}", last) and column.name not in uses.values():
            families.setdefault(stem, []).append(column.name)
    found = next((names for names in families.values() if len(names) > 1), [])
    return [] if "system" in uses else found


def _guess_texts(
    columns: Sequence[_Column], uses: dict[str, str], wide: Sequence[str], questions: dict[str, str]
) -> None:
    """Decide which columns are the output, the source and the reference; `questions` gets what cannot be decided."""
    roles = {column.name: column.text_role() for column in columns}
    for use in _TEXTS:
        candidates = [
            column
            for column in columns
            if roles[column.name][0] == use
            and column.name not in (*uses.values(), *wide)
            and column.can_be(use)
            and column.plain.split(" ")[-1] not in _NOT_OUTPUTS
        ]
        if not candidates or (use == "output" and wide):
            continue
        best = max(candidates, key=lambda column: (roles[column.name][1], column.is_text, -_rank(use, column)))
        rivals = [
            column
            for column in candidates
            if column is not best and roles[best.name][1] < 3 and column.has_words and best.has_words
        ]
        if rivals:
            either = [column for column in candidates if column is best or column in rivals]
            _ask(questions, either, _("%(names)s could each be the %(use)s. Say which one it is."), use)
        else:
            uses[use] = best.name
    if not wide and not {"output", "output_file"} & {*uses, *_asked_uses(roles, questions)}:
        _guess_output(columns, uses, questions)
    if "output" in uses and "source" not in uses and "source" not in _asked_uses(roles, questions):
        left = [column for column in _texts(columns, (*uses.values(), *questions)) if column.is_text]
        if left:
            sentence = _("Is %(names)s what “%(output)s” was made from? Say what it is.")
            _ask(questions, left, sentence, "source", output=uses["output"])


def _rank(use: str, column: _Column) -> int:
    """Return the place of a name in the list of known ones: earlier names are better guesses."""
    names = list(_KNOWN_AS[use])
    return next((names.index(name) for name in (column.plain, column.stem) if name in names), len(names))


def _asked_uses(roles: Mapping[str, tuple[str, int]], questions: Iterable[str]) -> set[str]:
    """Return the texts that the columns asked about could be."""
    return {roles[name][0] for name in questions}


def _guess_output(columns: Sequence[_Column], uses: dict[str, str], questions: dict[str, str]) -> None:
    """Find the output where no name tells it, as long as each system does not have a column of its own."""
    texts = _texts(columns, (*uses.values(), *questions))
    if len(texts) == 1:
        uses["output"] = texts[0].name
    elif texts and "system" in uses:
        _ask(questions, texts, _("%(names)s could each be the %(use)s. Say which one it is."), "output")
    elif not texts and "source" in uses and "reference" in uses:
        names = {uses.pop("source"), uses.pop("reference")}
        both = [column for column in columns if column.name in names]
        _ask(questions, both, _("There is no column with outputs. Say which of %(names)s raters should judge."), "")
    elif not texts and "source" in uses:
        # One column of texts, which looked like an input.
        uses["output"] = uses.pop("source")


def _wide(
    columns: Sequence[_Column], by_column: Mapping[str, str], uses: Mapping[str, str], questions: dict[str, str]
) -> list[str]:
    """Return the columns that hold the outputs of one system each, unless they could be an input and its output."""
    if questions:
        return []
    texts = _texts(columns, by_column)
    is_ours = any(column.plain == "item" for column in columns)
    if len(texts) == 2 and "source" not in uses and not is_ours:
        sentence = _("%(names)s could be a source and its output, or the outputs of two systems. Say which.")
        _ask(questions, texts, sentence, "")
        return []
    return [column.name for column in texts]


def _texts(columns: Iterable[_Column], taken: Iterable[str]) -> list[_Column]:
    taken = set(taken)
    return [column for column in columns if column.name not in taken and (column.is_text or column.has_files)]


def _ask(questions: dict[str, str], columns: Iterable[_Column], sentence: str, use: str, **words: str) -> None:
    """Ask about some columns, in a sentence about their names."""
    listed = [column.name for column in columns]
    named = [f"“{name}”" for name in listed]
    names = _(" and ").join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0]
    label = use_label(use).split(" (")[0]
    questions.update(dict.fromkeys(listed, sentence % {"names": names, "use": label, **words}))


def _keep_shared_features(columns: Iterable[_Column], by_column: dict[str, str]) -> None:
    """Leave out features that differ between the rows of an item, unless their names say that they are some."""
    cells = {column.name: column.cells for column in columns}
    item = next(name for name, use in by_column.items() if use == "item")
    for name in [name for name, use in by_column.items() if use == FEATURE and not name.startswith("feature_")]:
        values: dict[str, set[str]] = {}
        for key, cell in zip(cells[item], cells[name], strict=True):
            values.setdefault(key, set()).add(cell)
        if any(len(different) > 1 for different in values.values()):
            del by_column[name]


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
        if column not in candidates and column.name not in by_column and _ends_like_a_key(column.plain)
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
    _guess_position(columns, by_column)
    if systems:
        return SOURCE if "source" in uses else ORDER
    return ROW


def _guess_position(columns: Iterable[_Column], by_column: dict[str, str]) -> None:
    """Take numbers of segments that name no item for positions, where there are documents."""
    if "document" not in by_column.values() or "position" in by_column.values():
        return
    free = [column for column in columns if column.plain in _NUMBERS_OF_SEGMENTS and column.name not in by_column]
    if free and all(cell.strip().isdecimal() for cell in free[0].filled):
        by_column[free[0].name] = "position"


def _ends_like_a_key(plain: str) -> bool:
    """Return whether a name ends like that of a key: “sentence id”, “bbcid”."""
    first, _space, last = plain.rpartition(" ")
    if first:
        return last in ("id", "key", "number") and first not in _PEOPLE
    return len(plain) <= _LONGEST_ID and plain.endswith("id") and plain != "id"


def _share(answers: Iterable[bool]) -> float:
    every = list(answers)
    return sum(every) / len(every)


def _is_keylike(cell: str) -> bool:
    return len(cell) <= _KEY_CHARACTERS and bool(key_of(cell.strip()))
