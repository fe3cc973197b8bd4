"""Charts of results: pure functions from rows to an altair specification to SVG.

Charts depend only on the rows. Each analysis has its charts in a module `charts` of its folder; this package has their
parts.
"""

from collections.abc import Iterable, Mapping, Sequence

from analytics_app.charts.drawing import (
    Drawn,
    Kind,
    Sketch,
    finished,
    in_order,
    is_by_rater,
    is_further,
    numbers,
    subtitle,
    values,
)
from analytics_app.charts.picking import Material
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
    """Draw the rows of one criterion; with None, those of a task's criteria side by side (alpha).

    `name` is the name of the criterion in titles, else its key, and `names` are those of the task's criteria;
    `confidence` is that of the run's intervals.

    Call it only in a job, since it renders (see analytics_app.charts.drawing). Rows of other tasks and criteria,
    undefined values, slices and groups are left out. Each key occurs once: means, means-z, shares and so on.
    """
    own = [row for row in rows if row.task == task and (criterion is None or row.criterion == criterion)]
    kinds = [kind.kind for kind in in_order() if criterion is not None or kind.side_by_side]
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
    """Draw the rows of a whole task, with the charts of analyses. In a job only, as `draw`."""
    own = [row for row in rows if row.task == task]
    kinds = [kind.kind for kind in in_order() if kind.of_task]
    return _drawn(kinds, Material(own, criterion, confidence, name, names or {}))


def draw_sketches(sketches: Iterable[Sketch]) -> list[Drawn]:
    """Draw sketches of rows without a criterion and an analysis. In a job only, as `draw`."""
    return [finished(sketch) for sketch in sketches]


def _drawn(kinds: Sequence[Kind], material: Material) -> list[Drawn]:
    return draw_sketches(sketch for kind in kinds for sketch in kind(material))
