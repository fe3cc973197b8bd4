"""Invite a colleague to work on a study by a link, and accept such an invitation."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tasks_app.access import open_colleague_invitations
from tasks_app.links.credentials import hash_token, new_token
from tasks_app.models import ColleagueInvitation, Membership, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study import drafts

log = logging.getLogger(__name__)

# Days for which an invitation can be accepted.
DAYS = 14

# Most invitations of a study that can be accepted at the same time.
MOST_OPEN = 100

# How strong a role is, from the weakest.
_ROLES = (Membership.Role.VIEWER, Membership.Role.EDITOR, Membership.Role.OWNER)


class InvitationRefused(ValueError):
    """An invitation cannot be made or accepted; the message tells how to go on."""


@dataclass(frozen=True, slots=True)
class MadeInvitation:
    """A new invitation and its token, which is not kept anywhere."""

    invitation: ColleagueInvitation
    token: str


@atomically
def invite(*, study: Study, role: str, whom: str, by: AbstractBaseUser) -> MadeInvitation:
    """Make a link that gives one person a role in a study, valid for `DAYS` days.

    Raises
    ------
    InvitationRefused
        Where the study has as many open invitations as it takes.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if open_colleague_invitations().filter(study=study).count() >= MOST_OPEN:
        raise InvitationRefused(_("This study has %(n)d open invitations. Revoke one first.") % {"n": MOST_OPEN})
    token = new_token()
    invitation = ColleagueInvitation.objects.create(
        study=study,
        token_hash=hash_token(token),
        role=Membership.Role(role),
        whom=whom,
        expires=timezone.now() + timedelta(days=DAYS),
        made_by_id=by.pk,
    )
    events.log(study, by, "invited a colleague", after={"role": invitation.role})
    return MadeInvitation(invitation, token)


@atomically
def revoke(*, invitation: ColleagueInvitation, by: AbstractBaseUser) -> None:
    """End an invitation that was not accepted; one that was ended stays as it is."""
    waiting = ColleagueInvitation.objects.filter(pk=invitation.pk, revoked_at=None, accepted_at=None)
    if waiting.update(revoked_at=Now(), whom=""):
        events.log(invitation.study, by, "revoked an invitation of a colleague", after={"role": invitation.role})


@atomically
def accept(*, invitation: ColleagueInvitation, user: AbstractBaseUser) -> Study:
    """Give a researcher the role of an invitation, which cannot be accepted again; return the study.

    A member keeps a role that is stronger.

    Raises
    ------
    InvitationRefused
        Where the invitation was accepted, revoked or expired meanwhile.
    """
    locked = open_colleague_invitations().select_for_update(of=("self",)).filter(pk=invitation.pk).first()
    if locked is None:
        raise InvitationRefused(_("This invitation is no longer valid. Ask the person who sent it for a new one."))
    study = invitation.study
    before = Membership.objects.filter(study=study, user_id=user.pk).values_list("role", flat=True).first()
    if before is None or _ROLES.index(Membership.Role(before)) < _ROLES.index(Membership.Role(locked.role)):
        drafts.set_member(study=study, user=user, role=locked.role, by=locked.made_by)
    locked.accepted_at, locked.accepted_by_id, locked.whom = timezone.now(), user.pk, ""
    locked.save(update_fields=["accepted_at", "accepted_by", "whom"])
    events.log(study, user, "accepted an invitation", after={"role": locked.role})
    return study


@atomically
def accept_with_new_account(*, invitation: ColleagueInvitation, username: str, password: str, name: str = "") -> User:
    """Make a researcher's account and accept an invitation with it; return the account.

    Raises
    ------
    InvitationRefused
        As `accept` does; no account is made then.
    django.db.IntegrityError
        Where the login name was taken meanwhile.
    """
    user = User.objects.create_user(username, password=password, first_name=name, is_staff=True)
    accept(invitation=invitation, user=user)
    return user


class Sending(StrEnum):
    """The result of sending the mail with an invitation."""

    NONE = ""  # whom it is for is not an e-mail address
    SENT = "sent"
    FAILED = "failed"
    OFF = "off"  # the site sends no mail, since it does not know its own address


def sends_mail() -> bool:
    """Return whether the site sends mail: it must know its own address, with which links begin."""
    return bool(settings.EVALWEB_URL)


def send(*, made: MadeInvitation, whom: str, by: AbstractBaseUser) -> Sending:
    """Send an invitation if it is for an e-mail address; return the result of sending.

    The link begins with the address in the site's settings, not with that of the request, which the sender chooses.
    """
    try:
        validate_email(whom)
    except ValidationError:
        return Sending.NONE
    if not sends_mail():
        return Sending.OFF
    context = {
        "site": settings.EVALWEB_SITE_NAME,
        "inviter": by.get_full_name() or by.get_username() if isinstance(by, User) else by.get_username(),
        "title": made.invitation.study.title,
        "role": made.invitation.get_role_display(),
        "link": settings.EVALWEB_URL.rstrip("/") + reverse("colleagues:join", args=[made.token]),
        "day": made.invitation.expires,
    }
    # A line break in a title would begin another header.
    subject = " ".join(render_to_string("researcher/colleague_mail_subject.txt", context).split())
    message = EmailMessage(subject, render_to_string("researcher/colleague_mail.txt", context), to=[whom])
    try:
        message.send()
    except (OSError, SMTPException) as error:
        log.warning("The mail with an invitation of a colleague was not sent: %s", type(error).__name__)
        return Sending.FAILED
    return Sending.SENT
