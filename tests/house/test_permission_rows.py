"""The permission table is whole: a row for each address and method, and for each role that code asks for.

The code is read rather than run: from the view of each address, whatever it calls in our own modules is followed, and
every call that names a role is held against the rows of that address.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tasks_app.hooks import tabs
from tasks_app.models import Membership, Study
from tasks_app.services.study import tokens
from tests.permissions.table import SHOWN, TABLE

OURS = ("tasks_app", "analytics_app")
# Where somebody's role is asked for; a call elsewhere leads from no address, and the test says so.
LAYERS = re.compile(rf"({'|'.join(OURS)})\.(views|api|access|projects|selectors\.judgments)\b")
ACCESS = ("tasks_app.access", "analytics_app.access")
FRAME = "tasks_app.views.researcher.frame.study_page"

# What a worker asks once more for somebody whom a page has let in.
IN_BACKGROUND = {
    "tasks_app.services.background.BackgroundWork._work",
}

# Rows ask with HEAD where they ask with GET. TRACE is for servers, not for applications.
NO_ROWS = {"HEAD", "TRACE"}

# What asks for a role, and the position of the role among its arguments; by name it is always `role`.
ASKERS = {
    "tasks_app.access.study_for_researcher": 2,
    "tasks_app.access.study_and_role": 2,
    "tasks_app.access.reaches": 1,
    "analytics_app.access.run_for_researcher": 3,
    FRAME: -1,
}


def addresses() -> dict[str, URLPattern]:
    """Return every named address that is ours rather than the admin's."""

    def walk(patterns: list[URLPattern | URLResolver], space: str) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                if pattern.app_name != "admin":
                    yield from walk(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
            else:
                yield f"{space}{pattern.name}", pattern

    return dict(walk(get_resolver().url_patterns, ""))


@pytest.mark.django_db
def test_each_method_that_an_address_accepts_has_a_row(study: Study, subtests: pytest.Subtests) -> None:
    """A method that nothing knows is refused with the list of those that are accepted, before anything is looked up."""
    root = User.objects.create_superuser("root")
    made = tokens.make(user=root, name="script", scopes=list(tokens.SCOPES), study=study)
    browser, script = Client(), Client(headers={"authorization": f"Bearer {made.secret}"})
    browser.force_login(root)
    assert {row.name for row in TABLE} == set(addresses())
    for name, pattern in addresses().items():
        with subtests.test(name=name):
            path = reverse(name, kwargs=dict.fromkeys(pattern.pattern.converters, "1"))
            answer = (script if name.startswith("api") else browser).generic("BREW", path)
            assert answer.status_code == 405
            accepted = set(answer["Allow"].split(", "))
            assert ("GET" in accepted) <= ("HEAD" in accepted)
            assert {row.method for row in TABLE if row.name == name} == accepted - NO_ROWS


def name_of(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"


@dataclass(frozen=True)
class Place:
    """A function of ours, with the class whose `self` it has."""

    function: FunctionType
    owner: type | None = None

    @property
    def name(self) -> str:
        return name_of(self.function)

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression that is a name or an attribute; None where it is neither."""
        if isinstance(node, ast.Name):
            return self.owner if node.id == "self" else self.function.__globals__.get(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self.value(node.value), node.attr, None)
        return node.value if isinstance(node, ast.Constant) else None


@cache
def nodes_of(function: FunctionType) -> tuple[ast.AST, ...]:
    """Return every node of the source of a function; those that a dataclass brings along are not ours."""
    if not function.__code__.co_filename.startswith(tuple(str(Path(settings.BASE_DIR) / app) for app in OURS)):
        return ()
    return tuple(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))


def unwrapped(value: Any) -> Any:
    """Return the function that decorators were put around."""
    return inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value


def is_ours(value: Any) -> bool:
    return LAYERS.match(str(getattr(value, "__module__", ""))) is not None


def reached(place: Place, seen: set[str]) -> Iterator[Place]:
    """Yield a function and whatever it calls in our own modules; the frame and access.py are looked at apart."""
    if place.name in seen or place.name == FRAME or place.function.__module__ in ACCESS:
        return
    seen.add(place.name)
    yield place
    for node in nodes_of(place.function):
        value = place.value(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if not is_ours(value):
            continue
        function = unwrapped(value)
        if isinstance(function, FunctionType):
            yield from reached(Place(function, place.owner), seen)
        elif isinstance(value, type):
            for method in (one for one in vars(value).values() if isinstance(one, FunctionType)):
                yield from reached(Place(method, value), seen)


def entries(name: str) -> list[Place]:
    """Return where the code of an address begins: its view, or the method for each HTTP method."""
    view = addresses()[name].callback
    view_class = getattr(view, "view_class", None)
    if view_class is None:
        function = inspect.unwrap(view)
        return [Place(function)] if is_ours(function) else []
    methods = {row.method.lower() for row in TABLE if row.name == name}
    found = [getattr(view_class, one, None) for one in methods]
    return [Place(one, view_class) for one in found if isinstance(one, FunctionType) and is_ours(one)]


def roles_in(value: Any) -> set[str]:
    """Return the roles that a value holds, however deep."""
    if isinstance(value, Membership.Role):
        return {str(value)}
    if isinstance(value, Mapping):
        value = list(value.values())
    return {role for one in value for role in roles_in(one)} if isinstance(value, list | tuple) else set()


@dataclass(frozen=True)
class Asked:
    """A call that asks for a role."""

    asker: str
    roles: frozenset[str]


def asked_by(place: Place) -> Iterator[Asked]:
    """Yield the calls of a function that name a role; its own parameter `role` is named by whoever calls it."""
    parameters = inspect.signature(place.function).parameters
    for call in nodes_of(place.function):
        if not isinstance(call, ast.Call):
            continue
        function = place.value(call.func)
        asker = name_of(function)
        named = role_of(call, position(asker, function))
        if named is None:
            continue
        role = place.value(named)
        if role in Membership.Role.values:
            yield Asked(asker, frozenset({str(role)}))
        elif not (isinstance(named, ast.Name) and named.id in parameters):
            # A variable: one of the roles that the constants of the function's module hold which it uses.
            used = [place.value(node) for node in nodes_of(place.function) if isinstance(node, ast.Name)]
            yield Asked(asker, frozenset(role for value in used for role in roles_in(value)))


def position(asker: str, function: Any) -> int | None:
    """Return which argument of a function is the role it asks for; None where it asks for none."""
    if asker in ASKERS:
        return ASKERS[asker]
    if isinstance(function, FunctionType) and is_ours(function) and passes_role_on(function):
        return list(inspect.signature(function).parameters).index("role")
    return None


@cache
def passes_role_on(function: FunctionType) -> bool:
    """Say whether a function asks for the role that it was given as its parameter `role`."""
    if "role" not in inspect.signature(function).parameters:
        return False
    calls = [node for node in nodes_of(function) if isinstance(node, ast.Call)]
    roles = [role_of(call, ASKERS.get(name_of(Place(function).value(call.func)))) for call in calls]
    return any(isinstance(role, ast.Name) and role.id == "role" for role in roles)


def role_of(call: ast.Call, at: int | None) -> ast.expr | None:
    """Return the argument of a call that is the role."""
    if at is None:
        return None
    if (named := next((one.value for one in call.keywords if one.arg == "role"), None)) is not None:
        return named
    return call.args[at] if 0 <= at < len(call.args) else None


def rows_with(name: str, asker: str) -> set[str]:
    """Return the least roles that the rows of an address have, and where a role only shows something, those rows."""
    least = {row.least for row in TABLE if row.name == name}
    return least | {one.least for one in SHOWN if one.name == name} if asker.endswith(".reaches") else least


def test_each_role_that_code_asks_for_has_its_row(subtests: pytest.Subtests) -> None:
    held: set[str] = set()
    for name in addresses():
        seen: set[str] = set()
        places = [place for entry in entries(name) for place in reached(entry, seen)]
        held |= seen
        for place in places:
            for asked in asked_by(place):
                with subtests.test(name=name, function=place.name):
                    assert asked.roles, f"{place.name} asks for a role that cannot be told by reading"
                    assert asked.roles <= rows_with(name, asked.asker), f"{name} needs a row for {asked.roles}"
    assert sorted(calls_in_files() - held - {FRAME} - IN_BACKGROUND) == [], (
        "no address leads to what asks for a role here"
    )


def calls_in_files() -> set[str]:
    """Return every function of ours that calls what asks for a role and names one."""
    found = set()
    for app in OURS:
        for path in sorted((Path(settings.BASE_DIR) / app).rglob("*.py")):
            module = ".".join(path.relative_to(settings.BASE_DIR).with_suffix("").parts)
            if "access" in path.read_text(encoding="utf-8") and module not in ACCESS and "migrations" not in module:
                found |= {one.name for one in functions_of(module) if any(asked_by(one))}
    return found


def functions_of(name: str) -> Iterator[Place]:
    """Yield the functions and methods of a module."""
    module = importlib.import_module(name.removesuffix(".__init__"))
    for value in vars(module).values():
        function = unwrapped(value)
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            yield Place(function)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            yield from (Place(one, value) for one in vars(value).values() if isinstance(one, FunctionType))


def test_each_role_that_the_frame_of_pages_tells_apart_shows_something() -> None:
    frame = next(one for one in functions_of("tasks_app.views.researcher.frame") if one.name == FRAME)
    named = {role for asked in asked_by(frame) for role in asked.roles}
    shown = {one.least for one in SHOWN}
    assert named == {"editor", "owner"}
    assert (named | {str(tab.role) for tab in tabs.all_tabs()}) - {"viewer"} <= shown
