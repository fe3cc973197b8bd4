"""Find the run that a command is about."""

from django.core.management.base import CommandError

from analytics_app.models import Run, RunState
from analytics_app.selectors.runs import best_run
from tasks_app.models import Study


def finished_run(study: Study, number: int | None) -> Run:
    """Return a run that is done by its number, by default the best run. Raises CommandError if there is none."""
    run = best_run(study) if number is None else Run.objects.filter(study=study, number=number).first()
    if run is None:
        missing = "no run that is done" if number is None else f"no run {number}"
        raise CommandError(f"There is {missing} in {study.slug}. `manage.py analyse {study.slug}` computes one.")
    if run.state != RunState.DONE:
        raise CommandError(f"Run {run.number} of {study.slug} is {run.state}: only a run that is done has results.")
    return run
