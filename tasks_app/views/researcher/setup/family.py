"""Studies that follow each other: the links between their pages, and the preparation of the next study."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Setup, Study
from tasks_app.setup import changed_versions
from tasks_app.setup.differences import Differences
from tasks_app.setup.steps import STEPS
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import step_url


def family(user: access.Person, study: Study) -> dict[str, Any]:
    """Return the study before a study and those after it, as far as somebody may see them.

    `follows` is the version before, `origin` its study, and `reads_changes` whether somebody may see what differs.
    """
    version = access.version_followed(user, study)
    known = vars(version) if version is not None else {}
    successors = changed_versions.successors_of(study, access.studies_for_researcher(user)) if study.is_frozen else ()
    return {
        "origin": version.study if version is not None and known["is_readable"] else None,
        "follows": version,
        "successors": list(successors),
        "reads_changes": known.get("reads_gold", False),
    }


def what_changed(user: access.Person, study: Study, setup: Setup) -> dict[str, Any]:
    """Return the changes of a study compared with the one that it follows, each with the address of its field."""
    changed = changed_settings(user, study, setup)
    steps = {step.slug: step_url(study.slug, step.slug) for step in STEPS}
    return {
        "follows": study.follows,
        "changed": changed,
        "changed_settings": [
            (difference, steps[difference.step.slug] + difference.anchor)
            for difference in (changed.settings if changed else ())
        ],
        "changed_tables": [
            (difference, steps[difference.step.slug]) for difference in (changed.tables if changed else ())
        ],
    }


def changed_settings(user: access.Person, study: Study, setup: Setup) -> Differences | None:
    """Return the changes of a study; None if it follows none, or a study with known answers hidden from the user."""
    study.follows = version = access.version_followed(user, study)
    setup.study = study
    return changed_versions.differences_of(setup) if version is not None and vars(version)["reads_gold"] else None


@researcher_page("POST")
def prepare(request: HttpRequest, slug: str) -> HttpResponse:
    """Prepare a changed version of an opened study: a draft that follows it."""
    study = access.study_for_researcher(request.user, slug, access.GOLD_READER)
    if not study.is_frozen:
        raise Http404
    draft = changed_versions.prepare(study=study, by=cast("User", request.user))
    messages.success(
        request,
        _("“%(title)s” is a draft with everything that “%(old)s” has. Change it; Review lists what differs.")
        % {"title": draft.title, "old": study.title},
    )
    return redirect(step_url(draft.slug, "task"))
