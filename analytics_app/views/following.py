"""Create the study that follows results: the main study after a pre-study, or the one after a factor analysis."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from analytics_app import access as own
from analytics_app.services.follow_up import begin_follow_up
from analytics_app.services.main_study import begin_main_study
from tasks_app.models import Membership
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import step_url


@researcher_page("POST")
def begin(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Create a draft with the pairs that a run keeps, and redirect to its first step."""
    study, _role, run = own.run_for_researcher(request.user, slug, number, Membership.Role.EDITOR)
    try:
        begun = begin_main_study(run=run, by=cast("User", request.user))
    except ValueError as problem:
        messages.error(request, str(problem))
        return redirect("analytics:run", study.slug, number)
    message = _("This draft asks for the pairs that run %(number)s of “%(title)s” keeps.")
    messages.success(request, message % {"number": number, "title": study.title})
    return redirect(step_url(begun.slug, "task"))


@researcher_page("POST")
def follow(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Create a draft with pairs of a factor analysis, and redirect to its first step."""
    study, _role, run = own.run_for_researcher(request.user, slug, number, Membership.Role.EDITOR)
    task, kind = request.POST.get("task", ""), request.POST.get("kind", "")
    try:
        begun = begin_follow_up(run=run, task=task, kind=kind, by=cast("User", request.user))
    except ValueError as problem:
        messages.error(request, str(problem))
        return redirect("analytics:run", study.slug, number)
    message = _("This draft asks for pairs that run %(number)s of “%(title)s” found.")
    messages.success(request, message % {"number": number, "title": study.title})
    return redirect(step_url(begun.slug, "task"))
