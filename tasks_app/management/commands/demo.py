"""manage.py demo: load the example studies, open them, and let simulated raters judge."""

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
from tasks_app.designs.base import PlanImpossible
from tasks_app.models import Rater, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study import lifecycle

# Enough for progress, a code and a few gaps to be seen, and places left for the person who looks.
RATERS = 4

# Verbs of the log: what this command began, it finishes after an interruption; studies of others it leaves alone.
BEGUN, FINISHED = "began demonstration", "finished demonstration"

# Errors of a single example; the other examples are loaded nevertheless.
REFUSALS = (studyfile.StudyFileError, lifecycle.NotPossible, PlanImpossible, CommandError)


class Command(BaseCommand):
    help = "Load, open and half fill the example studies, and print their rater links as title<TAB>address."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--base-url", default="http://127.0.0.1:8000", help="address the links begin with")
        parser.add_argument("--owner", default="researcher", help="login that owns the studies")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load what is not there yet, and finish what was interrupted; any other study is left as it is."""
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no login {options['owner']!r}. Make it first, or name another with --owner.")
        folders = sorted(path.parent for path in (Path(settings.BASE_DIR) / "examples").glob("*/study.yaml"))
        refused = 0
        for folder in folders:
            try:
                study = self._study(folder, owner)
            except REFUSALS as problem:
                refused += 1
                self.stderr.write(f"{folder.name} was left out: {problem}")
                continue
            path = reverse("rater:join", args=[study.link_code])
            self.stdout.write(f"{study.title}\t{options['base_url'].rstrip('/')}{path}")
            self.stdout.flush()
        if refused:
            raise CommandError(f"{refused} of {len(folders)} example studies could not be loaded.")

    def _study(self, folder: Path, owner: User) -> Study:
        slug = studyfile.read(folder).document["study"]["slug"]
        study = Study.objects.filter(slug=slug).first() or _begin(folder, owner)
        if study.state == Study.State.OPEN and _is_unfinished(study):
            n_raters = Rater.objects.filter(study=study, kind=Rater.Kind.SIMULATED).count()
            rater_options = {"raters": max(0, RATERS - n_raters), "drop_out": 0.3, "seed": len(slug) + n_raters}
            call_command("simulate_raters", slug, **rater_options, stdout=StringIO())
            events.log(study, owner, FINISHED)
        return study


@atomically
def _begin(folder: Path, owner: User) -> Study:
    """Load and open an example in one transaction, so that an interruption leaves no draft behind."""
    study = studyfile.load(folder, owner=owner)
    events.log(study, owner, BEGUN)
    return lifecycle.move(study_id=study.pk, action="open", by=owner)


def _is_unfinished(study: Study) -> bool:
    """Return whether this command began a study and was interrupted."""
    verbs = set(study.events.filter(verb__in=(BEGUN, FINISHED)).values_list("verb", flat=True))
    return verbs == {BEGUN}
