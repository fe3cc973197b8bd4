"""Fetch rows for a person: `<thing>_for_<role>`, or 404. No other module checks permissions."""

from collections.abc import Sequence
from functools import cache

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.http import Http404
from django.shortcuts import get_object_or_404

from tasks_app.links.credentials import hash_token
from tasks_app.models import (
    SECONDS_STARTED,
    Assignment,
    ColleagueInvitation,
    CommentLink,
    DeletedLink,
    DeletedStudy,
    ItemMedia,
    Media,
    Membership,
    Output,
    Project,
    Rater,
    Study,
    Version,
    seconds_since,
)
from tasks_app.models.statements import PreparedQuery

Person = AbstractBaseUser | AnonymousUser

RANK = {Membership.Role.VIEWER: 1, Membership.Role.EDITOR: 2, Membership.Role.OWNER: 3}

# The least role that may read known answers (gold) and the plan: the page of answers to checks and its files, the plan
# as a file, and the study file, which holds both. Viewers may not, whatever the state of the study: they may well rate
# in it.
GOLD_READER = Membership.Role.EDITOR


def _pk(user: Person) -> int:
    """Return the key of a person; nobody who is not signed in has one that is found."""
    return int(user.pk or 0)


_RATER = PreparedQuery(
    "rater_for_token",
    lambda digest: (
        Rater.objects.select_related("study")
        .exclude(kind=Rater.Kind.IMPORTED)
        .filter(token_hash=digest, erased_at=None)
    ),
    digest="?",
)


def rater_for_token(token: str) -> Rater:
    """Return the rater with this address, and the study."""
    raters = _RATER.fetch(digest=hash_token(token))
    if not raters:
        raise Http404
    return raters[0]


def rater_of_study(study: Study, pseudonym: str) -> Rater:
    """Return a rater of a study that somebody may see, by their made-up name."""
    if "\0" in pseudonym:  # the database cannot even be asked for it
        raise Http404
    raters = Rater.objects.select_related("study").exclude(kind=Rater.Kind.IMPORTED)
    return get_object_or_404(raters, study=study, pseudonym=pseudonym, erased_at=None)


def assignment_for_rater(rater: Rater, *, order: int) -> Assignment:
    """Return a rater's assignment by its number."""
    with_clock = Assignment.objects.annotate(**{SECONDS_STARTED: seconds_since("clock_started_at")})
    return get_object_or_404(with_clock.select_related("unit", "set"), rater=rater, order=order)


def assignment_elsewhere(token: str) -> Assignment:
    """Return the assignment of a token that another site was given, with the rater and the study."""
    assignments = Assignment.objects.select_related("rater__study", "unit")
    return get_object_or_404(assignments, elsewhere_hash=hash_token(token))


# Stands for the first of the numbers of a rater's assignments while the query is written; the others count on from it.
_FIRST_ORDER = 2_147_483_000


@cache
def _assignments_by_order(n: int) -> PreparedQuery[Assignment]:
    """Return the query for n assignments of a rater by their numbers: order_0, order_1 and so on."""
    return PreparedQuery(
        f"assignments_by_order_{n}",
        lambda rater, **orders: (
            Assignment.objects.select_related("unit", "set")
            .annotate(
                seconds_shown=seconds_since("first_shown"), **{SECONDS_STARTED: seconds_since("clock_started_at")}
            )
            .filter(rater=rater, order__in=orders.values())
        ),
        rater=-1,
        **{f"order_{number}": _FIRST_ORDER + number for number in range(n)},
    )


def signed_assignments_for_rater(rater: Rater, orders: Sequence[object]) -> list[Assignment]:
    """Return the assignments, by number, that forms of a page were signed for; the tokens name the rater.

    `seconds_shown` says how long ago a unit was first shown; None where it never was.
    """
    numbers = [order for order in orders if isinstance(order, int)]
    values = {f"order_{place}": number for place, number in enumerate(numbers)}
    assignments = _assignments_by_order(len(numbers)).fetch(rater=rater.pk, **values) if numbers else []
    by_order = {assignment.order: assignment for assignment in assignments}
    if len(numbers) < len(orders) or not by_order.keys() >= set(numbers):
        raise Http404
    return [by_order[number] for number in numbers]


def media_for_rater(rater: Rater, sha256: str) -> Media:
    """Return a file that one of the rater's own units shows: an output, its captions, or a file beside a text."""
    shown = Output.objects.filter(part_outputs__part__unit__assignments__rater=rater)
    beside = ItemMedia.objects.filter(item__in=shown.values("item"), media__sha256=sha256).values("media")
    files = Q(pk__in=beside) | Q(pk__in=shown.values("media")) | Q(pk__in=shown.values("captions"))
    return get_object_or_404(Media, files, study=rater.study_id, sha256=sha256)


def study_for_code(code: str) -> Study:
    """Return the study an open link leads to; one that was never opened does not exist for strangers."""
    return get_object_or_404(Study.with_rehearsals, link_code=code, current_version__gt=0)


def deleted_study_for_token(token: str) -> DeletedStudy | None:
    """Return the deleted study that a link led to: its open link, or a rater's own; None for any other word."""
    link = DeletedLink.objects.select_related("study").filter(token_hash=hash_token(token)).first()
    return link.study if link is not None else None


def deleted_studies_for_researcher(user: Person) -> QuerySet[DeletedStudy]:
    """Return the deleted studies with a log and payments that somebody may read: their own, or all for a superuser."""
    if getattr(user, "is_superuser", False):
        return DeletedStudy.objects.all()
    return DeletedStudy.objects.filter(owners=_pk(user))


def deleted_study_for_researcher(user: Person, number: int) -> DeletedStudy:
    """Return a deleted study by the number that it had, for people who owned it."""
    return get_object_or_404(deleted_studies_for_researcher(user), number=number)


def comment_link_for_token(token: str) -> CommentLink:
    """Return the link to comment with this address, and the study; a link that has ended is answered with 404."""
    return get_object_or_404(
        CommentLink.objects.select_related("study").filter(
            ended_at=None, expires__gt=Now(), version=F("study__current_version")
        ),
        token_hash=hash_token(token),
    )


def colleague_invitation_for_token(token: str) -> ColleagueInvitation:
    """Return the invitation to work on a study with this address; an invitation that has ended is answered with 404."""
    waiting = open_colleague_invitations().select_related("study", "made_by")
    return get_object_or_404(waiting, token_hash=hash_token(token))


def open_colleague_invitations() -> QuerySet[ColleagueInvitation]:
    """Return the invitations that can be accepted now: those of people who may still share the study."""
    owners = Membership.objects.filter(study=OuterRef("study"), user=OuterRef("made_by"), role=Membership.Role.OWNER)
    return ColleagueInvitation.objects.filter(
        Q(Exists(owners)) | Q(made_by__is_superuser=True),
        made_by__is_active=True,
        made_by__is_staff=True,
        revoked_at=None,
        accepted_at=None,
        expires__gt=Now(),
    )


def studies_for_researcher(user: Person) -> QuerySet[Study]:
    """Return the studies somebody may see: their own, or all for a superuser."""
    if not (user.is_active and getattr(user, "is_staff", False)):
        return Study.objects.none()
    if getattr(user, "is_superuser", False):
        return Study.objects.all()
    return Study.objects.filter(memberships__user_id=_pk(user))


def studies_for_editor(user: Person) -> QuerySet[Study]:
    """Return the studies that somebody may change: as an editor or owner, or all for a superuser."""
    studies = studies_for_researcher(user)
    if getattr(user, "is_superuser", False):
        return studies
    roles = (Membership.Role.EDITOR, Membership.Role.OWNER)
    return studies.filter(Exists(Membership.objects.filter(study=OuterRef("pk"), user_id=_pk(user), role__in=roles)))


def study_for_researcher(user: Person, slug: str, role: str = Membership.Role.VIEWER) -> Study:
    """Return a study if somebody has at least that role in it."""
    return study_and_role(user, slug, role)[0]


def study_and_role(user: Person, slug: str, role: str = Membership.Role.VIEWER) -> tuple[Study, str | None]:
    """Return a study if somebody has at least that role in it, and their role: None for a superuser from outside.

    The study has both that role as `own_role`, and `sees_projects`, which says whether the navigation leads them to
    projects: frames of pages need no query for either.
    """
    roles = Membership.objects.filter(study=OuterRef("pk"), user_id=_pk(user))
    studies = studies_for_researcher(user).select_related("project")
    with_role = studies.annotate(
        own_role=Subquery(roles.values("role")[:1]), sees_projects=Exists(projects_for_researcher(user))
    )
    study = get_object_or_404(with_role, slug=slug)
    own_role: str | None = vars(study)["own_role"]
    if not getattr(user, "is_superuser", False) and (own_role is None or not reaches(own_role, role)):
        raise Http404
    return study, own_role


def rehearsal_for_editor(user: Person, slug: str) -> Study | None:
    """Return somebody's own rehearsal of a draft that they may change; None where there is none any more."""
    study = study_for_researcher(user, slug, Membership.Role.EDITOR)
    own = Study.with_rehearsals.filter(rehearses=study, memberships__user_id=_pk(user))
    return own.order_by("-pk").first()


def version_followed(user: Person, study: Study) -> Version | None:
    """Return the version that a study follows, without its document; None where it follows none.

    `is_readable` says whether somebody may see the study of that version, `reads_gold` whether they may read its known
    answers, too.
    """
    if study.follows_id is None:
        return None
    own = studies_for_researcher(user).filter(pk=OuterRef("study"))
    roles = Membership.objects.filter(study=OuterRef("study"), user_id=_pk(user))
    versions = Version.objects.defer("document").select_related("study").filter(pk=study.follows_id)
    version = versions.annotate(is_readable=Exists(own), own_role=Subquery(roles.values("role")[:1])).get()
    known = vars(version)
    known["reads_gold"] = known["is_readable"] and reaches(known["own_role"], GOLD_READER)
    return version


def projects_for_researcher(user: Person) -> QuerySet[Project]:
    """Return the projects of which somebody may see at least one study."""
    studies = studies_for_researcher(user).filter(project=OuterRef("pk"))
    return Project.objects.filter(Exists(studies.order_by()))


def project_for_researcher(user: Person, slug: str) -> Project:
    """Return a project of which somebody may see at least one study."""
    return get_object_or_404(projects_for_researcher(user), slug=slug)


def studies_of_project(user: Person, project: Project) -> QuerySet[Study]:
    """Return the studies of a project that somebody may see, each with their `own_role`.

    It is None for a superuser from outside.
    """
    roles = Membership.objects.filter(study=OuterRef("pk"), user_id=_pk(user))
    return studies_for_researcher(user).filter(project=project).annotate(own_role=Subquery(roles.values("role")[:1]))


def reaches(own_role: str | None, role: str) -> bool:
    """Return whether a role is at least another; a superuser from outside (None) reaches every role."""
    return own_role is None or RANK[Membership.Role(own_role)] >= RANK[Membership.Role(role)]
