"""Rows of pay: made with the end, once, only ever added to; times by the server's clock; what quality never touches."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from random import Random

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from pytest_django import DjangoAssertNumQueries

from analytics_app.services import exclusions
from tasks_app.models import Assignment, Event, Judgment, Payment, Rater, RaterSet, Study
from tasks_app.pay import cents
from tasks_app.selectors import pay as reads
from tasks_app.selectors import payees
from tasks_app.selectors.fieldwork.raters import fieldwork_with
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services import erasure, pay
from tasks_app.services.judging import assignments, judgments
from tasks_app.services.study import lifecycle
from tests import walk
from tests.builders import build_study
from tests.once import study_made_once
from tests.walk import next_for

pytestmark = pytest.mark.django_db

RNG = Random(5)


study_once, study = study_made_once("study", build_study)


def work(study: Study, units: int | None = None, kind: str = Rater.Kind.REAL, rater: Rater | None = None) -> Rater:
    """Let a rater answer so many units, or all of the set."""
    rater = rater or walk.arrive(study, kind)
    assignments.start(rater=rater)
    while units is None or units > 0:
        rater = Rater.objects.select_related("study").get(pk=rater.pk)
        assignment = next_for(rater=rater)
        if assignment is None:
            break
        judgments.submit(screen=RaterScreen(rater, assignment), submission=walk.answer(study, assignment, RNG))
        units = None if units is None else units - 1
    return Rater.objects.select_related("study").get(pk=rater.pk)


def rows(rater: Rater) -> list[tuple[str, Decimal]]:
    return list(rater.payments.order_by("pk").values_list("kind", "amount"))


def bonus(study: Study, rater: Rater, amount: str = "0.50", form: str = "a") -> int:
    return pay.add_bonuses(study=study, by=None, amounts={rater.pseudonym: Decimal(amount)}, reason="care", form=form)


def test_the_end_writes_down_what_is_owed(study: Study) -> None:
    ada = work(study)
    assert ada.outcome == "completed"
    assert rows(ada) == [("full", Decimal("3.00"))]


def test_who_stops_is_paid_for_what_they_did(study: Study) -> None:
    ada = work(study, 3)
    assert pay.owed(ada) == Decimal("2.25"), "said before they stop"
    assert rows(ada) == []
    assignments.stop(rater=ada)
    assert rows(ada) == [("part", Decimal("2.25"))]


def test_the_end_and_its_row_are_one(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = work(study, 3)

    def broken(rater: Rater) -> None:
        raise RuntimeError

    monkeypatch.setattr(pay, "record", broken)
    with pytest.raises(RuntimeError), transaction.atomic():
        work(study, 1, rater=ada)
    ada.refresh_from_db()
    assert (ada.state, Judgment.objects.filter(assignment__rater=ada).count()) == ("judging", 3)


def test_another_set_adds_the_difference() -> None:
    study = build_study(None, slug="another", items=8, sets_per_rater=2, k=1)
    ada = work(study)
    assert assignments.take_another(rater=ada)
    ada = work(study, 2, rater=ada)
    assignments.stop(rater=ada)
    assert rows(ada) == [("full", Decimal("3.00")), ("part", Decimal("1.50"))]


def test_a_remainder_is_paid_in_proportion() -> None:
    study = build_study(None, slug="another", k=1, systems=("alpha-mt",))
    assignments.stop(rater=work(study, 3))
    ada = walk.arrive(study)
    assert pay.offered(ada) == pay.Offered(1, 4, Decimal("0.75"))
    assert rows(work(study, rater=ada)) == [("full", Decimal("0.75"))]


def test_the_largest_booklet_is_a_full_set() -> None:
    """Five texts in sets of at most four make booklets of two sizes: the larger is paid in full."""
    study = build_study(None, slug="another", items=5, k=1, systems=("alpha-mt",))
    amounts = sorted(rows(one)[0][1] for one in (work(study), work(study)))
    units = sorted(one.assignments.count() for one in study.raters.all())
    assert units[0] < units[1]
    assert amounts == [cents(Fraction(3 * units[0], units[1])), Decimal("3.00")]


def test_skipping_changes_no_pay(study: Study) -> None:
    ada = walk.arrive(study)
    assignments.start(rater=ada)
    while (assignment := next_for(rater=Rater.objects.get(pk=ada.pk))) is not None:
        given = walk.answer(study, assignment, RNG, skip_reason="upsetting")
        judgments.submit(screen=RaterScreen(Rater.objects.get(pk=ada.pk), assignment), submission=given)
    ada.refresh_from_db()
    assert rows(ada) == [("full", Decimal("3.00"))]


def test_the_repeat_of_a_skipped_unit_is_not_counted_as_asked(study: Study) -> None:
    ada = work(study, 1)
    first, second, *_others = Assignment.objects.filter(rater=ada).order_by("order")
    Assignment.objects.filter(pk=second.pk).update(purpose="repeat", repeat_of=first, place=None)
    tasks = list(study.tasks.all())
    for state, asked in (("submitted", 4), ("skipped", 3)):
        Assignment.objects.filter(pk=first.pk).update(state=state)
        (work_of_set,) = reads.sets_of(study.pk)[ada.pk]
        assert (work_of_set.main, work_of_set.judged, work_of_set.asked, work_of_set.answered) == (3, 1, asked, 1)
        (of_page,) = fieldwork_with(study, tasks).raters
        assert [progress.work for progress in of_page.sets] == [work_of_set]


def test_imported_and_sandbox_raters_get_no_rows_and_simulated_ones_stand_apart(study: Study) -> None:
    trying, simulated = work(study, kind=Rater.Kind.SANDBOX), work(study, kind=Rater.Kind.SIMULATED)
    Payment.objects.all().delete()
    assert pay.up_to_date(study=study).entries == ()
    assert pay.up_to_date(study=study, simulated=True).earned == Decimal("3.00")
    assert (rows(trying), rows(simulated)) == ([], [("full", Decimal("3.00"))])


def test_raters_from_before_get_their_rows_once(study: Study) -> None:
    ada, ben = work(study), work(study, 2)
    assignments.stop(rater=ben)
    Payment.objects.all().delete()
    for _again in range(2):
        ledger = pay.up_to_date(study=study)
        assert (ledger.earned, ledger.open, Payment.objects.count()) == (Decimal("4.50"), Decimal("4.50"), 2)
    assert rows(ada) == [("full", Decimal("3.00"))]


def test_rows_are_never_taken_back(study: Study) -> None:
    ada = work(study)
    Rater.objects.filter(pk=ada.pk).update(outcome="returned")
    Assignment.objects.filter(rater=ada).update(state="withdrawn")
    assert pay.up_to_date(study=study).earned == Decimal("3.00")


def test_excluding_a_rater_changes_no_payment_file(study: Study, rosa: User) -> None:
    """Quality decides what is analysed, never who is paid."""
    ada = work(study)

    def files() -> list[object]:
        ledger = pay.up_to_date(study=study)
        listed = payees.payees_of(study, "link", payees.waiting(ledger)["link"], 10**9)
        return [one.rows for one in payees.channel_of("link").payment_files(listed)]

    before = files()
    assert ada.pseudonym in str(before)
    exclusions.exclude_rater(rater=ada, by=rosa, reason="too fast")
    Rater.objects.filter(pk=ada.pk).update(failed_checks_at="2026-11-21T00:00:00Z")
    assert files() == before


def test_a_bonus_is_noted_once_however_often_its_form_is_sent(study: Study) -> None:
    ada = work(study)
    assert [bonus(study, ada), bonus(study, ada), bonus(study, ada, form="b")] == [1, 0, 1]
    assert pay.final_pay(ada) == pay.FinalPay(Decimal("3.00"), Decimal("1.00"))


@pytest.mark.parametrize(
    ("amount", "reason", "who"), [("0", "care", "ada"), ("1", " ", "ada"), ("1", "care", "r-none")]
)
def test_bonuses_are_refused_whole(study: Study, amount: str, reason: str, who: str) -> None:
    ada = work(study)
    given = {who.replace("ada", ada.pseudonym): Decimal(amount), walk.arrive(study).pseudonym: Decimal("1.00")}
    with pytest.raises(pay.NotPossible):
        pay.add_bonuses(study=study, by=None, amounts=given, reason=reason, form="a")
    assert not Payment.objects.filter(kind="bonus").exists()


def test_withholding_needs_a_reason_and_can_be_undone(study: Study, rosa: User) -> None:
    ada = work(study)
    with pytest.raises(pay.NotPossible):
        pay.withhold(rater=ada, by=rosa, reason="  ")
    assert pay.withhold(rater=ada, by=rosa, reason="did not agree") == Decimal("3.00")
    with pytest.raises(pay.NotPossible):
        pay.withhold(rater=ada, by=rosa, reason="again")
    listed = payees.payees_of(study, "link", pay.up_to_date(study=study).entries, 10**9)
    assert [(one.amount, one.withheld, one.action) for one in listed] == [(Decimal(0), "did not agree", "withheld")]
    row = ada.payments.get(kind="withheld")
    pay.undo(payment=row, by=rosa)
    with pytest.raises(pay.NotPossible):
        pay.undo(payment=row, by=rosa)
    assert pay.up_to_date(study=study).open == Decimal("3.00")
    assert [kind for kind, _amount in rows(ada)] == ["full", "withheld", "withheld"]


def test_the_database_refuses_withholding_without_a_reason(study: Study) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Payment.objects.create(rater=walk.arrive(study), kind="withheld", amount=1)


def test_what_was_paid_is_not_paid_again(study: Study, rosa: User) -> None:
    ada = work(study)
    last = pay.up_to_date(study=study).entries[0].booked.last
    bonus(study, ada)
    assert pay.settle(study=study, channel="link", by=rosa, last=last) == 1
    ledger = pay.up_to_date(study=study)
    assert (ledger.settled, ledger.open) == (Decimal("3.00"), Decimal("0.50")), "what came later waits"
    assert pay.settle(study=study, channel="link", by=rosa, last=last) == 0
    assert pay.settle(study=study, channel="link", by=rosa, last=10**9) == 1
    with pytest.raises(pay.NotPossible):
        pay.undo(payment=ada.payments.get(kind="bonus"), by=rosa)
    said = str(list(Event.objects.values("object", "before", "after")))
    assert ada.pseudonym not in said


def shift(rater: Rater, *, minutes: Sequence[float], until_answered: Sequence[float] | None = None) -> None:
    """Put a rater's signs of life so many minutes after consent.

    Each unit is answered when it is shown, or `until_answered` minutes later.
    """
    start = rater.enrolled_at
    waits = until_answered or [0.0] * len(minutes)
    end = start + timedelta(minutes=minutes[-1] + waits[-1])
    Rater.objects.filter(pk=rater.pk).update(instructed_at=start, ended_at=end)
    with connection.cursor() as cursor:  # answers are append-only for everybody but the tests of time
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE tasks_app_judgment DISABLE TRIGGER USER")
    units = Assignment.objects.filter(rater=rater).order_by("order")
    for assignment, after, wait in zip(units, minutes, waits, strict=True):
        at = start + timedelta(minutes=after)
        Assignment.objects.filter(pk=assignment.pk).update(first_shown=at)
        Judgment.objects.filter(assignment=assignment).update(submitted_at=at + timedelta(minutes=wait))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE tasks_app_judgment ENABLE TRIGGER USER")


def test_time_runs_from_consent_to_the_end_and_a_night_counts_half_an_hour(study: Study) -> None:
    ada = work(study)
    shift(ada, minutes=[2, 4, 6 + 600, 10 + 600])
    found = reads.minutes_of(study)[ada.pk]
    assert found.paid == pytest.approx(4 + 30 + 4)
    assert found.elapsed == pytest.approx(610)
    assert found.active == pytest.approx(4 * 4.5 / 60)


def test_long_gaps_are_found_wherever_they_begin_and_end(study: Study) -> None:
    """Compare with adding up the gaps one by one, for moments on, before and after each half hour."""
    ada = work(study)
    ada.enrolled_at = datetime(2026, 3, 1, 9, 29, tzinfo=UTC)
    ada.save(update_fields=["enrolled_at"])
    draw, expected, found = Random(3), [], []
    for _course in range(12):
        steps = [draw.choice([0, 0.5, 1, 29, 30, 31, 59, 60, 61, 600]) for _sign in range(8)]
        signs = list(accumulate(steps))
        shift(ada, minutes=signs[::2], until_answered=steps[1::2])
        expected.append((sum(min(step, 30) for step in steps), sum(steps)))
        minutes = reads.minutes_of(study)[ada.pk]
        found.append((minutes.paid, minutes.elapsed))
    assert found == expected


def test_days_between_waves_are_nobodys_work(study: Study) -> None:
    ada = work(study)
    shift(ada, minutes=[2, 5, 10_000, 10_003])
    later = Assignment.objects.filter(rater=ada).order_by("order")[2:]
    Assignment.objects.filter(pk__in=[one.pk for one in later]).update(wave=2)
    found = reads.minutes_of(study)[ada.pk]
    assert [found.paid, found.elapsed] == pytest.approx([8, 8])


def test_the_minimum_is_compared_with_the_median_and_mended_for_each() -> None:
    study = build_study(None, slug="another", k=5)
    Study.objects.filter(pk=study.pk).update(
        settings={**study.settings, "pay": {"amount": "3.00", "minutes": 10, "minimum_hourly": "12.00"}}
    )
    study.refresh_from_db()
    for last in (10, 20, 25):
        shift(work(study), minutes=[1, 2, 3, last])
    ledger = pay.up_to_date(study=study)
    assert ledger.times is not None
    assert ledger.times.median == pytest.approx(20)
    assert (ledger.hourly, ledger.needed, ledger.missing) == (Decimal("9.00"), Decimal("4.00"), Decimal("1.00"))
    assert sorted(ledger.shortfalls.values()) == [Decimal("1.00"), Decimal("2.00")]
    with pytest.raises(pay.NotPossible):
        pay.add_missing(study=study, by=None, amount_shown=Decimal("2.00"), form="m")
    assert pay.add_missing(study=study, by=None, amount_shown=Decimal("3.00"), form="m") == 2
    assert pay.up_to_date(study=study).missing_bonuses == 0


def test_who_left_without_a_word_is_ended_when_the_study_is_closed(study: Study) -> None:
    ada, ben = work(study, 2), work(study, 1)
    RaterSet.objects.filter(rater=ada).update(lease_until="2020-01-01T00:00:00Z")
    assert not assignments.absent_raters(study).exists()
    study = lifecycle.move(study_id=study.pk, action="close", by=None)
    assert list(assignments.absent_raters(study)) == [ada], "ben is at work"
    assert assignments.end_absent(study=study, by=None) == 1
    assert rows(ada) == [("part", Decimal("1.50"))]
    assert rows(ben) == []


def test_times_that_are_kept_in_mind_follow_what_is_answered_later(rosa: User) -> None:
    study = build_study(rosa, slug="two-sets", sets_per_rater=2)
    ada = work(study)
    for _twice in range(2):
        assert reads.facts_of(study, [ada]).minutes == reads.minutes_of(study)
    assert assignments.take_another(rater=ada)
    ada = work(study, rater=ada)
    assert ada.state == Rater.State.ENDED
    assert reads.facts_of(study, [ada]).minutes == reads.minutes_of(study)
    erasure.erase(rater=ada)
    ada.refresh_from_db()
    assert reads.facts_of(study, [ada]).minutes == reads.minutes_of(study)
    assert reads.minutes_of(study)[ada.pk].active is None


def test_times_of_who_has_ended_are_measured_once(
    study: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ended, begun = [work(study) for _rater in range(2)], work(study, 1)
    with django_assert_num_queries(3):
        reads.facts_of(study, ended)
    with django_assert_num_queries(2):
        reads.facts_of(study, ended)
    with django_assert_num_queries(3):
        facts = reads.facts_of(study, [*ended, begun])
    assert facts.minutes == reads.minutes_of(study)
    ended[0].ended_at = None  # as while the end is being written down
    for _twice in range(2):
        with django_assert_num_queries(3):
            reads.facts_of(study, ended)
