"""Results by the API: which run, which rows, in which form."""

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import ResultLift, Run
from analytics_app.results import COLUMNS
from tasks_app.models import Study
from tests.analytics_app.api.conftest import address
from tests.analytics_app.builders import build_run, likert_rows

pytestmark = pytest.mark.django_db


def document(script: Client, where: str) -> dict[str, Any]:
    answer = script.get(where)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json"), answer
    found: dict[str, Any] = json.loads(b"".join(answer.streaming_content))
    return found


def table(script: Client, where: str) -> list[dict[str, str]]:
    answer = script.get(where)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert "attachment" in answer["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode(), newline="")))


def test_results_are_those_of_the_newest_planned_run_else_the_newest(script: Client, closed: Study) -> None:
    """Closing has queued a run of its own, which has no results yet."""
    queued = Run.objects.get()
    assert script.get(address(closed, "results/")).status_code == 409
    first, second = build_run(closed, likert_rows()), build_run(closed, likert_rows()[:2])
    assert document(script, address(closed, "results/"))["run"]["number"] == second.number
    planned = build_run(closed, likert_rows()[:4], planned=True)
    build_run(closed, likert_rows())
    assert document(script, address(closed, "results/"))["run"]["number"] == planned.number
    assert len(table(script, address(closed, "results.csv"))) == 4
    for run in (first, second, planned):
        one = document(script, address(closed, f"runs/{run.number}/results/"))
        assert (one["run"]["number"], len(one["rows"])) == (run.number, run.rows.count())
        assert len(table(script, address(closed, f"runs/{run.number}/results.csv"))) == run.rows.count()
    refused = script.get(address(closed, f"runs/{queued.number}/results.csv"))
    assert (refused.status_code, refused.json()["error"]) == (409, "conflict")
    assert "queued" in refused.json()["detail"]


@pytest.mark.parametrize("path", ["results/", "results.csv", "runs/1/results/", "runs/1/results.csv"])
def test_while_a_study_is_open_no_row_tells_systems_apart(script: Client, rated: Study, rosa: User, path: str) -> None:
    build_run(rated, likert_rows())
    asked = address(rated, path)

    def systems() -> set[str]:
        rows = document(script, asked)["rows"] if path.endswith("/") else table(script, asked)
        assert any(row["statistic"] == "alpha" for row in rows)
        return {row["system"] for row in rows if row["system"]}

    assert systems() == set()
    ResultLift.objects.create(study=rated, by=rosa, reason="A deadline")
    assert systems() == {"north", "south", "west"}
    ResultLift.objects.all().delete()
    Study.objects.filter(pk=rated.pk).update(state="paused")
    assert systems() == set()
    Study.objects.filter(pk=rated.pk).update(state="closed")
    assert systems() == {"north", "south", "west"}


def test_the_document_says_whether_systems_are_hidden(script: Client, rated: Study) -> None:
    build_run(rated, likert_rows())
    assert document(script, address(rated, "results/"))["systems_hidden"] is True
    Study.objects.filter(pk=rated.pk).update(state="closed")
    found = document(script, address(rated, "results/"))
    assert (found["systems_hidden"], found["evalweb"], found["study"]) == (False, 1, rated.slug)
    assert list(found["rows"][0]) == list(COLUMNS)


def test_a_look_at_the_head_sends_nothing(script: Client, rated: Study) -> None:
    build_run(rated, likert_rows())
    answer = script.head(address(rated, "results.csv"))
    assert (answer.status_code, b"".join(answer.streaming_content)) == (200, b"")
    assert "Content-Length" not in answer


def test_results_take_few_queries(
    script: Client, rated: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    build_run(rated, likert_rows())
    with django_assert_num_queries(5):
        document(script, address(rated, "results/"))


def test_tables_and_plots_are_those_of_the_page(script: Client, rated: Study) -> None:
    build_run(rated, likert_rows())
    where = address(rated, "runs/1/tables/")
    hidden = script.get(where).json()
    assert hidden["systems_hidden"]
    assert "north" not in json.dumps(hidden)
    Study.objects.filter(pk=rated.pk).update(state="closed")
    tables = {(entry["section"], entry["key"]): entry for entry in script.get(where).json()["tables"]}
    systems = tables["main--fluency", "systems"]
    assert "north" in systems["latex"]
    assert "north" in systems["markdown"]
    assert "north" in systems["csv"]
    assert script.get(address(rated, "runs/9/tables/")).status_code == 404
