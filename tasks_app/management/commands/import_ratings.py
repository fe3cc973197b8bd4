"""manage.py import_ratings STUDY FILE: store ratings from elsewhere, or list every problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from tasks_app import importing
from tasks_app.management.file_commands import StoringCommand
from tasks_app.management.lookups import editor_called, study_called
from tasks_app.models import ImportMapping, Study
from tasks_app.services.imports import mappings
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.problems import nearest


class Command(StoringCommand):
    """Check and store a file of ratings."""

    help = "Store ratings from elsewhere in a study: a CSV, TSV or JSON Lines file, all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("file", help="ratings in long form: .csv, .tsv or .jsonl, also with .gz behind")
        parser.add_argument("--map", metavar="MAP", help="a mapping: a YAML or JSON file, or the name of a saved one")
        parser.add_argument("--save-map", metavar="NAME", help="save the mapping with the study under this name")
        parser.add_argument("--owner", metavar="USER", help="who imports, for the log; must be allowed to edit it")
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--json", action="store_true", help="print what came of it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error, or into the JSON, with exit code 1."""
        study = study_called(options["study"])
        by = editor_called(options["owner"], study)
        name = options["save_map"]
        try:
            if name is not None:
                mappings.check_name(name)
            mapping = _mapping(study, options["map"])
            file = importing.RatingsFile.at(options["file"])
            imported = importing.import_ratings(study=study, file=file, mapping=mapping, by=by, check=options["check"])
        except ValueError as error:
            raise CommandError(f"--save-map: {error}") from None
        except StudyFileError as error:
            self.refuse(error, as_json=options["json"])
        if name is not None and not options["check"]:
            mappings.save(study=study, name=name, document=mapping.document, by=by)
        stored = not options["check"]
        self.tell(study, imported.counts, imported.notes, stored=stored, as_json=options["json"])


def _mapping(study: Study, text: str | None) -> importing.ColumnMapping:
    """Read a mapping from a file, or a saved one of that name."""
    if text is None:
        return importing.NO_MAPPING
    if Path(text).is_file():
        return importing.from_file(text)
    saved = ImportMapping.objects.filter(study=study, name=text).first()
    if saved is None:
        names = ImportMapping.objects.filter(study=study).values_list("name", flat=True)
        raise CommandError(f"There is no file and no saved mapping {text!r}. {nearest(text, names)}".rstrip())
    return importing.from_document(saved.name, saved.document)
