"""The columns of one table that holds texts and ratings: those of items and of ratings together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_lazy as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.columns import RATINGS, is_used
from tasks_app.importing.rows import without_needed
from tasks_app.studyfile.columns import ITEMS, Column, Kind, TableDeclaration

# What describes an item beside its key, and what describes an output.
OF_ITEM = ("source", "reference", "document", "position", "source_language")
OUTPUTS = ("output", "output_b")

# The beginnings of the names of attributes: of items, of raters and of systems.
FEATURE, ATTRIBUTE, OF_SYSTEM = "feature_", "rater_", "system_"

_PREFIXES = (
    Column(FEATURE, Kind.TEXT, _("A property of the item by which results can be split.")),
    Column(OF_SYSTEM, Kind.WORD, _("An attribute of the system by which results can be split, such as system_size.")),
)


def declared(document: Json) -> TableDeclaration:
    """Return the columns of a table read by a mapping: attributes of raters are those that the mapping names."""
    items = [column for column in ITEMS.columns if column.name in {*OF_ITEM, "output", "language"}]
    ratings = [column for column in RATINGS.columns if is_used(column.name) and column.name != "position"]
    second = Column("output_b", Kind.TEXT, _("The second text, where two texts were compared."))
    attributes = [
        Column(name, Kind.WORD, _("An attribute of the rater, such as rater_age."))
        for name in dict.fromkeys(_names(document))
        if name.startswith(ATTRIBUTE)
    ]
    table = TableDeclaration("table", ("csv", "tsv", "jsonl"), (*ratings, *items, second, *attributes), _PREFIXES)
    return without_needed(table, {"rater", "output"})


def _names(document: Json) -> Iterable[str]:
    for part in ("columns", "constant", "wide"):
        given = document.get(part) if isinstance(document, Mapping) else None
        yield from map(str, given) if isinstance(given, Mapping) else ()
