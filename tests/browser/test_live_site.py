"""A real server and its database: what is logged, and what happens while the database is away."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from evalweb.local_services.folder import BASE_DIR
from evalweb.local_services.postgres import OWNER, SUPERUSER, program
from tests.servers import LiveSite

TOKEN = "Zk3vJ9wQ2mXc7RtY5uLpAg"


def as_superuser(site: LiveSite, statement: str) -> None:
    """Run a statement on the server's own database, which the site's role may not."""
    url = urlsplit(site.environment["DATABASE_URL"])
    server = url._replace(netloc=url.netloc.replace(f"{OWNER}:", f"{SUPERUSER}:"), path="/postgres").geturl()
    subprocess.run(
        [program("psql"), "-X", "-v", "ON_ERROR_STOP=1", "-c", statement, server], check=True, capture_output=True
    )


@contextmanager
def database_away(site: LiveSite) -> Iterator[None]:
    """Close the site's database and its connections, as a restart does."""
    name = urlsplit(site.environment["DATABASE_URL"]).path.removeprefix("/")
    as_superuser(site, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    as_superuser(site, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    try:
        yield
    finally:
        as_superuser(site, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_database_that_goes_away_and_comes_back(live_site: LiveSite, accept: str) -> None:
    page = f"/r/{TOKEN}/"
    with httpx.Client(base_url=live_site.url, headers={"Accept": accept}) as client:
        assert client.get(page).status_code == 404  # asked of the database
        with database_away(live_site):
            for _again in range(2):
                answer = client.get(page)
                assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
                assert "Traceback" not in answer.text
                assert client.get("/readyz").status_code == 503
                assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
        assert client.get(page).status_code == 404


def test_the_log_is_json_without_tokens_and_addresses(live_site: LiveSite) -> None:
    before = len(live_site.log("web"))
    httpx.get(f"{live_site.url}/r/{TOKEN}/judge/", headers={"X-Request-ID": "the-last-request"})
    with socket.create_connection(("127.0.0.1", urlsplit(live_site.url).port or 0)) as connection:
        connection.sendall(f"GET /r/{TOKEN}/ nonsense\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 400")
    written = live_site.log("web")[before:]
    lines = [json.loads(line) for line in written.splitlines()]
    assert "the-last-request" in {line.get("request_id") for line in lines}
    assert TOKEN not in written


SLOW = {
    "heads": "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A",
    "bodies": "POST /task-types/likert/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\n\r\na=",
    "readers": "GET {static} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}


def largest_static_file(site: LiveSite) -> str:
    """Return the address of a file that is larger than what lies between two sockets."""
    page = httpx.get(f"{site.url}/api/v1/").text
    return next(part for part in page.split('"') if part.endswith(".js") and "swagger-ui-bundle" in part)


@pytest.mark.parametrize("what", SLOW)
def test_slow_clients_keep_nobody_waiting(live_site: LiveSite, what: str) -> None:
    """Twice as many as there are threads: without the front the next request is answered when one of these leaves."""
    request = SLOW[what].format(static=largest_static_file(live_site)).encode()
    port = urlsplit(live_site.url).port or 0
    with ExitStack() as stack:
        for _one in range(2 * 8):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            # A reader asks four times: one answer may fit into the buffers of the system.
            connection.sendall(request * (4 if what == "readers" else 1))
        with httpx.Client(base_url=live_site.url, timeout=30) as client:
            assert client.get("/healthz").status_code == 200
            assert client.get("/task-types/likert/").status_code == 200


def test_what_is_too_large_is_refused_with_a_page_and_not_read_into_a_form(live_site: LiveSite) -> None:
    def endless() -> Iterator[bytes]:
        yield from [b"a" * 100_000] * 40

    for body in ({"content": b"a" * 4_000_000}, {"content": endless()}):
        answer = httpx.post(f"{live_site.url}/task-types/likert/", headers={"Accept": "text/html"}, timeout=30, **body)
        assert answer.status_code == 413
        assert "This page accepts at most 2.5 MiB" in answer.text
    small = httpx.post(f"{live_site.url}/task-types/likert/", content=iter([b"a=", b"1"]), timeout=30)
    assert small.status_code == 422, "a chunked form is read as any other"


def test_a_scheme_that_nobody_asked_to_believe_is_not_believed(live_site: LiveSite) -> None:
    """gunicorn believes X-Forwarded-Proto from loopback unless told otherwise."""
    for headers in ({}, {"X-Forwarded-Proto": "https"}):
        # Only over https does Django ask for a Referer with a form.
        answer = httpx.post(f"{live_site.url}/admin/login/", headers={**headers, "Cookie": f"csrftoken={'a' * 32}"})
        assert answer.status_code == 403
    reasons = [line for line in live_site.log("web").splitlines() if "django.security.csrf" in line][-2:]
    assert not [line for line in reasons if "Referer" in line]


def test_an_idle_connection_is_kept_as_long_as_proxies_keep_theirs(live_site: LiveSite) -> None:
    conf = run_in(live_site, "from evalweb import gunicorn_conf; print(gunicorn_conf.keepalive)")
    assert int(conf) > 60, "nginx closes an idle connection to a server after 60 seconds"


def test_a_stop_does_not_wait_for_idle_connections(live_site: LiveSite) -> None:
    with httpx.Client(base_url=live_site.url) as client:
        assert client.get("/healthz").status_code == 200
        before = len(live_site.log("web"))
        live_site.stop("web")
        assert "Forcing close" not in live_site.log("web")[before:]
    live_site.start("web")


def run_in(site: LiveSite, program: str) -> str:
    """Run a program with the site's environment and return what it printed."""
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=site.environment, cwd=BASE_DIR, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_static_files_may_be_kept_for_ever_and_pages_not_at_all(live_site: LiveSite) -> None:
    page = httpx.get(f"{live_site.url}/admin/login/")
    assert "no-store" in page.headers["Cache-Control"]
    address = next(part for part in page.text.split('"') if part.startswith("/static/css/admin_tokens."))
    style = httpx.get(f"{live_site.url}{address}")
    assert style.status_code == 200
    assert "immutable" in style.headers["Cache-Control"]
    assert httpx.get(f"{live_site.url}/media/").status_code == 404
