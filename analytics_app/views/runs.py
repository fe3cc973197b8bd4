"""Starting runs, with the plan's settings or others, and cancelling them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from analytics_app import access as own
from analytics_app import plan as plans
from analytics_app.models import Plan
from analytics_app.runs import start as runs
from analytics_app.selectors import pages
from analytics_app.views import run_words
from analytics_app.views.run_form import RunForm, without
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.views.researcher.frame import researcher_page, study_page

EDITOR = Membership.Role.EDITOR


@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_run(request: HttpRequest, slug: str) -> HttpResponse:
    """The form of a new run; posted to, it starts one and leads to its page. ?from=3 begins with a run's settings."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    first = _settings_of(study, request.GET.get("from", ""))
    try:
        shown = plans.document_of(study) if first is None else first
    except plans.BadPlan:  # a part of it is gone, as the run that was refused says: other settings may do
        shown = first = plans.default_document()
    form = RunForm(study, shown, request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _started(request, study, form.document)
    context = {"run_form": form, "outlook": _outlook(study, first)}
    status = 422 if form.problems else 200
    title = _("New run")
    return study_page(
        request, slug, "results", lambda _study: context, template="new_run", title=title, role=EDITOR, status=status
    )


@researcher_page
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a run by the plan."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    return _started(request, study, None)


@researcher_page
@require_POST
def start_without(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Repeat a run with one of its rules off."""
    study, _role, found = own.run_for_researcher(request.user, slug, number, EDITOR)
    if not found.settings:  # it was refused, and so there is nothing to repeat
        raise Http404
    settings = {**plans.BEFORE_THE_CHOICE, **found.settings}
    return _started(request, study, without(settings, request.POST.get("rule", "")))


@researcher_page
@require_POST
def cancel(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Cancel a run that is not done."""
    study, _role, found = own.run_for_researcher(request.user, slug, number, EDITOR)
    runs.cancel(run=found, by=request.user)
    messages.success(request, _("Run %(number)s is cancelled. Judgments are not affected.") % {"number": number})
    return redirect("analytics:run", study.slug, number)


def _started(request: HttpRequest, study: Study, settings: Mapping[str, Any] | None) -> HttpResponse:
    """Start a run and lead to its page; an equal one that is there already is shown instead."""
    before = pages.last_number(study)
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


def _settings_of(study: Study, number: str) -> Mapping[str, Any] | None:
    """Return the settings of the run that the form begins with; None for the plan's, as for a run that was refused."""
    if number.isascii() and number.isdecimal() and len(number) < 10:
        settings: Mapping[str, Any] = pages.run_numbered(study, int(number)).settings
        return {**plans.BEFORE_THE_CHOICE, **settings} if settings else None
    return None


def _outlook(study: Study, settings: Mapping[str, Any] | None) -> str:
    """Say before a run is started whether it will be planned; `settings` are None where they are the plan's."""
    if run_words.never_opened(study):
        return _("This run will be exploratory: the ratings were there before the plan.")
    frozen = plans.frozen_plan(study)
    if frozen is None:
        return _("This run will be exploratory: no plan was frozen at the opening of this study.")
    if study.state != Study.State.CLOSED:
        return _("This run will be exploratory: until the study is closed, every run is an interim look.")
    if settings is not None and not _are_those_of(frozen, settings, study):
        return _("This run will be exploratory: these settings are not those of the plan.")
    if (earlier := pages.planned_number(study)) is not None:
        said = _("Run %(n)s was the planned one: a run over ratings or exclusions that came later will be exploratory.")
        return said % {"n": earlier}
    return _("With these settings this run will be planned. If you change anything, it will be exploratory.")


def _are_those_of(frozen: Plan, settings: Mapping[str, Any], study: Study) -> bool:
    try:
        return settings == plans.frozen_document(frozen, study)
    except plans.BadPlan:
        return False
