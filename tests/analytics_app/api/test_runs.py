"""Runs by the API: started once, followed, cancelled, by those who may."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import Run
from analytics_app.runs import notify
from analytics_app.runs import start as runs
from tasks_app.models import Idempotency, Membership, Study
from tasks_app.services.study import tokens
from tests.analytics_app.api.conftest import address
from tests.analytics_app.builders import build_run
from tests.tasks_app.api.conftest import everything, script_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The parts of which workers were notified, in place of the broker."""
    ids: list[int] = []

    def note(part_ids: list[int], **_how: Any) -> int:
        ids.extend(part_ids)
        return len(part_ids)

    monkeypatch.setattr(notify, "notify_workers", note)
    return ids


def start(script: Client, study: Study, body: dict[str, Any] | None = None, key: str | None = None) -> Any:
    headers = {"idempotency-key": key} if key else {}
    return script.post(address(study, "runs/"), body, content_type="application/json", headers=headers)


def test_a_run_is_started_followed_and_read(
    script: Client, rated: Study, rosa: User, rung: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = start(script, rated)
    assert answer.status_code == 202
    said = answer.json()
    assert (said["number"], said["state"], said["planned"], said["by"]) == (1, "queued", False, "rosa")
    # Quality rules, two criteria, and the task as a whole.
    assert said["progress"] == {"done": 0, "running": 0, "total": 4}
    run = Run.objects.get()
    assert rung == [run.parts.get(kind="quality").pk]
    assert script.get(said["results"]).status_code == 409
    runs.compute_here(run=run)
    now = script.get(said["url"]).json()
    assert (now["state"], now["progress"]["done"], now["error"]) == ("done", 4, "")
    assert now["facts"]["tasks"]["main"]
    document = script.get(now["results"])
    assert b"".join(document.streaming_content)
    assert everything(script, address(rated, "runs/"))[0]["number"] == 1
    # The same again is the same run.
    again = start(script, rated)
    assert (again.status_code, again.json()["number"]) == (200, 1)


def test_other_settings_make_another_run(script: Client, rated: Study) -> None:
    first = start(script, rated)
    second = start(script, rated, {"settings": {"rules": [], "confidence": 0.9}})
    assert (first.json()["number"], second.json()["number"]) == (1, 2)
    assert second.json()["settings"]["rules"] == []
    assert second.json()["settings"]["confidence"] == 0.9
    assert second.json()["planned"] is False


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"settings": {"confidence": 2}}, 422, "confidence"),
        ({"settings": {"colour": "red"}}, 422, "colour"),
        ({"settings": "all"}, 400, "settings"),
        ({"setings": {}}, 400, "settings"),
        ([], 400, "settings"),
    ],
)
def test_what_cannot_be_started_is_said(script: Client, rated: Study, body: Any, status: int, said: str) -> None:
    answer = start(script, rated, body)
    assert answer.status_code == status
    assert said in answer.json()["detail"]
    assert not Run.objects.exists()
    assert start(script, rated).status_code == 202


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ("no JSON", 400, "parse_error"),
        ('{"settings": {"rules": ' + "[" * 50_000, 400, "parse_error"),
        ('{"settings": {"rules": ' + "[" * 50_000 + "]" * 50_000 + "}}", 400, "parse_error"),
        ('{"settings": {"primary": "' + "x" * 2**20 + '"}}', 413, "too_large"),
    ],
    ids=["none", "deep and open", "deep", "large"],
)
def test_what_is_no_json_that_somebody_means_is_refused(
    script: Client, rated: Study, body: str, status: int, error: str
) -> None:
    answer = script.post(address(rated, "runs/"), body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (status, error)


def test_while_many_ratings_are_stored_a_script_is_told_when_to_come_back(
    script: Client, rated: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(**_given: Any) -> Run:
        raise runs.Busy

    with monkeypatch.context() as patch:
        patch.setattr(runs, "start", busy)
        answer = start(script, rated, key="once")
    assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (503, "busy", "10")
    assert start(script, rated, key="once").status_code == 202


def test_the_same_key_starts_one_run(script: Client, rated: Study, rosa: User) -> None:
    key = uuid.uuid4().hex
    body = {"settings": {"confidence": 0.9}}
    first = start(script, rated, body, key)
    runs.cancel(run=Run.objects.get(), by=rosa)
    again = start(script, rated, body, key)
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert Run.objects.count() == 1
    other = start(script, rated, {"settings": {"confidence": 0.8}}, key)
    assert (other.status_code, other.json()["error"]) == (422, "unprocessable")
    assert start(script, rated, None, key).status_code == 422
    # Another token has keys of its own, and without a key a cancelled run is started anew.
    assert start(script_of(rosa, rated), rated, body, key).json()["number"] == 2
    assert Idempotency.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_the_same_time_starts_one_run(rated: Study, rosa: User) -> None:
    made = tokens.make(user=rosa, name="script", scopes=list(tokens.SCOPES), study=rated)
    together = Barrier(4)

    def send(_number: int) -> Any:
        try:
            together.wait(timeout=60)
            script = Client(headers={"authorization": f"Bearer {made.secret}"})
            return start(script, rated, {"settings": {"confidence": 0.9}}, "k")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(send, range(4)))
    assert [answer.status_code for answer in answers] == [202] * 4
    assert all(answer.json() == answers[0].json() for answer in answers)
    assert sorted(answer.get("Idempotency-Replayed", "") for answer in answers) == ["", "true", "true", "true"]
    assert Run.objects.count() == 1


def test_what_failed_can_be_sent_again_with_its_key(script: Client, rated: Study) -> None:
    assert start(script, rated, {"settings": {"confidence": 2}}, "k").status_code == 422
    assert not Idempotency.objects.exists()
    assert start(script, rated, {"settings": {"confidence": 0.9}}, "k").status_code == 202


def test_a_key_has_a_length(script: Client, rated: Study) -> None:
    assert start(script, rated, key="k" * 201).status_code == 400
    assert start(script, rated, key="k" * 200).status_code == 202


def test_a_run_is_cancelled(script: Client, rated: Study) -> None:
    said = start(script, rated).json()
    answer = script.post(f"{said['url']}cancel/")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert script.post(f"{said['url']}cancel/").json()["state"] == "cancelled"
    assert script.get(f"{said['url']}cancel/").status_code == 405
    assert script.post(address(rated, "runs/9/cancel/")).status_code == 404
    assert rated.events.filter(verb="cancelled run").count() == 1


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("editor", 202), ("owner", 202)])
def test_editors_and_owners_start_and_cancel_runs(rated: Study, role: str, status: int) -> None:
    user = User.objects.create_user("ada", is_staff=True)
    Membership.objects.create(study=rated, user=user, role=role)
    script = script_of(user, rated)
    answer = start(script, rated)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"] == "role_missing"
        run = build_run(rated, state="queued")
        assert script.post(address(rated, f"runs/{run.number}/cancel/")).status_code == 403
        assert script.get(address(rated, f"runs/{run.number}/")).status_code == 200
    else:
        assert script.post(f"{answer.json()['url']}cancel/").status_code == 200
    reader = script_of(user, rated, "read:results")
    assert start(reader, rated).json()["error"] == "scope_missing"
    assert reader.get(address(rated, "runs/")).status_code == 200


def test_runs_are_listed_newest_first_in_few_queries(
    script: Client, rated: Study, rosa: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        build_run(rated, by=rosa if number else None)
    with django_assert_num_queries(3):
        rows = script.get(address(rated, "runs/")).json()["results"]
    assert [(row["number"], row["by"]) for row in rows] == [
        (5, "rosa"), (4, "rosa"), (3, "rosa"), (2, "rosa"), (1, None),
    ]  # fmt: skip
    assert [row["number"] for row in everything(script, address(rated, "runs/?page_size=2"))] == [5, 4, 3, 2, 1]
    with django_assert_num_queries(4):
        script.get(address(rated, "runs/3/"))
