"""What a screen reader says of a page, line by line, read from the browser's accessibility tree."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from playwright.sync_api import Page

Node: TypeAlias = dict[str, Any]

# What is announced when it is entered, if it has a name; what has none is passed over.
NAMED = {
    "banner", "contentinfo", "group", "main", "navigation", "radiogroup", "region", "list", "listbox", "figure", "form",
    "dialog",
}  # fmt: skip
CONTROLS = {
    "Date", "DisclosureTriangle", "button", "checkbox", "combobox", "image", "img", "link", "option", "progressbar",
    "radio", "slider", "spinbutton", "textbox",
}  # fmt: skip
WORDS = {
    "DisclosureTriangle": "button",
    "Date": "date field",
    "radiogroup": "radio group",
    "contentinfo": "foot",
    "img": "image",
    "textbox": "text field",
}
# Words of a label are spoken with the control that they name.
SILENT = {"LabelText", "Legend", "InlineTextBox", "ListMarker", "LineBreak", "Abbr", "MenuListPopup"}
# Words of two blocks are two lines.
BLOCKS = {"paragraph", "listitem"}
BREAK = ("break", "")
STATES = ("required", "disabled", "invalid", "expanded", "pressed", "checked", "selected")


@dataclass
class Tree:
    """The accessibility tree of a page."""

    page: Page
    nodes: dict[str, Node] = field(default_factory=dict)
    # What sliders say of their value, in the order of the page: Chromium reports the bare number here.
    values: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the words that are read out, in reading order."""
        session = self.page.context.new_cdp_session(self.page)
        answer = session.send("Accessibility.getFullAXTree")
        session.detach()
        self.values = self.page.locator("input[type=range]").evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.ariaValueText)"
        )
        self.nodes = {node["nodeId"]: node for node in answer["nodes"]}
        root = next(node for node in answer["nodes"] if _role(node) == "main")
        return list(_joined(self._said(root)))

    def _said(self, node: Node, named: str = "") -> Iterator[tuple[str, str]]:
        """Yield the lines of a node and of what is in it, each as role and words."""
        role, name = _role(node), " ".join(str(node.get("name", {}).get("value", "")).split())
        if role == "StaticText":
            if name and name != named:
                yield "", name
            return
        if role in SILENT and role not in {"LabelText", "Legend"}:
            return
        if node.get("ignored"):
            yield from self._within(node, named)
        elif role == "heading":
            yield f"heading {_property(node, 'level')}", name
        elif role in CONTROLS:
            yield _spoken(node, role), self._with_value(node, name)
        elif role in NAMED and name:
            yield _spoken(node, role), self._entered(node, name)
            yield from self._within(node, name)
        elif role == "LabelText":
            yield from self._label(node, named)
        elif role in BLOCKS:
            yield BREAK
            yield from self._within(node, named)
            yield BREAK
        else:
            yield from self._within(node, named)

    def _entered(self, node: Node, name: str) -> str:
        """Return the words read out on entering a group: its name, unless its heading has it, and a description."""
        described = " ".join(str(node.get("description", {}).get("value", "")).split())
        return " | ".join(filter(None, ["" if self._has_heading(node, name) else name, described]))

    def _within(self, node: Node, named: str) -> Iterator[tuple[str, str]]:
        for child in node.get("childIds", ()):
            if child in self.nodes:
                yield from self._said(self.nodes[child], named)

    def _label(self, node: Node, named: str) -> Iterator[tuple[str, str]]:
        """Yield the controls within a label, but not its words; of one beside its control nothing but a heading."""
        for role, words in self._within(node, named):
            if role:
                yield role, words

    def _with_value(self, node: Node, name: str) -> str:
        """Return a name with the value and the description that are said after it."""
        value = self.values.pop(0) if _role(node) == "slider" else node.get("value", {}).get("value", "")
        described = " ".join(str(node.get("description", {}).get("value", "")).split())
        return " | ".join(filter(None, [name, str(value), described]))

    def _has_heading(self, node: Node, name: str) -> bool:
        """Return whether a heading within a group has its name, which is then said with the heading."""
        for child in node.get("childIds", ()):
            inner = self.nodes.get(child)
            if inner is None:
                continue
            if _role(inner) == "heading" and " ".join(str(inner.get("name", {}).get("value", "")).split()) == name:
                return True
            if self._has_heading(inner, name):
                return True
        return False


def _role(node: Node) -> str:
    return str(node.get("role", {}).get("value", ""))


def _property(node: Node, name: str) -> Any:
    return next((one["value"].get("value") for one in node.get("properties", ()) if one["name"] == name), None)


def _spoken(node: Node, role: str) -> str:
    """Return a role with its states, as they are said."""
    said = []
    for state in STATES:
        value = _property(node, state)
        if state == "expanded" and value is not None:
            said.append("opened" if value else "closed")
        elif value in {True, "true"}:
            said.append(state)
    return ", ".join([WORDS.get(role, role), *said])


def _joined(said: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Yield lines; words that follow each other are one."""
    words: list[str] = []
    for role, text in said:
        if not role:
            words.append(text)
            continue
        if words:
            yield " ".join(words)
            words = []
        if (role, text) != BREAK:
            yield f"{role}: {text}" if text else role
    if words:
        yield " ".join(words)
