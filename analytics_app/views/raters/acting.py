"""Actions of researchers on a rater: a new link, an end, removal of the platform id, erasure."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.views.raters.page import rater_page
from tasks_app import access
from tasks_app.models import Membership, Rater
from tasks_app.services import contact, erasure, events
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import allowing, assignments
from tasks_app.views.researcher.frame import refusals_shown, researcher_page

EDITOR, OWNER = Membership.Role.EDITOR, Membership.Role.OWNER


def _end(outcome: str) -> Callable[[HttpRequest, Rater], str]:
    def ended(request: HttpRequest, rater: Rater) -> str:
        assignments.stop(rater=rater, outcome=outcome)
        events.log(rater.study, request.user, "ended a rater", after={"outcome": outcome})
        return _("%(rater)s has ended; what was open is free for others.") % {"rater": rater}

    return ended


def _pause(request: HttpRequest, rater: Rater) -> str:
    if not contact.pause(rater=rater, by=request.user):
        return _("%(rater)s had already ended or been paused, so nothing changed.") % {"rater": rater}
    return _("%(rater)s is paused. Answers and pay stay as they are.") % {"rater": rater}


def _resume(request: HttpRequest, rater: Rater) -> str:
    if not contact.resume(rater=rater, by=request.user):
        return _("%(rater)s is not paused; nothing has changed.") % {"rater": rater}
    return _("%(rater)s can continue.") % {"rater": rater}


def _allow(request: HttpRequest, rater: Rater) -> str:
    if not allowing.allow(rater=rater, by=request.user, reason=request.POST.get("reason", "")):
        return _("%(rater)s is not stopped by a limit; nothing has changed.") % {"rater": rater}
    return _("%(rater)s can continue, and no limit stops this rater again.") % {"rater": rater}


def _forget(request: HttpRequest, rater: Rater) -> str:
    erasure.forget_platform(rater=rater, by=request.user)
    return _("The platform id of %(rater)s is removed. The payment file cannot name it any more.") % {"rater": rater}


def _erase(request: HttpRequest, rater: Rater) -> str:
    removed = set(request.POST.getlist("mention"))
    chosen = {key: key in removed for key in request.POST.getlist("listed")}
    erased = erasure.erase(rater=rater, by=request.user, mentions=chosen)
    sentences = [
        ngettext(
            "%(n)s answer of this rater was erased, with everything that identified them.",
            "%(n)s answers of this rater were erased, with everything that identified them.",
            erased.judgments,
        )
        % {"n": erased.judgments}
    ]
    if erased.mentions:
        removals = ngettext(
            "The pseudonym was removed from %(n)s text.", "The pseudonym was removed from %(n)s texts.", erased.mentions
        )
        sentences.append(removals % {"n": erased.mentions})
    return " ".join(sentences)


# What can be done beside a new link, by whom at least.
ACTS: dict[str, tuple[str, Callable[[HttpRequest, Rater], str]]] = {
    "pause": (EDITOR, _pause),
    "resume": (EDITOR, _resume),
    "returned": (EDITOR, _end(Rater.Outcome.RETURNED)),
    "timed_out": (EDITOR, _end(Rater.Outcome.TIMED_OUT)),
    "allow": (OWNER, _allow),
    "forget": (OWNER, _forget),
    "erase": (OWNER, _erase),
}


@researcher_page("POST")
def act(request: HttpRequest, slug: str) -> HttpResponseBase:
    """End, forget or erase a rater."""
    action = request.POST.get("action", "")
    if action not in ACTS:
        raise Http404
    role, does = ACTS[action]
    rater, _own = _chosen(request, slug, role)
    with refusals_shown(request, ValueError):
        messages.success(request, does(request, rater))
        if action == "erase":  # the new pseudonym is nobody's: an address would tell whose it was
            return redirect("analytics:raters", slug)
    return redirect("analytics:rater", slug, rater.pseudonym)


@researcher_page("POST")
def new_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a new personal link for a rater, and show it this once: it is kept as a hash only."""
    rater, own = _chosen(request, slug, EDITOR)
    token = enrolment.new_link(rater_id=rater.pk)
    # Whoever has the link answers in the rater's place. The log does not say whose it is: it outlives an erasure.
    events.log(rater.study, request.user, "made a personal link")
    address = request.build_absolute_uri(reverse("rater:next", args=[token]))
    return rater_page(request, (rater.study, own), rater.pseudonym, link=address)


@researcher_page("POST")
def write(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send a message to a rater; if it cannot be sent, show it again with the reason."""
    (rater, own), text = _chosen(request, slug, EDITOR), request.POST.get("text", "")
    try:
        contact.write(rater=rater, by=request.user, text=text)
    except ValueError as problem:
        form = {"message": text, "message_problem": str(problem)}
        return rater_page(request, (rater.study, own), rater.pseudonym, status=422, **form)
    messages.success(request, _("%(rater)s reads your message on their next page.") % {"rater": rater})
    return redirect("analytics:rater", slug, rater.pseudonym)


def _chosen(request: HttpRequest, slug: str, role: str) -> tuple[Rater, str | None]:
    """Return the rater of a form, and the user's role. Raises Http404 for imported or erased raters."""
    study, own = access.study_and_role(request.user, slug, role)
    rater = access.rater_of_study(study, request.POST.get("rater", ""))
    rater.study = study
    return rater, own
