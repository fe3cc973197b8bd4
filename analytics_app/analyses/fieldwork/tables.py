"""The table of fieldwork: the figures of a method section, line by line."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, named, own, table_of, tables_of
from analytics_app.show.table import Table

COUNTS = frozenset(
    {
        "raters_recruited", "raters_finished", "raters_ended", "raters_judged", "raters_excluded", "raters_analysed",
        "judgments_analysed", "judgments_per_unit", "judgments_per_rater", "repeats_asked",
    }
)  # fmt: skip
SHARES = frozenset({"control_accuracy", "attention_accuracy", "hourly_below"})


@tables_of("fieldwork")
def fieldwork(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each measure: kept ratings, and all ratings if rules excluded some."""
    whole = [row for row in rows.rows if not row.slice]
    index = RowIndex(whole or rows.rows)
    kept_rows, before = _measures(index.kept), _measures(index.before)

    def n_raters(row: ResultRow | None) -> Cell:
        counts = [other.n_raters for other in kept_rows[_measure(row)] if other.n_raters is not None] if row else []
        return cells.whole(counts[0] if counts else None)

    was = own(_("Before rules"), lambda row: _spread(before.get(_measure(row), []) if row else []))
    columns = [
        named(_("Measure"), _named),
        own(_("Kept") if index.both else _("Value"), lambda row: _spread(kept_rows[_measure(row)] if row else [])),
        own(_("Raters"), n_raters),
        *([was] if index.both else []),
    ]
    lines = [measured[0] for measured in kept_rows.values()]
    yield from table_of(index, _("Fieldwork"), columns, lines, notes=notes_of(index.kept))


def _measures(rows: Sequence[ResultRow]) -> dict[str, list[ResultRow]]:
    """Return the rows of each measure; rows of one distribution, such as its quartiles, belong together."""
    measures: dict[str, list[ResultRow]] = {}
    for row in rows:
        measures.setdefault(_measure(row), []).append(row)
    return measures


def _measure(row: ResultRow) -> str:
    return f"{row.statistic} {row.label}" if row.statistic == "raters_ended" else row.statistic


def _named(row: ResultRow) -> str:
    name = formats.statistic(row)
    if row.statistic == "raters_ended":
        return f"{name}: {(row.label or '').replace('_', ' ')}"
    if row.label in {"least", "lower quartile"}:
        ends = _("least, median, most") if row.label == "least" else _("median, and the middle half")
        name = f"{name} ({ends})"
    currency = (row.settings or {}).get("currency")
    return f"{name}, {currency}" if currency else name


def _spread(line: Sequence[ResultRow]) -> Cell:
    """Return a cell: one value, "12 (6 to 20)" for median and quartiles, or "6, 12, 20" for least, median and most."""
    if not line:
        return Cell(DASH)
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
        return Cell(DASH)
    if row.statistic in SHARES:
        return cells.percent(row.value, 1)
    if row.statistic in COUNTS:
        return cells.number(row.value, 0 if row.value == int(row.value) else 1)
    return cells.number(row.value, 2 if "pay" in row.statistic or "minimum" in row.statistic else 1)
