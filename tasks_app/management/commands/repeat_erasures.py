"""Erase the raters again whom an older backup has brought back."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tasks_app.services import erasure


class Command(BaseCommand):
    help = "Erase raters again who were erased after the backup that this database comes from. Every start does it."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            n = erasure.repeat()
        except ValueError as problem:
            raise CommandError(str(problem)) from problem
        if n or options["verbosity"] > 1:
            raters = "1 rater" if n == 1 else f"{n} raters"
            self.stdout.write(f"Erased {raters} again, whom an older backup had brought back")
