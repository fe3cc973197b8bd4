"""Read one of the two runs of a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics_app.models import Run
from analytics_app.selectors.results import rows_of
from analytics_app.selectors.sections import ResultNames
from analytics_app.views import run_sections, run_words
from analytics_app.views.run_words import Funnel
from analytics_app.views.summary import Place, Summary, summary_of


@dataclass(frozen=True, slots=True)
class Half:
    """A run that is done, its summary, and the exclusions of its rules."""

    run: Run
    summary: Summary
    funnels: Sequence[Funnel]
    names: ResultNames

    @property
    def tasks(self) -> Mapping[str, str]:
        """The titles of the tasks, by key."""
        return self.names.tasks

    @property
    def name(self) -> str:
        """Return the name of the run in sentences and heads of columns."""
        return run_name(self.run)

    def place(self, key: str) -> Place | None:
        """Return the run's summary of a criterion."""
        return self.summary.places.get(key)


def run_name(run: Run) -> str:
    """Return the name of a run in sentences."""
    return _("run %(n)s") % {"n": run.number}


def read_half(run: Run, names: ResultNames, *, systems: bool) -> Half:
    """Read a run that is done; without `systems`, nothing that distinguishes systems."""
    places = run_sections.ordered_places(run, names, systems=systems)
    rows = rows_of(run, systems=systems).filter(analysis="funnel")
    funnels = run_words.funnels(rows, names.tasks)
    return Half(run, summary_of(run, names, places, funnels, systems=systems), funnels, names)
