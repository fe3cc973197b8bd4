"""The declarations of a mapping on the shape of a file: each part once, as typed fields or a small schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext_lazy as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.records import NUMBERED, Layout
from tasks_app.settings.fields import choice_field, line_field
from tasks_app.settings.study import Declared

# Ways to count the characters of a text, from Python's, which evalweb counts by.
CHARACTERS, UTF16, BYTES = "characters", "utf16", "bytes"

_NAME: Json = {"type": "string", "minLength": 1}
_NAMES: Json = {"type": "object", "additionalProperties": _NAME}


class Preference(Declared):
    """Two columns with the rank or score of each side of a pair, from which the preference follows."""

    first = line_field(_("First side"), _("The column with the rank or score of the text of system."), required=True)
    second = line_field(
        _("Second side"), _("The column with the rank or score of the text of system_b."), required=True
    )
    better = choice_field(
        _("Which is better"),
        [("higher", _("the higher number, as with scores")), ("lower", _("the lower number, as with ranks"))],
        required=False,
        initial="higher",
    )


class Offsets(Declared):
    """How the offsets of spans count."""

    count = choice_field(
        _("Offsets count"),
        [
            (CHARACTERS, _("characters (Unicode code points), as in Python")),
            (UTF16, _("UTF-16 units, as in JavaScript and Java")),
            (BYTES, _("bytes of UTF-8")),
        ],
        required=False,
        initial=CHARACTERS,
    )
    end = choice_field(
        _("The end of a span is"),
        [("after", _("the character after it")), ("last", _("its last character"))],
        required=False,
        initial="after",
    )
    start = choice_field(_("The first character has the number"), [("0", "0"), ("1", "1")], required=False, initial="0")

    @property
    def are_ours(self) -> bool:
        """Return whether the file counts as evalweb does."""
        return (self.count, self.end, self.start) == (CHARACTERS, "after", "0")


@dataclass(frozen=True, slots=True)
class Join:
    """Another file, to add its columns to rows with the same key; `on` gives its columns by those of the table."""

    file: str
    on: Mapping[str, str]
    sheet: str = ""


# The parts of a mapping that are about the shape of the file. Each is described in docs/ratings-file.md.
SCHEMA: Mapping[str, Json] = {
    "header": {"type": ["string", "array"], "items": _NAME},
    "sheet": _NAME,
    "join": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "file": _NAME,
                "sheet": _NAME,
                "on": {"type": ["string", "object"], "additionalProperties": _NAME},
            },
            "required": ["on"],
            "additionalProperties": False,
        },
    },
    "beside": _NAMES,
    "split": _NAMES,
    "only": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": ["string", "number"]}},
    },
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How the rows of a file come about, before its columns are read.

    `layout` says how it is laid out; `joins` and `beside` (files by the names of new columns) which files stand beside
    it; `splits` gives patterns by the path whose text they split; `preference` makes a label of two columns; `only`
    what words in braces may stand for. `paths` are the columns and paths that are read.
    """

    layout: Layout = field(default_factory=Layout)
    joins: Sequence[Join] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    preference: Preference | None = None
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, document: Mapping[str, Json]) -> Shape:
        """Read the parts of a mapping that fits the schema."""
        header = document.get("header", ())
        return cls(
            Layout(NUMBERED if isinstance(header, str) else tuple(header), document.get("quoting", ""),
                   document.get("sheet", "")),
            tuple(_join(given) for given in document.get("join", ())),
            document.get("beside", {}),
            document.get("split", {}),
            Preference(document["prefer"]) if "prefer" in document else None,
            {word: tuple(map(str, texts)) for word, texts in document.get("only", {}).items()},
        )  # fmt: skip

    @property
    def is_plain(self) -> bool:
        """Return whether the file is read as it stands."""
        return self == Shape(Layout(quoting=self.layout.quoting))


def _join(given: Mapping[str, Json]) -> Join:
    on = given["on"]
    return Join(given.get("file", ""), {on: on} if isinstance(on, str) else on, given.get("sheet", ""))
