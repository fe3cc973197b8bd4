"""A draft of the consent text, to read and to take over into the set-up."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Membership, Setup, Study
from tasks_app.richtext import to_html
from tasks_app.sections import Json
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.checking import reading_of
from tasks_app.setup.consent import consent_draft, missing_facts
from tasks_app.setup.paths import value_at
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import setup_page, step_url

STEP = "consent"


@researcher_page("GET", "POST")
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the text that the form gives, or put it in the place of the consent text."""
    if request.method == "POST":
        return _take_over(request, slug)

    def context(_study: Study, setup: Setup) -> dict[str, Any]:
        text = _text(setup)
        return {
            "html": to_html(text),
            "missing": missing_facts(text),
            "language": _language(setup),
            "replaces": bool(_texts(setup).get(_language(setup))),
        }

    return setup_page(request, slug, STEP, context, template="consent_draft")


def _take_over(request: HttpRequest, slug: str) -> HttpResponse:
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    try:
        setup = changes.begin(study)
        texts = {**_texts(setup), _language(setup): _text(setup)}
        changes.change(setup=setup, values={("consent",): texts}, base=setup.revision, by=request.user)
    except NotADraft as error:
        messages.error(request, str(error))
        return redirect("researcher:setup", slug)
    messages.success(request, _("The draft is your consent text now. Fill in what stands in square brackets."))
    return redirect(step_url(slug, STEP))


def _text(setup: Setup) -> str:
    reading = reading_of(setup)
    workload = workload_of(reading, draft_tasks(reading)) if reading.units_sound else None
    return consent_draft(setup.given, workload.minutes if workload else None)


def _language(setup: Setup) -> str:
    return str(value_at(setup.given, ("study", "language")) or "en")


def _texts(setup: Setup) -> dict[str, Json]:
    """Return the consent texts by language; a single text is in the study's own language."""
    given = value_at(setup.given, ("consent",))
    if isinstance(given, dict):
        return given
    return {_language(setup): given} if isinstance(given, str) and given else {}
