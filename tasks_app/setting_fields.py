"""Fields of settings: a box, a line, a number within limits, an amount of money, a choice."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, TypeAlias

from django import forms
from django.utils.functional import Promise

from tasks_app.plaintext import validate_storable

Words: TypeAlias = str | Promise


class YesNoField(forms.BooleanField):
    """A box to tick. Django asks of a required one that it is ticked, so this one never is; it is off by default."""

    def __init__(self, *, initial: bool = False, **options: Any) -> None:
        super().__init__(required=False, initial=initial, **options)


def line_field(label: Words, help_text: Words = "", *, length: int = 300, **options: Any) -> forms.CharField:
    """Return a field of one line, which may be left empty unless it is `required`."""
    is_required = options.setdefault("required", False)
    options = {"label": label, "help_text": help_text, "initial": None if is_required else "", **options}
    return forms.CharField(max_length=length, validators=[validate_storable], **options)


def whole_field(label: Words, help_text: Words = "", *, within: tuple[int, int], **options: Any) -> forms.IntegerField:
    """Return a field for a whole number within two limits; it may be left empty if it has no initial value."""
    return forms.IntegerField(**_limited(label, help_text, within, options))


def number_field(
    label: Words, help_text: Words = "", *, within: tuple[float, float], **options: Any
) -> forms.FloatField:
    """Return a field for a number within two limits; it may be left empty if it has no initial value."""
    return forms.FloatField(**_limited(label, help_text, within, options))


def _limited(label: Words, help_text: Words, within: tuple[float, float], options: dict[str, Any]) -> dict[str, Any]:
    least, most = within
    limited = {"label": label, "help_text": help_text, "min_value": least, "max_value": most}
    return {"required": options.get("initial") is not None, **limited, **options}


def money_field(label: Words, help_text: Words = "") -> forms.DecimalField:
    """Return a field for an amount of money, 0 by default."""
    options: dict[str, Any] = {"label": label, "help_text": help_text}
    return forms.DecimalField(min_value=0, max_digits=10, decimal_places=2, initial=Decimal("0"), **options)


def choice_field(
    label: Words,
    choices: Iterable[tuple[object, Words]] | Callable[[], Iterable[tuple[object, Words]]],
    help_text: Words = "",
    **options: Any,
) -> forms.ChoiceField:
    """Return a field for one of several values, each with its words."""
    options |= {"label": label, "choices": choices, "help_text": help_text}
    return forms.ChoiceField(**options)
