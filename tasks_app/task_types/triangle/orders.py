"""Triads of items, and the orders of a triangle: the system at each of the three places.

In every triad, parts with an even number are by one system and those with an odd number by the other.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from tasks_app.task_types.base import ItemTexts, UnitDraft
from tasks_app.task_types.text_pairs import Pair, name_of, unit_key

# With B the odd one, then with A; in both rows the odd one stands first, second and third.
B_ODD = ("BAA", "ABA", "AAB")
A_ODD = ("ABB", "BAB", "BBA")

# Texts of three items: part 2i is item i by system A, part 2i + 1 the same item by system B.
THREE_ITEMS = 6

# Texts of three items by one system each: part 1 is the odd one, parts 0 and 2 are by the other system.
ONE_SYSTEM_EACH = 3


def orders(rng: Random) -> Iterator[str]:
    """Yield the six orders endlessly, in blocks that hold each once, every block in an order of its own."""
    while True:
        block = [*B_ODD, *A_ODD]
        rng.shuffle(block)
        yield from block


def arrangements(n_parts: int, rng: Random) -> Iterator[dict[str, object]]:
    """Yield arrangements of the two texts of one item, of the six texts of three items, or of one text of each.

    With six texts, each item carries the odd text twice in every block of six orders, once for either system; after
    three blocks every order has had every item as the odd one. With three texts, which of them is the odd one is fixed:
    it stands at every place once in every block of three.
    """
    if n_parts == THREE_ITEMS:
        return _of_three_items(rng)
    if n_parts == ONE_SYSTEM_EACH:
        return _of_one_system_each(rng)
    if n_parts != 2:
        raise ValueError(f"A triangle is made of two texts, or of three or six of three items, not of {n_parts}.")
    return ({"order": order, "parts": ["AB".index(letter) for letter in order]} for order in orders(rng))


def _of_three_items(rng: Random) -> Iterator[dict[str, object]]:
    drawn = orders(rng)
    carriers = {**_drawn_items(B_ODD, rng), **_drawn_items(A_ODD, rng)}
    turned: dict[tuple[str, int], bool] = {}
    block = 0
    while True:
        for _number in range(len(B_ODD + A_ODD)):
            order = next(drawn)
            odd = (carriers[order] + block) % 3
            # The two other items change places whenever this order with this odd item comes again.
            others = [item for item in range(3) if item != odd]
            turned[order, odd] = not turned[order, odd] if (order, odd) in turned else rng.random() < 0.5
            if turned[order, odd]:
                others.reverse()
            others.insert(odd_place(order), odd)
            parts = [2 * item + "AB".index(letter) for item, letter in zip(others, order, strict=True)]
            yield {"order": order, "parts": parts}
        block += 1


def _of_one_system_each(rng: Random) -> Iterator[dict[str, object]]:
    places = list(range(ONE_SYSTEM_EACH))
    turned = [rng.random() < 0.5 for _place in places]
    while True:
        rng.shuffle(places)
        for odd in places:
            # The two others change places whenever the odd text stands there again.
            turned[odd] = not turned[odd]
            parts = [2, 0] if turned[odd] else [0, 2]
            parts.insert(odd, 1)
            yield {"order": "".join("AB"[number % 2] for number in parts), "parts": parts}


def _drawn_items(some: Sequence[str], rng: Random) -> dict[str, int]:
    items = list(range(3))
    rng.shuffle(items)
    return dict(zip(some, items, strict=True))


def odd_place(order: Sequence[object]) -> int:
    """Return the place, from 0, of the system that occurs once in an order while the other occurs twice.

    Raises
    ------
    ValueError
        Where it is no order of a triangle.
    """
    alone = [place for place, system in enumerate(order) if list(order).count(system) == 1]
    if len(order) != 3 or len(alone) != 1:
        raise ValueError(f"Of three places, two must be alike; these are {list(order)!r}.")
    return alone[0]


def triads(pairs: Iterator[Pair], rng: Random) -> Iterator[UnitDraft]:
    """Make triads of items that follow each other, from a drawn start; every item is in one, a few may be in two."""
    by_systems: dict[tuple[str, str], list[tuple[ItemTexts, tuple[int, ...], tuple[int, ...]]]] = {}
    for pair in pairs:
        outputs = pair.item.outputs
        for first, second in product(pair.first, pair.second):
            names = name_of(outputs[first]), name_of(outputs[second])
            by_systems.setdefault(names, []).append((pair.item, pair.first, pair.second))
    for names, candidates in by_systems.items():
        if len(candidates) < 3:
            continue
        start = rng.randrange(len(candidates))
        for place in range(start, start + len(candidates), 3):
            triad = [candidates[(place + step) % len(candidates)] for step in range(3)]
            keys = [item.key for item, _first, _second in triad]
            yield UnitDraft(
                key=unit_key("+".join(item.unit_key for item, _first, _second in triad), names),
                item=keys[0],
                parts=tuple(part for _item, *both in triad for part in both),
                document=triad[0][0].document,
                part_items=tuple(key for key in keys for _part in range(2)),
            )
