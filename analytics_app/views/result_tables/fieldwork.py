"""The table of fieldwork: what a method section prints, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Cell, Column, Table

COUNTS = frozenset(
    {
        "raters_recruited", "raters_finished", "raters_ended", "raters_judged", "raters_excluded", "raters_analysed",
        "judgments_analysed", "judgments_per_unit", "judgments_per_rater", "repeats_asked",
    }
)  # fmt: skip
SHARES = frozenset({"control_accuracy", "attention_accuracy", "hourly_below"})
# Labels of the ends and the middle of a distribution, in their order.
SPREAD = ("least", "lower quartile", "median", "upper quartile", "most")


@tables_of("fieldwork")
def fieldwork(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield one table: a line a measure, what was kept, and all ratings beside it where rules took some."""
    whole = [row for row in rows if not row.slice]
    found = Found(whole or rows)
    lines: dict[str, list[ResultRow]] = {}
    for row in found.kept:
        of_its_own = row.statistic == "raters_ended"
        lines.setdefault(f"{row.statistic} {row.label}" if of_its_own else row.statistic, []).append(row)
    columns = [Column(_("Measure"), number=False), Column(_("Kept") if found.both else _("Value")), Column(_("Raters"))]
    if found.both:
        columns.append(Column(_("Before rules")))
    cells = []
    for line in lines.values():
        one = line[0]
        said = _named(one)
        n = next((row.n_raters for row in line if row.n_raters is not None), None)
        shown = [tables.name(said), _spread(line), tables.whole(n)]
        if found.both:
            before = [row for row in found.before if row.statistic == one.statistic and _same(row, one)]
            shown.append(_spread(before) if before else Cell(tables.DASH))
        cells.append(shown)
    yield Table(_("Fieldwork"), columns, cells, notes_of(found.kept))


def _same(row: ResultRow, one: ResultRow) -> bool:
    return one.statistic != "raters_ended" or row.label == one.label


def _named(row: ResultRow) -> str:
    name = words.statistic(row.statistic)
    if row.statistic == "raters_ended":
        return f"{name}: {(row.label or '').replace('_', ' ')}"
    if row.label in {"least", "lower quartile"}:
        ends = _("least, median, most") if row.label == "least" else _("median, and the middle half")
        name = f"{name} ({ends})"
    currency = (row.settings or {}).get("currency")
    return f"{name}, {currency}" if currency else name


def _spread(line: Sequence[ResultRow]) -> Cell:
    """Return one value, "12 (6 to 20)" for a middle and quartiles, "6, 12, 20" for least, median and most."""
    by_label = {row.label: row for row in line}
    if "median" not in by_label:
        return _value(line[0])
    low, middle, high = (
        by_label.get(first) or by_label.get(second)
        for first, second in (("least", "lower quartile"), ("median", ""), ("most", "upper quartile"))
    )
    if low is None or middle is None or high is None:
        return _value(by_label["median"])
    texts = [_value(row).text for row in (low, middle, high)]
    if "least" in by_label:
        return Cell(", ".join(texts), middle.value)
    return Cell(_("%(median)s (%(low)s to %(high)s)") % {"median": texts[1], "low": texts[0], "high": texts[2]},
                middle.value)  # fmt: skip


def _value(row: ResultRow) -> Cell:
    if row.value is None:
        return Cell(tables.DASH)
    if row.statistic in SHARES:
        return tables.percent(row.value, 1)
    if row.statistic in COUNTS:
        return tables.number(row.value, 0 if row.value == int(row.value) else 1)
    return tables.number(row.value, 2 if "pay" in row.statistic or "minimum" in row.statistic else 1)
