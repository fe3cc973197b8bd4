"""Convert form fields to JSON Schema (draft 2020-12), so that editors can validate a study file."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from django import forms
from django.utils.translation import get_language

from tasks_app import channels, designs, task_types
from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json, Section
from tasks_app.settings.checks import CheckSettings
from tasks_app.studyfile.columns import TABLES
from tasks_app.studyfile.declarations import LISTS, TaskBlock
from tasks_app.studyfile.fields import AttributesField, ItemSetField, KeyField, ListField, MapField, ObjectField
from tasks_app.studyfile.files.quoting import QUOTINGS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

# In a schema: the label of each value of an enum.
LABELS = "x-labels"
# In a schema: what a text or each entry of a list names: the keys of a list of the study file, or see `naming`.
KEYS_OF = "x-keys-of"
# In a schema: the text names several, with spaces between.
SEVERAL = "x-several"
# In a schema: the values of an enum that a form no longer offers, see `retiring`.
RETIRED = "x-retired"


def whole_schema() -> dict[str, Json]:
    """Return the JSON Schema of study.yaml, made of the schemas of the registered sections.

    It is the same object at every call in a language, which nobody may change: a page of the set-up asks three times,
    and each time it would be made of two thousand form fields.
    """
    members = chain(*(package.registry.values() for package in (task_types, designs, channels)))
    return _schema_in(get_language(), sections.registered(), tuple(members))


@lru_cache(maxsize=32)
def _schema_in(_language: str | None, registered: tuple[Section, ...], _members: tuple[object, ...]) -> dict[str, Json]:
    """Return the schema in a language, of some sections, which describe the members of some registries."""
    parts = {section.name: schema for section in registered if (schema := section.schema()) is not None}
    return {
        "$schema": DIALECT,
        "title": "evalweb study file",
        "description": "study.yaml; the texts are next to it in items.csv, items.tsv or items.jsonl.",
        "type": "object",
        "properties": {
            "evalweb": {"const": sections.FORMAT, "description": "Version of this format."},
            "columns": columns_schema(),
            "quoting": quoting_schema(),
            **parts,
        },
        "required": ["evalweb", "study", "tasks"],
        "additionalProperties": False,
    }


def columns_schema() -> dict[str, Json]:
    """Return the schema of the section `columns`: a file's own names for evalweb's columns."""
    return {
        "type": "object",
        "description": "Column names of your tables that differ from evalweb's, as `evalweb's name: your name`.",
        "properties": {
            declared.stem: {
                "type": "object",
                "description": f"For the columns of {declared.stem}.csv.",
                "properties": {column.name: {"type": "string", "minLength": 1} for column in declared.columns},
                **({"patternProperties": {declared.open_ended: {"type": "string"}}} if declared.prefixes else {}),
                "additionalProperties": False,
            }
            for declared in TABLES
        },
        "additionalProperties": False,
    }


def quoting_schema() -> dict[str, Json]:
    """Return the schema of the section `quoting`: the meaning of quotation marks in each table."""
    doc = "none: a quotation mark is part of the text; double: cells may be enclosed in double quotes."
    return {
        "type": "object",
        "description": "What quotation marks mean in a table with tabs; needed only if that is not clear.",
        "properties": {table.stem: {"enum": list(QUOTINGS), "description": doc} for table in TABLES},
        "additionalProperties": False,
    }


def form_schema(form: type[forms.Form]) -> dict[str, Json]:
    """Return the schema of an object with the fields of a form as its properties."""
    fields = form.base_fields
    schema: dict[str, Json] = {"type": "object"}
    if doc := _first_line(form):
        schema["description"] = doc
    schema["properties"] = {name: field_schema(field) for name, field in fields.items()}
    required = [name for name, field in fields.items() if field.required and field.initial is None]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def list_schema(section: str) -> dict[str, Json]:
    """Return the schema of a section that is a list of objects."""
    schema: dict[str, Json] = {"type": "array", "items": form_schema(LISTS[section])}
    if section == "tasks":
        schema["minItems"] = 1
        schema["items"]["properties"]["checks"] = {
            **form_schema(CheckSettings.Settings),
            "title": str(TaskBlock.base_fields["checks"].label),
        }
        schema["items"]["allOf"] = [*_conditions("type", "params"), *_conditions("design", "design_params")]
    return schema


def _conditions(chooser: str, params: str) -> list[Json]:
    """Return a condition for each member of a registry: a task that chooses it may set its parameters only."""
    default = TaskBlock.base_fields[chooser].initial
    members: Mapping[str, Any] = task_types.registry if chooser == "type" else designs.registry
    return [
        {
            # Without the chooser its default applies.
            "if": {
                "properties": {chooser: {"const": name}},
                **({} if name == default else {"required": [chooser]}),
            },
            "then": {"properties": {params: form_schema(member.Settings)}},
        }
        for name, member in members.items()
    ]


def field_schema(field: forms.Field) -> dict[str, Json]:
    """Return the schema of one field: type, limits, choices, title and description."""
    schema: dict[str, Json] = next(written(field) for kind, written in _TYPES if isinstance(field, kind))
    if isinstance(field, forms.IntegerField | forms.DecimalField):  # FloatField is an IntegerField to Django
        if field.min_value is not None:
            schema["minimum"] = _number(field.min_value)
        if field.max_value is not None:
            schema["maximum"] = _number(field.max_value)
    if isinstance(field, forms.CharField) and field.max_length is not None:
        schema["maxLength"] = field.max_length
    if isinstance(field, forms.ChoiceField):
        schema[LABELS] = dict(zip(_choices(field), [label for _value, label in _flat(field)], strict=True))
    if retired := getattr(field, "retired", ()):
        schema[RETIRED] = list(retired)
    if names := getattr(field, "names", ""):
        schema |= {KEYS_OF: names, **({SEVERAL: True} if getattr(field, "names_several", False) else {})}
    if field.label:
        schema["title"] = str(field.label)
    if field.help_text:
        schema["description"] = str(field.help_text)
    default = field.initial
    if default not in (None, "", (), {}):
        schema["default"] = _number(default) if isinstance(default, Decimal) else default
    return schema


def _pattern(field: Any) -> dict[str, Json]:
    return {"type": "string", "pattern": field.regex.pattern}


def _list(field: Any) -> dict[str, Json]:
    # A key that is listed twice is a mistake; words for the steps of a scale may repeat.
    return {"type": "array", "items": {"type": "string"}, **({"uniqueItems": True} if field.keys else {})}


def _item_set(field: Any) -> dict[str, Json]:
    entry = {"type": ["string", "number"]}
    values = {"type": ["string", "number", "array"], "items": entry, "minItems": 1, "uniqueItems": True}
    return {"type": "object", "patternProperties": {field.pattern: values}, "additionalProperties": False}


def _json(field: Any) -> dict[str, Json]:
    """Return the schema of a list of objects by the form `entry`, else the field's own schema, else any value."""
    if (entry := getattr(field, "entry", None)) is not None:
        return {"type": "array", "items": form_schema(entry)}
    own = getattr(field, "json_schema", {})
    return dict(own() if callable(own) else own)


# How each kind of field is written; the first that fits counts, so a class stands before what it inherits from.
_TYPES: tuple[tuple[type[forms.Field], Callable[[Any], dict[str, Json]]], ...] = (
    (forms.ChoiceField, lambda field: {"type": "string", "enum": _choices(field)}),
    (ListField, _list),
    (
        AttributesField,
        lambda _field: {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
    ),
    (MapField, lambda _field: {"type": "object", "additionalProperties": {"type": "string"}}),
    (ItemSetField, _item_set),
    (ObjectField, lambda _field: {"type": "object"}),
    (forms.BooleanField, lambda _field: {"type": "boolean"}),
    (forms.FloatField, lambda _field: {"type": "number"}),
    (forms.DecimalField, lambda _field: {"type": "number"}),
    (forms.IntegerField, lambda _field: {"type": "integer"}),
    (forms.DateField, lambda _field: {"type": "string", "format": "date"}),
    (forms.JSONField, _json),
    (KeyField, lambda field: {"type": "string", "pattern": field.pattern}),
    (forms.RegexField, _pattern),
    (forms.Field, lambda _field: {"type": "string"}),
)


def _choices(field: forms.ChoiceField) -> list[str]:
    """List the values of choices, which Django allows to be grouped."""
    return [value for value, _label in _flat(field)]


def _flat(field: forms.ChoiceField) -> list[tuple[str, str]]:
    choices: list[tuple[str, str]] = []
    for value, label in cast("Iterable[tuple[Any, Any]]", field.choices):
        inner = label if isinstance(label, list | tuple) else [(value, label)]
        choices += [(str(choice), str(words)) for choice, words in inner]
    return choices


def _number(value: Any) -> int | float:
    """Write a limit or default as JSON does; whole numbers without a point."""
    return int(value) if value == int(value) else float(value)


def _first_line(form: type[forms.Form]) -> str:
    # A form without its own docstring inherits its parent's, which does not describe it.
    return (form.__dict__.get("__doc__") or "").strip().split("\n")[0]


def written(form: type[forms.Form], values: Mapping[str, Any]) -> dict[str, Json]:
    """Return the cleaned values of a form as JSON, without settings `added_later` that have their default."""
    return {
        name: plain(values.get(name, field.initial))
        for name, field in form.base_fields.items()
        if not getattr(field, "added_later", False) or plain(values.get(name, field.initial)) != plain(field.initial)
    }


def plain(value: Any) -> Json:
    """Return a cleaned value as JSON; equal values have equal JSON."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value
