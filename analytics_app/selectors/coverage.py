"""The distribution of the outputs of a study over the values of features, before judging begins."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from analytics_app.analyses.features.groups import Grouped, group_values, unknown
from analytics_app.analyses.features.rules import Feature, computed
from analytics_app.ratings.copying import rows
from tasks_app import task_types
from tasks_app.models import Study

# A page computes no more than this; a run computes features of any number of outputs.
MOST_OUTPUTS, PATTERN_SECONDS = 10_000, 2.0
# Fewer outputs of a system than this say little about its outputs with a value.
FEW_OUTPUTS = 5
MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """An output to be judged: key of its task, item, system, text, source, and the features of its item.

    `is_text` is False where it is a picture, sound or film: its text says what it shows.
    """

    task: str
    item: str
    system: str
    text: str
    source: str
    features: dict[str, object]
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """A value of a feature: how many items have outputs with it, and how many outputs of each system have it.

    `examples` are the first texts with the value, each of another item.
    """

    feature: str
    value: str
    n_items: int
    n_outputs: tuple[int, ...]
    examples: tuple[str, ...] = ()

    @property
    def is_thin(self) -> bool:
        """Return whether a system has too few outputs with this value for a comparison."""
        return min(self.n_outputs) < FEW_OUTPUTS


@dataclass(frozen=True, slots=True)
class Coverage:
    """The lines of one task (its key and name), its systems, and sentences on features that lack values or groups."""

    task: str
    title: str
    systems: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]

    @property
    def thin(self) -> str:
        """The values of which some system has too few outputs for a comparison, as a list in words."""
        return ", ".join(f"{line.feature}: {line.value}" for line in self.lines if line.is_thin)


class TooManyOutputs(Exception):
    """A study has more outputs than a page can look at."""


def known_features(study: Study) -> list[str]:
    """Return the names of the features that items of a study have."""
    return [name for (name,) in rows(_FEATURES, study=study.pk)]


def coverage_of(study: Study, features: Sequence[Feature], n_groups: int) -> list[Coverage]:
    """Count the outputs of each task by the values of features.

    Known answers and degraded copies do not count. Raises TooManyOutputs beyond MOST_OUTPUTS.
    """
    most = MOST_OUTPUTS + 1
    if rows(_MANY, study=study.pk, most=most)[0][0] == most:
        raise TooManyOutputs
    stored = rows(_OUTPUTS, study=study.pk, most=most)
    if len(stored) > MOST_OUTPUTS:
        raise TooManyOutputs
    outputs = [
        Judged(task, item, system, text, source, json.loads(features), is_text)
        for task, _title, _type, item, system, text, source, features, is_text, _digest, _order in stored
    ]
    names = task_types.names_of({row[0]: (row[0], row[1], row[2], row[-1]) for row in stored}.values())
    by_rule = _by_rule(features, outputs)
    of_task: dict[str, list[int]] = {}
    for place, output in enumerate(outputs):
        of_task.setdefault(output.task, []).append(place)
    return [
        _of_task(
            task,
            names[task],
            [(feature, _at(by_rule[feature], places) if feature.rule else None) for feature in features],
            n_groups,
            [outputs[place] for place in places],
        )
        for task, places in of_task.items()
    ]


# The values of outputs by a rule, or why there are none.
_Values = list[float | str | None] | str


def _by_rule(features: Sequence[Feature], outputs: Sequence[Judged]) -> dict[Feature, _Values]:
    """Return the values of all outputs for each feature that is computed by a rule."""
    ruled = [feature for feature in features if feature.rule]
    texts, sources = [output.text for output in outputs], [output.source for output in outputs]
    return dict(zip(ruled, computed(ruled, texts, sources, seconds=PATTERN_SECONDS), strict=True))


def _at(values: _Values, places: Sequence[int]) -> _Values:
    return values if isinstance(values, str) else [values[place] for place in places]


def _of_task(
    task: str, name: str, features: Sequence[tuple[Feature, _Values | None]], n_groups: int, outputs: Sequence[Judged]
) -> Coverage:
    systems = tuple(sorted({output.system for output in outputs}))
    lines: list[Line] = []
    notes: list[str] = []
    for feature, by_rule in features:
        groups = _grouped(feature, by_rule, n_groups, outputs)
        if isinstance(groups, str):
            notes.append(groups)
            continue
        lines += _lines(groups, systems, outputs)
        if n_without := int((groups.group < 0).sum()):
            notes.append(f"“{feature.name}”: {n_without} of {len(outputs)} outputs have no value.")
    return Coverage(task, name, systems, tuple(lines), tuple(notes))


def _grouped(feature: Feature, by_rule: _Values | None, n_groups: int, outputs: Sequence[Judged]) -> Grouped | str:
    values: list[float | str | None]
    if isinstance(by_rule, str):
        return by_rule
    if by_rule is not None:
        values = [value if output.is_text else None for value, output in zip(by_rule, outputs, strict=True)]
    else:
        known = {name for output in outputs for name in output.features}
        if feature.name not in known:
            return unknown(feature, known)
        values = [str(output.features.get(feature.name, "")) or None for output in outputs]
    return group_values(feature, values, np.ones(len(outputs), dtype=bool), n_groups)


def _lines(groups: Grouped, systems: Sequence[str], outputs: Sequence[Judged]) -> Iterator[Line]:
    for place, value in enumerate(groups.values):
        with_value = [output for output, group in zip(outputs, groups.group.tolist(), strict=True) if group == place]
        items = {output.item for output in with_value}
        n_outputs = tuple(sum(output.system == system for output in with_value) for system in systems)
        of_item = {output.item: output.text for output in reversed(with_value) if output.is_text}
        examples = tuple(islice(reversed(of_item.values()), MOST_EXAMPLES))
        yield Line(groups.feature.name, value, len(items), n_outputs, examples)


_FEATURES = """
SELECT DISTINCT jsonb_object_keys(features) AS name FROM tasks_app_item WHERE study_id = %(study)s ORDER BY name
"""

# Counts outputs up to a number without reading or sorting their texts: as the next statement finds them, but with one
# variant of each system for an item, since that shows equal ones once. OFFSET 0 has each output looked up by its
# indexes until there are enough; the planner would join all units first.
_MANY = """
SELECT count(*) FROM (
  SELECT FROM tasks_app_output o JOIN tasks_app_system s ON s.id = o.system_id
  WHERE s.study_id = %(study)s AND EXISTS (
      SELECT 1 FROM tasks_app_partoutput po
      JOIN tasks_app_part p ON p.id = po.part_id
      JOIN tasks_app_unit u ON u.id = p.unit_id AND u.until IS NULL AND u.k > 0
      WHERE po.output_id = o.id AND u.features->>'degraded_of' IS NULL
        AND u.task_id = ANY(ARRAY(SELECT id FROM tasks_app_task WHERE study_id = %(study)s AND until IS NULL))
        AND NOT EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id) OFFSET 0)
    AND NOT EXISTS (
      SELECT 1 FROM tasks_app_output e
      WHERE e.item_id = o.item_id AND e.system_id = o.system_id AND e.until IS NULL AND e.id < o.id OFFSET 0)
  LIMIT %(most)s) first
"""

_OUTPUTS = """
SELECT DISTINCT t.key, t.title, t.type, i.key, s.key, o.text, i.source, i.features, o.kind = 'text', o.digest, t."order"
  FROM tasks_app_task t
  JOIN tasks_app_unit u ON u.task_id = t.id AND u.until IS NULL AND u.k > 0
  JOIN tasks_app_part p ON p.unit_id = u.id
  JOIN tasks_app_partoutput po ON po.part_id = p.id
  JOIN tasks_app_output o ON o.id = po.output_id
  JOIN tasks_app_item i ON i.id = o.item_id
  JOIN tasks_app_system s ON s.id = o.system_id
 WHERE t.study_id = %(study)s AND t.until IS NULL AND u.features->>'degraded_of' IS NULL
   AND NOT EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id)
 ORDER BY t."order", t.key, i.key, s.key LIMIT %(most)s
"""
