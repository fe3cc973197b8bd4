"""What a file of tests begins with is made once: rows that stay for a module.

    @pytest.fixture(scope="module")
    def made(module_rosa: User) -> int:
        return build_study(module_rosa).pk

    @pytest.fixture
    def study(made: int, db: None) -> Study:
        return Study.objects.get(pk=made)

Each test changes its own savepoint, and reads its own objects. Transactional tests empty all tables: for them the rows
of their module are gone (`ModuleRows.are_there`), and what they need is made by each.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tests.cast import new_rosa

_NOW: dict[str, bool] = {"flushes": False}
_OPEN: list["ModuleRows"] = []


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
