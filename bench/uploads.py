"""Send spoilt files to every address that accepts files, on a started site: `python -m bench uploads [FILES [SEED]]`.

It fails where a web process ended, one grew by more than 100 MiB, or an answer was 500. Files are whole ones of every
kind that a page reads, with bytes and parts changed; one in ten is made to take memory or time. What is kept for a next
page is asked for twice, and checked by its button.
"""

from __future__ import annotations

import io
import os
import secrets
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any
from urllib.parse import urlencode

import psutil
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from bench.spoilt import RATERS, TABLE, bombs, fitting, spoilt, whole_files, zip_of
from evalweb.local_services.folder import BASE_DIR
from tasks_app.uploads.request_sizes import largest_upload

FILES, SEED = 2_000, 30
# Requests at the same time, and MiB that a process may grow by.
AT_ONCE, MOST_GROWTH = 4, 100
# Share of the files for addresses that hardly any other file fits which are made for them, and of these the whole ones.
FITS = 0.5

DRAFT, OPENED, PERSONAL, EMPTY = "example-likert", "fuzz-opened", "example-panas-groups", "fuzz-empty"
# What each address needs besides the file: its arguments, the name of its field, and other fields of its form.
Row = tuple[Mapping[str, str], str, Mapping[str, str]]
ADDRESSES: Mapping[str, Row] = {
    "researcher:load": ({}, "file", {"replace": "on"}),
    "researcher:new": ({}, "file", {"texts": "", "title": "Fuzz", "public_title": "Fuzz"}),
    "researcher:texts": ({"slug": DRAFT}, "file", {"action": "upload"}),
    "researcher:text_media": ({"slug": DRAFT}, "uploads", {}),
    "researcher:degrade": ({"slug": DRAFT}, "substitutions_file", {"same": "substitution", "action": "look"}),
    "researcher:unit_table": ({"slug": DRAFT, "table": "controls"}, "file", {"action": "upload"}),
    "researcher:one_table": ({"slug": EMPTY}, "file", {"action": "upload"}),
    "researcher:import": ({"slug": OPENED}, "file", {"action": "upload"}),
    "researcher:pay_bonus": (
        {"slug": OPENED}, "file", {"to": "listed", "amount": "1", "reason": "fuzz", "form": "0" * 32},
    ),
    "researcher:invited": ({"slug": OPENED}, "file", {"channel": "invited"}),
    "researcher:statuses": ({"slug": OPENED, "channel": "prolific"}, "file", {}),
    "analytics:datasheet_import": ({"slug": DRAFT}, "file", {}),
    "analytics:scores": ({"slug": OPENED}, "file", {"action": "upload"}),
    "analytics:outcomes": ({"slug": OPENED}, "file", {"action": "upload"}),
    "analytics:personal_texts": ({"slug": PERSONAL}, "file", {"action": "upload"}),
}  # fmt: skip

STUDY = """
evalweb: 1
study: {slug: fuzz-opened, title: Fuzz, public_title: Reading}
pay: {minutes: 20, amount: 4.00, currency: EUR, part_amount: 0.50}
channels: {link: {}, prolific: {}, invited: {lease_days: 3}}
codes: {completed: CDONE, screened_out: CSCREEN, failed: CTEST, full: CFULL, withdrawn: CSTOP}
criteria: [{key: fluency, name: Fluency}]
tasks: [{key: main, type: likert, criteria: [fluency], k: 1, set_size: 2}]
"""


def addresses() -> Iterator[str]:
    """Yield the name of every address that accepts files. Raises LookupError for one without a row above."""
    for name, view in _walk(get_resolver()):
        if largest_upload(view) is not None:
            if name not in ADDRESSES:
                raise LookupError(f"{name} accepts files: give it a row in {__file__}.")
            yield name


def _walk(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, Any]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            yield f"{before}{entry.name}", entry.callback
        else:
            yield from _walk(entry, f"{entry.namespace}:" if entry.namespace else before)


def drawn(number: int, seed: int, *, with_bombs: bool = True) -> tuple[str, str, bytes]:
    """Return the address, name and content of the file with a number: the same for the same seed."""
    rng = Random(f"{seed}-{number}")
    names = sorted(ADDRESSES)
    if with_bombs and rng.random() < 0.1:
        name, make = rng.choice(sorted(bombs().items()))
        return rng.choice(names), name, make()
    address = rng.choice(names)
    files = fitting(number)
    if address in files and rng.random() < FITS:
        # Half of these stay whole, so that what is behind a refusal is reached as well.
        name, content = files[address]
        return address, name, content if rng.random() < FITS else spoilt(content, rng)
    name, content = rng.choice(sorted(whole_files().items()))
    if rng.random() < 0.1:
        name = rng.choice(sorted(whole_files()))  # called what it is not
    return address, name, spoilt(content, rng)


# Sends a request: method, path, fields, and a file by its field and name. Returns status and where it leads to.
Send = Callable[[str, str, Mapping[str, str], tuple[str, str, bytes] | None], tuple[int, str]]


def send_one(send: Send, address: str, name: str, content: bytes) -> list[int]:
    """Send a file as its page does, go on to where that leads, and return all statuses."""
    takes, file_field, fields = ADDRESSES[address]
    path = reverse(address, kwargs=takes)
    status, location = send("POST", path, fields, (file_field, name, content))
    statuses = [status]
    if "file=" in location:
        page, _mark, query = location.partition("?")
        token = query.partition("file=")[2].partition("&")[0]
        statuses += [send("GET", location, {}, None)[0] for _again in range(2)]
        statuses.append(send("POST", page, {"action": "check", "file": token}, None)[0])
    return statuses


@dataclass
class Report:
    """The outcomes of all files."""

    statuses: Counter[int] = field(default_factory=Counter)
    by_address: dict[str, Counter[int]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def main() -> None:
    """Start a site, send the files, print the outcomes, and exit with 1 where a promise was broken."""
    given = [int(word) for word in sys.argv[2:]]
    n, seed = [*given, FILES, SEED][:2] if len(given) != 1 else [given[0], SEED]
    names = list(addresses())
    cookie = _prepare()
    with _site() as (port, master):
        send = _sender(port, cookie)
        for name in names:
            takes = ADDRESSES[name][0]
            path = reverse(name, kwargs=takes)
            for _process in range(3):
                send("GET", path, {}, None)
        before = _memory(master)
        report, slowest = Report(), _Watch(port)
        with slowest, ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda number: _one(number, seed, send, report), range(n)))
        after = _memory(master)
    _tell(report, n, seed, before, after, slowest)


def _one(number: int, seed: int, send: Send, report: Report) -> None:
    address, name, content = drawn(number, seed)
    try:
        statuses = send_one(send, address, name, content)
    except OSError as error:
        report.errors.append(f"file {number}, {name} to {address}: {error!r}")
        return
    report.statuses.update(statuses)
    report.by_address.setdefault(address, Counter()).update(statuses)
    if any(status >= 500 for status in statuses):
        report.errors.append(f"file {number}, {name} to {address}: {statuses}")


def _tell(report: Report, n: int, seed: int, before: dict[int, float], after: dict[int, float], watch: _Watch) -> None:
    print(f"{n} files, seed {seed}, {AT_ONCE} at a time")
    for address, statuses in sorted(report.by_address.items()):
        print(f"  {address:28} {dict(sorted(statuses.items()))}")
    print(f"answers by status: {dict(sorted(report.statuses.items()))}")
    print("web processes, MiB before and after:")
    for pid in sorted({*before, *after}):
        print(f"  {pid:8} {before.get(pid, float('nan')):7.0f} {after.get(pid, float('nan')):7.0f}")
    print(f"/healthz asked {watch.n} times meanwhile: {watch.failed} failed, slowest {watch.slowest:.1f} s")
    faults = list(report.errors)
    if before.keys() != after.keys():
        faults.append("a web process ended")
    faults += [f"{pid} grew by {after[pid] - before[pid]:.0f} MiB" for pid in before.keys() & after.keys()
               if after[pid] - before[pid] > MOST_GROWTH]  # fmt: skip
    if faults:
        sys.exit("\n".join(["FAILED", *faults[:50]]))
    print("no process ended, none grew by more than 100 MiB, no answer of 500")


def _prepare() -> str:
    """Store the studies that files are sent to, and return the cookie of a researcher who owns them."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: PLC0415
    from django.contrib.auth.models import User  # noqa: PLC0415
    from django.contrib.sessions.backends.db import SessionStore  # noqa: PLC0415

    owner = User.objects.create_superuser("fuzz", password=secrets.token_hex(16))
    prepare_studies(owner)
    session = SessionStore()
    session[SESSION_KEY] = str(owner.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = owner.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def prepare_studies(owner: Any) -> None:
    """Store the studies that files are sent to."""
    from tasks_app import studyfile  # noqa: PLC0415
    from tasks_app.channels.base import Arrival  # noqa: PLC0415
    from tasks_app.models import Rater  # noqa: PLC0415
    from tasks_app.services.arrival import enrolment  # noqa: PLC0415
    from tasks_app.services.study import lifecycle  # noqa: PLC0415
    from tasks_app.setup import changes, starting  # noqa: PLC0415

    starting.empty(owner=owner, names=starting.Names(EMPTY, EMPTY))
    changes.begin(studyfile.load(BASE_DIR / "examples" / "likert", owner=owner))
    studyfile.load(BASE_DIR / "examples" / "panas_groups", owner=owner)
    zipped = io.BytesIO(zip_of({"study.yaml": STUDY.encode(), "items.csv": TABLE.encode()}))
    opened = studyfile.load(zipped, owner=owner)
    lifecycle.move(study_id=opened.pk, action="open", by=owner)
    for pseudonym in RATERS:
        arrival = Arrival("prolific", pseudonym, f"visit of {pseudonym}")
        rater = enrolment.enrol(study_id=opened.pk, nonce=pseudonym, consent_text_id=None, arrival=arrival).rater
        Rater.objects.filter(pk=rater.pk).update(pseudonym=pseudonym)


@contextmanager
def _site() -> Iterator[tuple[int, psutil.Process]]:
    """Start a web server with two processes on this database, and stop it at the end."""
    from evalweb.local_services import processes  # noqa: PLC0415
    from evalweb.serve.address import held_port  # noqa: PLC0415
    from evalweb.serve.children import commands  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "web.log"
        with held_port("127.0.0.1", 20_000 + secrets.randbelow(20_000)) as held:
            port = int(held.getsockname()[1])
        environment = {"HOST": "127.0.0.1", "PORT": str(port), "ALLOWED_HOSTS": "127.0.0.1"}
        environment |= {"EVALWEB_WEB_PROCESSES": "2", "PYTHONPATH": str(BASE_DIR)}
        command = commands(Path(folder))["web"]
        web = processes.start(command, log=log, dies_with=signal.SIGTERM, env=os.environ | environment)
        try:
            processes.wait_until(lambda: _is_ready(port), web, name="web", log=log, seconds=300)
            yield port, psutil.Process(web.pid)
        finally:
            processes.stop(web, signal.SIGTERM)


def _is_ready(port: int) -> bool:
    with suppress(OSError):
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False


def _sender(port: int, cookie: str) -> Send:
    csrf = secrets.token_hex(16)
    headers = {"Cookie": f"sessionid={cookie}; csrftoken={csrf}"}

    def send(method: str, path: str, fields: Mapping[str, str], file: tuple[str, str, bytes] | None) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=600)
        try:
            if file is not None:
                body, kind = _multipart({**fields, "csrfmiddlewaretoken": csrf}, file)
                connection.request(method, path, body, headers | {"Content-Type": kind})
            elif method == "POST":
                body = urlencode({**fields, "csrfmiddlewaretoken": csrf}).encode()
                kind = "application/x-www-form-urlencoded"
                connection.request(method, path, body, headers | {"Content-Type": kind})
            else:
                connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("Location") or ""
        finally:
            connection.close()

    return send


def _multipart(fields: Mapping[str, str], file: tuple[str, str, bytes]) -> tuple[bytes, str]:
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    name, called, content = file
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{called}"\r\n\r\n'
    parts += [head.encode(), content, f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _memory(master: psutil.Process) -> dict[int, float]:
    """Return the MiB that are each web process's own, by pid; servers of readers are none of them."""
    return {
        process.pid: process.memory_full_info().uss / (1 << 20)
        for process in master.children()
        if "limited" not in " ".join(process.cmdline())
    }


class _Watch:
    """Asks for /healthz each second, as long as files are sent."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.n = self.failed = 0
        self.slowest = 0.0
        self._end = Event()
        self._thread = Thread(target=self._ask)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_given: object) -> None:
        self._end.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._end.wait(1):
            begun = time.monotonic()
            self.n += 1
            self.failed += not _is_ready(self.port)
            self.slowest = max(self.slowest, time.monotonic() - begun)
