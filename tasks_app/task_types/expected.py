"""After practice: the expected answers laid over the rater's, question by question.

A type names what was asked (`AnsweredQuestion`): the options with those that the rater chose, or a scale with the
number given. `compare` adds what known answers accept. Nothing here is computed before the rater has answered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

from tasks_app.task_types.grading import GoldAnswer, accepts
from tasks_app.task_types.screen_data import Criterion, MarkedText, ShownPart, Words

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


def compare(asked: Iterable[AnsweredQuestion], gold: Sequence[GoldAnswer]) -> tuple[Compared, ...]:
    """Return the questions to which answers are known, each with the rater's answer and the expected one."""
    return tuple(_compared(question, known) for question in asked if (known := question.known(gold)))


def _compared(asked: AnsweredQuestion, known: Sequence[GoldAnswer]) -> Compared:
    return Compared(
        asked.title,
        asked.fields,
        asked.language,
        asked.shown,
        asked.criterion,
        options=tuple(
            ComparedOption(
                option.words, _state(option.chosen, all(accepts(gold, option.value) for gold in known)), option.language
            )
            for option in asked.options
        ),
        track=None if asked.options else _track(asked, known),
    )


def _state(chosen: bool, expected: bool) -> str:
    if chosen:
        return "found" if expected else "extra"
    return "expected" if expected else ""


def _track(asked: AnsweredQuestion, known: Sequence[GoldAnswer]) -> Track:
    expected = tuple(dict.fromkeys(chain.from_iterable(_intervals(answer) for answer in known)))
    numbers = [
        *chain.from_iterable(expected),
        *(number for number in (asked.given, asked.reference) if number is not None),
    ]
    at = _shares(asked, numbers)
    given = asked.given
    return Track(
        given=given,
        given_at=None if given is None else at(given),
        expected=expected,
        bands=tuple((at(low), at(high) - at(low)) for low, high in expected),
        right=given is not None and all(accepts(answer, given) for answer in known),
        reference=asked.reference,
        reference_at=None if asked.reference is None else at(asked.reference),
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


def _shares(asked: AnsweredQuestion, numbers: Sequence[float]) -> _Shares:
    if asked.scale is not None:
        return _Shares(*asked.scale, ratio=False)
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
