"""Marks of an earlier study that a draft gives to its raters: store their authors, and forget erased ones."""

from collections.abc import Mapping

from django.db.models import F

from tasks_app.hooks import sections
from tasks_app.models import MarkAuthor, Rater, Setup, SetupRow, Study
from tasks_app.services.arrival.own_texts import persons_of

PREFILL = "prefill"


def copy_authors(*, origin: Study, study: Study) -> None:
    """Copy the authors of given marks to a copy of a study, so that they are recognised and erased there, too."""
    authors = list(MarkAuthor.objects.filter(study=origin))
    for author in authors:
        author.pk, author.study = None, study
    MarkAuthor.objects.bulk_create(authors)


def store_authors(*, study: Study, origin: Study, names: Mapping[int, str]) -> None:
    """Store the authors of the marks that a draft gives, in the transaction that makes it; `names` are by rater's id.

    Authors of marks that the draft does not give any more are forgotten.
    """
    given = SetupRow.objects.filter(setup__study=study, table=PREFILL).values_list("cells__given_by", flat=True)
    MarkAuthor.objects.filter(study=study).exclude(name__in=set(given)).delete()
    authors = Rater.objects.filter(pk__in=names).order_by("pk")
    MarkAuthor.objects.bulk_create(
        MarkAuthor(
            study=study,
            name=names[author.pk],
            origin=origin,
            origin_slug=origin.slug,
            author=author,
            author_name=author.pseudonym,
            persons=persons_of(author),
        )
        for author in authors
    )


def forget_author(rater: Rater) -> None:
    """Delete the marks of a rater from drafts that give them to others, in the transaction that erases the rater.

    In a study that was opened they stay under a name that leads to nobody: its frozen design holds them, and other
    raters have worked on them.
    """
    own = MarkAuthor.objects.filter(author=rater)
    drafts = Study.objects.select_for_update().filter(pk__in=own.values("study"), current_version=0).order_by("pk")
    for draft in list(drafts):
        names = list(own.filter(study=draft).values_list("name", flat=True))
        own.filter(study=draft).delete()
        SetupRow.objects.filter(setup__study=draft, table__endswith=PREFILL, cells__given_by__in=names).delete()
        Setup.objects.filter(study=draft).update(revision=F("revision") + 1, stored_revision=None)
        # Nobody can have worked in a draft, so nothing keeps its rows from being made anew without these marks.
        sections.erase(draft)
    own.update(author=None, author_name="")
