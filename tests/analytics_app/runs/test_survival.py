"""A run ends right, once, whatever is killed or restarted in the middle of it.

A real worker and a real scheduler, on servers of their own. The study is large enough and is resampled often enough
for its parts to take a while; with three criteria two parts are done, one is begun and one is left. What a worker that
died left is taken over a minute after its last sign of life: the tests let that minute pass by making the sign of life
older.
"""

import signal
from collections.abc import Iterator

import pytest
import redis
from pytest_django import DjangoDbBlocker

from tests.analytics_app.runs.site import Site, running_site

pytestmark = pytest.mark.whole

SLUG = "bench-15000"
MAKE = "from bench.collected import study_with; study_with(15_000, criteria=3)"
START = f"""
from analytics_app.runs import start as runs
from tasks_app.models import Study
rules = [{{"rule": "manual"}}, {{"rule": "iqr", "factor": 1}}]
analyses = [{{"analysis": name}} for name in ("systems", "krippendorff", "correlation", "raters", "distribution")]
settings = {{"n_resamples": 2000, "n_permutations": 99, "rules": rules, "analyses": analyses}}
run = runs.start(study=Study.objects.get(slug="{SLUG}"), by=None, settings=settings)
print(run.pk)
"""
HERE = """
from analytics_app.models import Run
from analytics_app.runs import start as runs
runs.compute_here(run=Run.objects.get(pk={}))
"""

ROWS = """
SELECT row_to_json(r)::jsonb - 'id' - 'run_id' FROM analytics_app_resultrow r WHERE run_id = %s ORDER BY "order"
"""
EXCLUSIONS = "SELECT rating_id, rule, value FROM analytics_app_exclusion WHERE run_id = %s ORDER BY 1"
PLOTS = "SELECT key, digest FROM analytics_app_plot WHERE run_id = %s ORDER BY key"
JUST_BEGUN = """
SELECT 1 FROM analytics_app_runpart
 WHERE run_id = %s AND kind = 'criterion' AND state = 'running'
   AND clock_timestamp() - heartbeat < interval '0.3 seconds'
   AND (SELECT count(*) FROM analytics_app_runpart WHERE run_id = %s AND state = 'done') >= 2
"""
# A minute in which nobody gave a sign of life and nobody was told.
A_MINUTE_LATER = """
UPDATE analytics_app_runpart
   SET heartbeat = heartbeat - interval '61 seconds', rung_at = rung_at - interval '61 seconds'
 WHERE run_id = %s AND state IN ('queued', 'running')
"""


SIXTY_TICKS = """
from evalweb.beat import Scheduler
from evalweb.celery import app
scheduler = Scheduler(app=app, schedule_filename={!r})
for _tick in range(60):
    for entry in scheduler.schedule.values():
        scheduler.apply_entry(entry, producer=scheduler.producer)
"""


class Reference:
    """The site, and what an undisturbed run over the same ratings found."""

    def __init__(self, site: Site) -> None:
        self.site = site
        site.python(MAKE)
        first = self.start()
        site.python(HERE.format(first))
        self.expected = self.found(first)
        self.parts = len(self.states(first))
        assert len(self.expected[0]) > 100
        assert len(self.expected[1]) > 100
        assert len(self.expected[2]) > 10

    def start(self) -> int:
        """Start the run anew: neither the last one is returned, nor its parts are taken over."""
        self.site.rows("UPDATE analytics_app_run SET digest = md5(id::text)")
        self.site.rows("UPDATE analytics_app_runpart SET inputs = ''")
        return int(self.site.python(START))

    def found(self, run: int) -> tuple[list, list, list]:
        """Return rows, exclusions and plots of a run."""
        rows, exclusions, plots = (self.site.rows(sql, run) for sql in (ROWS, EXCLUSIONS, PLOTS))
        return rows, exclusions, plots

    def states(self, run: int) -> list[str]:
        """The states of a run's parts."""
        return [one for (one,) in self.site.rows("SELECT state FROM analytics_app_runpart WHERE run_id = %s", run)]

    def until_it_computes(self, run: int) -> None:
        """Wait until a worker has just begun a criterion, with some parts done."""
        self.site.until("a criterion is being computed", lambda: bool(self.site.rows(JUST_BEGUN, run, run)))

    def is_done(self, run: int) -> bool:
        """Say whether the run has ended well."""
        ((state, error),) = self.site.rows("SELECT state, error FROM analytics_app_run WHERE id = %s", run)
        assert state in {"queued", "running", "done"}, error
        return bool(state == "done")

    def check(self, run: int) -> None:
        """Wait for the end, and compare everything that was found with what the undisturbed run found."""
        self.site.until("the run is done", lambda: self.is_done(run), seconds=240)
        assert self.states(run) == ["done"] * self.parts
        assert self.found(run) == self.expected

    def attempts(self, run: int) -> list[int]:
        """How many times the parts were begun, the least first."""
        return sorted(
            one for (one,) in self.site.rows("SELECT attempt FROM analytics_app_runpart WHERE run_id = %s", run)
        )


@pytest.fixture(scope="module")
def reference(django_db_blocker: DjangoDbBlocker) -> Iterator[Reference]:
    with running_site(django_db_blocker) as site:
        yield Reference(site)


@pytest.fixture
def working(reference: Reference) -> Reference:
    """With a worker and a scheduler: those of the test before, where they have survived it as they should."""
    for name in ("worker", "scheduler"):
        if not reference.site.runs(name):
            reference.site.start(name)
    return reference


def test_a_broker_that_is_away_when_a_run_is_started(working: Reference) -> None:
    """Once it is back nothing happens to the run, and each part is computed once."""
    started: list[int] = []
    working.site.restart_valkey(lambda: started.append(working.start()))
    (run,) = started
    assert working.states(run).count("queued") == 1
    working.check(run)
    assert working.attempts(run) == [1] * working.parts
    beats = "SELECT queue FROM analytics_app_workerbeat ORDER BY queue"
    working.site.until("both queues answer", lambda: working.site.rows(beats) == [("analysis",), ("quick",)])


def test_a_killed_child(working: Reference) -> None:
    run = working.start()
    working.until_it_computes(run)
    (child,) = working.site.children()
    child.kill()
    working.site.until("another child", lambda: child.pid not in {one.pid for one in working.site.children()})
    working.site.rows(A_MINUTE_LATER, run)
    working.check(run)
    assert working.attempts(run)[-2:] == [1, 2]


def test_a_killed_parent_and_child(working: Reference) -> None:
    run = working.start()
    working.until_it_computes(run)
    children = working.site.children()
    worker = working.site.running.pop("worker")
    for process in (worker, *children):
        process.send_signal(signal.SIGKILL)
    worker.wait()
    working.site.until("they are gone", lambda: not any(one.is_running() for one in children))
    assert working.states(run).count("running") == 1
    working.site.rows(A_MINUTE_LATER, run)
    working.site.start("worker")
    working.check(run)
    assert working.attempts(run)[-2:] == [1, 2]


def test_a_broker_that_forgets_everything(working: Reference) -> None:
    """Worker and scheduler find it again, and what it forgot is rung for again."""
    run = working.start()
    working.until_it_computes(run)
    working.site.restart_valkey(lambda: None)
    working.site.rows(A_MINUTE_LATER.replace("heartbeat = heartbeat - interval '61 seconds', ", ""), run)
    working.check(run)
    assert working.attempts(run) == [1] * working.parts


def test_a_database_that_restarts(working: Reference) -> None:
    run = working.start()
    working.until_it_computes(run)
    working.site.restart_postgres()
    working.site.rows(A_MINUTE_LATER, run)
    working.check(run)


def test_a_worker_that_is_stopped_in_good_order_ends_its_part_first(working: Reference) -> None:
    run = working.start()
    working.until_it_computes(run)
    working.site.stop("worker")
    assert "running" not in working.states(run)
    working.site.start("worker")
    working.site.rows(A_MINUTE_LATER, run)
    working.check(run)
    assert working.attempts(run) == [1] * working.parts


def test_without_a_worker_beat_does_not_fill_the_broker(reference: Reference) -> None:
    for name in ("worker", "scheduler"):
        reference.site.stop(name)
    broker = redis.Redis.from_url(reference.site.valkey.url())
    broker.flushdb()
    reference.site.python(SIXTY_TICKS.format(str(reference.site.folder / "test-schedule")))
    assert 20 <= broker.llen("quick") <= 22
    assert broker.llen("analysis") == 20
    broker.close()
