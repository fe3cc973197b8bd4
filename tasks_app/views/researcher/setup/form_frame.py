"""The frame of the pages on which a draft is set up: its steps, and who may change it."""

from collections.abc import Callable, Collection
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tasks_app import access, languages
from tasks_app.models import Membership, Study
from tasks_app.selectors.comments import threads
from tasks_app.setup import changes, frozen
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS
from tasks_app.views.researcher.frame import study_page


def step_url(slug: str, step: str) -> str:
    """Return the address of a step of a study."""
    return reverse("researcher:step", args=[slug, step])


# Templates of pages that read and check the whole document anyway.
_WITH_STATES = ("step", "review")


# The pages of raters that the preview can show, by their names in addresses, in the order of raters.
PREVIEW_PAGES = (
    ("consent", _("Consent")),
    ("instructions", _("Instructions")),
    ("unit", _("Texts")),
    ("end", _("End")),
)


def step_links(slug: str, current: str = "", to_settle: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the steps with their addresses, for the row of links above each of them.

    `to_settle` are the steps that are marked: something is wrong or missing there.
    """
    return [
        {
            "step": step,
            "url": step_url(slug, step.slug),
            "current": step.slug == current,
            "to_settle": step.slug in to_settle,
        }
        for step in STEPS
    ]


def go(request: HttpRequest, to: str, *args: str) -> HttpResponse:
    """Send the browser to another page; htmx follows a header of its own."""
    response = redirect(to, *args)
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Redirect": response["Location"]})
    return response


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
    """Render a page of the form for a set-up whose study was fetched for this person by `access`."""
    step, slug = page.step, page.study.slug
    current = next((number for number, candidate in enumerate(STEPS) if candidate.slug == step), None)

    def with_steps(study: Study) -> dict[str, Any]:
        return {
            "setup_page": page,
            "setup": page.setup,
            "is_read_only": page.is_read_only,
            "steps": step_links(slug, step, page.steps_to_settle if template in _WITH_STATES else ()),
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
