"""Ratings by the API: whole files and pages, over HTTP as scripts ask for them."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from pytest_django.live_server_helper import LiveServer

from analytics_app.exports import ratings
from tasks_app.models import Membership, Study
from tasks_app.services.study import tokens
from tests.analytics_app.api.conftest import address
from tests.analytics_app.builders import build_run, likert_rows
from tests.tasks_app.api.conftest import everything, script_of

pytestmark = pytest.mark.django_db

FILES = {"ratings.csv": "text/csv; charset=utf-8", "ratings.jsonl": "application/jsonl; charset=utf-8"}


def body(answer: Any) -> bytes:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content)


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_the_export(script: Client, rated: Study, file: str) -> None:
    answer = script.get(address(rated, file))
    assert answer["Content-Type"] == FILES[file]
    assert answer["Content-Disposition"] == f'attachment; filename="{rated.slug}-{file}"'
    assert body(answer) == b"".join(ratings.stream(rated, format=file.partition(".")[2]))
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize("file", FILES)
def test_a_look_at_the_head_sends_no_file(script: Client, rated: Study, file: str) -> None:
    """Nor a length: whoever plans what to read by it would take the file for an empty one."""
    answer = script.head(address(rated, file))
    assert (answer["Content-Type"], body(answer)) == (FILES[file], b"")
    assert "Content-Length" not in answer


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("task=main", {"tasks": ["main"]}),
        ("rater=R-0001&rater=R-0003", {"raters": ["R-0001", "R-0003"]}),
        ("criterion=content", {"criterion": "content"}),
        ("purpose=main", {"include": ["main"]}),
        ("purpose=training&purpose=exam", {"include": ["training", "exam"]}),
        ("rater=R-0004", {"raters": ["R-0004"]}),
    ],
)
def test_a_part_of_the_ratings(script: Client, rated: Study, query: str, wanted: dict[str, Any]) -> None:
    expected = b"".join(ratings.stream(rated, format="jsonl", **wanted))
    assert body(script.get(address(rated, f"ratings.jsonl?{query}"))) == expected
    rows = [json.loads(line) for line in expected.splitlines()]
    assert everything(script, address(rated, f"ratings/?page_size=5&{query}")) == rows


def test_what_came_since_a_rating(script: Client, rated: Study) -> None:
    rows = everything(script, address(rated, "ratings/"))
    found = body(script.get(address(rated, f"ratings.jsonl?since_id={rows[10]['rating']}")))
    assert [json.loads(line) for line in found.splitlines()] == rows[11:]


@pytest.mark.parametrize("size", [1, 4, 36, 37, 1000])
def test_pages_miss_nothing_and_repeat_nothing(script: Client, rated: Study, size: int) -> None:
    expected = [json.loads(line) for line in b"".join(ratings.stream(rated, format="jsonl")).splitlines()]
    assert len(expected) == 37
    assert everything(script, address(rated, f"ratings/?page_size={size}")) == expected


def test_a_page_takes_few_queries(
    script: Client, closed: Study, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for size in (1, 30):
        with django_assert_num_queries(15):
            assert len(script.get(address(closed, f"ratings/?page_size={size}")).json()["results"]) == size


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("ratings.csv?cursor=r1", "no parameter “cursor”"),
        ("ratings.csv?task=mian", "no task “mian”"),
        ("ratings.jsonl?rater=nobody", "no rater “nobody”"),
        ("ratings.csv?criterion=grammar", "no criterion “grammar”"),
        ("ratings.csv?purpose=mains", "purpose"),
        ("ratings.csv?since_id=x", "since_id"),
        ("ratings/?since_id=1", "no parameter “since_id”"),
        ("ratings/?cursor=x1", "page"),
        ("ratings/?cursor=r", "page"),
        ("ratings/?cursor=r99999999999999999999", "page"),
        ("ratings/?cursor=r" + "9" * 5000, "page"),
        ("ratings/?page_size=0", "page_size"),
        ("ratings.csv?criterion=fluency&criterion=content", "“criterion” is given more than once"),
        ("ratings.csv?criterion=", "“criterion” is empty"),
        ("ratings.csv?task=main&task=", "“task” is empty"),
    ],
)
def test_what_cannot_be_understood_is_named(script: Client, rated: Study, query: str, said: str) -> None:
    answer = script.get(address(rated, query))
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("path", ["ratings.csv", "ratings.jsonl", "ratings/"])
def test_while_a_study_is_open_only_owners_take_ratings_out_and_it_is_logged(
    script: Client, rosa: User, rated: Study, path: str
) -> None:
    editor = User.objects.create_user("editor", is_staff=True)
    Membership.objects.create(study=rated, user=editor, role="editor")
    editors = script_of(editor, rated)
    refused = editors.get(address(rated, path))
    assert (refused.status_code, refused.json()["error"]) == (403, "under_way")
    assert script.get(address(rated, path)).status_code == 200
    logged = rated.events.filter(verb="exported")
    assert [(one.actor, one.object) for one in logged] == [(rosa, path.rstrip("/"))]
    for state in ("paused", "closed", "draft"):
        Study.objects.filter(pk=rated.pk).update(state=state)
        assert editors.get(address(rated, path)).status_code == (403 if state == "paused" else 200)
    assert logged.count() == 1


@pytest.mark.django_db(transaction=True)
def test_pandas_reads_ratings_and_results_by_their_addresses(
    rosa: User, closed: Study, live_server: LiveServer
) -> None:
    import pandas

    build_run(closed, likert_rows())
    made = tokens.make(user=rosa, name="notebook", scopes=list(tokens.SCOPES), study=closed)
    given = {"storage_options": {"Authorization": f"Bearer {made.secret}"}}
    frame = pandas.read_csv(f"{live_server}{address(closed, 'ratings.csv')}", **given)
    assert list(frame.columns) == list(ratings.COLUMNS)
    assert len(frame) == 37
    assert frame["value"].sum() == 108
    assert frame.groupby("criterion")["value"].count().to_dict() == {"content": 18, "fluency": 18}
    lines = pandas.read_json(f"{live_server}{address(closed, 'ratings.jsonl')}", lines=True, **given)
    assert lines["value"].sum() == 108
    results = pandas.read_csv(f"{live_server}{address(closed, 'results.csv')}", **given)
    means = results[results.statistic == "mean"].set_index("system")["value"]
    assert means.to_dict() == {"north": 4.2, "south": 3.1, "west": 2.9}
    with pytest.raises(OSError, match="401"):
        pandas.read_csv(f"{live_server}{address(closed, 'ratings.csv')}")
