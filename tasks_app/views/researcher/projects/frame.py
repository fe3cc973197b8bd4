"""The frame of a project's pages: access, tabs and name."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise

from tasks_app import access
from tasks_app.hooks import tabs
from tasks_app.models import Project
from tasks_app.views.researcher.frame import remember_projects, show


def project_page(
    request: HttpRequest,
    slug: str,
    tab: str,
    context: Callable[[Project], dict[str, Any]],
    *,
    template: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render a tab of a project, or with `template` a page within it, for people who may see a study of it.

    `template` is its name under templates/researcher/projects/.
    """
    project = access.project_for_researcher(request.user, slug)
    remember_projects(request, True)
    rows = [
        {"label": entry.label, "url": reverse(entry.url_name, args=[slug]), "current": entry.slug == tab}
        for entry in tabs.project_tabs()
    ]
    frame = {"project": project, "project_tabs": rows, **context(project)}
    current = next((row["label"] for row in rows if row["current"]), "")
    return show_projects(request, template or tab, str(current), frame, status=status)


def show_projects(
    request: HttpRequest, template: str, title: str | Promise, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render a page about projects; `template` is its name under templates/researcher/projects/."""
    return show(request, f"projects/{template}", title, context, status=status)
