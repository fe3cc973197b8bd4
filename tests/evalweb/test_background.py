"""The promises of background work that lie in its settings."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from celery.signals import worker_process_init
from django.conf import settings
from kombu.exceptions import OperationalError

from evalweb.beat import Scheduler
from evalweb.celery import app, end_with_the_worker
from evalweb.local_services import processes
from tests.servers import broker_url
from tests.work import noted_waits


def test_a_job_is_never_handed_out_twice_while_it_may_still_run() -> None:
    assert app.conf.broker_transport_options["visibility_timeout"] > app.conf.task_time_limit
    assert app.conf.task_soft_time_limit < app.conf.task_time_limit


def test_a_job_whose_process_dies_is_done_by_another() -> None:
    assert (app.conf.task_acks_late, app.conf.task_reject_on_worker_lost) == (True, True)
    assert app.conf.worker_prefetch_multiplier == 1


def test_there_are_two_queues_and_no_results() -> None:
    assert {queue.name for queue in app.amqp.queues.values()} == {"quick", "analysis"}
    assert app.conf.task_default_queue == "quick"
    assert app.conf.task_ignore_result
    assert app.conf.result_backend is None


def test_the_schedule_is_read_from_the_settings() -> None:
    assert app.conf.beat_schedule == settings.BEAT_SCHEDULE


def _printed(code: str, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the words that a program prints in a process of its own."""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return answer.stdout.split()


def test_the_scheduler_loads_no_model_and_no_job_and_sends_all_that_is_due() -> None:
    """Django's models and all pages would take another 80 MiB as long as a site runs."""
    begin = "import sys; from evalweb.beat import app; app.loader.init_worker(); app.finalize(); "
    assert _printed(begin + "print({'tasks_app.models', 'numpy'} & set(sys.modules) or 'none')") == ["none"]
    sent = _printed(begin + "print(*(entry['task'] for entry in app.conf.beat_schedule.values()))")
    assert sent == [entry["task"] for entry in settings.BEAT_SCHEDULE.values()]
    app.loader.import_default_modules()
    assert set(sent) <= set(app.tasks)


def test_commands_of_celery_find_the_settings_by_themselves() -> None:
    """`make run` and docker-compose.yml name no module of settings."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"} | {
        "SECRET_KEY": "a key",
        "ALLOWED_HOSTS": "localhost",
        "DATABASE_URL": "postgresql://nobody:nothing@localhost/nowhere",
        "REDIS_URL": "redis://localhost:1/0",
    }
    for name in ("evalweb", "evalweb.beat"):
        code = f"from celery.bin.celery import find_app; print(find_app('{name}').conf.broker_url)"
        assert _printed(code, environment) == ["redis://localhost:1/0"]


def test_processes_load_only_what_they_need() -> None:
    """The supervisor needs no Celery and no pages, a web process no migration to find that all ran.

    The set-up plans the smallest difference of a study without scipy's optimisers, which take half a second to load.
    """
    supervisor = "import evalweb.serve.__main__; unneeded = {'celery', 'redis', 'django.db', 'django.urls'}"
    web = (
        "import django; django.setup(); from evalweb.migration_state import names_on_disk; "
        "assert 'tasks_app.0001_initial' in names_on_disk(); "
        "unneeded = {name for name in sys.modules if '.migrations.0' in name}"
    )
    planning = (
        "from analytics_app.stats.planning.smallest import Assumed, smallest_difference; "
        "assert smallest_difference(Assumed(0, sd_rater_system=0.3), 100, alpha=0.05, power=0.8); "
        "unneeded = {'scipy.optimize'}"
    )
    for loads in (supervisor, web, planning):
        assert _printed(f"import sys; {loads}; print(unneeded & set(sys.modules) or 'none')") == ["none"]


def test_forked_processes_share_what_was_loaded_before() -> None:
    """A search for garbage writes into what it looks at, and each process would have a copy of it."""
    worker = "import evalweb.celery; from celery.signals import worker_init; worker_init.send(sender=None)"
    for forks in ("from evalweb import gunicorn_conf; gunicorn_conf.pre_fork(None, None)", worker):
        code = f"import django; django.setup(); {forks}; import gc; print(gc.get_freeze_count() > 100_000)"
        assert _printed(code) == ["True"]


def test_ringing_a_broker_that_is_down_fails_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is written before; what rings must go on and not wait."""
    waits = noted_waits(monkeypatch)
    with app.connection_for_write("redis://127.0.0.1:1/0") as connection, pytest.raises(OperationalError):
        app.send_task("nobody.knows", connection=connection)
    # Two tries, of two seconds each where the address does not even refuse, with two seconds between them.
    assert 0 < sum(waits) <= 6


def test_ringing_a_broker_that_answers_works() -> None:
    with app.connection_for_write(broker_url(63)) as connection:
        assert app.send_task("nobody.knows", connection=connection, queue="analysis").id


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Make files as most accounts do: readable for everybody."""
    umask = os.umask(0o022)
    yield
    os.umask(umask)


@pytest.mark.usefixtures("open_umask")
def test_the_schedule_is_readable_by_its_owner_only_also_after_an_upgrade(tmp_path: Path) -> None:
    for _start in ("the first", "after an older version"):
        Scheduler(app=app, schedule_filename=str(tmp_path / "beat-schedule")).close()
        files = list(tmp_path.iterdir())
        assert files
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        for file in files:
            file.chmod(0o644)


@pytest.mark.skipif(sys.platform != "linux", reason="The system tells a process about its parent's end on Linux only")
def test_a_process_that_computes_ends_with_the_worker_that_forked_it() -> None:
    assert end_with_the_worker in [receiver() for _key, receiver in worker_process_init.receivers]
    story = (
        "import os, threading\n"
        "from evalweb.celery import end_with_the_worker\n"
        "if not (child := os.fork()):\n"
        "    end_with_the_worker()\n"
        "    print(os.getpid(), flush=True)\n"
        "threading.Event().wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", story], stdout=subprocess.PIPE, text=True) as worker:
        child = psutil.Process(int(worker.stdout.readline()))
        worker.kill()
        _gone, alive = psutil.wait_procs([child], timeout=20)
        processes.send(alive, signal.SIGKILL)
    assert alive == []
