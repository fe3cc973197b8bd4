"""Rate a draft on trial: a press on Review begins a rehearsal, which goes on at its consent page as for any rater."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.designs.base import PlanImpossible
from tasks_app.models import Membership, Rater
from tasks_app.services.study import rehearsals
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.texts import languages
from tasks_app.views.rater import arriving
from tasks_app.views.rater.trial import announce_trial
from tasks_app.views.researcher.frame import refusals_shown, researcher_page
from tasks_app.views.researcher.recruiting import open_channels
from tasks_app.views.researcher.setup.form_frame import step_url
from tasks_app.views.researcher.trying import somebody


@researcher_page("GET", "POST")
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the consent page of somebody's own rehearsal of a draft; posted to, begin one."""
    if request.method != "POST":
        return _consent(request, slug)
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    assert request.user.is_authenticated
    address = step_url(slug, "review")
    with refusals_shown(request, NotPossible, PlanImpossible):
        rehearsals.rehearse(study_id=study.pk, by=request.user)
        address = reverse("researcher:rehearse", args=[slug])
    return redirect(address)


def _consent(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the consent page on the study's first channel, to somebody whom that channel might have sent."""
    rehearsal = access.rehearsal_for_editor(request.user, slug)
    if rehearsal is None:
        messages.info(request, _("This trial is over. Press “Rate it yourself” on Review to begin another one."))
        return redirect(step_url(slug, "review"))
    channel = open_channels(rehearsal)[0]
    arrival = somebody(rehearsal, channel)
    form = arriving.consent_form(rehearsal, arrival, kind=Rater.Kind.SANDBOX)
    announce_trial(request, rehearsal)
    with languages.speaking(rehearsal.language):
        post_to = reverse("rater:arrive", args=[rehearsal.link_code, channel])
        return arriving.consent_page(request, rehearsal, form, post_to=post_to)
