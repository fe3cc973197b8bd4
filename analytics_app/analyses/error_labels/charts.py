"""Charts of error labels: profiles by system and by rater, and the labels that raters confuse."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.bars import stacked_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import heat_chart
from analytics_app.charts.picking import Material, counted, each, leading, left_off, value_of
from analytics_app.charts.points import MOST_ROWS
from analytics_app.results import Row

# The most labels side by side in a heat map.
MOST_LABELS = 10

SEPARATOR = " / "


@chart(order=10)
def error_profiles(material: Material) -> Iterator[Sketch]:
    """Draw the share of each error label by system."""
    rows = [
        row for row in material.of("share") if row.analysis == "error_labels" and row.system and row.label is not None
    ]
    if not rows:
        return
    table = _table(rows, "system")
    yield Sketch(
        kind="error-systems",
        title=_apart(material, rows) or "Error labels, system by system",
        subtitle=(
            f"Share of answers with each label{left_off(list(table))}; "
            f"{material.basis(rows)}.{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=stacked_chart(dict(list(table.items())[:MOST_ROWS]), _labels(rows), measure="Label", ordered=False),
        columns=(("name", "System"), ("label", "Label"), ("value", "Share")),
        criterion=rows[0].criterion or "",
    )


@chart(order=12)
def rater_profiles(material: Material) -> Iterator[Sketch]:
    """Draw the share of each error label by rater."""
    rows = [row for row in material.of("rater_share") if row.rater and row.label is not None]
    table = _table(rows, "rater")
    if len(table) < 2:
        return
    yield Sketch(
        kind="error-raters",
        title=_widest(rows, table),
        subtitle=(
            f"Share of answers with each label, rater by rater{left_off(list(table))}; "
            f"{material.basis(rows)}.{each(rows)}"
        ),
        by_system=any(row.by_system for row in rows),
        chart=stacked_chart(dict(list(table.items())[:MOST_ROWS]), _labels(rows), measure="Label", ordered=False),
        columns=(("name", "Rater"), ("label", "Label"), ("value", "Share")),
        criterion=rows[0].criterion or "",
    )


def _table(rows: Sequence[Row], column: str) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for row in rows:
        table.setdefault(str(getattr(row, column)), {})[str(row.label)] = value_of(row)
    return table


def _labels(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(str(row.label) for row in rows))


def _apart(material: Material, shares: Sequence[Row]) -> str:
    """Return a title with the largest difference in a label among the pairs with a significant adjusted test."""
    tests = leading(material, "label_difference", analysis="error_labels")
    clear = [row for row in tests if material.is_significant(row)]
    if not clear:
        return ""
    row = max(clear, key=lambda row: abs(value_of(row)))
    share = {system_row.system: value_of(system_row) for system_row in shares if system_row.label == row.label}
    high, low = sorted((row.system, row.system_b), key=lambda system: -share.get(system, 0.0))
    return (
        f"{words.short(row.label)} was given in {words.share(share.get(high, 0.0))} of the answers about "
        f"{words.short(high)} and in {words.share(share.get(low, 0.0))} of those about {words.short(low)}"
    )


def _widest(rows: Sequence[Row], table: Mapping[str, Mapping[str, float]]) -> str:
    """Return a title that names the label on which raters differ most."""

    def ends(label: str) -> tuple[float, float]:
        shares = [parts.get(label, 0.0) for parts in table.values()]
        return min(shares), max(shares)

    label = max(_labels(rows), key=lambda label: round(ends(label)[1] - ends(label)[0], 9))
    low, high = ends(label)
    return f"Raters differ most in {words.short(label)}: {words.share(low)} to {words.share(high)} of their answers"


@chart(order=75)
def confusion(material: Material) -> Iterator[Sketch]:
    """Draw the labels that two raters give the same text: shares of the second rater's labels for each first label."""
    rows = [row for row in material.of("confusion") if row.rater is None and row.label is not None]
    counts: dict[tuple[str, str], float] = {}
    for row in rows:
        first, _sign, second = str(row.label).partition(SEPARATOR)
        counts[first, second] = value_of(row)
    labels = [label for label in _order(material, rows) if any(label in pair for pair in counts)]
    if len(labels) < 2 or len(labels) > MOST_LABELS:
        return
    yield Sketch(
        kind="confusion",
        title=_confused(counts),
        subtitle=(
            "Where one rater gave the label of a row, how often another gave that of a column to the same text; "
            f"{material.basis(rows)}. {sum(counts.values()) / 2:,.0f} pairs of answers."
        ),
        by_system=False,
        chart=heat_chart(list(_cells(counts, labels)), labels),
        columns=(("name", "One rater"), ("column", "Another rater"), ("value", "Share")),
        criterion=rows[0].criterion or "",
    )


def _order(material: Material, rows: Sequence[Row]) -> list[str]:
    """Return the labels in the order of the study, or else in the order of the rows."""
    listed = [str(row.label) for row in material.of("overall_share") if row.label is not None]
    confused = [part for row in rows for part in str(row.label).split(SEPARATOR)]
    return list(dict.fromkeys([*listed, *confused]))


def _cells(counts: Mapping[tuple[str, str], float], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, first in enumerate(labels):
        whole = sum(counts.get((first, second), 0.0) for second in labels)
        for place, second in enumerate(labels):
            share = counts.get((first, second), 0.0) / whole if whole else 0.0
            yield {"row": number, "place": place, "name": first, "column": second, "value": share}


def _confused(counts: Mapping[tuple[str, str], float]) -> str:
    """Return a title that names the two labels that most often go to the same text."""
    whole = sum(counts.values())
    apart = {pair: n for pair, n in counts.items() if pair[0] < pair[1]}
    if not apart:
        return "Raters never give the same text two labels"
    first, second = max(apart, key=lambda pair: (apart[pair], pair))
    share = 2 * apart[first, second] / whole
    return f"{words.short(first)} and {words.short(second)} are confused most: {words.share(share)} of pairs of answers"
