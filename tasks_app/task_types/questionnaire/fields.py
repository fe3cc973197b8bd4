"""The form fields of a questionnaire. Each takes one string and gives plain data that JSON can hold."""

import math
import re
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import formats
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.questionnaire.questions import (
    GRID,
    LONG_TEXT,
    MULTIPLE,
    NUMBER,
    SINGLE,
    TEXT,
    TICK,
    Prompt,
    Question,
)
from tasks_app.task_types.questionnaire.reading import is_day
from tasks_app.texts.plaintext import validate_storable

# Far above any count or amount that a person is asked for.
MOST_CHARACTERS = 40

TICKED = "on"

_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?\d+(?:[.٫]\d+|,\d\d?)?")


class _Plain(forms.Field):
    """A field of text, which the template draws."""

    widget = forms.TextInput


class NumberField(_Plain):
    """A number as people write it.

    A decimal comma is taken with one or two digits after it: 1,000 could be two things.
    """

    def __init__(self, question: Question, **options: Any) -> None:
        self.question = question
        super().__init__(**options)

    def to_python(self, value: Any) -> float | int | None:
        """Return the number, or None where there is none."""
        text = str("" if value is None else value).strip()
        if not text:
            return None
        pattern = _NUMBER if self.question.decimals else _WHOLE
        if len(text) > MOST_CHARACTERS or not pattern.fullmatch(text):
            decimals = self.question.decimals
            raise ValidationError(
                gettext("Write a number, such as 3 or 3.5.") if decimals else gettext("Write a whole number.")
            )
        number = float(text.replace(",", ".").replace("٫", "."))
        return int(number) if number.is_integer() else number

    def validate(self, value: float | None) -> None:
        """Refuse a number out of range."""
        super().validate(value)
        low, high = self.question.minimum, self.question.maximum
        if isinstance(low, int | float) and value is not None and value < low:
            raise ValidationError(gettext("Write a number of at least %(n)s.") % {"n": _localized(low)})
        if isinstance(high, int | float) and value is not None and value > high:
            raise ValidationError(gettext("Write a number of at most %(n)s.") % {"n": _localized(high)})
        if value is not None and not math.isfinite(value):
            raise ValidationError(gettext("Write a number."))


class DayField(_Plain):
    """A day, as YYYY-MM-DD, which a browser's date field sends."""

    def __init__(self, question: Question, **options: Any) -> None:
        self.question = question
        super().__init__(**options)

    def to_python(self, value: Any) -> str:
        """Return the day as text; empty where there is none."""
        text = str("" if value is None else value).strip()
        if text and not is_day(text):
            raise ValidationError(gettext("Write the day as year, month and day, such as 2026-03-31."))
        return text

    def validate(self, value: str) -> None:
        """Refuse a day out of range."""
        super().validate(value)
        low, high = self.question.minimum, self.question.maximum
        if value and isinstance(low, str) and value < low:
            raise ValidationError(gettext("Choose %(day)s or a later day.") % {"day": _day(low)})
        if value and isinstance(high, str) and value > high:
            raise ValidationError(gettext("Choose %(day)s or an earlier day.") % {"day": _day(high)})


class WordsField(forms.CharField):
    """An answer in words. A line break counts once, however it is sent."""

    def to_python(self, value: Any) -> str:
        """Return the text with its ends trimmed."""
        text = super().to_python(value)
        return str(text).replace("\r\n", "\n")


class TickField(_Plain):
    """A box that is ticked or not."""

    def to_python(self, value: Any) -> bool:
        """Return whether it is ticked."""
        if value in (None, "", False):
            return False
        if value in (TICKED, True):
            return True
        raise ValidationError(gettext("Tick the box or leave it empty."))

    def validate(self, value: bool) -> None:
        """Refuse an empty box that must be ticked."""
        if self.required and not value:
            raise ValidationError(self.error_messages["required"], code="required")

    def in_words(self, value: object) -> str:
        """Return “ticked” or “not ticked”."""
        return gettext("ticked") if value in (TICKED, True) else gettext("not ticked")


class OneField(forms.ChoiceField):
    """One of several options."""

    def in_words(self, value: object) -> str:
        """Return the words of the chosen option."""
        words = {str(key): str(word) for key, word in self.choices}  # type: ignore[union-attr, misc]
        return words.get(str(value)) or str(value)


class StepField(OneField, forms.TypedChoiceField):
    """One step of a scale, counted from 1."""


def _localized(number: float) -> str:
    """Write a number as people of the page's language do."""
    return formats.number_format(f"{number:.12g}")


def _day(day: str) -> str:
    return formats.date_format(date.fromisoformat(day), "DATE_FORMAT")


def field_for(prompt: Prompt, *, required: bool, missing: str, labels: tuple[str, ...]) -> forms.Field:
    """Return the field of one criterion; `labels` words the options, in their order."""
    question = prompt.question
    # Consent that is asked for must be given, also where other questions may be left out.
    if question.kind == TICK:
        required = question.required
    common: dict[str, Any] = {
        "required": required and question.kind != MULTIPLE,
        "label": prompt.criterion.wording,
        "error_messages": {"required": missing},
    }
    if question.kind == MULTIPLE:
        return TickField(**{**common, "label": prompt.criterion.name})
    if question.kind in {SINGLE, GRID}:
        common["error_messages"]["invalid_choice"] = _("Choose one of the answers shown.")
        if question.is_scale:
            steps = [(str(step), words) for step, words in enumerate(labels, start=1)]
            return StepField(choices=steps, coerce=int, empty_value=None, **common)
        keys = [option.key for option in question.choices]
        return OneField(choices=list(zip(keys, labels, strict=True)), **common)
    if question.kind in {TEXT, LONG_TEXT}:
        common["error_messages"]["max_length"] = _("Write at most %(limit_value)d characters.")
        return WordsField(max_length=question.most_characters, validators=[validate_storable], **common)
    if question.kind == TICK:
        return TickField(**common)
    return (NumberField if question.kind == NUMBER else DayField)(question, **common)
