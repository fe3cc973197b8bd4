"""Try out the arrival and the end of raters on each channel, as a person with answers that never count."""

import copy
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access, channels
from tasks_app.channels.base import Arrival, Ending, NotArrived
from tasks_app.models import Event, Membership, Rater, Study
from tasks_app.services import events
from tasks_app.services.arrival import endings, enrolment
from tasks_app.texts import languages
from tasks_app.views.rater import arriving, ending
from tasks_app.views.rater.pages import PageFrame
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.recruiting import open_channels

# A code that no study has, for outcomes where each rater gets one of their own.
SAMPLE_CODE = "EXAMPLE8"

# Refusals of an arrival: its label, the exception that is raised, and the state of the study.
REFUSALS: Mapping[str, tuple[Any, type[Exception], str]] = {
    "no_place": (gettext_lazy("All places taken on arrival"), enrolment.StudyFull, Study.State.OPEN),
    "paused": (gettext_lazy("Study paused"), enrolment.NotOpen, Study.State.PAUSED),
    "closed": (gettext_lazy("Study closed"), enrolment.NotOpen, Study.State.CLOSED),
    "too_many": (gettext_lazy("Too many from one address"), enrolment.TooMany, Study.State.OPEN),
    "already": (gettext_lazy("Taken part already"), enrolment.AlreadyHere, Study.State.OPEN),
}


@researcher_page("GET")
def try_out(request: HttpRequest, slug: str) -> HttpResponse:
    """List the arrivals and endings of every open channel; with one of them named, show it as a rater sees it."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    channel = request.GET.get("channel", "")
    if channel:
        if channels.opened(study.options, channel) is None:
            raise Http404
        with languages.speaking(study.language):
            return _shown(request, study, channel)

    def context(study: Study) -> dict[str, Any]:
        opened = [(name, channels.registry[name]) for name in open_channels(study)]
        return {
            "rows": [{"name": name, "kind": channel, "examples": channel.examples()} for name, channel in opened],
            "outcomes": Rater.Outcome.choices,
            "refusals": [(name, row[0]) for name, row in REFUSALS.items()],
        }

    return study_page(
        request, slug, "recruit", context, template="try", title=_("Try it out"), role=Membership.Role.EDITOR
    )


def _shown(request: HttpRequest, study: Study, channel: str) -> HttpResponse:
    outcome, refusal = request.GET.get("outcome", ""), request.GET.get("refusal", "")
    if outcome in Rater.Outcome.values:
        return _end(request, study, channel, outcome)
    if refusal in REFUSALS:
        return _refused(request, study, channel, refusal)
    number = request.GET.get("example", "")
    examples = channels.registry[channel].examples()
    if not number.isdecimal() or int(number) >= len(examples):
        raise Http404
    return _arrival(request, study, channel, examples[int(number)].query)


def _read(study: Study, channel: str, query: Mapping[str, str]) -> Arrival:
    """Read a made-up address; who is invited has no made-up secret, and needs none here."""
    kind = channels.channel_of(study.options, channel)
    return Arrival(channel) if kind.invited_only else kind.arrival(query)


def _arrival(request: HttpRequest, study: Study, channel: str, query: Mapping[str, str]) -> HttpResponse:
    """Show the page at a channel's address; agreed to, it makes a rater with answers that count nowhere."""
    try:
        arrival = _read(study, channel, query)
    except NotArrived as error:
        return arriving.not_arrived(request, error)
    if not study.events.filter(verb=Event.TRIED, actor_id=request.user.pk).exists():
        events.log(study, request.user, Event.TRIED, about=channel)
    if arrival.preview:
        return arriving.preview_page(request, study, channel)
    form = arriving.consent_form(study, arrival, kind=Rater.Kind.SANDBOX)
    post_to = reverse("rater:arrive", args=[study.link_code, channel])
    trying = "open" if study.state == Study.State.OPEN else "shut"
    return arriving.consent_page(request, study, form, channel=channel, post_to=post_to, trying=trying)


def somebody(study: Study, channel: str) -> Arrival:
    """Return the arrival of somebody who came in."""
    for example in channels.registry[channel].examples():
        try:
            arrival = _read(study, channel, example.query)
        except NotArrived:
            continue
        if not arrival.preview:
            return arrival
    return Arrival(channel)


def _end(request: HttpRequest, study: Study, channel: str, outcome: str) -> HttpResponse:
    arrival, kind = somebody(study, channel), channels.channel_of(study.options, channel)
    details = {**arrival.details, "session_id": arrival.session_id, "pseudonym": "r-example"}
    code = "" if outcome in Rater.Outcome.ENDED_THERE else study.options.codes.of(outcome) or SAMPLE_CODE
    title, sentences = ending.words(outcome, 12, [])
    context = {
        "frame": PageFrame(
            public_title=study.public_title,
            done=0,
            total=0,
            minutes_left="",
            help_url="",
            stop_url="",
            lang=languages.spoken(),
        ),
        "outcome": outcome,
        "title": title,
        "sentences": sentences,
        "ending": Ending(code, is_to_keep=True)
        if code and endings.is_to_keep(study.options, channel, outcome)
        else kind.ending(outcome, code, details),
    }
    return render(request, "rater/end.html", context)


def _refused(request: HttpRequest, study: Study, channel: str, refusal: str) -> HttpResponse:
    _label, error, state = REFUSALS[refusal]
    imagined = copy.copy(study)
    imagined.state = state
    raised = error(Rater(study=study)) if error is enrolment.AlreadyHere else error()
    response = arriving.refused(request, imagined, somebody(study, channel), raised)  # type: ignore[arg-type]
    # For whoever tries it out this is the page they asked for.
    response.status_code = 200
    return response
