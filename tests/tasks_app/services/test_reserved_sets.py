"""A set that is kept for an invited person: they get it, nobody else does, and every place is still held once."""

import uuid
from functools import partial
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, Booklet, Invitation, Place, Rater, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment, invitations
from tasks_app.services.judging import assignments, judgments, leases, reservations
from tasks_app.services.plan import reopening
from tests import invariants, pages, walk
from tests.builders import build_study
from tests.together import together as at_the_same_time
from tests.walk import next_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Study:
    """An open study of 8 units, judged twice: 4 sets of 4."""
    study = build_study(None, items=4, k=2, set_size=4)
    study.settings["channels"] = {"invited": {}, "link": {}}
    study.save()
    return study


def booklet_of(study: Study, number: int) -> Booklet:
    """Return a set by its number."""
    return Booklet.objects.get(task__study=study, number=number)


def invite(study: Study, number: int | None, name: str = "Bo") -> invitations.NewInvitation:
    """Invite somebody to a set."""
    booklet = None if number is None else booklet_of(study, number).pk
    (made,) = invitations.invite(study=study, people=[invitations.Person(name, booklet=booklet)], by=rosa())
    return made


def rosa() -> User:
    """Return the researcher."""
    return User.objects.get_or_create(username="rosa", defaults={"is_staff": True})[0]


def come(study: Study, made: invitations.NewInvitation) -> Rater:
    """Enrol an invited person as their link does."""
    link = Arrival("invited", details={"key": made.secret})
    arrival = invitations.arrival_of(study=study, arrival=link, user=rosa())
    given = {"study_id": study.pk, "nonce": uuid.uuid4().hex, "consent_text_id": None}
    return invitations.enrol(study=study, arrival=arrival, user=rosa(), **given).rater


def judge(study: Study, rater: Rater, n: int | None = None) -> int:
    """Answer some of a rater's units, or all of them; return how many."""
    answered = 0
    while answered != n and (found := next_for(rater=rater)) is not None:
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(1)))
        rater.refresh_from_db()
        answered += 1
    return answered


def sets_held(rater: Rater) -> set[int]:
    """Return the numbers of the sets whose places a rater has."""
    held = Assignment.objects.filter(rater=rater, place__isnull=False)
    return set(held.values_list("place__booklet__number", flat=True))


def test_the_person_gets_the_set_and_everybody_else_the_others(study: Study) -> None:
    made = invite(study, 2)
    others = [walk.arrive(study) for _rater in range(3)]
    assert [sets_held(rater) for rater in others] == [{1}, {3}, {4}]
    with pytest.raises(enrolment.StudyFull):
        walk.arrive(study)
    assert not enrolment.has_room(study)
    assert enrolment.has_room(study, made.invitation.pk)
    bo = come(study, made)
    assert sets_held(bo) == {2}
    assert not enrolment.has_room(study, made.invitation.pk), "no other set is theirs"
    for rater in (*others, bo):
        assert judge(study, rater) == 4
    invariants.check(study)
    assert Assignment.objects.filter(state="submitted").count() == Place.objects.count()


def test_what_the_person_leaves_stays_theirs_until_it_is_released(study: Study) -> None:
    made = invite(study, 1)
    bo = come(study, made)
    assert judge(study, bo, 1) == 1
    RaterSet.objects.filter(rater=bo).update(lease_until="2020-01-01T00:00Z")
    others = [walk.arrive(study) for _rater in range(3)]
    assert [sets_held(rater) for rater in others] == [{2}, {3}, {4}], "places of a set that is kept are left alone"
    with pytest.raises(enrolment.StudyFull):
        walk.arrive(study)
    assert judge(study, bo) == 3, "they come back late, and nothing is lost"
    invariants.check(study)


def test_a_set_that_is_released_goes_to_whoever_comes(study: Study) -> None:
    made = invite(study, 1)
    bo = come(study, made)
    judge(study, bo, 1)
    assignments.stop(rater=bo)
    others = [walk.arrive(study) for _rater in range(3)]
    with pytest.raises(enrolment.StudyFull):
        walk.arrive(study)
    invitations.release(invitation=made.invitation, by=rosa())
    last = walk.arrive(study)
    assert sets_held(last) == {1}
    for rater in (*others, last):
        judge(study, rater)
    assert Assignment.objects.filter(state="submitted").count() == Place.objects.count()
    assert study.events.get(verb="released a set").object == str(made.invitation.pk)
    invariants.check(study)


def test_what_the_person_will_not_meet_again_is_open_to_others(study: Study) -> None:
    made = invite(study, 1)
    bo = come(study, made)
    first = next_for(rater=bo)
    skipped = judgments.Submission(uuid=uuid.uuid4(), answer={}, seconds_active=1, skip_reason="other")
    judgments.submit(screen=RaterScreen(bo, first), submission=skipped)
    judge(study, bo)
    answer = Assignment.objects.filter(rater=bo, state="submitted").first()
    reopening.reopen(study=study, judgments=[answer.judgments.get().pk], rule="a rule")
    free = Place.objects.filter(booklet__number=1).exclude(assignments__state="submitted").count()
    assert free == 2
    assert sets_held(walk.arrive(study)) == {1}, "others get these two, and first, as whatever is left over"
    invariants.check(study)


def test_a_revoked_invitation_keeps_no_set(study: Study) -> None:
    made = invite(study, 1)
    with pytest.raises(invitations.SetTaken):
        invite(study, 1, "Cy")
    assert Invitation.objects.count() == 1, "nobody is invited then"
    invitations.revoke(invitation=made.invitation, by=rosa())
    assert sets_held(walk.arrive(study)) == {1}
    with pytest.raises(invitations.SetTaken):
        invite(study, 1, "Di")


def test_who_tries_the_study_out_is_shown_reserved_sets_too(study: Study) -> None:
    for number in range(1, 5):
        invite(study, number, f"Bo {number}")
    tried = walk.arrive(study, kind=Rater.Kind.SANDBOX)
    assert judge(study, tried) == 4
    assert Booklet.objects.filter(state="free").count() == 4


together = partial(at_the_same_time, refusals=(enrolment.StudyFull, invitations.SetTaken))


def test_a_crowd_races_the_person_and_nobody_gets_the_set(study: Study) -> None:
    made = invite(study, 1)
    crowd = [lambda: sets_held(walk.arrive(study)) for _rater in range(8)]
    got = together(*crowd, lambda: sets_held(come(study, made)))
    assert got[-1] == {1}
    assert sorted(map(str, got[:-1])) == ["StudyFull"] * 5 + ["{2}", "{3}", "{4}"]
    invariants.check(study)


def test_a_crowd_races_the_invitation_and_the_set_is_somebodys_once(study: Study) -> None:
    rosa()
    booklet = booklet_of(study, 1).pk
    crowd = [lambda: sets_held(walk.arrive(study)) for _rater in range(4)]
    reserving = [lambda name=name: invite(study, 1, name).invitation.pk for name in ("Bo", "Cy")]
    got = together(*crowd, *reserving)
    kept = Invitation.objects.filter(booklet=booklet).first()
    holders = [one for one in got[:4] if one == {1}]
    assert got[4:].count("SetTaken") == (1 if kept is not None else 2)
    assert len(holders) == (0 if kept is not None else 1)
    if kept is not None:
        assert reservations.has_places(booklet, kept.pk)
    invariants.check(study)


def test_one_link_opened_twice_is_one_rater_with_the_set(study: Study) -> None:
    made = invite(study, 3)
    got = together(*[lambda: come(study, made).pk for _tab in range(6)])
    assert len(set(got)) == 1
    assert sets_held(Rater.objects.get()) == {3}
    leases.free_expired(study.pk)
    invariants.check(study)


def test_two_people_press_the_button_at_once_and_each_gets_their_own_set(study: Study) -> None:
    """Through the pages that raters see: one set is left for anybody, the other is kept."""
    made = invite(study, 2)
    for _rater in range(2):
        walk.arrive(study)
    link, invited = f"/join/{study.link_code}/", f"/join/{study.link_code}/invited/"
    addresses = [(link, {}), (link, {}), (link, {}), (invited, {"key": made.secret}), (invited, {"key": made.secret})]
    forms = [(path, pages.hidden(Client().get(path, query))) for path, query in addresses]

    def press(path: str, form: dict[str, str]) -> int:
        return Client().post(path, form).status_code

    got = together(*[partial(press, path, form) for path, form in forms])
    assert sorted(got[:3]) == [302, 409, 409], "one of them finds the last set"
    assert got[3:] == [302, 302], "two tabs of one person"
    bo = Rater.objects.get(invitation=made.invitation)
    assert sets_held(bo) == {2}
    assert Rater.objects.filter(study=study).count() == 4
    assert "All places are taken" in Client().get(link).content.decode()
    invariants.check(study)
