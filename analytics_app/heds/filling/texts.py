"""Counts of texts, known answers and raters, and the sampling and freezing of texts, in one statement."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from tasks_app.hooks.sections import Json
from tasks_app.models import Study
from tasks_app.models.judgments import is_current
from tasks_app.models.raters import METRIC
from tasks_app.settings.checks import COPIES
from tasks_app.setup.texts.writes import ABOUT, BROUGHT_BACK, SAMPLED, STORED

# Outputs on units that are judged, without those that check raters, and what the study's texts are. Units are asked for
# by the ids of main tasks alone: the planner knows how many units these have, and joins 100,000 at once. Only numbers
# are counted, and keys of systems are looked up afterwards, since words are slow to sort.
_COUNTS = f"""
WITH judged AS MATERIALIZED (
  SELECT u.task_id, u.id AS unit_id, p.id AS part_id, o.id AS output_id, o.item_id, o.system_id
  FROM tasks_app_unit u
  JOIN tasks_app_part p ON p.unit_id = u.id
  JOIN tasks_app_partoutput po ON po.part_id = p.id
  JOIN tasks_app_output o ON o.id = po.output_id
  WHERE u.task_id = ANY(%(tasks)s) AND u.until IS NULL
    AND o.system_id <> ALL(ARRAY(SELECT id FROM tasks_app_system WHERE study_id = %(study)s AND key = %(copies)s))
    AND NOT EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id)
),
beside AS (
  SELECT task_id, id AS system_id FROM unnest(%(beside_tasks)s::bigint[], %(beside_systems)s::text[]) b (task_id, key)
  JOIN tasks_app_system USING (key) WHERE study_id = %(study)s
),
compared AS NOT MATERIALIZED (
  SELECT * FROM judged WHERE (task_id, system_id) NOT IN (SELECT task_id, system_id FROM beside)
),
tasks AS (
  SELECT task_id, count(DISTINCT unit_id) AS units, count(DISTINCT part_id) AS parts,
         count(DISTINCT output_id) AS texts, count(DISTINCT system_id) AS systems FROM compared GROUP BY task_id
),
items AS (
  SELECT task_id, count(*) FILTER (WHERE of_several) AS items FROM (
    SELECT task_id, min(system_id) < max(system_id) AS of_several FROM compared GROUP BY task_id, item_id
  ) of_items GROUP BY task_id
),
outputs AS (
  SELECT DISTINCT o.language, o.kind, s.key = %(copies)s AS is_copy FROM (
    SELECT system_id, language, kind FROM tasks_app_output
    WHERE system_id = ANY(ARRAY(SELECT id FROM tasks_app_system WHERE study_id = %(study)s)) AND until IS NULL
    GROUP BY 1, 2, 3) o JOIN tasks_app_system s ON s.id = o.system_id
)
SELECT json_build_object(
  'tasks', (SELECT json_object_agg(task_id, json_build_array(units, parts, texts, systems, items))
            FROM tasks JOIN items USING (task_id)),
  'systems', (SELECT json_agg(json_build_array(s.key, n) ORDER BY s.id) FROM (
      SELECT system_id, count(*) AS n FROM (
        SELECT DISTINCT ON (output_id) system_id FROM judged ORDER BY output_id) of_outputs
      GROUP BY system_id) of_systems
      JOIN tasks_app_system s ON s.id = system_id),
  'sources', (SELECT json_agg(json_build_array(source_language, n)) FROM (
      SELECT source_language, count(*) AS n FROM tasks_app_item
      WHERE study_id = %(study)s AND until IS NULL AND source <> '' GROUP BY source_language) of_sources),
  'languages', (SELECT json_agg(DISTINCT language) FROM outputs WHERE NOT is_copy),
  'media', (SELECT json_agg(DISTINCT m.kind) FROM tasks_app_itemmedia im JOIN tasks_app_media m ON m.id = im.media_id
      JOIN tasks_app_item i ON i.id = im.item_id WHERE i.study_id = %(study)s AND i.until IS NULL),
  'kinds', (SELECT json_agg(DISTINCT kind) FROM outputs),
  'gold', (SELECT json_agg(json_build_array(task_id, purpose, n)) FROM (
      SELECT u.task_id, g.purpose, count(DISTINCT u.id) AS n FROM tasks_app_gold g
      JOIN tasks_app_unit u ON u.id = g.unit_id JOIN tasks_app_task t ON t.id = u.task_id
      WHERE t.study_id = %(study)s AND u.until IS NULL AND g.kind <> 'worse' GROUP BY u.task_id, g.purpose) of_gold),
  'raters', (SELECT json_agg(json_build_array(kind, n)) FROM (
      SELECT r.kind, count(*) AS n FROM tasks_app_rater r
      WHERE r.study_id = %(study)s AND r.kind <> 'sandbox'
        AND NOT (r.kind = 'imported' AND starts_with(r.pseudonym, %(metric)s)) AND EXISTS (
        SELECT 1 FROM tasks_app_assignment a JOIN tasks_app_judgment j ON j.assignment_id = a.id
        WHERE a.rater_id = r.id AND a.purpose = 'main' AND a.state IN ('submitted', 'surplus', 'replaced')
          AND j.skip_reason = '' AND {is_current("j")} OFFSET 0)
      GROUP BY r.kind) of_raters),
  'groups', (SELECT json_agg(key ORDER BY id) FROM tasks_app_group WHERE study_id = %(study)s),
  'version', (SELECT json_build_array(digest, frozen_at) FROM tasks_app_version
      WHERE study_id = %(study)s AND number = %(version)s),
  'drawing', (SELECT CASE WHEN verb = %(sampled)s THEN "after" END FROM tasks_app_event
      WHERE study_id = %(study)s AND object = %(texts)s AND verb = ANY(%(verbs)s) ORDER BY id DESC LIMIT 1)
)::text
"""  # noqa: S608  of this module and of the model


@dataclass(frozen=True, slots=True)
class UnitSizes:
    """Units of a task that are judged, the parts and texts on them, their systems, and items with several of these."""

    units: int = 0
    parts: int = 0
    texts: int = 0
    systems: int = 0
    items: int = 0


@dataclass(frozen=True, slots=True)
class FrozenVersion:
    """The digest of a frozen design, and when it was frozen."""

    digest: str
    frozen_at: datetime


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Counts of a study. `outputs` by system, `gold` by task and purpose, `evaluators` by kind of rater.

    `media` are the media types of what is shown with items, `kinds` those of outputs: text, image, audio, video.

    `groups` are the keys of its groups.
    `drawing` says how the texts were sampled here; None where they were not, or were replaced since.
    """

    sizes: Mapping[int, UnitSizes]
    outputs: Mapping[str, int]
    sources: Sequence[tuple[str, int]]
    languages: Sequence[str]
    media: Sequence[str]
    kinds: Sequence[str]
    gold: Mapping[tuple[int, str], int]
    evaluators: Mapping[str, int]
    version: FrozenVersion | None
    drawing: Mapping[str, Json] | None
    groups: Sequence[str]


def counts_of(study: Study, shown_only: Mapping[int, frozenset[str]]) -> TextCounts:
    """Count the parts of a study; `shown_only` has its main tasks, each with the systems that are seen, not judged."""
    beside = [(task, key) for task, keys in shown_only.items() for key in keys]
    with connection.cursor() as cursor:
        about: dict[str, Any] = {
            "study": study.pk,
            "version": study.current_version,
            "copies": COPIES,
            "tasks": list(shown_only),
            "metric": METRIC,
            "beside_tasks": [task for task, _key in beside],
            "beside_systems": [key for _task, key in beside],
        }
        cursor.execute(_COUNTS, {**about, "texts": ABOUT, "sampled": SAMPLED, "verbs": [SAMPLED, STORED, BROUGHT_BACK]})
        counted = json.loads(cursor.fetchone()[0])
    digest, frozen_at = counted["version"] or ("", "")
    return TextCounts(
        sizes={int(task): UnitSizes(*numbers) for task, numbers in (counted["tasks"] or {}).items()},
        outputs=dict(counted["systems"] or ()),
        sources=[(language, n) for language, n in counted["sources"] or ()],
        languages=counted["languages"] or (),
        media=counted["media"] or (),
        kinds=counted["kinds"] or (),
        gold={(task, purpose): n for task, purpose, n in counted["gold"] or ()},
        evaluators=dict(counted["raters"] or ()),
        version=FrozenVersion(digest, datetime.fromisoformat(frozen_at)) if digest else None,
        drawing=counted["drawing"],
        groups=counted["groups"] or (),
    )
