"""Statements that are written once and planned once for each connection give what the ORM gives."""

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
from django.db import DataError, InternalError, ProgrammingError, connection, transaction
from django.db.models import F, QuerySet, Value
from django.test import Client

from tasks_app.links.credentials import hash_token
from tasks_app.models import Assignment, Judgment, Rater, Study
from tasks_app.models.statements import Prepared, PreparedQuery
from tasks_app.services.database import atomically
from tests import pages

pytestmark = pytest.mark.django_db


def fields_of(row: object) -> dict[str, object]:
    """Return the stored fields of a row and of the rows that were selected with it."""
    assert isinstance(row, Rater | Assignment | Judgment)
    own = {name: value for name, value in vars(row).items() if name != "_state"}
    related = {name: vars(one) for name, one in row._state.fields_cache.items() if one is not None}
    for name, fields in related.items():
        own |= {f"{name}.{key}": value for key, value in fields.items() if key != "_state"}
    return own


def test_objects_are_those_of_the_orm(study: Study) -> None:
    token = pages.join(study)
    Rater.objects.update(prefs={"note": "100 % “sure”"})

    def raters(digest: str) -> QuerySet[Rater]:
        return Rater.objects.select_related("study", "group").exclude(kind="100%").filter(token_hash=digest)

    def assignments(rater: int, order: int) -> QuerySet[Assignment]:
        rows = Assignment.objects.select_related("unit", "draft").annotate(label=Value("50 %"), twice=F("order") * 2)
        return rows.filter(rater=rater, order=order, state__in=["reserved", "live"])

    prepared = PreparedQuery("test_raters", raters, digest="?")
    (found,) = prepared.fetch(digest=hash_token(token))
    assert fields_of(found) == fields_of(raters(hash_token(token)).get())
    assert found == Rater.objects.get()
    assert not found._state.adding
    assert prepared.fetch(digest="nobody") == []
    of_order = PreparedQuery("test_assignments", assignments, rater=-1, order=2_147_483_000)
    for order in (1, 2):
        (one,) = of_order.fetch(rater=found.pk, order=order)
        assert fields_of(one) == fields_of(assignments(found.pk, order).get())


def test_each_connection_plans_a_statement_once() -> None:
    statement = Prepared("test_sum", "SELECT %(a)s::int + %(b)s::int + %(a)s::int, '50 %%', %(c)s::text")
    for a in (1, 2):
        assert statement.rows({"a": a, "b": 10, "c": "it's 100 %"}) == [(10 + 2 * a, "50 %", "it's 100 %")]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name = 'evalweb_test_sum'")
        assert cursor.fetchone() == (1,)


def test_a_statement_that_cannot_be_prepared_raises_an_error_of_django() -> None:
    with pytest.raises(ProgrammingError), transaction.atomic():
        Prepared("test_wrong", "SELECT nothing FROM nowhere").rows({})


@pytest.mark.django_db(transaction=True)
def test_a_new_connection_prepares_again_and_a_transaction_undoes_nothing() -> None:
    statement = Prepared("test_again", "SELECT %(n)s::int")
    assert statement.rows({"n": 1}) == [(1,)]
    connection.close()
    assert statement.rows({"n": 2}) == [(2,)]


def test_values_of_other_types_stand_for_themselves(study: Study) -> None:
    stand_in = uuid.UUID(int=0)
    query = PreparedQuery(
        "test_submissions", lambda submission: Judgment.objects.filter(submission=submission), submission=stand_in
    )
    assert query.fetch(submission=uuid.uuid4()) == []


def add(amount: int, statement: Prepared) -> list[tuple[object, ...]]:
    """Add an amount to the table of `altered`, by another statement than the one that reads it."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO test_altered VALUES (%s)", [amount])
    return statement.rows({"least": 0})


@pytest.fixture
def altered() -> Iterator[Callable[[], None]]:
    """Make a table of amounts; returns what gives its column another type, as a migration does beside the site."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE test_altered (amount int)")
    types = iter(("bigint", "numeric"))

    def alter() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE test_altered ALTER amount TYPE {next(types)}")

    yield alter
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE test_altered")


@pytest.mark.django_db(transaction=True)
def test_statements_are_prepared_again_where_a_table_was_altered(altered: Callable[[], None]) -> None:
    statement = Prepared("test_altered", "SELECT amount FROM test_altered WHERE amount >= %(least)s::int ORDER BY 1")
    other = Prepared("test_beside", "SELECT %(n)s::int")
    assert (statement.rows({"least": 0}), other.rows({"n": 1})) == ([], [(1,)])
    altered()
    assert add(1, statement) == [(1,)]
    altered()
    assert atomically(add)(2, statement) == [(1,), (2,)], "its transaction is run again, and stores once"
    assert other.rows({"n": 1}) == [(1,)]
    for lost in ("DEALLOCATE ALL", "DISCARD ALL"):
        with connection.cursor() as cursor:
            cursor.execute(lost)
        assert statement.rows({"least": 0}) == [(1,), (2,)]


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_was_first_needed_in_a_transaction_outlives_its_end() -> None:
    statement, late = Prepared("test_outlives", "SELECT 60 / %(n)s::int"), Prepared("test_late", "SELECT 1")

    def divide(n: int) -> list[tuple[object, ...]]:
        with transaction.atomic():
            return [*statement.rows({"n": 2}), *statement.rows({"n": n})]

    with pytest.raises(DataError):
        divide(0)
    assert statement.rows({"n": 3}) == [(20,)]
    with transaction.atomic():
        # What fails at once in a transaction that is over is prepared once that is behind.
        with connection.cursor() as cursor, suppress(ProgrammingError):
            cursor.execute("SELECT nothing")
        with pytest.raises(InternalError):
            late.rows({})
        transaction.set_rollback(True)
    assert late.rows({}) == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_threads_have_statements_of_their_own() -> None:
    statement = Prepared("test_threads", "SELECT pg_backend_pid(), %(n)s::int")

    def twice(n: int) -> list[tuple[object, ...]]:
        with closing(connection):
            return [*statement.rows({"n": n}), *statement.rows({"n": n})]

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        asked = [pool.submit(twice, n) for n, pool in enumerate((one, other))]
        (first, second) = [found.result() for found in asked]
    assert [n for _pid, n in first + second] == [0, 0, 1, 1]
    assert len({pid for pid, _n in first + second + twice(2)}) == 3


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_database_ended_costs_one_request_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "CONN_HEALTH_CHECKS", True)
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 60)
    statement = Prepared("test_ended", "SELECT pg_backend_pid()")
    ((before,),) = statement.rows({})
    connection.close_if_unusable_or_obsolete()
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [before])
    # What Django does at the beginning and the end of each request.
    connection.close_if_unusable_or_obsolete()
    ((after,),) = statement.rows({})
    assert after != before


# Columns that raters' pages read: by a statement alone, in the transaction of an answer, and in both.
WIDENED = {"judgment.skip_reason": 20, "rater.pseudonym": 40, "rater.state": 10}


@pytest.fixture
def widen() -> Iterator[Callable[[], None]]:
    """Return what makes columns wider, as a migration does while web processes run."""

    def change(more: int) -> None:
        with connection.cursor() as cursor:
            for name, length in WIDENED.items():
                table, column = name.split(".")
                cursor.execute(f"ALTER TABLE tasks_app_{table} ALTER {column} TYPE varchar({length + more})")

    yield lambda: change(1)
    change(0)


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_stored_and_brings_the_next_page_where_columns_were_changed(
    study: Study, somebody: Client, widen: Callable[[], None]
) -> None:
    token = pages.join(study)
    headers = {"prefer": "return=representation"}
    form = pages.unit(somebody, token)
    for stored in (1, 2):
        answer = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"}, headers=headers)
        assert (answer.status_code, Judgment.objects.count()) == (200, stored)
        form = pages.hidden(answer, "answer")
        widen()
