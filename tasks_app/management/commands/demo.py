"""manage.py demo: the example studies, open, with simulated raters at work."""

from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.models import Study
from tasks_app.services import lifecycle

# Enough for progress, a code and a few gaps to be seen, and places left for the person who looks.
RATERS = 4


class Command(BaseCommand):
    help = "Load, open and half fill the example studies, and print their rater links as title<TAB>address."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--base-url", default="http://127.0.0.1:8000", help="address the links begin with")
        parser.add_argument("--owner", default="researcher", help="login that owns the studies")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load what is not there yet; a study that exists is left as it is."""
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no login {options['owner']!r}. Make it first, or name another with --owner.")
        folders = sorted(path.parent for path in (Path(settings.BASE_DIR) / "examples").glob("*/study.yaml"))
        for folder in folders:
            study = self._study(folder, owner)
            path = reverse("rater:join", args=[study.link_code])
            self.stdout.write(f"{study.title}\t{options['base_url'].rstrip('/')}{path}")

    def _study(self, folder: Path, owner: User) -> Study:
        slug = studyfile.read(folder).document["study"]["slug"]
        found = Study.objects.filter(slug=slug).first()
        if found is not None:
            return found
        study = studyfile.load(folder, owner=owner)
        lifecycle.move(study_id=study.pk, action="open", by=owner)
        call_command("simulate_raters", slug, raters=RATERS, drop_out=0.3, seed=len(slug), stdout=StringIO())
        study.refresh_from_db()
        return study
