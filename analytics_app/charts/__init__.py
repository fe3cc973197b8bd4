"""Charts of result rows: pure functions from rows to an altair spec to SVG, the same digits for the same rows.

What is drawn of a criterion follows from its rows alone: shares and probabilities of superiority where a scale has
steps, means with intervals over items and over raters, paired differences, the spread of ratings, agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analytics_app.charts.drawing import Drawn, Sketch, finished, numbers, subtitle
from analytics_app.charts.picking import Material
from analytics_app.charts.ratings import agreement, distribution, shares
from analytics_app.charts.svg import standing_alone
from analytics_app.charts.systems import differences, means, superiority, z_means
from analytics_app.results import Row

__all__ = ["Drawn", "draw", "numbers", "standing_alone", "subtitle"]

# In the order in which they are read: what needs no equal steps comes first.
OF_A_CRITERION: tuple[Callable[[Material], Iterator[Sketch]], ...] = (
    shares,
    superiority,
    means,
    z_means,
    differences,
    distribution,
    agreement,
)


def draw(
    rows: Sequence[Row], task: str, criterion: str | None, *, name: str = "", confidence: float = 0.95
) -> list[Drawn]:
    """Draw what the rows of one criterion show; with None, what those of a task show side by side (alpha).

    `name` is what titles call the criterion, else its key; `confidence` is that of the run's intervals.

    To be called in a job only, since it renders (analytics_app.charts.drawing says why). Rows of other tasks and
    criteria, undefined values, slices and groups are left out. Each key occurs once: means, means-z, shares and so on.
    """
    own = [row for row in rows if row.task == task and (criterion is None or row.criterion == criterion)]
    of = Material(own, criterion, confidence, name)
    kinds = (agreement,) if criterion is None else OF_A_CRITERION
    return [finished(one) for kind in kinds for one in kind(of)]
