"""The progress of a worker with a set-up, and the result of its work: on Review and on Texts."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from tasks_app import access
from tasks_app.models import Membership, Setup, SetupWork
from tasks_app.services.background import refusal_of


def live(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the progress of the work, for a page that follows it."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    work = get_object_or_404(SetupWork, setup__study=study)
    return render(request, "researcher/setup/_work_live.html", {"study": study, "work": work})


def work_on(setup: Setup, kind: str) -> SetupWork | None:
    """Return the work that a page shows: any that is under way, else the last if it is of the page's kind."""
    work = SetupWork.objects.filter(setup=setup).first()
    return work if work is not None and (work.kind == kind or work.is_under_way) else None


def work_on_texts(setup: Setup) -> dict[str, Any]:
    """Return the state of a worker that stores texts: its progress, or the reason why it stored none."""
    work = work_on(setup, SetupWork.Kind.TEXTS)
    if work is None:
        return {}
    is_current = work.kind == SetupWork.Kind.TEXTS and work.revision == setup.revision
    refusal = refusal_of(work) if is_current and not work.is_under_way else None
    return {"work": work, **({"refusal": refusal} if refusal else {})}
