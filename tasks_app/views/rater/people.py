"""Pages of raters with accounts: sign in and out, and the studies they are invited to."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tasks_app.models import Invitation, Study
from tasks_app.services.arrival import invitations
from tasks_app.views.rater import pages
from tasks_app.views.signing_in import SignIn

SIGN_IN = reverse_lazy("rater:sign_in")


def _with_origin(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let browsers say where a form comes from: under `no-referrer` they do not, and Django refuses every sign-in."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response.headers["Referrer-Policy"] = "same-origin"
        return response

    return page


sign_in = _with_origin(
    require_http_methods(["GET", "HEAD", "POST"])(
        LoginView.as_view(
            authentication_form=SignIn,
            template_name="rater/sign_in.html",
            next_page=reverse_lazy("rater:studies"),
            redirect_authenticated_user=False,
        )
    )
)
sign_out = require_POST(LogoutView.as_view(next_page=SIGN_IN))


@_with_origin
@require_safe
@login_required(login_url=SIGN_IN)
def studies(request: HttpRequest) -> HttpResponse:
    """List the studies that a person is invited to, with pay and progress."""
    rows = [
        {
            "study": pages.public_study(invitation.study, "account"),
            "state": _in_words(invitation),
            "url": reverse("rater:arrive", args=[invitation.study.link_code, "account"]),
        }
        for invitation in invitations.of_person(request.user)
        if "account" in invitation.study.options.channels
    ]
    return render(request, "rater/studies.html", {"page_title": _("Your studies"), "rows": rows})


def _in_words(invitation: Invitation) -> str:
    state = invitations.state_of(invitation)
    if state == invitations.FINISHED:
        return _("finished")
    if state == invitations.STARTED:
        return _("begun")
    return _("not begun") if invitation.study.state == Study.State.OPEN else _("not taking raters now")
