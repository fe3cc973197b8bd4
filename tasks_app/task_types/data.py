"""The data that pass between a study and a task type: frozen, without database, system names or other raters.

From top to bottom: what a type declares and what it is given (outcomes, texts, media, criteria), the ratings that it
makes, known answers with their grading, and the page after practice. That page has the expected answers laid over the
rater's, question by question: a type names what was asked (`AnsweredQuestion`), and `compare` adds what known answers
accept. Nothing of it is computed before the rater has answered.

Nothing here knows a task type: `base.py` has the screen, its form and the type, which need each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from itertools import chain, zip_longest
from math import log
from typing import Any, TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.highlights import Highlight
from tasks_app.task_types.output_names import TEXT, heading_of, named
from tasks_app.texts import languages

Arrangement: TypeAlias = Mapping[str, object]
Words: TypeAlias = str | Promise


class Scale(StrEnum):
    """The level of measurement of an outcome: it decides which statistics are offered."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"
    TEXT = "text"


# The scales with an order of values, so that a greater one means more.
ORDERED_SCALES = frozenset({Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO})


class Quality(StrEnum):
    """The quality of a simulated rater's work."""

    CAREFUL = "careful"
    SLOPPY = "sloppy"
    RANDOM = "random"
    STRAIGHT_LINER = "straight_liner"


class Act(StrEnum):
    """An act of raters on a screen, which instructions name by words that fit no other act."""

    STEP = "step"
    SLIDE = "slide"
    COMPARE = "compare"
    CHOOSE_ENDS = "choose_ends"
    FIND_ODD = "find_odd"
    ORDER = "order"
    NUMBER = "number"
    MARK = "mark"
    EDIT = "edit"


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


@lru_cache(maxsize=1000)
def _shared(groups: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return groups of outputs as one object for all items that have the same: most items of a study do."""
    return groups


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
        groups = _shared(tuple(tuple(group) for group in by_content.values()))
        return cls(key=key, outputs=tuple(outputs), groups=groups, **rest)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class UnitDraft:
    """A unit to be: its key, and for each part in canonical order the outputs (by number) it shows.

    Parts are of the unit's item, unless `part_items` names the item of each: then several items are on one screen.
    `criterion` is set by the study where each criterion has units of its own, never by a type. So is `ends_document`,
    where the unit asks for the score of its whole document as well.
    """

    key: str
    item: str | None
    parts: tuple[tuple[int, ...], ...]
    document: str | None = None
    part_items: tuple[str, ...] = ()
    criterion: str = ""
    ends_document: bool = False

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
        """The mark that tells the part from others: its words, or the hash of its file."""
        return self.text if self.file is None else self.file.name


# The criterion of a whole document: it is asked with the last text of each system in the document.
DOCUMENT_SCORE = "document_score"

# The name of the words that a question with several wordings has itself.
FIRST_WORDING = "first"

# Settings of a wording that stand in for those of the question where they are given.
_WORDS, _WORDS_OF_SCALE = ("question", "definition"), ("low", "high", "labels", "anchors")


@dataclass(frozen=True, slots=True)
class Wording:
    """Other words for a question, which some raters read in place of its own; empty words are those of the question.

    Words of the scale go from its low to its high end, as those of the question do; if a wording has some, it has none
    of the question's. A `reversed` scale begins with the high end on the screen. `shown_first` stands above the
    question (an anchor), and `example` below it.
    """

    key: str
    question: str = ""
    definition: str = ""
    low: str = ""
    high: str = ""
    labels: tuple[str, ...] = ()
    anchors: Mapping[str, str] = field(default_factory=dict)
    reversed: bool = False
    shown_first: str = ""
    example: str = ""

    @classmethod
    def stored(cls, given: Mapping[str, Any]) -> Wording:
        """Make a wording of its settings as a study stores them."""
        return cls(**{**given, "labels": tuple(given.get("labels") or ()), "anchors": dict(given.get("anchors") or {})})


@dataclass(frozen=True, slots=True)
class Criterion:
    """A question to raters about a text. `low` and `high` are the words at the ends of the scale.

    `labels` names every step where the study words them all (then one a step), `anchors` single points. `language` is
    that of all these words, `scale_language` that of the words of the scale where evalweb gives them. `wordings` are
    other words that some raters read instead. On a screen there are none: `shown_wording` names the one that the rater
    reads, and `wording_number` counts it from 0, the question's own words. `reversed`, `shown_first` and `example` are
    those of that wording.
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
    wordings: tuple[Wording, ...] = ()
    shown_wording: str = ""
    wording_number: int = 0
    reversed: bool = False
    shown_first: str = ""
    example: str = ""

    @property
    def wording_keys(self) -> tuple[str, ...]:
        """The names of all wordings, that of the question's own words first; empty where raters all read the same."""
        return (FIRST_WORDING, *(wording.key for wording in self.wordings)) if self.wordings else ()

    def in_wording(self, key: object) -> Criterion:
        """Return the question as raters with this wording read it; in its own words where it has none of that name."""
        if not self.wordings:
            return self
        number = self.wording_keys.index(str(key)) if key in self.wording_keys else 0
        own = replace(self, wordings=(), shown_wording=self.wording_keys[number], wording_number=number)
        if not number:
            return own
        wording = self.wordings[number - 1]
        names = [name for name in _WORDS if getattr(wording, name)]
        if any(getattr(wording, name) for name in _WORDS_OF_SCALE):
            names += _WORDS_OF_SCALE
        names += ("reversed", "shown_first", "example")
        return replace(own, **{name: getattr(wording, name) for name in names})

    @property
    def all_wordings(self) -> tuple[Criterion, ...]:
        """The question in each of its wordings; the question alone where it has none."""
        return tuple(map(self.in_wording, self.wording_keys)) or (self,)

    @property
    def language_of_scale(self) -> str:
        """The language of the words of the scale."""
        return self.scale_language or self.language

    @property
    def wording(self) -> str:
        """The words that ask raters: the question, or the name where the study has no question."""
        return self.question or self.name

    @property
    def quoted(self) -> str:
        """The question as a sentence of the page quotes it, whichever way each of them runs."""
        # A set-up that is checked may have no name yet.
        return languages.isolated(self.wording or "")


def without_document_score(criteria: Sequence[Criterion]) -> tuple[Criterion, ...]:
    """Return criteria without that of the whole document."""
    return tuple(criterion for criterion in criteria if criterion.key != DOCUMENT_SCORE)


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
    except for spans. Part numbers are canonical. A span in a text that came with marks has a `mark_origin` (own, kept
    or changed) and, unless it is the rater's own, the number of the given mark as `mark_of`, from 1;
    `mark_reason` says in the rater's words why a span is an error.
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
    mark_origin: str | None = None
    mark_of: int | None = None
    mark_reason: str | None = None


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


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A known answer: `kind` is exact, range, set, span or order; `answer` has the form that the kind needs."""

    kind: str
    answer: object
    criterion: str | None = None
    part: int | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """The result of comparing an answer with one known answer."""

    gold: GoldAnswer
    passed: bool
    given: tuple[float | str, ...] = ()


def grade_one(values: Sequence[Value], gold: GoldAnswer) -> Graded:
    """Compare the values about one criterion and part with a known answer of kind exact, range or set.

    Raises
    ------
    ValueError
        For a kind that needs a type of its own to grade (span, order).
    """
    given = tuple(
        answer
        for value in values
        if (gold.criterion is None or value.criterion == gold.criterion)
        and (gold.part is None or value.part == gold.part)
        and (answer := value.value if value.value is not None else value.label) is not None
    )
    # An impossible known answer is refused, also where nothing was answered.
    right = [accepts(gold, answer) for answer in given or (0.0,)]
    return Graded(gold, bool(given) and all(right), given)


def accepts(gold: GoldAnswer, given: float | str) -> bool:
    """Return whether a known answer of kind exact, range or set accepts a value.

    Raises
    ------
    ValueError
        For a kind that needs a type of its own to grade (span, order), and for a range without two limits.
    """
    if gold.kind == "exact":
        return same(given, gold.answer)
    if gold.kind == "set":
        allowed = gold.answer if isinstance(gold.answer, list | tuple) else [gold.answer]
        return any(same(given, value) for value in allowed)
    if gold.kind == "range":
        low, high = _limits(gold.answer)
        return isinstance(given, float | int) and low <= given <= high
    raise ValueError(f"Gold of kind {gold.kind!r} is not graded by this task type.")


def all_of_a_set(graded: Graded) -> Graded:
    """Compare an answer that may hold several values with a known set again: it must hold all of them and no other."""
    expected = graded.gold.answer
    if graded.gold.kind != "set" or not isinstance(expected, list | tuple):
        return graded
    return replace(graded, passed=sorted(map(str, graded.given)) == sorted(map(str, expected)))


def same(given: float | str, expected: object) -> bool:
    """Return whether an answer equals the expected one; 3 and 3.0 are the same step, "3" and 3 are not."""
    if isinstance(given, str) or isinstance(expected, str):
        return given == expected
    return isinstance(expected, int | float) and float(given) == float(expected)


def _limits(answer: object) -> tuple[float, float]:
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        raise ValueError(f"A range needs two numbers, low and high; this is {answer!r}.")
    return float(answer[0]), float(answer[1])


def sentence_for(graded: Graded, criterion: str) -> Words:
    """Return the feedback on one known answer, as a sentence."""
    about = {"criterion": criterion}
    if graded.passed:
        return _("Right.") if not criterion else _("%(criterion)s: right.") % about
    return _("Not quite.") if not criterion else _("%(criterion)s: not quite.") % about


# The factor by which a logarithmic track goes on beyond the least and the greatest number on it.
BEYOND = 2.0


@dataclass(frozen=True, slots=True)
class AnsweredOption:
    """One option: its words, the value that known answers name, whether the rater chose it."""

    words: Words
    value: float | str
    chosen: bool
    language: str = ""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question that was answered: its options, or its scale from `low` to `high` with the number `given`.

    `key` is the criterion as known answers name it, `fields` the fields of the form that hold the answer, `shown` the
    text the question is about where there are several. `unnamed` says that known answers without a criterion are about
    it. On a ratio scale, `reference` is the number of the reference, and low and high follow from the numbers.
    """

    key: str
    title: Words
    fields: tuple[str, ...]
    language: str = ""
    shown: ShownPart | None = None
    options: tuple[AnsweredOption, ...] = ()
    criterion: Criterion | None = None
    scale: tuple[float, float] | None = None
    reference: float | None = None
    given: float | None = None
    unnamed: bool = True

    def known(self, gold: Iterable[GoldAnswer]) -> list[GoldAnswer]:
        """Return the known answers that are about this question."""
        part = None if self.shown is None else self.shown.part.number
        return [
            answer
            for answer in gold
            if answer.kind in {"exact", "set", "range"}
            and (answer.criterion == self.key or (answer.criterion is None and self.unnamed))
            and (answer.part is None or answer.part == part)
        ]


@dataclass(frozen=True, slots=True)
class ComparedOption:
    """An option; its state is found (chosen and expected), expected (not chosen), extra (not expected) or empty."""

    words: Words
    state: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Track:
    """A scale with marks, as percentages of its length: the given value, and the ends of the expected answers.

    `expected` holds these as the rater reads them: lowest and highest, the same twice where it is one number.
    """

    given: float | None
    given_at: float | None
    expected: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float], ...]
    right: bool
    reference: float | None = None
    reference_at: float | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A text in an order, its place there, the place that the rater gave it, and whether the two orders agree on it."""

    shown: ShownPart
    place: int
    given: int | None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Orders:
    """The rater's order of the texts and the expected one, each from the best; texts that share a place are tied."""

    given: tuple[Placed, ...]
    expected: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A question with the rater's answer and the expected one: options, a track or two orders."""

    title: Words
    fields: tuple[str, ...]
    language: str = ""
    shown: ShownPart | None = None
    criterion: Criterion | None = None
    options: tuple[ComparedOption, ...] = ()
    track: Track | None = None
    orders: Orders | None = None


@dataclass(frozen=True, slots=True)
class LaidOver:
    """The content of the page after practice: texts with marks, and questions with answers."""

    texts: tuple[MarkedText, ...] = ()
    questions: tuple[Compared, ...] = ()


def compare(questions: Iterable[AnsweredQuestion], gold: Sequence[GoldAnswer]) -> tuple[Compared, ...]:
    """Return the questions to which answers are known, each with the rater's answer and the expected one."""
    return tuple(_compared(question, known) for question in questions if (known := question.known(gold)))


def _compared(question: AnsweredQuestion, known: Sequence[GoldAnswer]) -> Compared:
    return Compared(
        question.title,
        question.fields,
        question.language,
        question.shown,
        question.criterion,
        options=tuple(
            ComparedOption(
                option.words, _state(option.chosen, all(accepts(gold, option.value) for gold in known)), option.language
            )
            for option in question.options
        ),
        track=None if question.options else _track(question, known),
    )


def _state(chosen: bool, expected: bool) -> str:
    if chosen:
        return "found" if expected else "extra"
    return "expected" if expected else ""


def _track(question: AnsweredQuestion, known: Sequence[GoldAnswer]) -> Track:
    expected = tuple(dict.fromkeys(chain.from_iterable(_intervals(answer) for answer in known)))
    numbers = [
        *chain.from_iterable(expected),
        *(number for number in (question.given, question.reference) if number is not None),
    ]
    at = _shares(question, numbers)
    given = question.given
    return Track(
        given=given,
        given_at=None if given is None else at(given),
        expected=expected,
        bands=tuple((at(low), at(high) - at(low)) for low, high in expected),
        right=given is not None and all(accepts(answer, given) for answer in known),
        reference=question.reference,
        reference_at=None if question.reference is None else at(question.reference),
    )


def _intervals(gold: GoldAnswer) -> list[tuple[float, float]]:
    """Return the numbers that a known answer accepts, as intervals."""
    answer = gold.answer if isinstance(gold.answer, list | tuple) else [gold.answer]
    numbers = [float(value) for value in answer if isinstance(value, int | float)]
    if gold.kind == "range":
        return [(numbers[0], numbers[1])]
    return [(number, number) for number in numbers]


class _Shares:
    """Percentages of a track; of the logarithm on a ratio scale."""

    def __init__(self, low: float, high: float, *, ratio: bool) -> None:
        self.low, self.high, self.ratio = low, high, ratio

    def __call__(self, number: float) -> float:
        low, high, value = self.low, self.high, min(self.high, max(self.low, number))
        if self.ratio:
            low, high, value = log(low), log(high), log(value)
        return round(100 * (value - low) / (high - low), 2)


def _shares(question: AnsweredQuestion, numbers: Sequence[float]) -> _Shares:
    if question.scale is not None:
        return _Shares(*question.scale, ratio=False)
    positive = [number for number in numbers if number > 0] or [1.0]
    return _Shares(min(positive) / BEYOND, max(positive) * BEYOND, ratio=True)


def orders(order: Sequence[int], shown_parts: Sequence[ShownPart], places: dict[int, int]) -> Orders:
    """Lay a known order of texts (numbers of parts, better ones first) beside the places that a rater gave.

    `places` holds the rater's place by number of part; it is empty where the rater gave none. A text is where it is
    expected if as many of the named texts stand above it, and it shares its place with none of them.
    """
    by_number = {shown.part.number: shown for shown in shown_parts}
    states = {number: _order_state(order, number, places) for number in order}
    given = sorted((place, by_number[number].position, number) for number, place in places.items())
    return Orders(
        tuple(Placed(by_number[number], place, place, states.get(number, "")) for place, _position, number in given),
        tuple(
            Placed(by_number[number], place, places.get(number), states[number] if places else "expected")
            for place, number in enumerate(order, start=1)
        ),
    )


def _order_state(order: Sequence[int], number: int, places: dict[int, int]) -> str:
    if number not in places:
        return "expected"
    others = [places[other] for other in order if other != number]
    above = sum(place < places[number] for place in others)
    return "found" if above == order.index(number) and places[number] not in others else "extra"
