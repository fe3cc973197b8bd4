"""Texts that raters saw, with the sources that these were made from."""

from dataclasses import dataclass
from typing import Self

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table
from tasks_app.task_types.output_names import TEXT


@extra
@dataclass(frozen=True, slots=True)
class ShownTexts(Extra):
    """The text of each part, by its code in `names.part_ids`, and the source of its item; "" if there is none.

    `files` holds the codes of parts that are pictures, sounds or films: their texts say what these show.
    """

    text: tuple[str, ...]
    source: tuple[str, ...]
    files: frozenset[int] = frozenset()

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the texts of every part of the task."""
        of_part = {pk: (text, source, kind) for pk, text, source, kind in rows(_TEXTS, **loading.params)}
        texts = [of_part.get(pk, ("", "", TEXT)) for pk in loading.table.names.part_ids.tolist()]
        return cls(
            tuple(text for text, _source, _kind in texts),
            tuple(source for _text, source, _kind in texts),
            frozenset(code for code, (_text, _source, kind) in enumerate(texts) if kind != TEXT),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return parts without a text."""
        nothing = ("",) * len(table.names.part_ids)
        return cls(nothing, nothing)


# The outputs that one part shows have one text and one item.
_TEXTS = """
SELECT DISTINCT ON (p.id) p.id, o.text, i.source, o.kind
  FROM tasks_app_part p
  JOIN tasks_app_unit u ON u.id = p.unit_id
  JOIN tasks_app_partoutput po ON po.part_id = p.id
  JOIN tasks_app_output o ON o.id = po.output_id
  JOIN tasks_app_item i ON i.id = o.item_id
 WHERE u.task_id = ANY(%(tasks)s)
 ORDER BY p.id, po.id
"""
