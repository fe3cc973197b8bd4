"""The steps of setting up a draft: forms made of what the sections of a study file declare."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from tasks_app.setup.steps import STEPS
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import setup_page


@researcher_page
@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """Show a step with its form, or save what was changed in it."""
    if step not in {one.slug for one in STEPS}:
        raise Http404
    return setup_page(request, slug, step, lambda _study, _setup: {}, template="_base")
