"""Measures of how carefully raters worked, for rules and analyses."""

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

# Answers with no longer gap than this were given in one sitting.
SITTING_SECONDS = 15 * 60

# Ten words per second are more than twice the usual reading speed; and the least time for any screen.
WORDS_PER_SECOND = 10.0
LEAST_SECONDS = 1.0


def raters_in(table: Table) -> NDArray[np.int64]:
    """Return the codes of the raters who have ratings in a table."""
    return np.flatnonzero(np.bincount(table.rater, minlength=len(table.names.raters)))


def judgments_in(table: Table) -> NDArray[np.int64]:
    """Return the codes of the judgments that have ratings in a table."""
    return np.flatnonzero(np.bincount(table.judgment, minlength=len(table.judgments.id)))


def working_seconds(times: Times) -> Floats:
    """Return each rater's time with a unit on the screen if all was done in one session, else active time."""
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
    """Return two masks over the table's judgments: those with a time, and those that were too fast.

    `unrated` are judgments that count and have no rating, since no error was found.
    """
    counted = np.zeros(len(table.judgments.id), dtype=bool)
    counted[judgments_in(table)] = True
    if unrated is not None:
        counted[unrated] = True
    timed = counted & ~np.isnan(times.seconds)
    needed = np.maximum(words.shown[table.judgments.unit] / speed, floor) if len(counted) else np.empty(0)
    return timed, timed & (np.nan_to_num(times.seconds) < needed)


@dataclass(frozen=True, slots=True)
class Positions:
    """Answers on one scale in the order of showing: position on the screen, rater and judgment."""

    position: Floats
    rater: NDArray[np.int32]
    judgment: NDArray[np.int32]


def positions_of(table: Table, scales: Scales, screens: Screens) -> Iterator[Positions]:
    """Yield the answers on each of a task's scales; without a stored position, the value is the position.

    Answers of one screen are in the order of its questions, part by part; if that is not known, in
    the order of storing.
    """
    position = np.where(np.isnan(table.shown), table.value, table.shown)
    on_screen = (table.id, screens.criterion_places(table), screens.places(table))
    order = np.lexsort((*on_screen, table.judgment, table.judgments.order[table.judgment]))
    ranges = list(dict.fromkeys(scales.values()))
    scale_of = np.full(len(table.names.criteria) + 1, -1)
    for code, scale in scales.items():
        scale_of[code] = ranges.index(scale)
    of_row = scale_of[table.criterion]
    for number in range(len(ranges)):
        rows = order[(of_row[order] == number) & ~np.isnan(position[order])]
        if len(rows):
            yield Positions(position[rows], table.rater[rows], table.judgment[rows])


def inconsistency_of(table: Table, repeats: Repeats, scales: Scales, *, by_variance: bool = False) -> Inconsistency:
    """Return the scores of the raters who have ratings in a table, on criteria with a numeric scale."""
    pairs = repeats.of(table)
    # The last entry is for ratings without a criterion, whose code is -1.
    width, step = np.zeros(len(table.names.criteria) + 1), np.zeros(len(table.names.criteria) + 1)
    for code, (low, high, scale_step) in scales.items():
        width[code], step[code] = high - low, scale_step
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
    """Return the inverse variance over raters of each pair's text, or the mean weight if it has one rater."""
    n_criteria, n_parts = len(table.names.criteria) + 1, len(table.names.part_ids)
    rated = width[table.criterion] > 0
    rated_keys = (table.text * n_criteria + table.criterion + 1)[rated]
    codes, weight = inverse_variance(table.value[rated] / width[table.criterion[rated]], rated_keys)
    keys = np.where(pairs.part >= 0, pairs.part.astype(np.int64), n_parts + pairs.unit) * n_criteria
    keys = keys + pairs.criterion + 1
    weights = np.full(len(pairs), weight.mean() if len(weight) else 1.0)
    if len(codes):
        place = np.minimum(np.searchsorted(codes, keys), len(codes) - 1)
        is_known = codes[place] == keys
        weights[is_known] = weight[place[is_known]]
    return weights
