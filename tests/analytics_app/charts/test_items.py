"""The chart of items by system, against means written out from the ratings."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from statistics import mean
from typing import Any

import numpy as np
import pytest

from analytics_app import charts
from analytics_app.analyses.base import Common, Question, Sample
from analytics_app.analyses.items import MOST_MEANS
from analytics_app.charts.paints import SHADES
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import made, table

Given = list[tuple[int, int, int, float]]  # rater, item, system, value
NAMES = ("north", "south", "a system with a very long name that has no end", "مترجم")


def given(n_items: int, n_systems: int) -> Given:
    """Two or three raters a text; the last system has no text for item 1, which has the lowest ratings."""
    return [
        (rater, item, system, 0.0 if item == 1 else float((item * 7 + system * 3 + rater + item * system) % 50))
        for item in range(n_items)
        for system in range(n_systems)
        if (item, system) != (1, n_systems - 1)
        for rater in range(2 + item % 2)
    ]


def rows_of(ratings: Given, n_items: int, n_systems: int) -> list[Row]:
    raters, items, systems, values = (list(one) for one in zip(*ratings, strict=True))
    data = table(values, raters, items, systems)
    names = replace(
        data.names,
        items=tuple(f"item-{number:04}" for number in range(n_items)),
        systems=tuple(f"s{number}" for number in range(n_systems)),
        document_of_item=np.full(n_items, -1, dtype=np.int32),
        features={},
    )
    data = replace(data, names=names)
    question = Question("main", "slider", Scale.INTERVAL, "fluency", limits=(0.0, 50.0))
    sample = Sample(data, data.z(), question, Common(seed=1), "kept")
    return list(made("items").rows(sample))


def means_of(ratings: Given) -> dict[tuple[str, str], tuple[float, int]]:
    """Return mean and number of ratings by item and system, the slow way."""
    cells: dict[tuple[str, str], list[float]] = {}
    for _rater, item, system, value in ratings:
        cells.setdefault((f"item-{item:04}", f"s{system}"), []).append(value)
    return {cell: (mean(values), len(values)) for cell, values in cells.items()}


def by_item(means: dict[tuple[str, str], tuple[float, int]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for (item, _system), (value, _n) in means.items():
        found.setdefault(item, []).append(value)
    return found


def drawn(rows: list[Row]) -> charts.Drawn:
    found = {one.key: one for one in charts.draw(rows, "main", "fluency", name="Fluency")}
    return found["items"]


def test_every_cell_has_the_mean_of_its_ratings_and_the_hardest_item_is_first() -> None:
    ratings = given(9, 3)
    one, means = drawn(rows_of(ratings, 9, 3)), means_of(ratings)
    columns, numbers = charts.numbers(one.spec)
    assert [head for _field, head in columns] == ["Item", "System", "Mean rating", "Ratings"]
    assert {(row[0], row[1]): (row[2], row[3]) for row in numbers} == {
        cell: (pytest.approx(value), n) for cell, (value, n) in means.items()
    }
    assert ("item-0001", "s2") not in means
    of_item = by_item(means)
    order = sorted(of_item, key=lambda item: (mean(of_item[item]), item))
    assert list(dict.fromkeys(row[0] for row in numbers)) == order
    apart = max(of_item, key=lambda item: max(of_item[item]) - min(of_item[item]))
    ends = f"{min(of_item[apart]):.1f} to {max(of_item[apart]):.1f}"
    # Not item 1, which one of the systems has no text for.
    hardest = next(item for item in order if len(of_item[item]) == 3)
    assert order.index(hardest) == 1
    assert one.title == (
        f"Lowest mean for Fluency: {hardest} ({mean(of_item[hardest]):.1f}); "
        f"systems lie furthest apart on {apart} ({ends})"
    )
    assert "2 to 3 ratings per cell." in one.subtitle
    assert one.by_system


def test_of_many_items_those_are_drawn_on_which_systems_lie_furthest_apart() -> None:
    ratings = given(400, 4)
    rows = rows_of(ratings, 400, 4)
    means = means_of(ratings)
    # All of them are in the file of results.
    assert {(str(row.label), str(row.system)) for row in rows} == set(means)
    one, of_item = drawn(rows), by_item(means)
    numbers = charts.numbers(one.spec)[1]
    shown = {row[0] for row in numbers}
    assert len(shown) == 30
    ranges = {item: max(values) - min(values) for item, values in of_item.items()}
    assert min(ranges[item] for item in shown) >= max(value for item, value in ranges.items() if item not in shown)
    assert "the 30 of 400 items on which systems differ most" in one.subtitle


def test_of_very_many_items_the_results_have_those_furthest_apart_too() -> None:
    n = MOST_MEANS // 2 + 50
    ratings = [
        (0, item, system, float((item * 13 + system * (item % 41)) % 90)) for item in range(n) for system in (0, 1)
    ]
    rows = rows_of(ratings, n, 2)
    assert len(rows) == MOST_MEANS
    ranges = {item: max(values) - min(values) for item, values in by_item(means_of(ratings)).items()}
    kept = {str(row.label) for row in rows}
    assert min(ranges[item] for item in kept) >= max(value for item, value in ranges.items() if item not in kept)
    one = drawn(rows)
    assert one.title.startswith("Systems lie furthest apart on item-")
    assert f"the 40 of {n:,} items on which systems differ most" in one.subtitle


def test_names_of_any_length_and_direction_stay_apart() -> None:
    called = {f"s{number}": name for number, name in enumerate((*NAMES, f"{NAMES[2]}, neither"))}
    rows = [replace(row, system=called[str(row.system)]) for row in rows_of(given(9, 5), 9, 5)]
    one = drawn(rows)
    assert {row[1] for row in charts.numbers(one.spec)[1]} == set(called.values())
    data: list[dict[str, Any]] = one.spec["data"]["values"]
    assert len({cell["column"] for cell in data}) == 5
    assert all(len(cell["column"]) <= 30 for cell in data)


def test_the_highest_cells_are_the_darkest() -> None:
    one = drawn(rows_of(given(9, 3), 9, 3))
    data = sorted(one.spec["data"]["values"], key=lambda cell: cell["value"])
    order = [shade for shade, _words in SHADES]
    places = [order.index(cell["fill"]) for cell in data]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, len(order) - 1)
    fills = re.findall(r'fill="(#[0-9a-f]{6})"', ET.tostring(ET.fromstring(one.svg), encoding="unicode"))
    assert set(order) & set(fills) >= {order[0], order[-1]}


@pytest.mark.parametrize("offset", [0, 10])
def test_items_are_chosen_among_the_systems_that_are_drawn(offset: int) -> None:
    """Each item has two of 24 systems; those with the widest range may be among systems that have no column."""
    ratings = [
        (
            0,
            item,
            (2 * item + offset + n) % 24,
            float(50 - (2 * item + offset + n) % 24 - (40 * n if item % 12 > 5 else 0)),
        )
        for item in range(24)
        for n in range(2)
    ]
    rows = rows_of(ratings, 24, 24)
    (drawn,) = [one for one in charts.draw(rows, "main", "fluency") if one.key == "items"]
    _columns, numbers = charts.numbers(drawn.spec)
    items = {line[0] for line in numbers}
    named = re.findall(r"item-\d+", drawn.title)
    assert set(named) <= items
    assert len({line[1] for line in numbers}) <= 10


def test_where_nothing_differs_no_item_is_named() -> None:
    same = [(rater, item, system, 3.0) for rater in range(2) for item in range(4) for system in range(2)]
    (drawn,) = [one for one in charts.draw(rows_of(same, 4, 2), "main", "fluency") if one.key == "items"]
    assert drawn.title == "Mean ratings for fluency by item and system"
