"""Wrong texts withdrawn from an open study: who is given what, what raters are paid, and what comes back."""

from collections import Counter
from decimal import Decimal
from io import StringIO
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from analytics_app.heds.filling import known_of
from analytics_app.heds.filling.facts import facts_of, withdrawn_in_words
from tasks_app import studyfile
from tasks_app.models import Assignment, Booklet, Event, Item, Judgment, Output, Payment, Rater, Study, Withdrawal
from tasks_app.selectors import check_results
from tasks_app.selectors.fieldwork.raters import fieldwork_with
from tasks_app.selectors.fieldwork.tasks import study_progress
from tasks_app.selectors.progress import progress_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, claims, grading, judgments, leases
from tasks_app.services.plan import extending
from tasks_app.services.study import lifecycle, withdrawing
from tasks_app.services.study.withdrawing import NotWithdrawn, Withdrawn
from tests.analytics_app.by_commands import write
from tests.analytics_app.working import judge as careless
from tests.builders import build_study
from tests.tasks_app.documents_kit import document_folder, opened
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


def test_marks_of_a_metric_are_no_judgments_that_are_lost(rosa: User, tmp_path: Path) -> None:
    study = opened(document_folder(tmp_path / "s"), rosa)
    rows = [{"item": "d1-1", "system": "system01", "criterion": "errors", "label": "none"}]
    file = str(write(tmp_path / "marks.csv", rows))
    call_command("import_ratings", study.slug, file, metric="GEMBA", stdout=StringIO())
    assert Judgment.objects.count() == 1
    item = Item.objects.get(study=study, key="d1-1")
    done = withdrawing.withdraw(study_id=study.pk, item=item.pk, output=None, reason=REASON, by=rosa)
    assert (done.units, done.judgments) == (2, 0)
    assert Event.objects.get(study=study, verb=withdrawing.WITHDREW).after["judgments"] == 0


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


def test_a_withdrawn_check_counts_neither_for_limits_nor_for_the_monitor(rosa: User) -> None:
    checks = {"controls": 1, "fail_after": 1, "on_failing": "mark"}
    study = build_study(rosa, slug="wrong-check", known={"control": 1}, checks=checks)
    rater = arrive(study)
    careless(rater, right=False)
    before = fieldwork_with(study, study.tasks.all())
    assert [(work.below, work.controls.answered) for work in before.raters] == [(True, 1)]
    assert grading.check_score(rater, study.tasks.get()).answered == 1
    Rater.objects.update(failed_checks_at=None)
    control = Item.objects.get(study=study, key="control0")
    done = withdrawing.withdraw(study_id=study.pk, item=control.pk, reason=REASON, by=None)
    assert [(work.below, work.controls.answered) for work in fieldwork_with(study, study.tasks.all()).raters] == [
        (False, 0)
    ]
    assert grading.check_score(rater, study.tasks.get()).answered == 0
    grading.mark_at_end(rater)
    rater.refresh_from_db()
    assert rater.failed_checks_at is None
    (about,) = check_results.checks_of_study(study)
    assert [(known.is_withdrawn, known.score.answered) for known in about.known] == [(True, 1)]
    assert (list(about.raters), about.n_met) == ([], 0)
    # While raters answer, the limit does not count it either.
    withdrawing.take_back(withdrawal_id=done.withdrawal.pk, by=None)
    assert grading.check_score(rater, study.tasks.get()).answered == 1


def test_plan_file_and_datasheet_name_what_was_changed_while_the_study_was_open(
    rosa: User, rosas_browser: Client, tmp_path: Path
) -> None:
    study = build_study(rosa)
    output = Output.objects.filter(item__study=study).select_related("item", "system").earliest("pk")
    for folder in ("unchanged", "again"):
        studyfile.export(study, str(tmp_path / folder))
    unchanged = (tmp_path / "unchanged" / "study.yaml").read_text(encoding="utf-8")
    assert not unchanged.startswith("#")
    assert "withdrawn text" not in rosas_browser.get(f"/admin/studies/{study.slug}/design/").content.decode()
    assert withdrawn_in_words(facts_of(study)) == ""
    reason = "Another\nitem's text: # no comment."
    withdrawing.withdraw(study_id=study.pk, item=output.item_id, output=output.pk, reason=reason, by=rosa)
    wish = extending.Wish(1, 0)
    places = extending.prospect(study, wish).places
    extending.extend(study_id=study.pk, wish=wish, click=uuid4(), places=places, by=rosa)

    studyfile.export(study, str(tmp_path / "changed"))
    changed = (tmp_path / "changed" / "study.yaml").read_text(encoding="utf-8")
    head, extended, withdrawn, rest = changed.split("\n", 3)
    assert head == "# Changes while the study was open:"
    assert f"task main, 1 more judgment of each unit ({places} places in " in extended
    text_of = f"item {output.item.key}, system {output.system.key}"
    assert f"{text_of} withdrawn, but still in the tables. Reason: Another item's text: # no comment." in withdrawn
    assert rest == unchanged, "the settings are those of the frozen plan"
    studyfile.read(str(tmp_path / "changed"))  # it raises where the file cannot be loaded

    plan = rosas_browser.get(f"/admin/studies/{study.slug}/design/").content.decode()
    assert "1 unit shows a withdrawn text and is given to nobody." in plan
    words = withdrawn_in_words(facts_of(study))
    assert words.startswith("While the study was open, 1 output was withdrawn (Another")
    collected = known_of(study).answers["3.3.2"].answer
    assert words in str(collected)
