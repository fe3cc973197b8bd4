"""The list of raters, with filters, search and orders; followed while raters work."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app.selectors.carefulness import carefulness_of
from analytics_app.selectors.exclusions import exclusions_by_hand, raters_left_out
from analytics_app.selectors.failing import failing_in
from analytics_app.selectors.runs import runs_now
from analytics_app.views.raters.filters import ORDERS, Filter, Row
from analytics_app.views.superuser_looks import note_look
from tasks_app import access
from tasks_app.models import Study, Task
from tasks_app.selectors.fieldwork.raters import fieldwork_with
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import part, wants_part

RATERS_ON_A_PAGE = 100


@researcher_page("GET")
def raters(request: HttpRequest, slug: str) -> HttpResponse:
    """Show raters with their work, or with ?live only the list, without systems and answers."""
    study, own = access.study_and_role(request.user, slug)
    if wants_part(request):
        note_look(request, study, own, "raters", often=True)
        return part(request, "_raters_live", {"study": study, **_context(request, study)})
    return study_page(
        request, slug, "monitor", lambda study: _context(request, study), template="raters", title=_("Raters"),
        fetched=(study, own),
    )  # fmt: skip


def _context(request: HttpRequest, study: Study) -> dict[str, Any]:
    tasks = list(Task.objects.filter(study=study, until=None).order_by("order", "id"))
    fieldwork = fieldwork_with(study, tasks)
    raters = [work.rater for work in fieldwork.raters]
    excluded, run = exclusions_by_hand(study, raters), runs_now(study).done
    by_rule = raters_left_out(run, raters)
    careful = carefulness_of(run, tasks)
    rows = [Row(work, excluded.get(work.rater.pk), careful, by_rule.get(work.rater.pk)) for work in fieldwork.raters]
    failing = failing_in(study) if any(work.controls.answered for work in fieldwork.raters) else None
    rater_filter = Filter.of(request.GET)
    page = Paginator(rater_filter.pick(rows), RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
    return {
        "page": page,
        "wanted": rater_filter,
        "chips": rater_filter.chips(rows),
        "orders": [(name, words, name == rater_filter.order) for name, (words, _key, _reverse) in ORDERS.items()],
        "query": rater_filter.query(),
        "has_raters": bool(rows),
        "run": run,
        "failing": failing.words if failing is not None else "",
        "has_known": any(work.controls.answered for work in fieldwork.raters),
    }
