"""The check that counts connections."""

import pytest
from django.core import checks
from pytest_django.fixtures import Settings

from evalweb.checks import enough_connections


@pytest.mark.django_db
# The tests' own PostgreSQL grants 197; the last four are for beat, a command, a backup and the probe.
@pytest.mark.parametrize(("needed", "ids"), [(40, []), (193, []), (194, ["evalweb.W001"]), (10_000, ["evalweb.W001"])])
def test_more_threads_than_connections_are_warned_of(settings: Settings, needed: int, ids: list[str]) -> None:
    settings.EVALWEB_CONNECTIONS_NEEDED = needed
    assert [message.id for message in enough_connections(None, databases=["default"])] == ids


def test_it_is_run_for_the_database_and_only_then() -> None:
    assert enough_connections in checks.registry.registry.get_checks()
    assert enough_connections(None, databases=None) == []
