"""Orders of the parts of a screen, balanced over columns."""

from collections.abc import Iterator
from itertools import repeat
from random import Random


def latin_orders(n: int, rng: Random) -> Iterator[tuple[int, ...]]:
    """Return an endless stream of orders of n parts: `order[column]` is the part shown in that column.

    The stream is made of Latin squares one after another, each with rows, columns and parts shuffled anew. A whole
    square puts every part in every column once and no square puts a part in a column twice, so that in every prefix
    of the stream the counts of (part, column) differ by at most one. Raises ValueError where n is below 1.
    """
    if n < 1:
        raise ValueError(f"An order needs at least one part, not {n}.")
    return _latin_orders(n, rng)


def _latin_orders(n: int, rng: Random) -> Iterator[tuple[int, ...]]:
    # Apart from latin_orders, so that a wrong n is refused at the call and not when the first order is taken.
    if n == 1:
        yield from repeat((0,))
    rows, columns, parts = list(range(n)), list(range(n)), list(range(n))
    while True:
        rng.shuffle(rows)
        rng.shuffle(columns)
        rng.shuffle(parts)
        for row in rows:
            yield tuple(parts[(row + column) % n] for column in columns)
