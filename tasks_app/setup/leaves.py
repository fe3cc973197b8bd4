"""The schema of a value: the kind of control it gets, and the additions of the values around it."""

from collections.abc import Callable, Mapping

from tasks_app.hooks.sections import Json, Path
from tasks_app.studyfile.schema import KEYS_OF, SEVERAL

# A text that may be longer than this gets several lines.
ONE_LINE = 300

# Conditions that decide on the control for a leaf of the schema; the first one that holds counts.
_BY_SCHEMA: tuple[tuple[Callable[[Mapping[str, Json]], bool], str], ...] = (
    (lambda node: "enum" in node, "choice"),
    (lambda node: node.get("type") == "array" and KEYS_OF in node, "keys"),
    (lambda node: SEVERAL in node, "spaced"),
    (lambda node: KEYS_OF in node and node[KEYS_OF] != "conditions", "choice"),
    (lambda node: node.get("type") == "array" and node.get("items", {}).get("type") == "string", "lines"),
    (lambda node: node.get("type") == ["string", "array"], "pairs"),
    (lambda node: isinstance(node.get("additionalProperties"), Mapping), "words"),
    (lambda node: node.get("type") == "object" and "patternProperties" in node, "values"),
    (lambda node: node.get("format") == "date", "date"),
    (lambda node: node.get("type") == "string" and _is_long(node), "area"),
    (lambda node: node.get("type") == ["number", "string"], "either"),
    (lambda node: node.get("type") == "string", "text"),
    (lambda node: node.get("type") == "boolean", "tick"),
    (lambda node: node.get("type") == "integer", "whole"),
    (lambda node: node.get("type") == "number", "number"),
)


def kind_of(node: Mapping[str, Json]) -> str:
    """Return the kind of control that a leaf of the schema gets."""
    return next((kind for fits, kind in _BY_SCHEMA if fits(node)), "json")


def _is_long(node: Mapping[str, Json]) -> bool:
    return "pattern" not in node and int(node.get("maxLength", ONE_LINE + 1)) > ONE_LINE


def suggests(node: Mapping[str, Json], path: Path, kind: str) -> str:
    """Return the name of the list of suggestions from which a text is completed; "" for none."""
    if node.get(KEYS_OF) == "conditions":
        return "conditions"
    return "languages" if kind == "language" else "zones" if path == ("study", "timezone") else ""


def resolved(node: Mapping[str, Json], value: Json) -> Mapping[str, Json]:
    """Return a schema with the additions of its conditions for this value, such as the parameters of the task type."""
    properties = dict(node.get("properties", {}))
    for condition in node.get("allOf", ()):
        if not _holds(condition.get("if", {}), value):
            continue
        for name, inner in condition["then"].get("properties", {}).items():
            if "const" not in inner:
                properties[name] = {**{key: properties.get(name, {}).get(key, "") for key in ("title",)}, **inner}
    return {**node, "properties": properties}


def _holds(condition: Mapping[str, Json], value: Json) -> bool:
    given = value if isinstance(value, Mapping) else {}
    if any(name not in given for name in condition.get("required", ())):
        return False
    return all(
        name not in given or given[name] == inner.get("const")
        for name, inner in condition.get("properties", {}).items()
    )
