"""The library of criteria, to search and to pick from while a study is set up."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.models import Membership
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.criteria import library as criteria
from tasks_app.setup.page import SetupPage
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.setup.form_frame import setup_page, step_url

# The step that the library belongs to.
STEP = "questions"


@researcher_page("GET", "POST")
def library(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the library, or add the criteria that were picked from it."""
    if request.method == "POST":
        return _add(request, slug)

    def context(page: SetupPage) -> dict[str, Any]:
        words = request.GET.get("words", "")[:200]
        return {
            "entries": criteria.search(words),
            "words": words,
            "tasks": criteria.tasks_with_criteria(page.document),
            "keys_in_study": {entry.get("key") for entry in page.entries("criteria")},
        }

    return setup_page(request, slug, STEP, context, template="library")


def _add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the criteria that were picked, and lead back to the step."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    keys, task = request.POST.getlist("key"), request.POST.get("task", "")
    if not keys:
        messages.warning(request, _("Tick at least one criterion."))
        return redirect("researcher:library", slug)
    try:
        criteria.add(setup=changes.begin(study), task=int(task) if task.isdecimal() else -1, keys=keys, by=request.user)
    except LookupError as error:
        raise Http404 from error
    except NotADraft as error:
        messages.error(request, str(error))
        return redirect("researcher:setup", slug)
    added = ngettext("%(n)d criterion is added.", "%(n)d criteria are added.", len(keys)) % {"n": len(keys)}
    messages.success(request, added)
    return redirect(step_url(slug, STEP))
