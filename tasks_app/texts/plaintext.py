"""Validate texts, numbers and JSON values before they are stored, and compare texts by their look.

PostgreSQL refuses NUL characters, and its jsonb refuses lone surrogates, NaN and infinities as well. They are
stopped at the door, where a person can still be told which character of which field is meant.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

# The beginnings that a spreadsheet takes for a formula, after any number of apostrophes. Python and PostgreSQL read
# this pattern alike.
FORMULA = r"^'*[=+\-@\t\r]"

# Deep enough for any answer a task type declares; a deeper one is an attack on the JSON decoder's stack.
MAX_DEPTH = 20


def problem_in(text: str) -> str | None:
    """Return the reason why `text` cannot be stored as a sentence, or None if it can."""
    match = _UNSTORABLE.search(text)
    if match is None:
        return None
    position = match.start() + 1
    if match.group() == "\x00":
        return _("Character %(position)d is a NUL character, which no text may contain. Remove it.") % {
            "position": position
        }
    return _(
        "Character %(position)d is half of a broken character (a lone surrogate). "
        "Save the text as UTF-8 again, or type that character anew."
    ) % {"position": position}


def without_formula(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    A cell that begins with any number of apostrophes before the formula gets one more, so that taking one away gives
    the text back.
    """
    return f"'{cell}" if re.match(FORMULA, cell) else cell


def digest(text: str, highlights: object = None) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hexadecimal: equal texts, equal digests.

    Texts with other `highlights`, lists as they are stored, are not equal.
    """
    # No text has a NUL character, so nothing that is written after one can be taken for a text.
    marked = f"\x00{json.dumps(highlights)}" if highlights else ""
    return hashlib.sha256(f"{text}{marked}".encode()).hexdigest()


def digest_of_files(*sha256: str) -> str:
    """Return the digest of an output that is a picture, sound or film, from those of its files."""
    # No text has a NUL character, so that no text has this digest.
    return hashlib.sha256("\x00".join(["", "files", *sha256]).encode()).hexdigest()


def problems_in_json(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (path, sentence) for everything inside `value` that jsonb could not keep as it is."""
    if path.count("/") > MAX_DEPTH:
        yield path, _("This is nested too deeply.")
    elif isinstance(value, str):
        if sentence := problem_in(value):
            yield path, sentence
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, _("%(value)s is not a number that can be stored.") % {"value": value}
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from problems_in_json(str(key), f"{path}/{key!r}")
            yield from problems_in_json(inner, f"{path}/{key}")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from problems_in_json(inner, f"{path}/{number}")


def validate_storable(text: str) -> None:
    """Refuse a text that PostgreSQL could not keep (a validator for model and form fields).

    Raises
    ------
    ValidationError
        With the position of the first character in question.
    """
    if sentence := problem_in(text):
        raise ValidationError(sentence, code="unstorable")


def visible(text: str) -> str:
    """Return a text as it looks: with composed characters, and one space for any space."""
    return " ".join(unicodedata.normalize("NFC", text).split())
