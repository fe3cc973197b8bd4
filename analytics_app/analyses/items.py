"""Items by system: the mean rating of each output, which shows hard items and unusual outputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.analyses.shared.rated_texts import can_be_compared, low_is_good
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import heat_chart
from analytics_app.charts.picking import Material, by_mean, value_of
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.paired import item_means
from tasks_app.task_types.base import Scale

# With more means than this, only the items on which systems lie furthest apart have rows, as many as fit.
MOST_MEANS = 2000


@register
class Items(Analysis):
    """The mean rating of each system on each item.

    These are the means that paired comparisons of systems are made of. They are descriptive: an output that a few
    raters judged may stand out by chance.
    """

    label = _("Items by system")
    summary = _("The mean rating of each system on each item, to find hard items and outputs that stand out.")
    source = "Koehn (2004). Statistical significance tests for machine translation evaluation. EMNLP, 388-395."
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    statistics = {"item_mean": _("Mean of a system on an item")}
    only_drawn = frozenset({"item_mean"})
    splits = False

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether ratings are about texts, and higher for better texts."""
        return super().fits(question) and can_be_compared(question) and not low_is_good(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each item and system, with items in their order."""
        outputs = Outputs.of(sample, by_document=False)
        n = len(outputs.systems)
        if n < 2:
            return
        make, names = Rows(self.name, sample), sample.table.names
        means, items = item_means(outputs.value, outputs.system, outputs.item, n)
        cell = np.searchsorted(items, outputs.item) * n + outputs.system
        n_ratings = np.bincount(cell, minlength=means.size).reshape(means.shape)
        for place in _chosen(means).tolist():
            for system in np.flatnonzero(~np.isnan(means[place])).tolist():
                yield make.row(
                    "item_mean",
                    value=float(means[place, system]),
                    label=names.items[items[place]],
                    system=outputs.systems[system],
                    n_ratings=int(n_ratings[place, system]),
                    settings={"items": len(items)},
                )


def _chosen(means: Floats) -> NDArray[np.intp]:
    """Return the places of the items that have rows, in their order: all, or those with the widest ranges."""
    n_items, n_systems = means.shape
    if n_items * n_systems <= MOST_MEANS:
        return np.arange(n_items)
    return np.sort(np.argsort(-ranges(means), kind="stable")[: max(1, MOST_MEANS // n_systems)])


def ranges(means: Floats) -> Floats:
    """Return the difference between the highest and the lowest system of an item; 0 for an item of one system."""
    present = ~np.isnan(means)
    highest: Floats = np.where(present, means, -np.inf).max(axis=1)
    lowest: Floats = np.where(present, means, np.inf).min(axis=1)
    return highest - lowest


# The heat map of items by system, with darker cells for higher means.

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
