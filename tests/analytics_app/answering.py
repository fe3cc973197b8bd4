"""Made-up answers of raters, each of whom may like another system better, for comparisons with raters random."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analytics_app.ratings import Names, Table
from tests.analytics_app.comparing import Screens
from tests.analytics_app.test_labels import labelled

# How far raters lean to the first system: two to each side, or all alike, or six as people may be.
TORN = (2.1, 1.7, -1.1, -0.6)
AGREED = (1.2, 1.0, 1.1, 1.3, 0.9)
SIX = (0.9, 0.4, -0.2, 1.1, 0.5, 0.1)


def said(
    leanings: Sequence[float], *, items: int = 40, systems: int = 2, seed: int = 6
) -> list[tuple[int, int, int, str]]:
    """Answers (rater, item, system, label): Yes or No, Yes more often of the first system by raters who lean to it."""
    draw, given = np.random.default_rng(seed), []
    for item in range(items):
        quality = draw.normal(0, 0.5)
        for system in range(systems):
            for rater, leaning in enumerate(leanings):
                latent = quality + (leaning if system == 0 else 0.0) + draw.normal(0, 0.8)
                given.append((rater, item, system, "Yes" if latent > 0.3 else "No"))
    return given


def answers(leanings: Sequence[float], *, items: int = 40, systems: int = 2, key: str = "") -> Table:
    """The same answers as a table; `key` names their criterion."""
    given = said(leanings, items=items, systems=systems)
    named = [(rater, item, system, f"{key}={label}" if key else label) for rater, item, system, label in given]
    return widened(labelled(named, criteria=(key or "tone",)), items=items, raters=len(leanings))


def widened(data: Table, *, items: int, raters: int) -> Table:
    """A table whose names are as many as its items and raters, without documents."""
    names = replace(
        data.names,
        items=tuple(f"i{number}" for number in range(items)),
        document_of_item=np.full(items, -1, dtype=np.int32),
        documents=(),
        raters=tuple(f"r{number}" for number in range(raters)),
        rater_ids=np.arange(raters, dtype=np.int64),
        features={},
    )
    return replace(data, names=names)


def ranked(leanings: Sequence[float], *, items: int = 60) -> Screens:
    """Rankings of three systems on a screen an item, by raters who lean to the first."""
    draw, screens = np.random.default_rng(8), Screens()
    for item in range(items):
        unit = screens.unit(f"i{item:02}", "A", "B", "C")
        quality = draw.normal(0, 0.4, 3)
        for rater, leaning in enumerate(leanings):
            latent = quality + np.array((leaning, 0.0, -0.1)) + draw.normal(0, 0.9, 3)
            ranks = (-latent).argsort().argsort() + 1.0
            screens.values(rater, unit, *ranks.tolist())
    return screens


def exchanged(names: Names, first: int = 0, second: int = 1) -> Names:
    """Names in which two systems have changed places: what one wrote, the other wrote."""
    places = np.arange(len(names.systems))
    places[[first, second]] = second, first
    return replace(names, shown_system=places[names.shown_system].astype(np.int32))
