"""Reads of the texts of a study that is set up, for its pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext as _

from tasks_app.models import Setup, SetupRow, System
from tasks_app.setup import table_rows
from tasks_app.setup.texts import AT_RANDOM, BY_DOCUMENT, BY_OUTPUT, BY_SOURCE, rows_of
from tasks_app.studyfile.columns import ITEMS

ROWS_ON_A_PAGE = 50

# Columns that a search looks in.
_SEARCHED = ("item", "output", "source", "reference", "document")

_FEATURE = "feature_"

# Rows from which the columns in use are taken.
_ROWS_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system: how the study names it, and how many outputs it has."""

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
    """How many items, outputs and systems are evaluated; `checks` counts the outputs of items with known answers."""

    items: int
    outputs: int
    systems: Sequence[SystemRow]
    checks: int


def counts(setup: Setup) -> TextCounts:
    """Return how many texts a study has, by system; four queries."""
    every = rows_of(setup).order_by()
    of_checks = table_rows.items_of_checks(setup)
    rows = every.exclude(cells__item__in=of_checks) if of_checks else every
    by_system = rows.annotate(system=KeyTextTransform("system", "cells")).values("system").annotate(n=Count("id"))
    of_system: dict[str, int] = dict(by_system.values_list("system", "n"))
    # Distinct values in a subquery are hashed; counted directly, they would be sorted.
    items = rows.annotate(item=KeyTextTransform("item", "cells")).values("item").distinct().count()
    declared = {entry["key"]: entry for entry in setup.document.entries("systems") if "key" in entry}
    checks = list(every.filter(cells__item__in=of_checks).values_list("cells__system", flat=True)) if of_checks else []
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
    return TextCounts(items, sum(of_system.values()), systems, len(checks))


def search(setup: Setup, words: str = "", system: str = "") -> QuerySet[SetupRow]:
    """Return the rows of a system that contain some words; all where nothing is asked for."""
    rows = rows_of(setup)
    if system:
        rows = rows.filter(cells__system=system)
    return table_rows.containing(rows, words, _SEARCHED)


def columns_of(setup: Setup) -> list[str]:
    """Return the columns that the first rows fill in: ours in their order, then features."""
    filled = {name for cells in rows_of(setup).values_list("cells", flat=True)[:_ROWS_LOOKED_AT] for name in cells}
    ours = [name for name in ITEMS.names if name in filled]
    return [*ours, *sorted(name for name in filled if name.startswith(_FEATURE))]


def strata_of(setup: Setup) -> list[tuple[str, str]]:
    """Return by what a sample can be stratified: value and words."""
    columns = columns_of(setup)
    values = [AT_RANDOM]
    values += [BY_DOCUMENT] if "document" in columns else []
    values += [BY_SOURCE] if "source" in columns else []
    values += [BY_OUTPUT, *(name for name in columns if name.startswith(_FEATURE))]
    return [(value, stratum_label(value)) for value in values]


def stratum_label(by: str) -> str:
    """Return the words for what a sample is stratified by."""
    labels = {
        AT_RANDOM: _("– at random –"),
        BY_DOCUMENT: _("document"),
        BY_SOURCE: _("length of the source"),
        BY_OUTPUT: _("length of the longest output"),
    }
    return labels.get(by) or _("feature “%(name)s”") % {"name": by.removeprefix(_FEATURE)}
