"""One order of the two texts of a pair: ratings that name them in the other order are turned.

Raters' answers are stored in the order of the unit's parts. A file may name the two texts of a pair in the other order,
or name only the unit or one of its systems, and imports stored that as it came until version 0.3. Here every such
rating becomes what a rater's own answer would be, so that all ratings of a pair are about one text; nothing stored is
changed, and the side that the rater chose stays the side that was shown (decision 0088).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.models import Run
from analytics_app.ratings.copying import rows
from analytics_app.ratings.table import Mask, Names, Table
from tasks_app import task_types
from tasks_app.models import Task
from tasks_app.task_types.base import Criterion

# Ratings that are turned or lose their text here, and those of how much better a text is, which counted as a text of
# their own. Each has an effect on results that were computed before, and on nothing but these.
_CONCERNED = """
SELECT DISTINCT t.key
  FROM tasks_app_task t JOIN tasks_app_rating r ON r.task_id = t.id
 WHERE t.study_id = %(study)s AND r.id <= %(high)s
   AND (t.type = ANY(%(of_pairs)s)
        AND (r.part_b_id < r.part_id OR r.value IS NOT NULL OR (r.label IS NOT NULL AND r.part_b_id IS NULL))
     OR t.type = ANY(%(of_units)s) AND r.part_id IS NOT NULL)
 ORDER BY 1
"""


def concerned_tasks(run: Run) -> tuple[str, ...]:
    """Return the keys of the tasks to which versions before 0.3 gave other results, since they did not turn pairs."""
    of_pairs, of_units = [], []
    for name, task_type in task_types.registry.items():
        per = {outcome.per for outcome in task_type.outcomes}
        of_pairs += [name] if "pair" in per else []
        of_units += [name] if per == {"unit"} else []
    params = {"study": run.study_id, "high": run.high_water, "of_pairs": of_pairs, "of_units": of_units}
    return tuple(key for (key,) in rows(_CONCERNED, **params))


@dataclass(frozen=True, slots=True)
class Pairs:
    """The criteria of a task with answers about two texts or about a unit as a whole, by their codes.

    `exchanged` has the two labels that change places with the two texts; an answer on a criterion in `of_units`, such
    as how much better a text is, names no text.
    """

    exchanged: Mapping[int, tuple[str, ...]]
    of_units: frozenset[int]

    @classmethod
    def of(cls, tasks: Iterable[Task], names: Names) -> Self:
        """Return such criteria of the versions of a task."""
        exchanged: dict[int, tuple[str, ...]] = {}
        of_units: set[int] = set()
        for task in tasks:
            if not {"pair", "unit"} & {outcome.per for outcome in task.kind.outcomes}:
                continue
            for code, key in enumerate(names.criteria):
                outcome = task.kind.outcome_of(Criterion(key, ""))
                if outcome is not None and outcome.per == "pair":
                    exchanged[code] = outcome.exchanged
                elif outcome is not None and outcome.per == "unit":
                    of_units.add(code)
        return cls(exchanged, frozenset(of_units))


def in_one_order(table: Table, pairs: Pairs) -> Table:
    """Return a table in which all ratings about two texts name them in the order of the unit's parts."""
    if not (pairs.exchanged or pairs.of_units) or not len(table):
        return table
    first, second = _parts_of_units(table.names)
    compares = _among(table.criterion, pairs.exchanged) & (second[table.unit] >= 0)
    turned = compares & (table.part == second[table.unit])
    of_unit = _among(table.criterion, pairs.of_units)
    part = np.where(compares, first[table.unit], np.where(of_unit, np.int32(-1), table.part))
    part_b = np.where(compares, second[table.unit], np.where(of_unit, np.int32(-1), table.part_b))
    return _relabelled(replace(table, part=part, part_b=part_b), turned, pairs.exchanged)


def _among(criterion: NDArray[np.int32], codes: Iterable[int]) -> Mask:
    return np.isin(criterion, np.array(sorted(codes), dtype=np.int32))


def _parts_of_units(names: Names) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and the second part of each unit that has two, -1 for other units; -1 is also the last entry."""
    n_units, n_parts = len(names.units), len(names.part_ids)
    codes, units = np.arange(n_parts, dtype=np.int32), names.unit_of_part
    first, second = (np.full(n_units + 1, -1, dtype=np.int32) for _side in range(2))
    known = units >= 0
    # Parts are in the order of their ids, in which they were made: of several entries for a unit the last one stays.
    second[units[known]] = codes[known]
    first[units[known][::-1]] = codes[known][::-1]
    has_two = np.bincount(units[known], minlength=n_units + 1) == 2
    return np.where(has_two, first, np.int32(-1)), np.where(has_two, second, np.int32(-1))


def _relabelled(table: Table, turned: Mask, exchanged: Mapping[int, tuple[str, ...]]) -> Table:
    """Return a table in which the turned ratings have the labels of the other order."""
    if not turned.any():
        return table
    label, words = table.label.copy(), list(table.names.labels)
    for code, labels in exchanged.items():
        for word, other in zip(labels, reversed(labels), strict=True):
            has_word = (
                turned & (table.criterion == code) & (table.label == (words.index(word) if word in words else -2))
            )
            if has_word.any():
                if other not in words:
                    words.append(other)
                label[has_word] = words.index(other)
    # Labels are in alphabetical order.
    order = sorted(range(len(words)), key=lambda code: words[code])
    place = np.empty(len(words) + 1, dtype=np.int32)
    place[order], place[-1] = np.arange(len(words)), -1
    return replace(table, label=place[label], names=replace(table.names, labels=tuple(words[code] for code in order)))
