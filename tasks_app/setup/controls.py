"""Controls and groups of them: values of a study file as fields, shown, and read from a post.

A `Control` holds one value of the document, a `Group` holds controls, groups, and the entries of lists.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json, Path
from tasks_app.setup.names import language_read, language_shown
from tasks_app.setup.steps import seen_on
from tasks_app.studyfile.schema import KEYS_OF

Node: TypeAlias = "Control | Group"

# Posted value of a ticked box.
ON = "1"


# Why a list of choices is empty, by the rows that it names.
_NOTHING = {
    "criteria": gettext_lazy(
        "The study has no questions of its own. Those that the task type brings along are asked without being chosen."
    ),
    "groups": gettext_lazy("The study has no groups of raters. Add them on the step Raters."),
    "systems": gettext_lazy("The systems can be chosen here once there are texts."),
    "features": gettext_lazy("The texts have no columns whose names begin with feature_."),
}
_OTHERWISE_NOTHING = gettext_lazy("There is nothing to choose from in this study.")


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice on a value, and the value that its button would put there, or other `values` of the document.

    None and no others are for no button.
    """

    sentence: str
    value: Json = None
    button: str = ""
    values: Mapping[Path, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Control:
    """One value: its field, its present content, and its problems.

    `kind` is one of text, area, number, whole, tick, date, choice, keys, spaced (keys in a text, with spaces between),
    language, lines, steps, words, values, pairs, either (a number or a text), json. `value` is what the control shows:
    a text, or a list of the keys or pairs that are ticked, or of the words of steps.

    `size` is the number of steps, None where there can be any number. `suggests` is the id of the list of suggestions
    for a text.
    """

    path: Path
    kind: str
    label: str
    help: str
    value: Any
    default: str = ""
    needed: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    schema: Mapping[str, Json] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    folded: bool = False
    advice: Advice | None = None
    manual: str = ""
    size: int | None = None
    suggests: str = ""

    @property
    def name(self) -> str:
        """The name under which it is posted."""
        return name_of(self.path)

    @property
    def id(self) -> str:
        """Its id on the page."""
        return field_id(self.path)

    @property
    def in_words(self) -> str:
        """The text that the control shows on a page on which it cannot be changed; "" where nothing was given."""
        if self.kind == "tick":
            return _("yes") if self.value else _("no")
        if self.kind == "choice":
            return dict(self.choices).get(str(self.value), str(self.value)) if self.value else ""
        if self.kind in {"keys", "spaced"}:
            names = dict(self.choices)
            return ", ".join(names.get(key, key) for key in self.value)
        return "\n".join(self.value) if isinstance(self.value, list) else str(self.value)

    @property
    def seen_on(self) -> str:
        """The page of raters on which its value is seen."""
        return seen_on(self.path)

    @property
    def is_ticked(self) -> bool:
        """Whether it is asked for by boxes, one for each choice."""
        return self.kind in {"keys", "spaced", "pairs"} or (self.kind == "values" and bool(self.choices))

    @property
    def nothing_to_choose(self) -> str:
        """The reason why there is no choice, by what the control chooses from."""
        return str(_NOTHING.get(str(self.schema.get(KEYS_OF, "")), _OTHERWISE_NOTHING))

    @property
    def rows(self) -> list[str]:
        """The words of steps as they are shown: a field for each step, and an empty one where more can be added."""
        least = max(2, len(self.value) + 1) if self.size is None else self.size
        return [*self.value, *[""] * (least - len(self.value))]

    @property
    def typed(self) -> str:
        """The lines of values that are no choices."""
        offered = {line for line, _label in self.choices}
        return "\n".join(line for line in str(self.value).split("\n") if line not in offered)

    @property
    def ticked(self) -> list[str]:
        """The lines of values that are choices, or all values of a list."""
        return self.value if isinstance(self.value, list) else str(self.value).split("\n")

    def is_as_shown(self, value: Json) -> bool:
        """Return whether a posted value equals the shown value, so that nothing was changed."""
        if self.kind in {"keys", "spaced"}:
            return set(in_control(self.kind, value)) == set(self.value)
        if isinstance(self.value, list):
            return bool(in_control(self.kind, value) == self.value)
        if self.kind == "values":
            return bool(value == (_values(self.value) if self.value.strip() else None))
        shown = str(self.value).strip()
        if self.kind in {"number", "either", "whole"}:
            return bool(value == (_READ[self.kind](shown) if shown else None))
        return str(in_control(self.kind, value)).strip() == shown


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that belong together: an object, a list, or an entry of a list.

    `adds` says that entries can be added, by a button called `add_label`, and `number` that it is an entry. `switch` is
    the control that says whether an object that may be there without content is there.
    """

    path: Path
    label: str
    help: str
    members: tuple[Node, ...]
    problems: tuple[str, ...] = ()
    is_list: bool = False
    adds: bool = False
    number: int | None = None
    of: int = 0
    switch: Control | None = None
    manual: str = ""
    add_label: str = ""

    @property
    def name(self) -> str:
        """The name that its buttons post."""
        return name_of(self.path)

    @property
    def id(self) -> str:
        """Its id on the page."""
        return f"g-{self.name}".replace(".", "-")

    @property
    def is_outermost(self) -> bool:
        """Whether it is a section of the study file."""
        return len(self.path) == 1

    @property
    def is_card(self) -> bool:
        """Whether it has a box of its own: a section, or an entry of a list, but not a group within one of these."""
        return self.number is not None or (self.is_outermost and not self.is_list)

    @property
    def shown(self) -> list[Node]:
        """The members that are always in view."""
        return [member for member in self.members if not _is_folded(member)]

    @property
    def folded(self) -> list[Node]:
        """The members that most studies leave as they are."""
        return [member for member in self.members if _is_folded(member)]

    @property
    def folded_in_words(self) -> str:
        """The labels of the folded members, the first three of them."""
        labels = [member.label for member in self.folded]
        return ", ".join(labels[:3]) + (" …" if len(labels) > 3 else "")

    @property
    def is_folded(self) -> bool:
        """Whether most studies leave all of the group as it is."""
        return not self.is_list and self.switch is None and bool(self.members) and not self.shown

    @property
    def folded_open(self) -> bool:
        """Whether something that is folded was filled in or is wrong; every study has keys, a seed and a time zone."""
        return any(
            control.problems or (control.value not in ("", control.default, []) and control.path[-1] not in _MADE)
            for member in self.folded
            for control in controls_of(member)
        )


# What is drawn, or made of something else, where nobody gives it.
_MADE = ("key", "seed", "timezone")


def _is_folded(member: Node) -> bool:
    return member.folded if isinstance(member, Control) else member.is_folded


def controls_of(node: Node) -> Iterator[Control]:
    """Yield every control of a node."""
    if isinstance(node, Control):
        yield node
        return
    if node.switch is not None:
        yield node.switch
    for member in node.members:
        yield from controls_of(member)


def groups_within(nodes: Sequence[Node]) -> Iterator[Group]:
    """Yield every group, those in groups included."""
    for node in nodes:
        if isinstance(node, Group):
            yield node
            yield from groups_within(node.members)


def name_of(path: Path) -> str:
    """Return the name under which the value at a path is posted."""
    return ".".join(map(str, path))


def field_id(path: Path) -> str:
    """Return the id of the control of a value on its page."""
    return f"f-{name_of(path)}".replace(".", "-")


def path_of(name: str) -> Path:
    """Return the path that a name stands for."""
    return tuple(int(part) if part.isdecimal() and len(part) < 6 else part for part in name.split("."))


def in_control(kind: str, value: Json) -> Any:
    """Return a value as its control shows it."""
    if kind == "keys":
        return [str(key) for key in value] if isinstance(value, list | tuple) else []
    if kind == "spaced":
        return value.replace(",", " ").split() if isinstance(value, str) else []
    if value is None:
        return [] if kind in {"steps", "pairs"} else ""
    shown = _SHOWN[kind](value) if kind in _SHOWN else None
    if shown is None:
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return shown


def _lines_shown(value: Json) -> str | None:
    are_texts = isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)
    return "\n".join(value) if are_texts else None


def _words_shown(value: Json) -> str | None:
    are_texts = isinstance(value, Mapping) and all(isinstance(words, str) for words in value.values())
    return "\n".join(f"{key}: {words}" for key, words in value.items()) if are_texts else None


def _values_shown(value: Json) -> str | None:
    if not isinstance(value, Mapping):
        return None
    several = {key: values if isinstance(values, list) else [values] for key, values in value.items()}
    are_plain = all(isinstance(entry, str | int | float) for values in several.values() for entry in values)
    return "\n".join(f"{key}: {entry}" for key, values in several.items() for entry in values) if are_plain else None


def _pairs_shown(value: Json) -> list[str] | None:
    if value == "all":
        return []
    are_lists = isinstance(value, list) and all(isinstance(pair, list) for pair in value)
    return [", ".join(map(str, pair)) for pair in value] if are_lists else None


def _steps_shown(value: Json) -> list[str] | None:
    are_texts = isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)
    return list(value) if are_texts else None


# How the values of some kinds are shown; None where a value is of another kind.
_SHOWN: Mapping[str, Callable[[Json], str | list[str] | None]] = {
    "tick": lambda value: ON if value is True else "",
    "lines": _lines_shown,
    "words": _words_shown,
    "values": _values_shown,
    "pairs": _pairs_shown,
    "steps": _steps_shown,
    "language": lambda value: language_shown(value) if isinstance(value, str) else None,
}


def posted_value(control: Control, posted: MultiValueDict[str, str]) -> Json:
    """Return the value that was posted for a control; None where it was left empty.

    What cannot be read as the kind of value that is wanted is kept as the text it is, so that nothing typed is lost;
    the checks then say what is wrong with it.
    """
    texts = posted.getlist(control.name)
    if control.kind in {"keys", "spaced", "pairs"}:
        ticked = list(dict.fromkeys(text for text in texts if text))
        return _TICKED[control.kind](ticked) if ticked else None
    if control.kind == "steps":
        return _steps([text.strip() for text in texts], control.size)
    text = ("\n".join(texts) if control.kind == "values" else texts[-1]) if texts else ""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if control.kind == "tick":
        return text == ON
    if control.kind not in {"area", "lines", "words", "values"}:
        text = text.strip()
    return _READ.get(control.kind, str)(text) if text.strip() else None


def _whole(text: str) -> Json:
    try:
        return int(text)
    except ValueError:
        return _number(text)


def _number(text: str) -> Json:
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _lines(text: str) -> Json:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _words(text: str) -> Json:
    pairs = [line.partition(":") for line in text.split("\n") if line.strip()]
    return {key.strip(): words.strip() for key, _colon, words in pairs}


def _values(text: str) -> Json:
    pairs = [line.partition(":") for line in text.split("\n") if line.strip()]
    values: dict[str, list[str]] = {}
    for key, _colon, value in pairs:
        values.setdefault(key.strip(), []).append(value.strip())
    return {key: several[0] if len(several) == 1 else several for key, several in values.items()}


def _pairs(ticked: Sequence[str]) -> Json:
    return [[name.strip() for name in pair.split(",")] for pair in ticked]


# How the values of ticked boxes are stored.
_TICKED: Mapping[str, Callable[[list[str]], Json]] = {"keys": list, "spaced": " ".join, "pairs": _pairs}


def _steps(words: list[str], size: int | None) -> Json:
    """Return the words of steps; a step without words keeps its place where their number is given."""
    if size is None:
        return [word for word in words if word] or None
    while words and not words[-1]:
        words.pop()
    return words or None


def _json(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_READ = {
    "whole": _whole,
    "number": _number,
    "either": _number,
    "lines": _lines,
    "words": _words,
    "values": _values,
    "language": language_read,
    "json": _json,
}
