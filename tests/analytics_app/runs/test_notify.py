"""Notifications of workers never raise and never wait long, in any state of the broker."""

import json
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.models import Run, RunPart
from analytics_app.runs import notify, start
from analytics_app.selectors.workers import broker_state
from evalweb.celery import app
from tasks_app.models import Judgment, Study
from tests import pages
from tests.servers import broker_url
from tests.work import noted_waits

pytestmark = pytest.mark.django_db

# Half of what a person takes for broken.
AT_ONCE_SECONDS = 2.5


@pytest.fixture
def broker() -> Iterator["redis.Redis"]:
    """The test's own number of the run's Valkey, empty."""
    client = redis.Redis.from_url(settings.CELERY_BROKER_URL)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


@pytest.fixture
def use_broker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let this process notify workers through another address."""

    def use(url: str) -> None:
        monkeypatch.setattr(settings, "CELERY_BROKER_URL", url)
        monkeypatch.setitem(app.conf, "broker_url", url)

    use(settings.CELERY_BROKER_URL)
    return use


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never says anything."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield f"redis://:secret@127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture
def swallowing() -> Iterator[str]:
    """The address of a server that does not even take connections: its queue of them is full."""
    with socket.socket() as server, socket.socket() as first, socket.socket() as second:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for one in (first, second):
            one.setblocking(False)
            one.connect_ex(server.getsockname())
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def queued(broker: "redis.Redis", queue: str = "analysis") -> list[Any]:
    """What lies in a queue: name and arguments of each job, oldest first."""
    messages = [json.loads(one) for one in reversed(broker.lrange(queue, 0, -1))]
    return [(one["headers"]["task"], one["headers"]["argsrepr"]) for one in messages]


def test_ids_are_sent_and_the_rows_say_when(
    rated: Study, broker: "redis.Redis", use_broker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = start.start(study=rated, by=None)
        assert queued(broker) == []
    part = run.parts.get(kind="quality")
    assert queued(broker) == [("analytics_app.jobs.compute_part", f"({part.pk},)")]
    assert part.rung_at is not None
    assert set(run.parts.exclude(pk=part.pk).values_list("rung_at", flat=True)) == {None}
    assert broker_state() == "ok"


@pytest.mark.parametrize("kind", ["closed", "silent", "swallowing"])
def test_a_broker_that_is_away_costs_no_time_and_no_run(
    rated: Study, use_broker: Any, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any, kind: str,
) -> None:  # fmt: skip
    use_broker("redis://127.0.0.1:1/0" if kind == "closed" else request.getfixturevalue(kind))
    waits = noted_waits(monkeypatch)
    with caplog.at_level(logging.WARNING), django_capture_on_commit_callbacks(execute=True):
        run = start.start(study=rated, by=None)
    assert 0 < sum(waits) < AT_ONCE_SECONDS
    assert set(run.parts.filter(kind="quality").values_list("state", "rung_at")) == {("queued", None)}
    assert "The broker does not answer; queued parts start when it does" in caplog.text
    waits.clear()
    assert broker_state() == "unreachable"
    assert 0 < sum(waits) < AT_ONCE_SECONDS


def test_repeated_notifications_expire_and_do_not_pile_up(
    rated: Study, broker: "redis.Redis", use_broker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = list(start.start(study=rated, by=None).parts.values_list("pk", flat=True))
    monkeypatch.setattr(notify, "MOST_WAITING", 2)
    assert notify.notify_workers(ids, again=True) == 2
    message = json.loads(broker.lindex("analysis", 0))
    assert message["headers"]["expires"] is not None
    assert notify.notify_workers(ids, again=True) == 0
    assert len(queued(broker)) == 2
    assert notify.notify_workers(ids) == 3  # the first notification of a run is never held back
    assert json.loads(broker.lindex("analysis", 0))["headers"]["expires"] is None


def test_a_transaction_that_fails_notifies_nobody(
    rated: Study, broker: "redis.Redis", use_broker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True), pytest.raises(ValueError, match="ddof"):
        start.start(study=rated, by=None, settings={"ddof": 7})
    assert queued(broker) == []
    assert not Run.objects.exists()


def test_no_request_of_a_rater_touches_the_broker(
    study: Study, rosa: User, somebody: Client, use_broker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even one attempt to connect: with a broker that swallows packets it would cost every rater a second."""
    attempts: list[Any] = []

    def refuse(_socket: socket.socket, address: Any) -> None:
        attempts.append(address)
        raise ConnectionRefusedError

    use_broker("redis://127.0.0.1:1/0")
    monkeypatch.setattr(socket.socket, "connect", refuse)
    token = pages.join(study)
    for _unit in range(4):
        form = pages.unit(somebody, token)
        draft = {"counter": 1, "answer": {"p1-fluency": "4"}}
        somebody.post(f"/r/{token}/draft/", {**form, **draft}, content_type="application/json")
        assert somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "4"}).status_code == 302
    assert somebody.get(f"/r/{token}/end/").status_code == 200
    assert Judgment.objects.filter(assignment__rater__study=study).count() == 4
    assert attempts == []
    # The same spy sees the notification of a run.
    part = RunPart(run=start.start(study=study, by=rosa), number=9, kind="criterion", task=study.tasks.get())
    part.save()
    assert notify.notify_workers([part.pk]) == 0
    assert attempts == [("127.0.0.1", 1)]


def test_another_queue_is_left_alone(broker: "redis.Redis", use_broker: Any) -> None:
    with app.connection_for_write(broker_url(63)) as other:
        assert notify.waiting(other, "nothing-here") == 0
