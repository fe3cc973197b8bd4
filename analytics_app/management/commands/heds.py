"""manage.py heds SLUG: write the datasheet of a study, or take over the answers of a file of the public form."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analytics_app.heds.formats import WRITERS, public_form
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import sheet_of
from analytics_app.services.datasheet import import_file
from tasks_app.management.lookups import study_called


class Command(BaseCommand):
    """Write the datasheet of a study to standard output, or import one."""

    help = (
        "Write the Human Evaluation Datasheet (HEDS) of a study: as Markdown, as LaTeX, or as the JSON that the public "
        "form of version 3.0 loads. With --import, take over the answers of such a JSON file instead."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let --version take the place of Django's own option, which prints the version of Django."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("--version", choices=[str(version) for version in Version], default=str(Version.THREE))
        parser.add_argument("--format", choices=list(WRITERS), default="markdown", help="json is always version 3.0")
        parser.add_argument("--import", metavar="FILE", dest="file", help="answers to take over; nothing is written")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        study = study_called(options["study"])
        if options["file"] is None:
            written = WRITERS[options["format"]](sheet_of(study), Version(options["version"]))
            self.stdout.write(written, ending="")
            return
        try:
            content = Path(options["file"]).read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}.") from None
        try:
            n, unknown = import_file(study=study, content=content, by=None)
        except public_form.BadFile as error:
            raise CommandError("\n".join([f"{options['file']}: nothing was stored.", *error.problems])) from None
        self.stdout.write(f"{n} answers stored.")
        if unknown:
            self.stderr.write(f"Not used, because no question has such a field: {', '.join(unknown)}.")
