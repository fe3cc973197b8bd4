"""manage.py analyse: results without a worker and without a broker."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from analytics_app.models import Run
from analytics_app.results import COLUMNS
from analytics_app.runs import compute, notify, start
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.runs.conftest import changed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    def ring(*_ids: Any, **_how: Any) -> int:
        pytest.fail("The command asked for the broker.")

    monkeypatch.setattr(notify, "notify_workers", ring)


def analyse(*arguments: str) -> tuple[str, str]:
    """Run the command; returns what it wrote on standard output and standard error."""
    out, errors = StringIO(), StringIO()
    call_command("analyse", *arguments, stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def test_the_document_of_a_closed_study(
    rated: Study, rosa: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with changed(notify, "notify_workers", lambda ids, **_how: len(ids)):
        lifecycle.move(study_id=rated.pk, action="close", by=rosa)
    target = tmp_path / "results.json"
    said, errors = analyse(rated.slug, "--json", str(target))
    document = json.loads(target.read_text())
    run = Run.objects.get()  # the closing run, which nobody had worked on yet
    assert said == f"Wrote {len(document['rows'])} rows of run 1 to {target}.\n"
    assert errors == ""
    assert (document["evalweb"], document["study"], document["version"]) == (1, rated.slug, 1)
    assert document["run"]["number"] == 1
    assert (document["run"]["planned"], document["run"]["state"]) == (True, "done")
    assert (document["run"]["n_seen"], document["run"]["digest"]) == (32, run.digest)
    assert document["run"]["facts"]["tasks"]["main"]["ratings"] == 32
    assert all(tuple(row) == COLUMNS for row in document["rows"])
    assert {row["planned"] for row in document["rows"]} == {True}
    # Eight texts with the values 1 to 5, 1, 2, 3 from each of two raters: equal for both, so alpha is 1.
    alpha = [one for one in document["rows"] if (one["statistic"], one["criterion"]) == ("alpha", "fluency")]
    assert [one["value"] for one in alpha] == [1.0]
    assert {"alpha-mt", "beta-mt"} <= {row["system"] for row in document["rows"]}


def test_an_open_study_keeps_its_systems_hidden_here_too(rated: Study) -> None:
    said, errors = analyse(rated.slug)
    document = json.loads(said)
    assert document["rows"]
    assert {row["system"] for row in document["rows"]} == {None}
    assert "alpha-mt" not in said
    assert errors == "The study is not closed: results by system are left out until it is.\n"
    assert Run.objects.get().rows.filter(by_system=True).exists()


@pytest.mark.usefixtures("stand_in")
def test_the_same_again_computes_nothing(rated: Study) -> None:
    first, _errors = analyse(rated.slug)
    with changed(compute, "compute", None):
        again, _errors = analyse(rated.slug)
    assert first == again


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("text", ["ddof: 0\nn_resamples: 200\n", '{"ddof": 0, "n_resamples": 200}'])
def test_settings_from_a_file(rated: Study, tmp_path: Path, text: str) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    document = json.loads(analyse(rated.slug, "--plan", str(plan))[0])
    assert (document["run"]["settings"]["ddof"], document["run"]["settings"]["n_resamples"]) == (0, 200)
    assert document["run"]["settings"]["correction"] == "holm"
    assert document["run"]["planned"] is False


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("ddof: 3\nnonsense: 1\n", ["ddof: ", "nonsense: unknown setting"]),
        ("rules:\n  - rule: iqrr\n", ["rules[0].rule: There is no “iqrr”"]),
        ("a: [1\n", ["is neither YAML nor JSON"]),
        ("- 1\n", ["must say what to analyse"]),
    ],
)
def test_every_problem_of_a_plan_is_a_line(rated: Study, tmp_path: Path, text: str, problems: list[str]) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    with pytest.raises(CommandError) as refusal:
        analyse(rated.slug, "--plan", str(plan))
    for problem in problems:
        assert any(line.startswith(str(plan)) and problem in line for line in str(refusal.value).splitlines())
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hiden-slug"], "There is no study 'hiden-slug'. Did you mean 'hidden-slug'?"),
        (["hidden-slug", "--json", "/nowhere/at/all.json"], "/nowhere/at/all.json cannot be written"),
        (["hidden-slug", "--plan", "/nowhere/at/all.yaml"], "/nowhere/at/all.yaml cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_computed(
    rated: Study, arguments: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        analyse(*arguments)
    assert str(refusal.value).startswith(sentence)
    assert not Run.objects.exists()


def test_a_run_that_fails_is_said(rated: Study, stand_in: Any) -> None:
    def fails(_part: object) -> None:
        raise ValueError("The level is unknown.")

    stand_in(fails)
    with pytest.raises(
        CommandError, match=r"Run 1 of hidden-slug is failed\. quality rules of the task “Likert scale”: .*unknown"
    ):
        analyse(rated.slug)


@pytest.mark.usefixtures("stand_in")
def test_waiting_leaves_the_work_to_workers(rated: Study) -> None:
    """A worker comes while the command waits; before, it says that there is none."""

    def worker_comes() -> None:
        start.compute_here(run=Run.objects.get())

    with changed(start, "wait_for_others", worker_comes):
        said, errors = analyse(rated.slug, "--wait")
    assert json.loads(said)["run"]["state"] == "done"
    command = "EVALWEB_STATEMENT_SECONDS=900 python -m celery -A evalweb worker"
    assert f"No worker answers. `make run` starts one, or: {command}" in errors
