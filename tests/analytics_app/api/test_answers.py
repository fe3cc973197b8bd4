"""Every address of the schema is asked, and what comes is what the schema says: each status, every field."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator

from analytics_app.runs import notify, start
from tasks_app.models import Criterion, Item, Membership, Study, System
from tasks_app.services import high_water
from tests.analytics_app.builders import build_run, likert_rows
from tests.analytics_app.filling import Filler
from tests.builders import build_study
from tests.tasks_app.api.conftest import script_of

pytestmark = pytest.mark.django_db

Schema = dict[str, Any]
OPERATIONS = [
    ("get", "studies/"),
    ("get", "studies/{slug}/"),
    ("get", "studies/{slug}/judgments/"),
    ("get", "studies/{slug}/ratings/"),
    ("get", "studies/{slug}/ratings.csv"),
    ("get", "studies/{slug}/ratings.jsonl"),
    ("get", "studies/{slug}/runs/"),
    ("post", "studies/{slug}/runs/"),
    ("get", "studies/{slug}/runs/{number}/"),
    ("post", "studies/{slug}/runs/{number}/cancel/"),
    ("get", "studies/{slug}/runs/{number}/results/"),
    ("get", "studies/{slug}/runs/{number}/results.csv"),
    ("get", "studies/{slug}/runs/{number}/tables/"),
    ("get", "studies/{slug}/runs/{number}/methods/"),
    ("get", "studies/{slug}/datasheet/"),
    ("get", "studies/{slug}/results/"),
    ("get", "studies/{slug}/results.csv"),
]
READS = [path for method, path in OPERATIONS if method == "get"]


def strict(part: Any) -> Any:
    """Turn the schema's dialect into JSON Schema: null where it may be, no field that is not described."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: strict(one) for name, one in part.items() if name != "nullable"}
    if "properties" in found:
        found["additionalProperties"] = False
        found["patternProperties"] = {"^feature_": {"type": ["string", "null"]}}
    if not part.get("nullable"):
        return found
    return {"anyOf": [found, {"type": "null"}]}


@pytest.fixture(scope="module")
def schema() -> Schema:
    """The schema as JSON Schema."""
    found = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return dict(strict(json.loads(json.dumps(found, default=str))))


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "notify_workers", lambda parts, **_how: len(parts))


@pytest.fixture
def analysed(rated: Study, rosa: User) -> Study:
    """The study with features, a run that is done and one that is queued."""
    Item.objects.create(study=rated, key="later", since=2, features={"domain": "news", 'odd "name"': "=1"})
    few = [{"analysis": name} for name in ("systems", "krippendorff", "raters")]
    quick = {"n_resamples": 100, "n_permutations": 99, "analyses": few}
    start.compute_here(run=start.start(study=rated, by=rosa, settings=quick, trigger="command"))
    start.start(study=rated, by=rosa)
    return rated


def ask(script: Client, study: Study, method: str, path: str, query: str = "", **how: Any) -> Any:
    filled = path.format(slug=study.slug, number=how.pop("number", 1))
    extra = {"content_type": "application/json"} if method == "post" else {}
    return getattr(script, method)(f"/api/v1/{filled}{query}", **extra, **how)


def checked(schema: Schema, method: str, path: str, answer: HttpResponse) -> list[Any]:
    """Return the entries of an answer, one for each line of JSON Lines. It is as the schema says."""
    operation = schema["paths"][f"/api/v1/{path}"][method]
    content = operation["responses"][str(answer.status_code)]["content"]
    kind = answer["Content-Type"].split(";")[0]
    assert kind in content, (path, answer.status_code, kind)
    text = b"".join(answer).decode()
    if kind == "text/csv":
        return list(csv.DictReader(io.StringIO(text, newline="")))
    found = [json.loads(line) for line in text.splitlines()] if kind == "application/jsonl" else [json.loads(text)]
    validator = Draft202012Validator({**content[kind]["schema"], "components": schema["components"]})
    for one in found:
        problems = [f"{list(problem.absolute_path)}: {problem.message}" for problem in validator.iter_errors(one)]
        assert not problems, (path, answer.status_code, problems[:3])
    return found


def test_every_operation_is_asked_here(schema: Schema) -> None:
    there = {(method, path) for path, methods in schema["paths"].items() for method in methods}
    assert there == {(method, f"/api/v1/{path}") for method, path in OPERATIONS}


def test_answers_are_what_the_schema_says(schema: Schema, script: Client, analysed: Study) -> None:
    for state in ("open", "closed"):
        Study.objects.filter(pk=analysed.pk).update(state=state)
        for method, path in OPERATIONS:
            answer = ask(script, analysed, method, path)
            begun = (method, path) == ("post", "studies/{slug}/runs/")
            assert answer.status_code == (202 if begun else 200), (method, path, answer)
            (first, *_rest) = checked(schema, method, path, answer)
            assert first.get("results", first), path
            assert first.get("rows", first), path
    replayed = ask(script, analysed, "post", "studies/{slug}/runs/", headers={"idempotency-key": "k"})
    checked(schema, "post", "studies/{slug}/runs/", replayed)


def refusals(rated: Study, rosa: User) -> Iterator[tuple[int, Client, str, dict[str, Any]]]:
    """Yield every way to be refused: the status, who asks, a query, and what else is sent."""
    mine, nobodys = script_of(rosa, rated), Client()
    viewer = User.objects.create_user("viewer", is_staff=True)
    Membership.objects.create(study=rated, user=viewer, role="viewer")
    yield 400, mine, "?rator=x", {}
    yield 401, nobodys, "", {}
    yield 401, Client(headers={"authorization": "Bearer ewt_guessed"}), "", {}
    for scope in ("read:studies", "write:runs"):
        yield 403, script_of(rosa, rated, scope), "", {}
    yield 403, script_of(viewer, rated), "", {}
    yield 404, script_of(rosa, build_study(rosa, slug="other")), "", {}
    yield 404, mine, "", {"number": 99}
    yield 409, mine, "", {"number": 2}
    yield 413, mine, "", {"data": "x" * (2**20 + 1)}
    yield 422, mine, "", {"data": {"settings": {"colour": "red"}}}


def test_refusals_are_what_the_schema_says(
    schema: Schema, rated: Study, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    start.start(study=rated, by=rosa)
    start.start(study=rated, by=rosa, settings={"rules": []})
    met: dict[tuple[str, str], set[str]] = {}

    def refuse(status: int, script: Client, query: str, how: dict[str, Any]) -> None:
        for method, path in OPERATIONS:
            sent = {name: value for name, value in how.items() if name == "number" or method == "post"}
            answer = ask(script, rated, method, path, query, **sent)
            (said, *_rest) = checked(schema, method, path, answer)
            if answer.status_code == status:
                assert set(said) == {"error", "detail"}
                assert len(said["detail"]) > 10
                met.setdefault((method, path), set()).add(str(status))

    for one in refusals(rated, rosa):
        refuse(*one)

    def busy(*_about: object, **_how: object) -> None:
        raise high_water.Busy

    with monkeypatch.context() as patch:
        patch.setattr(high_water, "marks_of", busy)
        patch.setattr(start, "start", busy)
        refuse(503, script_of(rosa, rated), "", {})
    # Nobody is refused a list of their own studies, and what never waits is busy only with the whole database.
    missing = {
        (method, path): sorted(expected - met.get((method, path), set()) - {"503"})
        for method, path in OPERATIONS
        if (expected := {status for status in schema["paths"][f"/api/v1/{path}"][method]["responses"] if status > "3"})
    }
    assert {place: left for place, left in missing.items() if left} == {("get", "studies/"): ["404"]}
    assert {place for place, statuses in met.items() if "503" in statuses} == {
        ("get", "studies/{slug}/judgments/"), ("get", "studies/{slug}/ratings/"),
        ("get", "studies/{slug}/ratings.csv"), ("get", "studies/{slug}/ratings.jsonl"),
        ("post", "studies/{slug}/runs/"),
    }  # fmt: skip


def test_more_rows_take_no_more_queries(script: Client, closed: Study, rosa: User) -> None:
    run = build_run(closed, likert_rows())

    def queries() -> dict[str, int]:
        found = {}
        for path in READS:
            with CaptureQueriesContext(connection) as taken:
                b"".join(ask(script, closed, "get", path, number=run.number))
            found[path] = len(taken)
        return found

    before = queries()
    filler = Filler(closed)
    for number in range(5, 25):
        filler.judge(f"R-00{number}", "i1", "beta-mt", {"fluency": 1 + number % 5, "content": 3})
    System.objects.bulk_create(System(study=closed, key=f"further-{number}") for number in range(8))
    Criterion.objects.bulk_create(Criterion(study=closed, key=f"further-{number}", since=2) for number in range(8))
    for number in range(3):
        build_study(rosa, slug=f"further-{number}", opened=False)
        build_run(closed, likert_rows(), by=rosa)
    assert queries() == before
    assert max(before.values()) <= 20


def test_starting_and_cancelling_take_few_queries(
    script: Client, rated: Study, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    path = "studies/{slug}/runs/"
    with django_assert_max_num_queries(60):
        url = ask(script, rated, "post", path, headers={"idempotency-key": "k"}).json()["url"]
    with django_assert_max_num_queries(12):
        assert ask(script, rated, "post", path, headers={"idempotency-key": "k"}).json()["url"] == url
    with django_assert_max_num_queries(12):
        assert script.post(f"{url}cancel/").json()["state"] == "cancelled"
