"""manage.py demo: load the example studies, open them, let simulated raters judge, and close five of them."""

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
from tasks_app.hooks import tabs
from tasks_app.management.demonstration import PLANTED
from tasks_app.models import Rater, Study
from tasks_app.selectors.demonstration import BEGUN, FINISHED
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study import lifecycle

# In a study that stays open: enough for progress, a code and a few gaps, with places left for the person who looks.
RATERS, DROP_OUT = 4, 0.3
# In a study that is closed.
DROP_OUT_CLOSED = 0.08

# Errors of a single example; the other examples are loaded nevertheless.
REFUSALS = (studyfile.StudyFileError, lifecycle.NotPossible, PlanImpossible, CommandError)


class Command(BaseCommand):
    help = (
        "Load, open and half fill the example studies, fill and close five of them, and print title<TAB>address of "
        "each: its results, or its rater link."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--base-url", default="http://127.0.0.1:8000", help="address the links begin with")
        parser.add_argument("--owner", default="researcher", help="login that owns the studies")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the missing examples, and finish interrupted ones; any other study is left as it is."""
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no login {options['owner']!r}. Make it first, or name another with --owner.")
        paths = (Path(settings.BASE_DIR) / "examples").glob("*/study.yaml")
        # Those to be closed first: their results are computed while the others are loaded.
        order = {slug: number for number, slug in enumerate(PLANTED)}
        folders = sorted(
            (path.parent for path in paths), key=lambda folder: (order.get(_slug(folder), len(order)), folder)
        )
        refused = 0
        for folder in folders:
            try:
                study = self._study(folder, owner)
            except REFUSALS as problem:
                refused += 1
                self.stderr.write(f"{folder.name} was left out: {problem}")
                continue
            self.stdout.write(f"{study.title}\t{options['base_url'].rstrip('/')}{_address(study)}")
            self.stdout.flush()
        if refused:
            raise CommandError(f"{refused} of {len(folders)} example studies could not be loaded.")

    def _study(self, folder: Path, owner: User) -> Study:
        slug = _slug(folder)
        study = Study.objects.filter(slug=slug).first() or _begin(folder, owner)
        if study.state == Study.State.OPEN and _is_unfinished(study):
            n_wanted, drop_out = (PLANTED[slug].raters, DROP_OUT_CLOSED) if slug in PLANTED else (RATERS, DROP_OUT)
            n_raters = Rater.objects.filter(study=study, kind=Rater.Kind.SIMULATED).count()
            rater_options = {"raters": max(0, n_wanted - n_raters), "drop_out": drop_out, "seed": len(slug) + n_raters}
            call_command("simulate_raters", slug, **rater_options, planted=slug in PLANTED, stdout=StringIO())
            study = _finish(study, owner)
        return study


def _slug(folder: Path) -> str:
    """Return the slug of an example, which is that of its folder: a house test holds it."""
    return f"example-{folder.name.replace('_', '-')}"


def _address(study: Study) -> str:
    """Return the address of the results of a closed study, where an app has them, else the rater link."""
    results = next((tab for tab in tabs.all_tabs() if tab.slug == "results"), None)
    if study.state == Study.State.CLOSED and results is not None:
        return reverse(results.url_name, args=[study.slug])
    return reverse("rater:join", args=[study.link_code])


@atomically
def _begin(folder: Path, owner: User) -> Study:
    """Load and open an example in one transaction, so that an interruption leaves no draft behind."""
    study = studyfile.load(folder, owner=owner)
    events.log(study, owner, BEGUN)
    return lifecycle.move(study_id=study.pk, action="open", by=owner)


@atomically
def _finish(study: Study, owner: User) -> Study:
    """Log that the raters are through, with the planted findings; close a study that has planted findings."""
    planted = PLANTED.get(study.slug)
    events.log(study, owner, FINISHED, after={"planted": planted.finding} if planted else None)
    return lifecycle.move(study_id=study.pk, action="close", by=owner) if planted else study


def _is_unfinished(study: Study) -> bool:
    """Return whether this command began a study and was interrupted."""
    verbs = set(study.events.filter(verb__in=(BEGUN, FINISHED)).values_list("verb", flat=True))
    return verbs == {BEGUN}
