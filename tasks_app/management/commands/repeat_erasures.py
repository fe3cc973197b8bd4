"""Erase raters and delete studies again that an older backup has brought back."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tasks_app.services import erasure
from tasks_app.services.study import deleting


class Command(BaseCommand):
    help = (
        "Erase raters again who were erased after the backup that this database comes from, and delete studies again "
        "that were deleted since. Every start does it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            n_studies, n = deleting.repeat(), erasure.repeat()
        except ValueError as problem:
            raise CommandError(str(problem)) from problem
        if n or options["verbosity"] > 1:
            raters = "1 rater" if n == 1 else f"{n} raters"
            self.stdout.write(f"Erased {raters} again, whom an older backup had brought back")
        if n_studies or options["verbosity"] > 1:
            studies = "1 study" if n_studies == 1 else f"{n_studies} studies"
            self.stdout.write(f"Deleted {studies} again, which an older backup had brought back")
