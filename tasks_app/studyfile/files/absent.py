"""Words in texts and labels by which programs mark missing values: counted, since they may also be texts."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import ngettext

# In small letters. A lone hyphen is often written by people where there is nothing.
WORDS = frozenset({"nan", "none", "null", "na", "n/a", "-", "#n/a", "<na>", "undefined"})
LONGEST = max(map(len, WORDS))

# Lines that are named for each word.
_SHOWN = 3


def is_absent(text: str) -> bool:
    """Return whether a text is one by which programs mark a missing value."""
    return len(text) <= LONGEST and text.strip().lower() in WORDS


class AbsentWords:
    """Counts such words by their column, as they are written."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[int, list[int]]] = {}

    def add(self, column: str, text: str, line: int) -> None:
        """Count a word that stands in a cell."""
        n, lines = self._found.get((column, text), (0, []))
        if len(lines) < _SHOWN and line not in lines:
            lines.append(line)
        self._found[column, text] = n + 1, lines

    def notes(self, file: str) -> Iterator[str]:
        """Yield a note on each word."""
        for (column, text), (n, lines) in self._found.items():
            sentence = ngettext(
                "%(file)s: “%(word)s” stands in %(n)d cell of %(column)s (line %(lines)s) and is kept as a word. If it "
                "means that a value is missing, leave the cell empty.",
                "%(file)s: “%(word)s” stands in %(n)d cells of %(column)s (first in lines %(lines)s) and is kept as a "
                "word. If it means that a value is missing, leave the cells empty.",
                n,
            )
            words = {"file": file, "word": text.strip(), "n": n, "column": column, "lines": ", ".join(map(str, lines))}
            yield sentence % words
