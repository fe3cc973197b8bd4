"""What a file of tests begins with is made once: rows that stay for a module.

    made, study = study_made_once("study", build_study)

or, where more than a study is made, what that function stands for:

    @pytest.fixture(scope="module")
    def made(module_rosa: User) -> int:
        return build_study(module_rosa).pk

    @pytest.fixture
    def study(made: int, db: None) -> Study:
        return Study.objects.get(pk=made)

Each test changes its own savepoint, and reads its own objects; what the site remembers of rows that never change once
people answer is forgotten before each test, since tests do change them. Transactional tests empty all tables: for them
the rows of their module are gone (`ModuleRows.are_there`), and what they need is made by each.

A test over a table of cases does the same for each case: `with undone()`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from inspect import Parameter, Signature
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tasks_app.models import Study
from tasks_app.selectors import screens
from tests.cast import new_rosa

_NOW: dict[str, bool] = {"flushes": False}
_OPEN: list["ModuleRows"] = []


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is stored meanwhile, so that the rows of a test serve several cases."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


class ModuleRows:
    """A transaction that is never committed."""

    def __init__(self, blocker: DjangoDbBlocker) -> None:
        self.blocker = blocker
        self.stack = ExitStack()
        self.are_there = False

    def begin(self) -> None:
        """Begin the transaction."""
        self.stack.enter_context(transaction.atomic())
        self.are_there = True
        _OPEN.append(self)

    def end(self) -> None:
        """Take everything back."""
        if self.are_there:
            with self.blocker.unblock():
                transaction.set_rollback(True)
                self.stack.close()
            self.are_there = False
            _OPEN.remove(self)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """End what a module has begun before a test that empties all tables."""
    marker = item.get_closest_marker("django_db")
    is_transactional = bool(marker and marker.kwargs.get("transaction"))
    _NOW["flushes"] = is_transactional or "transactional_db" in getattr(item, "fixturenames", ())
    if _NOW["flushes"]:
        for rows in [*_OPEN]:
            rows.end()
    if _OPEN:
        screens.kept_frame.cache_clear()
        screens.kept_materials.clear()


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ModuleRows]:
    """Begin a transaction that lasts for a module, unless its first test empties all tables."""
    rows = ModuleRows(django_db_blocker)
    with django_db_blocker.unblock():
        if not _NOW["flushes"]:
            rows.begin()
        yield rows
    rows.end()


@pytest.fixture(scope="module")
def module_rosa(module_db: ModuleRows) -> User | None:
    """The researcher who owns what is made once; `rosa` is the same one. None where the module's rows are not there."""
    return new_rosa() if module_db.are_there else None


def study_made_once(name: str, build: Callable[[User], Study]) -> tuple[Any, Any]:
    """Return two fixtures, `{name}_once` and `name`: a study of rosa's, made once for the tests of a module.

    Each test reads the study anew. A transactional test, for which the module's rows are not there, makes its own.
    """
    once = f"{name}_once"

    @pytest.fixture(scope="module", name=once)
    def make(module_rosa: User | None) -> int | None:
        return build(module_rosa).pk if module_rosa else None

    def read(*, rosa: User, module_db: ModuleRows, **made: int) -> Study:
        return Study.objects.get(pk=made[once]) if module_db.are_there else build(rosa)

    # pytest makes the study before the test's savepoint only where a parameter names it.
    parameters = (once, "module_db", "rosa")
    read.__signature__ = Signature([Parameter(one, Parameter.KEYWORD_ONLY) for one in parameters])
    return make, pytest.fixture(name=name)(read)
