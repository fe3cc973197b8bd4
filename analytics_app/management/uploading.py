"""The base of commands that upload a table of values from elsewhere."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser

from analytics_app.services.uploads.flow import Columns, Uploaded, upload
from analytics_app.services.uploads.named import NamedValues
from tasks_app.importing import RatingsFile, from_file
from tasks_app.management.file_commands import StoringCommand
from tasks_app.models import Study
from tasks_app.services.events import Actor
from tasks_app.studyfile.files.quoting import QUOTINGS


class UploadCommand(StoringCommand):
    """Check and store a file of a kind; its columns are options of the command."""

    kind: ClassVar[type[NamedValues[Any]]]
    names_example: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        for column in self.kind.columns:
            help = f"what the file calls this column, if not {column.name}. {column.doc}"
            parser.add_argument(f"--{column.name}", default=column.name, metavar="COLUMN", help=help)
        names = f"{self.kind.name}s"
        parser.add_argument(f"--{names}", default="", metavar="NAMES", help=f"columns of values: {self.names_example}")
        help = "a mapping, in YAML or JSON, instead of the options for columns; see docs/ratings-file.md"
        parser.add_argument("--map", metavar="MAP", help=help)
        parser.add_argument("--quoting", default="", choices=QUOTINGS, help="what quotation marks are between tabs")
        parser.add_argument("--replace", action="store_true", help=f"store in place of all values of these {names}")

    def store(self, study: Study, by: Actor, options: Mapping[str, Any]) -> Uploaded:
        """Store the file."""
        named = tuple(name.strip() for name in options[f"{self.kind.name}s"].split(",") if name.strip())
        theirs = {column.name: options[column.name] for column in self.kind.columns}
        mapping = None
        if options["map"]:
            if any(ours != name for ours, name in theirs.items()) or options["quoting"]:
                raise CommandError("--map says what the columns are: leave out the options for columns and --quoting.")
            mapping = from_file(options["map"], self.kind.mapped_table())
        return upload(
            self.kind, study=study, file=RatingsFile.at(options["file"]), by=by,
            columns=Columns(theirs, named, options["quoting"]), mapping=mapping, replace=options["replace"],
            check=options["check"],
        )  # fmt: skip
