"""Explain violations of the JSON Schema in plain words."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tasks_app.hooks.sections import Json, Path
from tasks_app.studyfile.problems import closest, nearest, shown

_MISSING = gettext_lazy("is missing: %(expected)s is needed.")
_ONE_OF = gettext_lazy("one of: %(choices)s")

# Checked by the forms behind the schema, whose messages are better than a pattern.
_LEFT_TO_FORMS = {"pattern", "maxLength", "format"}


def violations(data: Json, schema: Mapping[str, Json]) -> Iterator[tuple[Path, str, bool]]:
    """Yield (path, sentence, whether it is about the key) for every violation.

    The path of a missing value is where it should be.
    """
    for error in Draft202012Validator(schema).iter_errors(data):
        path: Path = tuple(error.absolute_path)
        if error.validator == "type" and "enum" in _schema(error):
            # No choice is of another type, and the sentence about the choices says what is allowed.
            continue
        if error.validator == "required":
            for name in error.validator_value:
                if name not in error.instance:
                    needed = expected(_schema(error).get("properties", {}).get(name, {}))
                    yield (*path, name), str(_MISSING) % {"expected": needed}, False
        elif error.validator == "additionalProperties":
            names = list(_schema(error).get("properties", {}))
            patterns = list(_schema(error).get("patternProperties", {}))
            for name in error.instance:
                if name not in names and not any(re.search(pattern, name) for pattern in patterns):
                    yield (*path, name), f"{_('unknown name.')} {nearest(name, names)}".rstrip(), True
        elif error.validator not in _LEFT_TO_FORMS:
            yield path, _sentence(error), False


def _schema(error: ValidationError) -> Mapping[str, Any]:
    return error.schema if isinstance(error.schema, Mapping) else {}


def _sentence(error: ValidationError) -> str:
    if error.validator == "uniqueItems":
        return _("names one twice. Keep it once.")
    if error.validator == "minItems":
        return _("needs at least %(n)d entry.") % {"n": error.validator_value}
    value = error.instance
    words = {"expected": expected(_schema(error)), "value": shown(value)}
    sentence = _("must be %(expected)s; it is %(value)s.") % words
    near = (
        closest(value, map(str, _schema(error)["enum"]))
        if error.validator == "enum" and isinstance(value, str)
        else None
    )
    if near is not None:
        return f"{sentence} " + _("Did you mean “%(name)s”?") % {"name": near}
    if error.validator == "type" and _schema(error).get("type") == "string" and not isinstance(value, list | Mapping):
        return f"{sentence} {_('Put it in quotes.')}"
    return sentence


def said_by_a_form(sentence: str) -> str:
    """Return a sentence as a form says it beside a field: a missing value is chosen or filled in there."""
    before_expected = str(_MISSING).split("%(")[0]
    if not sentence.startswith(before_expected):
        return sentence
    is_choice = sentence.removeprefix(before_expected).startswith(str(_ONE_OF).split("%(")[0])
    return _("Choose one.") if is_choice else _("Fill this in.")


def expected(schema: Mapping[str, Any]) -> str:
    """Describe the values that a schema allows."""
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return str(_ONE_OF) % {"choices": ", ".join(map(str, schema["enum"]))}
    if schema.get("format") == "date":
        return _("a date such as 2026-03-31")
    kinds = schema.get("type", "")
    text = ""
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        kind_text = _kind(schema, kind)
        text = _("%(one)s or %(other)s") % {"one": text, "other": kind_text} if text else kind_text
    return text


def _kind(schema: Mapping[str, Any], kind: str) -> str:
    if kind in {"integer", "number"}:
        return _number(schema, _("a whole number") if kind == "integer" else _("a number"))
    words = {
        "string": _("text"),
        "boolean": _("true or false"),
        "array": _("a list"),
        "object": _("a group of settings (name: value)"),
    }
    return words.get(kind, _("something else"))


def _number(schema: Mapping[str, Any], kind: str) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return _("%(kind)s from %(low)s to %(high)s") % {"kind": kind, "low": low, "high": high}
    if low is not None:
        return _("%(kind)s of at least %(low)s") % {"kind": kind, "low": low}
    if high is not None:
        return _("%(kind)s of at most %(high)s") % {"kind": kind, "high": high}
    return kind
