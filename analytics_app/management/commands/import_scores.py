"""manage.py import_scores STUDY FILE: store scores of automatic metrics, or say everything that is wrong with them."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from analytics_app.services import scores
from tasks_app.importing import RatingsFile
from tasks_app.models import Study
from tasks_app.services import studies
from tasks_app.studyfile.problems import StudyFileError, closest


class Command(BaseCommand):
    """Check and store a file of metric scores."""

    help = "Store scores of automatic metrics with a study: a CSV, TSV or JSON Lines file, all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare what the command takes."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("file", help="columns item, system and one a metric; or item, system, metric, value")
        parser.add_argument("--item", default="item", metavar="COLUMN", help="what the file calls the item's key")
        parser.add_argument("--system", default="system", metavar="COLUMN", help="what it calls the system's key")
        parser.add_argument("--replace", action="store_true", help="put them in the place of earlier ones")
        parser.add_argument("--check", action="store_true", help="only check; store nothing")
        parser.add_argument("--owner", metavar="USER", help="who imports, for the log; must be allowed to edit it")
        parser.add_argument("--json", action="store_true", help="print what came of it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command; every problem goes to standard error, or into the JSON, with exit code 1."""
        study = _study(options["study"])
        by = _user(options["owner"], study)
        try:
            done = scores.import_scores(
                study=study, file=RatingsFile.at(options["file"]), by=by, item=options["item"],
                system=options["system"], replace=options["replace"], check=options["check"],
            )  # fmt: skip
        except StudyFileError as error:
            self._refuse(error, as_json=options["json"])
        stored = not options["check"]
        if options["json"]:
            metrics = list(done.metrics)
            self._print({"study": study.slug, "stored": stored, **done.counts, "names": metrics, "notes": done.notes})
            return
        for note in done.notes:
            self.stdout.write(note)
        said = _("Stored") if stored else _("Checked, not stored")
        counts = ", ".join(f"{n} {what}" for what, n in done.counts.items())
        self.stdout.write(f"{said}: {study.slug}: {counts} ({', '.join(done.metrics)})")

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
