"""The raters of a project: their invitations, their progress, their agreement, and a message to several."""

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.selectors.project_raters import Kappas, RaterRow, raters_of_project
from analytics_app.show import cells
from analytics_app.views.projects.roles import role_in
from analytics_app.views.superuser_looks import VIEWED
from tasks_app import access
from tasks_app.models import Membership, Project, Rater, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.services import contact, events
from tasks_app.services.database import atomically
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.inviting import set_of
from tasks_app.views.researcher.projects.frame import project_page

RATERS_ON_A_PAGE = 100


@researcher_page("GET")
def raters(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the raters of all studies of a project; a superuser's look at others' is logged."""
    return _page(request, slug)


@researcher_page("POST")
def write(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a message to each of the chosen raters, or to none if one of them cannot receive it."""
    project = access.project_for_researcher(request.user, slug)
    studies = _studies(request, project)
    if not _edited(studies):
        raise Http404
    chosen = set(request.POST.getlist("rater"))
    text = request.POST.get("text", "")
    listed = [row for row in raters_of_project(studies, named=[]) if _key(row) in chosen and _may_write(row)]
    try:
        if not listed:
            raise ValueError(_("Choose at least one rater."))
        _write_to_all([row.rater for row in listed if row.rater is not None], request, text)
    except ValueError as problem:
        return _page(request, slug, chosen=chosen, message=text, problem=str(problem), status=422)
    sentence = ngettext(
        "%(n)d rater reads your message on their next page.",
        "%(n)d raters read your message on their next page.",
        len(listed),
    )
    messages.success(request, sentence % {"n": len(listed)})
    return redirect("analytics_projects:raters", slug)


@atomically
def _write_to_all(chosen: Sequence[Rater], request: HttpRequest, text: str) -> None:
    # In one order for everybody: each message locks its rater.
    for rater in sorted(chosen, key=lambda rater: rater.pk):
        contact.write(rater=rater, by=request.user, text=text)


def _page(
    request: HttpRequest,
    slug: str,
    *,
    chosen: Collection[str] = (),
    message: str = "",
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    def context(project: Project) -> dict[str, Any]:
        studies = _studies(request, project)
        listed = raters_of_project(studies, named=_edited(studies))
        page = Paginator(listed, RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        events.log_for_all([study for study in studies if role_in(study) is None], request.user, VIEWED, about="raters")
        return {
            "page": page,
            "rows": [_shown(row, chosen) for row in page],
            "shows_names": any(row.name for row in listed),
            "shows_sets": any(row.invitation is not None and row.invitation.booklet_id for row in listed),
            "may_write": any(_may_write(row) for row in page),
            "message": message,
            "problem": problem,
        }

    return project_page(request, slug, "raters", context, status=status)


def _studies(request: HttpRequest, project: Project) -> list[Study]:
    return list(access.studies_of_project(request.user, project).order_by("title", "pk"))


def _edited(studies: Sequence[Study]) -> list[Study]:
    """Return the studies that somebody may edit: names of invited people are for editors, as on their own page."""
    return [study for study in studies if access.reaches(role_in(study), Membership.Role.EDITOR)]


def _key(row: RaterRow) -> str:
    """Return the key of a rater in the form: pseudonyms are unique only in a study."""
    return f"{row.study.slug}/{row.rater.pseudonym}" if row.rater is not None else ""


def _may_write(row: RaterRow) -> bool:
    is_here = row.rater is not None and row.rater.kind != Rater.Kind.IMPORTED
    return is_here and access.reaches(role_in(row.study), Membership.Role.EDITOR)


def _shown(row: RaterRow, chosen: Collection[str]) -> dict[str, Any]:
    key = _key(row)
    return {
        "row": row,
        "study": row.study,
        "key": key if _may_write(row) else "",
        "chosen": key in chosen,
        "state": _state(row),
        "set": set_of(row.invitation) if row.invitation is not None else "",
        "seconds": cells.number(row.seconds, 1).text,
        "agreement": _agreement(row.kappas),
        "may_read": row.rater is not None and bool(row.answered) and may_export(row.study, role_in(row.study)),
    }


def _state(row: RaterRow) -> str:
    """Word the state of a rater, or of somebody who has not begun."""
    if row.rater is None:
        return _("invited, not begun")
    if row.rater.kind == Rater.Kind.IMPORTED:
        return row.rater.get_kind_display()
    if contact.is_paused(row.rater):
        return _("paused")
    return row.rater.get_outcome_display() if row.rater.outcome else row.rater.get_state_display()


def _agreement(kappas: Kappas | None) -> str:
    """Word the kappa with the other rater, or the least and greatest with several."""
    if kappas is None:
        return cells.DASH
    least = cells.figure(kappas.least, 2)
    if kappas.others == 1:
        return least
    return _("%(least)s to %(greatest)s") % {"least": least, "greatest": cells.figure(kappas.greatest, 2)}
