"""Everything stored about a rater, for that rater: without known answers, systems and purposes of units."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from tasks_app import channels
from tasks_app.models import Assignment, Consent, Draft, Event, Identity, Invitation, Judgment, Payment, Rater

# The verb in the log for what researchers write to a rater (services/contact.py).
WROTE = "wrote to a rater"


@dataclass(frozen=True, slots=True)
class Agreed:
    """A consent text that a rater agreed to, as it was worded then."""

    version: int
    language: str
    body: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredAboutRater:
    """Stored data about a rater, counted."""

    answers: int
    revisions: int
    skips: int
    comments: int
    drafts: int
    messages: int
    payments: int
    has_platform_id: bool
    has_email: bool
    has_name: bool
    agreed: tuple[Agreed, ...]


def stored_about(rater: Rater) -> StoredAboutRater:
    """Count the stored data about a rater, in seven queries."""
    judgments = list(Judgment.objects.filter(assignment__rater=rater).values_list("replaces", "skip_reason", "comment"))
    identity = Identity.objects.filter(rater=rater).first()
    consents = Consent.objects.filter(rater=rater).select_related("consent_text").order_by("at")
    return StoredAboutRater(
        answers=sum(replaces is None and not skipped for replaces, skipped, _comment in judgments),
        revisions=sum(replaces is not None for replaces, _skipped, _comment in judgments),
        skips=sum(bool(skipped) for _replaces, skipped, _comment in judgments),
        comments=sum(bool(comment) for _replaces, _skipped, comment in judgments),
        drafts=Draft.objects.filter(assignment__rater=rater).count(),
        messages=_messages(rater).count(),
        payments=Payment.objects.filter(rater=rater).count(),
        has_platform_id=identity is not None and channels.registry[rater.channel].needs_ids,
        has_email=bool(identity and identity.email),
        has_name=Invitation.objects.filter(rater=rater).exists(),
        agreed=tuple(
            Agreed(consent.consent_text.version, consent.consent_text.language, consent.consent_text.body, consent.at)
            for consent in consents
        ),
    )


def own_data(rater: Rater) -> dict[str, Any]:
    """Return a rater's own data to download: answers, times, comments, and the consent texts they agreed to."""
    orders = {pk: number for number, pk in enumerate(_answered(rater), start=1)}
    about = stored_about(rater)
    return {
        "study": rater.study.public_title,
        "made_up_name": rater.pseudonym,
        "language": rater.language,
        "began": rater.enrolled_at.isoformat(),
        "ended": rater.ended_at.isoformat() if rater.ended_at else None,
        "agreed_to": [
            {"version": agreed.version, "language": agreed.language, "text": agreed.body, "at": agreed.at.isoformat()}
            for agreed in about.agreed
        ],
        "answers": [
            {
                "number": orders[judgment.assignment_id],
                "answer": judgment.answer,
                "skipped_because": judgment.skip_reason,
                "comment": judgment.comment,
                "active_seconds": judgment.seconds_active,
                "elapsed_seconds": judgment.seconds_elapsed,
                "set_time": judgment.timing,
                "on_another_site": judgment.elsewhere,
                "sent": judgment.submitted_at.isoformat(),
                "actions_on_the_page": judgment.log,
            }
            for judgment in Judgment.objects.filter(assignment__rater=rater).order_by("id")
        ],
        "begun_on_another_site": list(
            Assignment.objects.filter(rater=rater, state__in=Assignment.State.UNANSWERED)
            .exclude(elsewhere_opened_at=None)
            .values_list("elsewhere_events", flat=True)
        ),
        "drafts": list(Draft.objects.filter(assignment__rater=rater).values_list("answer", flat=True)),
        "messages_to_you": [
            {"text": after["text"], "at": at.isoformat()} for after, at in _messages(rater).values_list("after", "at")
        ],
        "pay": [
            {"kind": kind, "amount": str(amount), "at": at.isoformat()}
            for kind, amount, at in Payment.objects.filter(rater=rater).values_list("kind", "amount", "at")
        ],
    }


def _messages(rater: Rater) -> QuerySet[Event]:
    """Return the messages of researchers to a rater, from the log."""
    return Event.objects.filter(study=rater.study_id, object=rater.pseudonym, verb=WROTE).order_by("id")


def _answered(rater: Rater) -> Iterator[int]:
    rows = Assignment.objects.filter(rater=rater, judgments__isnull=False).order_by("order").distinct()
    yield from rows.values_list("pk", flat=True)
