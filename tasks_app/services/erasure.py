"""Erase a rater's answers, times, comments and identity. Counts stay, so that totals remain right."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app import channels
from tasks_app.hooks.signals import rater_erased
from tasks_app.links.credentials import hash_token, mark_of_erased, new_token
from tasks_app.models import (
    Assignment,
    CodedAnswer,
    Draft,
    Erasure,
    Event,
    Identity,
    ImportWork,
    Invitation,
    Judgment,
    Outbox,
    OwnUnit,
    Payment,
    PersonalText,
    Place,
    Rater,
    RaterSet,
    Rating,
)
from tasks_app.models.statements import rows
from tasks_app.services import collecting, contact, events, given_marks, tombstones
from tasks_app.services import mentions as mentioned
from tasks_app.services.arrival.enrolment import mark_of_first_link, new_pseudonym
from tasks_app.services.coding import about_decision
from tasks_app.services.database import atomically, erasing, lock_claims, lock_submissions
from tasks_app.services.judging import assignments, leases
from tasks_app.services.mentions import Removed
from tasks_app.services.tombstones import Tombstone

# Replaces a required reason that might name the erased rater.
ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Erased:
    """The amount of erased data."""

    judgments: int
    ratings: int
    mentions: int = 0


class NewMention(ValueError):
    """A text names the rater, and was not listed when somebody chose the texts to remove."""


@atomically
def erase(*, rater: Rater, by: events.Actor = None, mentions: Mapping[str, bool] | None = None) -> Erased:
    """Erase a rater's answers and everything that identifies them; erasing again changes nothing.

    The pseudonym is also removed from the texts of researchers that `mentions` says, each by its key; from all of them
    with None, as when raters withdraw and nobody is there to choose.

    Assignments stay, each answered one with a tombstone; the places of erased answers are free for others again. Other
    apps hear `rater_erased` before the rows are gone. The pseudonym is drawn anew, so that an old export leads nowhere.

    Raises
    ------
    NewMention
        Where a text that names the rater is missing from `mentions`.
    """
    lock_claims(rater.study_id)
    # A run that is reading which ratings there are sees them all or none.
    lock_submissions(rater.study_id)
    fresh = leases.lock_rater(rater.pk)
    if fresh.erased_at is not None:
        return Erased(0, 0)
    if fresh.state != Rater.State.ENDED:
        assignments.leave_early(fresh, Rater.Outcome.WITHDRAWN)
    contact.remove_name(rater=fresh, pseudonym=fresh.pseudonym)
    removed = _remove_mentions(fresh, mentions)
    erased = _erase_answers(fresh)
    _forget(fresh)
    counts = {"judgments": erased.judgments, "ratings": erased.ratings}
    named = {"mentions_removed": removed.removed, "mentions_left": removed.remaining}
    events.log(fresh.study, by, "erased", about="", after=counts | (named if any(named.values()) else {}))
    _keep_in_list(tombstones.of(fresh))
    # The same answers in studies of later versions of a corpus.
    for later in Rater.objects.filter(taken_from=fresh, erased_at=None).select_related("study").order_by("pk"):
        erase(rater=later, by=by)
    return replace(erased, mentions=removed.removed)


def _remove_mentions(rater: Rater, chosen: Mapping[str, bool] | None) -> Removed:
    """Remove the pseudonym from texts of researchers: those chosen, or all."""
    if chosen is None:
        return mentioned.remove(rater=rater, keys=None)
    if {mention.key for mention in mentioned.mentions_of(rater)} - set(chosen):
        raise NewMention(
            _("More texts name %(rater)s than the list showed. Nothing was erased. Check the new list and try again.")
            % {"rater": rater.pseudonym}
        )
    return mentioned.remove(rater=rater, keys={key for key, is_removed in chosen.items() if is_removed})


def _keep_in_list(tombstone: Tombstone) -> None:
    """Note an erasure outside the database once it is committed, so that an older backup does not bring the rater back.

    A failure, as on a full disk, is logged and undoes nothing: the next backup notes what is missing.
    """

    def note() -> None:
        tombstones.add(Path(settings.ERASURES), [tombstone])

    transaction.on_commit(note, robust=True)


def _erase_answers(rater: Rater) -> Erased:
    """Delete judgments with all that hangs on them, leave a tombstone for each, and free their places."""
    judgments = Judgment.objects.filter(assignment__rater=rater)
    answered = dict(
        Assignment.objects.filter(rater=rater, judgments__isnull=False)
        .annotate(n=Count("judgments__ratings", distinct=True))
        .values_list("pk", "n")
    )
    ids = list(judgments.values_list("pk", flat=True))
    rater_erased.send(sender=Rater, rater=rater, judgments=ids)
    CodedAnswer.objects.filter(rating__judgment__in=ids).delete()
    # The log says which codes were decided on.
    decisions = [about_decision(pk) for pk in Rating.objects.filter(judgment__in=ids).values_list("pk", flat=True)]
    Event.objects.filter(study_id=rater.study_id, object__in=decisions).update(object="", before=None, after=None)
    Erasure.objects.bulk_create(
        Erasure(study_id=rater.study_id, assignment_id=pk, ratings=n) for pk, n in answered.items()
    )
    with erasing(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM tasks_app_controlresult WHERE judgment_id = ANY(%s)", [ids])
        cursor.execute("DELETE FROM tasks_app_rating WHERE judgment_id = ANY(%s)", [ids])
        cursor.execute("DELETE FROM tasks_app_judgment WHERE id = ANY(%s)", [ids])
    Draft.objects.filter(assignment__rater=rater).delete()
    # The token stays, so that the other site learns that the task is over.
    opened = Assignment.objects.filter(rater=rater).exclude(elsewhere_opened_at=None)
    opened.update(elsewhere_opened_at=None, elsewhere_events=None)
    Assignment.objects.filter(pk__in=answered).update(state=Assignment.State.WITHDRAWN)
    places = Assignment.objects.filter(pk__in=answered, place__isnull=False).values("place")
    booklets = Place.objects.filter(pk__in=places).values_list("booklet_id", flat=True).distinct()
    leases.settle(list(booklets), None)
    return Erased(len(ids), sum(answered.values()))


def _forget(rater: Rater) -> None:
    """Remove everything that identifies a rater; amounts paid stay.

    Who came from a platform leaves a keyed digest where the token was: nobody erases what they did to do it again. So
    does the first link: its consent form, sent again, would let the rater's old address live.
    """
    identity = Identity.objects.filter(rater=rater).exclude(external_id="").first()
    Identity.objects.filter(rater=rater).delete()
    Outbox.objects.filter(rater=rater).delete()
    collecting.forget_author(rater)
    given_marks.forget_author(rater)
    OwnUnit.objects.filter(rater=rater).delete()
    PersonalText.objects.filter(rater=rater).delete()
    Invitation.objects.filter(rater=rater).delete()
    # The problems of a refused file may name raters of the file.
    ImportWork.objects.filter(study=rater.study, state__in=("done", "refused")).delete()
    Payment.objects.filter(rater=rater).exclude(reason="").update(reason=ERASED)
    RaterSet.objects.filter(rater=rater).update(lease_until=None)
    pseudonym = rater.pseudonym
    rater.pseudonym = new_pseudonym(rater.study)
    Rater.objects.filter(pk=rater.pk).update(
        pseudonym=rater.pseudonym,
        token_hash=_mark(identity) if identity else hash_token(new_token()),
        link_number=rater.link_number + 1,
        first_link=mark_of_first_link(rater),
        completion_code="",
        prefs={},
        erased_at=Now(),
    )
    rows(
        """UPDATE tasks_app_event SET object = '', before = NULL, after = NULL
           WHERE study_id = %s
             AND (strpos(object, %s) > 0 OR strpos(before::text, %s) > 0 OR strpos(after::text, %s) > 0)
           RETURNING id""",
        [rater.study_id, pseudonym, *[json.dumps(pseudonym, ensure_ascii=False)[1:-1]] * 2],
    )
    rater.refresh_from_db()


def _mark(identity: Identity) -> str:
    person = channels.canonical_id(identity.channel, identity.external_id)
    return mark_of_erased(identity.study_id, identity.channel, person)


def repeat() -> int:
    """Erase again the raters that a backup older than their erasure has brought back; return their number."""
    listed = {tombstone.rater: tombstone for tombstone in tombstones.read(Path(settings.ERASURES))}
    raters = Rater.objects.filter(pk__in=list(listed), erased_at=None).select_related("study").order_by("pk")
    # The same number in a database from elsewhere is somebody else.
    again = [rater for rater in raters if tombstones.of(rater) == listed[rater.pk]]
    for rater in again:
        erase(rater=rater)
    return len(again)


@atomically
def forget_platform(*, rater: Rater, by: events.Actor = None) -> bool:
    """Remove a rater's ids of the platform and their address, and nothing else; False where there were none."""
    removed, _each = Identity.objects.filter(rater=rater).delete()
    if removed:
        Outbox.objects.filter(rater=rater, sent_at=None).delete()
        events.log(rater.study, by, "platform id removed")
    return bool(removed)


@atomically
def remove_old_identities() -> int:
    """Remove the platform ids of raters who ended longer ago than their study keeps them; return how many."""
    removed = rows(
        """DELETE FROM tasks_app_identity i USING tasks_app_rater r, tasks_app_study s
           WHERE i.rater_id = r.id AND r.study_id = s.id AND r.ended_at IS NOT NULL
             AND (s.settings->'about'->>'identities_days') IS NOT NULL
             AND r.ended_at + (s.settings->'about'->>'identities_days')::int * interval '1 day' < now()
           RETURNING i.id""",
        [],
    )
    return len(removed)
