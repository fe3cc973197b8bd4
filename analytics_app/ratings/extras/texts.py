"""Texts that raters wrote, such as edited texts."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table


@extra
@dataclass(frozen=True, slots=True)
class Texts(Extra):
    """The ratings of a task that are texts, without marked words: their ids, ascending, and the texts."""

    id: NDArray[np.int64]
    text: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read every text up to the run's mark."""
        text_rows = rows(_TEXTS, **loading.params)
        return cls(np.array([pk for pk, _text in text_rows], dtype=np.int64), tuple(text for _pk, text in text_rows))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no text."""
        return cls(np.empty(0, dtype=np.int64), ())


_TEXTS = """
SELECT id, text FROM tasks_app_rating
 WHERE task_id = ANY(%(tasks)s) AND id <= %(high)s AND text IS NOT NULL AND span_side IS NULL
 ORDER BY id
"""
