"""Two machines of one site (tests/evalweb/machines.py): what one stores the other has, and either may be killed."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from pytest_django import DjangoDbBlocker

from bench.raters import Log, crowd, form_of
from evalweb.local_services.folder import BASE_DIR
from tests.about import AS_IT_IS
from tests.evalweb.machines import PASSWORD, Browser, Machine, Site, two_machines
from tests.media import png

pytestmark = [pytest.mark.whole, pytest.mark.exhaustive]

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
UNDER_WAY = "SELECT 1 FROM analytics_app_run WHERE state IN ('queued', 'running')"
# A minute in which the worker gave no sign of life.
A_MINUTE_LATER = """
UPDATE analytics_app_runpart
   SET heartbeat = heartbeat - interval '61 seconds', rung_at = rung_at - interval '61 seconds'
 WHERE run_id = %s AND state IN ('queued', 'running')
"""


@pytest.fixture(scope="module")
def site(django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    with two_machines(django_db_blocker) as machines:
        yield machines


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
    # Runs that beat starts for open studies must not be held in place of this one.
    site.south.run("manage.py", "move_study", SLUG, "pause")
    site.until("no run is under way", lambda: not site.rows(UNDER_WAY))
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
