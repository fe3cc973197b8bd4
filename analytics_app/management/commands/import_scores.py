"""manage.py import_scores STUDY FILE: store scores of automatic metrics, or list every problem."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from analytics_app.services import scores
from tasks_app.importing import RatingsFile
from tasks_app.management.file_commands import StoringCommand
from tasks_app.management.lookups import editor_called, study_called
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.files.quoting import QUOTINGS


class Command(StoringCommand):
    """Check and store a file of metric scores."""

    help = "Store scores of automatic metrics with a study: a CSV, TSV or JSON Lines file, all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("file", help="columns item, system and one a metric; or item, system, metric, value")
        parser.add_argument("--item", default="item", metavar="COLUMN", help="what the file calls the item's key")
        parser.add_argument("--system", default="system", metavar="COLUMN", help="what it calls the system's key")
        parser.add_argument("--variant", default="variant", metavar="COLUMN", help="what it calls the variant, if any")
        parser.add_argument("--metrics", default="", metavar="NAMES", help="which columns are metrics: COMET,chrF")
        parser.add_argument("--quoting", default="", choices=QUOTINGS, help="what quotation marks are between tabs")
        parser.add_argument("--replace", action="store_true", help="put them in the place of earlier ones")
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--owner", metavar="USER", help="who imports, for the log; must be allowed to edit it")
        parser.add_argument("--json", action="store_true", help="print what came of it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error, or into the JSON, with exit code 1."""
        study = study_called(options["study"])
        by = editor_called(options["owner"], study)
        metrics = tuple(name.strip() for name in options["metrics"].split(",") if name.strip())
        names = {name: options[name] for name in ("item", "system", "variant", "quoting")}
        columns = scores.Columns(**names, metrics=metrics)
        try:
            imported = scores.import_scores(
                study=study, file=RatingsFile.at(options["file"]), by=by, columns=columns,
                replace=options["replace"], check=options["check"],
            )  # fmt: skip
        except StudyFileError as error:
            self.refuse(error, as_json=options["json"])
        stored = not options["check"]
        self.tell(
            study, imported.counts, imported.notes, stored=stored, as_json=options["json"], names=list(imported.metrics)
        )
