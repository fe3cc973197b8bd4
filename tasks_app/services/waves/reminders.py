"""Mail to invited raters about their waves and about messages: rows in an outbox, each sent once, retried until sent.

Only who was invited with an address is written to, never somebody whom a platform sent. A message that has lost its
sense meanwhile, since the rater has answered, left, or asked for no more of them, is taken out.
"""

import logging
from collections import Counter
from datetime import timedelta
from enum import Enum
from smtplib import SMTPException, SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from tasks_app import channels
from tasks_app.links.credentials import hash_token, token_of_link
from tasks_app.models import Assignment, Identity, Outbox, Rater, RaterSet, Study
from tasks_app.models.statements import rows
from tasks_app.selectors.waves import closing_in_words
from tasks_app.services import contact
from tasks_app.services.arrival import enrolment
from tasks_app.services.contact import NO_MAIL
from tasks_app.services.database import atomically
from tasks_app.texts import languages

log = logging.getLogger(__name__)

OPENS, REMINDER = "wave_opens", "wave_reminder"

# Minutes after which a message that could not be sent is sent again.
PAUSE_MINUTES = 10

# Messages of one round: a mail server takes about a second for each, and the next round comes in a minute.
MOST_AT_ONCE = 40

# Raters who were invited with an address and have a later wave open now: one row a message. Those who take part in a
# study that has closed to new raters go on; in one that is paused nobody can, and is told when it goes on.
_FILL = """
INSERT INTO tasks_app_outbox (rater_id, kind, wave, due)
SELECT DISTINCT r.id, kind.name, s.wave, now()
  FROM tasks_app_raterset s
  JOIN tasks_app_rater r ON r.id = s.rater_id AND r.state <> 'ended' AND r.kind = 'real' AND r.erased_at IS NULL
  JOIN tasks_app_study st ON st.id = r.study_id AND st.state IN ('open', 'closed')
  JOIN tasks_app_identity i ON i.rater_id = r.id AND i.email <> '' AND i.channel = ANY(%(channels)s)
 CROSS JOIN (VALUES ('wave_opens'), ('wave_reminder')) kind(name)
 WHERE s.state = 'open' AND s.opens_at <= now() AND (s.closes_at IS NULL OR s.closes_at > now())
   AND NOT COALESCE((r.prefs->>'no_mail')::boolean, false)
   AND (kind.name = 'wave_opens'
        OR s.closes_at - interval '1 day' <= now() AND s.opens_at < now() - interval '12 hours')
   AND EXISTS (SELECT 1 FROM tasks_app_assignment a WHERE a.set_id = s.id AND a.state IN ('reserved', 'live'))
ON CONFLICT DO NOTHING
RETURNING id
"""


class Sending(Enum):
    """The result of sending a message."""

    SENT = "sent"
    NOTHING = "nothing to send any more, or somebody else sends it"
    REFUSED = "the address is refused"
    UNREACHED = "the mail server does not answer"


def fill() -> int:
    """Store the messages that are due; each rater gets each message once. Returns how many are new."""
    invited = [name for name, channel in channels.registry.items() if channel.invited_only]
    return len(rows(_FILL, {"channels": invited}))


def send_due() -> int:
    """Send the messages that are due, each in a transaction of its own; return how many were sent.

    Where the mail server does not answer, the others wait for the next round: each would wait as long, and workers
    have other things to do.
    """
    if not settings.EVALWEB_URL:
        return 0
    waiting = Outbox.objects.filter(sent_at=None, due__lte=Now()).order_by("due", "id")
    due = waiting.exclude(rater__study__state=Study.State.PAUSED)
    sendings: Counter[Sending] = Counter()
    for pk in due.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        sendings[send(outbox_id=pk)] += 1
        if sendings[Sending.UNREACHED]:
            break
    return sendings[Sending.SENT]


@atomically
def send(*, outbox_id: int) -> Sending:
    """Send one message and write down that it is sent, unless somebody else does just now.

    The row is locked while the mail server is talked to. Where that fails nothing is written but when to try again.
    """
    waiting = Outbox.objects.select_for_update(of=("self",), skip_locked=True).select_related("rater__study")
    row = waiting.filter(pk=outbox_id, sent_at=None).first()
    if row is None:
        return Sending.NOTHING
    identity = Identity.objects.filter(rater=row.rater_id).exclude(email="").first()
    if identity is None or row.rater.prefs.get(NO_MAIL) or not _has_a_reason(row):
        row.delete()
        return Sending.NOTHING
    try:
        message(row, identity).send()
    except (OSError, SMTPException) as error:
        log.warning("Message %s could not be sent and is tried again: %s", row.pk, type(error).__name__)
        Outbox.objects.filter(pk=row.pk).update(due=Now() + timedelta(minutes=PAUSE_MINUTES))
        return Sending.REFUSED if isinstance(error, SMTPRecipientsRefused) else Sending.UNREACHED
    Outbox.objects.filter(pk=row.pk).update(sent_at=Now())
    return Sending.SENT


def _has_a_reason(row: Outbox) -> bool:
    """Return whether the reason for a mail still holds: a message to read, or something to answer."""
    if row.kind == contact.MAIL:
        return bool(contact.unread(row.rater))
    return open_sets(row.rater, row.wave).exists()


def open_sets(rater: Rater, wave: int) -> QuerySet[RaterSet]:
    """Return the sets of a wave in which a rater has something to answer now."""
    unanswered = Assignment.objects.filter(set=OuterRef("pk"), state__in=Assignment.State.WAITING)
    sets = RaterSet.objects.filter(Exists(unanswered), rater=rater, wave=wave, state=RaterSet.State.OPEN)
    return sets.filter(Q(opens_at=None) | Q(opens_at__lte=Now()), Q(closes_at=None) | Q(closes_at__gt=Now())).exclude(
        rater__state=Rater.State.ENDED
    )


def message(row: Outbox, identity: Identity) -> EmailMessage:
    """Write a message in the language of the study, with the rater's own link where it can be derived."""
    study = row.rater.study
    closes_at = open_sets(row.rater, row.wave).aggregate(last=Max("closes_at"))["last"]
    token = return_token(row.rater, identity)
    base = settings.EVALWEB_URL.rstrip("/")
    with languages.speaking(row.rater.language or study.language):
        context = {
            "title": study.public_title,
            "kind": row.kind,
            "wave": row.wave,
            "closes": closing_in_words(closes_at, study.timezone) if closes_at else "",
            "link": base + reverse("rater:next", args=[token]) if token else "",
            "stop": base + reverse("rater:mail", args=[token]) if token else "",
            "contact": study.options.contact,
            "institution": study.options.institution,
        }
        # A line break in a title would begin another header.
        subject = " ".join(render_to_string(f"mail/{row.kind}_subject.txt", context).split())
        body = render_to_string("mail/wave.txt", context)
    return EmailMessage(subject, body, to=[identity.email])


def return_token(rater: Rater, identity: Identity | None) -> str:
    """Return the token of the link that brings a rater back; empty where only they have it."""
    derived = token_of_link(rater.pk, rater.link_number) if rater.link_number else ""
    if not derived and identity is not None:
        derived = enrolment.token_of(rater, identity)
    return derived if derived and hash_token(derived) == rater.token_hash else ""


@atomically
def stop_mail(*, rater: Rater) -> None:
    """Send a rater no more mail; remove the messages that wait."""
    fresh = Rater.objects.select_for_update().get(pk=rater.pk)
    Rater.objects.filter(pk=rater.pk).update(prefs={**fresh.prefs, NO_MAIL: True})
    Outbox.objects.filter(rater=rater, sent_at=None).delete()


def can_mail() -> bool:
    """Return whether mail can be sent: its links need the address of this site."""
    return bool(settings.EVALWEB_URL)
