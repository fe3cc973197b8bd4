"""Results that may be shown: those by system only after closing, or if the owner shows them early."""

from django.db.models import QuerySet

from analytics_app.models import Plot, ResultLift, ResultRow, Run
from tasks_app.models import Study

# While raters can still come, knowing which system leads may tempt researchers to stop, go on or talk.


def systems_shown(study: Study) -> bool:
    """Return whether results by system may be shown: on pages, in documents, in the API and in plots."""
    return study.state not in Study.State.UNDER_WAY or ResultLift.objects.filter(study=study).exists()


def rows_of(run: Run, *, systems: bool) -> QuerySet[ResultRow]:
    """Return the rows of a run in their order; without `systems`, those that distinguish systems are left out."""
    rows = ResultRow.objects.filter(run=run).order_by("order")
    return rows if systems else rows.filter(by_system=False)


def plots_of(run: Run, *, systems: bool) -> QuerySet[Plot]:
    """Return the plots of a run in their order; without `systems`, those that distinguish systems are left out."""
    plots = Plot.objects.filter(run=run).order_by("order", "key")
    return plots if systems else plots.filter(by_system=False)
