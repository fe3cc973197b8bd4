"""Delete a study with all that belongs to it. Its log and its payments stay."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Count, Max, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.signals import deletion_asked
from tasks_app.links.credentials import hash_token
from tasks_app.models import (
    CollectedText,
    DeletedLink,
    DeletedStudy,
    Event,
    ImportWork,
    Judgment,
    KeptPayment,
    MarkAuthor,
    Membership,
    Payment,
    Rater,
    SetupWork,
    Study,
    Task,
)
from tasks_app.selectors.studies import number_of
from tasks_app.services import events, pay, tombstones
from tasks_app.services.database import atomically, lock_claims, lock_submissions
from tasks_app.services.study import projects
from tasks_app.services.study.removing import delete_rehearsals, remove

# The verb of deleting in the log.
DELETED = "deleted"

# An export of this name in the log is an archive of the study.
ARCHIVE = "archive of run"


@dataclass(frozen=True, slots=True)
class Block:
    """Something that must be done first: a sentence, and the name of the page on which it is done."""

    sentence: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class Dependents:
    """The objections of another app to deleting a study, and the losses that it would cause."""

    blocks: tuple[Block, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prospect:
    """The effects of deleting a study.

    `human` is the number of judgments by people, from evalweb or imported. With any, the study's name has to be typed.
    """

    human: int
    tries: int
    raters: int
    paid: Decimal
    blocks: tuple[Block, ...]
    notes: tuple[str, ...]

    @property
    def needs_name(self) -> bool:
        """Whether the study's name has to be typed."""
        return self.human > 0


class NotDeletable(Exception):
    """The study cannot be deleted now; the message says why."""


def prospect(study: Study) -> Prospect:
    """Return the consequences of deleting a study: obstacles, the rows that go with it, and those that stay."""
    judged = Judgment.objects.filter(assignment__rater__study=study)
    people = Q(assignment__rater_kind__in=(Rater.Kind.REAL, Rater.Kind.IMPORTED))
    n, human, last = judged.aggregate(
        n=models.Count("id"), human=models.Count("id", filter=people), last=Max("submitted_at", filter=people)
    ).values()
    raters = Rater.objects.filter(study=study, kind=Rater.Kind.REAL).count()
    answers: Any = [answer for _receiver, answer in deletion_asked.send(sender=Study, study=study)]
    others: Sequence[Dependents] = answers
    blocks = [*_blocks(study, human, raters, last), *(block for other in others for block in other.blocks)]
    notes = [*_notes(study), *(note for other in others for note in other.notes)]
    settled = Payment.objects.filter(rater__study=study, settled_at__isnull=False)
    paid = settled.aggregate(total=models.Sum("amount"))["total"] or Decimal(0)
    return Prospect(human, n - human, raters, paid, tuple(blocks), tuple(notes))


def _blocks(study: Study, human: int, raters: int, last: Any) -> Iterator[Block]:
    """Yield the steps that have to come before a study is deleted, in their order."""
    if SetupWork.objects.filter(setup__study=study).exclude(state__in=("done", "refused")).exists():
        yield Block(_("The set-up is being checked in the background. Wait until that is done."), "setup")
    if ImportWork.objects.filter(study=study).exclude(state__in=("done", "refused")).exists():
        yield Block(_("A file is being imported in the background. Wait until that is done."), "data")
    if (raters or human) and study.state != Study.State.CLOSED:
        yield Block(_("Raters take part in it. Close the study first."), "recruit")
        return
    if raters:
        ledger = pay.up_to_date(study=study)
        if ledger.unfinished:
            sentence = ngettext(
                "%(n)d rater has begun and not ended. End them on their own page, from Monitor; or wait until their "
                "place is no longer held, then Pay offers to end them.",
                "%(n)d raters have begun and not ended. End them on their own pages, from Monitor; or wait until their "
                "places are no longer held, then Pay offers to end them.",
                ledger.unfinished,
            )
            yield Block(sentence % {"n": ledger.unfinished}, "pay")
        if ledger.open > 0:
            sentence = _("%(amount)s %(currency)s are still to be paid. Pay your raters, then mark it as paid on Pay.")
            yield Block(sentence % {"amount": ledger.open, "currency": study.options.currency}, "pay")
    if human and not _is_archived(study, last):
        yield Block(
            _("There is no archive with all answers of the closed study. Download it on Data, and keep it."), "data"
        )


def _is_archived(study: Study, last: Any) -> bool:
    """Return whether an archive was made since the study was closed and the last answer came."""
    archivings = Event.objects.filter(study=study, verb="exported", object__startswith=ARCHIVE)
    newest = archivings.aggregate(at=Max("at"))["at"]
    return bool(newest and study.closed_at and newest >= study.closed_at and (last is None or newest >= last))


def _notes(study: Study) -> Iterator[str]:
    """Yield notes on other objects of the deletion: later versions, waves, texts in other studies, backups."""
    elsewhere = _counts_elsewhere(study)
    later = elsewhere["later"]
    if later:
        yield ngettext(
            "%(n)d changed version of this study stays, and no longer says what it was changed from.",
            "%(n)d changed versions of this study stay, and no longer say what they were changed from.",
            later,
        ) % {"n": later}
    if study.follows_id is not None:
        yield _("The earlier version that this study was changed from stays.")
    waves = elsewhere["waves"]
    if waves:
        yield ngettext(
            "It has %(n)d wave, which is deleted with it. Raters are reminded of nothing any more.",
            "It has %(n)d waves, which are deleted with it. Raters are reminded of nothing any more.",
            waves,
        ) % {"n": waves}
    texts = elsewhere["texts"]
    if texts:
        yield ngettext(
            "%(n)d text that its raters wrote is judged in another study, and stays there.",
            "%(n)d texts that its raters wrote are judged in other studies, and stay there.",
            texts,
        ) % {"n": texts}
    studies = elsewhere["studies"]
    if studies:
        yield ngettext(
            "The marks of its raters are given to the raters of %(n)d other study, and stay there.",
            "The marks of its raters are given to the raters of %(n)d other studies, and stay there.",
            studies,
        ) % {"n": studies}
    backups = _backups_since(study)
    if backups:
        yield ngettext(
            "%(n)d backup on this server was made since the study was created and may contain it. Backups made "
            "elsewhere may, too. They keep it until whoever runs the server deletes them.",
            "%(n)d backups on this server were made since the study was created and may contain it. Backups made "
            "elsewhere may, too. They keep it until whoever runs the server deletes them.",
            backups,
        ) % {"n": backups}
    else:
        yield _("Backups of the server may still contain it until an administrator deletes them.")


def _counts_elsewhere(study: Study) -> Mapping[str, Any]:
    """Return the counts that notes name, in one query: later versions, waves, texts and studies that stay."""
    this = OuterRef("pk")
    waves = Task.objects.filter(study=this, until=None, opens_after_days__isnull=False)
    return Study.objects.values(
        later=number_of(Study.objects.filter(follows__study=this).order_by().values("follows__study"), Count("pk")),
        waves=number_of(waves.order_by().values("study"), Count("pk")),
        texts=number_of(CollectedText.objects.filter(origin=this).order_by().values("origin"), Count("pk")),
        studies=number_of(
            MarkAuthor.objects.filter(origin=this).order_by().values("origin"), Count("study", distinct=True)
        ),
    ).get(pk=study.pk)


def _backups_since(study: Study) -> int:
    """Return the number of backups in the usual folder that were made since the study was created."""
    files = Path(settings.BACKUPS).glob("evalweb-*.tar.gz")
    oldest_name = study.created_at.strftime("evalweb-%Y%m%dT%H%M%S")
    return sum(file.name >= oldest_name for file in files)


@atomically
def delete(*, study_id: int, by: events.Actor, name: str = "") -> DeletedStudy:
    """Delete a study with its texts, plan, raters, answers and results; its log and payments stay.

    `name` is the title that somebody typed, needed where people have judged.

    Raises
    ------
    NotDeletable
        Where something has to be done first, another name was typed, or somebody else has just deleted it; nothing is
        changed then.
    """
    study = _locked(study_id)
    if study is None:
        raise NotDeletable(_("The study is deleted already."))
    about = prospect(study)
    if about.blocks:
        raise NotDeletable(" ".join(block.sentence for block in about.blocks))
    if about.needs_name and " ".join(name.split()) != " ".join(study.title.split()):
        raise NotDeletable(_("This is not the title of the study. Nothing was deleted."))
    return _delete(study, by)


def _locked(study_id: int) -> Study | None:
    """Lock a study against claims, answers and changes, in the order of `services.database`; None where it is gone."""
    lock_claims(study_id)
    lock_submissions(study_id)
    return Study.objects.select_for_update().filter(pk=study_id).first()


def _delete(study: Study, by: events.Actor) -> DeletedStudy:
    """Keep the log, the payments and the name of a study, and delete the rest."""
    delete_rehearsals(of=study)
    deleted = _keep(study, by)
    projects.take_out(study=study, by=by)
    Event.objects.filter(study=study).update(study=None, deleted_study=deleted)
    Event.objects.create(
        deleted_study=deleted,
        actor_id=getattr(by, "pk", None),
        verb=DELETED,
        object=study.slug,
        after={"judgments": deleted.n_judgments, "raters": deleted.n_raters},
    )
    remove(study)
    tombstone = tombstones.StudyTombstone(deleted.number, deleted.digest)
    transaction.on_commit(lambda: tombstones.add(Path(settings.ERASURES), [tombstone]), robust=True)
    return deleted


def _keep(study: Study, by: events.Actor) -> DeletedStudy:
    """Store the names of a study, its payments and the hashes of its links."""
    raters = Rater.objects.filter(study=study)
    options = study.options
    tombstone = DeletedStudy.objects.create(
        number=study.pk,
        digest=tombstones.of_study(study).digest,
        **{name: getattr(study, name) for name in ("slug", "title", "state", "language", "created_at")},
        **{name: getattr(study, name) for name in ("opened_at", "closed_at")},
        currency=options.currency,
        contact=str(options.contact or ""),
        n_raters=raters.filter(kind=Rater.Kind.REAL).count(),
        n_judgments=Judgment.objects.filter(assignment__rater__study=study).count(),
        by_id=getattr(by, "pk", None),
    )
    tombstone.owners.set(
        Membership.objects.filter(study=study, role=Membership.Role.OWNER).values_list("user_id", flat=True)
    )
    payments = Payment.objects.filter(rater__study=study).exclude(rater__kind=Rater.Kind.SIMULATED).order_by("pk")
    KeptPayment.objects.bulk_create(
        (
            KeptPayment(
                study=tombstone,
                rater=payment.rater.pseudonym,
                channel=payment.rater.channel,
                **{name: getattr(payment, name) for name in ("kind", "amount", "reason", "settled_at", "at")},
            )
            for payment in payments.select_related("rater")
        ),
        batch_size=5000,
    )
    tokens = raters.filter(erased_at=None).exclude(kind=Rater.Kind.IMPORTED).values_list("token_hash", flat=True)
    links = [hash_token(study.link_code)] if study.is_frozen else []
    DeletedLink.objects.bulk_create(
        (DeletedLink(study=tombstone, token_hash=token) for token in [*links, *tokens]), batch_size=5000
    )
    return tombstone


def repeat() -> int:
    """Delete studies again that a restored backup, older than their deletion, has brought back; return how many."""
    listed = {tombstone.study: tombstone for tombstone in tombstones.read_studies(Path(settings.ERASURES))}
    back = Study.objects.filter(pk__in=list(listed)).order_by("pk")
    # The same number in a database from elsewhere is another study.
    again = [study.pk for study in back if tombstones.of_study(study) == listed[study.pk]]
    for study_id in again:
        _delete_again(study_id)
    return len(again)


@atomically
def _delete_again(study_id: int) -> None:
    if (study := _locked(study_id)) is not None:
        _delete(study, None)
