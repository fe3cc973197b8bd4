"""In which order locks are taken: as `services.database` says, by everybody."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DataError, OperationalError, connection, transaction

from tasks_app.models import Judgment, Rater, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import erasure
from tasks_app.services.arrival import enrolment, platform_statuses, returning
from tasks_app.services.database import LOCK_ORDER, SUBMISSIONS
from tasks_app.services.judging import assignments, between_units, drafts, judgments
from tasks_app.services.plan import reopening
from tasks_app.services.waves import closing
from tests.builders import build_study
from tests.tasks_app import waves_kit
from tests.tasks_app.checks_kit import checked_study, give, skip
from tests.tasks_app.statements import locks
from tests.walk import answer, arrive, next_for

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_service_takes_locks_in_the_order_that_is_written_down(rosa: User) -> None:
    """Whatever raters and researchers do, recorded from PostgreSQL's own list of locks after every statement."""
    study = checked_study(rosa, checks={"repeats": 1, "fail_after": 1, "on_failing": "end"}, sets_per_rater=2)
    waves = waves_kit.opened()
    with locks() as found:
        _everything_a_rater_does(study)
        failing = arrive(study)
        while (unit := next_for(rater=failing)) is not None:
            give(study, failing, unit, 1 if unit.purpose == "control" else 3)
            failing.refresh_from_db()
        assert failing.outcome == "failed"
        erasure.erase(rater=arrive(study))
        erasure.erase(rater=failing)
        reopening.reopen(study=study, judgments=list(Judgment.objects.values_list("pk", flat=True)), rule="manual")
        _waves(waves, rosa)
        for rater in Rater.objects.filter(erased_at=None):
            enrolment.new_link(rater_id=rater.pk)
            assignments.stop(rater=rater)
    assert found.out_of_order == []
    assert {level for levels in found.taken.values() for level in levels} == set(LOCK_ORDER)
    assert list(LOCK_ORDER) in found.taken.values(), "nothing took all of them"


def _everything_a_rater_does(study: Study) -> None:
    """Judge, draft, correct, skip, come back late, finish, take another set."""
    rater = arrive(study)
    number = 0
    while (unit := next_for(rater=rater)) is not None:
        number += 1
        drafts.save_draft(screen=RaterScreen(rater, unit), counter=number, answer={})
        if number % 3 == 0:
            RaterSet.objects.filter(rater=rater).update(lease_until="2020-01-01T00:00Z")
            arrive(study)
        if unit.purpose == "main" and number % 2:
            skip(rater, unit, "technical")
            continue
        submission = answer(study, unit, Random(number))
        step = judgments.submit(screen=RaterScreen(rater, unit), submission=submission).step
        rater.refresh_from_db()
        if step is not None:
            between_units.go_on(rater=rater, step=step)
        if unit.purpose == "main" and rater.state != Rater.State.ENDED:
            stored = Judgment.objects.get(assignment=unit)
            changed = answer(study, unit, Random(number + 100), replaces=stored.pk)
            judgments.submit(screen=RaterScreen(rater, unit), submission=changed)
    assignments.take_another(rater=rater)


def _waves(study: Study, by: User) -> None:
    """Come back for a later wave through a platform, let a wave close, be sent back by the platform."""
    there = waves_kit.from_prolific("b")
    rater = enrolment.enrol(study_id=study.pk, nonce="", consent_text_id=None, arrival=there).rater
    waves_kit.do_what_is_open(study, rater)
    waves_kit.days_pass(rater, 7.5)
    signed = returning.sign(study, "prolific", 2)
    returning.come_back(study=study, arrival=waves_kit.from_prolific("d"), signed=signed)
    waves_kit.days_pass(rater, 30)
    closing.close_over()
    next_for(rater=rater)
    other = waves_kit.from_prolific("e", "f")
    enrolment.enrol(study_id=study.pk, nonce="", consent_text_id=None, arrival=other)
    report = platform_statuses.Report(1, participant=other.external_id, submission="", status="RETURNED")
    platform_statuses.enter(study=study, channel="prolific", reports=[report], by=by)


# How each level is held by somebody else, and tried without waiting.
HOLD = {
    "submissions": f"SELECT pg_advisory_xact_lock({SUBMISSIONS}, %(study)s)",
    "rater": "SELECT 1 FROM tasks_app_rater WHERE id = %(rater)s FOR NO KEY UPDATE NOWAIT",
    "set": "SELECT 1 FROM tasks_app_raterset WHERE rater_id = %(rater)s FOR NO KEY UPDATE NOWAIT",
    "assignment": "SELECT 1 FROM tasks_app_assignment WHERE id = %(assignment)s FOR NO KEY UPDATE NOWAIT",
}
TRY = {**HOLD, "submissions": f"SELECT 1 / pg_try_advisory_xact_lock({SUBMISSIONS}, %(study)s)::int"}


@pytest.mark.parametrize("level", HOLD)
def test_one_statement_takes_the_locks_of_an_answer_in_their_order(level: str) -> None:
    """While an answer waits for one level, it holds those before it and none after it."""
    study = build_study(None, k=4)
    rater = arrive(study)
    unit = next_for(rater=rater)
    assert unit is not None
    given, about = answer(study, unit, Random(1)), {"study": study.pk, "rater": rater.pk, "assignment": unit.pk}
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(HOLD[level], about)
            pid = pool.submit(_backend).result(timeout=30)
            sent = pool.submit(_closing, lambda: judgments.submit(screen=RaterScreen(rater, unit), submission=given))
            _until_it_waits(pid)
            held = [other for other in HOLD if other != level and not _is_free(TRY[other], about)]
        assert sent.result(timeout=30).is_new
    assert held == list(HOLD)[: list(HOLD).index(level)]


def _backend() -> int:
    """Return the number of this thread's connection to PostgreSQL, which it keeps."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _closing(work: Callable[[], Any]) -> Any:
    try:
        return work()
    finally:
        connection.close()


def _until_it_waits(pid: int) -> None:
    """Return as soon as a connection waits for a lock."""
    with connection.cursor() as cursor:
        for _time in range(100_000):
            cursor.execute("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE pid = %s AND NOT granted)", [pid])
            if cursor.fetchone()[0]:
                return
    raise AssertionError("it waits for nothing")


def _is_free(sql: str, about: dict[str, int]) -> bool:
    """Say whether nobody else holds a lock; it is not kept."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, about)
            transaction.set_rollback(True)
    except (OperationalError, DataError):
        return False
    return True
