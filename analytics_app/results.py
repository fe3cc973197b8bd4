"""A row of the results document and its columns: tidy, so that any number is found by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

# The version of the results document: it grows when a reader would have to change.
FORMAT = 1

# The last step of a funnel where places were asked again: a word in its rows, no rule that could be left off.
REPLACED = "replaced"

# Before any rule, or after all of them. What applies to neither, such as the funnel, is "all".
Basis: TypeAlias = Literal["all", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number with everything that says which number it is; the fields are the columns, in their order.

    What does not apply is None. `value` is None where the statistic is undefined, and `note` then says why.
    `slice` is name=value. `by_system` is no column: it says that the row tells systems apart, which hides it while
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


COLUMNS: tuple[str, ...] = tuple(one.name for one in fields(Row) if one.name != "by_system")
