"""Statements that are written once and planned once for each connection give what the ORM gives."""

import uuid

import pytest
from django.db import ProgrammingError, connection, transaction
from django.db.models import F, QuerySet, Value

from tasks_app.links.credentials import hash_token
from tasks_app.models import Assignment, Judgment, Rater, Study
from tasks_app.models.statements import Prepared, PreparedQuery
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
