"""Numbers and lists of names in the words of charts."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

# A number and its sign stay on one line.
SPACE = "\u00a0"
# A list of more names than this is cut, and so is a longer name in a title; tables have them whole.
NAMED, LONGEST = 3, 72


def number(value: float, largest: float) -> str:
    """Return a number with digits that suit its scale: 92.4 of 100, 3.71 of 5, with a true minus sign."""
    digits = 1 if abs(largest) >= 10 else 2
    return f"{value:z.{digits}f}".replace("-", "−")


def share(value: float, digits: int = 0) -> str:
    """Write a share as a percentage."""
    return f"{value * 100:z.{digits}f}{SPACE}%"


def bare(value: float) -> str:
    """Write a number that cannot pass 1 as journals do: .71."""
    return f"{value:z.2f}".replace("-", "−").replace("0.", ".", 1)


# Letters that run from right to left; a name that has some stands apart, so that it does not turn the words around it.
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
ISOLATED = "\u2068{}\u2069"


def short(name: object, longest: int = LONGEST) -> str:
    """Return a shortened name, with names that run from right to left isolated."""
    text = str(name)
    ends = list(accumulate(map(_width, text)))
    return isolated(text if not ends or ends[-1] <= longest else f"{text[: bisect_right(ends, longest - 1)]}…")


def isolated(name: object) -> str:
    """Return a whole name, with names that run from right to left isolated."""
    text = str(name)
    return ISOLATED.format(text) if RIGHT_TO_LEFT.search(text) else text


def _width(letter: str) -> int:
    """Return the room of a letter: two for Chinese and the like and for emoji, none for marks that join another."""
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1


def names(all_of_them: Sequence[str]) -> str:
    """Write a list of names: A and B; A, B and C; A, B, C and 2 more."""
    some = [short(name) for name in all_of_them]
    if len(some) > NAMED + 1:
        return f"{', '.join(some[:NAMED])} and {len(some) - NAMED} more"
    return " and ".join([", ".join(some[:-1]), some[-1]] if len(some) > 1 else some)
