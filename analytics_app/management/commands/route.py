"""manage.py route SLUG: send the texts that the newest run is uncertain about to the experts of a study."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.models import Run, RunState
from analytics_app.services import routing
from tasks_app.management.lookups import study_called


class Command(BaseCommand):
    """List the texts that can be sent to experts, or send them."""

    help = "Send the texts whose label a run is not sure of to the study's experts (docs/routing.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("slug")
        parser.add_argument("--run", type=int, metavar="N", help="number of the run; without it the newest")
        parser.add_argument("--task", default="", metavar="KEY", help="the experts' task, where there are several")
        parser.add_argument("--at-most", type=int, metavar="N", help="send so many texts, the least certain first")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be sent, and what it costs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        if options["at_most"] is not None and options["at_most"] < 1:
            raise CommandError("--at-most is a number of texts from 1.")
        run = _run(options["slug"], options["run"])
        offers = [offer for offer in routing.offers(run) if options["task"] in {"", offer.task.key}]
        if not offers:
            raise CommandError("The study has no such task of experts: one whose design is on_request.")
        for offer in offers:
            self.stdout.write(
                f"{offer.task.key}: run {run.number} is not sure of {offer.uncertain} texts of {offer.source}; "
                f"{offer.texts} were not sent yet. They ask for {offer.judgments} judgments in {offer.sets} sets, "
                f"{offer.cost} {offer.currency} at the study's pay."
            )
            if options["dry_run"]:
                continue
            try:
                sent = routing.send(run=run, task=offer.task.key, by=None, at_most=options["at_most"])
            except routing.NotNow as problem:
                raise CommandError(str(problem)) from problem
            self.stdout.write(f"{offer.task.key}: sent {sent.texts} texts, {sent.places} places in {sent.sets} sets.")


def _run(slug: str, number: int | None) -> Run:
    study = study_called(slug)
    runs = Run.objects.filter(study=study, state=RunState.DONE).order_by("-number")
    run = runs.first() if number is None else runs.filter(number=number).first()
    if run is None:
        raise CommandError("There is no such run that is done. Start one with `manage.py analyse`.")
    return run
