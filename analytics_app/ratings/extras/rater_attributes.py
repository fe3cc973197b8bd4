"""Attributes of raters, such as age and expertise: their answers to the study's questionnaires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import counts
from analytics_app.ratings.table import Table
from tasks_app.task_types.registry import registry

# The beginning of the names of attributes, as in a table of texts and ratings: rater_age.
ATTRIBUTE = "rater_"


def questionnaires() -> list[str]:
    """Return the task types with questions about the rater and not about a text."""
    return [name for name, kind in registry.items() if not kind.needs_items]


@extra
@dataclass(frozen=True, slots=True)
class RaterAttributes(Extra):
    """Answers of raters to the questions of questionnaires: `words` has by attribute one word per rater.

    Words are aligned with `table.names.raters`, "" for raters without an answer. Of several answers to one question,
    such as in two waves, the first counts.
    """

    words: Mapping[str, NDArray[Any]]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the answers that the run counts, of all questionnaires of the study."""
        names = loading.table.names
        answers = rows(_ANSWERS.format(counts=counts()), **loading.params, types=questionnaires())
        words: dict[str, NDArray[Any]] = {}
        codes = rater_codes(names, np.array([rater for rater, *_rest in answers], dtype=np.int64))
        for code, (_rater, key, word) in zip(codes.tolist(), answers, strict=True):
            if code >= 0:
                of_raters = words.setdefault(f"{ATTRIBUTE}{key}", np.full(len(names.raters), "", dtype=object))
                of_raters[code] = of_raters[code] or word
        return cls(words)

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return raters without attributes."""
        return cls({})


_ANSWERS = """
SELECT a.rater_id, c.key, COALESCE(NULLIF(r.label, ''), NULLIF(r.text, ''), r.value::text)
  FROM tasks_app_rating r
  JOIN tasks_app_criterion c ON c.id = r.criterion_id
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
  JOIN tasks_app_task t ON t.id = u.task_id
 WHERE t.study_id = %(study)s AND t.type = ANY(%(types)s) AND r.id <= %(high)s AND r.number = 1
   AND COALESCE(NULLIF(r.label, ''), NULLIF(r.text, ''), r.value::text) IS NOT NULL
   AND a.purpose IN ('main', 'screening', 'exit') AND {counts}
 ORDER BY r.id
"""
