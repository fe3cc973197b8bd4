"""Whole numbers as people type them: how they are read, and the problems with texts that are none."""

import re
import unicodedata
from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Words

LEAST, MOST = 1, 999_999

# Longer than any number of six digits with whatever may stand around it.
LONGEST = 40

# The problems that a number can have, each with its sentence. `about` names the text and the question.
SENTENCES: Mapping[str, Words] = {
    "zero": _("%(about)s: the least you can give is 1."),
    "negative": _("%(about)s: use a number above 0, without a minus sign."),
    "fraction": _("%(about)s: use a whole number, such as 150."),
    "separators": _("%(about)s: write the number without commas, points or spaces, such as 1500."),
    "text": _("%(about)s: use digits only, such as 150."),
    "large": _("%(about)s: the most you can give is 999999."),
}

# Marks that turn the direction of writing, which come along when a number is copied from a text.
_MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u061c\u2066\u2067\u2068\u2069\u202a\u202b\u202c\u202d\u202e\ufeff"))

# The page's script (magnitude.js) knows the same patterns, in the same order.
_PATTERNS = (
    ("negative", re.compile(r"[-−–]\s*\d+([.,]\d+)?")),
    ("separators", re.compile(r"\d{1,3}([.,٬'’\s]\d{3})+")),
    ("fraction", re.compile(r"\d+[.,٫]\d*|[.,٫]\d+|\d+\s*[/⁄]\s*\d+")),
)


class BadNumber(ValueError):
    """The typed text is no whole number from 1 to 999999; `reason` is a key of SENTENCES."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_number(text: str) -> int | None:
    """Read a whole number from 1 to 999999 in the digits of any script; None where nothing was typed.

    Raises
    ------
    BadNumber
        With what is wrong. Separators of thousands are refused, since 1,500 is one and a half to half of the world.
    """
    typed = "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text[: LONGEST + 1].translate(_MARKS)
    ).strip()
    if not typed:
        return None
    if re.fullmatch("[0-9]+", typed):
        digits = typed.lstrip("0")
        if not digits:
            raise BadNumber("zero")
        if len(digits) > len(str(MOST)) or len(text) > LONGEST:
            raise BadNumber("large")
        return int(digits)
    reasons = (reason for reason, pattern in _PATTERNS if pattern.fullmatch(typed))
    raise BadNumber(next(reasons, "text"))


class WholeNumberField(forms.Field):
    """A field of text that holds a whole number: not a number field, which turns with the wheel of a mouse."""

    widget = forms.TextInput

    def __init__(self, *, about: str, missing: str, label: str) -> None:
        messages = {reason: str(sentence) % {"about": about} for reason, sentence in SENTENCES.items()}
        super().__init__(label=label, error_messages={**messages, "required": missing})
        self.about = about

    def to_python(self, value: object) -> int | None:
        """Read the typed text."""
        try:
            return read_number("" if value is None else str(value))
        except BadNumber as bad:
            raise forms.ValidationError(self.error_messages[bad.reason], code=bad.reason) from bad
