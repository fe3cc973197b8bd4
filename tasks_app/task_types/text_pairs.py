"""The shared parts of types that compare texts by two systems: pairs of texts, and a choice.

Not a task type of its own, but shared by pairwise and triangle.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, product
from random import Random

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import LineField, naming
from tasks_app.task_types.base import ItemTexts, OutputText
from tasks_app.task_types.texts import TextType
from tasks_app.texts import plaintext

# A unit's key holds up to 300 characters; with the criterion of its own that a study may add there is room for this.
LONGEST_KEY = 180


class ComparedTexts(TextType):
    """A type that compares texts of two systems: all with all, or all with that of its parameter `anchor`."""

    anchor = naming(
        LineField(
            max_length=100,
            required=False,
            initial="",
            label=_("Baseline system"),
            help_text=_("Compared with each of the others. Leave empty to compare every system with every other."),
        ),
        "systems",
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of an item, each by its outputs; the text of the system that the study names first comes first."""

    item: ItemTexts
    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def systems(self) -> tuple[list[str], list[str]]:
        """The systems of the two texts; several where their texts are identical."""
        first, second = ([self.item.outputs[number].system for number in group] for group in (self.first, self.second))
        return first, second

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two texts in the key of a unit."""
        return name_of(self.item.outputs[self.first[0]]), name_of(self.item.outputs[self.second[0]])


def name_of(output: OutputText) -> str:
    """Name an output within its item."""
    return output.unit_key


def pairs_of(items: Sequence[ItemTexts], anchor: str) -> Iterator[Pair]:
    """Yield the pairs of different texts by different systems, item by item; with `anchor`, those with that system.

    The order within a pair is the same in all items, whatever the order of their outputs, so that pairs of the same
    two systems are alike to whoever balances sides.
    """
    rank: dict[str, int] = {}
    for item in items:
        for output in item.outputs:
            rank.setdefault(output.system, len(rank))
    for item in items:
        outputs = item.outputs
        groups = [
            tuple(sorted(group, key=lambda number: (rank[outputs[number].system], number))) for group in item.groups
        ]
        groups.sort(key=lambda group: (rank[outputs[group[0]].system], group))
        for first, second in combinations(groups, 2):
            first_systems, second_systems = ({outputs[number].system for number in group} for group in (first, second))
            # A text that a system has in common with the other side cannot be compared with it.
            if first_systems.isdisjoint(second_systems) and (not anchor or anchor in first_systems | second_systems):
                yield Pair(item, first, second)


def some_pairs_of(items: Sequence[ItemTexts], anchor: str, most: int, rng: Random) -> Iterator[Pair]:
    """Yield at most so many pairs of each item: the systems that were compared least often so far.

    So every two systems are compared equally often within one, if every item has one text by each system. The pairs
    come in the order of `balanced_pairs`, so that systems are compared equally often within one as well. Where items
    lack texts or systems share them, both hold as far as the items allow.
    """
    systems = list(dict.fromkeys(output.system for item in items for output in item.outputs))
    rng.shuffle(systems)
    turn = {frozenset((systems[a], systems[b])): number for number, (a, b) in enumerate(balanced_pairs(len(systems)))}
    met: Counter[frozenset[str]] = Counter()
    for _item, pairs in groupby(pairs_of(items, anchor), key=lambda pair: pair.item.key):
        compared = [(pair, [frozenset(two) for two in product(*pair.systems)]) for pair in pairs]
        compared.sort(
            key=lambda candidate: (
                sum(met[two] for two in candidate[1]) / len(candidate[1]),
                min(turn[two] for two in candidate[1]),
            )
        )
        for pair, twos in compared[:most]:
            met.update(twos)
            yield pair


def balanced_pairs(n: int) -> list[tuple[int, int]]:
    """Return all pairs of 0 … n-1 in an order of which every beginning has each number equally often within one.

    For an even n these are the rounds of a tournament, each with every number once [1]_. For an odd n they are cycles
    through all numbers [2]_, of which every second pair is taken, twice around.

    References
    ----------
    .. [1] T. P. Kirkman (1847). On a problem in combinations. Cambridge and Dublin Mathematical Journal 2, 191-204.
    .. [2] É. Lucas (1883). Récréations mathématiques, vol. 2, 161-164; the construction is Walecki's.
    """
    if n % 2 == 0:
        around = n - 1
        return [
            (n - 1, turn) if not step else ((turn + step) % around, (turn - step) % around)
            for turn in range(around)
            for step in range(n // 2)
        ]
    around = n - 1
    zigzag = [(step + 1) // 2 if step % 2 else -step // 2 for step in range(around)]
    pairs: list[tuple[int, int]] = []
    for turn in range(around // 2):
        cycle = [n - 1, *((place + turn) % around for place in zigzag)]
        pairs += [(cycle[step % n], cycle[(step + 1) % n]) for step in range(0, 2 * n, 2)]
    return pairs


def problems_of(item: ItemTexts, anchor: str) -> Iterator[str]:
    """Yield a sentence where an item has nothing to compare."""
    systems = list(dict.fromkeys(output.system for output in item.outputs))
    if anchor and anchor not in systems:
        yield gettext("it has no text by “%(system)s”, which everything is to be compared with.") % {"system": anchor}
    elif len(systems) < 2:
        yield gettext("texts by two systems are compared; it has texts by %(n)d.") % {"n": len(systems)}


def look_alike(text: str, other: str) -> bool:
    """Return whether nobody could tell two texts apart on a screen: they differ in invisible characters at most."""
    return plaintext.visible(text) == plaintext.visible(other)


def unit_key(items: str, names: tuple[str, str]) -> str:
    """Return the key of a unit that shows texts of two names, shortened where it would be too long to store."""
    key = f"{items}/{'+'.join(names)}"
    return key if len(key) <= LONGEST_KEY else f"{key[: LONGEST_KEY - 17]}~{plaintext.digest(key)[:16]}"


def pick_field(label: str, choices: Mapping[str, str], missing: str) -> forms.ChoiceField:
    """Return a choice of one option; none is preselected."""
    return forms.ChoiceField(
        choices=list(choices.items()),
        widget=forms.RadioSelect,
        label=label,
        error_messages={"required": missing, "invalid_choice": _("Choose one of the answers shown.")},
    )
