"""The results document as a file: the rows of the run, the same in JSON and CSV, never a number that is none."""

import csv
import io
import json
from typing import Any

import pytest

from analytics_app.exports import results
from analytics_app.exports.columns import RESULTS
from analytics_app.models import ResultLift, Run
from analytics_app.results import COLUMNS, Row
from tasks_app.models import Study
from tests.analytics_app.builders import likert_rows
from tests.analytics_app.exports.conftest import stored_run

pytestmark = pytest.mark.django_db

ROWS = [
    *likert_rows(),
    Row(analysis="krippendorff", statistic="alpha", note="All ratings are the same, so alpha is undefined."),
    Row(analysis="distribution", statistic="share", label="=bad", rater="+r", note="-1 of them", value=0.1 + 0.2),
    Row(analysis="distribution", statistic="share", label='a "label", with\nmore', planned=True, wave=2, value=-0.5),
]


@pytest.fixture
def run(study: Study) -> Run:
    """A run of an open study."""
    return stored_run(study, ROWS)


def document(run: Run, **given: bool) -> dict[str, Any]:
    """Read the document as JSON."""

    def refuse(number: str) -> None:
        raise AssertionError(f"{number} is no JSON")

    found: dict[str, Any] = json.loads(b"".join(results.stream(run, format="json", **given)), parse_constant=refuse)
    return found


def table(run: Run, **given: bool) -> list[dict[str, str]]:
    """Read the document as CSV."""
    text = b"".join(results.stream(run, format="csv", **given)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_file_is_the_document_of_the_run(run: Run, study: Study) -> None:
    found = document(run, systems=True)
    assert [found[name] for name in ("evalweb", "study", "version", "systems_hidden")] == [1, study.slug, 1, False]
    assert list(found["run"]) == [
        *("number", "state", "planned", "trigger", "finished", "seed", "high_water", "n_seen", "digest", "created"),
        *("code_version", "settings", "facts"),
    ]
    assert found["run"]["settings"] == run.settings
    assert found["rows"] == [{name: getattr(row, name) for name in COLUMNS} for row in run.rows.order_by("order")]
    assert len(found["rows"]) == len(ROWS)
    hidden = document(run, systems=False)
    assert hidden["systems_hidden"] is True
    assert hidden["rows"] == [
        said for said, row in zip(found["rows"], run.rows.order_by("order"), strict=True) if not row.by_system
    ]
    assert len(hidden["rows"]) < len(ROWS)


def test_csv_has_the_same_rows_and_columns(run: Run) -> None:
    rows, cells = document(run, systems=True)["rows"], table(run, systems=True)
    assert list(cells[0]) == list(rows[0]) == list(COLUMNS) == [one.name for one in RESULTS]
    assert len(rows) == len(cells) == len(ROWS)
    for row, line in zip(rows, cells, strict=True):
        for name, value in row.items():
            if value is None:
                assert line[name] == ""
            elif isinstance(value, bool):
                assert line[name] == str(value).lower()
            elif isinstance(value, dict):
                assert json.loads(line[name]) == value
            elif isinstance(value, str):
                assert line[name].removeprefix("'") == value
            else:
                assert float(line[name]) == value


def test_texts_are_no_formulas_and_numbers_stay_numbers(run: Run) -> None:
    line = table(run, systems=True)[-2]
    assert (line["label"], line["rater"], line["note"], line["value"]) == (
        "'=bad",
        "'+r",
        "'-1 of them",
        str(0.1 + 0.2),
    )
    assert table(run, systems=True)[-1]["value"] == "-0.5"
    assert document(run, systems=True)["rows"][-2]["label"] == "=bad"


def test_an_undefined_value_is_empty_and_says_why(run: Run) -> None:
    row = document(run, systems=True)["rows"][-3]
    assert (row["value"], row["low"]) == (None, None)
    assert row["note"] == "All ratings are the same, so alpha is undefined."
    run.rows.filter(order=len(ROWS) - 1).update(value=float("nan"), p=float("inf"))
    row = document(run, systems=True)["rows"][-1]
    assert (row["value"], row["p"]) == (None, None)
    assert "nan" not in b"".join(results.stream(run, format="csv", systems=True)).decode().lower()


def test_while_the_study_is_open_rows_by_system_are_left_out(run: Run, study: Study) -> None:
    assert document(run)["systems_hidden"] is True
    assert {row["system"] for row in document(run)["rows"]} == {None}
    assert {line["system"] for line in table(run)} == {""}
    lift = ResultLift.objects.create(study=study, reason="A deadline")
    assert "north" in {row["system"] for row in document(run)["rows"]}
    lift.delete()
    Study.objects.filter(pk=study.pk).update(state="closed")
    run.refresh_from_db()
    assert "north" in {row["system"] for row in document(Run.objects.get(pk=run.pk))["rows"]}


def test_a_run_without_rows_is_a_document_without_rows(study: Study) -> None:
    run = stored_run(study)
    assert document(run)["rows"] == []
    assert b"".join(results.stream(run, format="csv")).decode() == ",".join(COLUMNS) + "\r\n"


def test_many_rows_are_read_a_thousand_at_a_time(study: Study) -> None:
    run = stored_run(study, [Row(analysis="systems", statistic="mean", value=float(n)) for n in range(2500)])
    assert [row["value"] for row in document(run)["rows"]] == list(range(2500))
    chunks = list(results.stream(run, format="csv"))
    assert len(chunks) == 3
    assert len(table(run)) == 2500


@pytest.mark.parametrize("format", ["csv", "json"])
def test_words_that_raters_marked_are_left_out_on_request(study: Study, format: results.Format) -> None:
    """As an archive without texts does."""
    marked = {"item": "i1", "start": 3, "end": 9, "words": "xyzzy"}
    run = stored_run(study, [Row(analysis="marked_texts", statistic="marks_in_text", value=2.0, settings=marked)])
    whole, without = (b"".join(results.stream(run, format=format, texts=texts)).decode() for texts in (True, False))
    assert "xyzzy" in whole
    assert "xyzzy" not in without
    assert "i1" in without
