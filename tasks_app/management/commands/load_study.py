"""manage.py load_study PATH: store a study file as a draft, or list every problem."""

import json
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import studyfile
from tasks_app.management.lookups import user_called
from tasks_app.management.progress import told_on
from tasks_app.studyfile.checking import PLANNING, STORING
from tasks_app.studyfile.reference import reference

_PHASES = {PLANNING: gettext_lazy("Drawing the plan"), STORING: gettext_lazy("Storing the study")}


class Command(BaseCommand):
    """Check and store a study file."""

    help = "Store a study file (a folder or zip with study.yaml and items.csv) as a draft, whole or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument("path", nargs="?", help="folder that holds study.yaml, or a zip of it")
        parser.add_argument("--owner", metavar="USER", help="who owns the study; without, superusers see it only")
        parser.add_argument("--replace", action="store_true", help="take the place of a draft with the same slug")
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--schema", action="store_true", help="print the JSON Schema of study.yaml")
        parser.add_argument("--reference", action="store_true", help="print the tables of docs/study-file.md")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error with exit code 1."""
        if options["schema"]:
            self.stdout.write(json.dumps(studyfile.schema(), indent=2, ensure_ascii=False))
        elif options["reference"]:
            self.stdout.write(reference(), ending="")
        elif not options["path"]:
            raise CommandError("Say which folder or zip holds the study: manage.py load_study PATH")
        else:
            self._load(
                options["path"], user_called(options["owner"]), check=options["check"], replace=options["replace"]
            )

    def _load(self, path: str, owner: AbstractBaseUser | None, *, check: bool, replace: bool) -> None:
        try:
            with told_on(self.stderr) as tell:
                tell(_("Reading the study file"))
                if check:
                    loaded = studyfile.read(path, slot=studyfile.Slot(owner, replace))
                else:
                    _study, loaded = studyfile.load_with_notes(
                        path, owner=owner, replace=replace, report=lambda phase: tell(str(_PHASES[phase]))
                    )
        except studyfile.StudyFileError as error:
            for line in error.lines():
                self.stderr.write(line)
            raise CommandError(_("Nothing was stored.")) from None
        for note in loaded.notes:
            self.stdout.write(note)
        sentence = _("Checked, not stored") if check else _("Stored as a draft")
        about = loaded.document["study"]
        self.stdout.write(f"{sentence}: {about['slug']} ({about['title']})")
        self.stdout.write(", ".join(f"{n} {name}" for name, n in loaded.counts.items()))
        if loaded.load:
            self.stdout.write(loaded.load)
