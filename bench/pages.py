"""Every page of researchers at the size that design section 9 names: queries, CPU ms and kB, beside the limits.

There are 200 studies; one has 300,000 places of 100,000 outputs, 700 raters, a million ratings, and a run over them.
CPU is that of this process and of its PostgreSQL backend, least of several requests, after one that fills what a
process remembers; that first one is printed where it took long. The list of studies beside an empty one comes last.
"""

import gzip
import time
from typing import NamedTuple

import psutil
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from analytics_app import plan
from analytics_app.models import Plot
from analytics_app.runs import start
from bench import crowds
from bench.addresses import DRAFTS, FILES, PAGES, Address
from tasks_app.models import Rater, Study
from tasks_app.projects import work
from tasks_app.services.study import projects, tokens
from tasks_app.setup import changes
from tasks_app.setup.frozen import current_version, frozen_setup

STUDIES, ITEMS, SYSTEMS, K, CRITERIA, RATERS, BOOKLETS = 200, 20_000, 5, 3, 10, 700, 4_550
ROUNDS = 5
MOST_QUERIES, MOST_MS, MOST_KB = 15, 300, 150
# Most times that a list with studies may take as long as an empty one.
MOST_OF_EMPTY = 3
# Statements of transactions, which tests and services wrap around queries.
TRANSACTIONS = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT")


class Cost(NamedTuple):
    """The cost of a request: CPU ms of the web process and of the database, queries, and kB of the answer."""

    web: float
    database: float
    queries: int
    kilobytes: float

    @property
    def ms(self) -> float:
        """CPU ms of both."""
        return self.web + self.database


class Meter:
    """Asks for pages and measures their cost, on a connection without parallel workers, since their CPU would hide."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")
            cursor.execute("SELECT pg_backend_pid()")
            self.backend = psutil.Process(cursor.fetchone()[0])

    def _database_seconds(self) -> float:
        times = self.backend.cpu_times()
        return float(times.user + times.system)

    def once(self, client: Client, path: str) -> Cost:
        """Request a page once, and roll back its writes."""
        with transaction.atomic(), CaptureQueriesContext(connection) as captured:
            web, database = time.process_time(), self._database_seconds()
            answer = client.get(path, secure=True)
            length = len(gzip.compress(b"".join(answer) if answer.streaming else answer.content))
            web, database = time.process_time() - web, self._database_seconds() - database
            transaction.set_rollback(True)
        assert answer.status_code == 200, (path, answer.status_code)
        queries = sum(not query["sql"].startswith(TRANSACTIONS) for query in captured.captured_queries)
        return Cost(1000 * web, 1000 * database, queries, length / 1000)

    def least(self, client: Client, path: str, rounds: int = ROUNDS) -> tuple[Cost, Cost]:
        """Return the cost of the first request, and the least of several after it."""
        first = self.once(client, path)
        return first, min((self.once(client, path) for _round in range(rounds)), key=lambda cost: cost.ms)


def main() -> None:
    """Fill the database, ask for every page and print a line for each."""
    owner = User.objects.create_user("bench-owner", is_staff=True)
    stranger = User.objects.create_user("bench-stranger", is_staff=True)
    study = fill(owner)
    print(f"{STUDIES} studies stored, one with a million ratings and a run over them", flush=True)
    browser, stranger_browser = Client(), Client()
    browser.force_login(owner)
    stranger_browser.force_login(stranger)
    token = tokens.make(user=owner, name="bench", scopes=list(tokens.SCOPES), study=study, everywhere=True)
    script = Client(headers={"authorization": f"Bearer {token.secret}"})
    words, meter = words_of(study), Meter()
    print(f"{'':58} queries  CPU ms: web + database     kB")
    for address in PAGES:
        client = script if address.name.startswith("api") else browser
        print(line(address, *meter.least(client, address.path(words))), flush=True)
    for address in FILES:
        client = script if address.name.startswith("api") else browser
        print(f"{address!s:58} {meter.once(client, address.path(words)).queries:7}  (a file)", flush=True)
    draft = crowds.load_draft("draft", items=ITEMS, systems=SYSTEMS, k=K, criteria=CRITERIA, owner=owner)
    changes.begin(draft)
    for address in DRAFTS:
        print(line(address, *meter.least(browser, address.path({"DRAFT": draft.slug}))), flush=True)
    _first, full = meter.least(browser, "/admin/studies/", 4 * ROUNDS)
    _first, empty = meter.least(stranger_browser, "/admin/studies/", 4 * ROUNDS)
    ratio = full.ms / empty.ms
    print(f"the list of {STUDIES} studies beside an empty one: {ratio:.2f} (promised: at most {MOST_OF_EMPTY})")


def fill(owner: User) -> Study:
    """Store the studies, the large one last, and a run of the default analyses."""
    for number in range(STUDIES - 1):
        small = crowds.load(f"small-{number}", items=20, systems=2, k=2, criteria=2, owner=owner)
        crowds.fill(small, raters=3, booklets=3)
    study = crowds.load("large", items=ITEMS, systems=SYSTEMS, k=K, criteria=CRITERIA, owner=owner)
    crowds.fill(study, raters=RATERS, booklets=BOOKLETS)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    run = start.start(study=study, by=None, settings=plan.check({}, study), trigger="command")
    start.compute_here(run=run)
    assert run.state == "done", run.error
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return study


def words_of(study: Study) -> dict[str, str]:
    """Return the values of names in addresses."""
    run = study.runs.get()
    project = projects.put_into_new(study=study, name="Bench", by=None)
    frozen_setup(current_version(study))  # made when somebody first looks
    owner = User.objects.get(memberships__study=study, memberships__role="owner")
    opened = work.begin(project=project, action="open", studies=[study], by=None)
    return {
        "SLUG": study.slug,
        "PROJECT": project.slug,
        "WORK": str(opened.pk),
        "DELETED": str(crowds.delete_another(owner).number),
        "RUN": str(run.number),
        "PLOT": str(Plot.objects.filter(run=run, by_system=False).values_list("pk", flat=True)[0]),
        "RATER": str(Rater.objects.filter(study=study).order_by("id")[0]),
        "ITEM": str(study.items.earliest("pk").pk),
    }


def line(address: Address, first: Cost, cost: Cost) -> str:
    """Format the cost of a page as a line, with a mark if it is more than promised."""
    within_limits = cost.queries <= MOST_QUERIES and cost.ms <= MOST_MS and cost.kilobytes <= MOST_KB
    parts = f"{cost.ms:6.0f}: {cost.web:5.0f} + {cost.database:5.0f}"
    words = f"{address!s:58} {cost.queries:7}  {parts} {cost.kilobytes:9.0f}"
    slow = f"  the first time {first.ms:.0f} ms" if first.ms > MOST_MS else ""
    return f"{words}{slow}" + ("" if within_limits else f"  MORE THAN {MOST_QUERIES}, {MOST_MS} OR {MOST_KB}")
