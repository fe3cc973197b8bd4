"""Words that people write, searched for as they are: no sign among them means anything else."""

from collections.abc import Iterable

import regex


def any_of(words: Iterable[str], *, ignore_case: bool = False, not_beside: str = "") -> "regex.Pattern[str]":
    """Return the pattern of any of some words, as group 1; with `not_beside` only apart from characters like these."""
    listed = "|".join(map(regex.escape, words)) or "(?!)"
    pattern = rf"(?<!{not_beside})({listed})(?!{not_beside})" if not_beside else f"({listed})"
    return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0, cache_pattern=False)
