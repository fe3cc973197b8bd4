"""What an enrolment asks of the database while everybody else who comes waits for it."""

import re
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from tasks_app.models import DailySalt, EnrolmentCount, Study
from tasks_app.services.arrival import enrolment
from tasks_app.services.database import CLAIMS
from tests.builders import build_study
from tests.tasks_app.statements import Execute, statements

pytestmark = pytest.mark.django_db(transaction=True)

# Statements of an enrolment by the open link into a study with one task, and those of them under the claims lock.
MOST, MOST_UNDER_THE_LOCK = 24, 16

TAKES_THE_LOCK = "SELECT pg_advisory_xact_lock("
WAITS_FOR_THE_DISK = "SELECT pg_logical_emit_message("

LOCKED = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND objid = %s)"


def come(study: Study, address: str = "192.0.2.7") -> enrolment.Enrolled:
    """Enrol somebody by the open link."""
    return enrolment.enrol(study_id=study.pk, nonce=secrets.token_hex(16), consent_text_id=None, address=address)


def statements_of_an_enrolment(study: Study) -> list[str]:
    """Return the statements of an enrolment after the first one of a day."""
    come(study)
    with statements() as asked:
        come(study)
    return asked


def test_an_enrolment_asks_as_much_of_a_large_study_as_of_a_small_one() -> None:
    small = statements_of_an_enrolment(build_study(None, items=2, k=2, set_size=2))
    large = statements_of_an_enrolment(build_study(None, items=40, k=4, set_size=20, slug="large"))
    assert small == large
    assert len(small) <= MOST
    (locked_at,) = (number for number, sql in enumerate(small) if sql.startswith(TAKES_THE_LOCK))
    under_the_lock = [sql for sql in small[locked_at + 1 :] if not sql.startswith(WAITS_FOR_THE_DISK)]
    assert len(under_the_lock) <= MOST_UNDER_THE_LOCK


def test_the_claims_lock_is_free_while_the_disk_is_waited_for() -> None:
    study = build_study(None, items=2, k=2, set_size=2)
    locked: list[tuple[str, bool]] = []

    def look(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql != LOCKED:
            with connection.cursor() as cursor:
                cursor.execute(LOCKED, [CLAIMS, study.pk])
                locked.append((sql, cursor.fetchone()[0]))
        return execute(sql, params, many, context)

    with connection.cursor() as cursor:
        # The server of the tests does not wait for its disk otherwise.
        cursor.execute("SET synchronous_commit = on")
    with connection.execute_wrapper(look):
        come(study)
    assert [is_locked for sql, is_locked in locked if sql.startswith('INSERT INTO "tasks_app_assignment"')] == [True]
    last, is_locked = locked[-1]
    assert last.startswith(WAITS_FOR_THE_DISK)
    assert not is_locked
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on",), "whatever comes next waits for the disk"
        cursor.execute("RESET synchronous_commit")


def test_the_lowest_free_set_is_found_without_ranking_all_of_them() -> None:
    """No plan sorts: PostgreSQL walks along the index of free sets, and stops at the first that fits."""
    study = build_study(None, items=8, k=2, set_size=2)
    looked_up: list[tuple[str, Any]] = []

    def keep(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        looked_up.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep), statements() as written:
        come(study)
    finds = [number for number, sql in enumerate(written) if re.search(r"ORDER BY b\.number LIMIT 1$", sql)]
    assert finds
    with connection.cursor() as cursor:
        cursor.execute("SET enable_sort = off")
        cursor.execute("SET enable_seqscan = off")
        try:
            for sql, params in looked_up:
                if sql in {looked_up[number][0] for number in finds}:
                    cursor.execute(f"EXPLAIN {sql}", params)
                    plan = "\n".join(line for (line,) in cursor.fetchall())
                    assert "Sort" not in plan, plan
                    assert "booklet_free" in plan, plan
        finally:
            cursor.execute("RESET enable_sort")
            cursor.execute("RESET enable_seqscan")


def test_counts_of_earlier_days_are_deleted_with_their_salt_by_the_first_who_comes() -> None:
    study = build_study(None, items=4, k=2, set_size=2)
    yesterday = timezone.now().date() - timedelta(days=1)
    DailySalt.objects.create(day=yesterday, salt="salt")
    EnrolmentCount.objects.create(study=study, day=yesterday, digest="digest", count=3)
    for _person in range(2):
        come(study)
    (counted,) = EnrolmentCount.objects.all()
    assert (counted.day > yesterday, counted.count) == (True, 2)
    assert not DailySalt.objects.filter(day=yesterday).exists()
