"""Files over the API: what fails before the first row is refused, what fails later cannot be taken for a whole."""

from collections.abc import Generator

import pytest
from django.db import OperationalError
from django.test import Client

from analytics_app.exports import ratings, results
from tasks_app.models import Study
from tasks_app.services.study import tokens
from tests.analytics_app.api.conftest import address
from tests.analytics_app.builders import build_run, likert_rows

pytestmark = pytest.mark.django_db


class Broken:
    """A file whose database goes away after some pieces; `closed` says that somebody let go of it."""

    def __init__(self, pieces: int) -> None:
        self.pieces = pieces
        self.closed = False

    def __call__(self, *_about: object, **_how: object) -> Generator[bytes, None, None]:
        try:
            for number in range(self.pieces):
                yield f"piece {number}\n".encode()
            raise OperationalError("the connection is lost")
        finally:
            self.closed = True


@pytest.fixture(params=["ratings.csv", "ratings.jsonl", "results.csv", "results/"])
def file(request: pytest.FixtureRequest, rated: Study) -> str:
    """Each file of a study with results."""
    build_run(rated, likert_rows())
    return address(rated, request.param)


def broken(monkeypatch: pytest.MonkeyPatch, pieces: int) -> Broken:
    stream = Broken(pieces)
    for module in (ratings, results):
        monkeypatch.setattr(module, "stream", stream)
    return stream


def test_a_database_that_is_away_is_said_as_json(script: Client, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(_secret: str) -> None:
        raise OperationalError("the connection is refused")

    monkeypatch.setattr(tokens, "find", lost)
    answer = script.get(file)
    assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (503, "unavailable", "5")


@pytest.mark.parametrize("pieces", [0, 1])
def test_a_database_that_fails_first_is_said_as_json(
    script: Client, file: str, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Sorting a million ratings takes a while, and a script has to know that it may try again."""
    broken(monkeypatch, pieces)
    answer = script.get(file)
    assert (answer.status_code, answer.json()["error"], answer["Retry-After"]) == (503, "unavailable", "5")


def test_a_database_that_fails_later_breaks_the_answer_off(
    script: Client, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server then leaves out the end of the last chunk, by which every client knows."""
    stream = broken(monkeypatch, 3)
    answer = script.get(file)
    assert answer.status_code == 200
    assert "Content-Length" not in answer
    with pytest.raises(OperationalError):
        b"".join(answer.streaming_content)
    assert stream.closed


def test_whoever_leaves_early_lets_the_database_go(script: Client, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = broken(monkeypatch, 5)
    answer = script.get(file)
    assert next(iter(answer.streaming_content)) == b"piece 0\n"
    assert not stream.closed
    answer._iterator.close()
    assert stream.closed
