"""Charts of results: pure functions from rows to an altair specification to SVG.

What is drawn follows from the rows alone. Each analysis brings its charts in a module `charts` of its folder; this
package has what they are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analytics_app.charts.drawing import Drawn, Sketch, finished, is_by_rater, is_further, numbers, subtitle, values
from analytics_app.charts.picking import Material
from analytics_app.charts.registry import Kind, in_order
from analytics_app.charts.svg import standing_alone
from analytics_app.results import Row

__all__ = [
    "Drawn",
    "draw",
    "draw_sketches",
    "draw_task",
    "is_by_rater",
    "is_further",
    "numbers",
    "standing_alone",
    "subtitle",
    "values",
]


def draw(
    rows: Sequence[Row],
    task: str,
    criterion: str | None,
    *,
    name: str = "",
    confidence: float = 0.95,
    names: Mapping[str, str] | None = None,
) -> list[Drawn]:
    """Draw what the rows of one criterion show; with None, what those of a task show side by side (alpha).

    `name` is what titles call the criterion, else its key, and `names` what they call those of the task; `confidence`
    is that of the run's intervals.

    To be called in a job only, since it renders (analytics_app.charts.drawing says why). Rows of other tasks and
    criteria, undefined values, slices and groups are left out. Each key occurs once: means, means-z, shares and so on.
    """
    own = [row for row in rows if row.task == task and (criterion is None or row.criterion == criterion)]
    kinds = [one.kind for one in in_order() if criterion is not None or one.side_by_side]
    return _drawn(kinds, Material(own, criterion, confidence, name, names or {}))


def draw_task(
    rows: Sequence[Row],
    task: str,
    criterion: str | None = None,
    *,
    name: str = "",
    confidence: float = 0.95,
    names: Mapping[str, str] | None = None,
) -> list[Drawn]:
    """Draw what rows of a whole task show, by the charts that analyses bring. In a job only, as `draw`."""
    own = [row for row in rows if row.task == task]
    kinds = [one.kind for one in in_order() if one.of_task]
    return _drawn(kinds, Material(own, criterion, confidence, name, names or {}))


def draw_sketches(sketches: Iterable[Sketch]) -> list[Drawn]:
    """Draw sketches of rows that are about no criterion and no analysis. In a job only, as `draw`."""
    return [finished(one) for one in sketches]


def _drawn(kinds: Sequence[Kind], of: Material) -> list[Drawn]:
    return draw_sketches(one for kind in kinds for one in kind(of))
