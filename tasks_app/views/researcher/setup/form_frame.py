"""The frame of the pages on which a draft is set up: its steps, and who may change it."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.selectors.comments import threads
from tasks_app.setup import changes, frozen
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS, State, step_called, step_needed
from tasks_app.texts import languages
from tasks_app.views.researcher.frame import study_page


def step_url(slug: str, step: str) -> str:
    """Return the address of a step of a study."""
    return reverse("researcher:step", args=[slug, step])


# The pages of raters that the preview can show, by their names in addresses, in the order of raters.
PREVIEW_PAGES = (
    ("consent", gettext_lazy("Consent")),
    ("instructions", gettext_lazy("Instructions")),
    ("unit", gettext_lazy("Texts")),
    ("end", gettext_lazy("End")),
)


# The marks of steps, and their words for screen readers.
STATES_IN_WORDS: Mapping[State, Promise] = {
    State.DONE: gettext_lazy("done"),
    State.INCOMPLETE: gettext_lazy("incomplete"),
    State.PROBLEM: gettext_lazy("something to settle"),
}


def step_links(slug: str, current: str = "", states: Mapping[str, State] | None = None) -> list[dict[str, Any]]:
    """Return the steps with their addresses, for the row of links above each of them.

    Each is marked by its state, where that is known.
    """
    known = states or {}
    return [
        {
            "step": step,
            "url": step_url(slug, step.slug),
            "current": step.slug == current,
            "state": known.get(step.slug, ""),
        }
        for step in STEPS
    ]


def go(request: HttpRequest, to: str, *args: str) -> HttpResponse:
    """Send the browser to another page; htmx follows a header of its own."""
    response = redirect(to, *args)
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Redirect": response["Location"]})
    return response


def go_on(request: HttpRequest, page: SetupPage) -> HttpResponse:
    """Lead to the next step that is not done, and say which steps are passed over; to Review where all are done.

    Where there is no consent text, its draft comes next, which asks for what the form does not say.
    """
    slugs = [step.slug for step in STEPS]
    needed = step_needed(page.states, page.step)
    passed = STEPS[slugs.index(page.step) + 1 : slugs.index(needed)]
    if passed:
        words = {"steps": ", ".join(f"“{step.label}”" for step in passed), "next": step_called(needed).label}
        messages.info(request, _("Nothing is missing in %(steps)s, so “%(next)s” comes next.") % words)
    if needed == "consent" and not page.value(("consent",)):
        return redirect("researcher:consent_draft", page.study.slug)
    return redirect(step_url(page.study.slug, needed))


Context = Callable[[SetupPage], dict[str, Any]]


def setup_page(
    request: HttpRequest,
    slug: str,
    step: str,
    context: Context,
    *,
    template: str,
    status: int = 200,
    opened: Callable[[HttpRequest, Study], HttpResponse] | None = None,
) -> HttpResponse:
    """Render a page of the form for editors and owners of a draft.

    `template` is its name under templates/researcher/setup/. Of a study that was opened, `opened` shows the page
    read-only; without it, the request is redirected to the set-up.
    """
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    if study.is_frozen:
        return opened(request, study) if opened is not None else redirect("researcher:setup", slug)
    page = SetupPage(changes.begin(study), step, is_checked=True)
    return page_of(request, page, context, template=template, status=status)


def frozen_page(request: HttpRequest, study: Study, step: str, context: Context, *, template: str) -> HttpResponse:
    """Render a step of the form as it was frozen, read-only, for editors and owners of a study that was opened."""
    version = frozen.current_version(study)
    page = SetupPage(frozen.frozen_setup(version), step)
    return page_of(
        request, page, lambda page: {"version": version, **context(page)}, template=f"frozen_{template}"
    )  # fmt: skip


def page_of(
    request: HttpRequest, page: SetupPage, context: Context, *, template: str, status: int = 200
) -> HttpResponse:
    """Render a page of the form for a set-up with a study that `access` fetched for this person."""
    step, slug = page.step, page.study.slug
    current = next((number for number, candidate in enumerate(STEPS) if candidate.slug == step), None)

    def with_steps(study: Study) -> dict[str, Any]:
        return {
            "setup_page": page,
            "setup": page.setup,
            "is_read_only": page.is_read_only,
            "steps": step_links(slug, step, page.states),
            "step_states": STATES_IN_WORDS.items(),
            "preview_pages": PREVIEW_PAGES,
            "rater_languages": languages.to_choose_from(),
            "step": STEPS[current] if current is not None else None,
            "back_step": step_url(slug, STEPS[current - 1].slug) if current else "",
            "next_step": step_url(slug, STEPS[current + 1].slug)
            if current is not None and current + 1 < len(STEPS)
            else "",
            # Review lists the comments on every step.
            "step_comments": threads(study, step) if step != "review" else [],
            **context(page),
        }

    return study_page(
        request, slug, "setup", with_steps, template=f"setup/{template}", role=Membership.Role.EDITOR, status=status,
        fetched=(page.study, vars(page.study)["own_role"]),
    )  # fmt: skip
