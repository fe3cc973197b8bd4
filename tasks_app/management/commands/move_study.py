"""manage.py move_study: open, pause or close a study from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from tasks_app.designs.base import PlanImpossible
from tasks_app.models import Study
from tasks_app.services.study import lifecycle, opening


class Command(BaseCommand):
    help = "Open, pause or close a study; opening prints the path of the rater link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("action", choices=sorted(lifecycle.MOVES))
        parser.add_argument(
            "--reason", default="", help="why a closed study is opened again, or a draft as it is; the log keeps it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Move the study to another state, or print why it cannot be moved."""
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        try:
            study = opening.move(study_id=study.pk, action=options["action"], by=None, reason=options["reason"])
        except (lifecycle.NotPossible, PlanImpossible) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(reverse("rater:join", args=[study.link_code]))
