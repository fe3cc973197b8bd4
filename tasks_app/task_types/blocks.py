"""Incomplete blocks: the texts of an item over several screens, so that every two systems meet about equally often.

An item with more texts than fit on a screen is split over as few screens as hold them, of equal sizes within one. So
every text of an item stands on exactly one screen. Which texts share a screen is found by exchanging texts between the
screens of an item, as for other computer-generated block designs [2]_; half of the exchanges are aimed at systems that
meet too often or too seldom, as in a focused random walk [3]_.

Where every item has one text by each of the same systems, the screens of some items are first developed from those of
others, by replacing each system by the next of a cycle [1]_: so few initial items are left to be searched that pairs
which meet equally often, within one, are mostly found at once. For some numbers of systems, texts a screen and items no
such arrangement exists; then the most even one that the search passed is taken, which is seldom the one it ends in.

References
----------
.. [1] R. C. Bose (1939). On the construction of balanced incomplete block designs. Annals of Eugenics 9, 353-399.
.. [2] J. A. John and E. R. Williams (1995). Cyclic and Computer Generated Designs. Chapman & Hall.
.. [3] B. Selman, H. A. Kautz and B. Cohen (1994). Noise strategies for improving local search. AAAI, 337-343.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations
from math import ceil, exp
from random import Random
from typing import TypeAlias

from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import WholeField, whole_field
from tasks_app.task_types.base import ItemTexts

# The outputs of an item that each text stands for, by their numbers in the item.
Groups: TypeAlias = Sequence[Sequence[int]]
# The systems of each text of an item: several where their texts are identical.
Texts: TypeAlias = tuple[tuple[int, ...], ...]
# The texts on each screen of an item, by their numbers in the item.
Screens: TypeAlias = tuple[tuple[int, ...], ...]

# With two texts a screen, an odd number would leave one text alone; from three on every screen has two or more.
FEWEST = 3
MOST = 20

# Exchanges that are tried for each text when the screens of an item are first made, and in all afterwards. They take a
# third of a second.
FIRST, STEPS = 12, 80_000

# Number of cycles that are tried before items are searched one by one.
CYCLES = 4

# The share of the exchanges that are aimed at pairs which meet too often or too seldom, and after how many exchanges
# these pairs are listed again.
AIMED, LISTED = 0.5, 40

# Most items that are tried to find one in which a pair can be separated or brought together.
LOOKS = 20

# Probability of an exchange that leaves pairs less even by 1, 2 …: exp(-1 / HEAT) and so on.
HEAT = 0.2


def texts_field(most: int = MOST) -> WholeField[int | None]:
    """Return the parameter `texts_a_screen` of a type that shows several texts of an item."""
    return whole_field(
        _("Texts at a time"),
        _(
            "Items with more texts are split over several screens. Each text is on one of them, and over all items "
            "every two systems meet about equally often. Leave empty to show all texts of an item on one screen."
        ),
        within=(FEWEST, most),
    )


def screen_sizes(n_texts: int, size: int) -> tuple[int, ...]:
    """Return the numbers of texts on the screens of an item: as few screens as possible, as equal as possible."""
    n_screens = max(1, ceil(n_texts / size))
    least, more = divmod(n_texts, n_screens)
    return (*(least + 1 for _screen in range(more)), *(least for _screen in range(n_screens - more)))


def screens_of(
    items: Sequence[ItemTexts], groups: Sequence[Groups], size: int | None, rng: Random
) -> Iterator[tuple[str, ItemTexts, Groups]]:
    """Yield every screen: its key, its item and its texts.

    Parameters
    ----------
    items : sequence of ItemTexts
        The items, which say whose outputs these are.
    groups : sequence, one for each item
        The texts to be shown.
    size : int or None
        The most texts on a screen, 3 or more; None for all texts of an item.
    rng : Random
        Decides between arrangements that are equally balanced; not used without a size.

    An item on one screen gives that screen its key. Otherwise its screens are numbered from 1.
    """
    all_screens = _split(items, groups, size, rng) if size is not None else [() for _item in items]
    for item, texts, screens in zip(items, groups, all_screens, strict=True):
        if len(screens) < 2:
            yield item.unit_key, item, texts
            continue
        for number, screen in enumerate(screens, start=1):
            yield f"{item.unit_key}/{number}", item, [texts[text] for text in screen]


def _split(items: Sequence[ItemTexts], groups: Sequence[Groups], size: int, rng: Random) -> Sequence[Screens]:
    numbers: dict[str, int] = {}
    texts = tuple(
        tuple(
            tuple(sorted({numbers.setdefault(item.outputs[output].system, len(numbers)) for output in group}))
            for group in of_item
        )
        for item, of_item in zip(items, groups, strict=True)
    )
    return arranged(texts, size, rng.getrandbits(64))


# A study file is arranged when it is checked and again when it is stored, and a draft whenever it is looked at.
@lru_cache(maxsize=8)
def arranged(texts: tuple[Texts, ...], size: int, seed: int) -> tuple[Screens, ...]:
    """Return the screens of each item, of at most `size` texts each: the most even arrangement that was found."""
    rng = Random(seed)  # noqa: S311  reproducible, not secret
    best: tuple[Screens, ...] = ()
    least: tuple[int, int] | None = None
    for order in _orders(texts, size):
        search = _Search(texts, size, order, rng)
        search.even_out()
        if least is None or search.least < least:
            best, least = search.best, search.least
        if least[0] <= 1:
            break
    return best


def _orders(texts: Sequence[Texts], size: int) -> list[int]:
    """Return the lengths of the cycles to be tried: each item then stands for so many.

    Above 1 only where every item has one text by each of the same systems. A cycle moves all systems, or all but one.
    """
    alone = {text for of_item in texts for text in of_item}
    n, m = len(alone), len(texts)
    is_complete = all(len({*of_item}) == len(of_item) == n for of_item in texts)
    if n <= size or not is_complete or any(len(text) > 1 for text in alone):
        return [1]
    orders = [order for order in range(min(n, m), 1, -1) if m % order == 0 and 0 in (n % order, (n - 1) % order)]
    return [*orders[:CYCLES], 1]


class _Search:
    """The screens of the items, and how often systems meet on them.

    With an `order` above 1, each of the first items stands for so many: the others follow from it by replacing every
    system by the next of its cycle. That leaves fewer arrangements to search, of which far more are even.
    """

    def __init__(self, texts: Sequence[Texts], size: int, order: int, rng: Random) -> None:
        self.texts, self.random = texts, rng.random
        self.n_systems = n = 1 + max((system for of_item in texts for text in of_item for system in text), default=-1)
        self.met = [[0] * n for _system in range(n)]
        step, moved = (n // order, n) if n % order == 0 else ((n - 1) // order, n - 1)
        self.turns = [[(a + turn * step) % moved if a < moved else a for a in range(n)] for turn in range(order)]
        self.screens: list[list[list[int]]] = []
        # The screen that each text of an item is on, and the text of each system (the last, where it has several).
        self.screen_of: list[list[int]] = []
        self.text_of: list[dict[int, int]] = []
        # Items with several screens; the bounds between which pairs are equal within one.
        self.movable: list[int] = []
        self.bounds = (0, 0)
        self.items = range(0, len(texts), order)
        for number, item in enumerate(self.items):
            self._add(number, texts[item], screen_sizes(len(texts[item]), size))
        # The most even arrangement so far, and how uneven it is.
        self.best, self.least = self.screens_of_items(), self.unevenness()

    def _add(self, item: int, texts: Texts, sizes: Sequence[int]) -> None:
        """Put the texts of one more item on screens, and exchange them while that makes pairs more even."""
        n_texts = len(texts)
        order = sorted(range(n_texts), key=lambda _text: self.random())
        ends = list(accumulate(sizes))
        screens = [order[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        numbers = {text: number for number, screen in enumerate(screens) for text in screen}
        self.screens.append(screens)
        self.screen_of.append([numbers[text] for text in range(n_texts)])
        self.text_of.append({system: text for text, systems in enumerate(texts) for system in systems})
        for screen in screens:
            for text, other in combinations(screen, 2):
                self._meet(texts[text], texts[other], 1)
        if len(screens) > 1:
            self.movable.append(item)
            for _exchange in range(FIRST * n_texts):
                self.exchange(item, self._below(n_texts), self._below(n_texts), heat=0)

    def screens_of_items(self) -> tuple[Screens, ...]:
        """Return the screens of every item, those that follow from others too."""
        return tuple(self._turned(item, turn) for item in range(len(self.items)) for turn in range(len(self.turns)))

    def _turned(self, item: int, turn: int) -> Screens:
        """Return the screens of an item that follows from one that was searched, which is its own first turn."""
        screens, texts = self.screens[item], self.texts[self.items[item] + turn]
        if turn:
            system_of = [self.turns[turn][system] for (system,) in self.texts[self.items[item]]]
            text_of = {system: text for text, (system,) in enumerate(texts)}
            screens = [[text_of[system_of[text]] for text in screen] for screen in screens]
        return tuple(tuple(sorted(screen)) for screen in screens)

    def unevenness(self) -> tuple[int, int]:
        """Return by how much the counts of pairs differ at most, and the sum of their squares."""
        counts = [n for a, row in enumerate(self.met) for n in row[:a]] or [0]
        return max(counts) - min(counts), sum(n * n for n in counts)

    def even_out(self) -> None:
        """Exchange texts until all pairs meet equally often within one, or enough was tried.

        Exchanges may leave pairs less even, so that the search ends in an arrangement worse than others that it
        passed: the most even one is kept. It is looked for whenever pairs are listed, and whenever the sum of squares
        has become smaller than ever, since looking after every exchange would take most of the time.
        """
        unequal: list[tuple[int, int]] = []
        listed = max(LISTED, self.n_systems**2 // 10)
        added = lowest = 0
        for step in range(STEPS if self.movable else 0):
            if step % listed == 0:
                self._keep_best()
                if not (unequal := self._unequal()):
                    return
            if self.random() < AIMED:
                added += self._aim(*unequal[self._below(len(unequal))])
            else:
                item = self.movable[self._below(len(self.movable))]
                n_texts = len(self.screen_of[item])
                added += self.exchange(item, self._below(n_texts), self._below(n_texts), HEAT)
            if added < lowest:
                lowest = added
                self._keep_best()
        self._keep_best()

    def _keep_best(self) -> None:
        """Keep the present arrangement if it is more even than any before."""
        unevenness = self.unevenness()
        if unevenness < self.least:
            self.best, self.least = self.screens_of_items(), unevenness

    def _unequal(self) -> list[tuple[int, int]]:
        """Return the pairs that meet too often or too seldom; none where all are equal within one."""
        counts = [(n, a, b) for a, row in enumerate(self.met) for b, n in enumerate(row[:a])]
        low, more = divmod(sum(n for n, _a, _b in counts), max(1, len(counts)))
        self.bounds = low, low + (more > 0)
        return [(a, b) for n, a, b in counts if not self.bounds[0] <= n <= self.bounds[1]]

    def _aim(self, first: int, second: int) -> int:
        """Try to separate two systems that meet too often, or to bring together two that meet too seldom.

        Returns what `exchange` returns.
        """
        if self.random() < 0.5:
            first, second = second, first
        together = self.met[first][second] > self.bounds[1]
        for _item in range(LOOKS):
            item = self.movable[self._below(len(self.movable))]
            texts, screen_of = self.text_of[item], self.screen_of[item]
            if first in texts and second in texts and (screen_of[texts[first]] == screen_of[texts[second]]) == together:
                break
        else:
            return 0
        text, beside = texts[first], texts[second]
        # To separate the pair, its first text changes places with any text; to bring it together, with a text beside
        # its second.
        partners: Sequence[int] = range(len(screen_of)) if together else self.screens[item][screen_of[beside]]
        partner = partners[self._below(len(partners))]
        return self.exchange(item, text, partner, HEAT) if partner != beside else 0

    def exchange(self, item: int, text: int, other: int, heat: float) -> int:
        """Exchange two texts of an item if that makes pairs no less even, else by chance.

        Returns half of what this adds to the sum of the squares of the counts of pairs, counted once a cycle; 0 if
        nothing was exchanged.
        """
        screen_of, texts = self.screen_of[item], self.texts[self.items[item]]
        if screen_of[text] == screen_of[other]:
            return 0
        screen, other_screen = self.screens[item][screen_of[text]], self.screens[item][screen_of[other]]
        a, b = texts[text], texts[other]
        beside_a = [system for c in screen if c != text for system in texts[c]]
        beside_b = [system for c in other_screen if c != other for system in texts[c]]
        more = self._change(a, beside_a, beside_b) + self._change(b, beside_b, beside_a)
        if more > 0 and (not heat or self.random() >= exp(-more / heat)):
            return 0
        for systems, before, after in ((a, beside_a, beside_b), (b, beside_b, beside_a)):
            self._meet(systems, before, -1)
            self._meet(systems, after, 1)
        screen[screen.index(text)], other_screen[other_screen.index(other)] = other, text
        screen_of[text], screen_of[other] = screen_of[other], screen_of[text]
        return more

    def _change(self, systems: Sequence[int], before: Sequence[int], after: Sequence[int]) -> int:
        """Return half of the change that a move of systems makes to the sum of the squares of the counts of pairs."""
        more = 0
        for system in systems:
            row = self.met[system]
            for neighbour in before:
                more += 1 - row[neighbour]
            for neighbour in after:
                more += row[neighbour]
        return more

    def _meet(self, systems: Sequence[int], others: Sequence[int], n: int) -> None:
        met = self.met
        for turn in self.turns:
            for a in systems:
                row = met[turn[a]]
                for b in others:
                    row[turn[b]] += n
                    met[turn[b]][turn[a]] += n

    def _below(self, n: int) -> int:
        # Several times as fast as randrange, and as good for numbers this small.
        return int(self.random() * n)
