"""The marks of a rater and the known errors laid over each other, to be shown after practice."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tasks_app.task_types.base import MarkedText, Piece, ShownPart
from tasks_app.task_types.error_spans.known_errors import Known
from tasks_app.task_types.error_spans.marks import MISSING, Mark


def state_of(known: Known, marks: Sequence[Mark]) -> str:
    """Return the state of a known error: found, marked as another kind (other), or missed."""
    if known.found_in(marks):
        return "found"
    return "other" if any(mark.overlaps(known.mark) for mark in marks) else "missed"


def pieces_of(text: str, marks: Sequence[tuple[Mark, str]]) -> tuple[Piece, ...]:
    """Cut a text where marks begin and end; `marks` come with their states, the one to be shown first in front.

    What is marked as missing from the text stands after it.
    """
    length = len(text)
    cuts = {0, length, *(edge for mark, _state in marks for edge in (mark.start, mark.end) if edge < length)}
    spans = [(start, end, text[start:end]) for start, end in pairwise(sorted(cuts))]
    if any(mark.end > length for mark, _state in marks):
        spans.append((length, length + 1, MISSING))
    return tuple(
        Piece(words, next((state for mark, state in marks if mark.start <= start and end <= mark.end), ""))
        for start, end, words in spans
    )


def marked_texts(
    shown_parts: Sequence[ShownPart],
    texts: Mapping[int, Mapping[str, str]],
    given: Mapping[int, Sequence[Mark]],
    known: Sequence[Known],
) -> tuple[MarkedText, ...]:
    """Return the texts that can be marked, the source first and the others in the order of the screen.

    `texts` holds the texts by part and side, `given` the rater's marks by part.
    """
    states = [(error.part, error.mark, state_of(error, given[error.part])) for error in known]
    marked: list[MarkedText] = []
    for shown in shown_parts:
        number = shown.part.number
        for side, text in sorted(texts[number].items(), reverse=True):
            expected = [(mark, state) for part, mark, state in states if (part, mark.side) == (number, side)]
            own = [(mark, "extra") for mark in given[number] if mark.side == side]
            marked.append(MarkedText(shown, side == "source", pieces_of(text, [*expected, *own])))
    return tuple(marked)
