"""A proposed answer with its source in words."""

from __future__ import annotations

from dataclasses import dataclass

from analytics_app.heds.answers import Answer

STUDY = "from the study"
TEXTS = "from the texts"
TASKS = "from the tasks"
RATERS = "from the raters"
LIBRARY = "from the criteria"


@dataclass(frozen=True, slots=True)
class Proposal:
    """An answer that the study proposes, and its source, such as "from run 3"."""

    answer: Answer
    source: str


def proposal(source: str, text: object = "", *options: int) -> Proposal:
    """Return a proposal of a text, of options, or of both."""
    return Proposal(Answer(str(text).strip(), tuple(sorted(options))), source)


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def were(n: int) -> str:
    """Return "was" or "were", as a number of things needs it."""
    return "was" if n == 1 else "were"
