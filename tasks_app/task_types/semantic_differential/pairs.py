"""Pairs of opposite words: how a pair is written in one line, and the criterion that asks for it."""

from collections.abc import Iterable

from django.utils.text import slugify

from tasks_app.task_types.base import Criterion

# Between the two words of a pair.
DASH = " – "


def ends_of(name: str) -> tuple[str, str] | None:
    """Return the two words of a pair such as "confusing – clear"; None where that is not one pair.

    Examples
    --------
    >>> ends_of("confusing – clear")
    ('confusing', 'clear')
    >>> ends_of("clear") is None
    True
    """
    words = [word.strip() for word in name.split(DASH)]
    return (words[0], words[1]) if len(words) == 2 and all(words) else None


def criteria_of(names: Iterable[str]) -> tuple[Criterion, ...]:
    """Return a criterion for each pair, with a key made of its second word.

    Raises
    ------
    ValueError
        A name is no pair.
    """
    criteria: dict[str, Criterion] = {}
    for number, name in enumerate(names, start=1):
        ends = ends_of(name)
        if ends is None:
            raise ValueError(f"{name!r} is no pair of words.")
        low, high = ends
        key = slugify(high)[:60].strip("-") or f"pair-{number}"
        key = key if key not in criteria else f"{key}-{number}"
        criteria[key] = Criterion(key, DASH.join(ends), low=low, high=high, kind="pair")
    return tuple(criteria.values())
