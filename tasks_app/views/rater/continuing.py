"""Continue where you were: the one cookie of raters' pages, and the page that offers to use it.

Only the address by which a study is joined is sent the cookie. It is never needed (docs/decisions/0105).
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from tasks_app import channels
from tasks_app.channels.base import Arrival
from tasks_app.forms import SignedForm
from tasks_app.links import credentials
from tasks_app.models import Rater, Study
from tasks_app.services.arrival import enrolment, remembering
from tasks_app.services.judging import assignments
from tasks_app.texts import languages

COOKIE = "evalweb_begun"

# The field of the buttons of the page, and what they send.
FIELD, EARLIER, OTHER = "begun", "earlier", "other"

# What the page's form is signed with: for which rater it was shown. No other form has it.
OFFERED = "offered"

# What a browser says of requests that begin on a page of the same site, or in its address bar.
OWN_SITES = frozenset({"same-origin", "none"})


def _path(study: Study) -> str:
    return reverse("rater:join", args=[study.link_code])


def remember(request: HttpRequest, response: HttpResponse, enrolled: enrolment.Enrolled, nonce: str) -> HttpResponse:
    """Let the browser remember a rater who has just agreed, where the channel has that and the study's own page asked.

    A form on another site could make somebody's browser remember a rater of that site's choice. Somebody who tries an
    open study out is not remembered; in a rehearsal everybody is on trial.
    """
    rater = enrolled.rater
    is_counted = rater.kind == Rater.Kind.REAL or rater.study.is_rehearsal
    if not (is_counted and has_memory(rater.channel)):
        return response
    if request.headers.get("Sec-Fetch-Site", "none") not in OWN_SITES:
        return response
    response.set_cookie(
        COOKIE,
        remembering.value_for(enrolled, nonce),
        max_age=remembering.SECONDS,
        path=_path(rater.study),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def forget(response: HttpResponse, study: Study, channel: str) -> HttpResponse:
    """Delete the cookie of the browser about a study."""
    if has_memory(channel):
        response.delete_cookie(COOKIE, path=_path(study), samesite="Lax")
    return response


def has_memory(channel: str) -> bool:
    """Return whether raters of a channel may be remembered in their browser."""
    return channel in channels.registry and channels.registry[channel].remembers_browser


def remembered(request: HttpRequest, study: Study, arrival: Arrival) -> enrolment.Enrolled | None:
    """Return the rater whom this browser remembers and who can go on; None where there is none.

    A person whom a platform sends is only asked about themselves.
    """
    value = request.COOKIES.get(COOKIE, "")
    if not value or arrival.preview or not has_memory(arrival.channel):
        return None
    enrolled = remembering.rater_of(study, value)
    if enrolled is None or enrolled.rater.channel != arrival.channel:
        return None
    if enrolled.rater.state == Rater.State.ENDED and not assignments.may_resume(enrolled.rater):
        return None
    if arrival.external_id:
        identity = enrolment.identity_of(study, arrival)
        return enrolled if identity is not None and identity.rater_id == enrolled.rater.pk else None
    return enrolled


def mark_of(enrolled: enrolment.Enrolled) -> str:
    """Return the mark of the rater for whom the page's form was shown; it tells nothing of them."""
    return credentials.handle_of_rater(enrolled.rater.pk)


def may_be_another(channel: str) -> bool:
    """Return whether the page has a button for somebody else: a platform says who comes."""
    return has_memory(channel) and not channels.registry[channel].needs_ids


def offer(request: HttpRequest, study: Study, enrolled: enrolment.Enrolled, form: SignedForm) -> HttpResponse:
    """Ask whether it is the earlier rater who has come back. Nothing is said of that rater."""
    with languages.speaking(enrolled.rater.language or study.language):
        context = {
            "form": form,
            "public_title": study.public_title,
            "language": study.language,
            "is_platforms": not may_be_another(enrolled.rater.channel),
            "pays": study.options.amount > 0,
        }
        return render(request, "rater/begun.html", context)
