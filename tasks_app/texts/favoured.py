"""Evaluated texts that raters are shown as an example, word for word or with a few words changed.

Raters who read in the instructions, or learn in practice, how a text is to be judged are no longer free when they judge
it, and its system gains or loses by it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median_low

from tasks_app.texts.findings import FIRST, TextFinding
from tasks_app.texts.words import words_of

# The share of the words of an evaluated text that an example has in the same order, and the fewest words of a text: a
# shorter one stands in other texts by chance, and is looked for as a whole only.
ALIKE, FEWEST = 0.8, 5
# The most characters that are looked at: more texts are thinned evenly.
MOST_CHARACTERS = 12_000_000
# Characters of a text that its finding quotes.
_QUOTED = 60

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """A text that raters read before they judge: `kind` and `key` name its place."""

    kind: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A text that raters judge, with its item and the name of its system."""

    item: str
    system: str
    text: str


def favoured_in(examples: Iterable[Example], evaluated: Sequence[Evaluated]) -> Iterator[TextFinding]:
    """Yield a finding for each place with examples that equal or nearly equal evaluated texts.

    `words` of the finding quotes the first such text, `first` names some with their systems, and `systems` are the key
    of the place and the names of the systems, most frequent first. `of` is the number of evaluated texts looked at.
    """
    index = _Index(examples)
    if not index.examples:
        return
    looked_at = _thinned(evaluated)
    by_place: dict[tuple[str, str], list[Evaluated]] = {}
    places_of: dict[str, frozenset[tuple[str, str]]] = {}
    for one in looked_at:
        # Several systems often have the same text.
        if one.text not in places_of:
            places_of[one.text] = index.places(words_of(one.text))
        for place in places_of[one.text]:
            by_place.setdefault(place, []).append(one)
    for (kind, key), texts in sorted(by_place.items()):
        systems = [name for name, _n in Counter(one.system for one in texts).most_common(FIRST)]
        quoted = " ".join(texts[0].text.split())
        yield TextFinding(
            kind,
            len(texts),
            len(looked_at),
            tuple(f"{one.item}, {one.system}" for one in texts[:FIRST]),
            quoted if len(quoted) <= _QUOTED else f"{quoted[: _QUOTED - 1]}…",
            (key, *systems),
        )


def _thinned(evaluated: Sequence[Evaluated]) -> Sequence[Evaluated]:
    """Return all texts, or every second, third, … where there are too many characters."""
    characters = sum(len(one.text) for one in evaluated)
    return evaluated[:: -(-characters // MOST_CHARACTERS) or 1]


class _Index:
    """The examples by their pairs of neighbouring words, and by all of their words."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self.examples = [(example.kind, example.key, words_of(example.text)) for example in dict.fromkeys(examples)]
        self.whole: dict[tuple[str, ...], set[tuple[str, str]]] = {}
        self.pairs: dict[Pair, list[tuple[int, int]]] = {}
        for number, (kind, key, words) in enumerate(self.examples):
            if len(words) > 1:
                self.whole.setdefault(tuple(words), set()).add((kind, key))
            for at, pair in enumerate(pairwise(words)):
                self.pairs.setdefault(pair, []).append((number, at))
        self.known: frozenset[Hashable] = frozenset(self.pairs)

    def places(self, words: list[str]) -> frozenset[tuple[str, str]]:
        """Return the places with an example that equals a text, nearly equals it, or has it as a part."""
        pairs = set(pairwise(words))
        # A changed word takes two pairs of neighbours.
        needed = max(1.0, len(pairs) - 2 * (1 - ALIKE) * len(words))
        # Most texts end here.
        if len(pairs & self.known) < needed:
            return frozenset()
        found = set(self.whole.get(tuple(words), ()))
        if len(words) >= FEWEST:
            starts: dict[int, list[int]] = {}
            for at, pair in enumerate(pairwise(words)):
                for number, place in self.pairs.get(pair, ()):
                    starts.setdefault(number, []).append(place - at)
            for number, offsets in starts.items():
                kind, key, theirs = self.examples[number]
                if len(offsets) >= needed and (kind, key) not in found and _has(theirs, words, offsets):
                    found.add((kind, key))
        return frozenset(found)


def _has(example: Sequence[str], words: Sequence[str], offsets: Sequence[int]) -> bool:
    """Return whether an example has nearly all words of a text in a row; `offsets` is where shared pairs put it."""
    for start in {Counter(offsets).most_common(1)[0][0], median_low(offsets)}:
        slack = len(words) // 4 + 2
        part = example[max(0, start - slack) : max(0, start + len(words) + slack)]
        matcher = SequenceMatcher(None, part, words, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        if not blocks:
            continue
        spread = blocks[-1].a + blocks[-1].size - blocks[0].a
        if sum(block.size for block in blocks) >= ALIKE * max(len(words), spread):
            return True
    return False
