"""Waves: when they open and close, what is kept for whom, and who is written to; on the example panas_groups."""

import csv
import io
from collections import Counter
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command
from django.utils import timezone

from analytics_app.exports import ratings
from tasks_app import studyfile
from tasks_app.models import Assignment, Identity, Rater, RaterSet, Study
from tasks_app.selectors import waves as reads
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment, returning
from tasks_app.services.judging import assignments, judgments, leases
from tasks_app.services.study import lifecycle
from tasks_app.services.waves import closing, schedule
from tests import invariants, walk
from tests.once import ModuleRows
from tests.tasks_app import waves_kit as kit
from tests.tasks_app.waves_kit import EXAMPLE, days_pass, do_what_is_open, from_prolific, invited
from tests.walk import next_for

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(module_db: ModuleRows) -> int:
    return kit.opened().pk


@pytest.fixture
def study(made: int) -> Study:
    """The example, open."""
    return Study.objects.get(pk=made)


def sets_of(rater: Rater) -> dict[str, RaterSet]:
    return {one.task.key: one for one in RaterSet.objects.filter(rater=rater).select_related("task")}


def test_everything_is_reserved_at_enrolment_each_wave_with_its_own_times(study: Study) -> None:
    ada = walk.arrive(study)
    own = sets_of(ada)
    assert {key: one.wave for key, one in own.items()} == {
        "before": 1, "week-1": 2, "week-2": 3, **({"about-messages": 3} if ada.group.key == "messages" else {}),
    }  # fmt: skip
    assert own["before"].opens_at is None
    assert own["week-1"].lease_until == own["week-1"].closes_at
    assert own["week-1"].opens_at > timezone.now() + timedelta(days=6)
    assert dict(Assignment.objects.filter(rater=ada).values_list("set__task__key", "wave")) == {
        key: one.wave for key, one in own.items()
    }


@pytest.mark.parametrize(
    ("zone", "enrolled", "days", "hour", "wanted"),
    [
        # Clocks go forward in London on 29 March 2026: nine o'clock stays nine o'clock.
        ("Europe/London", "2026-03-25T23:30", 7, 9, "2026-04-01T08:00"),
        ("Europe/London", "2026-03-20T10:00", 7, 9, "2026-03-27T09:00"),
        # It is the next day in Auckland already.
        ("Pacific/Auckland", "2026-06-01T13:00", 1, 8, "2026-06-02T20:00"),
        ("America/Los_Angeles", "2026-06-02T03:00", 1, 8, "2026-06-02T15:00"),
        # Half past one is left out in Berlin that night, two o'clock is three.
        ("Europe/Berlin", "2026-03-28T10:00", 1, 2, "2026-03-29T01:00"),
        ("UTC", "2026-12-31T23:59", 1, 0, "2027-01-01T00:00"),
    ],
)
def test_days_are_calendar_days_of_the_studys_time_zone(
    zone: str, enrolled: str, days: int, hour: int, wanted: str
) -> None:
    study = Study(timezone=zone)
    moment = schedule.moment(study, datetime.fromisoformat(enrolled).replace(tzinfo=UTC), days, hour)
    assert moment == datetime.fromisoformat(wanted).replace(tzinfo=UTC)


def test_a_wave_closes_at_the_end_of_its_day(study: Study) -> None:
    ada = walk.arrive(study)
    zone = timezone.zoneinfo.ZoneInfo("Europe/London")
    first, last = (sets_of(ada)[key] for key in ("week-1", "week-2"))
    begun = ada.enrolled_at.astimezone(zone).date()
    assert first.opens_at.astimezone(zone) == datetime.combine(
        begun + timedelta(days=7), datetime.min.time().replace(hour=9), tzinfo=zone
    )
    assert first.closes_at.astimezone(zone).isoformat()[:19] == f"{begun + timedelta(days=10)}T00:00:00"
    assert last.closes_at.astimezone(zone).isoformat()[:19] == f"{begun + timedelta(days=18)}T00:00:00"


def test_a_rater_goes_all_waves_and_ends_after_the_last(study: Study) -> None:
    raters = [walk.arrive(study) for _rater in range(4)]
    for passed, wave in ((0, 1), (7.5, 2), (7, 3)):
        for rater in raters:
            days_pass(rater, passed)
            more = wave == 3 and rater.group.key == "messages"
            assert do_what_is_open(study, rater) == (2 if more else 1)
            assert assignments.is_waiting(rater) == (wave < 3)
            assert (rater.state == Rater.State.ENDED) == (wave == 3)
            invariants.check(study)
    assert Counter(rater.outcome for rater in raters) == {"completed": 4}
    assert Counter(rater.group.key for rater in raters) == {"diary": 2, "messages": 2}
    _waves_and_groups_are_exported(study, raters)


def test_simulated_raters_come_back_for_every_wave(study: Study) -> None:
    call_command("simulate_raters", study.slug, raters=2, seed=5, stdout=StringIO())
    raters = Counter(Rater.objects.values_list("outcome", "group__key"))
    assert (raters.total(), {outcome for outcome, _group in raters}) == (2, {"completed"})
    answered = Assignment.objects.filter(state="submitted")
    assert Counter(answered.values_list("set__task__key", "wave")) == +Counter({
        ("before", 1): 2, ("week-1", 2): 2, ("week-2", 3): 2, ("about-messages", 3): raters["completed", "messages"],
    })  # fmt: skip
    invariants.check(study)


@pytest.mark.exhaustive
def test_simulated_raters_who_leave_are_counted(study: Study) -> None:
    said = StringIO()
    call_command("simulate_raters", study.slug, raters=2, drop_out=1.0, seed=5, stdout=said)
    assert "dropped out: 2" in said.getvalue()
    assert not Rater.objects.filter(outcome="completed").exists()
    # Leases end by the clock of a transaction, of which a test has one.
    RaterSet.objects.filter(state="open").update(lease_until="2020-01-01T00:00Z")
    closing.close_over()
    states = Counter((one.wave, one.state) for one in reads.standings(study))
    assert states[1, "missed"] + states[1, "done"] == 2
    assert states[3, "missed"] == 2
    call_command("simulate_raters", study.slug, raters=2, drop_out=1.0, late=1.0, seed=6, stdout=said)
    assert Rater.objects.filter(outcome="completed").count() == 2
    invariants.check(study)


def _waves_and_groups_are_exported(study: Study, raters: list[Rater]) -> None:
    text = b"".join(ratings.stream(study, format="csv")).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    wave_of = {"before": "1", "week-1": "2", "week-2": "3", "about-messages": "3"}
    group_of = {one.pseudonym: one.group.key for one in raters}
    assert {row["task"] for row in rows} == set(wave_of)
    for row in rows:
        assert (row["wave"], row["group"]) == (wave_of[row["task"]], group_of[row["rater"]])
    scores = [row for row in rows if row["task"] == "before"]
    assert len(scores) >= 20 * len(raters)


def test_what_opens_later_is_neither_shown_nor_counted_and_work_does_not_lengthen_its_lease(study: Study) -> None:
    ada = walk.arrive(study)
    before = sets_of(ada)["week-1"].lease_until
    found = next_for(rater=ada)
    assert found.set.task.key == "before"
    judgments.submit(screen=RaterScreen(ada, found), submission=walk.answer(study, found, Random(1)))
    assert sets_of(ada)["week-1"].lease_until == before
    assert next_for(rater=ada) is None
    ada.refresh_from_db()
    assert ada.state != Rater.State.ENDED
    assert not assignments.open_chosen(
        rater=ada, assignment=Assignment.objects.select_related("set").get(rater=ada, set__task__key="week-1")
    )


def test_a_lease_is_never_made_shorter_and_never_outlives_the_closing(study: Study) -> None:
    ada = walk.arrive(study)
    do_what_is_open(study, ada)
    days_pass(ada, 7.5)
    week = sets_of(ada)["week-1"]
    assert next_for(rater=ada) is not None
    assert sets_of(ada)["week-1"].lease_until == week.closes_at
    settings = {**study.settings, "flow": {**study.settings["flow"], "lease_minutes": 40_000}}
    Study.objects.filter(pk=study.pk).update(settings=settings)
    assert next_for(rater=Rater.objects.get(pk=ada.pk)) is not None
    assert sets_of(ada)["week-1"].lease_until == week.closes_at


def test_who_stays_away_loses_the_later_waves_with_the_first_and_gets_all_back_while_free(study: Study) -> None:
    ada = walk.arrive(study)
    RaterSet.objects.filter(rater=ada, wave=1).update(lease_until="2020-01-01T00:00Z")
    leases.free_expired(study.pk)
    assert set(RaterSet.objects.filter(rater=ada).values_list("state", flat=True)) == {"expired"}
    assert not Assignment.objects.filter(rater=ada, state="reserved").exists()
    invariants.check(study)
    assert next_for(rater=ada).set.task.key == "before"
    assert set(RaterSet.objects.filter(rater=ada).values_list("state", flat=True)) == {"open"}
    invariants.check(study)


def test_a_place_that_went_to_somebody_else_is_replaced_by_one_like_it(study: Study) -> None:
    ada = walk.arrive(study)
    RaterSet.objects.filter(rater=ada, wave=1).update(lease_until="2020-01-01T00:00Z")
    lost = Assignment.objects.get(rater=ada, set__task__key="before").place
    bob = walk.arrive(study)
    assert Assignment.objects.filter(rater=bob, place=lost, state="reserved").exists()
    assert do_what_is_open(study, ada) == 1
    assert assignments.is_waiting(ada)
    assert Assignment.objects.get(rater=ada, set__task__key="before").place != lost
    invariants.check(study)


def test_who_answered_the_first_wave_keeps_the_others_however_long_it_takes(study: Study) -> None:
    ada = walk.arrive(study)
    do_what_is_open(study, ada)
    RaterSet.objects.filter(rater=ada, wave=1).update(lease_until="2020-01-01T00:00Z")
    leases.free_expired(study.pk)
    states = dict(RaterSet.objects.filter(rater=ada).values_list("task__key", "state"))
    assert states.pop("before") == "finished"
    assert set(states.values()) == {"open"}
    assert assignments.is_waiting(ada)


def test_a_wave_that_closed_is_freed_and_the_others_go_on(study: Study) -> None:
    ada = walk.arrive(study)
    do_what_is_open(study, ada)
    days_pass(ada, 10.5)
    assert closing.close_over() == 1
    states = dict(RaterSet.objects.filter(rater=ada).values_list("task__key", "state"))
    assert (states["week-1"], states["week-2"]) == ("expired", "open")
    assert do_what_is_open(study, ada) == 0
    assert assignments.is_waiting(ada)
    days_pass(ada, 4)
    assert do_what_is_open(study, ada) >= 1
    assert ada.outcome == "completed"
    assert not Assignment.objects.filter(rater=ada, set__task__key="week-1", judgments__isnull=False).exists()
    invariants.check(study)


def test_it_closes_without_a_worker_too(study: Study) -> None:
    ada = walk.arrive(study)
    do_what_is_open(study, ada)
    days_pass(ada, 10.5)
    walk.arrive(study)
    assert sets_of(ada)["week-1"].state == "expired"


def test_who_comes_after_a_wave_closed_gets_only_what_has_not(study: Study) -> None:
    ada = walk.arrive(study)
    days_pass(ada, 10.5)
    leases.free_expired(study.pk)
    # The first wave has no closing day; the second closed while they were away.
    assert [one.key for one in schedule.not_over(ada)][:2] == ["before", "week-2"]
    assert do_what_is_open(study, ada) == 1
    assert assignments.is_waiting(ada)
    assert sets_of(ada)["week-1"].state == "expired"
    invariants.check(study)


def test_who_leaves_frees_every_wave(study: Study) -> None:
    ada = walk.arrive(study)
    do_what_is_open(study, ada)
    assignments.stop(rater=ada)
    assert not Assignment.objects.filter(rater=ada, state__in=("reserved", "live")).exists()
    invariants.check(study)


def test_exit_questions_come_in_the_last_wave_and_close_with_it(tmp_path: Path) -> None:
    text = (EXAMPLE / "study.yaml").read_text(encoding="utf-8").replace("slug: example-panas-groups", "slug: longer")
    more = "  - {key: goodbye, title: The end, type: questionnaire, stage: exit, params: {instrument: exit}}\n"
    (tmp_path / "study.yaml").write_text(text + more, encoding="utf-8")
    study = studyfile.load(tmp_path, owner=None)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    ada = walk.arrive(study)
    own = sets_of(ada)
    assert (own["goodbye"].wave, own["goodbye"].opens_at) == (3, own["week-2"].opens_at)
    assert own["goodbye"].closes_at == own["week-2"].closes_at
    assert schedule.count(study) == 3
    assert list(own)[-1] == "goodbye"


# Coming back through a platform -------------------------------------------------------------------------


def test_a_platform_rater_comes_back_by_the_address_of_the_wave_alone(study: Study) -> None:
    ada = enrolment.enrol(study_id=study.pk, nonce="x", consent_text_id=None, arrival=from_prolific("1")).rater
    do_what_is_open(study, ada)
    signed = returning.sign(study, "prolific", 2)
    with pytest.raises(returning.NotDue):
        returning.come_back(study=study, arrival=from_prolific("2"), signed=signed)
    days_pass(ada, 7.5)
    with pytest.raises(enrolment.AlreadyHere):
        enrolment.enrol(study_id=study.pk, nonce="y", consent_text_id=None, arrival=from_prolific("2"))
    for wrong in (
        returning.sign(study, "prolific", 3), returning.sign(study, "mturk", 2), signed + "x", "", "a:b",
        returning.sign(Study(pk=study.pk + 1), "prolific", 2),
    ):  # fmt: skip
        with pytest.raises(returning.NotDue):
            returning.come_back(study=study, arrival=from_prolific("2"), signed=wrong)
    with pytest.raises(returning.NotDue):
        returning.come_back(study=study, arrival=from_prolific("2", person="f"), signed=signed)
    back = returning.come_back(study=study, arrival=from_prolific("2"), signed=signed)
    assert back.rater == ada
    assert Identity.objects.get().visits[-1] == "2" * 24
    # The same visit again, also when the wave is done; no other visit.
    assert returning.come_back(study=study, arrival=from_prolific("2"), signed=signed).token == back.token
    with pytest.raises(enrolment.AlreadyHere):
        returning.come_back(study=study, arrival=from_prolific("3"), signed=signed)
    assert do_what_is_open(study, ada) == 1


def test_each_wave_has_its_code(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(
        settings={**study.settings, "flow": {**study.settings["flow"], "wave_codes": "FIRST1, SECOND2"}}
    )
    ada = enrolment.enrol(study_id=study.pk, nonce="x", consent_text_id=None, arrival=from_prolific("1")).rater
    first = returning.ending_of_wave(ada, 1)
    assert first.address == "https://app.prolific.com/submissions/complete?cc=FIRST1"
    assert returning.ending_of_wave(ada, 2).code == "SECOND2"
    assert returning.ending_of_wave(ada, 3) is None
    do_what_is_open(study, ada)
    done = returning.ending_before(ada, 2)
    assert done is not None
    assert done.code == "FIRST1"
    left = Assignment.objects.filter(rater=ada).order_by("order").first()
    assert left is not None
    Assignment.objects.filter(pk=left.pk).update(state="expired")
    assert returning.ending_before(ada, 2) is None, "a part of the wave was left unanswered"
    study.refresh_from_db()
    assert returning.ending_of_wave(invited(study), 1) is None, "nowhere to enter it"


# Who is due ---------------------------------------------------------------------------------------------


def test_standings_follow_a_rater_through_the_waves(study: Study) -> None:
    ada = enrolment.enrol(study_id=study.pk, nonce="x", consent_text_id=None, arrival=from_prolific("1")).rater

    def states() -> list[str]:
        return [one.state for one in reads.standings(study)]

    assert states() == ["due", "later", "later"]
    do_what_is_open(study, ada)
    assert states() == ["done", "later", "later"]
    days_pass(ada, 7.5)
    assert states() == ["done", "due", "later"]
    assert [(one.channel, one.id) for one in reads.due_ids(study, 2)] == [("prolific", "a" * 24)]
    assert not reads.due_ids(study, 1)
    days_pass(ada, 3)
    assert states() == ["done", "missed", "later"], "what has closed is not due, freed or not"
    assert not reads.due_ids(study, 2)
    closing.close_over()
    assert states() == ["done", "missed", "later"]
    days_pass(ada, 4)
    do_what_is_open(study, ada)
    assert states() == ["done", "missed", "done"]
