"""Draw a sample of items: at random, or the same share (or number) from each stratum."""

from collections.abc import Hashable, Mapping, Sequence
from random import Random

# The strata of a length: thirds of the items, shortest first.
LENGTH_STRATA = ("short", "middle", "long")


def draw(strata: Mapping[str, Hashable], n: int, seed: int, *, equal: bool = False) -> list[str]:
    """Return n of the items, in their order.

    Parameters
    ----------
    strata
        The stratum of each item, by its key; the same for all where items are drawn at random.
    n
        How many items to draw; all where there are fewer.
    seed
        Of the random numbers: the same seed and items give the same sample.
    equal
        Whether each stratum gives the same number of items (as far as it has them) rather than the same share.

    Notes
    -----
    Shares are rounded by largest remainder; among equal remainders the order is random.
    """
    members: dict[Hashable, list[str]] = {}
    for key, stratum in strata.items():
        members.setdefault(stratum, []).append(key)
    rng = Random(seed)  # noqa: S311  a sample that can be drawn again, no secret
    sizes = [len(keys) for keys in members.values()]
    quotas = _equal(sizes, n, rng) if equal else _shares(sizes, n, rng)
    drawn: set[str] = set()
    for keys, quota in zip(members.values(), quotas, strict=True):
        drawn.update(rng.sample(keys, quota))
    return [key for key in strata if key in drawn]


def _shares(sizes: Sequence[int], n: int, rng: Random) -> list[int]:
    """Return how many items each stratum gives, in proportion to its size."""
    total = sum(sizes)
    n = min(n, total)
    quotas = [n * size // total for size in sizes] if total else []
    remainders = sorted(
        range(len(sizes)), key=lambda stratum: (-(n * sizes[stratum] % total), rng.random()) if total else (0, 0)
    )
    for stratum in remainders[: n - sum(quotas)]:
        quotas[stratum] += 1
    return quotas


def _equal(sizes: Sequence[int], n: int, rng: Random) -> list[int]:
    """Return how many items each stratum gives, as equal as their sizes allow."""
    quotas = [0] * len(sizes)
    left = min(n, sum(sizes))
    while left:
        open_strata = [stratum for stratum, size in enumerate(sizes) if quotas[stratum] < size]
        if left < len(open_strata):
            open_strata = rng.sample(open_strata, left)
        for stratum in open_strata:
            quotas[stratum] += 1
        left -= len(open_strata)
    return quotas


def length_strata(lengths: Mapping[str, int]) -> dict[str, str]:
    """Return for each item whether it is among the shortest, the middle or the longest third."""
    ordered = sorted(lengths, key=lambda key: lengths[key])
    n = len(ordered)
    stratum = {key: LENGTH_STRATA[place * len(LENGTH_STRATA) // n] for place, key in enumerate(ordered)}
    return {key: stratum[key] for key in lengths}
