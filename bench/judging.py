"""Judge and next page, beside a bare view that claims and inserts the same rows.

All are asked through Django's whole request handling in one process, in turn, so that the machine's noise meets all
alike. A *cycle* is the answer to one unit and the next unit: one POST that is answered with the next page, as scripts
send it, or one GET and one POST, as browsers without scripts and the bare view do. Printed are the ratios of the least
cycle times of several rounds (the promise: with scripts, at least 0.65 of the bare view's rate), and our rate with
1,000,000 stored ratings as a share of that with 1,000 (the promise: at least 0.9). Seconds of this process's CPU are
printed beside those that passed: other work on the machine disturbs them less.
"""

import statistics
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from django.db import connection
from django.test import Client
from django.urls import path as route

from bench import bare
from tasks_app import studyfile, urls
from tasks_app.management.simulated_raters import Visitor, hidden_fields
from tasks_app.management.transports import InProcess
from tasks_app.models import Rating, Study
from tasks_app.services.study import lifecycle
from tasks_app.task_types.base import Quality

CRITERIA = 10
ROUNDS = 7
CYCLES = 18

STUDY = """
evalweb: 1
study: {{slug: {slug}, title: Bench, public_title: Reading}}
flow: {{enrolments_per_address: 1000000, sets_per_rater: 1000}}
criteria:
{criteria}
tasks:
  - {{key: main, type: likert, criteria: [{keys}], k: {k}, set_size: 20, spacing: 5, params: {{show_source: false}}}}
"""


def load(slug: str, items: int, systems: int, k: int, n_criteria: int = CRITERIA) -> Study:
    """Load and open a study of `items` x `systems` units by its study file."""
    keys = [f"c{number}" for number in range(n_criteria)]
    criteria = "\n".join(f"  - {{key: {key}, name: {key}, question: How good}}" for key in keys)
    rows = [
        f"i{item},s{system},Output of system {system} for item {item} with some more words in it"
        for item in range(items)
        for system in range(systems)
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.yaml").write_text(STUDY.format(slug=slug, criteria=criteria, keys=", ".join(keys), k=k))
        (folder / "items.csv").write_text("\n".join(["item,system,output", *rows]))
        study = studyfile.load(folder, owner=None)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


FILL = """
WITH b AS (
    UPDATE tasks_app_booklet SET state = 'taken'
    WHERE task_id IN (SELECT id FROM tasks_app_task WHERE study_id = %(study)s) AND number <= %(booklets)s
    RETURNING id, task_id, number),
r AS (
    INSERT INTO tasks_app_rater (study_id, pseudonym, kind, seed, token_hash, version, language, state, outcome,
        completion_code, prefs, channel, link_number)
    SELECT %(study)s, 'filled-' || number, 'simulated', number, 'filled-' || %(study)s || '-' || number, 1, 'en',
        'ended', 'completed', 'X', '{}', 'link', 0 FROM b RETURNING id, seed),
s AS (
    INSERT INTO tasks_app_raterset (rater_id, task_id, booklet_id, number, version, state, wave)
    SELECT r.id, b.task_id, b.id, 1, 1, 'finished', 1 FROM r JOIN b ON b.number = r.seed
    RETURNING id, rater_id, booklet_id)
INSERT INTO tasks_app_assignment (rater_id, rater_kind, set_id, unit_id, purpose, place_id, "order", arrangement, wave,
    version, state)
SELECT s.rater_id, 'simulated', s.id, p.unit_id, 'main', p.id, p."order", p.arrangement, 1, 1, 'submitted'
FROM s JOIN tasks_app_place p ON p.booklet_id = s.booklet_id
"""

ANSWER = """
WITH j AS (
    INSERT INTO tasks_app_judgment (assignment_id, submission, answer, skip_reason, comment, log, version)
    SELECT a.id, gen_random_uuid(), '{}', '', '', '[]', 1
    FROM tasks_app_assignment a JOIN tasks_app_rater r ON r.id = a.rater_id
    WHERE r.study_id = %(study)s RETURNING id, assignment_id)
INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, criterion_id, number, value)
SELECT j.id, u.task_id, a.rater_id, a.unit_id, p.id, c.id, 1, 1 + (j.id + c.id) %% 5
FROM j JOIN tasks_app_assignment a ON a.id = j.assignment_id JOIN tasks_app_unit u ON u.id = a.unit_id
JOIN tasks_app_part p ON p.unit_id = u.id
JOIN tasks_app_criterion c ON c.study_id = %(study)s
"""


def fill(study: Study, ratings: int) -> None:
    """Store so many ratings as 20-unit sets of simulated raters, in two statements."""
    booklets = ratings // CRITERIA // 20
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"study": study.pk, "booklets": booklets})
        cursor.execute(ANSWER, {"study": study.pk})
        cursor.execute("ANALYZE")
    stored = Rating.objects.filter(rater__study=study).count()
    assert stored == ratings, f"{stored} ratings were stored instead of {ratings}"


# What a page's script adds to an answer.
BY_SCRIPT = {"prefer": "return=representation"}


@dataclass(frozen=True, slots=True)
class Cycle:
    """The seconds of a cycle, without those of reading its page: passed, and of CPU."""

    passed: float
    cpu: float


def ours(study: Study, seed: int) -> Callable[[], Cycle]:
    """Return one cycle of a new rater on our pages, with scripts."""
    rater = _Rater(study, seed, "/r/{token}/judge/", "answer", OUR_ANSWERS)
    rater.get()
    return rater.post_for_the_next_page


def ours_without_scripts(study: Study, seed: int) -> Callable[[], Cycle]:
    """Return one cycle of a new rater on our pages, without scripts."""
    return _Rater(study, seed, "/r/{token}/judge/", "answer", OUR_ANSWERS).get_and_post


def theirs(study: Study, seed: int) -> Callable[[], Cycle]:
    """Return one cycle of a new rater on the bare view."""
    answers = {f"c{number}": "4" for number in range(CRITERIA)}
    return _Rater(study, seed, "/bare/{token}/", None, answers).get_and_post


OUR_ANSWERS = {**{f"p1-c{number}": "4" for number in range(CRITERIA)}, "seconds_active": "4.2"}


class _Rater:
    """A rater with the page that they were sent last."""

    def __init__(self, study: Study, seed: int, address: str, form_id: str | None, answers: dict[str, str]) -> None:
        visitor = Visitor(study, InProcess(), Quality.CAREFUL, Random(seed))
        assert visitor.arrive(), "the study is full"
        self.path, self.form_id, self.answers = address.format(token=visitor.token), form_id, answers
        self.client, self.page = Client(), ""

    def get(self) -> Cycle:
        """Get the next unit."""
        response, cycle = _timed(lambda: self.client.get(self.path, secure=True))
        self.page = response.content.decode()
        return cycle

    def get_and_post(self) -> Cycle:
        """Get a unit and post its answer."""
        got, data = self.get(), self._filled_in()
        answer, posted = _timed(lambda: self.client.post(self.path, data, secure=True))
        assert answer.status_code == 302, answer.content
        return Cycle(got.passed + posted.passed, got.cpu + posted.cpu)

    def post_for_the_next_page(self) -> Cycle:
        """Post the answer to the unit that came last, and receive the next one."""
        data = self._filled_in()
        answer, cycle = _timed(lambda: self.client.post(self.path, data, secure=True, headers=BY_SCRIPT))
        assert answer.status_code == 200, answer.content
        self.page = answer.content.decode()
        return cycle

    def _filled_in(self) -> dict[str, str]:
        return {"submission": str(uuid.uuid4()), **hidden_fields(self.page, self.form_id), **self.answers}


def _timed(request: Callable[[], Any]) -> tuple[Any, Cycle]:
    began, cpu = time.perf_counter(), time.process_time()
    response = request()
    return response, Cycle(time.perf_counter() - began, time.process_time() - cpu)


def medians(cycle: Callable[[], Cycle]) -> Cycle:
    """Return the median times of a cycle in one round, after one that is not counted."""
    cycle()
    cycles = [cycle() for _cycle in range(CYCLES)]
    return Cycle(statistics.median(c.passed for c in cycles), statistics.median(c.cpu for c in cycles))


def main() -> None:
    """Measure at 1,000 and at 1,000,000 ratings, in turn, and print the ratios."""
    urls.urlpatterns.append(route("bare/<secret:token>/", bare.judge))
    small = load("small", items=20, systems=5, k=30)
    fill(small, 1_000)
    print("1,000 ratings, 100 units: stored", flush=True)
    large = load("large", items=4_000, systems=5, k=6)
    fill(large, 1_000_000)
    print("1,000,000 ratings, 20,000 units: stored", flush=True)
    kinds = {"ours": ours, "without scripts": ours_without_scripts, "bare": theirs}
    studies = {"1,000": small, "1,000,000": large}
    least: dict[tuple[str, str], Cycle] = {}
    for number in range(ROUNDS):
        for i, (kind, size) in enumerate(product(kinds, studies)):
            cycle = medians(kinds[kind](studies[size], 10 * number + i))
            known = least.get((kind, size), cycle)
            least[kind, size] = Cycle(min(cycle.passed, known.passed), min(cycle.cpu, known.cpu))
    for (kind, size), cycle in least.items():
        times = f"{1000 * cycle.passed:7.2f} ms a cycle, {1000 * cycle.cpu:6.2f} of CPU"
        print(f"{kind:>15}, {size:>9} ratings: {times}, {1 / cycle.passed:6.1f} cycles a second")
    for size, (kind, promise) in product(
        studies, {"ours": " (promised: at least 0.65)", "without scripts": ""}.items()
    ):
        own, bare_view = least[kind, size], least["bare", size]
        ratios = f"{bare_view.passed / own.passed:.2f}{promise}, of CPU {bare_view.cpu / own.cpu:.2f}"
        print(f"{kind}, rate beside the bare view's, {size} ratings: {ratios}")
    growth = least["ours", "1,000"].passed / least["ours", "1,000,000"].passed
    print(f"our rate with 1,000,000 ratings beside 1,000: {growth:.2f} (promised: at least 0.90)")
