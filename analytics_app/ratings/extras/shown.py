"""The texts that raters saw: the text of each part and the source of each item."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table


@extra
@dataclass(frozen=True, slots=True)
class Shown(Extra):
    """Texts by the codes of the table's names: of each part, and the source of each item; empty if there is none.

    The text of a picture, sound or film is the digest of its files, which tells it from others.
    """

    of_part: tuple[str, ...]
    source_of_item: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the texts of a task's parts and of the study's items."""
        names = loading.table.names
        texts = [""] * len(names.part_ids)
        part_texts = rows(_PARTS, **loading.params)
        codes = Coding(names.part_ids)(np.array([pk for pk, _text in part_texts], dtype=np.int64))
        for code, (_pk, text) in zip(codes.tolist(), part_texts, strict=True):
            if code >= 0:
                texts[code] = text
        return cls(tuple(texts), tuple(source for (source,) in rows(_SOURCES, loading.params["study"])))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return texts without a character."""
        return cls(("",) * len(table.names.part_ids), ("",) * len(table.names.items))


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

_SOURCES = 'SELECT source FROM tasks_app_item WHERE study_id = %s ORDER BY key COLLATE "C", id'
