"""The boundaries of the characters that people see: the grapheme clusters of UAX 29."""

from functools import lru_cache

import regex


@lru_cache(maxsize=4096)
def inside(text: str) -> tuple[int, ...]:
    """Return the offsets that fall within a grapheme cluster, where no mark may start or end. Most texts have few."""
    if text.isascii() and "\r" not in text:
        return ()
    return tuple(
        offset for cluster in regex.finditer(r"\X", text) for offset in range(cluster.start() + 1, cluster.end())
    )
