"""Enrol a person who arrives by a link as a rater with a reserved set."""

import hmac
import secrets
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from tasks_app import channels
from tasks_app.channels.base import Arrival
from tasks_app.links.credentials import (
    hash_token,
    mark_of_ended_link,
    mark_of_erased,
    token_from,
    token_of_link,
    token_of_visit,
)
from tasks_app.models import (
    Consent,
    ConsentText,
    DailySalt,
    EnrolmentCount,
    Group,
    Identity,
    Invitation,
    PersonalText,
    Rater,
    Study,
    Task,
)
from tasks_app.models.statements import Prepared, rows
from tasks_app.models.study import LINK_ALPHABET, new_seed
from tasks_app.services.arrival import groups, own_texts
from tasks_app.services.database import atomically, lock_claims, released_early
from tasks_app.services.judging import claims, leases, suggestions
from tasks_app.services.waves import schedule


class NotOpen(Exception):
    """The study takes no raters now."""


class StudyFull(Exception):
    """Nothing is left for a new rater."""


class TooMany(Exception):
    """Too many raters enrolled from one address today."""


class AlreadyHere(Exception):
    """The person takes part already, or did, in another visit."""

    def __init__(self, rater: Rater) -> None:
        super().__init__(rater)
        self.rater = rater


# Why somebody may not come in; nothing is stored then.
Refusal: TypeAlias = NotOpen | StudyFull | TooMany | AlreadyHere
REFUSALS = (NotOpen, StudyFull, TooMany, AlreadyHere)


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A rater and the token of their personal link, which is not kept anywhere."""

    rater: Rater
    token: str
    is_new: bool


def enrol(
    *,
    study_id: int,
    nonce: str,
    consent_text_id: int | None,
    arrival: Arrival | None = None,
    address: str = "",
    kind: str = Rater.Kind.REAL,
) -> Enrolled:
    """Make a rater at the consent POST and reserve a set of every task; posted twice, the same rater comes back.

    Sets of later waves are reserved too, so that nobody who comes back for them is turned away.
    Who a platform sends a second time in the same visit comes back too, even without the first press's form. Whoever
    is known or refused for their address takes no lock, so that a form sent again and again keeps nobody waiting.
    Everybody who comes to a rehearsal is on trial, whatever link or form they used.

    Raises
    ------
    NotOpen, StudyFull, TooMany, AlreadyHere
        Nothing is stored then.
    """
    study = Study.with_rehearsals.get(pk=study_id)
    if study.is_rehearsal:
        kind, address = Rater.Kind.SANDBOX, ""
    arrived = arrival or Arrival("link")
    token = token_of_form(study_id, nonce, arrived)
    if (enrolled := _known(study, arrived, token)) is not None:
        return enrolled
    counted_as = None
    if address and study.state == Study.State.OPEN:
        counted_as = _counted_as(address)
        _refuse_too_many(study, counted_as)
    consent_text = ConsentText.objects.get(pk=consent_text_id, study=study) if consent_text_id is not None else None
    return _enrol(_Newcomer(study, token, arrived, kind, consent_text, counted_as, claims.tasks_to_claim(study)))


@dataclass(frozen=True, slots=True)
class _CountedAs:
    """A day and the digest of an address, under which its enrolments of that day are counted."""

    day: date
    digest: str


@dataclass(slots=True)
class _Newcomer:
    """Somebody who has agreed, and all that can be read before the claims lock is taken."""

    study: Study
    token: str
    arrival: Arrival
    kind: str
    consent_text: ConsentText | None
    counted_as: _CountedAs | None
    tasks: list[Task]


# All that may have changed while the claims lock was waited for, or that no other transaction can change now.
_NOW = Prepared(
    "enrolling",
    """
SELECT s.state, s.current_version,
    EXISTS (SELECT 1 FROM tasks_app_rater r WHERE r.token_hash = %(token)s OR r.first_link = %(ended_link)s),
    EXISTS (SELECT 1 FROM tasks_app_rater r WHERE r.study_id = s.id AND r.pseudonym = %(pseudonym)s),
    EXISTS (SELECT 1 FROM tasks_app_collectedtext c WHERE c.study_id = s.id),
    EXISTS (SELECT 1 FROM tasks_app_markauthor m WHERE m.study_id = s.id),
    EXISTS (SELECT 1 FROM tasks_app_group g WHERE g.study_id = s.id)
FROM tasks_app_study s WHERE s.id = %(study)s
""",
)


@released_early
def _enrol(newcomer: _Newcomer) -> Enrolled:
    """Enrol somebody under the claims lock, unless they came in while it was waited for.

    Everybody else who comes waits meanwhile: each statement here costs all of them its time.
    """
    study, arrival = newcomer.study, newcomer.arrival
    lock_claims(study.pk)
    pseudonym, digest = _drawn_pseudonym(), hash_token(newcomer.token)
    looked_up = {"study": study.pk, "pseudonym": pseudonym, "token": digest, "ended_link": mark_of_ended_link(digest)}
    if not (found := _NOW.rows(looked_up)):
        raise Study.DoesNotExist
    state, version, is_known, is_taken, has_authors, has_mark_authors, has_groups = found[0]
    known = _known(study, arrival, newcomer.token) if is_known else recognise(study, arrival)
    if known is not None:
        return known
    if (state, version) != (study.state, study.current_version):
        study = newcomer.study = Study.with_rehearsals.get(pk=study.pk)
        newcomer.tasks = claims.tasks_to_claim(study)
    if study.state != Study.State.OPEN:
        raise NotOpen
    if newcomer.counted_as is not None:
        _count(study, newcomer.counted_as)
    leases.free_expired(study.pk)
    rater = _new_rater(newcomer, new_pseudonym(study) if is_taken else pseudonym)
    if has_authors:
        own_texts.hold_back(rater)
    if has_mark_authors:
        suggestions.hold_back_own_marks(rater)
    if newcomer.consent_text is not None:
        Consent.objects.create(rater=rater, consent_text=newcomer.consent_text)
    if has_groups and not _allocated(rater, arrival):
        raise StudyFull
    scheduled = schedule.schedule(rater, newcomer.tasks)
    known_facts = claims.NewRater(arrival.invitation, {entry.task.pk: entry for entry in scheduled})
    for entry in scheduled:
        if claims.claim(rater, entry.task, known_facts) is None:
            raise StudyFull
    return Enrolled(rater, newcomer.token, is_new=True)


def _allocated(rater: Rater, arrival: Arrival) -> bool:
    """Give a new rater a group with room; False where none has any."""
    # A test rater takes no place, and is therefore shown reserved sets, too.
    if rater.kind in Rater.Kind.COUNTED:
        with_room = groups_with_room(rater.study, arrival.invitation)
    else:
        with_room = all_groups(rater.study)
    return groups.allocate(rater, arrival.group, with_room)


def _known(study: Study, arrival: Arrival, token: str) -> Enrolled | None:
    """Return the rater that this visit or this form made before; None for somebody new.

    Raises
    ------
    AlreadyHere
        Where the link that this form made has ended: the rater has another one, or was erased.
    """
    if (enrolled := recognise(study, arrival)) is not None:
        return enrolled
    digest = hash_token(token)
    # In one query, since the link may end between two.
    made_here = Q(token_hash=digest) | Q(first_link=mark_of_ended_link(digest))
    rater = Rater.objects.select_related("study").filter(made_here).first()
    if rater is None:
        return None
    if rater.token_hash != digest:
        raise AlreadyHere(rater)
    return Enrolled(rater, token, is_new=False)


def recognise(study: Study, arrival: Arrival) -> Enrolled | None:
    """Return the rater that this visit made before; None for somebody new.

    Raises
    ------
    AlreadyHere
        Where the person has taken part in another visit: an external id alone brings nobody back.
    """
    if not arrival.external_id:
        return None
    identity = identity_of(study, arrival)
    if identity is None:
        _refuse_erased(study, arrival)
        return None
    if arrival.session_id not in identity.visits:
        raise AlreadyHere(identity.rater)
    return Enrolled(identity.rater, token_of(identity.rater, identity), is_new=False)


def identity_of(study: Study, arrival: Arrival) -> Identity | None:
    """Return the identity in a study with the external id of an arrival, compared as the platform compares ids."""
    identities = Identity.objects.filter(study=study, channel=arrival.channel)
    identities = identities.select_related("rater__study").order_by("pk")
    if channels.ignores_case(arrival.channel):
        return identities.filter(external_id__iexact=arrival.external_id).first()
    return identities.filter(external_id=arrival.external_id).first()


def _refuse_erased(study: Study, arrival: Arrival) -> None:
    """Refuse a person who took part under this id and had everything erased: they have seen the texts already."""
    mark = mark_of_erased(study.pk, arrival.channel, channels.canonical_id(arrival.channel, arrival.external_id))
    if (erased := Rater.objects.select_related("study").filter(token_hash=mark).first()) is not None:
        raise AlreadyHere(erased)


def token_of(rater: Rater, identity: Identity) -> str:
    """Derive the token of a rater who came from a platform, or who got a new personal link."""
    if rater.link_number:
        return token_of_link(rater.pk, rater.link_number)
    return token_of_visit(rater.study_id, identity.channel, identity.external_id, identity.session_id)


def token_of_form(study_id: int, nonce: str, arrival: Arrival) -> str:
    """Derive the token of the rater whom a consent form makes: from its visit to a platform, else from its nonce."""
    if arrival.external_id:
        return token_of_visit(study_id, arrival.channel, arrival.external_id, arrival.session_id)
    return token_from(nonce, study_id)


def _new_rater(newcomer: _Newcomer, pseudonym: str) -> Rater:
    study, arrival = newcomer.study, newcomer.arrival
    rater = Rater.objects.create(
        study=study,
        pseudonym=pseudonym,
        kind=newcomer.kind,
        seed=new_seed(),
        channel=arrival.channel,
        token_hash=hash_token(newcomer.token),
        version=study.current_version,
        language=arrival.language or study.language,
    )
    if arrival.invitation is not None:
        # Before anything is claimed: a set may be kept for whoever this invitation is for.
        Invitation.objects.filter(pk=arrival.invitation).update(rater=rater)
        PersonalText.objects.filter(invitation=arrival.invitation).update(rater=rater, invitation=None)
    if arrival.external_id:
        Identity.objects.create(
            rater=rater,
            study=study,
            channel=arrival.channel,
            external_id=arrival.external_id,
            session_id=arrival.session_id,
            email=arrival.email,
            details=dict(arrival.details),
        )
    return rater


tasks_of = schedule.tasks_of


@atomically
def new_link(*, rater_id: int) -> str:
    """Give a rater a new personal link; the old one ends. Returns its token."""
    rater = Rater.objects.select_for_update().get(pk=rater_id)
    token = token_of_link(rater_id, rater.link_number + 1)
    Rater.objects.filter(pk=rater_id).update(
        token_hash=hash_token(token), link_number=rater.link_number + 1, first_link=mark_of_first_link(rater)
    )
    return token


def mark_of_first_link(rater: Rater) -> str:
    """Return the mark of a rater's first personal link, when the present link ends."""
    return rater.first_link or mark_of_ended_link(rater.token_hash)


def has_room(study: Study, invitation: int | None = None) -> bool:
    """Return whether every task of an open study has something left for a new rater, of one group at least.

    With an `invitation`, whether it has for its person, for whom a set may be kept.
    """
    if Group.objects.filter(study=study).exists():
        return bool(groups_with_room(study, invitation))
    tasks = Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN)
    return all(claims.has_room(task, invitation) for task in tasks)


def all_groups(study: Study) -> set[int]:
    """Return the ids of the groups of a study."""
    return set(Group.objects.filter(study=study).values_list("pk", flat=True))


def groups_with_room(study: Study, invitation: int | None = None) -> set[int]:
    """Return the groups with room for a new rater in every task, later waves included."""
    with_room = all_groups(study)
    if not with_room:
        return with_room
    tasks = Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN).prefetch_related("task_groups")
    for task in tasks:
        if not claims.has_room(task, invitation):
            with_room -= {task_group.group_id for task_group in task.task_groups.all()} or with_room
    return with_room


def new_pseudonym(study: Study) -> str:
    """Draw a made-up name that nobody in the study has."""
    while True:
        drawn = _drawn_pseudonym()
        if not Rater.objects.filter(study=study, pseudonym=drawn).exists():
            return drawn


def _drawn_pseudonym() -> str:
    return f"r-{get_random_string(7, LINK_ALPHABET)}"


def _counted_as(address: str) -> _CountedAs:
    """Return the digest of an address, salted by day; the first call of a day deletes the counts of earlier days."""
    today = timezone.now().date()
    if (salt := DailySalt.objects.filter(day=today).first()) is None:
        EnrolmentCount.objects.filter(day__lt=today).delete()
        DailySalt.objects.filter(day__lt=today).delete()
        DailySalt.objects.bulk_create([DailySalt(day=today, salt=secrets.token_hex(32))], ignore_conflicts=True)
        salt = DailySalt.objects.get(day=today)
    return _CountedAs(today, hmac.new(salt.salt.encode(), address.encode(), "sha256").hexdigest())


def _refuse_too_many(study: Study, counted_as: _CountedAs) -> None:
    """Raise TooMany where an address has had its enrolments of today; nothing is counted."""
    counts = EnrolmentCount.objects.filter(study=study, day=counted_as.day, digest=counted_as.digest)
    if counts.filter(count__gte=study.options.enrolments_per_address).exists():
        raise TooMany


# Returns a row unless the address has had its enrolments of the day.
_COUNT = """
INSERT INTO tasks_app_enrolmentcount AS counted (study_id, day, digest, count)
SELECT %(study)s, %(day)s, %(digest)s, 1 WHERE %(most)s > 0
ON CONFLICT (study_id, day, digest) DO UPDATE SET count = counted.count + 1 WHERE counted.count < %(most)s
RETURNING counted.id
"""


def _count(study: Study, counted_as: _CountedAs) -> None:
    """Count an enrolment of an address; refuse more than the study allows."""
    most = study.options.enrolments_per_address
    if not rows(_COUNT, {"study": study.pk, "day": counted_as.day, "digest": counted_as.digest, "most": most}):
        raise TooMany


def refusal(error: Refusal, study: Study, *, sent: bool = False) -> tuple[str, list[str]]:
    """Word a refusal for a rater: a title, and sentences that name the next step.

    Who was `sent` by a platform gives the place back there: the same address does not let them in later.
    """
    # Of this visit alone: whoever comes by an open link may have begun in an earlier one.
    unstored = _("Nothing about this visit was stored.")
    if isinstance(error, TooMany):
        later = [] if sent else [_("Please try again tomorrow, or from another network.")]
        return _("Too many people from your network today"), [*later, unstored]
    if isinstance(error, AlreadyHere):
        return _("You have taken part already"), [
            _("Each person can take part once. Thank you."),
            _("If you have not finished yet, open your personal link, or this study in the browser you began in."),
        ]
    thanks = _("Thank you for your interest. Nothing about this visit was stored.")
    if isinstance(error, StudyFull):
        later = [] if sent else [_("A place can become free again when somebody stops: you may try this link later.")]
        return _("All places are taken"), [thanks, *later]
    if study.state == Study.State.PAUSED:
        later = [_("Please come back later with the same link. Nothing about this visit was stored.")]
        return _("This study is paused"), [unstored] if sent else later
    return _("This study has ended"), [thanks]
