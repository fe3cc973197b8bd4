"""Every rule and every analysis that fits, worked on by two processes at once: the digits of one, whoever is killed."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from evalweb.local_services.folder import BASE_DIR
from tests.analytics_app.runs.site import Site, running_site
from tests.analytics_app.runs.test_survival import A_MINUTE_LATER, EXCLUSIONS, PLOTS, ROWS

pytestmark = [pytest.mark.whole, pytest.mark.exhaustive]

SLUG = "bench-2500"
MAKE = "from bench.collected import study_with; study_with(2_500, criteria=5)"
START = f"""
from analytics_app import quality
from django.db.models import CharField, F
from django.db.models.functions import Cast
from analytics_app.models import Run, RunPart
from analytics_app.runs import start as runs
from tasks_app.models import Study
Run.objects.update(digest=Cast(F("pk"), CharField()))
RunPart.objects.update(inputs="")
rules = [{{"rule": name}} for name in quality.registry]
settings = {{"rules": rules, "n_resamples": 200, "n_permutations": 99}}
run = runs.start(study=Study.objects.get(slug="{SLUG}"), by=None, settings=settings, trigger="command")
print(run.pk)
"""
# Works on whatever is due until the run has ended, and says how many parts it did.
WORK = """
from analytics_app.models import Run
from analytics_app.runs import claim as parts, start as runs
done, run = 0, Run.objects.get(pk={run})
while run.state in ("queued", "running"):
    due = list(parts.due().filter(run=run).order_by("number").values_list("pk", flat=True))
    found = sum(parts.work(pk) for pk in due)
    done += found
    if not found:
        runs.wait_for_others()
    run.refresh_from_db()
print(done)
"""
RUNNING = "SELECT 1 FROM analytics_app_runpart WHERE run_id = %s AND kind = 'criterion' AND state = 'running'"


@pytest.fixture(scope="module")
def site(django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    with running_site(django_db_blocker) as found:
        found.python(MAKE)
        yield found


def found_by(site: Site, run: int) -> tuple[list, list, list]:
    """Return rows, exclusions and plots of a run that has ended well."""
    assert site.rows("SELECT state, error FROM analytics_app_run WHERE id = %s", run) == [("done", "")]
    rows, exclusions, plots = (site.rows(sql, run) for sql in (ROWS, EXCLUSIONS, PLOTS))
    return rows, exclusions, plots


def working(site: Site, run: int) -> "subprocess.Popen[str]":
    """Start a process that works on a run."""
    program = "\n".join(("import django; django.setup()", WORK.format(run=run)))
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=BASE_DIR, env=site.environment, stdout=subprocess.PIPE, text=True
    )


def test_two_at_once_and_one_that_is_killed_find_what_one_alone_finds(site: Site) -> None:
    alone = int(site.python(START))
    n_parts = int(site.python(WORK.format(run=alone)))
    expected = found_by(site, alone)
    analyses = {row["analysis"] for (row,) in expected[0]}
    assert {"systems", "krippendorff", "agreement", "order_effects", "fieldwork", "funnel"} <= analyses
    assert len(expected[0]) > 1000
    assert expected[2]

    both = int(site.python(START))
    first, second = working(site, both), working(site, both)
    done = [int(process.communicate()[0]) for process in (first, second)]
    assert sum(done) == n_parts
    assert min(done) > 0
    assert found_by(site, both) == expected

    third = int(site.python(START))
    killed = working(site, third)
    site.until("a criterion is being computed", lambda: bool(site.rows(RUNNING, third)))
    killed.kill()
    killed.wait()
    site.rows(A_MINUTE_LATER, third)
    site.python(WORK.format(run=third))
    assert found_by(site, third) == expected
