"""The frame of the pages on which a draft is set up: its steps, and who may change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from tasks_app import access, languages
from tasks_app.models import Membership, Setup, Study
from tasks_app.setup import changes
from tasks_app.setup.steps import STEPS
from tasks_app.views.researcher.frame import study_page


def step_url(slug: str, step: str) -> str:
    """Return the address of a step of a study."""
    return reverse("researcher:step", args=[slug, step])


def step_links(slug: str, current: str = "") -> list[dict[str, Any]]:
    """Return the steps with their addresses, for the row of links above each of them."""
    return [{"step": one, "url": step_url(slug, one.slug), "current": one.slug == current} for one in STEPS]


def setup_page(
    request: HttpRequest,
    slug: str,
    step: str,
    context: Callable[[Study, Setup], dict[str, Any]],
    *,
    template: str,
    status: int = 200,
) -> HttpResponse:
    """Render a step of a draft for its editors and owners; a study that was opened shows its frozen set-up instead.

    `template` is its name under templates/researcher/setup/.
    """
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    if study.is_frozen:
        return redirect("researcher:setup", slug)
    setup = changes.begin(study)
    current = next((number for number, one in enumerate(STEPS) if one.slug == step), None)

    def with_steps(study: Study) -> dict[str, Any]:
        return {
            "setup": setup,
            "steps": step_links(slug, step),
            "rater_languages": languages.to_choose_from(),
            "step": STEPS[current] if current is not None else None,
            "back_step": step_url(slug, STEPS[current - 1].slug) if current else "",
            "next_step": step_url(slug, STEPS[current + 1].slug)
            if current is not None and current + 1 < len(STEPS)
            else "",
            **context(study, setup),
        }

    return study_page(
        request, slug, "setup", with_steps, template=f"setup/{template}", role=Membership.Role.EDITOR, status=status
    )
