"""Start runs, with the plan's settings or others, and cancel them."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from analytics_app import access as own
from analytics_app import plan as plans
from analytics_app.runs import start as runs
from analytics_app.selectors.runs import last_number
from analytics_app.views.run_form import without
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.views.researcher.frame import researcher_page

EDITOR = Membership.Role.EDITOR


@researcher_page("POST")
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a run by the plan."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    return started(request, study, None)


@researcher_page("POST")
def start_without(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Repeat a run with one of its rules off."""
    study, _role, run = own.run_for_researcher(request.user, slug, number, EDITOR)
    if not run.settings:  # a refused run has no settings to repeat
        raise Http404
    settings = plans.as_meant(run.settings)
    return started(request, study, without(settings, request.POST.get("rule", "")))


@researcher_page("POST")
def cancel(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Cancel a run that is not done."""
    study, _role, run = own.run_for_researcher(request.user, slug, number, EDITOR)
    runs.cancel(run=run, by=request.user)
    messages.success(request, _("Run %(number)s is cancelled. Judgments are not affected.") % {"number": number})
    return redirect("analytics:run", study.slug, number)


def started(request: HttpRequest, study: Study, settings: Mapping[str, Any] | None) -> HttpResponse:
    """Start a run and redirect to its page, or to that of an existing equal run."""
    before = last_number(study)
    try:
        run = runs.start(study=study, by=request.user, settings=settings)
    except runs.Busy:
        messages.error(request, _("Ratings are being imported right now. Start the run again in a minute."))
        return redirect("analytics:results", study.slug)
    except ValueError as problem:
        messages.error(request, str(problem))
        return redirect("analytics:results", study.slug)
    if run.number <= before:
        messages.info(request, _("These ratings have already been analysed with these settings. This is that run."))
    return redirect("analytics:run", study.slug, run.number)
