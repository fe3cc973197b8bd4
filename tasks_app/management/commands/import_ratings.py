"""manage.py import_ratings STUDY FILE: store ratings from elsewhere, or say everything that is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from tasks_app import importing
from tasks_app.models import ImportMapping, Study
from tasks_app.services import mappings, studies
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.problems import closest, nearest


class Command(BaseCommand):
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
        study = _study(options["study"])
        by = _user(options["owner"], study)
        name = options["save_map"]
        try:
            if name is not None:
                mappings.check_name(name)
            mapping = _mapping(study, options["map"])
            file = importing.RatingsFile.at(options["file"])
            done = importing.import_ratings(study=study, file=file, mapping=mapping, by=by, check=options["check"])
        except ValueError as error:
            raise CommandError(f"--save-map: {error}") from None
        except StudyFileError as error:
            self._refuse(error, as_json=options["json"])
        if name is not None and not options["check"]:
            mappings.save(study=study, name=name, document=mapping.document, by=by)
        self._tell(study, done, stored=not options["check"], as_json=options["json"])

    def _tell(self, study: Study, done: importing.Imported, *, stored: bool, as_json: bool) -> None:
        if as_json:
            self._print({"study": study.slug, "stored": stored, **done.counts, "notes": done.notes})
            return
        for note in done.notes:
            self.stdout.write(note)
        said = _("Stored") if stored else _("Checked, not stored")
        counts = ", ".join(f"{n} {what}" for what, n in done.counts.items())
        self.stdout.write(f"{said}: {study.slug}: {counts}")

    def _refuse(self, error: StudyFileError, *, as_json: bool) -> NoReturn:
        if as_json:
            names = ("file", "line", "column", "message")
            problems = [{name: getattr(one, name) for name in names} for one in error.problems]
            self._print({"stored": False, "problems": problems, "more": error.more})
        else:
            for line in error.lines():
                self.stderr.write(line)
        raise CommandError(_("Nothing was stored."))

    def _print(self, outcome: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(outcome, ensure_ascii=False, indent=2))


def _study(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        near = closest(slug, Study.objects.values_list("slug", flat=True))
        hint = f" Did you mean {near!r}?" if near else ""
        raise CommandError(f"There is no study {slug!r}.{hint}")
    return study


def _user(name: str | None, study: Study) -> AbstractBaseUser | None:
    if name is None:
        return None
    users = get_user_model()
    try:
        user = users._default_manager.get_by_natural_key(name)
    except users.DoesNotExist:
        raise CommandError(f"There is no user {name!r}. Make one: manage.py createsuperuser") from None
    if not studies.may_edit(study=study, user=user):
        raise CommandError(f"{name!r} may not edit the study {study.slug!r}. Ask its owner.")
    return user


def _mapping(study: Study, given: str | None) -> importing.ColumnMapping:
    """Read a mapping from a file, or a saved one of that name."""
    if given is None:
        return importing.NO_MAPPING
    if Path(given).is_file():
        return importing.from_file(given)
    saved = ImportMapping.objects.filter(study=study, name=given).first()
    if saved is None:
        names = ImportMapping.objects.filter(study=study).values_list("name", flat=True)
        raise CommandError(f"There is no file and no saved mapping {given!r}. {nearest(given, names)}".rstrip())
    return importing.from_document(saved.name, saved.document)
