"""Normalise names in a file of ratings: invisible characters are refused, and a name has one spelling."""

import re
import unicodedata

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.columns import BadCell, Column, Kind, from_text
from tasks_app.studyfile.fields import one_spelling

# A number whose decimals stand behind a comma, as in German and French.
DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+")

# Controls, formats (direction marks, characters without width), ends of lines and of paragraphs.
_HIDDEN = frozenset({"Cc", "Cf", "Zl", "Zp"})

# Words of several scripts are spelt with these, and a study calls criteria and categories as people do.
_JOINERS = "\u200c\u200d"
_WORDS = frozenset({"criterion", "category", "severity"})

# Stored as the study may have written them, which is in any spelling.
_AS_GIVEN = frozenset({"category", "severity"})


def _problem(name: str, allowed: str) -> str | None:
    """Describe the invisible character in a name, or return None."""
    if name.isprintable():
        return None
    for position, character in enumerate(name, start=1):
        if unicodedata.category(character) in _HIDDEN and character not in allowed:
            sentence = _(
                "Character %(position)d (%(code)s) cannot be seen, so that two names may look alike. Remove it."
            )
            return sentence % {"position": position, "code": f"U+{ord(character):04X}"}
    return None


def tidied(column: Column, value: Json) -> Json:
    """Return the value of a cell, names in one spelling. Raises BadCell for a name that cannot be used."""
    if column.kind is not Kind.WORD or not isinstance(value, str):
        return value
    if sentence := _problem(value, _JOINERS if column.name in _WORDS else ""):
        raise BadCell(sentence)
    return value if column.name in _AS_GIVEN else one_spelling(value)


def from_word(column: Column, word: str) -> Json:
    """Read a word of a mapping as a cell that holds it. Raises BadCell."""
    return tidied(column, from_text(column, word))


def from_comma(cell: str) -> str:
    """Return a number that is written with a decimal comma as it is written with a point. Raises BadCell."""
    if "." in cell:
        raise BadCell(_("The mapping says that decimals stand behind a comma; this number has a point."))
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell.strip()) else cell
