"""The Monitor page: progress, raters at work, agreement so far, and computations under way."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from analytics_app.selectors import pages
from analytics_app.selectors.workers import workers
from analytics_app.views.superuser_looks import note_look
from tasks_app import access
from tasks_app.models import Membership, Rater, Study
from tasks_app.selectors import progress
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import part, wants_part

RATERS_ON_A_PAGE = 100


@researcher_page
@require_safe
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """The monitor; with ?live only what changes, a superuser's look at which is logged once per hour."""
    if wants_part(request):
        study, own = access.study_and_role(request.user, slug)
        note_look(request, study, own, "monitor", often=True)
        may_edit = access.reaches(own, Membership.Role.EDITOR)
        return part(request, "_monitor_live", {"study": study, "may_edit": may_edit, **_now(request, study)})
    return study_page(request, slug, "monitor", lambda study: _now(request, study))


def _now(request: HttpRequest, study: Study) -> dict[str, Any]:
    runs = pages.runs_now(study)
    counted = progress.study_progress(study)
    ways = {**dict(Rater.State.choices), **dict(Rater.Outcome.choices)}
    return {
        "progress": counted,
        # Where places were planned, these tell how far the study is.
        "judgments": 0 if counted.places else progress.count_judgments(study),
        "outcomes": [(words, counted.raters[name]) for name, words in ways.items() if name in counted.raters],
        "page": pages.raters_page(study, request.GET.get("page"), RATERS_ON_A_PAGE),
        "runs": runs,
        "agreement": pages.agreement_of(runs.done) if runs.done is not None else [],
        "seen_of": runs.done.n_seen + runs.newer if runs.done is not None else 0,
        "workers": workers(),
    }
