"""Remove a pair from the factors of a run, or undo the last removal, by starting a new run."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from analytics_app import access as own
from analytics_app.analyses.factors.removals import REASONS, Step
from analytics_app.models import RunState
from analytics_app.selectors.reductions import reductions, settings_with, steps_of
from analytics_app.selectors.sections import names_of
from analytics_app.views.runs import started
from tasks_app.models import Membership
from tasks_app.views.researcher.frame import researcher_page


@researcher_page("POST")
def remove_pair(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Start a run without a pair, or with `undo` a run that has the last removed pair again; this run is kept."""
    study, _role, run = own.run_for_researcher(request.user, slug, number, Membership.Role.EDITOR)
    if run.state != RunState.DONE:
        raise Http404
    steps, pair, reason = steps_of(run), request.POST.get("pair", ""), request.POST.get("reason", "")
    if "undo" in request.POST and steps:
        return started(request, study, settings_with(run, steps[:-1]))
    matches = [reduction for reduction in reductions(run, names_of(study)) if pair in dict(reduction.pairs)]
    if reason in REASONS and any(reduction.may_remove for reduction in matches):
        return started(request, study, settings_with(run, [*steps, Step(pair, reason)]))
    if "undo" in request.POST:
        sentence = _("No pair is removed in run %(n)s, so there is nothing to undo.")
    else:
        sentence = _(
            "This pair cannot be removed in run %(n)s: it is already removed, or only three pairs are left. Reload the "
            "page and choose another."
        )
    messages.error(request, sentence % {"n": number})
    return redirect("analytics:run", study.slug, number)
