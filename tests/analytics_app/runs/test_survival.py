"""A run ends right, once, whatever is killed or restarted in the middle of it.

A real worker and a real scheduler, on servers of their own. A trigger of the database holds a criterion at the most
dangerous moment: everything is computed, and the transaction that stores it has begun. With three criteria two parts
are done then, one is begun and one is left. What a worker that died left is taken over a minute after its last sign of
life: the tests let that minute pass by making the sign of life older.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis
from pytest_django import DjangoDbBlocker

from tests.analytics_app.runs.site import Site, running_site

pytestmark = pytest.mark.whole

SLUG = "bench-1500"
MAKE = "from bench.collected import study_with; study_with(1_500, criteria=3)"
START = f"""
from analytics_app.runs import start as runs
from tasks_app.models import Study
rules = [{{"rule": "manual"}}, {{"rule": "iqr", "factor": 1}}]
analyses = [{{"analysis": name}} for name in ("krippendorff", "raters")]
settings = {{"n_resamples": 100, "n_permutations": 99, "rules": rules, "analyses": analyses}}
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
BEGUN = "SELECT 1 FROM analytics_app_runpart WHERE run_id = %s AND kind = 'criterion' AND state = 'running'"
# The storing of rows waits for a lock as soon as two parts of the run are done.
TRIGGER = """
CREATE FUNCTION wait_to_be_let_go() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$
BEGIN
    IF (SELECT count(*) FROM analytics_app_runpart p JOIN analytics_app_run r ON r.id = p.run_id
         WHERE p.state = 'done' AND r.state = 'running') = 2
    THEN PERFORM pg_advisory_xact_lock_shared(1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER held BEFORE INSERT ON analytics_app_resultrow FOR EACH STATEMENT EXECUTE FUNCTION wait_to_be_let_go()
"""
HOLD = "SELECT pg_advisory_lock(1)"
IS_HELD = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
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
        site.start("worker")
        site.start("scheduler")
        site.python(MAKE)
        site.rows(TRIGGER)
        first = self.start()
        site.until("the first run is done", lambda: self.is_done(first))
        self.expected = self.found(first)
        self.parts = len(self.states(first))
        assert self.attempts(first) == [1] * self.parts
        assert len(self.expected[0]) > 100
        assert len(self.expected[1]) > 10
        assert len(self.expected[2]) > 3

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

    @contextmanager
    def held(self) -> Iterator[int]:
        """Start a run whose second criterion is held, with two parts done, until the block ends."""
        holder = self.site.connected()
        try:
            with holder.cursor() as cursor:
                cursor.execute(HOLD)
            run = self.start()
            self.site.until("a criterion is held", lambda: bool(self.site.rows(IS_HELD)))
            assert sorted(self.states(run)) == ["done", "done", "queued", "running"]
            assert self.site.rows(BEGUN, run)
            yield run
        finally:
            holder.close()

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


@pytest.mark.exhaustive
def test_a_broker_that_is_away_when_a_run_is_started(working: Reference) -> None:
    """Once it is back nothing happens to the run, and each part is computed once."""
    started: list[int] = []

    def start() -> None:
        started.append(working.start())
        assert working.states(*started).count("queued") == 1

    working.site.restart_valkey(start)
    (run,) = started
    working.check(run)
    assert working.attempts(run) == [1] * working.parts
    beats = "SELECT queue FROM analytics_app_workerbeat ORDER BY queue"
    working.site.until("both queues answer", lambda: working.site.rows(beats) == [("analysis",), ("quick",)])


@pytest.mark.exhaustive
def test_a_killed_child(working: Reference) -> None:
    with working.held() as run:
        (child,) = working.site.children()
        child.kill()
        working.site.until("another child", lambda: child.pid not in {one.pid for one in working.site.children()})
    working.site.rows(A_MINUTE_LATER, run)
    working.check(run)
    assert working.attempts(run)[-2:] == [1, 2]


def test_a_killed_parent_and_child(working: Reference) -> None:
    with working.held() as run:
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
    with working.held() as run:
        working.site.restart_valkey(lambda: None)
    working.site.rows(A_MINUTE_LATER.replace("heartbeat = heartbeat - interval '61 seconds', ", ""), run)
    working.check(run)
    assert working.attempts(run) == [1] * working.parts


def test_a_database_that_restarts(working: Reference) -> None:
    with working.held() as run:
        working.site.restart_postgres()
    working.site.rows(A_MINUTE_LATER, run)
    working.check(run)
    assert working.attempts(run)[-2:] == [1, 2]


@pytest.mark.exhaustive
def test_a_worker_that_is_stopped_in_good_order_ends_its_part_first(working: Reference) -> None:
    """What it leaves begins with nobody, and a command does the rest."""
    with working.held() as run:
        log = working.site.folder / "worker.log"
        begun = log.stat().st_size
        working.site.running["worker"].terminate()
        working.site.until("the worker knows", lambda: b"Warm shutdown" in log.read_bytes()[begun:])
    working.site.stop("worker")
    assert sorted(working.states(run)) == ["done", "done", "done", "queued"]
    working.site.python(HERE.format(run))
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
