"""Two things at once that should not meet: each on a connection of its own, against the real database."""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from random import Random

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Sum

from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, Event, Identity, Judgment, Payment, Rater, RaterSet, Study
from tasks_app.selectors import pay as reads
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import erasure, pay
from tasks_app.services.arrival import enrolment, invitations, returning
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import assignments, judgments, leases
from tasks_app.services.plan import reopening
from tests import extent, invariants, walk
from tests.builders import build_study
from tests.tasks_app import waves_kit
from tests.tasks_app.checks_kit import checked_study, give
from tests.together import together as at_the_same_time
from tests.walk import next_for

pytestmark = pytest.mark.django_db(transaction=True)

# Each of them is in a race of their own; more of them only wait longer for each other.
RATERS = 8 if extent.is_exhaustive() else 4


together = partial(
    at_the_same_time,
    refusals=(judgments.Over, judgments.Conflict, enrolment.AlreadyHere, enrolment.StudyFull, pay.NotPossible),
)


def at_work(study: Study, left: int) -> list[Rater]:
    """Let raters answer until so many units are left to each."""
    raters = [walk.arrive(study) for _rater in range(RATERS)]
    for rater in raters:
        while Assignment.objects.filter(rater=rater, state__in=("reserved", "live")).count() > left:
            found = next_for(rater=rater)
            judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(1)))
    return raters


def answering(study: Study, rater: Rater, nth: int = 0) -> Callable[[], object]:
    """Return the sending of an answer to one of a rater's open units, as a tab of its own has the rater in mind."""
    own = Assignment.objects.filter(rater=rater, state__in=("reserved", "live")).select_related("unit", "set")
    found = own.order_by("order")[nth]
    given = walk.answer(study, found, Random(1))
    mine = Rater.objects.select_related("study").get(pk=rater.pk)
    return lambda: judgments.submit(screen=RaterScreen(mine, found), submission=given)


def paid_as_earned(study: Study, raters: Sequence[Rater]) -> None:
    """Assert that the rows of everybody come to what their stored answers earned, in one row at most."""
    for rater in raters:
        fresh = Rater.objects.select_related("study").get(pk=rater.pk)
        assert fresh.state == Rater.State.ENDED
        rows = Payment.objects.filter(rater=fresh)
        assert rows.count() <= 1
        assert (rows.aggregate(n=Sum("amount"))["n"] or Decimal(0)) == pay.owed(fresh)
    invariants.check(study)


def test_two_tabs_send_the_last_two_answers() -> None:
    study = build_study(None, k=8)
    raters = at_work(study, left=2)
    together(*[answering(study, rater, nth) for rater in raters for nth in (0, 1)])
    paid_as_earned(study, raters)
    ended = Rater.objects.all()
    assert {(one.outcome, bool(one.completion_code)) for one in ended} == {("completed", True)}
    assert Judgment.objects.count() == 4 * RATERS


def test_stopping_while_the_last_answer_is_on_its_way() -> None:
    study = build_study(None, k=8)
    raters = at_work(study, left=1)
    stops = [lambda one=one: assignments.stop(rater=Rater.objects.get(pk=one.pk)) for one in raters]
    together(*[answering(study, one) for one in raters], *stops)
    paid_as_earned(study, raters)
    whole = Rater.objects.filter(outcome="completed").count()
    assert Assignment.objects.filter(state="returned").count() == RATERS - whole


def test_erasing_while_an_answer_is_on_its_way() -> None:
    study = build_study(None, k=8)
    raters = at_work(study, left=2)
    erasures = [lambda one=one: erasure.erase(rater=Rater.objects.get(pk=one.pk)) for one in raters]
    together(*[answering(study, one) for one in raters], *erasures)
    assert not Judgment.objects.exists()
    assert not invariants.ratings_stored()
    assert Rater.objects.exclude(erased_at=None).count() == RATERS
    invariants.check(study)


def test_the_end_of_a_lease_while_an_answer_is_on_its_way() -> None:
    study = build_study(None, k=8)
    raters = at_work(study, left=2)
    sent = [answering(study, one) for one in raters]
    RaterSet.objects.update(lease_until="2020-01-01T00:00Z")
    arrivals = [lambda: walk.arrive(study).pk for _rater in raters]
    answered = together(*sent, *arrivals)[:RATERS]
    assert Counter(type(one).__name__ for one in answered) == {"Receipt": RATERS}, "nobody's answer is lost"
    assert Judgment.objects.count() == 3 * RATERS
    invariants.check(study)


def test_asking_again_while_others_arrive() -> None:
    study = build_study(None, items=RATERS, k=2, set_size=4)
    for _rater in range(RATERS):
        rater = walk.arrive(study)
        while (found := next_for(rater=rater)) is not None:
            judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(1)))
            rater.refresh_from_db()
    ids = list(Judgment.objects.values_list("pk", flat=True))
    again = [lambda n=n: reopening.reopen(study=study, judgments=ids[n::4], rule="manual") for n in range(4)]
    twice = [lambda: reopening.reopen(study=study, judgments=ids, rule="manual")]
    results = together(*again, *twice, *[lambda: walk.arrive(study).pk for _rater in range(RATERS)])
    assert sum(one for one in results[:5] if isinstance(one, int)) == len(ids), "each place once"
    assert Assignment.objects.filter(state="replaced").count() == len(ids)
    invariants.check(study)


def test_one_platform_id_arriving_at_once_is_one_rater() -> None:
    study = build_study(None, k=8)
    visit = Arrival("prolific", external_id="a" * 24, session_id="b" * 24)

    def arrive(arrival: Arrival) -> Callable[[], object]:
        nonce = uuid.uuid4().hex
        return lambda: enrolment.enrol(study_id=study.pk, nonce=nonce, consent_text_id=None, arrival=arrival).token

    other = [Arrival("prolific", external_id="a" * 24, session_id=str(n) * 24) for n in range(RATERS)]
    got = Counter(together(*[arrive(visit) for _tab in range(3 * RATERS)], *map(arrive, other)))
    assert got.pop("AlreadyHere") in {RATERS, 4 * RATERS - 1}
    assert len(got) == 1
    assert Rater.objects.count() == Identity.objects.count() == 1
    invariants.check(study)


def test_one_invitation_opened_at_once_is_one_rater() -> None:
    study = build_study(None, k=8)
    study.settings["channels"] = {"invited": {}}
    study.save()
    rosa = User.objects.create_user("rosa", is_staff=True)
    made = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)[0]
    link = Arrival("invited", details={"key": made.secret})
    arrival = invitations.arrival_of(study=study, arrival=link, user=rosa)

    def enrol() -> object:
        given = {"study_id": study.pk, "nonce": uuid.uuid4().hex, "consent_text_id": None}
        return invitations.enrol(study=study, arrival=arrival, user=rosa, **given).token

    assert len(set(together(*[enrol] * (2 * RATERS)))) == 1
    assert Rater.objects.count() == 1
    made.invitation.refresh_from_db()
    assert made.invitation.rater == Rater.objects.get()


def test_a_wave_begun_in_two_visits_at_once_is_begun_in_one() -> None:
    study = waves_kit.opened()
    arrival = waves_kit.from_prolific("1")
    ada = enrolment.enrol(study_id=study.pk, nonce="x", consent_text_id=None, arrival=arrival).rater
    waves_kit.do_what_is_open(study, ada)
    waves_kit.days_pass(ada, 7.5)
    signed = returning.sign(study, "prolific", 2)
    visits = [waves_kit.from_prolific(str(n)) for n in range(2, 10)]
    got = Counter(
        together(
            *[lambda one=one: returning.come_back(study=study, arrival=one, signed=signed).token for one in visits]
        )
    )
    assert sorted(got.values()) == [1, 7]
    assert got["AlreadyHere"] == 7


def test_another_set_taken_eight_times_at_once_is_one_set() -> None:
    study = build_study(None, items=16, k=2, set_size=4, sets_per_rater=2)
    rater = walk.arrive(study)
    while (found := next_for(rater=rater)) is not None:
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(1)))
        rater.refresh_from_db()
    taken = together(*[lambda: assignments.take_another(rater=Rater.objects.get(pk=rater.pk))] * 8)
    assert Counter(taken) == {True: 1, False: 7}
    assert RaterSet.objects.filter(rater=rater).count() == 2
    invariants.check(study)


def test_a_test_failed_in_two_tabs_is_given_once_more_and_not_twice() -> None:
    study = checked_study(checks={"exam_pass": 1.0, "exam_attempts": 2})
    rater = walk.arrive(study)
    while (found := next_for(rater=rater)).purpose != "exam":
        give(study, rater, found, 3)
    give(study, rater, found, 3)
    found = next_for(rater=rater)

    def fail() -> object:
        return give(study, Rater.objects.get(pk=rater.pk), found, 1).is_new

    assert Counter(together(*[fail] * 4)) == {True: 1, False: 3}
    exams = Assignment.objects.filter(rater=rater, purpose="exam")
    assert sorted(exams.values_list("attempt", "state")) == [(1, "submitted")] * 2 + [(2, "reserved")] * 2


def test_paying_while_raters_stop_and_while_others_pay() -> None:
    study = build_study(None, k=8)
    raters = at_work(study, left=2)
    for one in raters[: RATERS // 2]:
        assignments.stop(rater=one)
    last = Payment.objects.latest("pk").pk
    by = User.objects.create_user("rosa")

    def settle() -> object:
        return pay.settle(study=study, channel="link", by=by, last=last)

    def bonus() -> object:
        amounts = {one.pseudonym: Decimal("0.50") for one in raters}
        return pay.add_bonuses(study=study, by=by, amounts=amounts, reason="care", form="f" * 32)

    stops = [lambda one=one: assignments.stop(rater=Rater.objects.get(pk=one.pk)) for one in raters[RATERS // 2 :]]
    look = [lambda: pay.up_to_date(study=study).open] * 3
    got = together(*[settle] * 4, *[bonus] * 4, *stops, *look)
    assert sorted(got[:4]) == [0, 0, 0, RATERS // 2]
    assert sorted(got[4:8]) == [0, 0, 0, RATERS]
    assert Event.objects.filter(verb="pay settled").count() == Event.objects.filter(verb="bonus added").count() == 1
    assert Payment.objects.exclude(settled_at=None).count() == RATERS // 2
    booked = reads.payment_sums(study.pk)
    assert {booked[one.pk].earned for one in raters} == {Decimal("1.50")}
    assert {booked[one.pk].bonus for one in raters} == {Decimal("0.50")}
    assert sum(one.settled + one.open for one in booked.values()) == 2 * RATERS


def test_undoing_and_paying_a_bonus_at_once_do_not_both_happen() -> None:
    study = build_study(None, k=8)
    raters = [walk.arrive(study) for _rater in range(RATERS)]
    amounts = {one.pseudonym: Decimal("0.50") for one in raters}
    pay.add_bonuses(study=study, by=None, amounts=amounts, reason="care", form="f" * 32)
    rows = list(Payment.objects.select_related("rater__study"))
    undo = [lambda one=one: pay.undo(payment=one, by=None) for one in rows for _time in range(2)]
    last = rows[-1].pk
    together(*undo, lambda: pay.settle(study=study, channel="link", by=None, last=last))
    for one in reads.payment_sums(study.pk).values():
        paid, left = one.settled, one.open
        assert (paid, left) in {(Decimal("0.50"), Decimal(0)), (Decimal(0), Decimal(0)), (Decimal("0.50"), -paid)}
        assert one.bonus in {Decimal("0.50"), Decimal("0.00")}
        assert paid == Decimal("0.50") or one.bonus == 0


def test_freeing_what_is_over_many_times_at_once_frees_it_once() -> None:
    study = build_study(None, k=8)
    at_work(study, left=2)
    RaterSet.objects.update(lease_until="2020-01-01T00:00Z")

    @atomically
    def free() -> object:
        lock_claims(study.pk)
        return leases.free_expired(study.pk)

    assert sorted(together(*[free] * 6)) == [0, 0, 0, 0, 0, RATERS]
    invariants.check(study)


def test_asking_again_waits_for_a_set_before_it_locks_an_answer() -> None:
    study = build_study(None, k=1)
    rater = walk.arrive(study)
    found = next_for(rater=rater)
    judgment = judgments.submit(
        screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(1))
    ).judgment

    def reopen() -> int:
        try:
            return reopening.reopen(study=study, judgments=[judgment.pk], rule="manual")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            # A revision on its way has locked the set, and is about to lock its assignment.
            RaterSet.objects.select_for_update().get(rater=rater)
            reopened = pool.submit(reopen)
            wait_until_somebody_waits_for_a_row()
            Assignment.objects.select_for_update(nowait=True).get(pk=found.pk)
        assert reopened.result(timeout=60) == 1
    invariants.check(study)


def wait_until_somebody_waits_for_a_row() -> None:
    """Return as soon as another connection waits for the end of a transaction; fail where none ever does."""
    for _try in range(6_000):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype IN ('transactionid', 'tuple') AND NOT granted")
            if cursor.fetchone()[0]:
                return
            cursor.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("nobody waits")
