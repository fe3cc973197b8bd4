"""How carefully raters worked: figures for rules and analyses alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.ratings.extras.screens import Screens
from analytics_app.ratings.extras.times import Times
from analytics_app.ratings.extras.words import Words
from analytics_app.ratings.table import Floats, Mask, Table
from analytics_app.stats.quality.inconsistency import Inconsistency, inconsistency_scores, inverse_variance

# The numeric scale of each criterion by its code: lowest value, highest value, step or 0.
Scales: TypeAlias = Mapping[int, tuple[float, float, float]]

# Answers that are never further apart than this were given in one sitting.
SITTING_SECONDS = 15 * 60

# Ten words a second are more than twice what people read; least time to look at any screen.
WORDS_PER_SECOND = 10.0
LEAST_SECONDS = 1.0


def raters_in(table: Table) -> NDArray[np.int64]:
    """Return the codes of the raters who have ratings in a table."""
    return np.flatnonzero(np.bincount(table.rater, minlength=len(table.names.raters)))


def judgments_in(table: Table) -> NDArray[np.int64]:
    """Return the codes of the judgments that have ratings in a table."""
    return np.flatnonzero(np.bincount(table.judgment, minlength=len(table.judgments.id)))


def working_seconds(times: Times) -> Floats:
    """Return each rater's time with a unit on the screen where all was done in one session, else active time."""
    one_sitting = ~(times.pause > SITTING_SECONDS) & ~np.isnan(times.elapsed)
    return np.where(one_sitting, times.elapsed, times.active)


def fast_screens(
    table: Table,
    times: Times,
    words: Words,
    *,
    speed: float = WORDS_PER_SECOND,
    floor: float = LEAST_SECONDS,
    unrated: NDArray[np.int64] | None = None,
) -> tuple[Mask, Mask]:
    """Return which of the table's judgments have a time, and which of them were too fast; each aligned with them.

    `unrated` are judgments that count and have no rating, since no error was found.
    """
    here = np.zeros(len(table.judgments.id), dtype=bool)
    here[judgments_in(table)] = True
    if unrated is not None:
        here[unrated] = True
    timed = here & ~np.isnan(times.seconds)
    needed = np.maximum(words.shown[table.judgments.unit] / speed, floor) if len(here) else np.empty(0)
    return timed, timed & (np.nan_to_num(times.seconds) < needed)


@dataclass(frozen=True, slots=True)
class Positions:
    """Answers on one scale in the order of showing: where they stood on the screen, of whom, in which judgment."""

    position: Floats
    rater: NDArray[np.int32]
    judgment: NDArray[np.int32]


def positions_of(table: Table, scales: Scales, screens: Screens) -> Iterator[Positions]:
    """Yield the answers on each of a task's scales; where no position was stored, the value is one.

    Those of one screen stand in the order in which they were asked there, part by part; where that is not known, in
    the order in which they were stored.
    """
    position = np.where(np.isnan(table.shown), table.value, table.shown)
    on_screen = (table.id, screens.criterion_places(table), screens.places(table))
    order = np.lexsort((*on_screen, table.judgment, table.judgments.order[table.judgment]))
    ranges = list(dict.fromkeys(scales.values()))
    scale_of = np.full(len(table.names.criteria) + 1, -1)
    for code, one in scales.items():
        scale_of[code] = ranges.index(one)
    of_row = scale_of[table.criterion]
    for number in range(len(ranges)):
        rows = order[(of_row[order] == number) & ~np.isnan(position[order])]
        if len(rows):
            yield Positions(position[rows], table.rater[rows], table.judgment[rows])


def inconsistency_of(table: Table, repeats: Repeats, scales: Scales, *, by_variance: bool = False) -> Inconsistency:
    """Return the scores of the raters who have ratings in a table, on criteria with a numeric scale."""
    pairs = repeats.of(table)
    # The last entry is of no criterion, whose code is -1.
    width, step = np.zeros(len(table.names.criteria) + 1), np.zeros(len(table.names.criteria) + 1)
    for code, (low, high, one) in scales.items():
        width[code], step[code] = high - low, one
    pairs = pairs.where(width[pairs.criterion] > 0)
    return inconsistency_scores(
        pairs.first,
        pairs.again,
        pairs.rater,
        ranges=width[pairs.criterion],
        steps=step[pairs.criterion],
        weights=_weights(table, pairs, width) if by_variance else None,
    )


def _weights(table: Table, pairs: Repeats, width: Floats) -> Floats:
    """Return one over the variance of each pair's text over raters; the mean weight where one rater rated it."""
    n_criteria, n_parts = len(table.names.criteria) + 1, len(table.names.part_ids)
    rated = width[table.criterion] > 0
    about = (table.text * n_criteria + table.criterion + 1)[rated]
    codes, weight = inverse_variance(table.value[rated] / width[table.criterion[rated]], about)
    wanted = np.where(pairs.part >= 0, pairs.part.astype(np.int64), n_parts + pairs.unit) * n_criteria
    wanted = wanted + pairs.criterion + 1
    found = np.full(len(pairs), weight.mean() if len(weight) else 1.0)
    if len(codes):
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        known = codes[place] == wanted
        found[known] = weight[place[known]]
    return found
