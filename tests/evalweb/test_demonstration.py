"""The demonstration studies: loaded behind the site, finished after an interruption, and never in anybody's way."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from threading import Event

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from evalweb import elapsed
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.demonstration import Demonstration
from tasks_app import studyfile
from tasks_app.management.commands import demo, simulate_raters
from tasks_app.management.demonstration import PLANTED, Planted
from tasks_app.models import Rater, Study
from tasks_app.selectors import demonstration


@pytest.fixture
def examples(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone that has two examples, each for two raters."""
    monkeypatch.setattr(demo, "RATERS", 2)
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.BASE_DIR = tmp_path
    for name in ("labels", "triangle"):
        shutil.copytree(BASE_DIR / "examples" / name, tmp_path / "examples" / name)
    return tmp_path / "examples"


def run(**options: str) -> tuple[list[str], str]:
    """Run the command as rosa; return its lines, and what it complains of."""
    out, err = StringIO(), StringIO()
    try:
        call_command("demo", owner="rosa", base_url="http://x", stdout=out, stderr=err, **options)
    except CommandError as problem:
        err.write(str(problem))
    return out.getvalue().splitlines(), err.getvalue()


def simulated(slug: str) -> int:
    return Rater.objects.filter(study__slug=slug, kind="simulated").count()


@pytest.mark.django_db
def test_what_was_interrupted_is_finished_at_the_next_start(
    rosa: User, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(command: str, slug: str, **options: object) -> None:
        call_command(command, slug, **{**options, "raters": 1})
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(demo, "call_command", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run()
    study = Study.objects.get()
    assert (study.slug, study.state, simulated(study.slug)) == ("example-labels", "open", 1)
    lines, complaints = run()
    assert [line.partition("\t")[2].startswith("http://x/join/") for line in lines] == [True, True]
    assert not complaints
    assert simulated("example-labels") == simulated("example-triangle") == demo.RATERS
    before = Rater.objects.count()
    assert run()[0] == lines
    assert Rater.objects.count() == before


@pytest.mark.django_db
def test_an_interruption_between_loading_and_opening_leaves_no_draft(
    rosa: User, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(**_move: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(demo.lifecycle, "move", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run()
    assert not Study.objects.exists()
    assert len(run()[0]) == 2


@pytest.mark.django_db
def test_one_broken_example_keeps_no_other_back(rosa: User, examples: Path) -> None:
    (examples / "labels" / "items.csv").write_text("item\n")
    lines, complaints = run()
    assert len(lines) == 1
    assert simulated("example-triangle") == demo.RATERS
    assert "labels was left out: items.csv" in complaints
    assert complaints.endswith("1 of 2 example studies could not be loaded.")


@pytest.mark.django_db
def test_a_study_that_somebody_made_of_an_example_is_left_as_it_is(rosa: User, examples: Path) -> None:
    studyfile.load(examples / "labels", owner=rosa)
    assert len(run()[0]) == 2
    assert Study.objects.get(slug="example-labels").state == "draft"
    assert simulated("example-labels") == 0


@pytest.mark.django_db
def test_some_are_closed_and_say_what_their_raters_were_to_find(
    rosa: User, examples: Path, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    planted = Planted(2, "one system is better than the others", {"rewriter": {"": 0.9}})
    for module in (demo, simulate_raters):
        monkeypatch.setattr(module, "PLANTED", {"example-labels": planted})
    lines, complaints = run()
    assert not complaints
    assert lines[0].partition("\t")[2] == "http://x/admin/studies/example-labels/results/"
    study = Study.objects.get(slug="example-labels")
    assert study.state == "closed"
    assert demonstration.planted_in(study) == planted.finding
    assert demonstration.planted_in(Study.objects.get(slug="example-triangle")) == ""
    assert study.runs.filter(trigger="closing").exists()
    client.force_login(rosa)
    assert "/admin/studies/example-labels/results/" in client.get("/admin/studies/welcome/").content.decode()


def test_what_is_planted_is_about_systems_and_criteria_that_the_examples_have() -> None:
    assert len(PLANTED) == 5
    for slug, planted in PLANTED.items():
        folder = BASE_DIR / "examples" / slug.removeprefix("example-").replace("-", "_")
        document = studyfile.read(folder).document
        assert set(planted.systems) <= {system["key"] for system in document["systems"]}, slug
        named = {criterion for levels in planted.systems.values() for criterion in levels}
        assert named - {""} <= {criterion["key"] for criterion in document.get("criteria", [])}, slug


# Behind the site ------------------------------------------------------------------------------------------


def shown(tmp_path: Path, program: str, until: Callable[[list[str]], bool]) -> tuple[Demonstration, list[str]]:
    """Run a program in the place of the command; wait until what is shown suffices."""
    lines: list[str] = []
    enough = Event()

    def show(line: str) -> None:
        lines.append(line)
        if until(lines):
            enough.set()

    found = Demonstration([sys.executable, "-uc", program], log=tmp_path / "log", environment=os.environ, show=show)
    found.launch()
    assert enough.wait(60), lines
    return found, lines


def test_each_study_has_a_line_as_soon_as_it_is_ready(tmp_path: Path) -> None:
    program = "import sys; print('Labels\\thttp://x/1'); print('Triangle\\thttp://x/2')"
    _found, lines = shown(tmp_path, program, lambda lines: "ready." in lines[-1])
    assert [line.split() for line in lines[1:3]] == [["Labels", "http://x/1"], ["Triangle", "http://x/2"]]
    assert lines[-1] == "All 2 demonstration studies are ready."


def test_a_failure_is_said_and_ends_nothing_else(tmp_path: Path) -> None:
    program = "import sys; print('Labels\\thttp://x/1'); sys.exit('no room on the disk')"
    _found, lines = shown(tmp_path, program, lambda lines: "next start" in lines[-1])
    assert lines[-1].startswith("1 demonstration studies are ready, the others are not. no room on the disk\n")
    assert "The site runs without the rest" in lines[-1]


def test_stopping_ends_it_at_once_and_says_nothing(tmp_path: Path) -> None:
    program = "import signal; print('Labels\\thttp://x/1'); signal.pause()"
    found, lines = shown(tmp_path, program, lambda lines: len(lines) == 2)
    found.stop()
    assert found.process is not None
    assert found.process.returncode is not None
    assert len(lines) == 2


# Signs of life -------------------------------------------------------------------------------------------


def test_a_long_step_says_how_long_it_takes_and_a_short_one_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    enough = Event()

    def say(line: str) -> None:
        said.append(line)
        if len(said) == 3:
            enough.set()

    with elapsed.elapsed_shown(said.append):
        pass
    assert said == []
    monkeypatch.setattr(elapsed, "FIRST_SECONDS", 0)
    monkeypatch.setattr(elapsed, "EVERY_SECONDS", 0)
    with elapsed.elapsed_shown(say):
        assert enough.wait(60)
    assert said[:3] == ["  … 0 s"] * 3


@pytest.mark.parametrize(("given", "flag"), [([], None), (["DEMO=no"], "0")])
def test_make_run_leaves_the_demonstration_out_where_asked(given: list[str], flag: str | None) -> None:
    asked = ["make", "--no-print-directory", "run", "PYTHON=true", "PY=env", *given]
    text = (BASE_DIR / "Makefile").read_text().replace("@$(PY) -m evalweb.serve", "@env")
    plain = {name: value for name, value in os.environ.items() if name != "EVALWEB_DEMO"}
    answer = subprocess.run(
        [*asked, "--file=-"], input=text, capture_output=True, text=True, check=True, cwd=BASE_DIR, env=plain
    )
    variables = dict(line.split("=", 1) for line in answer.stdout.splitlines() if "=" in line)
    assert variables.get("EVALWEB_DEMO") == flag
