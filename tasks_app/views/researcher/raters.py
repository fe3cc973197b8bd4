"""The raters of a study: their progress, and what a researcher can do for one of them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from tasks_app import access
from tasks_app.models import Membership, Rater, Study
from tasks_app.selectors.payees import channel_of
from tasks_app.selectors.people import raters_of
from tasks_app.services import erasure, events
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.views.researcher.frame import researcher_page, study_page

RATERS_ON_A_PAGE = 50  # each row brings its forms along, 1.5 kB of them

EDITOR, OWNER = Membership.Role.EDITOR, Membership.Role.OWNER


@researcher_page
@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Every rater with their state, and what can be done."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, **made: str) -> HttpResponse:
    def context(study: Study) -> dict[str, Any]:
        name_part = request.GET.get("q", "").strip().replace("\0", "")[:40]
        raters = raters_of(study).filter(pseudonym__icontains=name_part) if name_part else raters_of(study)
        page = Paginator(raters, RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        for rater in page:
            rater.came_by = channel_of(rater.channel).label  # type: ignore[attr-defined]
        return {"page": page, "wanted": name_part, "query": urlencode({"q": name_part}) if name_part else "", **made}

    return study_page(request, slug, "monitor", context, template="people", title=_("Raters"))


def _end(outcome: str) -> Callable[[HttpRequest, Rater], str]:
    def ended(request: HttpRequest, rater: Rater) -> str:
        assignments.stop(rater=rater, outcome=outcome)
        events.log(rater.study, request.user, "ended a rater", after={"outcome": outcome})
        return _("%(rater)s has ended; what was open is free for others.") % {"rater": rater}

    return ended


def _forget(request: HttpRequest, rater: Rater) -> str:
    erasure.forget_platform(rater=rater, by=request.user)
    return _("The platform id of %(rater)s is removed. The payment file cannot name it any more.") % {"rater": rater}


def _erase(request: HttpRequest, rater: Rater) -> str:
    erased = erasure.erase(rater=rater, by=request.user)
    sentence = ngettext(
        "%(n)s answer of this rater was erased, with everything that identified them.",
        "%(n)s answers of this rater were erased, with everything that identified them.",
        erased.judgments,
    )
    return sentence % {"n": erased.judgments}


# What can be done beside a new link, by whom at least.
ACTS: dict[str, tuple[str, Callable[[HttpRequest, Rater], str]]] = {
    "returned": (EDITOR, _end(Rater.Outcome.RETURNED)),
    "timed_out": (EDITOR, _end(Rater.Outcome.TIMED_OUT)),
    "forget": (OWNER, _forget),
    "erase": (OWNER, _erase),
}


@researcher_page
@require_POST
def act(request: HttpRequest, slug: str) -> HttpResponseBase:
    """End, forget or erase a rater."""
    action = request.POST.get("action", "")
    if action not in ACTS:
        raise Http404
    role, does = ACTS[action]
    rater = _chosen(request, slug, role)
    messages.success(request, does(request, rater))
    return redirect("researcher:people", slug)


@researcher_page
@require_POST
def link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a new personal link for a rater, and show it this once: it is kept as a hash only."""
    rater = _chosen(request, slug, EDITOR)
    token = enrolment.new_link(rater_id=rater.pk)
    # Whoever has the link answers in the rater's place. The log does not say whose it is: it outlives an erasure.
    events.log(rater.study, request.user, "made a personal link")
    address = request.build_absolute_uri(reverse("rater:next", args=[token]))
    return _page(request, slug, link=address, link_of=rater.pseudonym)


def _chosen(request: HttpRequest, slug: str, role: str) -> Rater:
    """Return the rater a form names."""
    study = access.study_for_researcher(request.user, slug, role)
    pseudonym = request.POST.get("rater", "")
    if "\0" in pseudonym:  # the database cannot even be asked for it
        raise Http404
    raters = Rater.objects.exclude(kind=Rater.Kind.IMPORTED).select_related("study")
    return get_object_or_404(raters, study=study, pseudonym=pseudonym, erased_at=None)
