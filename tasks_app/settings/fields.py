"""Fields of settings: a box, a line, a number within limits, an amount of money, a choice."""

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias, TypeVar, overload

from django import forms
from django.utils.functional import Promise

from tasks_app.texts.plaintext import validate_storable

Words: TypeAlias = str | Promise


T_co = TypeVar("T_co", covariant=True)
Value = TypeVar("Value", bound=str)
Naming = TypeVar("Naming", bound=forms.Field)


class Typed(Generic[T_co]):
    """The type of a declared setting: a class that declares it has the form field, an instance the checked value.

    An instance keeps its values in its `__dict__`, where Python finds them before the field of the class. These two
    signatures tell mypy so, and nothing of them exists when the program runs.
    """

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type[object]) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type[object]) -> T_co: ...
        def __get__(self, instance: object, owner: type[object]) -> Self | T_co: ...


class YesNoField(Typed[bool], forms.BooleanField):
    """A box to tick. Django asks of a required one that it is ticked, so this one never is; it is off by default."""

    def __init__(self, *, initial: bool = False, **options: Any) -> None:
        super().__init__(required=False, initial=initial, **options)


class LineField(Typed[str], forms.CharField):
    """A field of one line of text."""


class TextField(Typed[str], forms.CharField):
    """A field of text with any number of lines."""


class WholeField(Typed[T_co], forms.IntegerField):
    """A field for a whole number."""


class NumberField(Typed[T_co], forms.FloatField):
    """A field for a number."""


class MoneyField(Typed[T_co], forms.DecimalField):
    """A field for an amount of money."""


class DayField(Typed[date | None], forms.DateField):
    """A field for a day, which may be left empty."""


class PatternField(Typed[str], forms.RegexField):
    """A field for a text of a certain form, such as a code."""


class OneOfField(Typed[T_co], forms.ChoiceField):
    """A field for one of several values."""


def line_field(label: Words, help_text: Words = "", *, length: int = 300, **options: Any) -> LineField:
    """Return a field of one line, which may be left empty unless it is `required`."""
    is_required = options.setdefault("required", False)
    options = {"label": label, "help_text": help_text, "initial": None if is_required else "", **options}
    return LineField(max_length=length, validators=[validate_storable], **options)


@overload
def whole_field(
    label: Words, help_text: Words = "", *, within: tuple[int, int], initial: int, **options: Any
) -> WholeField[int]: ...
@overload
def whole_field(
    label: Words, help_text: Words = "", *, within: tuple[int, int], initial: None = None, **options: Any
) -> WholeField[int | None]: ...
def whole_field(label: Words, help_text: Words = "", *, within: tuple[int, int], **options: Any) -> WholeField[Any]:
    """Return a field for a whole number within two limits; it may be left empty if it has no initial value."""
    return WholeField(**_limited(label, help_text, within, options))


@overload
def number_field(
    label: Words, help_text: Words = "", *, within: tuple[float, float], initial: float, **options: Any
) -> NumberField[float]: ...
@overload
def number_field(
    label: Words, help_text: Words = "", *, within: tuple[float, float], initial: None = None, **options: Any
) -> NumberField[float | None]: ...
def number_field(
    label: Words, help_text: Words = "", *, within: tuple[float, float], **options: Any
) -> NumberField[Any]:
    """Return a field for a number within two limits; it may be left empty if it has no initial value."""
    return NumberField(**_limited(label, help_text, within, options))


def _limited(label: Words, help_text: Words, within: tuple[float, float], options: dict[str, Any]) -> dict[str, Any]:
    least, most = within
    limited = {"label": label, "help_text": help_text, "min_value": least, "max_value": most}
    return {"required": options.get("initial") is not None, **limited, **options}


def money_field(label: Words, help_text: Words = "") -> MoneyField[Decimal]:
    """Return a field for an amount of money, 0 by default."""
    options: dict[str, Any] = {"label": label, "help_text": help_text}
    return MoneyField(min_value=0, max_digits=10, decimal_places=2, initial=Decimal("0"), **options)


def choice_field(
    label: Words,
    choices: Iterable[tuple[Value, Words]] | Callable[[], Iterable[tuple[Value, Words]]],
    help_text: Words = "",
    **options: Any,
) -> OneOfField[Value]:
    """Return a field for one of several values, each with its words."""
    options |= {"label": label, "choices": choices, "help_text": help_text}
    return OneOfField(**options)


def retiring(field: Naming, *values: str) -> Naming:
    """Declare that a choice has values which studies keep, but which a form offers only where one is chosen already."""
    field.retired = values  # type: ignore[attr-defined]  # read by studyfile.schema
    return field


def added_later(field: Naming) -> Naming:
    """Declare that studies were frozen before a setting existed.

    A checked document has it only where it differs from its default, so that the digests of those studies stay.
    """
    field.added_later = True  # type: ignore[attr-defined]  # read by studyfile.reading and studyfile.own_sections
    return field


def naming(field: Naming, rows: str, *, several: bool = False) -> Naming:
    """Declare that a setting names rows of the study, so that a form lets them be chosen.

    `rows` is a list of the study file (criteria, tasks, systems, groups), `rules` of the analysis plan, `features` or
    `truths` (features, or the system) of the items, or `conditions` on these, which are suggested while one types.
    `several` says that a text names several, with spaces between.
    """
    field.names, field.names_several = rows, several  # type: ignore[attr-defined]  # read by studyfile.schema
    return field
