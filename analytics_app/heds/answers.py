"""Answers to questions of the datasheet: how they are checked, stored as JSON, and put into words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from analytics_app.heds.questions import Kind, Question
from tasks_app.texts.plaintext import problems_in_json

# More than any answer needs; a whole paper does not belong in a field.
LONGEST = 20_000

NOT_APPLICABLE = "N/A"


class BadAnswer(ValueError):
    """An answer that is invalid for its question; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A text, and for a choice the numbers of the options in their order."""

    text: str = ""
    options: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything was answered."""
        return bool(self.text or self.options)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Read a stored answer."""
        return cls(stored.get("text", ""), tuple(stored.get("options", ())))

    @property
    def stored(self) -> dict[str, Any]:
        """The answer as JSON."""
        return {"text": self.text, "options": list(self.options)}


def checked(question: Question, text: str, options: Iterable[int] = ()) -> Answer:
    """Return an answer that the question takes.

    Raises
    ------
    BadAnswer
        Where it takes no such answer.
    """
    text = text.replace("\r\n", "\n").strip()
    numbers = tuple(sorted(set(options)))
    if len(text) > LONGEST:
        raise BadAnswer(f"The text is longer than {LONGEST:,} characters.")
    if list(problems_in_json({"text": text})):
        raise BadAnswer("The text contains characters that cannot be stored.")
    if unknown := [number for number in numbers if not 1 <= number <= len(question.options)]:
        raise BadAnswer(f"The question has no option {unknown[0]}.")
    if question.kind == Kind.ONE and len(numbers) > 1:
        raise BadAnswer("Choose one option only.")
    if question.kind == Kind.INTEGER and text and not re.fullmatch(rf"[0-9]+|{NOT_APPLICABLE}", text):
        raise BadAnswer(f"Enter a whole number, or {NOT_APPLICABLE}.")
    return Answer(text, numbers)


def is_complete(question: Question, answer: Answer) -> bool:
    """Return whether a question is answered: with an option if it has any, and with a text if it needs one."""
    if not question.has_options:
        return bool(answer.text)
    needs_text = any(question.options[number - 1].needs_text for number in answer.options)
    return bool(answer.options) and (bool(answer.text) or not needs_text)


def in_words(question: Question, answer: Answer) -> str:
    """Return an answer in words for readers of the datasheet; empty if there is none."""
    chosen = "; ".join(question.options[number - 1].words for number in answer.options)
    return f"{chosen}: {answer.text}" if chosen and answer.text else chosen or answer.text
