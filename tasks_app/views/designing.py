"""The plan page: in numbers, what each system, item, place and rater will get, before a study opens and after."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from tasks_app import access
from tasks_app.designs.base import PlanImpossible, PlanUnit
from tasks_app.models import Booklet, Membership, Study, Task, TaskGroup
from tasks_app.selectors import studies as reads
from tasks_app.services import events, plan_reports, plans
from tasks_app.services.plan_reports import Report
from tasks_app.views import pay_words
from tasks_app.views.frame import researcher_page, study_page
from tasks_app.views.overview import as_text
from tasks_app.views.pages import minutes_in_words, money

# Rows of one table; what is beyond stands in the file.
MOST_ROWS = 200
# Places of a set that a table of systems by place can show side by side.
MOST_PLACES_BESIDE = 60

COLUMNS = ("booklet", "order", "unit", "item", "systems", "place")


@researcher_page
@require_safe
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """The plan in numbers, before opening and after."""

    def context(study: Study) -> dict[str, Any]:
        reports = plan_reports.reports(study)
        everybody = study.tasks.filter(until=None).exclude(stage=Task.Stage.MAIN).order_by("order")
        return {
            "plans": [{"report": one, "about": _sentence(one, study, alone=len(reports) == 1)} for one in reports],
            "in_all": _in_all(reports, study),
            "pay_note": pay_words.offer_note(study.options),
            "everybody": everybody,
            "booklets": reads.booklets_by_state(study),
            "most_rows": MOST_ROWS,
            "rows_shown": f":{MOST_ROWS}",
            "most_places": MOST_PLACES_BESIDE,
        }

    return study_page(request, slug, "design", context)


def _sentence(report: Report, study: Study, *, alone: bool) -> str:
    """Say how much a task is, and what it costs where there is no other."""
    if not report.places:
        return ""
    said = [
        ngettext("%(n)s judgment", "%(n)s judgments", report.places) % {"n": formats.number_format(report.places)},
        " ",
        ngettext("by %(n)s rater", "by %(n)s raters", report.booklets) % {"n": formats.number_format(report.booklets)},
        ": ",
        ", ".join([_units_each(report), *(_costs([report], study) if alone else ())]),
        ".",
    ]
    return "".join(said)


def _units_each(report: Report) -> str:
    if report.balance is None or report.least_size == report.most_size:
        n = report.most_size or report.task.set_size
        return ngettext("%(n)s unit each", "%(n)s units each", n) % {"n": n}
    return _("%(least)s to %(most)s units each") % {"least": report.least_size, "most": report.most_size}


def _costs(reports: Sequence[Report], study: Study) -> list[str]:
    """Word the time and the pay of a rater who does one set of each task, and the pay of all; a short set is less."""
    options = study.options
    words = [minutes_in_words(options.minutes)]
    if not options.amount:
        return [*words, _("without pay")]
    words.append(_("%(pay)s each") % {"pay": money(options.amount, options.currency)})
    size = sum(one.task.set_size for one in reports)
    in_all = (options.amount * sum(one.places for one in reports) / size).quantize(Decimal("0.01"))
    return [*words, _("%(pay)s in all") % {"pay": money(in_all, options.currency)}]


def _in_all(reports: Sequence[Report], study: Study) -> str:
    """Say what several tasks come to, where every rater gets a set of each; groups get their own."""
    if len(reports) < 2 or any(one.refusal for one in reports):
        return ""
    judgments = sum(one.places for one in reports)
    n = formats.number_format(judgments)
    first = ngettext("%(n)s judgment in all tasks", "%(n)s judgments in all tasks", judgments) % {"n": n}
    if TaskGroup.objects.filter(task__study=study).exists():
        return f"{first}."
    raters = max(one.booklets for one in reports)
    by = ngettext("by %(n)s rater", "by %(n)s raters", raters) % {"n": formats.number_format(raters)}
    return _("%(judgments)s %(raters)s, each with one set of every task: %(costs)s.") % {
        "judgments": first,
        "raters": by,
        "costs": ", ".join(_costs(reports, study)),
    }


@researcher_page
@require_safe
def plan_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The whole plan of a task as a file: the stored one, or the one that opening would draw; it names systems."""
    study = access.study_for_researcher(request.user, slug, Membership.Role.EDITOR)
    wanted = request.GET.get("task")
    task = next((one for one in plan_reports.planned(study) if wanted in {None, one.key}), None)
    if task is None:
        raise Http404
    units = {unit.key: unit for unit in plans.plan_units(task)}
    try:
        places = _places(task)
    except PlanImpossible:
        return redirect("researcher:design", slug)  # the page says why, and what would work
    events.log(study, request.user, "exported", about=f"plan of {task.key}")
    return StreamingHttpResponse(
        _lines(places, units),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{study.slug}-{task.key}-plan.csv"'},
    )


def _places(task: Task) -> Iterator[tuple[int, int, str]]:
    """Booklet, order and unit of every place. Raises PlanImpossible where there is no plan."""
    if Booklet.objects.filter(task=task).exists():
        return ((booklet, order, unit) for booklet, order, unit, _arrangement in plans.places_of(task))
    drawn = plans.draw(task, plan_reports.version_of_plan(task.study))
    return (
        (number, order, unit.key)
        for number, booklet in enumerate(drawn.booklets, start=1)
        for order, unit in enumerate(booklet, start=1)
    )


def _lines(places: Iterator[tuple[int, int, str]], units: Mapping[str, PlanUnit]) -> Iterator[str]:
    """Yield the lines of the file; `place` says the how-manieth judgment of its unit this is."""
    line = io.StringIO(newline="")
    writer = csv.writer(line)
    writer.writerow(COLUMNS)
    counts: dict[str, int] = {}
    for booklet, order, key in places:
        unit = units[key]
        counts[key] = counts.get(key, 0) + 1
        systems = " | ".join(" = ".join(part) for part in unit.shape)
        writer.writerow([booklet, order, as_text(key), as_text(unit.item or ""), as_text(systems), counts[key]])
        yield line.getvalue()
        line.seek(0)
        line.truncate()
    yield line.getvalue()
