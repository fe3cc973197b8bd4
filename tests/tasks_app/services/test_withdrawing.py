"""Wrong texts withdrawn from an open study: who is given what, what raters are paid, and what comes back."""

from collections import Counter
from decimal import Decimal
from random import Random

import pytest
from django.contrib.auth.models import User

from tasks_app.models import Assignment, Booklet, Event, Item, Output, Payment, Rater, Study, Withdrawal
from tasks_app.selectors.fieldwork.tasks import study_progress
from tasks_app.selectors.progress import progress_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, claims, judgments, leases
from tasks_app.services.study import lifecycle, withdrawing
from tasks_app.services.study.withdrawing import NotWithdrawn, Withdrawn
from tests.builders import build_study
from tests.tasks_app.services.test_pay import rows, work
from tests.walk import answer, arrive, next_for

pytestmark = pytest.mark.django_db

REASON = "The output belongs to another item."


def withdraw(study: Study, unit: Assignment, *, whole: bool = False, by: User | None = None) -> Withdrawn:
    """Withdraw the text that an assignment shows, or its whole item."""
    output = Output.objects.get(part_outputs__part__unit=unit.unit_id)
    pk = None if whole else output.pk
    return withdrawing.withdraw(study_id=study.pk, item=output.item_id, output=pk, reason=REASON, by=by)


def ahead(rater: Rater) -> Assignment:
    """Return the last unit of a rater, which they have not seen."""
    return rater.assignments.filter(state="reserved").latest("order")


def judge(study: Study, assignment: Assignment) -> None:
    screen = RaterScreen(assignment.rater, assignment)
    judgments.submit(screen=screen, submission=answer(study, assignment, Random(assignment.pk)))


def finish(study: Study, rater: Rater) -> Rater:
    """Let a rater answer everything that is left."""
    return work(study, rater=rater)


def given(study: Study) -> Counter[int]:
    """Count the units that raters hold or have answered."""
    held = Assignment.objects.filter(rater__study=study, state__in=Assignment.State.HOLDING)
    return Counter(held.values_list("unit_id", flat=True))


def test_a_text_ahead_is_passed_over_and_paid_and_given_to_nobody(study: Study, rosa: User) -> None:
    early = arrive(study)
    shown = next_for(rater=early)
    assert shown is not None
    last = ahead(early)
    done = withdraw(study, last, by=rosa)
    assert (done.units, done.judgments, done.raters) == (1, 0, 1)
    last.refresh_from_db()
    assert last.state == Assignment.State.PASSED_OVER
    assert progress_of(early, 4).total == 3
    # Three of four answered, and the whole set is paid: the rater has completed.
    assert finish(study, early).outcome == Rater.Outcome.COMPLETED
    assert rows(early) == [("full", Decimal("3.00"))]

    # Everybody who comes gets what is left, and nobody the withdrawn text; then the study is full.
    for _rater in range(4):
        if not claims.has_room(study.tasks.get()):
            break
        finish(study, arrive(study))
    assert not claims.has_room(study.tasks.get())
    counts = given(study)
    assert counts[last.unit_id] == 0
    assert len(counts) == 7
    assert set(counts.values()) == {2}
    task = study_progress(study).tasks[0]
    assert (task.places, task.submitted, task.withdrawn, task.units) == (14, 14, 1, {2: 7})
    event = Event.objects.get(study=study, verb=withdrawing.WITHDREW)
    assert (event.actor, event.after["reason"], event.after["raters"]) == (rosa, REASON, 1)

    # Taken back, its two places are open again, for raters who were not passed over.
    row = withdrawing.take_back(withdrawal_id=done.withdrawal.pk, by=rosa)
    assert row.taken_back_by == rosa
    assert study_progress(study).tasks[0].places == 16
    assert claims.has_room(study.tasks.get())
    for _rater in range(2):
        finish(study, arrive(study))
    assert given(study)[last.unit_id] == 2
    task = study_progress(study).tasks[0]
    assert (task.places, task.submitted, task.withdrawn) == (16, 16, 0)
    assert set(Booklet.objects.filter(task=study.tasks.get()).values_list("state", flat=True)) == {"taken"}


def test_a_text_on_the_screen_can_be_finished_and_one_that_was_left_is_not_shown_again(study: Study) -> None:
    rater, other = arrive(study), arrive(study)
    shown, left = next_for(rater=rater), next_for(rater=other)
    assert shown is not None
    assert left is not None
    withdraw(study, shown)
    withdraw(study, left)
    judge(study, shown)
    shown.refresh_from_db()
    assert shown.state == Assignment.State.SUBMITTED
    # The other's lease runs out, and the other comes back for the rest of the set.
    other.sets.update(lease_until="2020-01-01T00:00Z")
    leases.free_expired(study.pk)
    assert finish(study, other).outcome == Rater.Outcome.COMPLETED
    left.refresh_from_db()
    assert left.state == Assignment.State.PASSED_OVER
    assert rows(other) == [("full", Decimal("3.00"))]
    places = study_progress(study).tasks[0].places
    assert places == 16 - 3, "one of four places was answered; the other three are wanted no more"


def test_who_has_nothing_left_has_completed_and_a_whole_set_is_given_back(rosa: User) -> None:
    study = build_study(rosa, items=4, systems=("alpha-mt",), k=1, set_size=2)
    rater = arrive(study)
    first = next_for(rater=rater)
    assert first is not None
    last = ahead(rater)
    judge(study, first)
    withdraw(study, last, whole=True)
    rater.refresh_from_db()
    assert (rater.state, rater.outcome) == (Rater.State.ENDED, Rater.Outcome.COMPLETED)
    assert rows(rater) == [("full", Decimal("3.00"))]
    # Nothing of this set was answered: it is nobody's work, and no other set is left.
    fresh = arrive(study)
    for unit in list(fresh.assignments.order_by("order")):
        withdraw(study, unit)
    assert set(fresh.assignments.values_list("state", flat=True)) == {Assignment.State.RETURNED}
    assert next_for(rater=fresh) is None
    fresh.refresh_from_db()
    assert fresh.outcome == Rater.Outcome.FULL
    assert not Payment.objects.filter(rater=fresh, amount__gt=0).exists()
    assert study_progress(study).tasks[0].places == 1


def test_checks_and_repeats_of_it_go_with_it_and_screens_with_several_texts_go_whole(rosa: User) -> None:
    study = build_study(
        rosa, known={"control": 2}, checks={"controls": 1, "repeats": 4}, slug="checked", set_size=4, k=2
    )
    control = Item.objects.get(study=study, key="control0")
    withdrawing.withdraw(study_id=study.pk, item=control.pk, reason=REASON, by=None)
    raters = [arrive(study) for _number in range(3)]
    checks = Assignment.objects.filter(rater__in=raters, purpose="control").values_list("unit__item__key", flat=True)
    assert set(checks) == {"control1"}
    repeat = Assignment.objects.filter(rater=raters[0], purpose="repeat").latest("order")
    assert repeat.repeat_of is not None
    withdraw(study, repeat.repeat_of)
    states = Assignment.objects.filter(rater=raters[0], unit=repeat.unit_id).values_list("state", flat=True)
    assert set(states) == {Assignment.State.PASSED_OVER}
    assert finish(study, raters[0]).outcome == Rater.Outcome.COMPLETED
    assert rows(raters[0]) == [("full", Decimal("3.00"))]

    pairs = build_study(rosa, type="pairwise", slug="pairs", items=3, systems=("a-mt", "b-mt", "c-mt"))
    one = Output.objects.filter(item__study=pairs).earliest("pk")
    done = withdrawing.withdraw(study_id=pairs.pk, item=one.item_id, output=one.pk, reason=REASON, by=None)
    assert done.units == 2, "of three pairs of an item, two show the output"


def test_what_is_refused_changes_nothing(study: Study) -> None:
    output = Output.objects.filter(item__study=study).earliest("pk")
    other = build_study(None, slug="another")
    about = {"study_id": study.pk, "item": output.item_id, "reason": REASON, "by": None}
    for wrong, sentence in (
        ({"reason": " "}, "Enter a reason"),
        ({"reason": "x" * 501}, "at most 500"),
        ({"reason": "a\0"}, "NUL character"),
        ({"item": other.items.earliest("pk").pk}, "no such text"),
        ({"output": Output.objects.filter(item__study=other).earliest("pk").pk}, "no such text"),
    ):
        with pytest.raises(NotWithdrawn, match=sentence):
            withdrawing.withdraw(**{**about, **wrong})
    assert not Withdrawal.objects.exists()
    done = withdrawing.withdraw(**about)
    for again in ({}, {"output": output.pk}):
        with pytest.raises(NotWithdrawn, match="withdrawn already"):
            withdrawing.withdraw(**about, **again)
    withdrawing.take_back(withdrawal_id=done.withdrawal.pk, by=None)
    with pytest.raises(NotWithdrawn, match="taken back already"):
        withdrawing.take_back(withdrawal_id=done.withdrawal.pk, by=None)
    # What was taken back can be withdrawn again, first one output and then the item.
    withdrawing.withdraw(**about, output=output.pk)
    done = withdrawing.withdraw(**about)
    lifecycle.move(study_id=study.pk, action="close", by=None)
    for act in (
        lambda: withdrawing.withdraw(**about),
        lambda: withdrawing.take_back(withdrawal_id=done.withdrawal.pk, by=None),
    ):
        with pytest.raises(NotWithdrawn, match="This study is neither"):
            act()
    assert not assignments.absent_raters(study).exists()
