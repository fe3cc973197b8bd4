"""Invitations: personal links and accounts, created in bulk, looked up on arrival, revoked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.hashers import get_hasher
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from tasks_app.channels.base import Arrival
from tasks_app.channels.invited import KEY
from tasks_app.links.credentials import hash_token, new_token
from tasks_app.models import Group, Invitation, Membership, Rater, Study
from tasks_app.models.study import LINK_ALPHABET
from tasks_app.services import events
from tasks_app.services.arrival import enrolment
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import reservations

Somebody = AbstractBaseUser | AnonymousUser

# An invitation is one visit, however often its link is opened.
SESSION = "invitation"

# Drawn of 31 letters and digits: 79 bits, which nobody guesses even where each guess is cheap. So the hash need not be
# slow, and two hundred accounts take no minute; at the first sign-in Django makes it as slow as any other.
PASSWORD_LENGTH = 16
ITERATIONS = 10_000


# Whoever may invite people.
EDITING = (Membership.Role.OWNER, Membership.Role.EDITOR)

# Characters of a link's hash that a consent form carries.
MARK_LENGTH = 16


class NotInvited(Exception):
    """The person has no invitation, or no valid one any more."""


class NotYours(Exception):
    """The account takes part in a study of somebody else's as well."""


class SetTaken(Exception):
    """The set went to another rater meanwhile, so that it cannot be kept for anybody else."""


class HasBegun(Exception):
    """The invited person takes part already, so their invitation cannot be taken back."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person to invite. `account` is an account that they have already, from another study.

    `booklet` is a set that is kept for them alone, `language` the one they begin in, "" for that of the study.
    """

    name: str
    email: str = ""
    group: str = ""
    account: str = ""
    booklet: int | None = None
    language: str = ""


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation and its secret, which is not kept anywhere: a link's key, or a password of `account`."""

    invitation: Invitation
    secret: str
    account: str = ""


def arrival_of(*, study: Study, arrival: Arrival, user: Somebody) -> Arrival:
    """Return the arrival of an invited person.

    Raises
    ------
    NotInvited
        Where there is none, or it was taken back.
    tasks_app.services.arrival.enrolment.AlreadyHere
        Where they took part and had all that identifies them erased.
    """
    lookup = {"user_id": user.pk} if arrival.channel == "account" else {"token_hash": _hash_in(arrival), "user": None}
    invitation = _open(study).filter(**lookup).first()
    person = _known(invitation, arrival.channel)
    return replace(person, details={KEY: _mark(invitation)})


def _mark(invitation: Invitation | None) -> str:
    """Return the start of the hash of an invitation's link, which differs from those of replaced links."""
    return invitation.token_hash[:MARK_LENGTH] if invitation else ""


def _open(study: Study) -> QuerySet[Invitation]:
    return Invitation.objects.select_related("group", "rater").filter(study=study, revoked_at=None)


def _hash_in(arrival: Arrival) -> str:
    return hash_token(arrival.details.get(KEY, ""))


def _known(invitation: Invitation | None, channel: str) -> Arrival:
    if invitation is None:
        raise NotInvited
    if invitation.rater is not None and invitation.rater.erased_at is not None:
        raise enrolment.AlreadyHere(invitation.rater)
    group = invitation.group.key if invitation.group else ""
    return Arrival(
        channel,
        str(invitation.pk),
        SESSION,
        invitation.email,
        group,
        invitation=invitation.pk,
        language=invitation.language,
    )


def enrol(*, study: Study, arrival: Arrival, user: Somebody, **consent: Any) -> enrolment.Enrolled:
    """Enrol an invited person who has agreed; asked again, whether they are still invited.

    Who has begun already is let in without a lock.

    Raises
    ------
    NotInvited
        Where the invitation was taken back meanwhile.
    tasks_app.services.arrival.enrolment.NotOpen, StudyFull, AlreadyHere
        As anybody else.
    """
    invitation = _invitation_of_form(_open(study), arrival, user)
    if invitation is not None and invitation.rater_id is not None:
        enrolled = enrolment.recognise(study, _known(invitation, arrival.channel))
        if enrolled is not None:
            return enrolled
    return _enrol(study=study, arrival=arrival, user=user, **consent)


@atomically
def _enrol(*, study: Study, arrival: Arrival, user: Somebody, **consent: Any) -> enrolment.Enrolled:
    lock_claims(study.pk)
    invitation = _invitation_of_form(_open(study).select_for_update(of=("self",)), arrival, user)
    enrolled = enrolment.enrol(arrival=_known(invitation, arrival.channel), **consent)
    if invitation is not None:
        Invitation.objects.filter(pk=invitation.pk).update(rater=enrolled.rater)
    return enrolled


def _invitation_of_form(invitations: QuerySet[Invitation], arrival: Arrival, user: Somebody) -> Invitation | None:
    """Return the invitation of a consent form; raise NotInvited where its link or password was replaced since."""
    number = int(arrival.external_id) if arrival.external_id.isdecimal() else 0
    owner = {"user_id": user.pk} if arrival.channel == "account" else {"user": None}
    invitation = invitations.filter(pk=number, **owner).first()
    if arrival.details.get(KEY, "") != _mark(invitation):
        raise NotInvited
    return invitation


@atomically
def invite(*, study: Study, people: Sequence[Person], by: Somebody) -> list[NewInvitation]:
    """Make a personal link for each of these people; only hashes of their keys are kept.

    Raises
    ------
    SetTaken
        Where a set that is to be kept for one of them was given to somebody meanwhile; nobody is invited then.
    """
    _lock_for_sets(study, people)
    links = [_row(study, person) for person in people]
    events.log(study, by, "invited", after={"links": len(links)})
    return links


@atomically
def invite_with_accounts(*, study: Study, people: Sequence[Person], by: Somebody) -> list[NewInvitation]:
    """Make an account for each of these people, with a password that is shown once, or invite one that is there.

    Accounts may rate and nothing else: they are no researchers.

    Raises
    ------
    NotInvited
        Where a named account is not one that `by` has made for a study of theirs.
    SetTaken
        Where a set that is to be kept for one of them was given to somebody meanwhile; nobody is invited then.
    """
    _lock_for_sets(study, people)
    links = []
    for person in people:
        if person.account:
            links.append(_row(study, person, _account_of(by, person.account)))
            continue
        secret = get_random_string(PASSWORD_LENGTH, LINK_ALPHABET)
        user = User.objects.create(username=_new_username(), password=_hashed(secret), is_staff=False)
        links.append(_row(study, person, user, secret))
    events.log(study, by, "invited", after={"accounts": len(links)})
    return links


def _lock_for_sets(study: Study, people: Sequence[Person]) -> None:
    """Take the claims lock where sets are to be reserved: no rater can be given one of them from now on."""
    if any(person.booklet is not None for person in people):
        lock_claims(study.pk)


def _row(study: Study, person: Person, user: User | None = None, password: str = "") -> NewInvitation:
    if person.booklet is not None and not reservations.may_reserve(person.booklet, study):
        raise SetTaken(_("The set for “%(name)s” has just been given to somebody else.") % {"name": person.name})
    key = new_token()
    row = Invitation.objects.create(
        study=study,
        name=person.name,
        email=person.email,
        token_hash=hash_token(key),
        user=user,
        group=Group.objects.filter(study=study, key=person.group).first() if person.group else None,
        booklet_id=person.booklet,
        language=person.language,
    )
    return NewInvitation(row, password, user.username) if user is not None else NewInvitation(row, key)


def accounts_known_to(by: Somebody) -> QuerySet[User]:
    """Return the accounts of raters in the studies that somebody may edit: these can be invited again."""
    own_studies = {"study__memberships__user_id": by.pk or 0, "study__memberships__role__in": EDITING}
    invitations = Invitation.objects.filter(**own_studies)
    return User.objects.filter(is_staff=False, is_active=True, pk__in=invitations.values("user"))


def _account_of(by: Somebody, name: str) -> User:
    account = accounts_known_to(by).filter(username=name).first()
    if account is None:
        raise NotInvited(_("There is no account “%(name)s” in your studies.") % {"name": name})
    return account


def _new_username() -> str:
    while True:
        drawn = f"rater-{get_random_string(6, LINK_ALPHABET)}"
        if not User.objects.filter(username=drawn).exists():
            return drawn


def _hashed(password: str) -> str:
    hasher = get_hasher()
    slowness = {"iterations": ITERATIONS} if hasattr(hasher, "iterations") else {}
    return hasher.encode(password, hasher.salt(), **slowness)


@atomically
def renew(*, invitation: Invitation, by: Somebody) -> NewInvitation:
    """Make a new link, or a new password, for an invited person; the old one ends. Their answers stay theirs.

    Raises
    ------
    NotYours
        Where the account is invited to a study that `by` may not edit: the password would let them in there as well.
    """
    if invitation.user is not None and _used_elsewhere(invitation.user, by):
        raise NotYours
    key = new_token()
    Invitation.objects.filter(pk=invitation.pk).update(token_hash=hash_token(key), revoked_at=None)
    events.log(invitation.study, by, "renewed an invitation", about=str(invitation.pk))
    if invitation.user is None:
        return NewInvitation(invitation, key)
    secret = get_random_string(PASSWORD_LENGTH, LINK_ALPHABET)
    User.objects.filter(pk=invitation.user.pk, is_staff=False).update(password=_hashed(secret))
    return NewInvitation(invitation, secret, invitation.user.username)


def _used_elsewhere(user: User, by: Somebody) -> bool:
    memberships = Membership.objects.filter(user_id=by.pk or 0, role__in=EDITING)
    invitations = Invitation.objects.filter(user=user, revoked_at=None)
    by_others = invitations.exclude(study__memberships__in=memberships)
    return not getattr(by, "is_superuser", False) and by_others.exists()


@atomically
def revoke(*, invitation: Invitation, by: Somebody) -> None:
    """Take an invitation back; a set that was kept for it goes to the next rater.

    Raises
    ------
    HasBegun
        Who takes part keeps the way to their answers and their pay.
    """
    row = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if row.rater_id is not None:
        raise HasBegun
    if Invitation.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=Now(), booklet=None):
        events.log(row.study, by, "revoked an invitation", about=str(row.pk))


@atomically
def release(*, invitation: Invitation, by: Somebody) -> None:
    """Open the rest of a set that was kept for somebody to all raters; the person may take any set from now on."""
    lock_claims(invitation.study_id)
    row = Invitation.objects.select_for_update(of=("self",)).select_related("booklet").get(pk=invitation.pk)
    if row.booklet is not None:
        Invitation.objects.filter(pk=row.pk).update(booklet=None)
        events.log(row.study, by, "released a set", about=str(row.pk), before={"set": str(row.booklet)})


OPEN, STARTED, FINISHED, REVOKED = "open", "started", "finished", "revoked"


def state_of(invitation: Invitation) -> str:
    """Return the state of an invitation: not begun, started or finished."""
    if invitation.rater is not None:
        return FINISHED if invitation.rater.state == Rater.State.ENDED else STARTED
    return REVOKED if invitation.revoked_at else OPEN


def names_taken(study: Study, names: Iterable[str]) -> set[str]:
    """Return the names among these that are invited already."""
    return set(Invitation.objects.filter(study=study, name__in=list(names)).values_list("name", flat=True))


def of_person(user: Somebody) -> QuerySet[Invitation]:
    """Return the studies somebody with an account is invited to, those that were ever opened."""
    rows = Invitation.objects.filter(user_id=user.pk or 0, revoked_at=None, study__current_version__gt=0)
    return rows.select_related("study", "rater").order_by("-id")


@atomically
def regroup(*, study: Study, groups: Mapping[int, str]) -> None:
    """Put invitations into the groups of these keys again, where a draft's groups were made anew."""
    by_key = dict(Group.objects.filter(study=study).values_list("key", "id"))
    for pk, key in groups.items():
        Invitation.objects.filter(study=study, pk=pk).update(group_id=by_key.get(key))
