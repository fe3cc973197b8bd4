"""A rater's visit: the request, the rater and the token, and the responses that all pages of raters can give.

Each address contains the rater's token; no page needs a cookie or JavaScript.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, cast

from csp.constants import SELF
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tasks_app import access, channels
from tasks_app.forms import StepForm
from tasks_app.links.credentials import handle_of_rater
from tasks_app.models import DeletedStudy, Rater
from tasks_app.settings.study import StudySettings
from tasks_app.texts import languages
from tasks_app.views.rater.trial import announce_trial

P = ParamSpec("P")

# Stands for the token while an address is written; nothing else in an address is like it.
ANY_TOKEN = "token-token-token-tokn"  # noqa: S105  no secret


@lru_cache(maxsize=1024)
def _address(name: str, args: tuple[object, ...]) -> str:
    """Return the address of a rater's page with `ANY_TOKEN`, written once: a page has a dozen of them."""
    return reverse(f"rater:{name}", args=[ANY_TOKEN, *args])


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of a rater, made once and handed on: the rater with the study, and the token in the address."""

    request: HttpRequest
    rater: Rater
    token: str

    @property
    def options(self) -> StudySettings:
        """The settings of the study."""
        return self.rater.study.options

    @property
    def is_post(self) -> bool:
        """Whether a form was sent."""
        return self.request.method == "POST"

    @property
    def has_ended(self) -> bool:
        """Whether the rater has ended."""
        return self.rater.state == Rater.State.ENDED

    def url(self, name: str, *args: object) -> str:
        """Return the address of one of this rater's pages."""
        return _address(name, args).replace(ANY_TOKEN, self.token)

    def go_to(self, name: str, *args: object) -> HttpResponseRedirect:
        """Send the rater to one of their pages."""
        return HttpResponseRedirect(self.url(name, *args))

    def step_form(self, step: str) -> StepForm:
        """Make the form of a button, bound to the post."""
        bound = {"rater": handle_of_rater(self.rater.pk), "step": step}
        return StepForm(self.request.POST if self.is_post else None, bound_to=bound)

    def render(self, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
        """Answer with a template."""
        return render(self.request, template, context, status=status)

    def message(self, title: str, sentences: list[str], status: int = 200) -> HttpResponse:
        """Answer with a title and a few sentences."""
        return message(self.request, title, sentences, status)


RaterView = Callable[Concatenate[Visit, P], HttpResponse]


def rater_page(*methods: str) -> Callable[[RaterView[P]], Callable[Concatenate[HttpRequest, str, P], HttpResponse]]:
    """Make a view of `(request, token, …)` out of one of `(visit, …)`, in the rater's language.

    No cookie is asked for, so Django's CSRF check has nothing to compare: forms carry a signed token instead.
    """

    def decorate(view: RaterView[P]) -> Callable[Concatenate[HttpRequest, str, P], HttpResponse]:
        @wraps(view)
        def page(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            try:
                rater = access.rater_for_token(token)
            except Http404:
                return _deleted_or_nothing(request, token)
            if rater.kind == Rater.Kind.SANDBOX:
                announce_trial(request, rater.study)
            with languages.speaking(rater.language or rater.study.language):
                try:
                    return framed(view(Visit(request, rater, token), *args, **kwargs), rater.channel)
                except ObjectDoesNotExist:
                    # The study may have been deleted while the page was made.
                    if (deleted := access.deleted_study_for_token(token)) is None:
                        raise
                    return study_deleted(request, deleted)

        return cast(
            "Callable[Concatenate[HttpRequest, str, P], HttpResponse]",
            csrf_exempt(require_http_methods(list(methods))(page)),
        )

    return decorate


def message(request: HttpRequest, title: str, sentences: list[str], status: int = 200) -> HttpResponse:
    """Answer with a title and a few sentences that tell the event and the next step."""
    return render(request, "rater/message.html", {"title": title, "sentences": sentences}, status=status)


def _deleted_or_nothing(request: HttpRequest, token: str) -> HttpResponse:
    """Answer a link that leads to no rater: it may have led to a study that was deleted. Raises Http404."""
    deleted = access.deleted_study_for_token(token)
    if deleted is None:
        raise Http404
    return study_deleted(request, deleted)


def study_deleted(request: HttpRequest, deleted: DeletedStudy) -> HttpResponse:
    """Say that a study was deleted with all answers, in its language; nothing else is told of it."""
    with languages.speaking(deleted.language):
        sentences = [_("Its pages and all answers given in it were deleted. Nothing is left to do.")]
        if deleted.contact:
            sentences.append(_("If you have a question, write to %(contact)s.") % {"contact": deleted.contact})
        return message(request, _("This study was deleted"), sentences, HTTPStatus.GONE)


def forged(request: HttpRequest) -> HttpResponse:
    """Answer a form that was not made for this rater and screen."""
    return message(
        request,
        _("This page is out of date"),
        [_("Nothing was stored."), _("Go back, reload the page and try again.")],
        status=403,
    )


def framed(response: HttpResponse, channel: str) -> HttpResponse:
    """Let a channel's platform show this page in a frame; the channel alone decides, so that no query is needed."""
    ancestors = channels.registry[channel].frame_ancestors() if channel in channels.registry else ()
    if ancestors:
        _replace(response, "frame-ancestors", ancestors)
        # Read by Django's middleware, which would else forbid every frame in an older header.
        response.xframe_options_exempt = True
    return response


def sending_away(response: HttpResponse, channel: str) -> HttpResponse:
    """Let a form on this page be sent to a channel's platform."""
    targets = channels.registry[channel].form_targets() if channel in channels.registry else ()
    if targets:
        _replace(response, "form-action", (SELF, *targets))
    return response


def _replace(response: HttpResponse, directive: str, values: Sequence[str]) -> None:
    """Replace one directive of the page's policy, as django-csp's decorators do."""
    replaced = getattr(response, "_csp_replace", None) or {}
    response._csp_replace = {**replaced, directive: list(values)}  # type: ignore[attr-defined]
