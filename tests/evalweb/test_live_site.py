"""A real server and its database: what is logged, and what happens while the database is away."""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

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


def test_static_files_may_be_kept_for_ever_and_pages_not_at_all(live_site: LiveSite) -> None:
    page = httpx.get(f"{live_site.url}/admin/login/")
    assert "no-store" in page.headers["Cache-Control"]
    address = next(part for part in page.text.split('"') if part.startswith("/static/css/admin_tokens."))
    style = httpx.get(f"{live_site.url}{address}")
    assert style.status_code == 200
    assert "immutable" in style.headers["Cache-Control"]
    assert httpx.get(f"{live_site.url}/media/").status_code == 404
