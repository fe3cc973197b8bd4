"""manage.py export_study SLUG PATH: write a study as a study file."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_app import studyfile
from tasks_app.management.lookups import study_called


class Command(BaseCommand):
    """Write a study to a folder or zip."""

    help = "Write a study as a study file: a new folder, or a zip where PATH ends in .zip."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("slug")
        parser.add_argument("path", help="a folder that is not there yet or empty, or a name that ends in .zip")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        study = study_called(options["slug"])
        try:
            studyfile.export(study, options["path"])
        except studyfile.StudyFileError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Wrote {study.slug} to {options['path']}.")
