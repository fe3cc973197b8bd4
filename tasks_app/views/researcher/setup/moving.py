"""Opening, pausing, closing and reopening a study. An action that is final is asked about once more."""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from http import HTTPStatus
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import access
from tasks_app.designs.base import PlanImpossible
from tasks_app.models import Membership, Setup, Study, Task
from tasks_app.readiness import Level, Point, limits, sets
from tasks_app.selectors.opening import OpeningFacts, opening_facts
from tasks_app.services.background import Busy
from tasks_app.services.plan import reports as plan_reports
from tasks_app.services.plan.reports import Report, is_planned
from tasks_app.services.study import lifecycle, opening
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import background, changes
from tasks_app.setup.controls import field_id
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import step_called, step_of
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page
from tasks_app.views.researcher.setup import plan_words, preflight
from tasks_app.views.researcher.setup.form_frame import step_url

_MOVED = {
    "open": gettext_lazy("The study is open. Raters can now come by the addresses below."),
    "pause": gettext_lazy("The study is paused: nobody can begin, and raters at work see a notice."),
    "close": gettext_lazy("The study is closed. Raters at work may finish their sets."),
}


@researcher_page("POST")
def move(request: HttpRequest, slug: str) -> HttpResponse:
    """Open, pause or close a study; opening, reopening and closing ask once more."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    action = request.POST.get("action", "")
    if action not in lifecycle.MOVES:
        raise Http404
    if lifecycle.needs_reason(study, action):
        # Results by system may have been seen: that is for whoever answers for the study.
        access.study_for_researcher(request.user, slug, Membership.Role.OWNER)
    sure, reason = request.POST.get("sure") == "yes", request.POST.get("reason", "")
    back = step_url(slug, "review") if study.state == Study.State.DRAFT else reverse("researcher:recruit", args=[slug])
    with refusals_shown(request, lifecycle.NotPossible, PlanImpossible, NotADraft, Busy):
        if not sure and (question := _question(request, study, action)) is not None:
            return question
        if sure and lifecycle.needs_reason(study, action) and not reason.strip():
            return _ask_for_reason(request, study, missing=True)
        if action == "open" and study.state == Study.State.DRAFT and background.opens_long(study):
            _have_opened(request, study, reason.strip())
            return redirect(back)
        opening.move(study_id=study.pk, action=action, by=request.user, reason=reason)
        messages.success(request, _MOVED[action])
        back = reverse("researcher:recruit", args=[slug])
    return redirect(back)


def _have_opened(request: HttpRequest, study: Study, reason: str) -> None:
    """Have a worker open a large study, since its plan takes longer to draw than a page should wait."""
    opening.refuse_unsettled(study, reason)
    background.ask_to_open(setup=changes.begin(study), by=request.user, reason=reason)


def _question(request: HttpRequest, study: Study, action: str) -> HttpResponse | None:
    """Return the page that asks once more; None where the move can be undone by another press."""
    if study.state not in lifecycle.MOVES[action].origins:
        return None  # the service says why it is not possible
    if action == "close":
        return study_page(request, study.slug, "recruit", lambda _study: {}, template="close", title=_("Close"))
    if lifecycle.needs_reason(study, action):
        return _ask_for_reason(request, study)
    if action == "open" and study.state == Study.State.DRAFT:
        return redirect(f"{step_url(study.slug, 'review')}?settle=1")
    return None


def _ask_for_reason(request: HttpRequest, study: Study, *, missing: bool = False) -> HttpResponse:
    return study_page(
        request,
        study.slug,
        "recruit",
        lambda study: {"missing": missing, "rows": preflight.rows(study, opening_facts(study))},
        template="reopen",
        title=_("Open again"),
        status=HTTPStatus.UNPROCESSABLE_ENTITY if missing else HTTPStatus.OK,
    )


def plan_sentences(study: Study, facts: OpeningFacts) -> list[tuple[Task, str]]:
    """Return a sentence about the plan of each task."""
    return _in_words(_reports(study, facts), study)


def _reports(study: Study, facts: OpeningFacts) -> list[Report]:
    tasks = [task for task in facts.tasks if is_planned(task)]
    return plan_reports.reports(study, tasks, with_units=False, counts_large=False)


def _in_words(reports: Sequence[Report], study: Study) -> list[tuple[Task, str]]:
    alone = len(reports) == 1
    drawn = [report for report in reports if not report.refusal]
    return [(report.task, " ".join(plan_words.sentences(report, study, alone=alone))) for report in drawn]


def what_opening_does(study: Study) -> dict[str, Any]:
    """Return the facts to look at before raters come, the frozen facts, and refusals where no plan can be drawn."""
    facts = opening_facts(study)
    reports = _reports(study, facts)
    return {
        "frozen": preflight.frozen(study, facts),
        "plans": _in_words(reports, study),
        "refusals": [(report.task, report.refusal) for report in reports if report.refusal],
        "rows": preflight.rows(study, facts),
    }


def what_is_left(setup: Setup) -> dict[str, Any]:
    """Return the points to settle before a draft opens, and the notes."""
    points = opening.points_of(setup.study)
    left = opening.to_settle(points)
    return {
        "nothing_to_judge": _nothing_to_judge(setup.study),
        "points": _linked(setup, left),
        "notes": _linked(setup, (point for point in points if point.level == Level.NOTE)),
        "lacks_codes": any(point.kind == "codes" for point in left),
        "is_beyond_limit": any(point.kind == limits.KIND for point in left),
        "has_sets_left": any(point.kind == sets.KIND for point in left),
        "is_final": any(point.level == Level.FINAL for point in left),
    }


def _nothing_to_judge(study: Study) -> str:
    """Return the reason why a study with no text to judge cannot be opened; "" if it has texts."""
    try:
        lifecycle.refuse_empty(study)
    except lifecycle.NotPossible as refusal:
        return str(refusal)
    return ""


class Linked(NamedTuple):
    """A point with the address of the field where it is settled, and the field's name."""

    sentence: str
    url: str
    label: str


def _linked(setup: Setup, points: Iterable[Point]) -> list[Linked]:
    """Return points with their fields; a field that is part of a list is named by its step."""
    pages = cache(partial(SetupPage, setup))
    linked = []
    for point in points:
        step = step_called(step_of(point.path) or "task")
        label = pages(step.slug).labels.get(point.path, str(step.label))
        url = f"{step_url(setup.study.slug, step.slug)}#{field_id(point.path)}"
        linked.append(Linked(point.sentence, url, label))
    return linked
