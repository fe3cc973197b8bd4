"""Who may do what: every row of the permission table, asked by everybody, in one world that is put back each time."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from tests import extent
from tests.once import undone
from tests.permissions.rows import PEOPLE, RANKED, SIGN_IN, Row, page
from tests.permissions.table import SHOWN, TABLE, Shown
from tests.permissions.world import EXPLANATION, World, build_world, digest, files, written

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def world(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Build the world once, in a transaction that is never committed."""
    media = tmp_path_factory.mktemp("media")
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=media), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def untouched(world: World) -> dict[str, str]:
    """Digest the tables once: whatever a row changes is taken back."""
    return digest()


def askers(row: Row) -> tuple[str, ...]:
    """Return who asks for a row: all people in an exhaustive run, otherwise those at the borders of what it promises.

    These are the anonymous, the strongest person who is refused, the weakest who is let in, and somebody for every
    further status, such as a stranger where members of a lower role are answered otherwise.
    """
    if extent.is_exhaustive():
        return PEOPLE
    let_in = [person for person in PEOPLE if person not in row.refused]
    chosen = {"anonymous", let_in[0], *row.refused[-1:]}
    answered = {row.statuses[person] for person in chosen}
    chosen |= {person for person in PEOPLE if row.statuses[person] not in answered}
    return tuple(person for person in PEOPLE if person in chosen)


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_each_person_gets_what_the_table_says(world: World, untouched: dict[str, str], row: Row) -> None:
    answered, changed = {}, {}
    people = askers(row)
    for person in people:
        compared = row.changes or person in row.refused
        with undone():
            before = written() if compared else {}
            sent, stored = world.sent(row, person), files() if compared else []
            answer = world.ask(row, person, sent)
            assert "unsafe-" not in answer.headers["Content-Security-Policy"]
            body = b"".join(answer)  # a file is read while it is sent
            answered[person] = answer.status_code
            if compared:
                grown = [name for name, rows in written().items() if rows > before[name]]
                differs = any(untouched[name] != now for name, now in digest(grown).items())
                changed[person] = differs or files() != stored
            if person not in {"editor", "owner", "superuser"}:
                assert EXPLANATION.encode() not in body, f"{person} reads a known answer"
            if person == "anonymous" and row.refused and answer.status_code == SIGN_IN:
                assert answer["Location"].startswith("/admin/login/")
    assert answered == {person: row.statuses[person] for person in people}
    refused = {person for person in people if person in row.refused}
    assert {person for person in refused if changed[person]} == set(), "a refused request changed something"
    if row.changes:
        unchanged = {person for person in people if person not in refused and not changed[person]}
        assert unchanged == set(), "the row asks for nothing real"


@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_pages_show_each_role_what_it_may_do(world: World, shown: Shown) -> None:
    row = page("GET", shown.name, "viewer", query=shown.query, study_in_path=shown.study_in_path, path=shown.path)
    there, least = {}, RANKED.index(shown.least)
    people = RANKED if extent.is_exhaustive() else RANKED[least - 1 : least + 1]
    for person in people:
        with undone():
            there[person] = shown.words in world.ask(row, person, row.query).content.decode()
    assert [person for person in people if there[person]] == [one for one in people if RANKED.index(one) >= least]
