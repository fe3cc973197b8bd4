"""The frame of researcher pages: access, tabs and state of a study."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib import admin, messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from tasks_app import access
from tasks_app.hooks import tabs
from tasks_app.models import Membership, Study
from tasks_app.services import events
from tasks_app.views.researcher.parts import in_zone_of

P = ParamSpec("P")
ResearcherView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def sees_projects(request: HttpRequest) -> bool:
    """Return whether the navigation leads to projects: for people who may see a study of one."""
    known = getattr(request, "sees_projects", None)
    return access.projects_for_researcher(request.user).exists() if known is None else bool(known)


def remember_projects(request: HttpRequest, sees: bool) -> None:
    """Remember for the frame of a page whether somebody sees projects, so that it need not ask."""
    setattr(request, "sees_projects", sees)  # noqa: B010  a request has no such field


def researcher_page(*methods: str) -> Callable[[ResearcherView[P]], ResearcherView[P]]:
    """Ask for a sign-in, and answer 404 to people who are signed in but no researchers, 405 to other methods.

    Whoever may GET a page may ask for its HEAD.
    """

    def decorate(view: ResearcherView[P]) -> ResearcherView[P]:
        answer = require_http_methods([*methods, "HEAD"] if "GET" in methods else [*methods])(view)

        @wraps(view)
        def page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not getattr(request.user, "is_staff", False):
                raise Http404
            return answer(request, *args, **kwargs)

        return cast("ResearcherView[P]", login_required(page))

    return decorate


@contextmanager
def refusals_shown(request: HttpRequest, *refusals: type[Exception]) -> Iterator[None]:
    """Show the refusal of a service as a message on the next page, and leave out the rest of the block."""
    try:
        yield
    except refusals as refusal:
        messages.error(request, str(refusal))


def show(
    request: HttpRequest, template: str, title: str | Promise, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render a page in the admin's frame, in the time zone of its study; `template` is its name under researcher/."""
    frame = {**admin.site.each_context(request), "title": title, **context}
    with in_zone_of(frame.get("study")):
        return render(request, f"researcher/{template}.html", frame, status=status)


def study_page(
    request: HttpRequest,
    slug: str,
    tab: str,
    context: Callable[[Study], dict[str, Any]],
    *,
    template: str = "",
    title: str | Promise = "",
    role: str = Membership.Role.VIEWER,
    status: int = 200,
    fetched: tuple[Study, str | None] | None = None,
) -> HttpResponse:
    """Render one tab of a study, or with `template` and `title` a page within it, for people with at least `role`.

    `fetched` is the study with the person's role in it, where a page has asked `access.study_and_role` already. A
    superuser's look into a study of others is logged.
    """
    study, own_role = fetched or access.study_and_role(request.user, slug, role)
    remember_projects(request, vars(study)["sees_projects"])
    if own_role is None:
        events.log(study, request.user, "viewed", about=template or tab)
    visible = [part for part in tabs.all_tabs() if access.reaches(own_role, part.role)]
    here = next((part for part in visible if part.slug == tab), None)
    current = title or (here.label if here else "")
    frame = {
        "study": study,
        **_tabs(study, visible, here),
        "role": own_role,
        "may_edit": access.reaches(own_role, Membership.Role.EDITOR),
        "is_owner": access.reaches(own_role, Membership.Role.OWNER),
        "reads_gold": access.reaches(own_role, access.GOLD_READER),
        "moves": _moves(study),
    }
    return show(request, template or tab, str(current), {**frame, **context(study)}, status=status)


def _tabs(study: Study, visible: Sequence[tabs.Tab], here: tabs.Tab | None) -> dict[str, Any]:
    """Return the row of tabs, and the second row with the parts of the tab that a page belongs to."""
    leading = here.leading if here else ""

    def row(part: tabs.Tab, label: str | Promise, *, current: bool) -> dict[str, Any]:
        return {"label": label, "url": reverse(part.url_name, args=[study.slug]), "current": current}

    row_of_tabs = [
        row(part, part.group_label or part.label, current=part.slug == leading)
        for part in visible
        if part.leading == part.slug and (study.is_frozen or not part.waits or part.slug == leading)
    ]
    together = [row(part, part.label, current=part is here) for part in visible if part.leading == leading]
    together += [
        {"label": page.label, "url": reverse(page.url_name, args=[study.slug]), "current": False}
        for part in visible
        if part.leading == leading
        for page in tabs.pages_of(part.slug)
    ]
    return {"tabs": row_of_tabs, "parts": together if len(together) > 1 else []}


def _moves(study: Study) -> list[dict[str, Any]]:
    """Return the possible changes of state, each with the words on its button."""
    words = {
        ("open", Study.State.DRAFT): _("Check and open…"),
        ("open", Study.State.PAUSED): _("Resume"),
        ("open", Study.State.CLOSED): _("Open again"),
        ("pause", Study.State.OPEN): _("Pause"),
        ("close", Study.State.OPEN): _("Close"),
        ("close", Study.State.PAUSED): _("Close"),
    }
    # A draft is opened from Review, and reopening a closed study is the exception: neither is what a page suggests.
    url = reverse("researcher:step", args=[study.slug, "review"]) if study.state == Study.State.DRAFT else ""
    return [
        {"action": action, "label": label, "url": url, "main": study.state == Study.State.PAUSED and action == "open"}
        for (action, state), label in words.items()
        if state == study.state
    ]
