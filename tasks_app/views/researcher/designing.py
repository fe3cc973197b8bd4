"""The Design page: the share of each system, item, position and rater, before and after opening."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from tasks_app import access, channels
from tasks_app.designs.base import PlanImpossible, PlanUnit
from tasks_app.models import Booklet, Membership, Setup, Study, Task, WithdrawnUnit
from tasks_app.selectors import studies as reads
from tasks_app.services import events
from tasks_app.services.plan import plans
from tasks_app.services.plan import reports as plan_reports
from tasks_app.services.plan.reports import Report
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.refusals import Refusal, fixes_of_task, refusals_of
from tasks_app.views import pay_words
from tasks_app.views.downloads import csv_line, streamed
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page
from tasks_app.views.researcher.setup import plan_words

# Rows shown of one table; the file has all of them.
MOST_ROWS = 200
# Places of a set that a table of systems by place can show side by side.
MOST_PLACES_BESIDE = 60

PAIR_COLUMNS = ("system", "system_b", "screens", "judgments")
COLUMNS = ("booklet", "order", "unit", "item", "systems", "place")


@researcher_page("GET")
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the plan in numbers, before opening and after; a script fetches those of a large stored plan apart."""

    def context(study: Study) -> dict[str, Any]:
        reports = plan_reports.reports(study, counts_large="plan" in request.GET)
        everybody = study.tasks.filter(until=None).exclude(stage=Task.Stage.MAIN).order_by("-stage", "order")
        return {
            "plans": [_facts_of_task(report, study, alone=len(reports) == 1) for report in reports],
            **_of_the_form(study, reports),
            "in_all": plan_words.in_all(reports, study),
            "fee": channels.fee_of(study.options),
            "is_paid": bool(study.options.amount) and not any(report.refusal for report in reports),
            "pay_note": pay_words.offer_note(study.options),
            "time_note": plan_words.time_note(study),
            "everybody": everybody.annotate(screens=Count("units", filter=Q(units__until=None))),
            "booklets": reads.booklets_by_state(study),
            "n_withdrawn": _n_withdrawn(study),
            "extensions": study.extensions.select_related("task", "by").order_by("number", "task__order"),
            "may_extend": study.state in Study.State.UNDER_WAY and any(report.is_stored for report in reports),
            "system_names": dict(study.systems.values_list("key", "name")),
            "most_rows": MOST_ROWS,
            "rows_shown": f":{MOST_ROWS}",
            "most_places": MOST_PLACES_BESIDE,
        }

    return study_page(request, slug, "design", context)


def _n_withdrawn(study: Study) -> int:
    """Count the units of a study that are given to nobody, since they show a withdrawn text."""
    if not study.is_frozen:
        return 0
    return WithdrawnUnit.objects.filter(unit__task__study=study).values("unit").distinct().count()


def _of_the_form(study: Study, reports: Sequence[Report]) -> dict[str, Any]:
    """Return the refusals of the plan of a draft, and whether its form has changed since the study was checked.

    A study that was checked has its refusals in its plans.
    """
    if study.is_frozen:
        return {}
    stored = Setup.objects.filter(study=study).first()
    if stored is not None:
        stored.study = study
    refused = [
        Refusal(
            "" if len(reports) == 1 else str(report.task),
            report.refusal,
            fixes_of_task(stored or _as_planned(study), report.task.key, report.nearest),
        )
        for report in reports
        if report.refusal
    ]
    if stored is None:
        return {"refusals": refused}
    is_outdated = not stored.is_stored and bool(stored.given.get("tasks"))
    return {
        "refusals": refused or (refusals_of(stored) if stored.given.get("tasks") else []),
        "is_outdated": is_outdated,
    }


def _as_planned(study: Study) -> Setup:
    """Return as much of the form of a study as its plan is about, where nobody has looked at the form yet."""
    tasks = study.tasks.filter(until=None).order_by("order").values("key", "type", "design")
    return Setup(study=study, given={"tasks": list(tasks)})


@researcher_page("POST")
def fix(request: HttpRequest, slug: str) -> HttpResponse:
    """Set a setting of a draft to the value with which its plan can be drawn, as a button of the page offers it."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    name = request.POST.get("fix", "")
    with refusals_shown(request, NotADraft):
        setup = changes.begin(study)
        offered = (
            fix for refusal in _of_the_form(study, plan_reports.reports(study))["refusals"] for fix in refusal.fixes
        )
        chosen = next((fix for fix in offered if fix.name == name), None)
        if chosen is None:
            messages.warning(request, _("This setting was changed meanwhile, so nothing was done."))
        else:
            changes.change(setup=setup, values={chosen.path: chosen.value}, base=setup.revision, by=request.user)
            messages.success(request, _("Done. Check everything on Review to draw the plan."))
    return redirect("researcher:design", slug)


def _facts_of_task(report: Report, study: Study, *, alone: bool) -> dict[str, Any]:
    """Return the facts of the page about one task."""
    groups = [str(task_group.group) for task_group in report.task.task_groups.all()]
    return {
        "report": report,
        "about": plan_words.sentences(report, study, alone=alone),
        "when": plan_words.when(report.task, groups),
        "set": plan_words.rows_of_set(report),
        "too_few": plan_words.too_few(report),
        "crowded": plan_words.crowded(report.task, study),
    }


@researcher_page("GET")
def plan_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the whole plan of a task as a file: the stored one, or the one that opening would draw; it names systems."""
    study = access.study_for_researcher(request.user, slug, access.GOLD_READER)
    task = _task(study, request.GET.get("task"))
    units = {unit.key: unit for unit in plans.plan_units(task)}
    try:
        places = _places(task, units)
    except PlanImpossible:
        return redirect("researcher:design", slug)  # the page says why, and what would work
    events.log(study, request.user, "exported", about=f"plan of {task.key}")
    return streamed(f"{study.slug}-{task.key}-plan.csv", map(csv_line, _rows(places, units)))


@researcher_page("GET")
def pairs_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the number of screens that every two systems of a task share, as a file."""
    study = access.study_for_researcher(request.user, slug)
    task = _task(study, request.GET.get("task"))
    meetings = next((report.meetings for report in plan_reports.reports(study) if report.task == task), None)
    rows = meetings.rows() if meetings is not None else ()
    return streamed(f"{study.slug}-{task.key}-pairs.csv", map(csv_line, chain([PAIR_COLUMNS], rows)))


def _task(study: Study, key: str | None) -> Task:
    """Return a task that has a plan, the first where no key is given. Raises Http404."""
    task = next((task for task in plan_reports.planned(study) if key in {None, task.key}), None)
    if task is None:
        raise Http404
    return task


def _places(task: Task, units: Mapping[str, PlanUnit]) -> Iterator[tuple[int, int, str]]:
    """Booklet, order and unit of every place. Raises PlanImpossible where there is no plan."""
    if Booklet.objects.filter(task=task).exists():
        return ((booklet, order, unit) for booklet, order, unit, _arrangement in plans.places_of(task))
    drawn = plan_reports.drawn(task, tuple(units.values())).drawn
    return (
        (number, order, unit.key)
        for number, booklet in enumerate(drawn.booklets, start=1)
        for order, unit in enumerate(booklet, start=1)
    )


def _rows(places: Iterator[tuple[int, int, str]], units: Mapping[str, PlanUnit]) -> Iterator[Sequence[object]]:
    """Yield the rows of the file; `place` says the how-manieth judgment of its unit this is."""
    yield COLUMNS
    counts: dict[str, int] = {}
    for booklet, order, key in places:
        unit = units[key]
        counts[key] = counts.get(key, 0) + 1
        systems = " | ".join(" = ".join(part) for part in unit.shape)
        yield booklet, order, key, unit.item or "", systems, counts[key]
