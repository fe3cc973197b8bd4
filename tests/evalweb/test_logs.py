"""No token, no address and no answer reaches a log, whoever writes the line."""

import json
import logging
import re
import sys
import time
from collections.abc import Iterator
from io import StringIO

import pytest
from celery.app.trace import log_policy_unexpected
from django.db import DataError, connection
from django.test import Client, override_settings
from pytest_django.fixtures import Settings

from evalweb import logs
from evalweb.logs import SafeJsonFormatter, scrub, scrub_value
from evalweb.secret_paths import hide, routes
from evalweb.urls import urlpatterns
from tasks_app.links.converters import HiddenInLogs
from tests.evalweb import urls
from tests.evalweb.secret_urls import SECRET

TOKEN = "Zk3vJ9wQ2mXc7RtY5uLpAg"
ANSWER = "the patient was never told"

pytestmark = pytest.mark.urls(urls.__name__)


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
    assert record["route"] == "r/<secret:token>/fine/"
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
        ("Not Found: /R//s3cret/judge/", "Not Found: /R//…/judge/"),
        ("Not Found: /%72/s3cret", "Not Found: /%72/…"),
        ("Not Found: /%2572%2Fs3cret%2fjudge", "Not Found: /%2572%2F…%2fjudge"),
        ("Not Found: /nowhere/./results/./s3cret", "Not Found: /nowhere/./results/./…"),
        ("Not Found: /admin/results/5/", "Not Found: /admin/results/5/"),
        ("Forbidden (Referer http://else.example.org/r/s3cret!)", "Forbidden (Referer http://else.example.org/r/…"),
        (r'"message": "GET \"/r/s3c\\ret\" 404"', r'"message": "GET \"/r/…\" 404"'),
        ("?PROLIFIC_PID=5f1234567890", "?…"),
        (f"KeyError {TOKEN}", "KeyError …"),
        ("File tasks_app/views/rater/arriving.py", "File tasks_app/views/rater/arriving.py"),
    ],
)
def test_scrub(line: str, expected: str) -> None:
    assert scrub(line) == expected


def test_a_secret_behind_a_space_or_a_quotation_mark_is_hidden() -> None:
    assert scrub_value("Not Found: /r/ s3cret/judge/ and more") == "Not Found: /r/ … and more"
    assert scrub_value('Not Found: /r/"s3cret"/judge/') == 'Not Found: /r/"…"/judge/'


# Secrets of addresses, as the table of addresses declares them ---------------------------------------------

MADE_UP = "Made-up_77-not-drawn"  # of no length that is drawn, so that nothing but the address tells
NAMES_OF_SECRETS = re.compile(r"token|key|code|secret|link|nonce|password|credential", re.IGNORECASE)
# Not a secret: what a table of results is called.
NO_SECRETS = {"<str:key>"}


def addresses(route: str) -> Iterator[str]:
    """Yield an address of a route with a made-up secret: as it should be, and as nobody should write it."""

    def value(match: re.Match[str]) -> str:
        hidden = {name for known, converters in SECRET if known == route for name, kind in converters.items()
                  if isinstance(kind, HiddenInLogs)}  # fmt: skip
        return MADE_UP if match[2] in hidden else "1"

    address = "/" + re.sub(r"<(\w+):(\w+)>", value, route)
    yield address
    before, _secret, after = address.partition(MADE_UP)
    yield f"{before.upper()}{MADE_UP}{after}"
    yield f"/{before.replace('/', '//')}{MADE_UP}{after}"
    yield f"/%{ord(before[1]):x}{before[2:]}{MADE_UP}{after}"
    yield f"{before.removesuffix('/')}%2F{MADE_UP}{after}"
    yield f"{before}%20{MADE_UP}/nowhere/"
    yield f"{before}%22{MADE_UP}%22/"


@pytest.mark.urls("tests.evalweb.secret_urls")
def test_no_secret_of_an_address_is_logged_however_it_fails(browser_like: Client, lines: Lines) -> None:
    assert {"r/<secret:token>/", "comment/<secret:token>/", "results/<secret:token>/"} <= {route for route, _ in SECRET}
    for route, _converters in SECRET:
        for number, address in enumerate(addresses(route)):
            for status in (404,) if number else (400, 403, 404, 405, 500):
                headers = {"X-Fail": str(status), "Referer": f"http://else.example.org{address}"}
                answer = browser_like.get(f"{address}?token={MADE_UP}&next=/r/{MADE_UP}/", headers=headers)
                assert answer.status_code in {status, 404, 301}, address
        assert lines.records
        assert MADE_UP not in lines.text, route


def test_each_argument_that_is_named_like_a_secret_is_declared_as_one() -> None:
    for route, converters in routes(urlpatterns):
        for written, name in re.findall(r"(<(?:\w+:)?(\w+)>)", route):
            is_number = type(converters[name]).__name__ == "IntConverter"
            if NAMES_OF_SECRETS.search(name) and not is_number and written not in NO_SECRETS:
                assert isinstance(converters[name], HiddenInLogs), f"write <secret:{name}> in {route}"


def test_nothing_is_imported_by_a_line_of_the_log(settings: Settings) -> None:
    """A formatter holds the lock of its handler: importing there could wait for a thread that waits for that lock."""
    settings.ROOT_URLCONF = "tests.evalweb.never_imported"
    assert hide(f"/r/{MADE_UP}/") == f"/r/{MADE_UP}/"
    assert scrub(f"/r/{TOKEN}/") == "/r/…/"


@pytest.mark.parametrize(
    "pattern",
    [
        "/",
        ".",
        ":",
        "@",
        "/r/",
        "a",
        "1.",
        "a@",
        "ewt_",
        "/?",
        "/a?b",
        "f.x",
        "\\",
        "%25",
        "r/",
        "%2F",
        "/r/ ",
        "results/a/",
    ],
)
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
