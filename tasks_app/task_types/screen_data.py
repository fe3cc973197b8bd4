"""The data that pass between a study and a task type: frozen, without database, system names or other raters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from django.utils.functional import Promise

from tasks_app.task_types.highlights import Chains, Highlight
from tasks_app.task_types.output_names import TEXT, heading_of, named
from tasks_app.texts import languages

if TYPE_CHECKING:
    from tasks_app.task_types.base import TaskType

Arrangement: TypeAlias = Mapping[str, object]
Words: TypeAlias = str | Promise


class Scale(StrEnum):
    """The level of measurement of an outcome: it decides which statistics are offered."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"
    TEXT = "text"


class Quality(StrEnum):
    """The quality of a simulated rater's work."""

    CAREFUL = "careful"
    SLOPPY = "sloppy"
    RANDOM = "random"
    STRAIGHT_LINER = "straight_liner"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that a judgment of this type records.

    `per` names what there is one of: "criterion" (for each text), "part", "pair", "unit" or "span". `column` is the
    column of the ratings table that holds it. `criterion` is the key of a criterion that the type brings along and
    that this outcome answers; without one the outcome answers the criteria of the study. `optional` says that a
    judgment may be without it, `several` that it may hold several of them about one thing, numbered from 1.
    `by_place` says that the answer names a place on the screen, which raters who saw other orders cannot agree on,
    `graded` that it says whether an answer was right, on which nobody agrees but by knowing it, `measured` that the
    page took it while the rater worked, so that it is about the rater and no judgment. `low_is_good` says that the
    least value is the best, as a rank is, so that nothing may take high values for better. `exchanged` are the two
    labels of a pair that change places where its texts are named in the other order.
    """

    name: str
    scale: Scale
    per: str
    doc: Words
    column: str = "value"
    criterion: str = ""
    optional: bool = False
    several: bool = False
    by_place: bool = False
    graded: bool = False
    measured: bool = False
    low_is_good: bool = False
    exchanged: tuple[str, ...] = ()


def in_unit_key(key: str) -> str:
    """Return the key of an item or system as it stands in the key of a unit, without the signs that join keys there."""
    return key.replace("%", "%25").replace("/", "%2F").replace("+", "%2B")


@dataclass(frozen=True, slots=True)
class OutputText:
    """One output as the study has it, before units are made.

    Where it is a picture, sound or film, that is its `file`, and `text` says in words what it shows.
    """

    system: str
    variant: str
    text: str
    language: str = ""
    highlights: tuple[Highlight, ...] = ()
    file: Media | None = None

    @property
    def unit_key(self) -> str:
        """The name of the output in the key of a unit."""
        return "/".join(filter(None, (in_unit_key(self.system), self.variant)))

    @property
    def shown(self) -> object:
        """The look of the output on a screen: outputs with equal looks cannot be told apart."""
        if self.file is not None:
            return (self.file.kind, self.file.name, self.file.captions)
        return (self.text, self.highlights) if self.highlights else self.text

    @property
    def content(self) -> str:
        """The mark that tells the output from others: its words, or the hash of its file."""
        return self.text if self.file is None else self.file.name


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """One item with its outputs; `groups` holds identical outputs together, by the words or the file that they show.

    `highlights` are those of its source and reference, by these words.
    """

    key: str
    outputs: tuple[OutputText, ...]
    groups: tuple[tuple[int, ...], ...]
    document: str | None = None
    position: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    source: str = ""
    reference: str = ""
    highlights: Mapping[str, tuple[Highlight, ...]] = field(default_factory=dict)

    @property
    def unit_key(self) -> str:
        """The name of the item in the key of a unit."""
        return in_unit_key(self.key)

    @classmethod
    def collapsed(cls, key: str, outputs: Sequence[OutputText], *, keep: bool = False, **rest: object) -> ItemTexts:
        """Return an item with its identical outputs grouped, unless the researcher chose to `keep` them apart."""
        by_content: dict[object, list[int]] = {}
        for number, output in enumerate(outputs):
            by_content.setdefault(number if keep else output.shown, []).append(number)
        groups = tuple(tuple(group) for group in by_content.values())
        return cls(key=key, outputs=tuple(outputs), groups=groups, **rest)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class UnitDraft:
    """A unit to be: its key, and for each part in canonical order the outputs (by number) it shows.

    Parts are of the unit's item, unless `part_items` names the item of each: then several items are on one screen.
    `criterion` is set by the study where each criterion has units of its own, never by a type.
    """

    key: str
    item: str | None
    parts: tuple[tuple[int, ...], ...]
    document: str | None = None
    part_items: tuple[str, ...] = ()
    criterion: str = ""

    def item_of(self, number: int) -> str | None:
        """Return the key of the item that a part is of."""
        return self.part_items[number] if self.part_items else self.item


# The order in which the media of an item are shown.
KINDS = ("image", "audio", "video")


@dataclass(frozen=True, slots=True)
class Media:
    """A picture, sound or film shown with an item, or an output. `kind` is image, audio or video; `name` is a hash.

    `description` says in words what it shows, for raters who cannot see or hear it; `captions` is the hash of a WebVTT
    file.
    """

    kind: str
    name: str
    mime: str = ""
    description: str = ""
    captions: str = ""

    @classmethod
    def of_output(cls, sha256: str | None, mime: str | None, captions: str | None = "") -> Media | None:
        """Return the file of an output by its hash and media type; None where the output is a text."""
        if not sha256 or not mime:
            return None
        return cls(mime.partition("/")[0], sha256, mime, captions=captions or "")


def described(media: Iterable[Media], options: Mapping[str, object]) -> tuple[Media, ...]:
    """Return the media of an item in the order they are shown, described by its option `alt`: one text or a list."""
    given = options.get("alt")
    words = [given] if isinstance(given, str) else list(given) if isinstance(given, list | tuple) else []
    in_order = sorted(media, key=lambda medium: KINDS.index(medium.kind))
    return tuple(
        replace(medium, description=word if isinstance(word, str) else "")
        for medium, word in zip_longest(in_order, words[: len(in_order)])
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A text on a screen. `number` is its canonical place in the unit, from 0.

    `prefill` holds what the text carries when it is first shown, such as spans to confirm or remove. `media` are the
    pictures, sounds and films of the text's own item, on screens with texts of several items; where all texts are of
    one item, the screen has them. A part may be a picture, sound or film itself: that is its `file`, and the text says
    in words what it shows.
    """

    number: int
    text: str
    language: str = ""
    prefill: tuple[object, ...] = ()
    media: tuple[Media, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    file: Media | None = None

    @property
    def kind(self) -> str:
        """The kind of output: text, image, audio or video."""
        return self.file.kind if self.file is not None else TEXT

    @property
    def content(self) -> str:
        """The mark that tells the output from others: its words, or the hash of its file."""
        return self.text if self.file is None else self.file.name


@dataclass(frozen=True, slots=True)
class Criterion:
    """A question to raters about a text. `low` and `high` are the words at the ends of the scale.

    `labels` names every step where the study words them all (then one a step), `anchors` single points. `language` is
    that of all these words, `scale_language` that of the words of the scale where evalweb gives them.
    """

    key: str
    name: str
    definition: str = ""
    question: str = ""
    low: str = ""
    high: str = ""
    labels: tuple[str, ...] = ()
    anchors: Mapping[str, str] = field(default_factory=dict)
    kind: str = "criterion"
    language: str = ""
    scale_language: str = ""

    @property
    def language_of_scale(self) -> str:
        """The language of the words of the scale."""
        return self.scale_language or self.language

    @property
    def quoted(self) -> str:
        """The question as a sentence of the page quotes it, whichever way each of them runs."""
        # A set-up that is checked may have no name yet.
        return languages.isolated(self.question or self.name or "")


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part at its place on the screen; `position` counts from 1 and is all that a page may name."""

    position: int
    part: Part

    @property
    def letter(self) -> str:
        """A, B, C … by position only."""
        return chr(ord("A") + self.position - 1) if self.position <= 26 else str(self.position)

    @property
    def name(self) -> str:
        """The name on a screen with several outputs: “Text A”, “Picture A”."""
        return named(self.part.kind, self.letter)

    @property
    def heading(self) -> str:
        """The name on a screen with one output: “Text”, “Picture”."""
        return heading_of(self.part.kind)


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything one screen shows, frozen: parts, texts, criteria, options and arrangement.

    `kind` is the task type with its parameters, which are `params` in templates. `arrangement` is what was drawn and
    stored: "parts" the parts by screen position (a part may stand at several positions, or at none), "criteria" the
    order of criterion keys; a type may add its own entries. `context` holds the sources before this one in its
    document. `paged` says that questions are to be shown one at a time. `highlights` are those of source and
    reference, by these words; a part has its own. `personal_text` was written for this rater alone. There is no system
    in a screen, by construction.
    """

    kind: TaskType
    parts: tuple[Part, ...]
    criteria: tuple[Criterion, ...]
    source: str = ""
    source_language: str = ""
    reference: str = ""
    language: str = "en"
    format: str = "text"
    options: Mapping[str, object] = field(default_factory=dict)
    arrangement: Arrangement = field(default_factory=dict)
    context: tuple[str, ...] = ()
    media: tuple[Media, ...] = ()
    paged: bool = False
    highlights: Mapping[str, tuple[Highlight, ...]] = field(default_factory=dict)
    personal_text: str = ""

    @property
    def chains(self) -> Chains:
        """The chains of all texts, numbered alike for everybody: source and reference first, then the parts."""
        beside = [self.highlights.get(name, ()) for name in ("source", "reference")]
        return Chains.of([*beside, *(part.highlights for part in sorted(self.parts, key=lambda part: part.number))])

    @property
    def output_kind(self) -> str:
        """The kind of judged output: text, image, audio or video; outputs side by side are of one kind."""
        return self.parts[0].kind if self.parts else TEXT

    @property
    def shows_files(self) -> bool:
        """Whether pictures, sounds or films are judged, so that words of the screen must not speak of texts."""
        return self.output_kind != TEXT

    @property
    def type(self) -> str:
        """The name of the task type."""
        return self.kind.name

    @property
    def params(self) -> Mapping[str, object]:
        """The parameters of the task type."""
        return self.kind.params

    @property
    def shown_parts(self) -> tuple[ShownPart, ...]:
        """The parts in the order of the screen."""
        order = self.arrangement.get("parts")
        if not isinstance(order, Sequence) or not order or not set(order) <= set(range(len(self.parts))):
            order = range(len(self.parts))
        return tuple(ShownPart(position, self.parts[number]) for position, number in enumerate(order, start=1))

    @property
    def shown_criteria(self) -> tuple[Criterion, ...]:
        """The criteria in the order of the screen."""
        order = self.arrangement.get("criteria")
        by_key = {criterion.key: criterion for criterion in self.criteria}
        if not isinstance(order, Sequence):
            return self.criteria
        drawn = [by_key[str(key)] for key in order if str(key) in by_key]
        return (*drawn, *(criterion for criterion in self.criteria if criterion not in drawn))


@dataclass(frozen=True, slots=True)
class Sample:
    """The settings with which a type is shown without a study: on the patterns page, in the catalogue, in tests.

    `criteria` may stay empty where two ordinary ones with worded ends will do.
    """

    params: Mapping[str, object] = field(default_factory=dict)
    criteria: tuple[Criterion, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Value:
    """One rating to be stored: its part, its criterion and the answer.

    `outcome` names the declared outcome it belongs to; exactly one of `value`, `label` and `text` must be set,
    except for spans. Part numbers are canonical.
    """

    outcome: str
    part: int | None = None
    criterion: str | None = None
    number: int = 1
    value: float | None = None
    label: str | None = None
    text: str | None = None
    shown_value: float | None = None
    part_b: int | None = None
    span_side: str | None = None
    span_start: int | None = None
    span_end: int | None = None
    category: str | None = None
    severity: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text; its state is found, other (marked as another kind), missed or extra, or empty."""

    words: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in pieces, with the rater's marks and the expected ones: the text of a part, or the source beside it."""

    shown: ShownPart
    is_source: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback to a rater in training about one known answer: right or wrong, and why."""

    passed: bool
    sentence: Words
    explanation: str = ""
