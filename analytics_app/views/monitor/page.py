"""The Monitor page, and the part of it that a browser asks for again."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from analytics_app.selectors.agreement import agreement_of
from analytics_app.selectors.runs import runs_now
from analytics_app.selectors.workers import workers
from analytics_app.views.monitor import alerts, charts, figures
from analytics_app.views.monitor.agreement import agreement_charts
from analytics_app.views.monitor.reading import read
from analytics_app.views.raters.filters import chips_of
from analytics_app.views.superuser_looks import note_look
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.selectors.progress import count_judgments
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import part, wants_part


@researcher_page("GET")
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the monitor; with ?live only the part that changes. A superuser's look at it is logged once per hour."""
    study, own = access.study_and_role(request.user, slug)
    may_edit = access.reaches(own, Membership.Role.EDITOR)
    if wants_part(request):
        note_look(request, study, own, "monitor", often=True)
        return part(request, "_monitor_live", {"study": study, "may_edit": may_edit, **_now(study, own)})
    return study_page(request, slug, "monitor", lambda study: _now(study, own), fetched=(study, own))


def _now(study: Study, own_role: str | None) -> dict[str, Any]:
    runs = runs_now(study)
    reading = read(study, runs.done)
    agreement = agreement_of(runs.done) if runs.done is not None else []
    return {
        "reading": reading,
        "alerts": alerts.of(reading, reads_gold=access.reaches(own_role, access.GOLD_READER)),
        "not_looked_at": alerts.not_looked_at(reading),
        "figures": figures.of(reading),
        "charts": [
            *(charts.of(reading) if reading.has_begun else ()),
            *agreement_charts(agreement, reading.zone, reading.pace.now),
        ],
        "chips": chips_of(reading.fieldwork, reading.careful),
        "judgments": count_judgments(study) if reading.is_imported else 0,
        "runs": runs,
        "agreement": agreement,
        "seen_of": runs.done.n_seen + runs.newer if runs.done is not None else 0,
        "workers": workers(),
    }
