"""Projects: make one, put studies into it, take them out, rename it."""

from collections.abc import Sequence
from operator import attrgetter

from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tasks_app.models import Project, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.settings.study import TEMPLATE
from tasks_app.texts.plaintext import problem_in

# A slug may have 80 characters; the rest is for what makes it unique.
LONGEST_SLUG = 60


class NotInProject(Exception):
    """A study cannot be put into a project; the message says why."""


@atomically
def create(*, name: str, by: events.Actor) -> Project:
    """Make a project under a free slug; the caller puts studies into it in the same transaction.

    Raises
    ------
    NotInProject
        Where the name is empty or cannot be stored.
    """
    name = _checked(name)
    base = slugify(name)[:LONGEST_SLUG].strip("-_") or "project"
    taken = set(Project.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    candidates = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 2))
    slug = next(candidate for candidate in candidates if candidate not in taken)
    try:
        with transaction.atomic():
            return Project.objects.create(slug=slug, name=name, creator_id=getattr(by, "pk", None))
    except IntegrityError:
        # Somebody has taken the slug at this very moment.
        slug = f"{slug}-{get_random_string(6, 'abcdefghjkmnpqrstuvwxyz')}"
        return Project.objects.create(slug=slug, name=name, creator_id=getattr(by, "pk", None))


def _checked(name: str) -> str:
    """Return a name without spaces around it. Raises NotInProject."""
    name = name.strip()
    if not name:
        raise NotInProject(_("Give the project a name."))
    if len(name) > 200:
        raise NotInProject(_("A name has at most %(n)d characters.") % {"n": 200})
    if fault := problem_in(name):
        raise NotInProject(fault)
    return name


@atomically
def put(*, study: Study, project: Project, by: events.Actor) -> bool:
    """Put a study into a project; it leaves the one that it is in. Return whether it was not in it already.

    Raises
    ------
    NotInProject
        For a template, and where the project is gone since its last study was taken out.
    """
    fresh = _held(study)
    if TEMPLATE in fresh.settings and not fresh.is_frozen:
        raise NotInProject(_("This is a template. Make it an ordinary study first."))
    if fresh.project_id == project.pk:
        return False
    both = Project.objects.select_for_update().filter(pk__in=[project.pk, fresh.project_id]).order_by("pk")
    if project not in both:
        raise NotInProject(_("The project is gone: its last study was taken out. Make a new one."))
    if fresh.project_id is not None:
        take_out(study=fresh, by=by)
    _move(fresh, project)
    events.log(fresh, by, "put into a project", about=project.slug, after={"name": project.name})
    return True


@atomically
def put_all(*, studies: Sequence[Study], project: Project, by: events.Actor) -> int:
    """Put several studies into a project, all of them or none; return how many were not in it already.

    Raises NotInProject.
    """
    # In one order for everybody, so that two people who put the same studies into projects do not wait in a circle.
    return sum(put(study=study, project=project, by=by) for study in sorted(studies, key=attrgetter("pk")))


@atomically
def put_into_new(*, study: Study, name: str, by: events.Actor) -> Project:
    """Make a project, and put a study into it. Raises NotInProject."""
    project = create(name=name, by=by)
    put(study=study, project=project, by=by)
    return project


@atomically
def take_out(*, study: Study, by: events.Actor) -> None:
    """Take a study out of its project; a project without a study is removed."""
    fresh = _held(study)
    if fresh.project_id is None:
        return
    project = Project.objects.select_for_update().get(pk=fresh.project_id)
    _move(fresh, None)
    events.log(fresh, by, "taken out of a project", about=project.slug, before={"name": project.name})
    if not project.studies.exists():
        project.delete()


def _held(study: Study) -> Study:
    """Lock a study and return its present row: the caller's may show changes of a try that was rolled back."""
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def _move(study: Study, project: Project | None) -> None:
    Study.objects.filter(pk=study.pk).update(project=project)


@atomically
def rename(*, project: Project, name: str, by: events.Actor) -> None:
    """Give a project another name; its addresses stay. Raises NotInProject."""
    name = _checked(name)
    fresh = Project.objects.select_for_update().filter(pk=project.pk).first()
    if fresh is None:
        raise NotInProject(_("The project is gone: its last study was taken out. Make a new one."))
    Project.objects.filter(pk=project.pk).update(name=name)
    for study in fresh.studies.all():
        events.log(study, by, "renamed the project", about=fresh.slug, before=fresh.name, after=name)
