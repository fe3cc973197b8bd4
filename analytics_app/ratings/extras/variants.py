"""Variants of outputs, which distinguish several outputs of one system for one item, such as the rank of a result."""

from dataclasses import dataclass
from typing import Self

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table


@extra
@dataclass(frozen=True, slots=True)
class Variants(Extra):
    """The variant of each shown output, aligned with `names.shown_part`; "" if it has none."""

    variant: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the variants of the outputs of a task."""
        return cls(tuple(variant for (variant,) in rows(_VARIANTS, **loading.params)))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return outputs without a variant."""
        return cls(("",) * len(table.names.shown_part))


# The rows and the order of `names.shown_part` (analytics_app.ratings.reading).
_VARIANTS = """
SELECT o.variant
  FROM tasks_app_part p
  JOIN tasks_app_unit u ON u.id = p.unit_id
  JOIN tasks_app_partoutput po ON po.part_id = p.id
  JOIN tasks_app_output o ON o.id = po.output_id
 WHERE u.task_id = ANY(%(tasks)s) AND u.features->>'degraded_of' IS NULL
 ORDER BY p.id, po.id
"""
