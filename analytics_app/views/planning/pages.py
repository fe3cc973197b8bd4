"""The planning pages: a form beside its answer, before a study exists or from within a study."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app.views.planning import from_study
from analytics_app.views.planning.agreement import AgreementPlan
from analytics_app.views.planning.base import PlanningForm
from analytics_app.views.planning.cost import CostPlan
from analytics_app.views.planning.means import MeansPlan
from analytics_app.views.planning.preferences import PreferencesPlan
from analytics_app.views.planning.triangle import TrianglePlan
from analytics_app.views.superuser_looks import note_look
from tasks_app import access
from tasks_app.models import Study
from tasks_app.views.researcher.frame import researcher_page, show
from tasks_app.views.researcher.parts import changes, wants_changes

PAGES: Mapping[str, type[PlanningForm]] = {
    "triangle": TrianglePlan,
    "means": MeansPlan,
    "preferences": PreferencesPlan,
    "agreement": AgreementPlan,
    "cost": CostPlan,
}


@researcher_page("GET")
def planning(request: HttpRequest) -> HttpResponse:
    """List the planning pages; ?study= takes their defaults from that study."""
    study = _study(request)
    context = {"pages": _listed(), "of_study": study}
    return show(request, "planning", _("Planning"), context)


@researcher_page("GET")
def page(request: HttpRequest, what: str) -> HttpResponse:
    """Show one planning form with its answer; all values are in the address, so that it can be shared.

    While the form is filled in, htmx asks for what changes.
    """
    kind = PAGES.get(what)
    if kind is None:
        raise Http404
    study = _study(request)
    start = from_study.start(study) if study is not None else {}
    form = kind(_query(request), start, kind.pilots_among(access.studies_for_researcher(request.user)))
    answer = form.answer() if form.is_valid() else None
    if answer is not None and form.chosen is not None:
        _looked_at(request, form.chosen.slug)
    if wants_changes(request):
        return changes(request, "_planning_changes", {"form": form, "answer": answer}, is_answer=answer is not None)
    context = {"form": form, "answer": answer, "pages": _listed(), "what": what, "of_study": study}
    return show(request, "planning_page", kind.title, context, status=200 if answer else 422)


def _query(request: HttpRequest) -> dict[str, str]:
    """Return the fields in the address; a repeated field counts once."""
    return {name: str(value) for name, value in request.GET.items() if "\0" not in str(value)}


def _study(request: HttpRequest) -> Study | None:
    """Return the study in the address, if the user may see it."""
    slug = _query(request).get("study", "")
    return _looked_at(request, slug) if slug else None


def _looked_at(request: HttpRequest, slug: str) -> Study:
    """Return a study that the user may see; a superuser's access to a study of others is logged."""
    study, own = access.study_and_role(request.user, slug)
    note_look(request, study, own, "planning", often=True)
    return study


def _listed() -> list[dict[str, Any]]:
    return [{"name": name, "title": kind.title, "summary": kind.summary} for name, kind in PAGES.items()]
