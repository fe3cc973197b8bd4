"""Units that raters skipped, with their reasons."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import was_current
from analytics_app.ratings.table import Coding, Mask, Table
from tasks_app.models import Judgment

REASONS: tuple[str, ...] = tuple(Judgment.Skip.values)


@extra
@dataclass(frozen=True, slots=True)
class Skips(Extra):
    """One entry for every unit that a rater skipped and did not answer later.

    `rater` and `unit` are codes of the table's names, `order` is the place in the rater's way, `reason` a code into
    `REASONS`.
    """

    rater: NDArray[np.int32]
    unit: NDArray[np.int32]
    order: NDArray[np.int32]
    reason: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rater)

    @property
    def counted(self) -> Mask:
        """Return a mask of the skips that count against a rater: "cannot judge" and "other"."""
        return np.isin(self.reason, [REASONS.index(reason) for reason in Judgment.Skip.BLAMELESS], invert=True)

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the skips that were there at the run's marks."""
        names = loading.table.names
        columns = copy(_SKIPS.format(current=was_current()), {**loading.params, "reasons": list(REASONS)}, _TYPE)
        return cls(
            rater=rater_codes(names, columns["rater"]),
            unit=Coding(names.unit_ids)(columns["unit"]),
            order=columns["order"],
            reason=columns["reason"] - np.int32(1),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no skip."""
        codes = np.empty(0, dtype=np.int32)
        return cls(codes, codes, codes, codes)


_TYPE = {"rater": np.int64, "unit": np.int64, "order": np.int32, "reason": np.int32}

_SKIPS = """
SELECT a.rater_id, a.unit_id, a."order", array_position(%(reasons)s::text[], j.skip_reason::text)
  FROM tasks_app_assignment a
  JOIN tasks_app_unit u ON u.id = a.unit_id
  JOIN tasks_app_judgment j ON j.assignment_id = a.id
 WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s AND j.skip_reason <> ''
   AND a.purpose IN ('main', 'control', 'attention', 'repeat') AND a.rater_kind <> 'sandbox'
   AND a.rater_id <> ALL(%(metrics)s::bigint[])
   AND j.version = ANY(%(versions)s) AND a.unit_id <> ALL(%(withdrawn)s)
   AND {current}
 ORDER BY a.rater_id, a."order", j.id
"""
