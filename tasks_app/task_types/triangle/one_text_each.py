"""Triads of three items that have one text each: two by one system, one by another, each with its own picture."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from django.utils.translation import gettext

from tasks_app.task_types.base import ItemTexts, UnitDraft
from tasks_app.task_types.data import in_unit_key
from tasks_app.task_types.text_pairs import unit_key
from tasks_app.task_types.triangle.orders import ONE_SYSTEM_EACH
from tasks_app.texts.plaintext import visible


def has_one_system(item: ItemTexts) -> bool:
    """Return whether an item has texts by one system only."""
    return len({output.system for output in item.outputs}) == 1


def problems_together(items: Sequence[ItemTexts], anchor: str) -> Iterator[str]:
    """Yield a sentence for everything that keeps items from being in a triad, where some have one text only."""
    alone = [item for item in items if has_one_system(item)]
    if alone and len(alone) < len(items):
        yield gettext(
            "Some items have texts by only one system (%(n)d, first “%(item)s”), others by several. In triads of three "
            "items, either each item has one text, or each has texts by several systems."
        ) % {"n": len(alone), "item": alone[0].key}
    elif alone:
        yield from _problems_of_systems(alone, anchor)
        yield from _problems_of_texts(alone)


def _problems_of_systems(items: Sequence[ItemTexts], anchor: str) -> Iterator[str]:
    counts = Counter(item.outputs[0].system for item in items)
    if anchor and anchor not in counts:
        yield gettext("No item has a text by “%(system)s”, with which everything is to be compared.") % {
            "system": anchor
        }
    if len(counts) < 2:
        yield gettext("Texts by two systems are compared; all of these are by “%(system)s”.") % {
            "system": next(iter(counts))
        }
    for system in [system for system, n in counts.items() if n < 2]:
        yield gettext("The system “%(system)s” has one text, but a triad shows two texts by one system.") % {
            "system": system
        }


def _problems_of_texts(items: Sequence[ItemTexts]) -> Iterator[str]:
    first: dict[str, ItemTexts] = {}
    for item in items:
        output = item.outputs[0]
        other = first.setdefault(visible(output.content), item)
        if other.outputs[0].system != output.system:
            yield gettext(
                "The texts of “%(one)s” by “%(system)s” and of “%(other)s” by “%(system_b)s” look the same, so that "
                "neither can be the odd one. Leave one of the items out."
            ) % {
                "one": other.key, "system": other.outputs[0].system, "other": item.key, "system_b": output.system,
            }  # fmt: skip


def triads(items: Sequence[ItemTexts], anchor: str, rng: Random) -> Iterator[UnitDraft]:
    """Make triads for every two systems, in which either of them is the odd one equally often.

    The items of a triad are drawn. Each is in at least one triad of every pair of its system; those of a system that
    has fewer texts are in more.
    """
    by_system: dict[str, list[ItemTexts]] = {}
    for item in items:
        by_system.setdefault(item.outputs[0].system, []).append(item)
    for names in combinations(by_system, 2):
        if not anchor or anchor in names:
            drawn = {name: rng.sample(by_system[name], len(by_system[name])) for name in names}
            yield from _of_pair(names, drawn)


def _of_pair(names: tuple[str, str], drawn: dict[str, list[ItemTexts]]) -> Iterator[UnitDraft]:
    """Make two triads at a time, one with either system odd, which take three texts of each."""
    if min(map(len, drawn.values())) < 2:
        return
    most = max(map(len, drawn.values()))
    for start in range(0, most, 3):
        texts = {name: [own[(start + step) % len(own)] for step in range(3)] for name, own in drawn.items()}
        for twins, odd in (names, names[::-1]):
            # The first two texts of a system are the twins of one triad, the third is the odd one of the other.
            shown = (texts[twins][0], texts[odd][2], texts[twins][1])
            keys = tuple(item.key for item in shown)
            yield UnitDraft(
                key=unit_key("+".join(item.unit_key for item in shown), (in_unit_key(twins), in_unit_key(odd))),
                item=keys[0],
                parts=((0,),) * ONE_SYSTEM_EACH,
                document=shown[0].document,
                part_items=keys,
            )
