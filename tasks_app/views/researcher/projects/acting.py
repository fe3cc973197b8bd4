"""Check, open, pause and close all studies of a project: confirm, do it, and show the outcome for each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Membership, Project, ProjectStep, ProjectWork, Study
from tasks_app.projects import notifying, work
from tasks_app.projects.choosing import Choice, choose
from tasks_app.selectors.opening import opening_facts
from tasks_app.selectors.projects import steps_of
from tasks_app.services.study import opening
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.parts import part, wants_part
from tasks_app.views.researcher.projects.frame import project_page
from tasks_app.views.researcher.setup import preflight

Action = ProjectWork.Action


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the pages for an action: while it is done, and where no study allows it.

    An action that is confirmed has a question, a button and a description.
    """

    doing: str | Promise
    none: str | Promise
    question: str | Promise = ""
    button: str | Promise = ""
    about: str | Promise = ""


WORDS = {
    Action.CHECK: Words(
        gettext_lazy("Checking the studies"),
        gettext_lazy("None of the studies can be checked right now."),
    ),
    Action.OPEN: Words(
        gettext_lazy("Opening the studies"),
        gettext_lazy("None of the studies can be opened right now."),
        gettext_lazy("Open these studies?"),
        gettext_lazy("Open them now"),
        gettext_lazy(
            "Opening freezes the design of each study and draws its plan. Raters can then begin. You can pause or "
            "close studies at any time, but what is frozen cannot be changed any more. Paused studies are resumed."
        ),
    ),
    Action.PAUSE: Words(
        gettext_lazy("Pausing the studies"),
        gettext_lazy("None of the studies can be paused right now."),
        gettext_lazy("Pause these studies?"),
        gettext_lazy("Pause them now"),
        gettext_lazy("Nobody can begin, and raters at work see a notice. You can resume the studies."),
    ),
    Action.CLOSE: Words(
        gettext_lazy("Closing the studies"),
        gettext_lazy("None of the studies can be closed right now."),
        gettext_lazy("Close these studies?"),
        gettext_lazy("Close them now"),
        gettext_lazy(
            "Nobody new can take part. Raters at work may finish their sets, and all answers stay. A closed study is "
            "reopened on its own page, with a reason."
        ),
    ),
}


@researcher_page("POST")
def act(request: HttpRequest, slug: str) -> HttpResponse:
    """Apply an action to all studies of a project that allow it; every action but checking is confirmed first."""
    project = _editable(request, slug)
    action = request.POST.get("action", "")
    if action not in Action.values:
        raise Http404
    sure = action == Action.CHECK or request.POST.get("sure") == "yes"
    # Only studies that the question named: a study that was added since is not opened unseen.
    among = request.POST.getlist("study") if sure and action != Action.CHECK else None
    choice = choose(request.user, project, action, among)
    if not choice.studies or not sure:
        return _ask(request, slug, action, choice)
    begun = work.begin(project=project, action=action, studies=choice.studies, by=request.user)
    if work.is_short(action, choice.studies):
        work.work_off(begun.pk)
    else:
        transaction.on_commit(partial(notifying.notify_workers, begun.pk))
    if choice.left_out and action == Action.CHECK:
        messages.info(request, _left_out_in_words(choice))
    return redirect("projects:work", slug, begun.pk)


def _editable(request: HttpRequest, slug: str) -> Project:
    """Return a project in which somebody may change at least one study."""
    project = access.project_for_researcher(request.user, slug)
    roles = (vars(study)["own_role"] for study in access.studies_of_project(request.user, project))
    if not any(access.reaches(role, Membership.Role.EDITOR) for role in roles):
        raise Http404
    return project


def _ask(request: HttpRequest, slug: str, action: str, choice: Choice) -> HttpResponse:
    """Ask to confirm an action: its studies, those that are left out and why, and the points to check before."""
    words = WORDS[Action(action)]

    def context(_project: Project) -> dict[str, Any]:
        drafts = [study for study in choice.studies if action == Action.OPEN and not study.is_frozen]
        return {
            "action": action,
            "words": words,
            "studies": choice.studies,
            "left_out": list(choice.left_out.items()),
            "findings": _findings(drafts),
        }

    return project_page(request, slug, "studies", context, template="sure")


def _findings(drafts: Sequence[Study]) -> list[tuple[preflight.Finding, Sequence[Study]]]:
    """Return the points to check before raters come, each with its studies."""
    studies: dict[tuple[str, str], list[Study]] = {}
    findings: dict[tuple[str, str], preflight.Finding] = {}
    for study in drafts:
        points = opening.to_settle(opening.points_of(study))
        to_settle = [preflight.Finding(_("To settle"), False, point.sentence) for point in points]
        for finding in (*to_settle, *preflight.rows(study, opening_facts(study))):
            if not finding.is_ready:
                key = (finding.label, finding.sentence)
                findings.setdefault(key, finding)
                studies.setdefault(key, []).append(study)
    return [(findings[key], about) for key, about in studies.items()]


def _left_out_in_words(choice: Choice) -> str:
    sentences = [f"{_titles(studies)}: {sentence}" for sentence, studies in choice.left_out.items()]
    return _("Left out: %(studies)s") % {"studies": " ".join(sentences)}


def _titles(studies: Sequence[Study]) -> str:
    """Name the first studies."""
    titles = ", ".join(study.title for study in studies[:3])
    return _("%(titles)s and %(n)d more") % {"titles": titles, "n": len(studies) - 3} if len(studies) > 3 else titles


@researcher_page("GET")
def progress(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the outcome for each study, while the work is under way and afterwards."""
    project = access.project_for_researcher(request.user, slug)
    project_work = get_object_or_404(project.works.select_related("by"), pk=number)
    context = _work_context(request, project, project_work)
    if wants_part(request):
        return part(request, "projects/_work_live", context)
    return project_page(request, slug, "studies", lambda _project: context, template="work")


def _work_context(request: HttpRequest, project: Project, project_work: ProjectWork) -> dict[str, Any]:
    studies = access.studies_of_project(request.user, project)
    steps = steps_of(project_work, studies)
    waiting = _steps_in(steps, ProjectStep.State.WAITING)
    return {
        "project": project,
        "may_edit": any(access.reaches(vars(study)["own_role"], Membership.Role.EDITOR) for study in studies),
        "work": project_work,
        "words": WORDS[Action(project_work.action)],
        "steps": steps,
        "n_over": len(steps) - len(waiting),
        "waiting": waiting,
        "done": _steps_in(steps, ProjectStep.State.DONE),
        "refused": _steps_in(steps, ProjectStep.State.REFUSED),
    }


def _steps_in(steps: Iterable[ProjectStep], state: str) -> list[ProjectStep]:
    return [step for step in steps if step.state == state]
