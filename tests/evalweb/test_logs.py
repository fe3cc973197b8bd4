"""No token, no address and no answer reaches a log, whoever writes the line."""

import json
import logging
import sys
import time
from collections.abc import Iterator
from io import StringIO

import pytest
from celery.app.trace import log_policy_unexpected
from django.db import DataError, connection
from django.test import Client, override_settings

from evalweb import logs
from evalweb.logs import SafeJsonFormatter, scrub

TOKEN = "Zk3vJ9wQ2mXc7RtY5uLpAg"
ANSWER = "the patient was never told"

pytestmark = pytest.mark.urls("tests.evalweb.urls")


class Lines:
    """What a handler with our formatter has written."""

    def __init__(self) -> None:
        self.stream = StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def records(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Collect what every logger writes, as the server would write it."""
    lines = Lines()
    handler = logging.StreamHandler(lines.stream)
    handler.setFormatter(SafeJsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def browser_like(client: Client) -> Client:
    """A client that gets the error page, as a browser does, instead of the exception."""
    client.raise_request_exception = False
    return client


def test_an_unhandled_error_is_logged_by_place_without_token_and_answer(browser_like: Client, lines: Lines) -> None:
    response = browser_like.post(f"/r/{TOKEN}/broken/", {"answer": ANSWER})
    assert response.status_code == 500
    errors = [record for record in lines.records if record["level"] == "ERROR"]
    assert [record["logger"] for record in errors] == ["django.request"]
    assert errors[0]["message"] == "Internal Server Error: /r/…/broken/"
    assert "in broken" in str(errors[0]["traceback"])
    assert str(errors[0]["traceback"]).endswith("ValueError")
    assert TOKEN not in lines.text
    assert ANSWER not in lines.text


@pytest.mark.django_db
def test_what_the_database_quotes_is_not_logged(browser_like: Client, lines: Lines) -> None:
    assert browser_like.post(f"/r/{TOKEN}/refused/", {"answer": ANSWER}).status_code == 500
    (error,) = [record for record in lines.records if record["level"] == "ERROR"]
    assert "django.db.utils.DataError 22P02" in str(error["traceback"])
    assert ANSWER not in lines.text


@pytest.mark.django_db
def test_the_database_does_quote_it(db: None) -> None:
    """The test above would prove nothing if PostgreSQL kept the value to itself."""
    with connection.cursor() as cursor, pytest.raises(DataError, match=ANSWER):
        cursor.execute("SELECT %s::int", [ANSWER])


@pytest.mark.parametrize("status", [404, 200])
def test_paths_lose_their_token(browser_like: Client, lines: Lines, status: int) -> None:
    address = {404: f"/r/{TOKEN}/nowhere/?PROLIFIC_PID=5f1234567890", 200: f"/r/{TOKEN}/fine/"}[status]
    assert browser_like.get(address).status_code == status
    assert lines.records
    assert TOKEN not in lines.text
    assert "5f1234567890" not in lines.text


def test_each_request_is_logged_once_by_its_route(client: Client, lines: Lines) -> None:
    response = client.get(f"/r/{TOKEN}/fine/", headers={"X-Request-ID": "probe-0001"})
    (record,) = [record for record in lines.records if record["logger"] == "evalweb.request"]
    assert record["route"] == "r/<str:token>/fine/"
    assert record["message"] == "GET 200"
    assert record["request_id"] == response["X-Request-ID"] == "probe-0001"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"Not Found: /r/{TOKEN}/judge/", "Not Found: /r/…/judge/"),
        (f"http://eval.example.org/join/{TOKEN}/", "http://eval.example.org/join/…/"),
        (f'"GET /r/{TOKEN} HTTP/1.1" 200', '"GET /r/… HTTP/1.1" 200'),
        ("Not Found: /api/v1/studies/ewt_a-B_9/", "Not Found: /api/v1/studies/ewt_…/"),
        ("Error handling request /api/v1/studies?token=abc", "Error handling request /api/v1/studies?…"),
        ("Invalid request from ip=203.0.113.9: x", "Invalid request from ip=…: x"),
        ("from 2001:db8::17 and ::ffff:203.0.113.9", "from … and …"),
        ("mail to ada@example.org failed", "mail to … failed"),
        ("Listening at: http://127.0.0.1:8000 (12)", "Listening at: http://127.0.0.1:8000 (12)"),
        ("Starting gunicorn 27.0.1 at 12:30:59", "Starting gunicorn 27.0.1 at 12:30:59"),
        ("celery.worker.consumer.connection", "celery.worker.consumer.connection"),
        ("203.0.113.9:51820 sent nothing", "…:51820 sent nothing"),
        ("203.0.113.9x and 1.2.3.4.example.org", "203.0.113.9x and ….example.org"),
        (r'"user": "ada@example.org\nrosa@example.org"', r'"user": "…\…"'),
        ("smtp://user:secret@mail.example.org:587", "smtp://user:…:587"),
    ],
)
def test_scrub(line: str, expected: str) -> None:
    assert scrub(line) == expected


@pytest.mark.parametrize("pattern", ["/", ".", ":", "@", "/r/", "a", "1.", "a@", "ewt_", "/?", "/a?b", "f.x", "\\"])
def test_ten_times_the_line_is_about_ten_times_the_work(pattern: str) -> None:
    """A quadratic scrubber takes a hundred times as long; processor time, so that other processes do not count."""

    def work(length: int) -> float:
        line = pattern * (length // len(pattern))
        spent = []
        for _again in range(10):
            started = time.thread_time()
            scrub(line)
            spent.append(time.thread_time() - started)
        return min(spent)

    assert work(5_000) < 15 * work(500)


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/fine/", {"host": "/" * 8_000}),
        (f"/{'/' * 3_900}", {}),
        (f"/{'r/' * 1_900}", {}),
        ("/fine/", {"origin": "." * 8_000}),
    ],
)
def test_a_long_field_is_cut_before_it_is_scrubbed(lines: Lines, address: str, headers: dict[str, str]) -> None:
    Client(raise_request_exception=False, enforce_csrf_checks=True).post(address, headers=headers)
    assert len(lines.records) >= 2
    assert max(len(str(record["message"])) for record in lines.records) <= logs.LONGEST_FIELD + len(logs.GONE)
    assert any(str(record["message"]).endswith(logs.GONE) for record in lines.records)


@pytest.mark.parametrize("address", ["/lost/", "/crashed/"])
def test_a_storm_of_lost_databases_has_one_traceback_a_minute(
    browser_like: Client, lines: Lines, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(logs, "clock", lambda: now[0])
    for _request in range(20):
        assert browser_like.get(address).status_code == 503
        now[0] += 1
    told = [record for record in lines.records if record["message"] == "The database did not answer"]
    assert len(told) == 20
    assert [number for number, record in enumerate(told) if "traceback" in record] == [0]
    assert all(str(record["error"]).startswith("django.db.utils.") for record in told[1:])
    assert lines.text.count('"traceback"') == 1
    now[0] += 60
    browser_like.get(address)
    assert lines.text.count('"traceback"') == 2


def test_other_errors_keep_every_traceback(browser_like: Client, lines: Lines) -> None:
    for _request in range(3):
        browser_like.post(f"/r/{TOKEN}/broken/")
    assert lines.text.count('"traceback"') == 3


def test_a_long_traceback_keeps_its_end(lines: Lines) -> None:
    deep = "\n".join(f"def f{n}(): f{n + 1}()" for n in range(600))
    try:
        exec(f"{deep}\ndef f600(): 1 / 0\nf0()", {})
    except ZeroDivisionError:
        logging.getLogger("anything").exception("It failed")
    traceback = str(lines.records[0]["traceback"])
    assert len(traceback) == logs.LONGEST_TRACEBACK
    assert traceback.endswith("ZeroDivisionError")


def test_a_job_that_fails_is_named_without_its_data(lines: Lines) -> None:
    context = {"name": "jobs.analyse", "id": "42", "description": "raised unexpected", "exc": f"ValueError({ANSWER!r})"}
    try:
        raise ValueError(ANSWER)
    except ValueError:
        logging.getLogger("celery.app.trace").log(
            log_policy_unexpected.severity,
            log_policy_unexpected.format.strip(),
            context | {"args": f"[{ANSWER!r}]"},
            exc_info=sys.exc_info(),
            extra={"data": context},
        )
    (record,) = lines.records
    assert record["message"] == "Task jobs.analyse[42] raised unexpected: …"
    assert "test_logs.py" in str(record["traceback"])
    assert ANSWER not in lines.text


def test_an_exception_passed_as_argument_is_named_only(lines: Lines) -> None:
    logging.getLogger("anything").warning("It failed: %s", ValueError(ANSWER))
    assert lines.records[0]["message"] == "It failed: ValueError"


def test_causes_are_told_and_messages_about_code_kept(lines: Lines) -> None:
    try:
        try:
            raise ValueError(ANSWER)
        except ValueError as cause:
            raise AttributeError("'Study' object has no attribute 'nam'") from cause
    except AttributeError:
        logging.getLogger("anything").exception("It failed")
    traceback = str(lines.records[0]["traceback"])
    assert "AttributeError: 'Study' object has no attribute 'nam'\nwhich came from\n" in traceback
    assert traceback.endswith("ValueError")


def test_every_process_logs_through_the_safe_handler_alone() -> None:
    settings = logs.config("INFO")
    handlers = {name for logger in settings["loggers"].values() for name in logger["handlers"]}
    assert handlers == set()
    assert settings["root"]["handlers"] == ["stderr"]
    assert settings["formatters"]["json"]["()"] == "evalweb.logs.SafeJsonFormatter"


@override_settings(DEBUG=True)
def test_debug_changes_nothing_about_the_log(browser_like: Client, lines: Lines) -> None:
    browser_like.post(f"/r/{TOKEN}/broken/", {"answer": ANSWER})
    assert TOKEN not in lines.text
    assert ANSWER not in lines.text
