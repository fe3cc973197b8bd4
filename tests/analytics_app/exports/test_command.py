"""manage.py export, and the page that says what the columns hold."""

import csv
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from analytics_app.exports import columns, ratings, results
from analytics_app.exports.reference import PER, columns_of, reference
from tasks_app.models import Rating, Study
from tasks_app.task_types import registry
from tests.analytics_app.builders import likert_rows
from tests.analytics_app.exports.conftest import stored_run
from tests.shipped import only_shipped


def export(*arguments: str) -> str:
    """Run the command and return what it said."""
    said = StringIO()
    call_command("export", *arguments, stdout=said, stderr=said)
    return said.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_ratings_are_written_to_a_file(rated: Study, tmp_path: Path, format: str) -> None:
    target = tmp_path / f"ratings.{format}"
    assert "Wrote" in export(rated.slug, "--format", format, "--output", str(target), "--task", "main")
    assert target.read_bytes() == b"".join(ratings.stream(rated, format=format))
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.django_db
def test_without_a_file_ratings_go_to_standard_output(rated: Study, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    call_command("export", rated.slug)
    assert capfdbinary.readouterr().out == b"".join(ratings.stream(rated, format="csv"))


@pytest.mark.django_db
@pytest.mark.parametrize("format", ["csv", "json"])
def test_results_are_written_of_a_run(rated: Study, tmp_path: Path, format: str) -> None:
    first, second = stored_run(rated, likert_rows()), stored_run(rated, likert_rows()[:3])
    target = tmp_path / "results"
    export(rated.slug, "--results", "--format", format, "--output", str(target))
    assert target.read_bytes() == b"".join(results.stream(second, format=format))
    export(rated.slug, "--results", str(first.number), "--format", format, "--output", str(target))
    assert target.read_bytes() == b"".join(results.stream(first, format=format))


@pytest.mark.django_db
def test_an_open_study_hides_systems_and_its_export_is_logged(study: Study, tmp_path: Path) -> None:
    stored_run(study, likert_rows())
    said = export(study.slug, "--results", "--format", "json", "--output", str(tmp_path / "a"))
    assert "by system are left out" in said
    assert {row["system"] for row in json.loads((tmp_path / "a").read_text())["rows"]} == {None}
    assert not study.events.filter(verb="exported").exists()
    export(study.slug, "--output", str(tmp_path / "b"))
    assert study.events.get(verb="exported").object == "ratings (csv) by a command"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "by its slug"),
        (["hiden-slug"], "Did you mean 'hidden-slug'"),
        (["hidden-slug", "--task", "mian"], "mian"),
        (["hidden-slug", "--format", "json"], "json is a format of --results"),
        (["hidden-slug", "--results", "--format", "jsonl"], "jsonl is a format of ratings"),
        (["hidden-slug", "--results", "--task", "main"], "every task"),
        (["hidden-slug", "--results"], "analyse hidden-slug"),
        (["hidden-slug", "--results", "7"], "no run 7"),
        (["hidden-slug", "--output", "/nowhere/at/all.csv"], "in a folder that is there"),
    ],
)
def test_what_cannot_be_done_is_said(study: Study, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        export(*arguments)


@pytest.mark.django_db
def test_results_of_a_run_that_is_not_done_are_refused(study: Study) -> None:
    stored_run(study, state="failed")
    with pytest.raises(CommandError, match="Run 1 of hidden-slug is failed"):
        export(study.slug, "--results", "1")


@pytest.mark.django_db
def test_a_file_is_there_whole_or_not_at_all(rated: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "ratings.csv"
    target.write_text("what was there before")

    def breaks(*_args: Any, **_kwargs: Any) -> Any:
        yield b"half of it"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ratings, "stream", breaks)
    with pytest.raises(CommandError, match="No space left"):
        export(rated.slug, "--output", str(target))
    assert [path.name for path in tmp_path.iterdir()] == ["ratings.csv"]
    assert target.read_text() == "what was there before"


def test_whoever_reads_may_stop_reading() -> None:
    """`manage.py export … | head` ends without a traceback."""
    program = (
        "import sys\n"
        "from analytics_app.management.commands.export import _write\n"
        "_write((b'x' * 65536 for _ in range(100_000)), '-')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", f"import django\ndjango.setup()\n{program}"],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": ""},
    )
    assert process.stdout.read(100) == b"x" * 100
    process.stdout.close()
    errors = process.stderr.read()
    assert (process.wait(timeout=60), errors) == (0, b"")


# docs/columns.md ------------------------------------------------------------------------------------------


def test_the_page_says_what_the_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    only_shipped(monkeypatch)
    page = (Path(settings.BASE_DIR) / "docs" / "columns.md").read_text()
    between = page.split("<!-- reference begins -->\n")[1].split("\n<!-- reference ends -->")[0]
    assert between.strip() == reference().strip(), "docs/columns.md: run `make docs`"
    assert export("--columns") == reference()
    for name in (*ratings.COLUMNS, *(one.name for one in columns.RESULTS), *registry):
        assert f"| `{name}`" in between


def test_every_outcome_of_every_task_type_has_its_columns() -> None:
    for kind in registry.values():
        for outcome in kind.outcomes:
            assert outcome.per in PER
            assert set(columns_of(outcome)) <= set(ratings.COLUMNS)
            assert outcome.column in columns_of(outcome)
            assert outcome.column in {field.name for field in Rating._meta.get_fields()}


@pytest.mark.django_db
def test_a_task_type_fills_the_columns_that_the_page_names(rated: Study) -> None:
    """Beside those that every row has."""
    text = b"".join(ratings.stream(rated, format="csv", criterion="content")).decode()
    rows = list(csv.DictReader(StringIO(text, newline="")))
    everywhere = {
        *("judgment", "task", "unit", "rater", "arrangement", "seconds", "submitted_at", "position", "purpose"),
        *("wave", "version", "state", "rating"),
    }
    filled = {name for name in ratings.COLUMNS for row in rows if row[name]} - everywhere
    sentence = "Add a column that the ratings of every task type fill to `everywhere`."
    assert filled == set(columns_of(registry["likert"].outcomes[0])) - {"variant"}, sentence
