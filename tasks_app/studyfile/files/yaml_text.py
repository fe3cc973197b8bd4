"""Write a document as readable study.yaml that reads back to the same document."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import yaml

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Document, Json, Path, Section
from tasks_app.studyfile.files.decoding import Place
from tasks_app.studyfile.files.limits import Limits, limits
from tasks_app.studyfile.files.yaml_tree import Tree, is_word, parse
from tasks_app.studyfile.problems import Problems
from tasks_app.studyfile.schema import whole_schema
from tasks_app.texts.plaintext import problem_in

# Characters that a block of text cannot hold: line ends other than \n, and those an editor may change or hide.
_ESCAPED = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

# Key of a schema for values that are written even if they are empty, since their presence has a meaning.
KEPT = "x-kept-when-empty"

# Some larger numbers are refused where they are read.
_LARGEST = 1e15

# Lines are never folded: a folded text is harder to compare, and every edit would move its words.
_WIDTH = 1_000_000


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists below their key, as people write them."""
        super().increase_indent(flow, False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if _ESCAPED.search(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    elif not is_word(text):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _represent_text)


def dump(document: Document, parts: Iterable[Section]) -> str:
    """Write the sections that stand in study.yaml, leaving out values that are empty by default."""
    return dump_given(given_of(document, parts))


def given_of(document: Document, parts: Iterable[Section]) -> dict[str, Json]:
    """Return the content of study.yaml for a document: its sections without values that are empty by default."""
    schemas = whole_schema()["properties"]
    given: dict[str, Json] = {}
    for section in parts:
        schema = schemas.get(section.name)
        if schema is not None:
            value = without_empty(document[section.name], schema)
            if value not in ({}, []):
                given[section.name] = value
    return given


def dump_given(given: Mapping[str, Json]) -> str:
    """Write the content of study.yaml, with the version of the format on top."""
    return yaml.dump(
        {"evalweb": sections.FORMAT, **given},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=_WIDTH,
    )


def dump_stored(given: Mapping[str, Json]) -> str:
    """Write the content of study.yaml as the database holds it, which does not keep the order of names."""
    return dump_given(_stored_order(given))


def _stored_order(given: Mapping[str, Json]) -> dict[str, Json]:
    declared = whole_schema()["properties"]
    schemas = {section.name: declared.get(section.name, {}) for section in sections.registered()}
    ordered: dict[str, Json] = _in_order(given, {"properties": schemas})
    return ordered


def _in_order(value: Json, schema: Mapping[str, Json]) -> Json:
    if isinstance(value, list):
        return [_in_order(entry, schema.get("items", {})) for entry in value]
    declared = schema.get("properties")
    if not isinstance(value, Mapping) or declared is None:
        return value
    names = [*(name for name in declared if name in value), *(name for name in value if name not in declared)]
    return {name: _in_order(value[name], declared.get(name, {})) for name in names}


@dataclass(slots=True)
class _Written(Tree):
    """The content of a study.yaml that was not written yet: it is, to be read, where the place of a value is asked."""

    stored: Mapping[str, Json] = field(default_factory=dict)

    def _find(self) -> None:
        if not self.values:
            tree = parse(self.file, dump_stored(self.stored), Problems())
            self.values, self.keys = tree.values, tree.keys

    def place(self, path: Path, *, key: bool = False) -> Place:
        self._find()
        return Tree.place(self, path, key=key)

    def holds(self, path: Path) -> bool:
        self._find()
        return Tree.holds(self, path)


def tree_of(file: str, given: Mapping[str, Json]) -> Tree | None:
    """Return the content of study.yaml as it would be read once `dump_stored` has written it.

    None where it might be read otherwise, or be refused: the content is large, or holds something that JSON has and a
    study file has not.
    """
    try:
        most = limits()
        content = _as_read({"evalweb": sections.FORMAT, **_stored_order(given)}, _Room(most), most.depth)
        return _Written(file, content, stored=given)
    except _ReadOtherwise:
        return None


class _ReadOtherwise(ValueError):
    """A value might not be read as it is."""


class _Room:
    """The number of values and characters that may still come."""

    def __init__(self, most: Limits) -> None:
        # A character takes twelve bytes at most: ten where it is escaped, and its share of an indentation.
        self.values, self.characters = most.yaml_values // 2, most.yaml_bytes // 50

    def take(self, text: str) -> str:
        self.values -= 1
        self.characters -= len(text)
        if self.values < 0 or self.characters < 0 or "\r" in text or problem_in(text):
            raise _ReadOtherwise
        return text


def _as_read(value: Json, room: _Room, depth: int) -> Json:
    """Return a copy of a value, without names that have none."""
    if isinstance(value, str):
        return room.take(value)
    if isinstance(value, Mapping | list) and depth == 0:
        raise _ReadOtherwise
    if isinstance(value, Mapping):
        return {room.take(name): _as_read(inner, room, depth - 1) for name, inner in value.items() if inner is not None}
    if isinstance(value, list):
        room.take("")
        return [_as_read(inner, room, depth - 1) for inner in value]
    room.take("")
    if isinstance(value, int | float) and not abs(value) < _LARGEST:
        raise _ReadOtherwise
    return value


def without_empty(value: Json, schema: Mapping[str, Json]) -> Json:
    """Leave out empty values that are equal to missing ones; data without declared names is unchanged."""
    if isinstance(value, list):
        return [without_empty(entry, schema.get("items", {})) for entry in value]
    declared = schema.get("properties")
    if not isinstance(value, Mapping) or declared is None:
        return value
    return {
        name: without_empty(inner, declared.get(name, {}))
        for name, inner in value.items()
        if inner not in (None, "", [], {}) or {"default", KEPT} & declared.get(name, {}).keys()
    }
