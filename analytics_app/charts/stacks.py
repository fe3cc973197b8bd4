"""Bars that are stacked to a sum, not to a whole: the size of the sum and its parts. They start at zero."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.paints import paints_for
from analytics_app.charts.room import Chart, Room
from analytics_app.charts.rows import bars_in_rows

# What a sum needs beside the longest bar.
ROOM = 0.16


def sums_chart(sums: Mapping[str, Mapping[str, float]], labels: Sequence[str], *, measure: str) -> Chart:
    """Return a chart with a bar a row, in the order given: `sums` holds by row and label an amount from zero on.

    Labels have an order, as severities do, and so shades of one colour.
    """
    return partial(_sums_chart, sums, labels, measure)


def _sums_chart(sums: Mapping[str, Mapping[str, float]], labels: Sequence[str], measure: str, room: Room) -> Any:
    longest = max((sum(parts.values()) for parts in sums.values()), default=0.0) or 1.0
    pieces = {name: list(_pieces(parts, labels, longest)) for name, parts in sums.items()}
    paints = paints_for(labels, ordered=True)
    return bars_in_rows(pieces, labels, paints, room, measure=measure, ends=(0, longest * (1 + ROOM)))


def _pieces(parts: Mapping[str, float], labels: Sequence[str], longest: float) -> Iterator[dict[str, Any]]:
    """Yield each piece of a bar with its start and end; the last piece has the sum."""
    start, total = 0.0, words.number(sum(parts.values()), longest)
    for label in labels:
        value = parts.get(label, 0.0)
        yield {
            "label": label,
            "value": value,
            "start": start,
            "end": start + value,
            "text": words.number(value, longest),
            "total": total if label == labels[-1] else None,
        }
        start += value
