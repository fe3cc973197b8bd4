"""Functions that are called in a process of their own: limits, what comes back, and what ends."""

import fcntl
import json
import logging
import os
import resource
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from pickle import UnpicklingError
from typing import Any

import psutil
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.uploads import limited
from tasks_app.uploads.limited import MIB, Exceeded, Limits, Reason, turns
from tests import readers

# A busy machine gives a reader little of its time: only one that never ends has a second.
SMALL = Limits(memory=200 * MIB, seconds=30, written=2 * MIB, returned=MIB)
BRIEF = replace(SMALL, seconds=1)
# Seconds by the clock for each of CPU where a test is about CPU. A reader is niced, so that beside busy processes it
# may get a hundredth of a core; with the product's own factor the clock would end it before its second is used up.
# Fewer than the limit of a test (pyproject.toml), which says more where nothing ends the reader.
PATIENT = 500


def call(reader: Callable[..., Any], content: bytes = b"text", *, limits: Limits = SMALL, **given: Any) -> Any:
    """Call a reader with a file and a target."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(content)
        source.flush()
        result = limited.call(reader, source, target, classes=(StudyFileError, Problem), limits=limits, **given)
        return result, target.read()


def request(reader: Callable[..., Any]) -> bytes:
    """Return the request that the server is sent."""
    limits = {"memory": SMALL.memory, "seconds": SMALL.seconds, "clock": PATIENT, "written": SMALL.written}
    name = [reader.__module__, reader.__qualname__]
    return json.dumps(
        {"reader": name, "arguments": {}, "raised": [], "language": "en", "file_limits": {}, **limits}
    ).encode()


def test_a_result_and_what_was_written_come_back() -> None:
    assert call(readers.echo, b"some text", word="ü") == ((b"some text", "ü"), b"some text")


def test_a_refusal_comes_back_with_its_places() -> None:
    with pytest.raises(StudyFileError) as refusal:
        call(readers.refuse)
    assert refusal.value.problems == (Problem("a.csv", 3, 4, "Here.", 2, ((3, 4), (5, 6))),)
    assert refusal.value.count == 9


@pytest.mark.parametrize(
    ("reader", "reason"),
    [
        (readers.abort, Reason.CRASH),
        (readers.swallow, Reason.MEMORY),
        (readers.loop, Reason.TIME),
        (readers.overflow, Reason.CRASH),
        (readers.babble, Reason.OUTPUT),
        (readers.fail, Reason.CRASH),
    ],
)
def test_a_reader_that_takes_too_much_ends_alone(
    reader: Callable[..., Any], reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "CLOCK", PATIENT)
    with pytest.raises(Exceeded) as exceeded:
        call(reader, limits=BRIEF if reader is readers.loop else SMALL)
    assert exceeded.value.reason == reason
    assert call(readers.echo, word="next")[0] == (b"text", "next")


@pytest.mark.parametrize(
    ("reader", "sentence"),
    [
        (readers.abort, "This file cannot be read: it is damaged, or reading it would take far too much memory."),
        (readers.swallow, "Reading this file would take more than 200 MiB of memory."),
        (readers.loop, "Reading this file would take more than 1 seconds of computing."),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(
    reader: Callable[..., Any], sentence: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "CLOCK", PATIENT)
    seconds = 1 if reader is readers.loop else 30
    settings.STUDY_FILE_LIMITS = {"reading_memory": 200 * MIB, "reading_seconds": seconds}
    with pytest.raises(StudyFileError, match=sentence):
        read_apart(reader, b"", name="a.csv")


def test_a_reader_that_waits_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "GRACE", 0)
    monkeypatch.setattr(limited, "CLOCK", 0.2)
    with pytest.raises(Exceeded) as exceeded:
        call(readers.wait, limits=BRIEF)
    assert exceeded.value.reason == Reason.CLOCK


def test_a_reader_ends_itself_by_the_clock_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asked still waits then, and hears how the reader ended."""
    monkeypatch.setattr(limited, "GRACE", 100)
    monkeypatch.setattr(limited, "CLOCK", 0.01)
    with caplog.at_level(logging.WARNING), pytest.raises(Exceeded) as exceeded:
        call(readers.wait)
    assert exceeded.value.reason == Reason.CLOCK
    assert "A reader ended without a result: clock" in caplog.text


def test_whoever_waits_too_long_is_told_that_the_server_is_busy(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """A reader that the clock ended has not computed too much: the file is not to blame."""
    monkeypatch.setattr(limited, "CLOCK", 0.2)
    monkeypatch.setattr(limited, "GRACE", 0)
    settings.STUDY_FILE_LIMITS = {"reading_memory": 200 * MIB, "reading_seconds": 5}
    with pytest.raises(StudyFileError, match="longer than 1 seconds, because the server is busy"):
        read_apart(readers.wait, b"", name="a.csv")


def test_no_class_comes_back_that_was_not_named() -> None:
    with pytest.raises(UnpicklingError, match="may not be in a result"):
        call(readers.smuggle)


def test_an_unexpected_error_is_logged_without_what_the_file_holds(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(Exceeded):
        call(readers.fail)
    assert "KeyError in readers.py" in caplog.text
    assert "what the file holds" not in caplog.text


def test_a_reader_knows_nothing_of_the_site() -> None:
    assert call(readers.environment)[0] == []


def test_a_server_of_readers_that_was_killed_is_started_again() -> None:
    call(readers.echo, word="")
    server = limited._server._process
    assert server is not None
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    assert call(readers.echo, word="again")[0] == (b"text", "again")


def test_a_server_that_has_ended_by_itself_leaves_no_zombie(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asks for hours: it is waited for all the same."""
    limited._server.forget()
    monkeypatch.setattr(limited, "IDLE", 0.1)
    call(readers.echo, word="")
    server = limited._server._process
    assert server is not None
    waiting = next(thread for thread in threading.enumerate() if thread.name == f"limited-server-{server.pid}")
    waiting.join(60)
    assert server.returncode == 0
    assert not psutil.pid_exists(server.pid)
    assert call(readers.echo, word="again")[0] == (b"text", "again")
    limited._server.forget()


def test_a_server_does_not_end_while_a_reader_works(monkeypatch: pytest.MonkeyPatch) -> None:
    limited._server.forget()
    monkeypatch.setattr(limited, "IDLE", 0.1)
    source, told = os.pipe()
    answer, answered = os.pipe()
    limited._server.send(request(readers.first), [answered, source])
    os.close(answered)
    server = limited._server._process
    assert server is not None
    with pytest.raises(subprocess.TimeoutExpired):
        server.wait(2)
    os.write(told, b"x")
    assert limited._result(limited._read(answer, SMALL), ["", ""], SMALL, ()) == b"x"
    for file in (source, told, answer):
        os.close(file)
    limited._server.forget()


def test_only_so_many_files_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN", 0)
    with turns.turn(), turns.turn(), pytest.raises(Exceeded) as exceeded:
        call(readers.echo, word="")
    assert exceeded.value.reason == Reason.BUSY
    assert call(readers.echo, word="free")[0] == (b"text", "free")


def test_one_person_reads_one_file_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sends 24 files at once leaves a turn for others, and waits for the own one."""
    monkeypatch.setattr(turns, "TURN", 0)
    mark = turns.person.set(lambda: 1)
    try:
        with turns.turn():
            with pytest.raises(StudyFileError, match="Another file that you uploaded is still being read"):
                read_apart(readers.echo, b"text", name="a.csv", word="")
            turns.person.set(lambda: 2)
            with turns.turn():
                turns.person.set(lambda: 1)
        assert call(readers.echo, word="free")[0] == (b"text", "free")
        monkeypatch.setattr(turns, "TURN", 60)
        with ThreadPoolExecutor(1) as pool:
            with turns.turn():
                second = pool.submit(copy_context().run, call, readers.echo, word="second")
            assert second.result()[0] == (b"text", "second")
    finally:
        turns.person.reset(mark)


@pytest.mark.django_db
def test_a_page_tells_whoever_uploads_two_files_at_once(
    monkeypatch: pytest.MonkeyPatch, rosa: User, rosas_browser: Client
) -> None:
    monkeypatch.setattr(turns, "TURN", 0)
    own = "Another file that you uploaded is still being read"
    answers = []
    for whose in (rosa.pk, rosa.pk + 1):
        mark = turns.person.set(lambda whose=whose: whose)
        with turns.turn():
            file = SimpleUploadedFile("study.zip", b"PK\3\4")
            answers.append(rosas_browser.post(reverse("researcher:load"), {"file": file}).content.decode())
        turns.person.reset(mark)
    assert [own in answer for answer in answers] == [True, False]


def test_a_process_with_thousands_of_connections_still_reads_files() -> None:
    """`select` takes no descriptor above 1,023, and each connection that stays open has one."""
    reading, writing = os.pipe()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    far = fcntl.fcntl(reading, fcntl.F_DUPFD, 2000)
    try:
        assert not limited.is_readable(far, 0)
        os.write(writing, b"x")
        assert limited.is_readable(far, 0)
    finally:
        for file in (reading, writing, far):
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
