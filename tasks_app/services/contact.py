"""Write to a rater, and pause a rater: both wait in the rater's prefs, which every page of theirs reads anyway.

The log says what was written and when it was read; erasing a rater empties it, as it does the prefs. An invited rater
with an address gets a mail that says that a message waits. The mail does not repeat the message: nobody could erase it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models.fields.json import KT
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app import channels
from tasks_app.models import Event, Identity, Outbox, Rater
from tasks_app.selectors.stored_about_rater import WROTE
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.judging import leases
from tasks_app.texts.plaintext import problem_in

# The names under which messages that were not read yet and a pause stand in a rater's prefs.
MESSAGES, PAUSED = "messages", "paused"

# Set in Rater.prefs by a rater who wants no more mail.
NO_MAIL = "no_mail"

# The mail that says that messages wait: of no wave, so that a rater has one row for it.
MAIL, NO_WAVE = "message", 0

LONGEST_MESSAGE = 2000
# Number of messages that can wait for a rater who does not come back.
MOST_WAITING = 10

# Replaces the pseudonym of an erased rater in a message to another rater; it needs no translation.
REMOVED = "[…]"

READ, PAUSE, RESUME = "read a message", "paused a rater", "resumed a rater"
VERBS = (WROTE, READ, PAUSE, RESUME)


def unread(rater: Rater) -> Sequence[str]:
    """Return the messages that a rater has not read yet, the oldest first."""
    return [str(text) for text in rater.prefs.get(MESSAGES, ())]


def is_paused(rater: Rater) -> bool:
    """Return whether a researcher has paused a rater who has not ended."""
    return bool(rater.prefs.get(PAUSED)) and rater.state != Rater.State.ENDED


@atomically
def write(*, rater: Rater, by: events.Actor, text: str) -> None:
    """Leave a message for a rater, who reads it before their next unit.

    Raises
    ------
    ValueError
        Where the message is empty, too long, holds what cannot be stored, or too many wait already.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise ValueError(_("Enter a message."))
    if len(text) > LONGEST_MESSAGE:
        raise ValueError(_("A message has at most %(n)s characters.") % {"n": LONGEST_MESSAGE})
    if problem := problem_in(text):
        raise ValueError(problem)
    fresh = leases.lock_rater(rater.pk)
    waiting = unread(fresh)
    if len(waiting) >= MOST_WAITING:
        raise ValueError(_("%(n)s messages wait for this rater already.") % {"n": len(waiting)})
    _keep(fresh, {MESSAGES: [*waiting, text]})
    events.log(fresh.study, by, WROTE, about=fresh.pseudonym, after={"text": text})
    if gets_mail(fresh):
        Outbox.objects.update_or_create(rater=fresh, kind=MAIL, wave=NO_WAVE, defaults={"due": Now(), "sent_at": None})


def gets_mail(rater: Rater) -> bool:
    """Return whether a rater was invited with an address and has not asked for no more mail."""
    invited = [name for name, channel in channels.registry.items() if channel.invited_only]
    identities = Identity.objects.filter(rater=rater, channel__in=invited).exclude(email="")
    return not rater.prefs.get(NO_MAIL) and identities.exists()


@atomically
def read(*, rater: Rater, n: int) -> None:
    """Note that a rater has read the first `n` messages; one that came meanwhile waits on."""
    fresh = leases.lock_rater(rater.pk)
    waiting = unread(fresh)
    if waiting:
        _keep(fresh, {MESSAGES: waiting[n:]})
        events.log(fresh.study, None, READ, about=fresh.pseudonym)


@atomically
def pause(*, rater: Rater, by: events.Actor) -> bool:
    """Let a rater go no further for now; their answers and their pay stay as they are.

    Returns whether the rater is paused by this: not one who has ended, or was paused before.
    """
    fresh = leases.lock_rater(rater.pk)
    if fresh.state == Rater.State.ENDED or is_paused(fresh):
        return False
    _keep(fresh, {PAUSED: True})
    events.log(fresh.study, by, PAUSE, about=fresh.pseudonym)
    return True


@atomically
def resume(*, rater: Rater, by: events.Actor) -> bool:
    """Let a paused rater continue; return whether the rater was paused."""
    fresh = leases.lock_rater(rater.pk)
    if not is_paused(fresh):
        return False
    _keep(fresh, {PAUSED: False})
    events.log(fresh.study, by, RESUME, about=fresh.pseudonym)
    return True


def remove_name(*, rater: Rater, pseudonym: str) -> None:
    """Take the pseudonym of a rater who is erased out of messages to other raters of the study, which stay otherwise.

    The transaction holds the claims of the study, so that no two of them wait for each other's raters.
    """
    others = Rater.objects.select_for_update(no_key=True).filter(study=rater.study_id, prefs__has_key=MESSAGES)
    for other in others.exclude(pk=rater.pk).order_by("pk"):
        texts = unread(other)
        if any(pseudonym in text for text in texts):
            _keep(other, {MESSAGES: [text.replace(pseudonym, REMOVED) for text in texts]})
    written = Event.objects.filter(study=rater.study_id, verb=WROTE).exclude(object=pseudonym)
    for event in written.annotate(text=KT("after__text")).filter(text__contains=pseudonym):
        Event.objects.filter(pk=event.pk).update(after={"text": event.text.replace(pseudonym, REMOVED)})


def _keep(rater: Rater, more: Mapping[str, Any]) -> None:
    """Change some of a rater's prefs, with the row locked; empty values are left out."""
    prefs = {name: value for name, value in {**rater.prefs, **more}.items() if value or name not in more}
    Rater.objects.filter(pk=rater.pk).update(prefs=prefs)
