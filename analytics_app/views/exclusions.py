"""Exclude raters and judgments by hand; systems and answers are hidden."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import Exclusion
from analytics_app.selectors import exclusions as found
from analytics_app.selectors.exclusions import exclusions_by_hand
from analytics_app.services import exclusions, reopening
from analytics_app.views.raters.page import rater_of
from tasks_app import access
from tasks_app.models import Judgment, Membership, Rater, Study
from tasks_app.views.researcher.frame import researcher_page, study_page

EDITOR = Membership.Role.EDITOR
JUDGMENTS_ON_A_PAGE = 100


@researcher_page("GET")
def judgments(request: HttpRequest, slug: str, pseudonym: str) -> HttpResponse:
    """Show the judgments of a rater without their answers, with their exclusions."""

    def context(study: Study) -> dict[str, Any]:
        rater = rater_of(study, pseudonym)
        page = Paginator(found.judgments_of(rater), JUDGMENTS_ON_A_PAGE).get_page(request.GET.get("page"))
        excluded = found.excluded_judgments(study, list(page))
        rows = [(judgment, excluded.get(judgment.pk)) for judgment in page]
        whole = exclusions_by_hand(study, [rater]).get(rater.pk)
        return {"rater": rater, "page": page, "rows": rows, "whole": whole}

    title = _("Judgments of %(rater)s") % {"rater": pseudonym}
    return study_page(request, slug, "monitor", context, template="rater_judgments", title=title)


@researcher_page("POST")
def exclude(request: HttpRequest, slug: str) -> HttpResponse:
    """Exclude a rater, or one of their judgments, with a written reason."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    rater, reason = rater_of(study, request.POST.get("rater", "")), request.POST.get("reason", "")
    judgment = _judgment(rater, request.POST["judgment"]) if "judgment" in request.POST else None
    try:
        if judgment is not None:
            exclusion = exclusions.exclude_judgment(judgment=judgment, by=request.user, reason=reason)
        else:
            exclusion = exclusions.exclude_rater(rater=rater, by=request.user, reason=reason)
    except ValueError as problem:
        messages.error(request, str(problem))
    else:
        about = rater.pseudonym if judgment is None else _("This judgment of %(rater)s") % {"rater": rater}
        messages.success(
            request, _("%(rater)s is left out of runs from now on. Pay does not change.") % {"rater": about}
        )
        if request.POST.get("again"):
            n = reopening.ask_again(exclusion=exclusion, by=request.user)
            messages.info(
                request,
                ngettext("%(n)s place is free for other raters.", "%(n)s places are free for other raters.", n)
                % {"n": n},
            )
    return _back(study, rater, judgment)


@researcher_page("POST")
def include(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Lift a manual exclusion."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    exclusion = get_object_or_404(Exclusion, study=study, run=None, pk=pk)
    exclusions.lift(exclusion=exclusion, by=request.user)
    messages.success(request, _("Included again in runs from now on."))
    rater = exclusion.rater or exclusion.judgment.assignment.rater  # type: ignore[union-attr]  # it is of one of them
    return _back(study, rater, exclusion.judgment)


def _judgment(rater: Rater, pk: str) -> Judgment:
    if not (pk.isascii() and pk.isdecimal() and len(pk) < 19):
        raise Http404
    return get_object_or_404(found.judgments_of(rater), pk=int(pk))


def _back(study: Study, rater: Rater, judgment: Judgment | None) -> HttpResponse:
    """Redirect to the page with the button that was used."""
    name = "analytics:rater" if judgment is None else "analytics:judgments"
    return redirect(name, study.slug, rater.pseudonym)
