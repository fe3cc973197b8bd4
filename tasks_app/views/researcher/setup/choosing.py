"""The choice of a task for texts of a draft without one: a card for each task type, with its own first text."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import task_types
from tasks_app.models import Setup
from tasks_app.setup import fitting
from tasks_app.setup.fitting import Fit
from tasks_app.setup.page import SetupPage
from tasks_app.setup.texts.reads import counts
from tasks_app.texts import languages
from tasks_app.views.public.examples import drawn, pictured
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import page_of, step_url
from tasks_app.views.researcher.setup.texts.drafts import of_draft
from tasks_app.views.researcher.starting import by_texts_shown


@researcher_page("GET", "POST")
@of_draft
def choose_type(request: HttpRequest, setup: Setup) -> HttpResponse:
    """Show the task types that fit the texts of a draft, or give it a task of the chosen one."""
    slug = setup.study.slug
    if request.method == "POST":
        return _choose(request, setup)
    if setup.given.get("tasks"):
        return redirect(step_url(slug, "task"))
    fits = {fit.member: fit for fit in fitting.fits_of(setup)}
    fitting_members = by_texts_shown(member for member, fit in fits.items() if not fit.why_not)
    context = {
        "goals": [
            (heading, [{"member": member, "picture": _picture(fits[member], slug, setup)} for member in members])
            for heading, members in fitting_members
        ],
        "others": [fit for fit in fits.values() if fit.why_not],
        "texts": counts(setup),
    }
    return page_of(request, SetupPage(setup, "task", is_checked=True), lambda _page: context, template="choose_type")


def _picture(fit: Fit, slug: str, setup: Setup) -> Any:
    """Return the screen with the study's own first text, in the language of its raters."""
    if fit.screen is None:
        return pictured(fit.member)
    with languages.speaking(setup.study.language):
        return drawn(fit.screen, step_url(slug, "media"))


def _choose(request: HttpRequest, setup: Setup) -> HttpResponse:
    member = task_types.registry.get(request.POST.get("task_type", ""))
    if member is None:
        raise Http404
    try:
        fitting.choose(setup=setup, member=member, by=cast("User", request.user))
    except fitting.HasTask:
        messages.info(request, _("This study has a task already. Change its type below."))
        return redirect(step_url(setup.study.slug, "task"))
    # The questions are what nobody can guess; the other settings of the task have usual values.
    return redirect(step_url(setup.study.slug, "questions" if member.criteria_needed[1] != 0 else "task"))
