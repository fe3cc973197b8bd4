"""manage.py upload_outcomes STUDY FILE: store outcomes measured elsewhere, or list every problem."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from analytics_app.services import outcomes
from tasks_app.importing import RatingsFile
from tasks_app.management.file_commands import StoringCommand
from tasks_app.management.lookups import editor_called, study_called
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.quoting import QUOTINGS


class Command(StoringCommand):
    """Check and store a file of outcomes."""

    help = "Store outcomes of raters measured elsewhere: a CSV, TSV or JSON Lines file, all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("file", help="columns rater, wave and one per outcome; or rater, wave, outcome, value")
        parser.add_argument("--rater", default="rater", metavar="COLUMN", help="what the file calls the rater")
        parser.add_argument("--wave", default="wave", metavar="COLUMN", help="what it calls the wave")
        parser.add_argument("--outcomes", default="", metavar="NAMES", help="columns that are outcomes: calories,steps")
        parser.add_argument("--quoting", default="", choices=QUOTINGS, help="what quotation marks are between tabs")
        parser.add_argument("--replace", action="store_true", help="replace all earlier values of these outcomes")
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--owner", metavar="USER", help="who uploads, for the log; must be allowed to edit it")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error, or into the JSON, with exit code 1."""
        study = study_called(options["study"])
        by = editor_called(options["owner"], study)
        names = tuple(name.strip() for name in options["outcomes"].split(",") if name.strip())
        columns = outcomes.Columns(
            rater=options["rater"], wave=options["wave"], outcomes=names, quoting=options["quoting"]
        )
        try:
            uploaded = outcomes.upload_outcomes(
                study=study, file=RatingsFile.at(options["file"]), by=by, columns=columns,
                replace=options["replace"], check=options["check"],
            )  # fmt: skip
        except StudyFileError as error:
            self.refuse(error, as_json=options["json"])
        stored = not options["check"]
        self.tell(
            study,
            uploaded.counts,
            uploaded.notes,
            stored=stored,
            as_json=options["json"],
            names=list(uploaded.outcomes),
        )
