"""The page of a document: which of a rater's units stand on it, and in which row and column.

The parts of the document are rows, and what each system made of them is a column. Nobody learns which system a column
is: columns stand in the order in which the design gave the systems to the rater, which differs between documents.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tasks_app.models import Assignment, Study
from tasks_app.selectors.screens import Material, material_of
from tasks_app.task_types.texts import MOST_OF_A_DOCUMENT

# Checks whose texts may be of no system, or of one that has no other text in the document.
_CHECKS = {Assignment.Purpose.CONTROL, Assignment.Purpose.ATTENTION}
# All texts that raters must not tell from the others.
_EXTRAS = {*_CHECKS, Assignment.Purpose.REPEAT}


@dataclass(frozen=True, slots=True)
class Placed:
    """A unit with its row and column on the page, from 0; `number` is its place among the units that were given."""

    number: int
    row: int
    column: int


def places_of(units: Sequence[tuple[Hashable, int, Hashable]], checks: Collection[int] = ()) -> list[Placed]:
    """Return the places of units on a page, row by row.

    A unit is given by its item, the position of the item in the document, and its systems; units come in the order in
    which the rater was given them. Where an item has several units by the same systems, these have a column each.
    `checks` are the numbers of those that are checks. Their systems may have no other text in the document, and a
    column of their own would show which they are: so they stand in the first column that has no text in their row.
    """
    times: Counter[tuple[Hashable, Hashable]] = Counter()
    rows: dict[Hashable, int] = {}
    columns: dict[tuple[Hashable, int], int] = {}
    cells: dict[int, tuple[Hashable, int]] = {}
    taken: set[tuple[Hashable, int]] = set()
    for number in sorted(range(len(units)), key=lambda number: number in checks):
        item, position, systems = units[number]
        own = (systems, times[item, systems])
        times[item, systems] += 1
        rows.setdefault(item, position)
        if own not in columns and number in checks:
            column = next(free for free in range(len(units)) if (item, free) not in taken)
        else:
            column = columns.setdefault(own, len(columns))
        cells[number] = item, column
        taken.add((item, column))
    # Items of one position keep the order in which they were given.
    given = dict.fromkeys(item for item, _position, _systems in units)
    in_order = {item: row for row, item in enumerate(sorted(given, key=lambda item: rows[item]))}
    placed = [Placed(number, in_order[item], column) for number, (item, column) in cells.items()]
    return sorted(placed, key=lambda place: (place.row, place.column))


def places_on_page(units: Sequence[tuple[Assignment, Material]]) -> list[Placed]:
    """Return the places of a rater's units on a page, row by row; `number` counts the units as they are given here."""
    given = sorted(range(len(units)), key=lambda number: units[number][0].order)
    materials = [units[number][1] for number in given]
    checks = {number for number, unit in enumerate(given) if units[unit][0].purpose in _CHECKS}
    places = places_of([(one.item, one.position, one.authors) for one in materials], checks)
    return [Placed(given[place.number], place.row, place.column) for place in places]


def on_page(units: Iterable[Assignment], study: Study) -> list[Assignment]:
    """Return those of some units that stand on the page of the first one's document, row by row.

    A document of more texts than a page holds goes on over several pages, with whole rows on each. A text never
    stands beside its repeat or its degraded copy: these stay for a later page.
    """
    chosen: list[tuple[Assignment, Material]] = []
    shown: set[int] = set()
    for unit in units:
        material, texts = material_of(unit, study), texts_of(unit)
        if not texts & shown and (not chosen or _of_one_document(material, chosen[0][1])):
            chosen.append((unit, material))
            shown |= texts
    chosen = _without_telling_checks(chosen)
    places = places_on_page(chosen)
    sizes = Counter(place.row for place in places)
    fitting = sum(total <= MOST_OF_A_DOCUMENT for total in accumulate(sizes[row] for row in sorted(sizes)))
    page = [place for place in places if place.row < max(1, fitting)][:MOST_OF_A_DOCUMENT]
    return [chosen[place.number][0] for place in page]


def _without_telling_checks(units: Sequence[tuple[Assignment, Material]]) -> list[tuple[Assignment, Material]]:
    """Leave out checks and repeats in rows with fewer texts than columns: a gap beside a text would show what it is.

    They stand on a page of their own after the others. A row that is to be judged stays as it is.
    """
    columns = len({material.authors for unit, material in units if unit.purpose not in _EXTRAS})
    in_row = Counter(material.item for _unit, material in units)
    return [
        (unit, material) for unit, material in units if unit.purpose not in _EXTRAS or in_row[material.item] >= columns
    ]


def _of_one_document(one: Material, other: Material) -> bool:
    """Return whether the texts of two units belong to one document; an item of no document is one of its own."""
    if one.document is None:
        return one.item is not None and one.item == other.item
    return one.document == other.document


def texts_of(unit: Assignment) -> set[int]:
    """Return the units with texts that an assignment shows: its own, and the unit that it is a degraded copy of."""
    original = unit.unit.features.get("degraded_of")
    return {unit.unit_id} | ({original} if original is not None else set())
