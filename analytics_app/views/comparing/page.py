"""The page of two runs side by side, and its file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app.exports import tables as files
from analytics_app.models import Run, RunState
from analytics_app.selectors.results import systems_shown
from analytics_app.selectors.runs import RUNS_SHOWN, runs_of
from analytics_app.selectors.sections import names_of
from analytics_app.views.comparing.criteria import changed_in_words, criteria_of
from analytics_app.views.comparing.differences import differences
from analytics_app.views.comparing.halves import Half, read_half
from analytics_app.views.comparing.tables import everything, excluded
from analytics_app.views.superuser_looks import note_look
from tasks_app import access
from tasks_app.models import Study
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import researcher_page, study_page


@dataclass(frozen=True, slots=True)
class Choice:
    """The runs that can be compared, newest first, and the two compared runs; None if there are fewer than two."""

    runs: Sequence[Run]
    a: Run | None
    b: Run | None


@researcher_page("GET")
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show two runs side by side: ?a=12&b=15, or by default the planned run and the newest other run."""

    def context(study: Study) -> dict[str, Any]:
        choice = _choice(request, study)
        values: dict[str, Any] = {"choice": choice}
        if choice.a is None or choice.b is None:
            return values
        systems = systems_shown(study)
        a, b = _halves(study, choice.a, choice.b, systems=systems)
        criteria = criteria_of(a, b)
        return values | {
            "hidden": not systems,
            "differences": differences(choice.a, choice.b),
            "changed": changed_in_words(criteria),
            "disagree": any(criterion.changed for criterion in criteria),
            "criteria": criteria,
            "excluded": excluded(a, b),
        }

    return study_page(request, slug, "results", context, template="compare", title=_("Two runs side by side"))


@researcher_page("GET")
def compare_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return every number of the comparison of two runs as CSV."""
    study, role = access.study_and_role(request.user, slug)
    choice = _choice(request, study)
    if choice.a is None or choice.b is None:
        raise Http404
    a, b = _halves(study, choice.a, choice.b, systems=systems_shown(study))
    numbers = choice.a.number, choice.b.number
    note_look(request, study, role, f"runs {numbers[0]} and {numbers[1]} as csv")
    return attachment(
        f"{study.slug}-runs-{numbers[0]}-and-{numbers[1]}.csv",
        files.write(everything(a, b), format="csv", title="", label="", origin=""),
        files.CONTENT_TYPES["csv"],
    )


def _halves(study: Study, a: Run, b: Run, *, systems: bool) -> tuple[Half, Half]:
    names = names_of(study)
    return read_half(a, names, systems=systems), read_half(b, names, systems=systems)


def _choice(request: HttpRequest, study: Study) -> Choice:
    """Return the runs of the address, or by default the planned run and the newest of the others."""
    done = runs_of(study).filter(state=RunState.DONE)
    listed = list(done[:RUNS_SHOWN])
    a, b = (_named(study, listed, request.GET.get(name, "")) for name in ("a", "b"))
    if a is None:
        planned = [run for run in listed if run.planned]
        others = [run for run in (*planned, *listed[1:], *listed[:1]) if b is None or run.pk != b.pk]
        a = next(iter(others), None)
    if b is None:
        b = next((run for run in listed if a is not None and run.pk != a.pk), None)
    runs = {run.pk: run for run in (*listed, a, b) if run is not None}
    return Choice(sorted(runs.values(), key=lambda run: -run.number), a, b)


def _named(study: Study, listed: Sequence[Run], number: str) -> Run | None:
    """Return the run that an address names, None if it names none. Raises Http404 if no finished run has the number."""
    if not number:
        return None
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise Http404
    known = next((run for run in listed if run.number == int(number)), None)
    run = known or runs_of(study).filter(state=RunState.DONE, number=int(number)).first()
    if run is None:
        raise Http404
    return run
