"""Made-up ratings of pairs of texts, as they are stored: with texts named in either order."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from analytics_app.ratings import Judgments, Mask, Names, Table
from analytics_app.ratings.extras.screens import Screens
from analytics_app.ratings.pair_order import Pairs

SYSTEMS = ("north", "south", "west")
CRITERIA = ("quality", "strength-quality")
LABELS = ("both_bad", "first", "second", "tie")
EXCHANGED = {"first": "second", "second": "first"}
PAIRS = Pairs({0: ("first", "second")}, frozenset({1}))


def table(*, items: int, raters: int, seed: int, sided: bool = True) -> Table:
    """Make answers of every rater to a share of the pairs of each item, each with a strength where a text is better.

    Texts are named in the order of their unit. Some answers are given twice. `sided` says whether the side is known.
    """
    rng = np.random.default_rng(seed)
    units = [(item, pair) for item in range(items) for pair in combinations(range(len(SYSTEMS)), 2)]
    judged = [(rater, unit) for rater in range(raters) for unit in range(len(units)) if rng.random() < 0.7] or [(0, 0)]
    judged += [pair for pair in judged if rng.random() < 0.1]
    rater, unit = (np.array(column, dtype=np.int32) for column in zip(*judged, strict=True))
    n = len(judged)
    label = rng.choice([1, 1, 2, 3, 0], n).astype(np.int32)
    better = (label == 1) | (label == 2)
    # The side of the better text; 0 for none.
    side = np.where(better, np.where(rng.random(n) < 0.5, label, 3 - label), 0).astype(float)
    strong = np.flatnonzero(better)
    judgment = np.r_[np.arange(n), strong].astype(np.int32)
    m, nothing = len(judgment), np.full(len(strong), -1, dtype=np.int32)
    judgments = Judgments(
        id=np.arange(n, dtype=np.int64) + 1,
        rater=rater,
        unit=unit,
        order=np.arange(n, dtype=np.int32),
        seconds=rng.uniform(5, 30, n),
        at=np.arange(n, dtype=float),
        wave=np.ones(n, dtype=np.int32),
        group=np.full(n, -1, dtype=np.int32),
        simulated=np.zeros(n, dtype=bool),
    )
    order = np.argsort(judgment, kind="stable")
    made = Table(
        id=np.arange(m, dtype=np.int64) + 1,
        judgment=judgment,
        rater=rater[judgment],
        unit=unit[judgment],
        part=np.r_[2 * unit, nothing].astype(np.int32),
        part_b=np.r_[2 * unit + 1, nothing].astype(np.int32),
        criterion=np.r_[np.zeros(n), np.ones(len(strong))].astype(np.int32),
        number=np.ones(m, dtype=np.int32),
        value=np.r_[np.full(n, np.nan), rng.integers(1, 3, len(strong)).astype(float)],
        shown=np.r_[side if sided else np.full(n, np.nan), np.full(len(strong), np.nan)],
        label=np.r_[label, nothing].astype(np.int32),
        judgments=judgments,
        names=_names(units, items, raters),
    )
    columns = ("judgment", "rater", "unit", "part", "part_b", "criterion", "number", "value", "shown", "label")
    return replace(made, **{name: getattr(made, name)[order] for name in columns})


def _names(units: list[tuple[int, tuple[int, int]]], items: int, raters: int) -> Names:
    shown_system = np.array([system for _item, pair in units for system in pair], dtype=np.int32)
    of_item = np.array([item for item, _pair in units], dtype=np.int32)
    return Names(
        raters=tuple(f"r{number}" for number in range(raters)),
        rater_ids=np.arange(raters, dtype=np.int64) + 1,
        units=tuple(f"u{number}" for number in range(len(units))),
        unit_ids=np.arange(len(units), dtype=np.int64) + 1,
        part_ids=np.arange(2 * len(units), dtype=np.int64) + 1,
        unit_of_part=np.repeat(np.arange(len(units), dtype=np.int32), 2),
        item_of_unit=of_item,
        criteria=CRITERIA,
        criterion_ids=np.array([1, 2], dtype=np.int64),
        labels=LABELS,
        systems=SYSTEMS,
        items=tuple(f"i{number}" for number in range(items)),
        document_of_item=np.full(items, -1, dtype=np.int32),
        documents=(),
        groups=(),
        shown_part=np.arange(2 * len(units), dtype=np.int32),
        shown_system=shown_system,
        shown_item=np.repeat(of_item, 2),
        features={"half": np.array(["a" if item % 2 else "b" for item in range(items)], dtype=object)},
    )


def relabelled(ratings: Table, turned: Mask) -> Table:
    """Name the two texts of some ratings in the other order, and say the same of them; strengths name them too."""
    words = ratings.names.labels
    place = np.array([words.index(EXCHANGED.get(word, word)) for word in words] + [-1], dtype=np.int32)
    first, second = (2 * ratings.unit + side for side in (0, 1))
    return replace(
        ratings,
        part=np.where(turned, second, first).astype(np.int32),
        part_b=np.where(turned, first, second).astype(np.int32),
        label=np.where(turned, place[ratings.label], ratings.label).astype(np.int32),
    )


def other_sides(ratings: Table) -> Table:
    """Exchange the sides on which texts were shown."""
    return replace(ratings, shown=np.where(np.isin(ratings.shown, (1.0, 2.0)), 3 - ratings.shown, ratings.shown))


def screens(ratings: Table, *, exchanged: bool = False) -> Screens:
    """Return the orders of the texts on the screens, as the sides of the better texts have them."""
    of_judgment = np.full(len(ratings.judgments.id), -1, dtype=np.int32)
    rows = np.isin(ratings.shown, (1.0, 2.0))
    canonical = np.where(ratings.label[rows] == ratings.names.labels.index("first"), 1.0, 2.0)
    of_judgment[ratings.judgment[rows]] = (ratings.shown[rows] != canonical) ^ exchanged
    number = np.tile(np.arange(2, dtype=np.int32), len(ratings.names.units))
    nothing = np.full(len(of_judgment), -1, dtype=np.int32)
    return Screens(of_judgment, nothing, ((0, 1), (1, 0)), (), number)
