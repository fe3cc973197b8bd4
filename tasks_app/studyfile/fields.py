"""Form fields for keys, language tags, lists and maps in study.yaml."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import KEY_PATTERN, key_validator
from tasks_app.settings.fields import Typed
from tasks_app.studyfile.columns import OWN_NAME
from tasks_app.studyfile.problems import LISTED, shown
from tasks_app.texts.plaintext import problems_in_json, validate_storable

# BCP 47 (RFC 5646): language, script, region, variants, extensions, private use. Its shape only: the registry of
# subtags grows, and a tag it does not know yet is still the right one.
LANGUAGE_PATTERN = (
    r"^(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[A-WY-Za-wy-z0-9](?:-[A-Za-z0-9]{2,8})+)*"
    r"(?:-[xX](?:-[A-Za-z0-9]{1,8})+)?$"
)
LANGUAGE_LENGTH = 35

not_a_language = _("This is not a language tag. Write one such as en, pt-BR or zh-Hant.")


def is_language(text: str) -> bool:
    """Return whether a text has the form of a language tag."""
    return len(text) <= LANGUAGE_LENGTH and re.fullmatch(LANGUAGE_PATTERN, text) is not None and not text.endswith("\n")


def is_key(text: str) -> bool:
    """Return whether a text may be the key of a row."""
    return re.fullmatch(KEY_PATTERN, text) is not None and not text.endswith("\n")


# The longest key of an item, system or document, as the column of the database.
LONGEST_NAME = 100

# Invisible characters that words of several scripts are spelt with.
_JOINERS = "\u200c\u200d"


def is_name(text: str) -> bool:
    """Return whether a text may be the key of an item, system or document: any characters that can be seen."""
    return (
        0 < len(text) <= LONGEST_NAME
        and text == text.strip()
        and text.translate(dict.fromkeys(map(ord, _JOINERS))).isprintable()
    )


not_a_name = _("Use at most %(most)d characters that can be seen, without line breaks; this is %(value)s.")


def one_spelling(name: str) -> str:
    """Return a name in Unicode's composed form (NFC): an accent typed by itself makes no other name."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def alike(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of names that differ only in case, in zeros as 7 and 007 do, or as 1 and 1.0 do."""
    first_names: dict[str, str] = {}
    for name in names:
        plain = unicodedata.normalize("NFKC", name).casefold()
        whole, _point, decimals = plain.partition(".")
        if whole.isdecimal() and (not decimals or decimals.strip("0") == ""):
            plain = whole.lstrip("0") or "0"
        other = first_names.setdefault(plain, name)
        if other != name:
            yield other, name


def notes_on_keys(items: Iterable[str], systems: Iterable[str]) -> Iterator[str]:
    """Yield notes on keys of items and systems that are different, and may be meant to be the same."""
    for names, sentence in (
        (items, gettext("These keys of items differ, but may be meant to be the same: %(names)s.")),
        (systems, gettext("These keys of systems differ, but may be meant to be the same: %(names)s.")),
    ):
        pairs = [f"“{first}” – “{second}”" for first, second in alike(names)]
        if pairs:
            more = [gettext("and %(n)d more") % {"n": len(pairs) - LISTED}] if len(pairs) > LISTED else []
            yield sentence % {"names": ", ".join([*pairs[:LISTED], *more])}


class KeyField(forms.CharField):
    """A name that a researcher gives a row and that files and exports use."""

    pattern = KEY_PATTERN

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=100, validators=[key_validator], **options)


class NameField(forms.CharField):
    """The key of an item or system, in any script and with any signs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=LONGEST_NAME, **options)

    def clean(self, value: Any) -> str:
        """Return the name in one spelling; refuse one with invisible characters."""
        name = one_spelling(str(super().clean(value)))
        if name and not is_name(name):
            raise ValidationError(not_a_name % {"most": LONGEST_NAME, "value": shown(name)}, code="name")
        return name


class LanguageField(forms.RegexField):
    """A BCP 47 language tag."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            LANGUAGE_PATTERN, max_length=LANGUAGE_LENGTH, error_messages={"invalid": not_a_language}, **options
        )


class WordsField(forms.CharField):
    """Text of any length that can be stored."""

    def __init__(self, **options: Any) -> None:
        super().__init__(validators=[validate_storable], **options)


class _Plain(forms.Field):
    """A field for plain data from a file, never posted by a browser."""

    empty: Any = None

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, initial=self.empty, **options)

    def to_python(self, value: Any) -> Any:
        """Return the data, or the empty value."""
        return self.empty if value is None else value


class ListField(Typed[Sequence[str]], _Plain):
    """A list of words; `keys` where each names a row of the study."""

    empty: Any = ()

    def __init__(self, *, keys: bool = False, **options: Any) -> None:
        self.keys = keys
        super().__init__(**options)

    def to_python(self, value: Any) -> list[str]:
        """Return the words as a list."""
        return list(super().to_python(value))


class MapField(_Plain):
    """Words by name."""

    empty: Any = {}


# The longest value of an attribute of a system.
LONGEST_VALUE = 200

# In a table, `system_` and the name make the column of an attribute; `system_b` is the second text of a pair there.
_ATTRIBUTE_NAME = re.compile(rf"(?!b(_|$)){OWN_NAME}")


def problem_in_attribute(name: str, value: str) -> str:
    """Return why a system cannot have an attribute with this name and value; "" where it can."""
    if _ATTRIBUTE_NAME.fullmatch(name) is None:
        sentence = gettext(
            "%(name)s is no name of an attribute: use up to 60 of the letters a to z, digits, hyphens and "
            "underscores, and neither “b” nor a name that begins with “b_”."
        )
        return sentence % {"name": shown(name)}
    if len(value) > LONGEST_VALUE or not value.isprintable():
        sentence = gettext("The attribute “%(name)s” has at most %(most)d characters that can be seen.")
        return sentence % {"name": name, "most": LONGEST_VALUE}
    return ""


class AttributesField(MapField):
    """Attributes of a system: words by name, where numbers and yes or no become words."""

    def to_python(self, value: Any) -> dict[str, str]:
        """Return the words by name, without those that are empty."""
        given = super().to_python(value)
        words = {one_spelling(str(name)).strip(): _as_word(content) for name, content in given.items()}
        return {name: word for name, word in words.items() if word}

    def validate(self, value: dict[str, str]) -> None:
        """Refuse names that no column can have, and values that are texts of many lines."""
        super().validate(value)
        problems = [problem for name, word in value.items() if (problem := problem_in_attribute(name, word))]
        if problems:
            raise ValidationError(problems, code="attribute")


def _as_word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else one_spelling(str(value)).strip()


class ItemSetField(_Plain):
    """Columns of the items table, each with the values of which an item must have one; a single value may be alone."""

    empty: Any = {}

    # The columns by which items can be told apart: their own keys, documents and features.
    pattern = r"^(item|document|feature_.+)$"

    def to_python(self, value: Any) -> dict[str, list[str]]:
        """Return a list of texts for each column."""
        columns = super().to_python(value)
        return {
            str(column): [str(value) for value in (values if isinstance(values, list | tuple) else [values])]
            for column, values in columns.items()
        }


class ObjectField(_Plain):
    """Any JSON object."""

    empty: Any = {}

    def validate(self, value: Any) -> None:
        """Refuse values that jsonb cannot keep."""
        super().validate(value)
        for path, sentence in problems_in_json(value):
            raise ValidationError(f"{path.strip('/')}: {sentence}", code="unstorable")
