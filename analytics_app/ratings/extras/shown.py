"""The texts that raters saw."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table


@extra
@dataclass(frozen=True, slots=True)
class Shown(Extra):
    """The text of each part, by its code among the table's names; empty if there is none.

    The text of a picture, sound or film is the digest of its files, which tells it from others.
    """

    of_part: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the texts of a task's parts."""
        names = loading.table.names
        texts = [""] * len(names.part_ids)
        part_texts = rows(_PARTS, **loading.params)
        codes = Coding(names.part_ids)(np.array([pk for pk, _text in part_texts], dtype=np.int64))
        for code, (_pk, text) in zip(codes.tolist(), part_texts, strict=True):
            if code >= 0:
                texts[code] = text
        return cls(tuple(texts))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return texts without a character."""
        return cls(("",) * len(table.names.part_ids))


# A part shows one text, of one output or of several that are equal.
_PARTS = """
SELECT p.id, min(CASE WHEN o.kind = 'text' THEN o.text ELSE o.digest END COLLATE "C")
  FROM tasks_app_part p
  JOIN tasks_app_unit u ON u.id = p.unit_id
  JOIN tasks_app_partoutput po ON po.part_id = p.id
  JOIN tasks_app_output o ON o.id = po.output_id
 WHERE u.task_id = ANY(%(tasks)s)
 GROUP BY p.id
"""
