"""Which of two suggestions editors choose: by system, by pair, and by the side it stood on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses._edits import CHOICE, CHOSEN
from analytics_app.analyses.base import Rows, count
from analytics_app.ratings import Floats, Table
from analytics_app.results import Row
from analytics_app.stats.corrections import adjust
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.ratios import group_ratios

INDEPENDENT = "The exact test takes choices as independent."


def choices(make: Rows) -> Iterator[Row]:
    """Yield shares of choices with intervals over items and exact tests against one half."""
    table, names = make.sample.table, make.sample.table.names
    code = next(asked.code for asked in make.sample.question.asked if asked.key == CHOICE)
    rows = table.where((table.criterion == code) & (table.label >= 0))
    if not len(rows):
        return
    chosen = (rows.label == (names.labels.index(CHOSEN) if CHOSEN in names.labels else -2)).astype(np.float64)
    row, system, item = rows.by_system()
    kept = ~np.isin(system, sorted(make.sample.without))
    row, system, item = row[kept], system[kept], item[kept]
    systems, place = np.unique(system, return_inverse=True)
    keys = [names.systems[one] for one in systems.tolist()]
    found = _shares(make, chosen[row], place, item, len(keys), "choices")
    tests = [_exact(chosen[row][place == one]) for one in range(len(keys))]
    # Of two systems one is chosen where the other is not: that is one test, said twice.
    times = [int((place == one).sum()) for one in range(len(keys))]
    one_test = len(keys) == 2 and times[0] == times[1] == int(chosen[row].sum())
    family = {"correction": make.sample.common.correction, "family": "1 pair" if one_test else f"{len(keys)} systems"}
    adjusted = adjust(tests[:1], make.sample.common.correction) * 2 if one_test else adjust(tests, family["correction"])
    for one, (key, estimate) in enumerate(zip(keys, found, strict=True)):
        mine = row[place == one]
        yield make.row(
            "suggestion_chosen", estimate, system=key, by_system=True, p=tests[one],
            p_adjusted=adjusted[one], n_raters=count(rows.rater[mine]), note=joined(estimate.note, INDEPENDENT),
            settings={**_said(make), **family},
        )  # fmt: skip
    yield from _pairs(make, rows, chosen, (row, place, item), keys)
    yield from _sides(make, rows, chosen)


def _said(make: Rows) -> dict[str, Any]:
    common = make.sample.common
    return {
        "interval": "bootstrap over items", "n_resamples": common.n_resamples,
        "test": "exact binomial against one half, two-sided",
    }  # fmt: skip


def _shares(
    make: Rows, chosen: Floats, group: NDArray[Any], item: NDArray[Any], n_groups: int, purpose: str
) -> list[Estimate]:
    common = make.sample.common
    return group_ratios(
        chosen, np.ones(len(chosen)), group, np.maximum(item, 0), n_groups=n_groups, n_resamples=common.n_resamples,
        confidence=common.confidence, rng=make.sample.rng(purpose),
    )  # fmt: skip


def _exact(chosen: Floats) -> float | None:
    """Return the two-sided p of a share against one half, or None where nothing was chosen."""
    if not len(chosen):
        return None
    from scipy.stats import binomtest  # noqa: PLC0415  a second of start-up

    return float(binomtest(int(chosen.sum()), len(chosen), 0.5).pvalue)


def _pairs(
    make: Rows,
    rows: Table,
    chosen: Floats,
    columns: tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int32]],
    keys: list[str],
) -> Iterator[Row]:
    """Yield how often a system is chosen over each other one, where there are more than two."""
    if len(keys) < 3:
        return
    row, place, item = columns
    judgment = rows.judgment[row]
    order = np.lexsort((place, judgment))
    row, place, item, judgment = row[order], place[order], item[order], judgment[order]
    first = np.flatnonzero(np.diff(judgment) == 0)
    # Two suggestions of two systems; where systems share a text, there is no single pair.
    single = np.bincount(judgment)[judgment[first]] == 2
    first = first[single]
    pair = place[first] * len(keys) + place[first + 1]
    known, group = np.unique(pair, return_inverse=True)
    wins = chosen[row[first]]
    found = _shares(make, wins, group, item[first], len(known), "choices of pairs")
    tests = [_exact(wins[group == one]) for one in range(len(known))]
    correction = make.sample.common.correction
    adjusted = adjust(tests, correction)
    for one, code in enumerate(known.tolist()):
        a, b = divmod(code, len(keys))
        yield make.row(
            "suggestion_chosen_over", found[one], system=keys[a], system_b=keys[b], by_system=True,
            p=tests[one], p_adjusted=adjusted[one], n_raters=count(rows.rater[row[first[group == one]]]),
            note=joined(found[one].note, INDEPENDENT),
            settings={**_said(make), "correction": correction, "family": f"{len(known)} pairs"},
        )  # fmt: skip


def _sides(make: Rows, rows: Table, chosen: Floats) -> Iterator[Row]:
    """Yield how often the suggestion that stood first was chosen, whatever it was."""
    there = (chosen == 1) & ~np.isnan(rows.shown)
    if not there.any():
        return
    first = (rows.shown[there] == 1).astype(np.float64)
    item = rows.names.item_of_unit[rows.unit[there]]
    (found,) = _shares(make, first, np.zeros(len(first), dtype=np.int64), item, 1, "sides")
    yield make.row(
        "first_suggestion_chosen", found, label="1", p=_exact(first),
        n_raters=count(rows.rater[there]), note=joined(found.note, INDEPENDENT), settings=_said(make),
    )  # fmt: skip
