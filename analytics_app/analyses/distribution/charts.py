"""Charts of how ratings are spread over their scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart, stacked_chart
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    Material,
    counted,
    each,
    numeric,
    only,
    value_of,
)
from analytics_app.charts.points import MOST_ROWS
from analytics_app.charts.registry import chart
from analytics_app.results import Row

# By how much shares of a whole may pass one, as rounding has it.
HAIR = 1e-9

# More labels than these cannot be told apart by their colours; steps of a scale can, by their order.
MOST_COLOURS = 9


@chart(order=11, of_task=False)
def shares(of: Material) -> Iterator[Sketch]:
    """Draw how often each system got each step or label, the systems by their mean where they have one."""
    found = [row for row in of.of("share") if row.system and row.label is not None]
    if not found:
        return
    labels = list(dict.fromkeys(str(row.label) for row in found))
    rank = {row.system: -value_of(row) for row in of.of("mean")}
    table: dict[str, dict[str, float]] = {}
    for row in sorted(found, key=lambda row: rank.get(row.system, 0.0)):
        table.setdefault(str(row.system), {})[str(row.label)] = value_of(row)
    if any(sum(parts.values()) > 1 + HAIR for parts in table.values()):
        return  # several options a text make no whole
    if len(labels) > MOST_COLOURS and not numeric(labels):
        return
    word = "Step" if numeric(labels) else "Label"
    yield Sketch(
        kind="shares",
        title=_highest_step(table, labels[-1], of.name) if numeric(labels) else _told_apart(found, of.name),
        subtitle=(
            f"Share of ratings at each {word.lower()} for {of.name}{only(list(table))}; {of.basis(found)}."
            f"{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=stacked_chart(dict(list(table.items())[:MOST_ROWS]), labels, measure=word, ordered=numeric(labels)),
        columns=(("name", "System"), ("label", word), ("value", "Share")),
    )


def _highest_step(table: Mapping[str, Mapping[str, float]], last: str, criterion: str) -> str:
    """Say from where to where the shares of the highest step go; shares have no intervals, so no system is named."""
    values = [parts.get(last, 0.0) for parts in table.values()]
    least, most = words.share(min(values)), words.share(max(values))
    if len(table) == 1:
        return f"{most} of the ratings for {criterion} are on the highest step"
    if least == most:
        return f"Every system has {most} of its ratings for {criterion} on the highest step"
    return f"Systems have from {least} to {most} of their ratings for {criterion} on the highest step"


@chart(order=60, of_task=False)
def distribution(of: Material) -> Iterator[Sketch]:
    """Draw how all ratings are spread over the scale; it tells no system apart."""
    found = [row for row in of.of("distribution") if row.label is not None]
    if not found:
        return
    shown = {_bin(str(row.label)): words.share(value_of(row)) for row in found}
    most = words.share(max(value_of(row) for row in found))
    often = words.names([label for label, value in shown.items() if value == most])
    ratings = max((row.n_ratings or 0 for row in found), default=0)
    yield Sketch(
        kind="distribution",
        title=f"Ratings for {of.name} are most often {often} ({most}{' each' if ' and ' in often else ''})",
        subtitle=(
            f"Share of ratings for {of.name}, all systems together; {of.basis(found)}."
            f"{counted(found, ratings, unit='text')}"
        ),
        by_system=any(row.by_system for row in found),
        chart=bars_chart([(str(row.label), value_of(row)) for row in found], measure="Rating"),
        columns=(("label", "Rating"), ("value", "Share")),
        # Where there are shares, each system has its own.
        further=bool(of.of("share")),
    )


def _told_apart(found: Sequence[Row], criterion: str) -> str:
    """Name the label that tells two systems apart most, where their intervals do not meet."""
    best: tuple[float, str] = (0.0, f"Shares of labels for {criterion}, system by system")
    for label in dict.fromkeys(row.label for row in found):
        rows = sorted((row for row in found if row.label == label), key=value_of)
        low, high = rows[0], rows[-1]
        if low.high is None or high.low is None or low.high >= high.low:
            continue
        said = f"{words.share(value_of(high))} for {words.short(high.system)}, {words.share(value_of(low))} for"
        apart = value_of(high) - value_of(low)
        best = max(best, (apart, f"{criterion} is “{words.short(label)}” {said} {words.short(low.system)}"))
    return best[1]


def _bin(label: str) -> str:
    """Write a range of values as readers of charts know it."""
    return label.replace(" to ", "–")
