"""The texts of a draft divided by the values of a column: rows, counts and names by value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tasks_app.models import Setup
from tasks_app.setup.texts.reads import rows_of
from tasks_app.studyfile.own_sections.item_rows import is_of_item

# More studies than this are not made at once.
MOST_VALUES = 200

# Columns of items.csv by which texts can be divided, besides features.
DIVIDING = ("language", "source_language", "document", "format", "variant")
LANGUAGES = ("language", "source_language")

# Both languages of a text: the value is "de-en" for a text translated from German into English.
PAIR = "language_pair"
BETWEEN = "-"

FEATURE = "feature_"

# Number of empty values whose places the message names.
PLACES_NAMED = 3

# Rows from which the columns in use are taken.
ROWS_LOOKED_AT = 200

Cells = dict[str, str]


class CannotDivide(Exception):
    """Texts cannot be divided by a column; the message says why."""


@dataclass(slots=True)
class Share:
    """The texts that have one value: their rows in order, and the language of the texts to judge."""

    value: str
    rows: list[Cells] = field(default_factory=list)
    items: dict[str, None] = field(default_factory=dict)
    systems: dict[str, None] = field(default_factory=dict)
    target: str = ""

    @property
    def outputs(self) -> int:
        """Count the outputs."""
        return len(self.rows)


def columns_of(setup: Setup) -> list[tuple[str, str]]:
    """Return the columns by which a draft's texts can be divided: name and words."""
    filled = {name for cells in rows_of(setup).values_list("cells", flat=True)[:ROWS_LOOKED_AT] for name in cells}
    names = [PAIR] if set(LANGUAGES) <= filled else []
    names += [name for name in DIVIDING if name in filled]
    names += sorted(name for name in filled if name.startswith(FEATURE))
    return [(name, label_of(name)) for name in names]


def label_of(column: str) -> str:
    """Return the words for a column."""
    labels = {
        PAIR: _("language pair (source language and language)"),
        "language": _("language of the output"),
        "source_language": _("language of the source"),
        "document": _("document"),
        "format": _("format"),
        "variant": _("variant"),
    }
    return labels.get(column) or _("feature “%(name)s”") % {"name": column.removeprefix(FEATURE)}


def shares_of(setup: Setup, column: str) -> list[Share]:
    """Divide the texts of a draft by the values of a column, in the order of the table.

    What describes an item may stand in one of its rows only: each share says it in its own first row of the item.

    Raises
    ------
    CannotDivide
        Where a value is empty, all texts have the same value, or there are too many values.
    """
    rows = list(rows_of(setup).values_list("number", "cells"))
    about = _about_items(cells for _number, cells in rows)
    shares: dict[str, Share] = {}
    empty = []
    for position, (_number, cells) in enumerate(rows, start=1):
        described = {**about[cells.get("item", "")], **cells}
        value = _value(column, described)
        if not value:
            empty.append((position, cells))
            continue
        share = shares.setdefault(value, Share(value))
        item = cells.get("item", "")
        share.rows.append(dict(cells) if item in share.items else {**cells, **about[item]})
        share.items.setdefault(item)
        share.systems.setdefault(cells.get("system", ""))
        share.target = share.target or _target(column, described)
    _refuse(column, shares, empty)
    return list(shares.values())


def _about_items(rows: Iterable[Mapping[str, str]]) -> dict[str, Cells]:
    """Return the cells about each item, from its rows."""
    about: dict[str, Cells] = {}
    for cells in rows:
        of_item = about.setdefault(cells.get("item", ""), {})
        for name, text in cells.items():
            if text and is_of_item(name):
                of_item.setdefault(name, text)
    return about


def _value(column: str, cells: Mapping[str, str]) -> str:
    """Return the value of a row; empty where there is none."""
    if column != PAIR:
        return cells.get(column, "").strip()
    both = [cells.get(name, "").strip() for name in ("source_language", "language")]
    return BETWEEN.join(both) if all(both) else ""


def _target(column: str, cells: Mapping[str, str]) -> str:
    """Return the language in which raters of such texts may read their pages; empty where the column tells none."""
    name = {PAIR: "language", "language": "language", "source_language": "source_language"}.get(column)
    return cells.get(name, "").strip() if name else ""


def _refuse(column: str, shares: Mapping[str, Share], empty: Sequence[tuple[int, Mapping[str, str]]]) -> None:
    """Raise CannotDivide where the values do not make several studies."""
    words = {"column": label_of(column)}
    if empty:
        places = [
            _("row %(row)d (item %(item)s, system %(system)s)")
            % {"row": position, "item": cells.get("item", "–"), "system": cells.get("system", "–")}
            for position, cells in empty[:PLACES_NAMED]
        ]
        ellipsis = " …" if len(empty) > PLACES_NAMED else ""
        sentence = _("%(n)d of the texts have no value for “%(column)s”: %(places)s. Fill it in, or remove the rows.")
        raise CannotDivide(sentence % {**words, "n": len(empty), "places": ", ".join(places) + ellipsis})
    if len(shares) < 2:
        raise CannotDivide(_("All texts have the same value for “%(column)s”. Choose another column.") % words)
    if len(shares) > MOST_VALUES:
        sentence = _("“%(column)s” has %(n)d values; at most %(most)d studies can be made at once.")
        raise CannotDivide(sentence % {**words, "n": len(shares), "most": MOST_VALUES})
