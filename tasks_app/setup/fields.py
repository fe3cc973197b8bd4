"""The fields of a step, made of the JSON Schema of a study file, so that what any app declares can be filled in.

Two kinds of nodes: a `Control` holds one value of the document, a `Group` holds controls, groups, and the entries of
lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from tasks_app.sections import Json, Path
from tasks_app.setup.advice import advice_on
from tasks_app.setup.controls import ON, Control, in_control, kind_of, name_of
from tasks_app.setup.paths import value_at
from tasks_app.setup.steps import STEPS, explained_in, is_folded, step_of
from tasks_app.studyfile.files.yaml_text import KEPT
from tasks_app.studyfile.schema import KEYS_OF, LABELS
from tasks_app.task_types import registry

Problems: TypeAlias = Mapping[Path, Sequence[str]]
Node: TypeAlias = "Control | Group"

# The names of the sections of a study file, where their schema has no title.
SECTION_LABELS: Mapping[str, Promise] = {
    "study": gettext_lazy("The study"), "about": gettext_lazy("Who runs the study"), "pay": gettext_lazy("Pay"),
    "flow": gettext_lazy("Way through the study"), "codes": gettext_lazy("Completion codes"),
    "acceptance": gettext_lazy("Texts that raters wrote"), "channels": gettext_lazy("Where raters come from"),
    "consent": gettext_lazy("Consent text"), "criteria": gettext_lazy("Criteria"),
    "groups": gettext_lazy("Groups of raters"), "tasks": gettext_lazy("Tasks"), "systems": gettext_lazy("Systems"),
    "analysis": gettext_lazy("Analysis plan"), "analysis.rules": gettext_lazy("Quality rules"),
    "analysis.analyses": gettext_lazy("Analyses"), "analysis.comparisons": gettext_lazy("Comparisons"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that belong together: an object, a list, or an entry of a list.

    `adds` says that entries can be added, `number` that it is an entry. `switch` is the control that says whether an
    object that may be there without content is there.
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

    @property
    def name(self) -> str:
        """The name that its buttons post."""
        return name_of(self.path)

    @property
    def id(self) -> str:
        """Its id on the page."""
        return f"g-{self.name}".replace(".", "-")

    @property
    def shown(self) -> list[Node]:
        """The members that are always in view."""
        return [member for member in self.members if not _is_folded(member)]

    @property
    def folded(self) -> list[Node]:
        """The members that most studies leave as they are."""
        return [member for member in self.members if _is_folded(member)]

    @property
    def is_folded(self) -> bool:
        """Whether most studies leave all of the group as it is."""
        return not self.is_list and self.switch is None and bool(self.members) and not self.shown

    @property
    def folded_open(self) -> bool:
        """Whether something that is folded was filled in or is wrong; keys are made of names."""
        return any(
            control.problems or (control.value not in ("", control.default, []) and control.path[-1] != "key")
            for member in self.folded
            for control in controls_of(member)
        )


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


class Fields:
    """Makes the fields of one step out of a schema, a document and its problems."""

    def __init__(
        self,
        schema: Mapping[str, Json],
        given: Mapping[str, Json],
        problems: Problems,
        step: str,
        nearest: Mapping[Path, Json] | None = None,
    ) -> None:
        self.schema, self.given, self.problems, self.step, self.nearest = schema, given, problems, step, nearest

    def groups(self) -> list[Group]:
        """Return the sections that the step asks for, each a group, in the order of the step."""
        groups = []
        sections, first = self.schema["properties"], next(step.first for step in STEPS if step.slug == self.step)
        for name in [*first, *(name for name in sections if name not in first)]:
            node = sections[name]
            made = self._make(node, (name,), needed=False)
            if isinstance(made, Control):
                made = Group((name,), made.label, "", (made,))
            if made is not None and (made.members or made.is_list):
                groups.append(made)
        return groups

    def _make(self, node: Mapping[str, Json], path: Path, *, needed: bool) -> Node | None:
        """Return the fields of a node of the schema; None where this step asks for none of them."""
        if "const" in node:
            return None
        if node.get("type") == "object" and "properties" in node:
            return self._object(node, path)
        if path == ("consent",):
            return self._by_language(node, path)
        if isinstance(node.get("items"), Mapping) and "properties" in node["items"]:
            return self._list(node, path)
        return self._control(node, path, needed=needed) if step_of(path) == self.step else None

    def _object(self, node: Mapping[str, Json], path: Path) -> Group | None:
        node = resolved(node, value_at(self.given, path))
        required = set(node.get("required", ()))
        made = (self._make(inner, (*path, name), needed=name in required) for name, inner in node["properties"].items())
        members = tuple(member for member in made if member is not None)
        switch = None
        if node.get(KEPT) and step_of(path) == self.step:
            is_there = value_at(self.given, path) is not None
            switch = Control((*path, ""), "tick", str(node.get("title", path[-1])), "", ON if is_there else "")
            members = members if is_there else ()
        if not members and switch is None:
            return None
        # Descriptions of sections are meant for people who write the file, so they are not shown here.
        help_text = _help(node) if len(path) > 1 else ""
        return Group(
            path, self._label(node, path), help_text, members, self._problems(path), switch=switch,
            manual=self._explained(path),
        )  # fmt: skip

    def _list(self, node: Mapping[str, Json], path: Path) -> Group | None:
        value = value_at(self.given, path)
        is_here = step_of(path) == self.step
        rows = value if isinstance(value, list) else []
        entries = []
        for number, row in enumerate(rows):
            inner = self._object(node["items"], (*path, number))
            if inner is None:
                continue
            entries.append(
                Group(
                    inner.path, self._entry_label(path, number, row), "", inner.members, inner.problems,
                    number=number, of=len(rows) if is_here else 0,
                )
            )  # fmt: skip
        if not entries and not is_here:
            return None
        return Group(
            path,
            self._label(node, path),
            _help(node),
            tuple(entries),
            self._problems(path),
            is_list=True,
            adds=is_here,
            manual=self._explained(path),
        )

    def _by_language(self, node: Mapping[str, Json], path: Path) -> Group | None:
        """Return an area for each language there is a text in, and for the study's own."""
        if step_of(path) != self.step:
            return None
        texts = value_at(self.given, path)
        own = str(value_at(self.given, ("study", "language")) or "en")
        languages = dict.fromkeys([own, *(texts if isinstance(texts, Mapping) else ())])
        members = tuple(
            Control(
                (*path, language), "area", _("Text in %(language)s") % {"language": language_name(language)}, "",
                in_control("area", value_at(self.given, (*path, language))),
                problems=self._problems((*path, language)),
            )
            for language in languages
        )  # fmt: skip
        return Group(
            path, self._label(node, path), _help(node), members, self._problems(path), manual=self._explained(path)
        )

    def _control(self, node: Mapping[str, Json], path: Path, *, needed: bool) -> Control:
        value, default = value_at(self.given, path), node.get("default")
        kind = kind_of(node)
        shown = in_control(kind, default if value is None else value)
        choices = self._choices(node, kind, shown, needed=needed)
        return Control(
            path=path, kind=kind, label=self._label(node, path), help=_help(node), value=shown,
            default="" if kind == "keys" else in_control(kind, default), needed=needed, choices=choices, schema=node,
            problems=self._problems(path), folded=is_folded(path), advice=advice_on(path, self.given, self.nearest),
            manual=self._explained(path),
        )  # fmt: skip

    def _choices(self, node: Mapping[str, Json], kind: str, shown: Any, *, needed: bool) -> tuple[tuple[str, str], ...]:
        if kind == "choice":
            labels = node.get(LABELS, {})
            choices = [(str(value), capfirst(str(labels.get(value, value)))) for value in node["enum"]]
            if shown not in dict(choices):
                choices.insert(0, (str(shown), str(shown) or _("Choose …")))
            return tuple(choices)
        if kind == "keys":
            rows = value_at(self.given, (str(node[KEYS_OF]),))
            named = {
                str(row["key"]): str(row.get("name") or row["key"])
                for row in (rows if isinstance(rows, list) else ())
                if isinstance(row, Mapping) and row.get("key")
            }
            return tuple((named | {key: key for key in shown if key not in named}).items())
        return ()

    def _explained(self, path: Path) -> str:
        """Return the page that explains a part; of the parameters of a task, that of its type."""
        if len(path) == 3 and path[0] == "tasks" and path[2] == "params":
            kind = value_at(self.given, (*path[:2], "type"))
            return f"task-types/{kind}" if isinstance(kind, str) and kind in registry else ""
        return explained_in(path)

    def _problems(self, path: Path) -> tuple[str, ...]:
        return tuple(self.problems.get(path, ()))

    def _label(self, node: Mapping[str, Json], path: Path) -> str:
        return str(node.get("title") or SECTION_LABELS.get(".".join(map(str, path)), path[-1]))

    def _entry_label(self, path: Path, number: int, row: Json) -> str:
        words = row if isinstance(row, Mapping) else {}
        title = next((words[name] for name in ("title", "name", "key", "rule", "analysis") if words.get(name)), "")
        return str(title) or _("Entry %(n)d") % {"n": number + 1}


def language_name(tag: str) -> str:
    """Return the name of a language, or its tag where Django does not know it."""
    try:
        return str(get_language_info(tag.lower())["name_translated"])
    except KeyError:
        return tag


def _help(node: Mapping[str, Json]) -> str:
    return str(node.get("description", ""))


def resolved(node: Mapping[str, Json], value: Json) -> Mapping[str, Json]:
    """Return a schema with what its conditions add for this value, such as the parameters of the chosen task type."""
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
