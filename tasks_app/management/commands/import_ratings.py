"""manage.py import_ratings STUDY FILE: store ratings from elsewhere, or list every problem."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from tasks_app import importing
from tasks_app.importing.mapping import as_yaml
from tasks_app.importing.named import studies
from tasks_app.management.file_commands import StoringCommand
from tasks_app.management.lookups import format_of
from tasks_app.management.progress import told_on
from tasks_app.models import ImportMapping, Study
from tasks_app.services.events import Actor
from tasks_app.services.imports import mappings
from tasks_app.studyfile.problems import nearest


class Command(StoringCommand):
    """Check and store a file of ratings."""

    help = "Store ratings from elsewhere in a study: a CSV, TSV or JSON Lines file, all of it or nothing."

    file_help = "ratings in long form: .csv, .tsv or .jsonl, also with .gz behind"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        super().add_arguments(parser)
        parser.add_argument("--map", metavar="MAP", help="a mapping: a YAML or JSON file, or the name of a saved one")
        parser.add_argument(
            "--format", metavar="NAME", help="the files are of another tool: one of those of import_study"
        )
        parser.add_argument(
            "--option", metavar="NAME=VALUE", action="append", default=[], help="a choice of the format"
        )
        parser.add_argument(
            "--metric", metavar="NAME", help="the file has marks of this automatic metric, not of people"
        )
        parser.add_argument("--save-map", metavar="NAME", help="save the mapping with the study under this name")

    def store(self, study: Study, by: Actor, options: Mapping[str, Any]) -> importing.Imported:
        """Store the ratings, and the mapping where a name for it is given."""
        name, check = options["save_map"], options["check"]
        if name is not None:
            try:
                mappings.check_name(name)
            except ValueError as error:
                raise CommandError(f"--save-map: {error}") from None
        if options["format"] is not None:
            return _of_format(study, by, options)
        mapping = _of_metric(_mapping(study, options["map"]), options["metric"])
        file = importing.RatingsFile.at(options["file"])
        try:
            with told_on(self.stderr) as tell:
                imported = importing.import_ratings(
                    study=study, file=file, mapping=mapping, by=by, check=check, tell=tell
                )
        except importing.NoKnownColumn as error:
            if not options["json"]:
                self.stdout.write(as_yaml(error.document), ending="")
            raise
        if name is not None and not check:
            mappings.save(study=study, name=name, document=mapping.document, by=by)
        return imported


def _of_format(study: Study, by: Actor, options: Mapping[str, Any]) -> importing.Imported:
    """Store the ratings of files that another tool wrote. Raises StudyFileError."""
    if options["map"] is not None or options["save_map"] is not None:
        raise CommandError("--format says how the files are read. Leave out --map and --save-map.")
    format, chosen = format_of(options)
    mapping = _of_metric(importing.from_document(format, {"repeats": "keep"}), options["metric"])
    with studies.ratings_at(options["file"], format, chosen, study.slug) as file:
        return importing.import_ratings(study=study, file=file, mapping=mapping, by=by, check=options["check"])


def _of_metric(mapping: importing.ColumnMapping, metric: str | None) -> importing.ColumnMapping:
    """Return the mapping for marks of a metric, if there is one. Raises StudyFileError."""
    if metric is None:
        return mapping
    return importing.from_document(mapping.label or "--metric", {**mapping.document, "metric": metric})


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
