"""What a file of tests looks at together is made once: rows that stay for a module.

    @pytest.fixture(scope="module")
    def made(module_db: None) -> int:
        return build_study(...).pk

    @pytest.fixture
    def study(made: int, db: None) -> Study:
        return Study.objects.get(pk=made)

Each test changes its own savepoint, and reads its own objects. Modules with transactional tests cannot have this: those
tests empty all tables.
"""

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Begin a transaction that lasts for a module and is never committed."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)
