"""The heat map of items by system, with darker cells for higher means."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import heat_chart
from analytics_app.charts.picking import Material, by_mean, value_of
from analytics_app.results import Row

# Limits of a readable chart, and of a page that has a chart for each criterion.
MOST_ITEMS, MOST_SYSTEMS, MOST_CELLS = 40, 10, 120
NAME_LETTERS = 24


@chart(order=70, of_task=False)
def items_by_system(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each system on each item; of many items, those on which systems differ most."""
    rows = [row for row in material.of("item_mean") if row.system and row.label]
    if not rows:
        return
    systems = by_mean(rows)
    columns = _columns(systems[:MOST_SYSTEMS])
    items: dict[str, list[Row]] = {}
    for row in rows:
        if row.system in columns:
            items.setdefault(str(row.label), []).append(row)
    widest = sorted(items, key=lambda item: -_range(items[item]))[: min(MOST_ITEMS, MOST_CELLS // len(columns))]
    shown_items = sorted(widest, key=lambda item: (_mean(items[item]), item))
    cells = list(_cells([(item, items[item]) for item in shown_items], columns))
    values = [cell["value"] for cell in cells]
    n = [row.n_ratings or 0 for row in rows]
    each = f"{min(n):,} to {max(n):,} ratings" if min(n) < max(n) else f"{n[0]:,} rating{'' if n[0] == 1 else 's'}"
    ends = " to ".join(words.number(value, max(map(abs, values))) for value in (min(values), max(values)))
    steps = ", steps taken as equal" if material.has_steps else ""
    yield Sketch(
        kind="items",
        title=_furthest(items, len(items) == _n_items(rows), material),
        subtitle=(
            f"Mean rating for {material.name} by item and system{steps}; the item with the lowest mean first; "
            f"darker cells have higher means ({ends}){_only(len(shown_items), rows, len(columns), len(systems))}; "
            f"{material.basis(rows)}. {each} per cell."
        ),
        by_system=True,
        chart=heat_chart(cells, list(columns.values())),
        columns=(("name", "Item"), ("system", "System"), ("value", "Mean rating"), ("n", "Ratings")),
        further=True,
    )


def _cells(items: Sequence[tuple[str, Sequence[Row]]], columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the cells row by row; `place` is the place of a cell in its row."""
    values = [value_of(row) for _item, rows in items for row in rows]
    least, most, largest = min(values), max(values), max(map(abs, values))
    for number, (item, rows) in enumerate(items):
        for place, row in enumerate(rows):
            yield {
                "row": number,
                "place": place,
                "name": item,
                "column": columns[str(row.system)],
                "system": str(row.system),
                "value": value_of(row),
                "text": words.number(value_of(row), largest),
                "strength": (value_of(row) - least) / (most - least) if most > least else 0.0,
                "n": row.n_ratings or 0,
            }


def _columns(systems: Sequence[str]) -> dict[str, str]:
    """Return shortened, distinct column heads for systems."""
    heads: dict[str, str] = {}
    for number, system in enumerate(systems, start=1):
        head = words.short(system, NAME_LETTERS)
        heads[system] = f"{number}: {head}" if head in heads.values() else head
    return heads


def _mean(rows: Sequence[Row]) -> float:
    return sum(map(value_of, rows)) / len(rows)


def _range(rows: Sequence[Row]) -> float:
    return max(map(value_of, rows)) - min(map(value_of, rows))


def _n_items(rows: Sequence[Row]) -> int:
    return int((rows[0].settings or {}).get("items", 0))


def _only(n_items: int, rows: Sequence[Row], n_systems: int, all_systems: int) -> str:
    """Return a phrase about items and systems that the chart does not show, if any."""
    phrase = ""
    if n_items < _n_items(rows):
        phrase += f", the {n_items} of {_n_items(rows):,} items on which systems differ most"
    if n_systems < all_systems:
        phrase += f", the {n_systems} of {all_systems} systems with the highest means"
    return phrase


def _furthest(items: Mapping[str, Sequence[Row]], all_items: bool, material: Material) -> str:
    """Return a title with the item on which systems differ most; with all items there, also that of the lowest mean."""
    largest = max(abs(value_of(row)) for rows in items.values() for row in rows)
    apart = max(items, key=lambda item: _range(items[item]))
    if len(items) == 1 or not _range(items[apart]):
        return f"Mean ratings for {material.name} by item and system"
    low, high = (words.number(pick(map(value_of, items[apart])), largest) for pick in (min, max))
    widest = f"ystems lie furthest apart on {words.short(apart)} ({low} to {high})"
    if not all_items:
        return f"S{widest} for {material.name}"
    # Only items that all systems have are compared: other means are over fewer systems.
    most = max(map(len, items.values()))
    hardest = min((item for item in items if len(items[item]) == most), key=lambda item: _mean(items[item]))
    mean = words.number(_mean(items[hardest]), largest)
    return f"Lowest mean for {material.name}: {words.short(hardest)} ({mean}); s{widest}"
