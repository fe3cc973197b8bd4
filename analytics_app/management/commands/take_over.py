"""manage.py take_over STUDY EARLIER: take judgments of the same texts over into the next version of a corpus."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.services import next_version
from tasks_app import access
from tasks_app.management.lookups import editor_called, study_called
from tasks_app.studyfile import StudyFileError


class Command(BaseCommand):
    """Compare the texts of two studies, and take judgments over."""

    help = "Take over judgments of texts that an earlier study has judged already (docs/next-version.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("study", help="slug of the new study, a draft whose set-up was checked")
        parser.add_argument("earlier", help="slug of the closed study with the judgments")
        parser.add_argument("--least", type=int, default=1, metavar="N", help="judgments that a text needs there")
        parser.add_argument(
            "--ignore", choices=list(next_version.NORMALISATIONS), action="append", default=[],
            help="a difference between texts that does not count",
        )  # fmt: skip
        parser.add_argument(
            "--owner", metavar="USER",
            help="who takes over, for the log; must be allowed to edit the new study and to see the earlier one",
        )  # fmt: skip
        parser.add_argument("--check", action="store_true", help="only compare; store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        study, origin = study_called(options["study"]), study_called(options["earlier"])
        by = editor_called(options["owner"], study)
        if by is not None and not access.studies_for_researcher(by).filter(pk=origin.pk).exists():
            raise CommandError(f"{options['owner']!r} may not export the ratings of {origin.slug!r}. Ask its owner.")
        wanted = next_version.Request(origin, options["least"], tuple(options["ignore"]))
        try:
            if options["check"]:
                found = next_version.preview(study, wanted)
            else:
                found = next_version.take_over(study=study, request=wanted, by=by)
        except (next_version.NotPossible, StudyFileError) as error:
            raise CommandError(str(error)) from error
        for task in found.coverage:
            self.stdout.write(
                f"{task.task}: {task.kept} kept, {task.lost} lost, {task.new} new; "
                f"{task.judgments} judgments by {task.raters} raters. {task.problem}".rstrip()
            )
