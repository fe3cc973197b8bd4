"""Read study.yaml into plain data in which every value knows its place.

The data model is JSON's, read by the rules of YAML 1.2: `no` is a word (the language tag of Norwegian), 012 is
twelve, and a date stays the text it is. Anchors, aliases and tags are refused: no study needs them, and they can
make a small file unfold to a huge one or to objects.
"""

import math
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

import yaml
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path
from tasks_app.studyfile.files.decoding import Place, decode
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problems
from tasks_app.texts.plaintext import problem_in

_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE = {"true", "True", "TRUE"}
_FALSE = {"false", "False", "FALSE"}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# A longer run of digits is no setting, and Python refuses to turn very long ones into numbers.
_DIGITS = 300

_Collection: TypeAlias = "dict[str, Json] | list[Json]"


@dataclass(slots=True)
class Tree:
    """Data and its places: of every value, and of the key in front of it."""

    file: str
    data: Json = None
    values: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    # The places of numbers that cannot be stored, which was reported. The data has 0 there.
    refused: set[Place] = field(default_factory=set)

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a value (or its key), or of the closest existing value around it."""
        while path:
            place = (self.keys if key else self.values).get(path) or self.values.get(path)
            if place is not None:
                return place
            path, key = path[:-1], True
        return self.values.get((), Place(1, 1))

    def holds(self, path: Path) -> bool:
        """Return whether there is a value at a path."""
        return path in self.values


def read(file: str, content: bytes, problems: Problems) -> Tree:
    """Read a YAML file; `data` is None if a reported problem made it unreadable. Raises StudyFileError."""
    if sentence := size_problem(content):
        problems.add(file, 0, 0, sentence)
        return Tree(file)
    text = decode(file, content, problems)
    if text is None:
        return Tree(file)
    tree = parse(file, text, problems)
    if tree.data is None and not problems.count:
        problems.add(file, 0, 0, _("This file is empty. docs/study-file.md describes what to write."))
    return tree


def parse(file: str, text: str, problems: Problems) -> Tree:
    """Read a YAML document; `data` is None if a problem made it unreadable."""
    builder = _Builder(Tree(file), problems)
    try:
        for event in yaml.parse(text, Loader=_loader_for(text)):
            if not builder.take(event):
                return Tree(file)
    except yaml.reader.ReaderError as error:
        # Its position counts characters, and such a character stands in no text on purpose.
        before = text[: error.position]
        place = Place(before.count("\n") + 1, error.position - (before.rfind("\n") + 1) + 1)
        sentence = _("Here is a character that YAML does not allow (U+%(code)04X). Remove it.")
        problems.add(file, place.line, place.column, sentence % {"code": error.character})
        return Tree(file)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _place(mark)
        sentence = _("This is not YAML (%(reason)s). Look at the indentation, quotes and colons here.")
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        if "flow" in reason:
            # The parser's own words do not help somebody who wrote {question: How good?}.
            sentence = _(
                "This is not YAML (%(reason)s). Between { } or [ ], put text that holds any of , : ? [ ] { } in "
                "quotes, and close every bracket."
            )
        problems.add(file, place.line, place.column, sentence % {"reason": reason})
        return Tree(file)
    return builder.tree


def _loader_for(text: str) -> type[yaml.SafeLoader | yaml.CSafeLoader]:
    """Return libyaml's parser for a text that it reads as PyYAML's own does, which takes twelve times as long.

    PyYAML's own says more exactly what is wrong and where, so it reads whatever libyaml refuses. The two differ in what
    a tab means.
    """
    if "\t" in text or not yaml.__with_libyaml__:
        return yaml.SafeLoader
    try:
        # As many as are read, with their beginnings and ends: reading stops there, whichever parser is used.
        for _event in islice(yaml.parse(text, Loader=yaml.CSafeLoader), 2 * limits().yaml_values + 10):
            pass
    except (yaml.YAMLError, UnicodeEncodeError):
        return yaml.SafeLoader
    return yaml.CSafeLoader


def size_problem(content: bytes) -> str | None:
    """Return the problem of a YAML file that is too large to be read, else None."""
    most = limits().yaml_bytes
    if len(content) <= most:
        return None
    sentence = _("has %(size)s; at most %(most)s can be read. Texts belong in items.csv.")
    return sentence % {"size": megabytes(len(content)), "most": megabytes(most)}


def is_word(text: str) -> bool:
    """Return whether a text without quotes is read as that text, and not as a number, a truth value or nothing."""
    # Whole numbers are numbers to _FLOAT as well.
    return not (text in _NULL | _TRUE | _FALSE or _NOT_FINITE.fullmatch(text) or _FLOAT.fullmatch(text))


def _place(mark: Any) -> Place:
    # Which of PyYAML's two classes of marks it is depends on the loader; both count from 0.
    return Place(mark.line + 1, mark.column + 1) if mark is not None else Place(1, 1)


class _Builder:
    """Takes the events of the parser one by one; nesting is held on a list, not on Python's stack."""

    def __init__(self, tree: Tree, problems: Problems) -> None:
        self.tree = tree
        self.problems = problems
        self.depth = limits().depth
        self.values = 0
        self.documents = 0
        # Open collections with their paths, and for each mapping the key that waits for its value.
        self.open: list[tuple[_Collection, Path]] = []
        self.waiting: list[str | None] = []

    def take(self, event: yaml.Event) -> bool:
        """Take one event; return False if the rest of the file cannot be read."""
        place = _place(event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                return self.stop(place, _("A second document begins here. Keep everything in one, without ---."))
        elif isinstance(event, yaml.AliasEvent):
            return self.stop(place, _("*%(name)s repeats an anchor. Write the value out.") % {"name": event.anchor})
        elif isinstance(event, yaml.NodeEvent):
            return self.node(event, place)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
            self.waiting.pop()
        return True

    def stop(self, place: Place, sentence: str) -> bool:
        self.problems.add(self.tree.file, place.line, place.column, sentence)
        return False

    def node(self, event: yaml.NodeEvent, place: Place) -> bool:
        self.values += 1
        most = limits().yaml_values
        if self.values > most:
            too_many = _("This file holds more than %(n)s values. Texts belong in items.csv.")
            return self.stop(place, too_many % {"n": f"{most:,}"})
        if sentence := self.refused(event):
            return self.stop(place, sentence)
        if isinstance(event, yaml.ScalarEvent):
            if self.wants_key():
                return self.key(event.value, place)
            self.put(self.scalar(event, place), place)
            return True
        collection: _Collection = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self.put(collection, place)
        self.open.append((collection, path))
        self.waiting.append(None)
        return True

    def wants_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1][0], dict) and self.waiting[-1] is None

    def refused(self, event: yaml.NodeEvent) -> str | None:
        """Return the reason why a value cannot stand where it does, or None."""
        tag = getattr(event, "tag", None)
        if event.anchor is not None:
            return _("&%(name)s is an anchor. Write the value out.") % {"name": event.anchor}
        if tag is not None:
            return _("%(tag)s is a tag. Leave it out; put text in quotes.") % {"tag": tag}
        if isinstance(event, yaml.ScalarEvent):
            return None
        if self.wants_key():
            return _("A name is expected here, not a list or group.")
        if len(self.open) >= self.depth:
            return _("This is nested more than %(n)d deep.") % {"n": self.depth}
        return None

    def key(self, name: str, place: Place) -> bool:
        collection, path = self.open[-1]
        assert isinstance(collection, dict)
        if sentence := problem_in(name):
            return self.stop(place, sentence)
        earlier = self.tree.keys.get((*path, name))
        if earlier is not None:
            sentence = _("“%(name)s” stands in line %(line)d already. Keep one of the two.")
            self.problems.add(self.tree.file, place.line, place.column, sentence % {"name": name, "line": earlier.line})
        self.tree.keys[(*path, name)] = place
        self.waiting[-1] = name
        return True

    def put(self, value: Json, place: Place) -> Path:
        """Put a value where it belongs and return its path."""
        if not self.open:
            self.tree.data = value
            self.tree.values[()] = place
            return ()
        collection, path = self.open[-1]
        if isinstance(collection, dict):
            name = self.waiting[-1]
            assert name is not None
            self.waiting[-1] = None
            # A key without a value is as if it were not there.
            if value is not None:
                collection[name] = value
            path = (*path, name)
        else:
            path = (*path, len(collection))
            collection.append(value)
        self.tree.values[path] = place
        return path

    def scalar(self, event: yaml.ScalarEvent, place: Place) -> Json:
        text = event.value
        # A plain scalar has the style None, or from libyaml an empty one.
        if not event.style:
            if text in _NULL:
                return None
            if text in _TRUE or text in _FALSE:
                return text in _TRUE
            if _NOT_FINITE.fullmatch(text):
                return self.refuse_number(text, place)
            if _INTEGER.fullmatch(text):
                return int(text) if len(text) <= _DIGITS else self.refuse_number(text, place)
            if _FLOAT.fullmatch(text):
                number = float(text)
                return number if math.isfinite(number) else self.refuse_number(text, place)
        if sentence := problem_in(text):
            self.problems.add(self.tree.file, place.line, place.column, sentence)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def refuse_number(self, text: str, place: Place) -> Json:
        sentence = _("%(value)s is not a number that can be stored. Give a finite one, or put text in quotes.")
        self.problems.add(self.tree.file, place.line, place.column, sentence % {"value": text[:40]})
        self.tree.refused.add(place)
        return 0
