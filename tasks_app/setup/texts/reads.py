"""Reads of the texts of a study that is set up: rows, cells, systems, counts, a search."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from tasks_app.models import Setup, SetupRow, System
from tasks_app.models.statements import rows
from tasks_app.setup import table_rows
from tasks_app.setup.changes import KNOWN_ANSWERS
from tasks_app.studyfile.columns import ITEMS

TABLE = ITEMS.stem

ROWS_ON_A_PAGE = 50

# Columns that a search looks in.
_SEARCHED = ("item", "output", "source", "reference", "document")

FEATURE = "feature_"

# Counts the texts of each system, those of items with known answers apart; the last column counts all items that are
# evaluated. The key of an item is found in that of a unit as `table_rows.item_of` does. Distinct values in a subquery
# are hashed; counted directly, they would be sorted.
_COUNTS = """
WITH checks AS MATERIALIZED (
    SELECT DISTINCT split_part(split_part(cells ->> 'unit', '@', 1), '/', 1) AS item
    FROM tasks_app_setuprow WHERE setup_id = %(setup)s AND "table" = %(known)s AND cells ->> 'unit' IS NOT NULL),
texts AS MATERIALIZED (
    SELECT cells ->> 'system' AS system, cells ->> 'item' AS item,
           COALESCE(cells ->> 'item' IN (SELECT item FROM checks), false) AS known
    FROM tasks_app_setuprow WHERE setup_id = %(setup)s AND "table" = %(table)s)
SELECT system, count(*) FILTER (WHERE NOT known), count(*) FILTER (WHERE known),
       (SELECT count(*) FROM (SELECT DISTINCT item FROM texts WHERE NOT known) items)
FROM texts GROUP BY system
"""

# Rows from which the columns in use are taken.
_ROWS_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system: its name in the study, and the number of its outputs."""

    key: str
    name: str
    kind: str
    outputs: int

    @property
    def label(self) -> str:
        """Return the name that people read."""
        return self.name or self.key


@dataclass(frozen=True, slots=True)
class TextCounts:
    """The numbers of evaluated items, outputs and systems; `checks` counts the outputs of items with known answers."""

    items: int
    outputs: int
    systems: Sequence[SystemRow]
    checks: int


def rows_of(setup: Setup) -> QuerySet[SetupRow]:
    """Return the rows of texts in their order."""
    return table_rows.rows_of(setup, TABLE)


def cells_of_rows(setup: Setup) -> Iterator[dict[str, str]]:
    """Return the cells of all rows, without holding them."""
    return table_rows.cells_of_rows(setup, TABLE)


def systems_of(setup: Setup) -> list[str]:
    """Return the keys of the systems that the document names."""
    return [entry["key"] for entry in setup.document.entries("systems") if "key" in entry]


def systems_of_checks(setup: Setup) -> set[str]:
    """Return the keys of the systems that have only texts with known answers, which are not evaluated."""
    of_checks = table_rows.items_of_checks(setup)
    if not of_checks:
        return set()
    rows = rows_of(setup).order_by()
    shown = rows.filter(cells__item__in=of_checks).values_list("cells__system", flat=True).distinct()
    judged = rows.exclude(cells__item__in=of_checks).values_list("cells__system", flat=True).distinct()
    return set(shown) - set(judged)


def counts(setup: Setup) -> TextCounts:
    """Count the texts of a study, by system; one query."""
    counted = rows(_COUNTS, {"setup": setup.pk, "table": TABLE, "known": KNOWN_ANSWERS})
    of_system: dict[str, int] = {system: n for system, n, _checks, _items in counted if n}
    checks = {system: n for system, _n, n, _items in counted if n}
    items = counted[0][3] if counted else 0
    declared = {entry["key"]: entry for entry in setup.document.entries("systems") if "key" in entry}
    keys = [*declared, *sorted(key for key in of_system if key and key not in declared)]
    keys = [key for key in keys if key in of_system or key not in checks]
    systems = [
        SystemRow(
            key,
            str(declared.get(key, {}).get("name") or ""),
            str(declared.get(key, {}).get("kind") or System.Kind.MACHINE.value),
            of_system.get(key, 0),
        )
        for key in keys
    ]
    return TextCounts(items, sum(of_system.values()), systems, sum(checks.values()))


def search(setup: Setup, words: str = "", system: str = "") -> QuerySet[SetupRow]:
    """Return the rows of a system that contain some words; all where nothing is asked for."""
    texts = rows_of(setup)
    if system:
        texts = texts.filter(cells__system=system)
    return table_rows.containing(texts, words, _SEARCHED)


def columns_of(setup: Setup) -> list[str]:
    """Return the columns that the first rows fill in: ours in their order, then features."""
    filled = {name for cells in rows_of(setup).values_list("cells", flat=True)[:_ROWS_LOOKED_AT] for name in cells}
    ours = [name for name in ITEMS.names if name in filled]
    return [*ours, *sorted(name for name in filled if name.startswith(FEATURE))]
