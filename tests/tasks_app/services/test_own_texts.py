"""Nobody verifies a text that they wrote: at arrival, at every claim, and when several people come at once."""

import uuid
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, CollectedText, Identity, Invitation, OwnUnit, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.arrival import enrolment, own_texts
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import assignments, claims, leases
from tests import invariants
from tests.builders import build_study
from tests.together import together as at_the_same_time

pytestmark = pytest.mark.django_db(transaction=True)

AUTHOR = "5f0c0000000000000000000a"


def visit(person: str, session: str = "1") -> Arrival:
    return Arrival("prolific", person, session)


def enrol(study: Study, arrival: Arrival) -> Rater:
    return enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None, arrival=arrival).rater


def verified(origin: Study, author: Rater, items: set[str] | None = None, **options: Any) -> Study:
    """Open a study, texts of which an author wrote: those of some items, or of all."""
    study = build_study(None, slug="verification", opened=True, **options)
    keys = set(study.items.values_list("key", flat=True)) if items is None else items
    CollectedText.objects.bulk_create(
        CollectedText(
            study=study,
            item=key,
            digest="",
            origin=origin,
            origin_slug=origin.slug,
            origin_item=key,
            author=author,
            author_name=author.pseudonym,
            judgment=1,
            rating=number,
            persons=own_texts.persons_of(author),
        )
        for number, key in enumerate(sorted(keys), start=1)
    )
    return study


def keys_of(study: Study) -> list[str]:
    return sorted(study.items.values_list("key", flat=True))


def given(rater: Rater) -> set[str]:
    """Return the items of everything that a rater was given."""
    return set(Assignment.objects.filter(rater=rater).values_list("unit__item__key", flat=True))


@atomically
def stop(rater: Rater) -> None:
    """Let a rater stop, so that their places are left to others."""
    lock_claims(rater.study_id)
    assignments.leave_early(leases.lock_rater(rater.pk), Rater.Outcome.WITHDRAWN)


@pytest.fixture
def origin() -> Study:
    return build_study(None, slug="rewriting")


@pytest.fixture
def author(origin: Study) -> Rater:
    return enrol(origin, visit(AUTHOR))


def test_an_author_is_given_every_text_but_their_own(origin: Study, author: Rater) -> None:
    study = verified(origin, author, {keys_of(origin)[0]}, k=1, set_size=4)
    own = CollectedText.objects.get().item
    rater = enrol(study, visit(AUTHOR.upper(), "2"))
    assert own not in given(rater)
    assert given(rater)
    task = study.tasks.get()
    while claims.claim(rater, task) is not None:
        assert own not in given(rater)
    # Everything else went to the author: what is left is their own, and others get it.
    assert given(rater) == set(keys_of(study)) - {own}
    other = enrol(study, visit("5f0c0000000000000000000b"))
    assert given(other) == {own}
    invariants.check(study)


def test_an_author_of_every_text_is_turned_away_and_nothing_is_stored(origin: Study, author: Rater) -> None:
    study = verified(origin, author)
    with pytest.raises(enrolment.StudyFull):
        enrol(study, visit(AUTHOR))
    assert not Rater.objects.filter(study=study).exists()
    assert not OwnUnit.objects.exists()
    assert given(enrol(study, visit("5f0c0000000000000000000b"))), "there is room for others"


def test_authors_who_were_erased_or_whose_ids_were_removed_are_still_known(origin: Study, author: Rater) -> None:
    study = verified(origin, author)
    erasure.forget_platform(rater=author)
    with pytest.raises(enrolment.StudyFull):
        enrol(study, visit(AUTHOR))
    erasure.erase(rater=author)
    row = CollectedText.objects.filter(study=study)[0]
    assert (row.author, row.author_name, row.judgment, row.rating) == (None, "", None, None)
    with pytest.raises(enrolment.StudyFull):
        enrol(study, visit(AUTHOR))


def test_whoever_came_by_the_open_link_cannot_be_known(origin: Study) -> None:
    nobody = enrol(origin, Arrival("link"))
    assert own_texts.persons_of(nobody) == []
    study = verified(origin, nobody)
    assert given(enrol(study, Arrival("link")))


def test_a_person_is_known_by_account_address_or_name(origin: Study, rosa: User) -> None:
    rater = enrol(origin, Arrival("link"))
    Invitation.objects.create(study=origin, name="Ada L.", token_hash="a", user=rosa, rater=rater)
    by_account = set(own_texts.persons_of(rater))
    elsewhere = build_study(None, slug="elsewhere")
    later = enrol(elsewhere, Arrival("link"))
    Invitation.objects.create(study=elsewhere, name="somebody", token_hash="b", user=rosa, rater=later)
    assert by_account & set(own_texts.persons_of(later))
    Invitation.objects.filter(rater=later).update(user=None, name="ada l.")
    assert by_account & set(own_texts.persons_of(later)), "by the name, whatever its case"
    Invitation.objects.filter(rater=later).update(name="somebody else")
    assert not by_account & set(own_texts.persons_of(later))
    Invitation.objects.filter(rater__in=[rater, later]).delete()
    Identity.objects.create(rater=rater, study=origin, channel="invited", external_id="17", email="Ada@example.org")
    Identity.objects.create(rater=later, study=elsewhere, channel="invited", external_id="17", email="ada@example.org")
    # The numbers of invitations are alike and tell nothing; the address does.
    assert len(own_texts.persons_of(rater)) == 1
    assert own_texts.persons_of(rater) == own_texts.persons_of(later)


together = partial(at_the_same_time, refusals=(enrolment.StudyFull, enrolment.AlreadyHere))


def test_authors_who_come_at_once_with_others_never_get_their_own_texts(origin: Study, author: Rater) -> None:
    own = set(keys_of(origin)[:2])
    study = verified(origin, author, own, k=3)
    persons = [AUTHOR, AUTHOR, *(f"5f0c000000000000000000{n:02x}" for n in range(16, 22))]
    came = together(*[lambda p=person, n=n: enrol(study, visit(p, str(n))) for n, person in enumerate(persons)])
    assert sum(isinstance(one, Rater) for one in came[:2]) <= 1, "one person takes part once"
    for rater in Rater.objects.filter(study=study, identity__external_id=AUTHOR):
        assert not given(rater) & own
    invariants.check(study)


def test_an_author_who_is_erased_while_they_arrive_gets_none_of_their_texts(origin: Study, author: Rater) -> None:
    own = set(keys_of(origin)[:2])
    study = verified(origin, author, own)
    _erased, came = together(lambda: erasure.erase(rater=author), lambda: enrol(study, visit(AUTHOR)))
    assert isinstance(came, Rater)
    assert not given(came) & own
    invariants.check(study)


def test_places_that_others_left_are_claimed_without_own_texts(origin: Study, author: Rater) -> None:
    own = {keys_of(origin)[0]}
    study = verified(origin, author, own, k=1, set_size=8)
    first = enrol(study, visit("5f0c0000000000000000000b"))
    assert given(first) >= own
    stop(first)
    rater = enrol(study, visit(AUTHOR))
    assert given(rater)
    assert not given(rater) & own
    invariants.check(study)


def test_warm_up_has_no_own_texts(origin: Study, author: Rater) -> None:
    own = set(keys_of(origin)[:3])
    study = verified(origin, author, own, k=1, set_size=1, systems=("alpha-mt",), checks={"warm_up": 2})
    rater = enrol(study, visit(AUTHOR))
    assert given(rater) == set(keys_of(study)) - own
