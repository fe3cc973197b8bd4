"""A set without an answer is held for ten minutes: who enrols and never answers keeps nobody out."""

import uuid
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client

from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, Rater, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import drafts, judgments
from tests import invariants, walk
from tests.builders import build_study
from tests.tasks_app.checks_kit import checked_study, give, skip
from tests.walk import next_for

pytestmark = pytest.mark.django_db

ONE_ADDRESS = "192.0.2.7"


def pass_minutes(study: Study, minutes: float) -> None:
    """Let minutes go by for everybody in a study: the times that the database has stored move into the past."""
    ago = timedelta(minutes=minutes)
    RaterSet.objects.filter(rater__study=study).update(lease_until=F("lease_until") - ago)
    Rater.objects.filter(study=study).update(enrolled_at=F("enrolled_at") - ago)


def arrive(study: Study, channel: str = "link", address: str = "") -> Rater:
    """Enrol somebody who comes by a channel."""
    external_id = uuid.uuid4().hex[:24] if channel == "prolific" else ""
    arrival = Arrival(channel, external_id=external_id, session_id=external_id)
    return enrolment.enrol(
        study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None, arrival=arrival, address=address
    ).rater


def judge(study: Study, rater: Rater, unit: Assignment, seed: int = 1) -> judgments.Receipt:
    """Answer a unit as a careful rater does."""
    return judgments.submit(screen=RaterScreen(rater, unit), submission=walk.answer(study, unit, Random(seed)))


def minutes_left(rater: Rater) -> int:
    """Return for how many minutes from now a rater's only set is kept."""
    held = RaterSet.objects.annotate(clock=Now()).get(rater=rater, state="open")
    return round((held.lease_until - held.clock).total_seconds() / 60)


def small_study(*, sets: int = 1, settings: dict[str, Any] | None = None, **rest: Any) -> Study:
    """Open a study with so many sets of two texts."""
    study = build_study(None, items=2 * sets, k=1, set_size=2, systems=("a",), **rest)
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, **(settings or {})})
    study.refresh_from_db()
    return study


@pytest.mark.parametrize("channel", ["link", pytest.param("prolific", marks=pytest.mark.exhaustive)])
def test_who_enrols_46_raters_and_answers_nothing_holds_no_place_after_ten_minutes(channel: str) -> None:
    study = small_study(sets=46)
    squatters = [arrive(study, channel, ONE_ADDRESS) for _number in range(46)]
    assert not enrolment.has_room(study)
    pass_minutes(study, 9.9)
    assert not enrolment.has_room(study)
    with pytest.raises(enrolment.StudyFull):
        arrive(study, channel)
    pass_minutes(study, 0.2)
    assert enrolment.has_room(study)
    honest = arrive(study, channel)
    assert honest.assignments.filter(state="reserved").count() == 2
    assert not Assignment.objects.filter(rater__in=squatters, state__in=("reserved", "live")).exists()
    invariants.check(study)


def test_opening_pages_keeps_a_set_for_half_an_hour_and_drafts_keep_it_for_longer() -> None:
    study = small_study(sets=2, lease_minutes=1440)
    reader, writer = arrive(study), arrive(study)
    draft, unit = {"answer": "a"}, next_for(rater=writer)
    assert unit is not None
    for number in range(1, 6):
        assert next_for(rater=reader) is not None
        assert next_for(rater=writer) == unit
        draft = {"answer": draft["answer"] + "a"}
        assert drafts.save_draft(screen=RaterScreen(writer, unit), counter=number, answer=draft).saved
        pass_minutes(study, 9)
        if number == 3:
            assert enrolment.has_room(study) is False
    assert minutes_left(reader) == 30 - 45, "whoever opens pages for 45 minutes keeps everybody out"
    assert minutes_left(writer) == 1
    # The same draft again, an older one, and an empty one are nothing new.
    screen = RaterScreen(writer, unit)
    for counter, answer in ((5, draft), (6, draft), (2, {"answer": "b"}), (7, {"answer": ""})):
        drafts.save_draft(screen=screen, counter=counter, answer=answer)
        assert minutes_left(writer) == 1
    drafts.save_draft(screen=screen, counter=8, answer={"answer": "c"})
    assert minutes_left(writer) == 10


@pytest.mark.parametrize("purpose", ["training", "main", "skip"])
def test_the_first_answer_brings_the_declared_lease(purpose: str) -> None:
    study = checked_study(purposes={"i4": "training"} if purpose == "training" else {}, lease_minutes=90)
    rater = arrive(study)
    unit = next_for(rater=rater)
    assert unit is not None
    assert minutes_left(rater) == 10
    if purpose == "skip":
        skip(rater, unit, "upsetting")
    else:
        assert unit.purpose == purpose
        give(study, rater, unit, 3)
    assert minutes_left(rater) == 90
    pass_minutes(study, 80)
    next_for(rater=rater)
    assert minutes_left(rater) == 90


def test_a_declared_lease_that_is_shorter_stays_so() -> None:
    study = small_study(lease_minutes=4)
    rater = arrive(study)
    assert minutes_left(rater) == 4
    pass_minutes(study, 3)
    next_for(rater=rater)
    assert minutes_left(rater) == 4


@pytest.mark.parametrize(
    ("channel", "params", "minutes"),
    [("account", {"lease_days": 3}, 3 * 1440), ("invited", {}, 30), ("invited", {"lease_days": 1}, 1440)],
)
def test_invited_people_have_the_declared_lease_from_the_beginning(
    channel: str, params: dict[str, Any], minutes: int
) -> None:
    """They are one rater each; who reads today begins tomorrow."""
    rater = arrive(small_study(settings={"channels": {channel: params}}), channel)
    assert minutes_left(rater) == minutes


def test_who_reads_for_eleven_minutes_and_loses_nothing() -> None:
    study = small_study()
    reader = arrive(study)
    unit = next_for(rater=reader)
    assert unit is not None
    pass_minutes(study, 11)
    assert judge(study, reader, unit).is_new
    unit.refresh_from_db()
    assert unit.state == "submitted"
    assert minutes_left(reader) == 30
    invariants.check(study)


@pytest.mark.parametrize("others_free", [True, False])
def test_an_answer_to_a_set_that_went_to_others_is_kept_and_the_rater_gets_another_set(others_free: bool) -> None:
    study = small_study(sets=2 if others_free else 1)
    reader = arrive(study)
    unit = next_for(rater=reader)
    assert unit is not None
    pass_minutes(study, 11)
    other = arrive(study)
    assert set(other.assignments.values_list("place", flat=True)) == set(
        reader.assignments.values_list("place", flat=True)
    )
    assert judge(study, reader, unit).is_new
    unit.refresh_from_db()
    assert unit.state == "surplus"
    following = next_for(rater=reader)
    reader.refresh_from_db()
    if others_free:
        assert following is not None
        assert following.unit_id not in set(other.assignments.values_list("unit", flat=True))
        assert minutes_left(reader) == 30
        while following is not None:
            judge(study, reader, following)
            reader.refresh_from_db()
            following = next_for(rater=reader)
        assert reader.outcome == "completed"
    else:
        assert (following, reader.outcome) == (None, "full")
    assert reader.payments.get().amount > 0
    invariants.check(study)


def test_who_lost_a_set_unanswered_is_told_that_the_study_is_full_before_they_work() -> None:
    study = small_study()
    reader = arrive(study)
    pass_minutes(study, 11)
    arrive(study)
    assert next_for(rater=reader) is None
    reader.refresh_from_db()
    assert reader.outcome == "full"
    assert not reader.assignments.filter(judgments__isnull=False).exists()


def test_whoever_never_answers_keeps_no_set_that_they_come_back_to(client: Client) -> None:
    """An automaton that comes back again and again is in nobody's way; a person is shown the set and may answer it."""
    study = small_study()
    token = enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None).token
    idle = Rater.objects.get(study=study)
    for _time in range(4):
        assert client.get(f"/r/{token}/instructions/").status_code == 200
        assert client.get(f"/r/{token}/judge/", follow=True).status_code == 200
        pass_minutes(study, 9)
    assert enrolment.has_room(study)
    assert next_for(rater=idle) is not None
    assert enrolment.has_room(study)
    assert arrive(study).assignments.filter(state="reserved").count() == 2
    invariants.check(study)


def test_reading_the_instructions_keeps_the_set(client: Client) -> None:
    study = small_study()
    token = enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None).token
    pass_minutes(study, 9)
    assert client.get(f"/r/{token}/instructions/").status_code == 200
    assert minutes_left(Rater.objects.get(study=study)) == 10
