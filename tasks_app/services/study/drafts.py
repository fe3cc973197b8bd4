"""Create, empty and fill draft studies, apart from items."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import ProtectedError, QuerySet
from django.utils.translation import gettext as _

from tasks_app.models import (
    ConsentText,
    Criterion,
    Group,
    Membership,
    Study,
    Task,
    TaskCriterion,
    TaskGroup,
)
from tasks_app.services import events
from tasks_app.services.database import atomically

# Words that stand in addresses where the slug of a study does.
RESERVED_SLUGS = frozenset({"new", "load", "welcome"})

# The words of a criterion that are stored together, under `ends`.
ENDS = ("low", "high", "labels", "anchors", "wordings")

# Everything about a task that is a column of its own.
TASK_COLUMNS = (
    "key",
    "title",
    "type",
    "stage",
    "instructions",
    "params",
    "checks",
    "items",
    "k",
    "k_more",
    "k_more_share",
    "set_size",
    "spacing",
    "design",
    "design_params",
    "criteria_mode",
    "keep_identical",
    "opens_after_days",
    "closes_after_days",
)


class NotADraft(Exception):
    """The study was opened, or somebody has worked in it; the message tells how to go on."""


def refuse_frozen(study: Study) -> None:
    """Raise NotADraft where the design of a study must not change any more.

    Locks the study's row, so that nobody opens it while it is changed; needs a transaction.
    """
    study.current_version = (
        Study.with_rehearsals.select_for_update().values_list("current_version", flat=True).get(pk=study.pk)
    )
    if study.is_frozen:
        raise NotADraft(
            _(
                "The study “%(slug)s” was opened, so its design is frozen. "
                "Load the file under another slug to make a new study of it."
            )
            % {"slug": study.slug}
        )


@atomically
def create_draft(
    *,
    owner: AbstractBaseUser | None,
    slug: str,
    title: str,
    public_title: str,
    language: str = "en",
    timezone: str = "UTC",
    seed: int | None = None,
) -> Study:
    """Make an empty draft. Without an owner, superusers see it only.

    Raises
    ------
    django.db.IntegrityError
        Where the slug is taken.
    """
    study = Study(slug=slug, title=title, public_title=public_title, language=language, timezone=timezone)
    if seed is not None:
        study.seed = seed
    study.save()
    study.refresh_from_db()
    if owner is not None:
        Membership.objects.create(study=study, user_id=owner.pk, role=Membership.Role.OWNER)
    events.log(study, owner, "created", about=slug)
    return study


@atomically
def describe_draft(*, study: Study, title: str, public_title: str, language: str, timezone: str, seed: int) -> None:
    """Change the titles, language, time zone and seed of a draft. Raises NotADraft."""
    refuse_frozen(study)
    study.title, study.public_title = title, public_title
    study.language, study.timezone, study.seed = language, timezone, seed
    study.save(update_fields=["title", "public_title", "language", "timezone", "seed"])


def may_edit(*, study: Study, user: AbstractBaseUser | None) -> bool:
    """Return whether somebody may change a study: its owners and editors, superusers, and the command line (None)."""
    if user is None or (user.is_active and getattr(user, "is_superuser", False)):
        return True
    roles = (Membership.Role.OWNER, Membership.Role.EDITOR)
    return Membership.objects.filter(study=study, user_id=user.pk, role__in=roles).exists()


@atomically
def set_member(*, study: Study, user: AbstractBaseUser, role: str, by: AbstractBaseUser | None) -> Membership:
    """Give somebody a role in a study, or change the role.

    Raises ValueError where the last owner would become something else, or there is no such role.
    """
    members = Membership.objects.select_for_update().filter(study=study)
    before = next((membership.role for membership in members if membership.user_id == user.pk), None)
    if before == Membership.Role.OWNER != role:
        _keep_an_owner(members, but=user)
    member, _created = Membership.objects.update_or_create(
        study=study, user_id=user.pk, defaults={"role": Membership.Role(role)}
    )
    events.log(study, by, "shared", about=user.get_username(), before=before and {"role": before}, after={"role": role})
    return member


@atomically
def remove_member(*, study: Study, user: AbstractBaseUser, by: AbstractBaseUser | None) -> None:
    """Take a study away from somebody. Raises ValueError for the last owner: a study needs one."""
    members = Membership.objects.select_for_update().filter(study=study)
    membership = members.filter(user_id=user.pk).first()
    if membership is None:
        return
    if membership.role == Membership.Role.OWNER:
        _keep_an_owner(members, but=user)
    membership.delete()
    events.log(study, by, "unshared", about=user.get_username(), before={"role": membership.role})


def _keep_an_owner(members: QuerySet[Membership], *, but: AbstractBaseUser) -> None:
    # All rows are locked, whatever their role: of two owners who leave at once the second waits for the first.
    if not any(membership.role == Membership.Role.OWNER and membership.user_id != but.pk for membership in members):
        raise ValueError(_("This is the last owner. Make somebody else an owner first."))


@atomically
def set_settings(*, study: Study, block: str, values: Mapping[str, Any]) -> None:
    """Store one block of settings, as checked by its form. Raises NotADraft."""
    refuse_frozen(study)
    study.settings = {**study.settings, block: dict(values)}
    study.save(update_fields=["settings"])


@atomically
def store_consent(*, study: Study, texts: Mapping[str, str]) -> None:
    """Store the consent text of the version in preparation, by language. Raises NotADraft."""
    refuse_frozen(study)
    ConsentText.objects.bulk_create(
        ConsentText(study=study, version=study.next_version, language=language, body=body)
        for language, body in texts.items()
    )


@atomically
def store_criteria(*, study: Study, criteria: Sequence[Mapping[str, Any]]) -> None:
    """Store criteria in their order. Raises NotADraft."""
    refuse_frozen(study)
    Criterion.objects.bulk_create(
        Criterion(
            study=study,
            since=study.next_version,
            ends={name: criterion[name] for name in ENDS if criterion.get(name)},
            **{name: criterion[name] for name in ("key", "kind", "name", "definition", "question", "language", "heds")},
        )
        for criterion in criteria
    )


@atomically
def store_groups(*, study: Study, groups: Sequence[Mapping[str, Any]]) -> None:
    """Store groups of raters. Raises NotADraft."""
    refuse_frozen(study)
    Group.objects.bulk_create(
        Group(study=study, key=group["key"], name=group["name"], share=group["share"]) for group in groups
    )


@atomically
def store_tasks(*, study: Study, tasks: Sequence[Mapping[str, Any]]) -> None:
    """Store tasks in their order, with their criteria and groups, which must be there. Raises NotADraft."""
    refuse_frozen(study)
    rows = Task.objects.bulk_create(
        Task(
            study=study,
            since=study.next_version,
            order=order,
            **{name: task[name] for name in TASK_COLUMNS},
        )
        for order, task in enumerate(tasks, start=1)
    )
    criteria = dict(Criterion.objects.filter(study=study, until=None).values_list("key", "id"))
    groups = dict(Group.objects.filter(study=study).values_list("key", "id"))
    TaskCriterion.objects.bulk_create(
        TaskCriterion(task=row, criterion_id=criteria[key], order=order)
        for row, task in zip(rows, tasks, strict=True)
        for order, key in enumerate(task["criteria"], start=1)
    )
    TaskGroup.objects.bulk_create(
        TaskGroup(task=row, group_id=groups[key])
        for row, task in zip(rows, tasks, strict=True)
        for key in task["groups"]
    )


@atomically
def erase_tasks(*, study: Study) -> None:
    """Remove a draft's tasks, criteria and groups. Raises NotADraft where somebody has worked in them."""
    refuse_frozen(study)
    try:
        Task.objects.filter(study=study).delete()
        Criterion.objects.filter(study=study).delete()
        Group.objects.filter(study=study).delete()
    except ProtectedError as error:
        raise tried_out(study) from error


@atomically
def erase_consent(*, study: Study) -> None:
    """Remove a draft's consent texts. Raises NotADraft where somebody has agreed to them."""
    refuse_frozen(study)
    try:
        ConsentText.objects.filter(study=study).delete()
    except ProtectedError as error:
        raise tried_out(study) from error


def tried_out(study: Study) -> NotADraft:
    return NotADraft(
        _("Somebody has tried the study “%(slug)s” out, so it cannot be replaced. Load the file under another slug.")
        % {"slug": study.slug}
    )
