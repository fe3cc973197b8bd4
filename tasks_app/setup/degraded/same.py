"""Three ways to change a text and keep its meaning: other names, inserted words, words from a list.

Each takes the text and the words that the researcher gave, and returns the changed text, or None where the text cannot
be changed in this way. Rony et al. (2022), RoMe, ACL, 5645-5657, and the invariance tests of Ribeiro et al. (2020),
CheckList, ACL, 4902-4912, ask whether metrics leave such texts alone; how each is made is ours.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import regex

from tasks_app.services.study.degraded_text import Pieces, has_spaces
from tasks_app.setup.degraded.kinds import INSERTION, RENAMING, SUBSTITUTION, sentences
from tasks_app.texts import patterns

Pair = tuple[str, str]

_WORDS_OF_NAME = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*")


@dataclass(frozen=True, slots=True)
class Given:
    """The words that a researcher gives: pairs of names, words to insert, and pairs of words or phrases."""

    names: Sequence[Pair] = ()
    inserted: str = ""
    substitutions: Sequence[Pair] = ()


def reworded(kind: str, text: str, others: Collection[str], given: Given, rng: Random) -> str | None:
    """Return a text that means the same, None where it cannot be made in this way.

    Parameters
    ----------
    kind : str
        "renaming", "insertion" or "substitution".
    text : str
    others : collection of str
        What else the row says of the item, such as its source: a name that stands there is not changed.
    given : Given
    rng : random.Random
        The same numbers give the same copy.
    """
    changed = _MAKERS[kind](text, others, given, rng)
    return changed if changed is not None and changed.strip() and changed != text else None


def _renamed(text: str, others: Collection[str], given: Given, _rng: Random) -> str | None:
    """Replace names throughout the text; None where a name would be left elsewhere, or taken already."""
    spaced = has_spaces(text)
    there = [(old, new) for old, new in given.names if _pattern([old], spaced).search(text)]
    if not there:
        return None
    for old, new in there:
        if any(_pattern([old], spaced).search(other) for other in others):
            return None
        if _pattern([new], spaced).search(text):
            return None
    changed = _replaced(text, there, spaced, begins=False)
    # “Holm” would still be called so where “Ada Holm” has another name.
    left = {word for old, _new in there for word in _WORDS_OF_NAME.findall(old) if word[0].isupper()}
    left -= {word for _old, new in there for word in _WORDS_OF_NAME.findall(new)}
    return None if left and _pattern(sorted(left), spaced).search(changed) else changed


def _with_insertion(text: str, _others: Collection[str], given: Given, rng: Random) -> str | None:
    """Put the words before a sentence."""
    words = given.inserted.strip()
    pieces = Pieces.of(text)
    starts = [start for start, _end in sentences(pieces)]
    if not words or not starts:
        return None
    place = rng.choice(starts)
    space = " " if pieces.per_word == 1 else ""
    return pieces.with_run(place, [words + space + pieces.words[place]])


def _substituted(text: str, _others: Collection[str], given: Given, _rng: Random) -> str | None:
    """Replace every word or phrase of the list; a capital at its beginning stays."""
    return _replaced(text, given.substitutions, has_spaces(text), begins=True) if given.substitutions else None


def _replaced(text: str, pairs: Sequence[Pair], spaced: bool, *, begins: bool) -> str:
    """Replace whole words and phrases at once, the longest first; with `begins` also those with a capital."""
    replacement = dict(pairs)
    if begins:
        replacement |= {_capital(old): _capital(new) for old, new in pairs if _capital(old) not in replacement}
    return _pattern(list(replacement), spaced).sub(lambda match: replacement[match.group()], text)


def _pattern(words: Sequence[str], spaced: bool) -> "regex.Pattern[str]":
    """Return the pattern of any of some words or phrases, the longest first; whole words where spaces divide them."""
    longest_first = sorted(words, key=len, reverse=True)
    return patterns.any_of(longest_first, not_beside=r"[\p{L}\p{N}\p{M}]" if spaced else "")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


_MAKERS: Mapping[str, Callable[[str, Collection[str], Given, Random], str | None]] = {
    RENAMING: _renamed,
    INSERTION: _with_insertion,
    SUBSTITUTION: _substituted,
}
