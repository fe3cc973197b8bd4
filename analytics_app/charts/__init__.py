"""Charts of results: pure functions from rows to an altair specification to SVG.

What is drawn of a criterion follows from its rows alone: shares and probabilities of superiority where a scale has
steps, means with intervals over items and over raters, paired differences, the spread of ratings, agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analytics_app.charts.drawing import Drawn, finished, numbers, subtitle
from analytics_app.charts.picking import Material
from analytics_app.charts.ratings import agreement, distribution, shares
from analytics_app.charts.registry import Kind, by_order, of_analyses
from analytics_app.charts.svg import standing_alone
from analytics_app.charts.systems import differences, means, superiority, z_means
from analytics_app.results import Row
from tasks_app.registry import import_modules

__all__ = ["Drawn", "draw", "draw_task", "numbers", "standing_alone", "subtitle"]

# In the order in which they are read: what needs no equal steps comes first.
OF_EVERY_CRITERION: tuple[tuple[int, Kind], ...] = (
    (10, shares),
    (20, superiority),
    (30, means),
    (40, z_means),
    (50, differences),
    (60, distribution),
    (90, agreement),
)

import_modules("analytics_app.charts.kinds")


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
    every = [*OF_EVERY_CRITERION, *of_analyses()]
    kinds = [agreement] if criterion is None else [kind for _order, kind in sorted(every, key=by_order)]
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
    return _drawn([kind for _order, kind in of_analyses()], Material(own, criterion, confidence, name, names or {}))


def _drawn(kinds: Sequence[Kind], of: Material) -> list[Drawn]:
    return [finished(one) for kind in kinds for one in kind(of)]
