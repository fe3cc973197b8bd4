"""Figures on pages: a plot of a run with the table of its numbers and, for a plot of marks, the texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from django.utils.translation import gettext as _

from analytics_app import charts
from analytics_app.models import Plot
from analytics_app.runs import funnel_chart
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.table import Column, Table
from analytics_app.views.marked_texts import KIND as OF_MARKS
from analytics_app.views.marked_texts import MarkedText, texts_of

AnyCell = TypeVar("AnyCell", Cell, Column)


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot on a page, with its numbers; a plot of marks also has the texts."""

    plot: Plot
    subtitle: str
    table: Table
    texts: Sequence[MarkedText] = ()
    further: bool = False

    @property
    def without_texts(self) -> Table:
        """Return the numbers without the words of the study's texts, for people who read results by a link."""
        words = {
            place for place, (field, _head) in enumerate(self.plot.spec["usermeta"]["columns"]) if field == "words"
        }

        def kept(row: Sequence[AnyCell]) -> list[AnyCell]:
            return [cell for place, cell in enumerate(row) if place not in words]

        return replace(self.table, columns=kept(self.table.columns), rows=[kept(row) for row in self.table.rows])

    @property
    def name(self) -> str:
        """Return the name of the plot within its run, for the name of a file."""
        return self.plot.key.replace("/", "-")


def kind_of(plot: Plot) -> str:
    """Return the kind of chart of a plot."""
    return plot.key.rpartition("/")[2]


def figures_of_rules(plots: Iterable[Plot]) -> dict[str, Figure]:
    """Return the figure of the quality rules of each task, by its key."""
    return {plot.task: figure(plot) for plot in plots if kind_of(plot) == funnel_chart.KIND}


def figure(plot: Plot) -> Figure:
    """Return a plot with the table of its numbers."""
    columns, rows = charts.numbers(plot.spec)
    shares = {"shares", "distribution"} & {kind_of(plot)}
    ends = [value for row in rows for value in row if isinstance(value, float)]
    digits = 3 if all(abs(value) <= 1 for value in ends) else cells.digits_for(ends)
    lines = [
        [_cell(field, value, digits, as_share=bool(shares)) for (field, _head), value in zip(columns, row, strict=True)]
        for row in rows
    ]
    heads = [
        Column(head, number=not any(isinstance(row[place], str) for row in rows))
        for place, (_field, head) in enumerate(columns)
    ]
    key = f"plot-{plot.key.replace('/', '-')}"
    table = Table(_("Numbers behind this plot"), heads, lines, key=key)
    texts = list(texts_of(plot.spec)) if kind_of(plot) == OF_MARKS else []
    return Figure(plot, charts.subtitle(plot.spec), table, texts, further=charts.is_further(plot.spec))


def _cell(field: str, value: object, digits: int, *, as_share: bool) -> Cell:
    if isinstance(value, str):
        return cells.name(value)
    if isinstance(value, int):
        return cells.whole(value)
    if not isinstance(value, float):
        return Cell(cells.DASH)
    if field == "p":
        return cells.p_value(value)
    return cells.percent(value, 1) if as_share or field == "share" else cells.number(value, digits)
