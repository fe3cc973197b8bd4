"""Published studies, begun in New study, judged by raters with a planted effect, and analysed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

import yaml
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from analytics_app.models import ResultRow, Run
from tasks_app import studyfile
from tasks_app.management.simulated_raters import Answering, Visitor, quiet_pages
from tasks_app.management.transports import InProcess
from tasks_app.models import Output, Study
from tasks_app.services.study import lifecycle
from tasks_app.setup import checking
from tasks_app.task_types.base import Quality
from tests.published.visitors import QuickVisitor
from tests.undrawn import undrawn

NEW = "/admin/studies/new/"

# A study draws its own seed when it is begun; in tests it is always the same, so that nothing depends on chance.
SEED = 20261123


CHECKED = settings.BASE_DIR / "examples" / "checked"


def begun(browser: Client, name: str) -> Study:
    """Begin a study from a published one, as the form of New study does."""
    before = set(Study.objects.values_list("pk", flat=True))
    answer = browser.post(NEW, {"published": name, "title": f"As in {name}", "public_title": "Texts"})
    assert answer.status_code == 302, answer.content.decode()
    return Study.objects.exclude(pk__in=before).get()


def opened(study: Study) -> Study:
    """Check everything of a study with the seed of the tests and few resamples, and open it."""
    setup = study.setup
    setup.given["study"]["seed"] = SEED
    setup.given["analysis"] = {"n_resamples": 100, **setup.given.get("analysis", {})}
    setup.save()
    study, _loaded = checking.make_study(setup=setup, by=None)
    assert study.seed == SEED
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def systems_by_text(study: Study) -> Mapping[str, str]:
    """Return which system wrote each text of a study, by the text."""
    return dict(Output.objects.filter(item__study=study).values_list("text", "system__key"))


def judged(
    study: Study, rater: Callable[[int, Random], Answering | None], n: int, seed: int = 1, by_pages: int = 1
) -> Study:
    """Let raters judge an open study, each answering as `rater` says or else carefully, and close it.

    The first `by_pages` raters go by all pages; the others store their answers by the services behind these.
    """
    with quiet_pages():
        for number in range(n):
            rng = Random(f"{seed}:{number}")
            pages = InProcess()
            # A study takes only so many raters a day from one address.
            pages.client.defaults["REMOTE_ADDR"] = f"10.0.0.{number}"
            kind = Visitor if number < by_pages else QuickVisitor
            visitor = kind(study, pages, Quality.CAREFUL, rng, answering=rater(number, rng))
            if visitor.arrive():
                assert visitor.judge()
    return lifecycle.move(study_id=study.pk, action="close", by=None)


def judged_checked(raters: int = 6, analyses: Sequence[str] = ()) -> Study:
    """Return the example with checks, owned by rosa and closed, as careful raters judged it without its pages.

    It is analysed with few resamples, by these analyses or by all. Four raters are too few for agreement.
    """
    plan: dict[str, object] = {"n_resamples": 100, "n_permutations": 99}
    if analyses:
        plan["analyses"] = [{"analysis": name} for name in analyses]
    with TemporaryDirectory() as name:
        folder = Path(name, "study")
        copytree(CHECKED, folder)
        with (folder / "study.yaml").open("a", encoding="utf-8") as file:
            file.write(yaml.safe_dump({"analysis": plan}))
        study = studyfile.load(folder, owner=User.objects.get(username="rosa"))
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    return judged(study, lambda _number, _rng: None, raters, by_pages=0)


@dataclass(frozen=True)
class Results:
    """The rows of a run."""

    run: Run

    def rows(self, statistic: str, **where: object) -> list[ResultRow]:
        """Return the rows of a statistic."""
        return list(ResultRow.objects.filter(run=self.run, statistic=statistic, **where).order_by("id"))

    def value(self, statistic: str, **where: object) -> float:
        """Return the value of the one row of a statistic."""
        (row,) = self.rows(statistic, **where)
        assert row.value is not None, row.note
        return row.value


def analysed(study: Study, *, drawn: bool = True) -> Results:
    """Analyse a study as planned, with the command that researchers have; without charts where nobody looks at them."""
    with nullcontext() if drawn else undrawn():
        call_command("analyse", study.slug, stdout=StringIO(), stderr=StringIO())
    return Results(Run.objects.filter(study=study).latest("number"))
