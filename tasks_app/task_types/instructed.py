"""Attention checks: texts that say which answer to give, worded for raters in the language of the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from django.utils.translation import gettext as _

from tasks_app.task_types.data import Criterion

Answer = TypeVar("Answer")

# Numbers that a text asks for. They can be typed on every keyboard, and stand in no text by chance.
NUMBERS = ("4817", "2953", "7036")


@dataclass(frozen=True, slots=True)
class Instruction:
    """The screen of an attention check.

    `texts` are its outputs, each with the key of its system, "" for a system of checks alone. `answers` are the known
    answers, each with the key of its criterion ("" for the whole screen), its kind and its value. `source`, `reference`
    and `options` are those of its item.
    """

    texts: tuple[tuple[str, str], ...]
    answers: tuple[tuple[str, str, object], ...]
    source: str = ""
    reference: str = ""
    options: Mapping[str, object] = field(default_factory=dict)


def number_of(check: int) -> str:
    """Return the number that a check asks raters to type; checks are counted from 0."""
    return NUMBERS[check % len(NUMBERS)]


def alternated(pair: Sequence[Answer], check: int) -> list[Answer]:
    """Return two answers in their order for every other check, and exchanged for the checks between."""
    return list(pair) if check % 2 == 0 else list(reversed(pair))


def check_text(sentence: str) -> str:
    """Return the text of a check that asks for something in one sentence."""
    first = _("This is not a text to judge. It checks that you are reading.")
    return f"{first}\n{sentence}"


def in_lines(instructions: Iterable[tuple[Criterion, str]]) -> str:
    """Return the text of a check that asks for an answer to each question."""
    lines = [f"{criterion.wording} “{words}”" for criterion, words in instructions]
    return check_text("\n".join([_("Please answer exactly like this:"), *lines]))


def step_asked_for(words: Sequence[str], check: int) -> int:
    """Return the place of the step that a check asks for: the last, the first, then those between, with words if any.

    `words` are those of all steps, "" for a step without.
    """
    places = range(len(words))
    in_turn = [places[-1], places[0], *reversed(places[1:-1])]
    worded = [place for place in in_turn if words[place]] or in_turn[:2]
    return worded[check % len(worded)]
