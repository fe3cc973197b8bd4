"""Excluding raters by hand, on a page that shows neither systems nor answers."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from analytics_app.models import Exclusion
from analytics_app.selectors import pages
from analytics_app.services import exclusions, reopening
from tasks_app import access
from tasks_app.models import Membership, Rater, Study
from tasks_app.views.frame import researcher_page, study_page

EDITOR = Membership.Role.EDITOR
RATERS_ON_A_PAGE = 100


@researcher_page
@require_safe
def raters(request: HttpRequest, slug: str) -> HttpResponse:
    """The raters with their work, and who of them is excluded."""

    def context(study: Study) -> dict[str, Any]:
        page = Paginator(pages.raters_with_work(study), RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        excluded = pages.exclusions_by_hand(study, list(page))
        return {"page": page, "rows": [(rater, excluded.get(rater.pk)) for rater in page]}

    return study_page(request, slug, "monitor", context, template="raters", title=_("Raters and exclusions"))


@researcher_page
@require_POST
def exclude(request: HttpRequest, slug: str) -> HttpResponse:
    """Exclude a rater, with a written reason."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    pseudonym = request.POST.get("rater", "")
    if "\0" in pseudonym:  # the database cannot even be asked for it
        raise Http404
    rater = get_object_or_404(Rater, study=study, pseudonym=pseudonym)
    try:
        exclusion = exclusions.exclude_rater(rater=rater, by=request.user, reason=request.POST.get("reason", ""))
    except ValueError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(
            request, _("%(rater)s is left out of runs from now on. Pay does not change.") % {"rater": rater}
        )
        if request.POST.get("again"):
            n = reopening.ask_again(exclusion=exclusion, by=request.user)
            messages.info(request, _("%(n)s places go to somebody else.") % {"n": n})
    return redirect("analytics:raters", study.slug)


@researcher_page
@require_POST
def include(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Include again what was excluded by hand."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    exclusion = get_object_or_404(Exclusion, study=study, run=None, pk=pk)
    exclusions.lift(exclusion=exclusion, by=request.user)
    messages.success(request, _("Included again in runs from now on."))
    return redirect("analytics:raters", study.slug)
