"""Which sites may embed rater pages, and receive their last form: the platform that the rater came from."""

from collections.abc import Sequence

from csp.constants import SELF
from django.http import HttpResponse

from tasks_app import channels


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
