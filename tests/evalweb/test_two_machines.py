"""Two machines with a web server and a worker each, one database, one broker and one data folder.

Each machine is a copy of the code in a folder of its own, with static files of its own. `PGAPPNAME` tells which machine
a connection of the database belongs to. A trigger holds what is about to be stored, so that a machine is killed at the
most dangerous moment and not at one that depends on the speed of the tests.
"""

import asyncio
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import psycopg2
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from pytest_django import DjangoDbBlocker

from bench.raters import Log, crowd, form_of
from evalweb.local_services import processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.address import base_url, held_port
from evalweb.serve.children import WORKER_ENVIRONMENT, commands
from tests.about import AS_IT_IS
from tests.media import png
from tests.servers import first_port, migrated_template, new_database, running_valkey, temporary_folder

pytestmark = [pytest.mark.whole, pytest.mark.exhaustive]

CODE = ("analytics_app", "docs", "evalweb", "examples", "locale", "manage.py", "static", "tasks_app", "templates")
PASSWORD = "a password for tests"
SLUG = "two-machines"
STUDY = f"""
evalweb: 1
study: {{slug: {SLUG}, title: Two machines, public_title: Reading}}
flow: {{enrolments_per_address: 10000}}
criteria:
  - {{key: fluency, name: Fluency, question: How fluent is it}}
  - {{key: content, name: Content, question: Does it say the same}}
tasks:
  - {{key: main, type: likert, criteria: [fluency, content], k: 30, set_size: 8, spacing: 1}}
"""
RATERS, FIRST, ALL = 12, 30, 80
RATINGS = "worker,segment,mt,aspect,score\nW1,i1,alpha,style,4\nW2,i1,beta,Fluency,5\n"

# Whatever is about to be stored waits for a lock that the test holds: answers of raters, results of a run.
HOLDING = """
CREATE FUNCTION wait_to_be_let_go() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
CREATE TRIGGER held BEFORE INSERT ON tasks_app_judgment FOR EACH STATEMENT EXECUTE FUNCTION wait_to_be_let_go();
CREATE TRIGGER held BEFORE INSERT ON analytics_app_resultrow FOR EACH STATEMENT EXECUTE FUNCTION wait_to_be_let_go()
"""
HELD = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND NOT granted
"""
SUBMISSIONS = """
SELECT j.submission::text FROM tasks_app_judgment j JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_rater r ON r.id = a.rater_id JOIN tasks_app_study s ON s.id = r.study_id WHERE s.slug = %s
"""
GUARANTEES = """
from tasks_app.models import Study
from tests.invariants import check
check(Study.objects.get(slug="{}"))
"""
START = f"""
from analytics_app.runs import start
from tasks_app.models import Study
analyses = [{{"analysis": "systems"}}, {{"analysis": "raters"}}]
settings = {{"n_resamples": 100, "n_permutations": 99, "analyses": analyses}}
print(start.start(study=Study.objects.get(slug="{SLUG}"), by=None, settings=settings).pk)
"""
# A minute in which the worker gave no sign of life.
A_MINUTE_LATER = """
UPDATE analytics_app_runpart
   SET heartbeat = heartbeat - interval '61 seconds', rung_at = rung_at - interval '61 seconds'
 WHERE run_id = %s AND state IN ('queued', 'running')
"""


@dataclass
class Machine:
    """A copy of the code, and the processes that run it."""

    folder: Path
    url: str
    environment: dict[str, str]
    running: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    def run(self, *arguments: str) -> str:
        """Run Python on the machine and return what it printed."""
        command = [sys.executable, *arguments]
        answer = subprocess.run(
            command, check=False, cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    def python(self, program: str) -> str:
        """Run a program with Django set up, and return what it printed."""
        return self.run("manage.py", "shell", "--no-imports", "--command", program).strip()

    def start(self, name: str) -> None:
        """Start the web server, the worker or the scheduler."""
        own = WORKER_ENVIRONMENT if name == "worker" else {}
        self.running[name] = processes.start(
            commands(self.folder / "beat-schedule")[name],
            log=self.folder / f"{name}.log",
            dies_with=signal.SIGTERM,
            env=self.environment | own,
            cwd=self.folder,
        )

    def kill(self, name: str) -> None:
        """Kill a process and those that it forked, all at once, as a machine without power would."""
        process = self.running.pop(name)
        processes.send(processes.group_of(process.pid), signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End what runs."""
        for process in self.running.values():
            processes.stop(process, signal.SIGTERM)
        self.running.clear()

    def is_ready(self) -> bool:
        """Return whether the web server answers."""
        with suppress(OSError), urlopen(f"{self.url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
        return False


@dataclass
class Site:
    """Both machines, and what they share."""

    north: Machine
    south: Machine
    shared: Path
    connection: Any

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql, params)
            return list(cursor.fetchall()) if cursor.description else []

    def until(self, what: str, condition: Callable[[], Any]) -> None:
        """Wait until something is so."""
        deadline = monotonic() + 240
        while not condition():
            if monotonic() > deadline:
                logs = "\n".join(
                    f"{log}:\n{processes.tail(log, 20)}"
                    for machine in (self.north, self.south)
                    for log in machine.folder.glob("*.log")
                )
                raise AssertionError(f"Not so: {what}\n{logs}")
            Event().wait(0.1)

    def hold(self) -> None:
        """Hold whatever is about to be stored."""
        self.rows("SELECT pg_advisory_lock(1)")

    def let_go(self) -> None:
        """Let it be stored."""
        self.rows("SELECT pg_advisory_unlock(1)")

    def held(self) -> Counter[str]:
        """Return how many connections of each machine are held."""
        return Counter(name for (name,) in self.rows(HELD))


@pytest.fixture(scope="module")
def site(django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        valkey = stack.enter_context(running_valkey(folder))
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        database = new_database(f"machines_{worker}", migrated_template(django_db_blocker))
        shared = folder / "shared"
        common = {name: value for name, value in os.environ.items() if not name.startswith(("EVALWEB_", "PYTEST"))} | {
            "DJANGO_SETTINGS_MODULE": "evalweb.settings",
            "SECRET_KEY": secrets.token_hex(32),
            "ALLOWED_HOSTS": "127.0.0.1",
            "DATABASE_URL": database,
            "REDIS_URL": valkey.url(),
            "HOST": "127.0.0.1",
            "EVALWEB_VAR": str(shared),
            "EVALWEB_WEB_PROCESSES": "1",
            "EVALWEB_WORKER_PROCESSES": "1",
            "EVALWEB_RESEARCHER_PASSWORD": PASSWORD,
        }
        connection = psycopg2.connect(database)
        connection.autocommit = True
        stack.callback(connection.close)
        with ExitStack() as ports:
            held = [ports.enter_context(held_port("127.0.0.1", first_port() + 8)) for _machine in range(2)]
            numbers = [int(one.getsockname()[1]) for one in held]
        north, south = (
            _machine(folder / name, number, common) for name, number in zip(("north", "south"), numbers, strict=True)
        )
        found = Site(north, south, shared, connection)
        for machine in (north, south):
            machine.run("-m", "evalweb.prepare", "--static")
            stack.callback(machine.stop)
            machine.start("web")
            machine.start("worker")
        north.start("scheduler")
        found.rows(HOLDING)
        for machine in (north, south):
            found.until("the web server answers", machine.is_ready)
        yield found


def _machine(folder: Path, port: int, common: dict[str, str]) -> Machine:
    folder.mkdir()
    for name in CODE:
        source = BASE_DIR / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)
    own = {"PORT": str(port), "PGAPPNAME": folder.name, "EVALWEB_STATIC": str(folder / "collected")}
    return Machine(folder, base_url("127.0.0.1", port), common | own)


def opened(site: Site, machine: Machine, slug: str, study: str, items: str, files: dict[str, bytes]) -> str:
    """Load and open a study on a machine, and return the path of its link."""
    folder = site.shared.with_name(f"study-{slug}")
    folder.mkdir()
    (folder / "study.yaml").write_text(study)
    (folder / "items.csv").write_text(items)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    machine.run("manage.py", "load_study", str(folder), "--owner", "researcher")
    return machine.run("manage.py", "move_study", slug, "open", *AS_IT_IS).strip()


def test_raters_and_runs_go_on_while_a_web_server_and_a_worker_are_killed(site: Site) -> None:
    items = ["item,system,output", *(f"i{item},s{system},Text {item}" for item in range(8) for system in range(2))]
    join = opened(site, site.north, SLUG, STUDY, "\n".join(items), {})
    log = Log()
    work = crowd(
        [site.north.url, site.south.url], join, raters=RATERS, over=lambda log: len(log.acknowledged) >= ALL, log=log
    )
    raters = Thread(target=asyncio.run, args=(work,))
    raters.start()
    try:
        site.until("raters have begun", lambda: len(log.acknowledged) >= FIRST)
        site.hold()
        site.until("answers on both machines are about to be stored", lambda: {*site.held()} == {"north", "south"})
        before = len(log.acknowledged)
        site.north.kill("web")
    finally:
        site.let_go()
        raters.join()
    assert not log.errors
    assert log.sent_again, "no rater was cut off"
    assert len(log.acknowledged) >= ALL > before
    assert sorted(log.acknowledged) == sorted(submission for (submission,) in site.rows(SUBMISSIONS, SLUG))
    subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "--command", GUARANTEES.format(SLUG)],
        cwd=BASE_DIR,
        env=site.south.environment,
        check=True,
    )
    site.hold()
    try:
        run = int(site.south.python(START))
        site.until("results are about to be stored", site.held)
        # Both workers may have a part of it by now.
        {"north": site.north, "south": site.south}[min(site.held())].kill("worker")
    finally:
        site.let_go()
    site.rows(A_MINUTE_LATER, run)
    state = "SELECT state, error FROM analytics_app_run WHERE id = %s"
    site.until("the run has ended", lambda: site.rows(state, run)[0][0] not in {"queued", "running"})
    assert site.rows(state, run) == [("done", "")]
    parts = site.rows("SELECT state, attempt FROM analytics_app_runpart WHERE run_id = %s", run)
    assert {state for state, _attempt in parts} == {"done"}
    assert max(attempt for _state, attempt in parts) == 2, "the other machine took a part over"


def test_what_one_machine_stores_the_other_one_has(site: Site) -> None:
    """Sign-in, an upload kept for the next page, pictures, names of static files, keys that sign archives."""
    for machine in (site.north, site.south):
        if "web" not in machine.running:
            machine.start("web")
            site.until("the web server answers", machine.is_ready)
        assert str(machine.folder) in machine.run("-c", "import evalweb; print(evalweb.__file__)"), "not its own code"
    assert site.north.run("-m", "evalweb.machine") == site.south.run("-m", "evalweb.machine")
    study = STUDY.replace(SLUG, "pictures").replace("Two machines", "Pictures")
    picture = png(40, 30)
    items = "item,system,output,context_image\ni1,s1,Text,house.png\ni2,s1,Text,house.png"
    join = opened(
        site, site.north, "pictures", study.replace("set_size: 8", "set_size: 1"), items, {"house.png": picture}
    )

    rater = Browser()
    page = rater.send(site.north, rater.get(site.north, join), join)
    instructions = page.address
    page = rater.send(site.south, page, instructions)
    (media,) = re.findall(r'src="(/r/[^"]+/media/[^"]+)"', page.text)[:1]
    assert rater.get(site.south, media).content == picture
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    assert len(files) > 3
    for file in files:
        assert rater.get(site.north, file).content == rater.get(site.south, file).content, file

    researcher = Browser()
    login = "/admin/login/"
    researcher.send(site.north, researcher.get(site.north, login), login, username="researcher", password=PASSWORD)
    address = "/admin/studies/pictures/import/"
    form = form_of(researcher.get(site.south, address).text)
    assert form is not None
    upload = SimpleUploadedFile("theirs.csv", RATINGS.encode())
    body = encode_multipart(BOUNDARY, {**form.hidden, "action": "upload", "file": upload})
    kept = researcher.ask(site.south, address, body, MULTIPART_CONTENT)
    assert "file=" in kept.address
    assert "W1" in researcher.get(site.north, kept.address).text

    keys = "/archive-keys/keys.json"
    before = rater.get(site.south, keys).text
    assert rater.get(site.north, keys).text == before
    site.north.run("-m", "evalweb.signing", "rotate")
    after = rater.get(site.south, keys).text
    assert after.count("fingerprint") == before.count("fingerprint") + 1
    assert rater.get(site.north, keys).text == after


@dataclass(frozen=True)
class Page:
    """A page, and the path at which it ended up."""

    address: str
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


class Browser:
    """Cookies, and pages of either machine; redirects are followed on the machine that was asked."""

    def __init__(self) -> None:
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def get(self, machine: Machine, path: str) -> Page:
        return self.ask(machine, path, None)

    def send(self, machine: Machine, page: Page, path: str, **fields: str) -> Page:
        """Send the form of a page, perhaps to the machine that did not make it."""
        form = form_of(page.text)
        assert form is not None
        return self.ask(machine, path, urlencode({**form.hidden, **fields}).encode())

    def ask(
        self, machine: Machine, path: str, body: bytes | None, kind: str = "application/x-www-form-urlencoded"
    ) -> Page:
        headers = {"Content-Type": kind} if body is not None else {}
        with self.opener.open(Request(urljoin(machine.url, path), body, headers), timeout=60) as answer:
            return Page(answer.url.removeprefix(machine.url), answer.read())
