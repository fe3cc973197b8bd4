"""Fields of labels and of error labels: parameters that are lists, and boxes to tick."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tasks_app.settings.fields import Typed
from tasks_app.settings.study import SettingsBlock, with_defaults
from tasks_app.texts.plaintext import validate_storable

# The form of labels that are stored and named in files; keys of rows have the same form.
LABEL_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z"

MOST_ENTRIES = 60
LONGEST_TEXT = 2_000

TICKED = "1"

SHORT_KEY = lazy("Use letters, digits, dots, hyphens and underscores, beginning with a letter or digit.")


class LabelField(Typed[str], forms.RegexField):
    """The label that is stored where an option is chosen."""

    def __init__(self, **options: Any) -> None:
        super().__init__(LABEL_PATTERN, max_length=40, error_messages={"invalid": SHORT_KEY}, **options)


class LineField(Typed[str], forms.CharField):
    """A short text that can be stored."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=options.pop("max_length", 200), validators=[validate_storable], **options)


class ProseField(LineField):
    """A sentence or a few, that may be left out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, initial="", max_length=LONGEST_TEXT, **options)


class _ListField(forms.JSONField):
    """A list from a file, or as JSON in a text field."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, initial=(), **options)

    def to_python(self, value: Any) -> Any:
        """Return the list; an empty one where there is nothing."""
        try:
            given = super().to_python(list(value) if isinstance(value, tuple) else value)
        except RecursionError:
            raise ValidationError(_("This is nested too deeply."), code="too_deep") from None
        if given is None:
            return []
        if not isinstance(given, list):
            raise ValidationError(_("This must be a list."), code="no_list")
        if len(given) > MOST_ENTRIES:
            raise ValidationError(_("This list has more than %(n)d entries.") % {"n": MOST_ENTRIES}, code="too_long")
        return given


class WordsField(Typed[list[str]], _ListField):
    """A list of texts; `once` where a study file that names one twice is refused."""

    json_schema: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}

    def __init__(self, *, once: bool = False, **options: Any) -> None:
        super().__init__(**options)
        if once:
            self.json_schema = {**self.json_schema, "uniqueItems": True}

    def to_python(self, value: Any) -> Any:
        """Return the texts; those that are empty or cannot be stored are refused."""
        given: list[Any] = super().to_python(value)
        for text in given:
            if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_TEXT:
                sentence = _("Each entry is a text of at most %(n)d characters.")
                raise ValidationError(sentence % {"n": LONGEST_TEXT}, code="no_text")
            validate_storable(text)
        return list(dict.fromkeys(given))


class Entry(SettingsBlock):
    """An entry of a list: its class declares its settings, and describes them in the first line of its docstring."""


AnyEntry = TypeVar("AnyEntry", bound=Entry)


class EntriesField(Typed[list[AnyEntry]], _ListField):
    """A list of entries of one kind, each cleaned by the form of its settings; no two have the same key.

    The cleaned value is a list of dictionaries, as it is stored. What is made with the setting has a list of entries.
    """

    def __init__(self, entry: type[AnyEntry], **options: Any) -> None:
        self.made_of, self.entry = entry, entry.Settings
        super().__init__(**options)

    def to_python(self, value: Any) -> Any:
        """Return the entries with every default filled in."""
        cleaned: list[dict[str, Any]] = []
        problems: list[str] = []
        for number, entry in enumerate(super().to_python(value), start=1):
            form = self._form(entry)
            problems += [
                _("Entry %(n)d: %(problem)s") % {"n": number, "problem": problem} for problem in _problems(form, entry)
            ]
            cleaned.append(dict(form.cleaned_data))
        keys = [entry.get("key") for entry in cleaned]
        twice = sorted({str(key) for key in keys if key and keys.count(key) > 1})
        problems += [_("“%(key)s” is the key of two entries. Choose another for one.") % {"key": key} for key in twice]
        if problems:
            raise ValidationError(problems, code="entries")
        return cleaned

    def _form(self, given: object) -> forms.Form:
        form = with_defaults(self.entry, given if isinstance(given, dict) else {})
        form.full_clean()
        return form


def _problems(form: forms.Form, given: object) -> Iterator[str]:
    if not isinstance(given, dict):
        yield _("This must be a group of settings (name: value).")
        return
    for name in given:
        if name not in form.fields:
            yield _("%(name)s is unknown.") % {"name": str(name)[:60]}
    for name, errors in form.errors.items():
        message = " ".join(map(str, errors))
        yield message if name == NON_FIELD_ERRORS else f"{name}: {message}"


class TickField(forms.Field):
    """A box to tick: "1" where it is, nothing where it is not."""

    def to_python(self, value: object) -> bool:
        """Return whether it is ticked; anything else than a tick is refused."""
        if value in (TICKED, True):
            return True
        if value in (None, "", False):
            return False
        raise ValidationError(_("Tick this box or leave it empty."), code="no_tick")

    def in_words(self, value: object) -> str:
        """Return an answer as yes or no."""
        return _("yes") if value else _("no")


def digit(number: int) -> str:
    """Return the digit that chooses the n-th option; 0 is the tenth, and later options have none."""
    return str(number % 10) if number <= 10 else ""
