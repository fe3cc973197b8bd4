"""Pages about the tables of a draft: for editors and owners of a draft."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from tasks_app import access
from tasks_app.models import Membership, Setup, Study
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.page import SetupPage
from tasks_app.views.researcher.frame import ResearcherView
from tasks_app.views.researcher.setup.form_frame import page_of

P = ParamSpec("P")
SetupView = Callable[Concatenate[HttpRequest, Setup, P], HttpResponseBase]


def of_draft(
    view: SetupView[P], opened: Callable[Concatenate[HttpRequest, Study, P], HttpResponse] | None = None
) -> ResearcherView[Concatenate[str, P]]:
    """Give a view the set-up of a draft; a study that was opened, then or meanwhile, leads to its frozen set-up.

    `opened` shows the page of such a study read-only.
    """

    @wraps(view)
    def page(request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
        try:
            return view(request, changes.begin(study), *args, **kwargs)
        except NotADraft as error:
            if opened is not None and request.method != "POST":
                return opened(request, study, *args, **kwargs)
            messages.warning(request, str(error))
            return redirect("researcher:setup", slug)

    return cast("ResearcherView[Concatenate[str, P]]", page)


def show(
    request: HttpRequest,
    setup: Setup,
    template: str,
    context: dict[str, Any],
    status: int = 200,
    step: str = "texts",
) -> HttpResponse:
    """Render a page about a table, as a part of a step."""
    return page_of(
        request, SetupPage(setup, step, is_checked=True), lambda _page: context, template=template, status=status
    )
