"""The page of a new run: presets, a preview of the run, and all settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app import plan as plans
from analytics_app.selectors.runs import run_numbered
from analytics_app.views.run_form import RunForm
from analytics_app.views.run_outlook import outlook
from analytics_app.views.run_presets import PLANNED, Preset, presets
from analytics_app.views.runs import started
from analytics_app.views.superuser_looks import note_look
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import changes, wants_changes

EDITOR = Membership.Role.EDITOR


@dataclass(frozen=True, slots=True)
class Beginning:
    """The presets of a new run, and the chosen preset; `frozen` is the frozen plan."""

    presets: list[Preset]
    chosen: Preset
    frozen: Mapping[str, Any] | None


@researcher_page("GET", "POST")
def new_run(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of a new run; a POST starts the run and redirects to its page.

    ?preset=strict begins with the settings of a preset, ?from=3 with those of a run.
    """
    study, role = access.study_and_role(request.user, slug, EDITOR)
    beginning = _beginning(request, study)
    form = RunForm(study, beginning.chosen.document, request.POST or None)
    if request.method == "POST" and form.is_valid():
        return started(request, study, form.document)
    return _page(request, (study, role), form, beginning)


@researcher_page("POST")
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the effects of a run with the settings in the form, without starting a run or storing anything."""
    study, role = access.study_and_role(request.user, slug, EDITOR)
    beginning = _beginning(request, study)
    form = RunForm(study, beginning.chosen.document, request.POST)
    is_usable = form.is_valid()
    if not wants_changes(request):
        return _page(request, (study, role), form, beginning, previewed=is_usable)
    note_look(request, study, role, "new_run", often=True)
    context: dict[str, Any] = {"run_form": form}
    if is_usable:
        context["outlook"] = outlook(study, form.document, beginning.frozen, len(form.analyses), previewed=True)
    return changes(request, "_new_run_changes", context, is_answer=is_usable)


def _page(
    request: HttpRequest,
    fetched: tuple[Study, str | None],
    form: RunForm,
    beginning: Beginning,
    *,
    previewed: bool = False,
) -> HttpResponse:
    study, document = fetched[0], form.document or form.start
    context = {
        "run_form": form,
        "presets": beginning.presets,
        "chosen": beginning.chosen,
        "outlook": outlook(study, document, beginning.frozen, len(form.analyses), previewed=previewed),
        "is_changed": previewed or form.problems,
    }
    return study_page(
        request,
        study.slug,
        "results",
        lambda _study: context,
        template="new_run",
        title=_("New run"),
        role=EDITOR,
        status=422 if form.problems else 200,
        fetched=fetched,
    )


def _beginning(request: HttpRequest, study: Study) -> Beginning:
    """Return the settings that the form may begin with: the presets, and those of a run that the address names."""
    plan = plans.frozen_plan(study)
    frozen: Mapping[str, Any] | None = None
    is_plan = True
    try:
        planned = plans.document_of(study) if plan is None else plans.frozen_document(plan, study)
        frozen = None if plan is None else planned
    except plans.BadPlan:  # a part of it is gone, as the run that was refused says: other settings may do
        planned, is_plan = plans.default_document(), False
        frozen = None if plan is None else plan.document
    known = presets(study, planned, is_plan=is_plan)
    of_run = _of_run(study, request.GET.get("from", ""))
    if of_run is not None:
        return Beginning([*known.values(), of_run], of_run, frozen)
    return Beginning([*known.values()], known.get(request.GET.get("preset", ""), known[PLANNED]), frozen)


def _of_run(study: Study, number: str) -> Preset | None:
    """Return the settings of the run in the address; None if there is none, or the run was refused."""
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return None
    run = run_numbered(study, int(number))
    if not run.settings:
        return None
    words = {"n": run.number}
    document = plans.as_meant(run.settings)
    return Preset(
        f"from={run.number}", _("Same as run %(n)s") % words, _("The settings of run %(n)s.") % words, document
    )
