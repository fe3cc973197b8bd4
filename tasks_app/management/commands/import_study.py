"""manage.py import_study PATH --format NAME: make a study of files that another tool or a shared task published."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from tasks_app.importing.named import readers, studies  # noqa: F401  fills the registry
from tasks_app.importing.named.reference import reference
from tasks_app.importing.named.registry import registry
from tasks_app.management.lookups import format_of, user_called
from tasks_app.studyfile import StudyFileError


class Command(BaseCommand):
    """Recognise and read files of named formats."""

    help = (
        "Make a study, with texts and ratings, of a file or folder in a format of another tool. Without --format, say "
        "which format it has."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("path", nargs="?", help="a file, a zip or tar, or a folder")
        parser.add_argument(
            "--format",
            metavar="NAME",
            help="one of: " + ", ".join(file_format.name for file_format in registry.values()),
        )
        parser.add_argument(
            "--option", metavar="NAME=VALUE", action="append", default=[], help="a choice of the format"
        )
        parser.add_argument("--slug", default="", help="slug of the new study; without, it is made of the file's name")
        parser.add_argument("--owner", metavar="USER", help="who owns the study; without, superusers see it only")
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--write", metavar="ZIP", help="write the study file and the ratings; store nothing")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")
        parser.add_argument("--formats", action="store_true", help="print the table of docs/formats.md instead")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error with exit code 1."""
        if options["formats"]:
            self.stdout.write(reference(), ending="")
            return
        if not options["path"]:
            raise CommandError("Name a file or folder: manage.py import_study PATH")
        try:
            with studies.upload_at(options["path"]) as upload:
                if options["format"] is None:
                    self._recognise(upload)
                elif options["write"]:
                    self._write(upload, options)
                else:
                    self._make(upload, options)
        except StudyFileError as error:
            for line in error.lines():
                self.stderr.write(line)
            raise CommandError(_("Nothing was stored.")) from None

    def _recognise(self, upload: studies.Upload) -> NoReturn:
        signs = upload.recognised()
        for sign in signs:
            self.stdout.write(f"{sign.format} ({sign.sure}): {sign.why}")
        if not signs:
            raise CommandError(
                "No format was recognised. Name one by --format, or map the columns: see docs/ratings-file.md."
            )
        raise CommandError(f"Nothing was stored. If this is right, run it again with --format {signs[0].format}.")

    def _write(self, upload: studies.Upload, options: Mapping[str, Any]) -> None:
        slug = options["slug"] or studies.free_slug(upload.name)
        with Path(options["write"]).open("w+b") as target:
            converted = upload.converted(target, *format_of(options), slug)
        for note in converted.notes:
            self.stdout.write(note)
        self.stdout.write(f"{options['write']}: {_counted(converted.counts)}")

    def _make(self, upload: studies.Upload, options: Mapping[str, Any]) -> None:
        format, chosen = format_of(options)
        imported = studies.make_study(
            upload=upload, format=format, options=chosen, owner=user_called(options["owner"]), slug=options["slug"],
            check=options["check"],
        )  # fmt: skip
        if options["json"]:
            outcome = {"study": imported.study.slug, "stored": not options["check"], "format": format}
            words = {**outcome, **imported.converted.counts, **imported.imported.counts, "notes": list(imported.notes)}
            self.stdout.write(json.dumps(words, ensure_ascii=False, indent=2))
            return
        for note in imported.notes:
            self.stdout.write(note)
        sentence = _("Checked, not stored") if options["check"] else _("Stored")
        self.stdout.write(f"{sentence}: {imported.study.slug}: {_counted(imported.converted.counts)}")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {noun}" for noun, n in counts.items())
