"""Choices between suggestions: by system, by pair, and by side of the screen."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, count, in_words
from analytics_app.analyses.post_edit.edits import CHOICE, CHOSEN
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.pairs import clusters_of, in_order, unit_of
from analytics_app.ratings import Floats, Mask, Table
from analytics_app.ratings.extras.same_texts import SameTexts
from analytics_app.ratings.extras.shown import Shown
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.ratios import group_ratios
from analytics_app.stats.ranking.pairs_within import pairs_within
from analytics_app.stats.values import Estimate, joined

Planned: TypeAlias = Sequence[tuple[str, str]] | None

LEFT_OUT = "%s between suggestions with the same text left out."
SHOWN = "Raters were shown the same text twice; these choices do not enter the shares of choices."
NOT_SHOWN = "Raters were not shown these items as a choice."
INDEPENDENT = "The exact test takes choices as independent."
TEST = {"test": "exact binomial against one half, two-sided"}


def choices(make: Rows) -> Iterator[Row]:
    """Yield shares of choices, of items with equal suggestions, and of choices for the first suggestion."""
    table = make.sample.table
    code = next(criterion.code for criterion in make.sample.question.criteria if criterion.key == CHOICE)
    rows = table.where((table.criterion == code) & (table.label >= 0))
    different = rows.where(~_same_on_screen(make, rows))
    if len(different):
        screens = count(rows.judgment) - count(different.judgment)
        yield from _by_system(make, different, LEFT_OUT % in_words(screens, "choice", "choices") if screens else None)
    yield from _identical(make)
    yield from _sides(make, rows, _chosen(rows))


def _by_system(make: Rows, rows: Table, left_out: str | None) -> Iterator[Row]:
    """Yield shares of choices with intervals over items and exact tests against one half."""
    names = make.sample.table.names
    chosen = _chosen(rows)
    row, system, item = rows.by_system()
    included = ~np.isin(system, sorted(make.sample.without))
    row, system, item = row[included], system[included], item[included]
    systems, place = np.unique(system, return_inverse=True)
    keys = [names.systems[system_code] for system_code in systems.tolist()]
    cluster = clusters_of(names, by_document=make.sample.question.by_document)[item]
    shares, settings = _shares(make, chosen[row], place, cluster, len(keys), "choices")
    tests = [_exact(chosen[row][place == number]) for number in range(len(keys))]
    # With two systems, one is chosen if the other is not: both rows are of the same test.
    times = [int((place == number).sum()) for number in range(len(keys))]
    one_test = len(keys) == 2 and times[0] == times[1] == int(chosen[row].sum())
    family = {"correction": make.sample.common.correction, "family": "1 pair" if one_test else f"{len(keys)} systems"}
    adjusted = adjust(tests[:1], make.sample.common.correction) * 2 if one_test else adjust(tests, family["correction"])
    for number, (key, estimate) in enumerate(zip(keys, shares, strict=True)):
        mine = row[place == number]
        yield make.row(
            "suggestion_chosen", estimate, system=key, p=tests[number],
            p_adjusted=adjusted[number], n_raters=count(rows.rater[mine]),
            note=joined(estimate.note, INDEPENDENT, left_out),
            settings={**settings, **family},
        )  # fmt: skip
    yield from _pairs(make, rows, chosen, (row, place, cluster), keys)


def _chosen(rows: Table) -> Floats:
    """Return 1 for each chosen suggestion, else 0."""
    labels = rows.names.labels
    chosen: Floats = (rows.label == (labels.index(CHOSEN) if CHOSEN in labels else -2)).astype(np.float64)
    return chosen


def _identical(make: Rows) -> Iterator[Row]:
    """Yield the share of items for which two systems suggest the same text, for the whole task only."""
    sample, alike = make.sample, make.sample.extras[SameTexts]
    if sample.slice is not None or sample.group is not None or sample.wave is not None:
        return
    columns = (alike.first.tolist(), alike.second.tolist(), alike.items.tolist(), alike.same.tolist())
    for a, b, items, n_same in zip(*columns, strict=True):
        if {a, b} & sample.without:
            continue
        system, system_b = (sample.table.names.systems[code] for code in (a, b))
        yield make.row(
            "identical_suggestions", value=n_same / items, n_items=items, system=system, system_b=system_b,
            note=None if not n_same else SHOWN if alike.kept else NOT_SHOWN,
        )  # fmt: skip


def _same_on_screen(make: Rows, rows: Table) -> Mask:
    """Return a mask of the choices between equal texts, where there was nothing to choose."""
    shown, names = make.sample.extras[Shown], rows.names
    texts: dict[int, set[str]] = {}
    for part, unit in enumerate(names.unit_of_part.tolist()):
        texts.setdefault(unit, set()).add(shown.of_part[part].strip())
    alone = np.array([unit for unit, shown_texts in texts.items() if len(shown_texts) == 1], dtype=np.int64)
    mask: Mask = np.isin(rows.unit, alone)
    return mask


def _shares(
    make: Rows, chosen: Floats, group: NDArray[Any], cluster: NDArray[Any], n_groups: int, purpose: str
) -> tuple[list[Estimate], dict[str, Any]]:
    """Return the share of each group, and the settings of its interval and test."""
    drawn = bootstrap(make.sample, purpose, unit_of(make.sample))
    shares = group_ratios(chosen, np.ones(len(chosen)), group, cluster, n_groups=n_groups, shares=True, **drawn.options)
    return shares, {**drawn.settings, **TEST}


def _exact(chosen: Floats) -> float | None:
    """Return the two-sided p of a share against one half, or None if nothing was chosen."""
    if not len(chosen):
        return None
    from scipy.stats import binomtest  # noqa: PLC0415  a second of start-up

    return float(binomtest(int(chosen.sum()), len(chosen), 0.5).pvalue)


def _pairs(
    make: Rows,
    rows: Table,
    chosen: Floats,
    columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    keys: list[str],
) -> Iterator[Row]:
    """Yield the share of choices of each system over each other system, if there are more than two.

    A text that several systems produced is a suggestion of each of them, and so counts against every system of the
    other text.
    """
    if len(keys) < 3:
        return
    row, place, cluster = columns
    first, second = _beside_each_other(rows.judgment[row], rows.part[row], place)
    first, second = _as_named(first, second, place, keys, make.sample.common.pairs)
    pair = place[first] * len(keys) + place[second]
    known, group = np.unique(pair, return_inverse=True)
    wins = chosen[row[first]]
    shares, settings = _shares(make, wins, group, cluster[first], len(known), "choices of pairs")
    tests = [_exact(wins[group == number]) for number in range(len(known))]
    correction = make.sample.common.correction
    adjusted = adjust(tests, correction)
    for number, code in enumerate(known.tolist()):
        a, b = divmod(code, len(keys))
        yield make.row(
            "suggestion_chosen_over", shares[number], system=keys[a], system_b=keys[b],
            p=tests[number], p_adjusted=adjusted[number], n_raters=count(rows.rater[row[first][group == number]]),
            note=joined(shares[number].note, INDEPENDENT),
            settings={**settings, "correction": correction, "family": f"{len(known)} pairs"},
        )  # fmt: skip


def _beside_each_other(
    judgment: NDArray[Any], part: NDArray[Any], place: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every two entries of a screen with different texts and systems, that of the lower place first."""
    order = np.lexsort((part, place, judgment))
    nobody = np.empty(0, dtype=np.int64)
    pairs = [(nobody, nobody), *((order[first], order[second]) for first, second in pairs_within(judgment[order]))]
    first, second = (np.concatenate(column) for column in zip(*pairs, strict=True))
    apart = (part[first] != part[second]) & (place[first] != place[second])
    return first[apart], second[apart]


def _as_named(
    entry: NDArray[np.int64], other: NDArray[np.int64], place: NDArray[np.int64], keys: list[str], planned: Planned
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two entries in the order in which the plan names their systems."""
    n = len(keys)
    first = np.array([[in_order(keys, planned, a, b)[0] if a != b else a for b in range(n)] for a in range(n)])
    stays = first[place[entry], place[other]] == place[entry]
    return np.where(stays, entry, other), np.where(stays, other, entry)


def _sides(make: Rows, rows: Table, chosen: Floats) -> Iterator[Row]:
    """Yield the share of choices of the first suggestion on the screen."""
    has_place = (chosen == 1) & ~np.isnan(rows.shown)
    if not has_place.any():
        return
    first = (rows.shown[has_place] == 1).astype(np.float64)
    item = np.maximum(rows.names.item_of_unit[rows.unit[has_place]], 0)
    cluster = clusters_of(rows.names, by_document=make.sample.question.by_document)[item]
    (share,), settings = _shares(make, first, np.zeros(len(first), dtype=np.int64), cluster, 1, "sides")
    yield make.row(
        "first_suggestion_chosen", share, label="1", p=_exact(first),
        n_raters=count(rows.rater[has_place]), note=joined(share.note, INDEPENDENT), settings=settings,
    )  # fmt: skip
