"""A column of a table of texts while its use is guessed, and the usual names of columns for each use."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks_app.setup.tables.layout import PROBLEM
from tasks_app.studyfile.files.media import is_file_name

# Other people's names for our columns, found in published data sets; earlier names are better guesses.
KNOWN_AS: Mapping[str, Sequence[str]] = {
    "system": (
        "system", "system name", "system id", "model", "model name", "model id", "model type", "sys", "sys name",
        "sys id", "mt system", "mt engine", "engine", "llm", "generator", "method", "translator", "submission",
    ),
    "output": (
        "output", "output text", "hyp", "hypothesis", "translation", "mt", "prediction", "pred", "candidate",
        "candidates", "generated", "generated text", "generation", "system output", "response", "summary", "target",
        "tgt", "trg", "text", "sentence", "answer", "completion", "decoded", "simplification", "simplified",
        "paraphrase",
    ),
    "source": (
        "source", "source text", "src", "input", "mr", "meaning representation", "prompt", "article", "context",
        "data", "triples", "facts", "question", "source sentence", "original", "query", "instruction", "history",
        "dialogue", "dialog", "dialogue history", "conversation history", "passage",
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
TEXTS = ("output", "source", "reference")

# Words that say whose a text is where its name has several: “predicted translation”, “SystemSummary”, “article text”.
WORDS_OF: Sequence[tuple[str, frozenset[str]]] = (
    ("reference", frozenset({"reference", "ref", "gold", "human", "truth"})),
    ("output", frozenset({"output", "system", "model", "predicted", "generated", "machine", "mt", "hypothesis"})),
    ("source", frozenset({"source", "src", "input", "article", "document", "prompt", "original"})),
)  # fmt: skip
TEXT_NOUNS = frozenset({"text", "sentence", "segment", "article"})
OUTPUT_NOUNS = frozenset({"summary", "translation", "response", "answer", "output", "target"})
# Whatever the noun is, a machine made it: “generated title”.
MADE = frozenset({"generated", "predicted"})

# Languages behind the name of a text, as in source_de. Codes that are English words are left out: id, no, is.
LANGUAGES = frozenset(
    {
        "ar", "bg", "bn", "ca", "cs", "cy", "da", "de", "deu", "el", "en", "eng", "es", "et", "eu", "fa", "fi", "fr",
        "fra", "ga", "gl", "gu", "ha", "he", "hi", "hr", "hu", "hy", "ja", "ka", "kk", "km", "ko", "lt", "lv", "mk",
        "mt", "nb", "nl", "nn", "pl", "ps", "pt", "ro", "ru", "sk", "sl", "spa", "sq", "sr", "sv", "sw", "ta", "te",
        "th", "tr", "uk", "ur", "uz", "vi", "zh", "zho", "arabic", "chinese", "czech", "english", "french", "german",
        "italian", "japanese", "russian", "spanish",
    }
)  # fmt: skip

ITEM = (
    "item", "item id", "id", "seg", "seg id", "segid", "segment", "segment id", "segment no", "segment number",
    "sentence id", "example id", "example", "instance", "instance id", "mr id", "source id", "prompt id", "question id",
    "article id", "sample id", "global seg id", "idx", "index", "no", "number", "key", "hash", "uuid", "guid",
    "doc seg",
)  # fmt: skip
# Numbers of segments begin anew in each document, so they may be positions and no items.
NUMBERS_OF_SEGMENTS = ("segment no", "segment number", "segment", "seg", "seg id", "segment id", "doc seg id")

FEATURES = frozenset(
    {
        "domain", "genre", "topic", "category", "dataset", "split", "type", "difficulty", "size", "language pair",
        "lang pair", "langpair", "lp", "pair",
    }
)  # fmt: skip

# Columns of texts that are nobody's output, by the last word of their names.
NOT_OUTPUTS = frozenset(
    {
        "comment", "comments", "note", "notes", "instructions", "url", "link", "date", "title", "speaker", "author",
        "name", "filename", "path", "rationale", "explanation", "reason", PROBLEM,
    }
)  # fmt: skip
# An instruction for a model is no name of a model.
INSTRUCTIONS = frozenset({"system", "system prompt"})

# People are no items.
PEOPLE = frozenset({"worker", "rater", "annotator", "judge", "user", "participant", "assessor", "evaluator"})

# A column of texts to judge has on average as many characters as a short clause.
TEXT_CHARACTERS = 15
# A column is what most of its cells are: the others are mistakes, which the check finds.
MOST = 0.9
# A key is no sentence.
KEY_CHARACTERS = 60
# “bbcid” is short enough to be the name of a key; in longer words, “id” at the end means nothing.
LONGEST_ID = 5


@dataclass(frozen=True, slots=True)
class Column:
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
        return bool(self.filled) and self.plain not in INSTRUCTIONS and self.can_be_output and self.has_sentences

    @property
    def can_be_output(self) -> bool:
        """Return whether the name leaves it open that the column holds outputs: no title, but a generated one."""
        words = self.plain.split(" ")
        return words[-1] not in NOT_OUTPUTS or not MADE.isdisjoint(words)

    @property
    def has_words(self) -> bool:
        """Return whether most cells have several words, however short."""
        return 2 * sum(len(cell.split()) > 1 for cell in self.filled) > len(self.filled)

    @property
    def has_sentences(self) -> bool:
        """Return whether most cells have several words, as long as a short clause."""
        filled = self.filled
        words = sum(len(cell.split()) > 1 for cell in filled)
        return sum(map(len, filled)) >= TEXT_CHARACTERS * len(filled) and 2 * words >= len(filled)

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
            return not (self.has_sentences and sum(map(len, self.filled)) > KEY_CHARACTERS / 2 * len(self.filled))
        if use == "document":
            return not self.has_sentences
        if use == "reference":
            return self.has_sentences or not all(re.search(r"\d", cell) for cell in self.filled)
        return True

    @property
    def stem(self) -> str:
        """Return the name of a text without its language: “source” for source_de."""
        words = [word for word in self.plain.split(" ") if word not in LANGUAGES]
        return " ".join(words) if words else self.plain

    def text_role(self) -> tuple[str, int]:
        """Return which text the name calls it, and how sure that is; ("", 0) for none.

        3 is one of our own names, 2 a known one, 1 a name put together of known words.
        """
        if self.plain in TEXTS:
            return self.plain, 3
        for use in TEXTS:
            if {self.plain, self.stem, _singular(self.plain)} & {*KNOWN_AS[use]}:
                return use, 2
        if self.plain in KNOWN_AS["document"] and self.is_text:
            return "source", 2  # the document itself, not its name
        words = frozenset(self.plain.split(" "))
        if words & MADE:
            return "output", 1
        if len(words) == 1 or not words & (TEXT_NOUNS | OUTPUT_NOUNS):
            return "", 0
        called = next((use for use, markers in WORDS_OF if words & markers), "")
        # An “original target” is a translation, too.
        use = "output" if words & OUTPUT_NOUNS and called != "reference" else called
        return (use, 1) if use else ("", 0)


def _singular(plain: str) -> str:
    """Return the name of one of several: “prediction” for predictions."""
    for ending, one in (("ies", "y"), ("eses", "esis"), ("s", "")):
        if plain.endswith(ending):
            return plain.removesuffix(ending) + one
    return plain
