"""Metrics by the number of references that they take at once: as a table and as a chart."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from django.utils.translation import gettext as _

from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES, course_chart
from analytics_app.charts.picking import INTERVAL, Material, value_of
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits
from analytics_app.show.shown import Shown, StoredRows, named, table_of
from analytics_app.show.table import Table

STATISTIC = "metric_pearson_texts"
# The names of scores that are computed here with some of several references: see services/computing/request.py.
_NAME = re.compile(r"^(?P<metric>.*?) \((?:(?P<details>.*); )?(?P<at_once>\d+) of (?P<of>\d+) references\)$")

AnyRow = TypeVar("AnyRow", Row, ResultRow)


def by_number(rows: Iterable[AnyRow]) -> Mapping[str, Mapping[int, AnyRow]]:
    """Return the rows of each metric that was computed with several numbers of references, by that number.

    The score with all references has the plain name of the metric.
    """
    of_metric = {str(row.metric): row for row in rows}
    found: dict[str, dict[int, AnyRow]] = {}
    for name, row in of_metric.items():
        if (match := _NAME.match(name)) is None:
            continue
        base = f"{match['metric']} ({match['details']})" if match["details"] else match["metric"]
        numbers = found.setdefault(base, {})
        numbers[int(match["at_once"])] = row
        if base in of_metric:
            numbers[int(match["of"])] = of_metric[base]
    return found


def number_tables(rows: StoredRows) -> Iterator[Table]:
    """Yield Pearson's r over texts with a line for each metric and a column for each number of references."""
    found = by_number(rows.of(STATISTIC))
    most = max((number for numbers in found.values() for number in numbers), default=0)
    show = digits(3)

    def of_number(number: int) -> Shown:
        def cell(row: ResultRow | None) -> Cell:
            return show(found[str(row.metric)].get(number)) if row is not None else Cell(DASH)

        head = _("%(n)d of %(most)d") % {"n": number, "most": most}
        return Shown(head, "", cell)

    columns = [named(_("Metric"), lambda row: row.metric), *(of_number(number) for number in range(1, most + 1))]
    lines = [numbers[max(numbers)] for base, numbers in found.items() if numbers[max(numbers)].metric == base]
    note = _(
        "Pearson's r over texts with so many references at once: the mean score over all choices of these. Metrics "
        "without references do not depend on their number."
    )
    yield from table_of(rows, _("Metrics by number of references"), columns, lines, notes=[note])


@chart(order=83)
def number_chart(material: Material) -> Iterator[Sketch]:
    """Draw how far metrics agree with people by the number of references that they take at once."""
    found = by_number(material.of(STATISTIC))
    shown = {name: numbers for name, numbers in list(found.items())[:MOST_LINES] if len(numbers) > 1}
    if not shown:
        return
    rows = [row for numbers in shown.values() for row in numbers.values()]
    times = [str(number) for number in sorted({number for numbers in shown.values() for number in numbers})]
    points = [
        {"panel": "r", "time": str(number), "name": name, "value": value_of(row), "low": row.low, "high": row.high}
        for name, numbers in shown.items()
        for number, row in sorted(numbers.items())
    ]
    only = f", {len(shown)} of {len(found)} metrics" if len(shown) < len(found) else ""
    yield Sketch(
        kind="metrics-references",
        title="How far metrics agree with people, by the number of references",
        subtitle=(
            f"Pearson's correlation over texts with so many references at once{only}; {material.basis(rows)}. "
            f"Lines: {material.interval(rows, 'items')}."
        ),
        by_system=True,
        chart=course_chart([("r", "Pearson's r")], points, list(shown), times),
        columns=(("name", "Metric"), ("time", "References"), ("value", "Pearson's r"), *INTERVAL),
        further=True,
    )
