"""Charts of error labels: profiles by system and rater, and what raters confuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.bars import stacked_chart
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.heat import heat_chart
from analytics_app.charts.picking import Material, counted, each, only, value_of
from analytics_app.charts.points import MOST_ROWS
from analytics_app.charts.registry import chart
from analytics_app.results import Row

# Labels side by side in a table of colours.
MOST_LABELS = 10

SEPARATOR = " / "


@chart(order=10)
def error_profiles(of: Material) -> Iterator[Sketch]:
    """Draw how often each system has each error label."""
    found = [row for row in of.of("share") if row.analysis == "error_labels" and row.system and row.label is not None]
    if not found:
        return
    table = _table(found, "system")
    yield Sketch(
        kind="error-systems",
        title=_apart(of, found) or "Error labels, system by system",
        subtitle=(
            f"Share of answers with each label{only(list(table))}; {of.basis(found)}.{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=stacked_chart(dict(list(table.items())[:MOST_ROWS]), _labels(found), measure="Label", ordered=False),
        columns=(("name", "System"), ("label", "Label"), ("value", "Share")),
        criterion=found[0].criterion or "",
    )


@chart(order=12)
def rater_profiles(of: Material) -> Iterator[Sketch]:
    """Draw how often each rater used each error label."""
    found = [row for row in of.of("rater_share") if row.rater and row.label is not None]
    table = _table(found, "rater")
    if len(table) < 2:
        return
    yield Sketch(
        kind="error-raters",
        title=_widest(found, table),
        subtitle=(
            f"Share of answers with each label, rater by rater{only(list(table))}; {of.basis(found)}.{each(found)}"
        ),
        by_system=any(row.by_system for row in found),
        chart=stacked_chart(dict(list(table.items())[:MOST_ROWS]), _labels(found), measure="Label", ordered=False),
        columns=(("name", "Rater"), ("label", "Label"), ("value", "Share")),
        criterion=found[0].criterion or "",
    )


def _table(found: Sequence[Row], column: str) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    for row in found:
        table.setdefault(str(getattr(row, column)), {})[str(row.label)] = value_of(row)
    return table


def _labels(found: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(str(row.label) for row in found))


def _apart(of: Material, shares: Sequence[Row]) -> str:
    """Name the label that tells two systems apart most, of the pairs whose adjusted test found a difference."""
    limit = round(1 - of.confidence, 9)
    clear = [
        row
        for row in of.of("label_difference")
        if row.analysis == "error_labels" and row.p_adjusted is not None and row.p_adjusted < limit
    ]
    if not clear:
        return ""
    row = max(clear, key=lambda one: abs(value_of(one)))
    share = {one.system: value_of(one) for one in shares if one.label == row.label}
    high, low = sorted((row.system, row.system_b), key=lambda system: -share.get(system, 0.0))
    return (
        f"{words.short(row.label)} was given in {words.share(share.get(high, 0.0))} of the answers about "
        f"{words.short(high)} and in {words.share(share.get(low, 0.0))} of those about {words.short(low)}"
    )


def _widest(found: Sequence[Row], table: Mapping[str, Mapping[str, float]]) -> str:
    """Name the label that raters use most differently."""

    def ends(label: str) -> tuple[float, float]:
        shares = [parts.get(label, 0.0) for parts in table.values()]
        return min(shares), max(shares)

    label = max(_labels(found), key=lambda one: round(ends(one)[1] - ends(one)[0], 9))
    low, high = ends(label)
    return f"Raters differ most in {words.short(label)}: {words.share(low)} to {words.share(high)} of their answers"


@chart(order=75)
def confusion(of: Material) -> Iterator[Sketch]:
    """Draw which labels two raters give the same text: the share of each second label among those of a first."""
    found = [row for row in of.of("confusion") if row.rater is None and row.label is not None]
    counts: dict[tuple[str, str], float] = {}
    for row in found:
        first, _sign, second = str(row.label).partition(SEPARATOR)
        counts[first, second] = value_of(row)
    labels = [label for label in _order(of, found) if any(label in pair for pair in counts)]
    if len(labels) < 2 or len(labels) > MOST_LABELS:
        return
    yield Sketch(
        kind="confusion",
        title=_confused(counts),
        subtitle=(
            "Where one rater gave the label of a row, how often another gave that of a column to the same text; "
            f"{of.basis(found)}. {sum(counts.values()) / 2:,.0f} pairs of answers."
        ),
        by_system=False,
        chart=heat_chart(list(_cells(counts, labels)), labels),
        columns=(("name", "One rater"), ("column", "Another rater"), ("value", "Share")),
        criterion=found[0].criterion or "",
    )


def _order(of: Material, found: Sequence[Row]) -> list[str]:
    """Return the labels in the order of the study, else that of the rows."""
    listed = [str(row.label) for row in of.of("overall_share") if row.label is not None]
    seen = [part for row in found for part in str(row.label).split(SEPARATOR)]
    return list(dict.fromkeys([*listed, *seen]))


def _cells(counts: Mapping[tuple[str, str], float], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, first in enumerate(labels):
        whole = sum(counts.get((first, second), 0.0) for second in labels)
        for place, second in enumerate(labels):
            share = counts.get((first, second), 0.0) / whole if whole else 0.0
            yield {"row": number, "place": place, "name": first, "column": second, "value": share}


def _confused(counts: Mapping[tuple[str, str], float]) -> str:
    """Name the two labels that are given to the same text most often."""
    whole = sum(counts.values())
    apart = {pair: n for pair, n in counts.items() if pair[0] < pair[1]}
    if not apart:
        return "Raters never give the same text two labels"
    first, second = max(apart, key=lambda pair: (apart[pair], pair))
    share = 2 * apart[first, second] / whole
    return f"{words.short(first)} and {words.short(second)} are confused most: {words.share(share)} of pairs of answers"
