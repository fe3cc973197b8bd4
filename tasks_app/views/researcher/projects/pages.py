"""The list of projects, and the page of a project: the progress of its studies, and actions on all of them."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.hooks import tabs
from tasks_app.models import Membership, Project, Study
from tasks_app.selectors import projects as reads
from tasks_app.selectors.projects import works_under_way
from tasks_app.services.study import projects as service
from tasks_app.views import pay_words
from tasks_app.views.researcher.frame import refusals_shown, researcher_page
from tasks_app.views.researcher.listing import AT_HAND
from tasks_app.views.researcher.projects.frame import project_page, show_projects

ON_A_PAGE = 100


@researcher_page("GET")
def listing(request: HttpRequest) -> HttpResponse:
    """List the projects of which somebody may see a study, with how many studies they see."""
    is_readable = Q(studies__in=access.studies_for_researcher(request.user))
    counts = {state: Count("studies", filter=is_readable & Q(studies__state=state)) for state in Study.State.values}
    rows = access.projects_for_researcher(request.user).annotate(n=Count("studies", filter=is_readable), **counts)
    page = Paginator(rows.order_by("-created_at", "-id"), ON_A_PAGE).get_page(request.GET.get("page"))
    return show_projects(request, "projects", _("Projects"), {"page": page, "rows": list(_counted(page))})


def _counted(page: Iterable[Project]) -> Iterator[tuple[Project, list[tuple[str, str, int]]]]:
    """Yield each project with the states of its studies: key, words and number."""
    for project in page:
        numbers = vars(project)
        yield project, [(key, str(words), numbers[key]) for key, words in Study.State.choices if numbers[key]]


@researcher_page("GET")
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the studies of a project, their totals, and the actions for all of them."""

    def context(project: Project) -> dict[str, Any]:
        rows = reads.rows_of(access.studies_of_project(request.user, project))
        page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
        return {
            "page": page,
            "rows": [_links(request, row) for row in page],
            "totals": (totals := reads.totals_of(rows)),
            "money": _money(totals),
            "actions": _actions(rows),
            "under_way": list(works_under_way(project)),
            "may_edit": any(access.reaches(row.role, Membership.Role.EDITOR) for row in rows),
        }

    return project_page(request, slug, "studies", context)


def _links(request: HttpRequest, row: reads.StudyRow) -> dict[str, Any]:
    """Return a row with the links of the page."""
    study = row.study
    at_hand = [tab for tab in tabs.all_tabs() if tab.slug in AT_HAND and study.is_frozen]
    path = reverse("rater:join", args=[study.link_code])
    return {
        "row": row,
        "study": study,
        "link": request.build_absolute_uri(path) if study.is_frozen and "link" in study.options.channels else "",
        "tabs": [(tab.label, reverse(tab.url_name, args=[study.slug])) for tab in at_hand],
        "may_review": not study.is_frozen and access.reaches(row.role, Membership.Role.EDITOR),
        "cost": _so_far(row.cost, row.expected, row.currency),
    }


def _so_far(cost: Decimal | None, expected: Decimal | None, currency: str) -> str:
    """Describe the recorded cost, and the expected cost; empty where nothing is paid."""
    if cost is None and expected is None:
        return ""
    so_far = pay_words.money(cost or Decimal(0), currency)
    if expected is None:
        return so_far
    return _("%(cost)s of about %(expected)s") % {"cost": so_far, "expected": pay_words.money(expected, currency)}


def _money(totals: reads.Totals) -> list[str]:
    return [_so_far(so_far, expected or None, currency) for currency, (so_far, expected) in totals.money.items()]


def _actions(rows: Sequence[reads.StudyRow]) -> list[tuple[str, str, bool]]:
    """Return the actions that all studies allow now: name, words on the button, and whether it is the next step."""
    own = [row for row in rows if access.reaches(row.role, Membership.Role.EDITOR)]
    states = {row.study.state for row in own}
    unchecked = any(row.is_checked is False for row in own)
    checked = any(row.is_checked for row in own) or Study.State.PAUSED in states
    offered = (
        ("check", _("Check all"), unchecked, unchecked),
        ("open", _("Open all that are ready"), checked, checked and not unchecked),
        ("pause", _("Pause all"), Study.State.OPEN in states, False),
        ("close", _("Close all"), bool(states & set(Study.State.UNDER_WAY)), False),
    )
    return [(name, words, is_main) for name, words, is_possible, is_main in offered if is_possible]


@researcher_page("POST")
def rename(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a project another name."""
    project = access.project_for_researcher(request.user, slug)
    own = access.studies_of_project(request.user, project)
    if not any(access.reaches(vars(study)["own_role"], Membership.Role.EDITOR) for study in own):
        raise Http404
    with refusals_shown(request, service.NotInProject):
        service.rename(project=project, name=request.POST.get("name", ""), by=request.user)
        messages.success(request, _("The project is called “%(name)s” now.") % {"name": project.name})
    return redirect("projects:project", slug)
