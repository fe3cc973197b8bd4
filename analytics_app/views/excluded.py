"""The raters and ratings that the rules of a run excluded, with reasons; systems and answers are hidden."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from analytics_app import quality
from analytics_app.models import Exclusion
from analytics_app.selectors import exclusions
from analytics_app.selectors.runs import run_numbered
from analytics_app.selectors.sections import ResultNames, names_of
from analytics_app.show.cells import Cell, name, number
from analytics_app.show.table import Column, Table
from tasks_app.models import Study, Unit
from tasks_app.views.researcher.frame import researcher_page, study_page

ON_A_PAGE = 100


@researcher_page("GET")
def excluded(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the exclusions of one rule with reasons; ?rule=iqr names the rule, by default the first with exclusions."""

    def context(study: Study) -> dict[str, Any]:
        run = run_numbered(study, number)
        counts = exclusions.rules_with_exclusions(run)
        requested = request.GET.get("rule", "")
        rule = requested if requested in counts else next(iter(counts), "")
        page = Paginator(exclusions.exclusions_of(run, rule), ON_A_PAGE).get_page(request.GET.get("page"))
        return {
            "run": run,
            "page": page,
            "query": urlencode({"rule": rule}),
            "rules": [(name, quality.rule_name(name), n, name == rule) for name, n in counts.items()],
            "table": _table(quality.rule_name(rule), list(page), names_of(study)),
        }

    title = _("Exclusions of run %(number)s") % {"number": number}
    return study_page(request, slug, "results", context, template="run_excluded", title=title)


def _table(caption: str, listed: list[Exclusion], names: ResultNames) -> Table:
    several = len({exclusion.task_id for exclusion in listed}) > 1
    columns = [Column(_("Rater"), number=False), Column(_("Left out"), number=False), Column(_("Why"), number=False)]
    columns += [Column(_("Value")), Column(_("Limit"))]
    columns += [Column(_("Task"), number=False)] if several else []
    rows = []
    for exclusion in listed:
        cells = [*_about(exclusion, names), name(exclusion.reason), _figure(exclusion.value), _figure(exclusion.limit)]
        task = exclusion.task.key if exclusion.task is not None else ""
        rows.append([*cells, name(names.tasks.get(task, task))] if several else cells)
    return Table(caption, columns, rows)


def _about(exclusion: Exclusion, names: ResultNames) -> tuple[Cell, Cell]:
    """Return rater and subject of an exclusion; a text has the name of its item, since a unit's may reveal a system."""
    if exclusion.rating is not None:
        about = [_item(exclusion.rating.unit)]
        if exclusion.rating.criterion is not None:
            about.append(names.criteria.get(exclusion.rating.criterion.key, exclusion.rating.criterion.key))
        return name(exclusion.rating.rater.pseudonym), name(", ".join(filter(None, about)))
    if exclusion.judgment is not None:
        assignment = exclusion.judgment.assignment
        description = _("judgment %(n)s") % {"n": assignment.order}
        return name(assignment.rater.pseudonym), name(", ".join(filter(None, (description, _item(assignment.unit)))))
    return name(exclusion.rater.pseudonym if exclusion.rater is not None else ""), name(_("everything"))


def _item(unit: Unit) -> str:
    return unit.item.key if unit.item is not None else ""


def _figure(value: float | None) -> Cell:
    return number(value, 0 if value is None or value == int(value) else 3)
