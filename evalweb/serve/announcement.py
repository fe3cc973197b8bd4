"""The announcement of `make run` once pages are served: their address, and the first login."""

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from evalweb.elapsed import elapsed_shown
from evalweb.local_services import VarFolder

PATIENCE_SECONDS = 120


def announce(
    url: str, var: VarFolder, report: dict[str, Any], *, password: str, ended: Event, show: Callable[[str], object]
) -> None:
    """Wait until the pages are served and print where they are; say so if they are not in time."""
    deadline = monotonic() + PATIENCE_SECONDS
    with elapsed_shown(show):
        while (problem := readiness(url)) is not None:
            if ended.wait(0.1):
                return
            if monotonic() > deadline:
                show(f"{url} does not answer yet ({problem}). Look at {var.logs / 'web.log'}.")
                return
    show(block(url, var, report, password))


def readiness(url: str) -> str | None:
    """Return None if /readyz says ready, else the reason why not."""
    try:
        with urlopen(f"{url}/readyz", timeout=5):  # noqa: S310  our own address
            return None
    except HTTPError as answer:
        return f"status {answer.code}: {answer.read(200).decode(errors='replace')}"
    except (URLError, ConnectionError, TimeoutError) as problem:
        return str(getattr(problem, "reason", problem))


def block(url: str, var: VarFolder, report: dict[str, Any], password: str) -> str:
    """Return the lines that say where everything is."""
    login = (
        f"{report['login']}  password {password}" if report["password_valid"] else f"{report['login']}  (your password)"
    )
    lines = ["", "evalweb is running.", "", f"  Open     {url}/", f"  Sign in  {url}/admin/", f"           {login}"]
    lines += ["", f"  Logs are in {var.logs}, the password in {var.secrets}. Ctrl-C stops everything.", ""]
    return "\n".join(lines)
