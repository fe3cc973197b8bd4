"""What types that hold texts of two systems against each other have in common: pairs of texts, and a choice.

Not a task type of its own, but shared by pairwise and triangle.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app import plaintext
from tasks_app.task_types.base import ItemTexts, OutputText
from tasks_app.task_types.texts import TextParams

# A unit's key holds up to 300 characters; with the criterion of its own that a study may add there is room for this.
LONGEST_KEY = 180


class PairParams(TextParams):
    """Parameters of every type that compares texts of two systems."""

    anchor = forms.CharField(
        max_length=100,
        required=False,
        initial="",
        label=_("Compare everything with"),
        help_text=_("The key of one system. Left empty, every system is compared with every other."),
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts of an item, each by its outputs; whose system the study names first stands first."""

    item: ItemTexts
    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def names(self) -> tuple[str, str]:
        """What to call the two texts in the key of a unit."""
        return name_of(self.item.outputs[self.first[0]]), name_of(self.item.outputs[self.second[0]])


def name_of(output: OutputText) -> str:
    """Name an output within its item."""
    return f"{output.system}/{output.variant}" if output.variant else output.system


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
            one, other = ({outputs[number].system for number in group} for group in (first, second))
            # A text that a system has in common with the other side cannot be compared with it.
            if one.isdisjoint(other) and (not anchor or anchor in one | other):
                yield Pair(item, first, second)


def problems_of(item: ItemTexts, anchor: str) -> Iterator[str]:
    """Yield a sentence where an item has nothing to compare."""
    systems = list(dict.fromkeys(output.system for output in item.outputs))
    if anchor and anchor not in systems:
        yield gettext("it has no text by “%(system)s”, which everything is to be compared with.") % {"system": anchor}
    elif len(systems) < 2:
        yield gettext("texts by two systems are compared; it has texts by %(n)d.") % {"n": len(systems)}


def look_alike(text: str, other: str) -> bool:
    """Say whether nobody could tell two texts apart on a screen: they differ in invisible characters at most."""
    return _visible(text) == _visible(other)


def _visible(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


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
