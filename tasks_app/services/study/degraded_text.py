"""Degrade a text on purpose, so that attentive readers notice.

A run of words in a text is replaced by a run of the same length out of the text for another item, which leaves a text
of the same length that reads well up to a point. How long the run is follows the published table: Graham, Baldwin,
Moffat and Zobel (2017), Can machine translation systems be evaluated by the crowd alone, Natural Language Engineering
23(1), as the news task of WMT 2017 used it (Bojar et al. 2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import regex

# Words in a text, at most, and how many of them are replaced; of longer texts it is every fourth.
RUNS = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
ONE_IN = 4

# Number of further draws of a run if the first one would change nothing.
TRIES = 20

# Scripts that are written without spaces between words; two of their characters count as a word.
_WITHOUT_SPACES = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}"
    r"\p{Script=Myanmar}\p{Script=Tibetan}]"
)
_LETTER = regex.compile(r"\p{L}")


def run_length(n: int) -> int:
    """Return the number of words that are replaced in a text of n words."""
    return next((run for most, run in RUNS if n <= most), n // ONE_IN)


def has_spaces(text: str) -> bool:
    """Return whether a text is written with spaces between its words."""
    letters = len(_LETTER.findall(text))
    return 2 * len(_WITHOUT_SPACES.findall(text)) <= letters


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text in pieces: words, or characters as people see them, and the spaces before each and after the last."""

    words: tuple[str, ...]
    between: tuple[str, ...]
    per_word: int = 1

    @classmethod
    def of(cls, text: str) -> "Pieces":
        """Take a text apart."""
        spaced = has_spaces(text)
        matches = list(regex.finditer(r"\S+" if spaced else r"(?!\s)\X", text))
        ends = [0, *(match.end() for match in matches)]
        starts = [*(match.start() for match in matches), len(text)]
        between = tuple(text[end:start] for end, start in zip(ends, starts, strict=True))
        return cls(tuple(match.group() for match in matches), between, 1 if spaced else 2)

    @property
    def run(self) -> int:
        """The number of pieces that are replaced."""
        return min(len(self.words), self.per_word * run_length(-(-len(self.words) // self.per_word)))

    def with_run(self, start: int, run: Sequence[str]) -> str:
        """Return the text with other pieces from `start` on."""
        words = [*self.words[:start], *run, *self.words[start + len(run) :]]
        return "".join(a + b for a, b in zip(self.between, [*words, ""], strict=True))


def degrade(text: str, donors: Sequence[str], rng: Random) -> str | None:
    """Replace a run of a text by one of another text; None where no text has one that changes anything.

    The first and the last word stay as they are wherever the text is long enough.
    """
    pieces = Pieces.of(text)
    if not pieces.words or not donors:
        return None
    inner = len(pieces.words) - pieces.run >= 2
    for attempt in range(TRIES):
        donor = Pieces.of(rng.choice(donors))
        run = min(pieces.run, len(donor.words))
        start = rng.randint(1, len(pieces.words) - run - 1) if inner else rng.randint(0, len(pieces.words) - run)
        donor_start = rng.randint(0, len(donor.words) - run)
        degraded = pieces.with_run(start, donor.words[donor_start : donor_start + run])
        # A shorter text of another item gives a shorter run, which is the last resort.
        if degraded.casefold() != text.casefold() and (run == pieces.run or attempt > TRIES // 2):
            return degraded
    return None
