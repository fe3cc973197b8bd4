"""Projects: make one, put studies into it, take them out, rename it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils.crypto import get_random_string
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tasks_app.models import Project, Study
from tasks_app.plaintext import problem_in
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.study_settings import TEMPLATE

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
def put(*, study: Study, project: Project, by: events.Actor) -> None:
    """Put a study into a project; it leaves the one that it is in.

    Raises
    ------
    NotInProject
        For a template, and where the project is gone since its last study was taken out.
    """
    if TEMPLATE in study.settings and not study.is_frozen:
        raise NotInProject(_("This is a template. Make it an ordinary study first."))
    if study.project_id == project.pk:
        return
    if not Project.objects.select_for_update().filter(pk=project.pk).exists():
        raise NotInProject(_("The project is gone: its last study was taken out. Make a new one."))
    before = study.project
    if before is not None:
        take_out(study=study, by=by)
    _move(study, project)
    events.log(study, by, "put into a project", about=project.slug, after={"name": project.name})


@atomically
def put_all(*, studies: Sequence[Study], project: Project, by: events.Actor) -> None:
    """Put several studies into a project: all of them, or none. Raises NotInProject."""
    for study in studies:
        put(study=study, project=project, by=by)


@atomically
def put_into_new(*, study: Study, name: str, by: events.Actor) -> Project:
    """Make a project, and put a study into it. Raises NotInProject."""
    project = create(name=name, by=by)
    put(study=study, project=project, by=by)
    return project


@atomically
def take_out(*, study: Study, by: events.Actor) -> None:
    """Take a study out of its project; a project without a study is removed."""
    project = Project.objects.select_for_update(of=("self",)).filter(studies=study).first()
    if project is None:
        return
    _move(study, None)
    events.log(study, by, "taken out of a project", about=project.slug, before={"name": project.name})
    if not project.studies.exists():
        project.delete()


def _move(study: Study, project: Project | None) -> None:
    Study.objects.filter(pk=study.pk).update(project=project)
    study.project = project


@atomically
def rename(*, project: Project, name: str, by: events.Actor) -> None:
    """Give a project another name; its addresses stay. Raises NotInProject."""
    before, project.name = project.name, _checked(name)
    project.save(update_fields=["name"])
    for study in project.studies.all():
        events.log(study, by, "renamed the project", about=project.slug, before=before, after=project.name)
