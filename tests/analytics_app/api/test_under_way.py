"""Scripts that read while others store: what is committed late has a lower number than what is there already."""

import json
from threading import Event, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from tasks_app.models import Study
from tasks_app.services import high_water
from tasks_app.services.database import share_submissions
from tasks_app.services.study import tokens
from tests.analytics_app.api.conftest import address
from tests.analytics_app.filling import Filler
from tests.tasks_app.api.conftest import everything


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["judgments/?page_size=5", "ratings/?page_size=5", "ratings.jsonl"])
def test_whoever_goes_on_from_the_last_number_misses_nothing(
    rosa: User, rated: Study, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(high_water, "PATIENCE", "50ms")
    made = tokens.make(user=rosa, name="script", scopes=list(tokens.SCOPES), study=rated)
    script = Client(headers={"authorization": f"Bearer {made.secret}"})
    stored, may_end = Event(), Event()

    def submit() -> None:
        try:
            with transaction.atomic():
                share_submissions(rated.pk)
                Filler(rated).judge("R-0008", "i0", "alpha-mt", {"fluency": 1, "content": 1})
                stored.set()
                assert may_end.wait(60)
        finally:
            connection.close()

    slow = Thread(target=submit)
    slow.start()
    assert stored.wait(60)
    Filler(rated).judge("R-0009", "i0", "alpha-mt", {"fluency": 5, "content": 5})
    answer = script.get(address(rated, path))
    assert (answer.status_code, answer.get("Retry-After")) == (503, "10")
    assert answer.json()["error"] == "busy"
    may_end.set()
    slow.join(60)
    rows = everything(script, address(rated, path)) if "?" in path else lines(script.get(address(rated, path)))
    numbers = [row.get("rating") or row["judgment"] for row in rows if row.get("label") != "skip"]
    assert numbers == sorted(numbers)
    assert {"R-0008", "R-0009"} <= {row["rater"] for row in rows}


@pytest.mark.django_db
def test_what_comes_after_the_marks_is_left_to_the_next_time(
    script: Client, rated: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that is changed in between is there as it was: not twice, and not missing."""
    before = {path: read(script, rated, path) for path in ("judgments/", "ratings/", "ratings.jsonl")}
    now = high_water.marks_of(rated.pk)
    filler = Filler(rated)
    given = filler.judge("R-0009", "i0", "alpha-mt", {"fluency": 5, "content": 5})
    with monkeypatch.context() as patch:
        patch.setattr(high_water, "marks_of", lambda _study: now)
        assert {path: read(script, rated, path) for path in before} == before
        old = rated.raters.get(pseudonym="R-0001").assignments.order_by("id")[0]
        part = old.unit.parts.get()
        filler.answer(old, part, {"fluency": 3, "content": 3}, replaces=old.judgments.get())
        assert {path: read(script, rated, path) for path in before} == before
    after = read(script, rated, "judgments/")
    assert len(after) == len(before["judgments/"]) + 1
    assert given.pk in {row["judgment"] for row in after}


def read(script: Client, study: Study, path: str) -> list[dict[str, Any]]:
    return everything(script, address(study, path)) if path.endswith("/") else lines(script.get(address(study, path)))


def lines(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
