"""A row of the results document and its columns: tidy, so that any number is found by name."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Literal, TypeAlias

# The version of the results document, which grows with every change that breaks readers.
FORMAT = 1

# The last step of a funnel if judgments were asked again: a word in its rows, and no rule of a plan.
REPLACED = "replaced"

# The fact of a task of a run whose numbers were computed before a correction, and what its rows say then.
UNCORRECTED = "uncorrected"
UNCORRECTED_NOTE = (
    "Computed before a correction: a pair of texts could count as two texts in agreement and in counts. A new run has "
    "the corrected figures."
)

# The conclusions that an interval or a test allows, as rows name them.
TO_TEXTS = "further texts, by these raters"
TO_RATERS = "further raters, on these texts"
TO_RATERS_AND_TEXTS = "further texts and further raters"
NO_WIDTH_NOTE = (
    "Computed before a correction: limits that coincide are no interval. A new run has an exact one, or none."
)
FEW_UNITS_NOTE = (
    "Computed before a correction: what counts is on how many texts the systems differ, not how many there are. A new "
    "run says how many."
)

# Before any rule ("all"), or after all rules ("kept"). Rows that are neither, such as the funnel, have "all".
Basis: TypeAlias = Literal["all", "kept"]


class CannotDiffer(StrEnum):
    """Why no test of a family can be significant: `cannot_differ_since` in the settings of its rows.

    The units, such as texts, are too few; too few of them differ; on all of them systems are equal; or the permutations
    are too few.
    """

    UNITS = "units"
    DIFFERING = "differing"
    EQUAL = "equal"
    PERMUTATIONS = "permutations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number with everything that identifies it; the fields are the columns, in their order.

    A column that does not apply is None. `value` is None if the statistic is undefined, and `note` then has the reason.
    `slice` is name=value. `by_system` is no column: it marks a row that distinguishes systems, which is hidden while
    the study is open.
    """

    analysis: str
    statistic: str
    task: str | None = None
    criterion: str | None = None
    system: str | None = None
    system_b: str | None = None
    label: str | None = None
    rater: str | None = None
    group: str | None = None
    wave: int | None = None
    slice: str | None = None
    metric: str | None = None
    metric_b: str | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    df: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    n_ratings: int | None = None
    n_items: int | None = None
    n_raters: int | None = None
    basis: Basis = "kept"
    planned: bool = False
    settings: Mapping[str, Any] | None = None
    note: str | None = None
    by_system: bool = False


def outdated_note(
    statistic: str, low: float | None, high: float | None, settings: Mapping[str, Any] | None
) -> str | None:
    """Return the note on a stored row that was computed by a version before 0.3; None if it would be the same now.

    Ranges of ranks may be one rank.
    """
    if low is not None and low == high and "rank" not in statistic:
        return NO_WIDTH_NOTE
    reason = (settings or {}).get("cannot_differ")
    if reason and "cannot_differ_since" not in (settings or {}) and "permutations" not in str(reason):
        return FEW_UNITS_NOTE
    return None


def is_significant(p: float | None, limit: float) -> bool:
    """Return whether there is a p value, and it is below a limit."""
    return p is not None and p < limit


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Row) if field.name != "by_system")
