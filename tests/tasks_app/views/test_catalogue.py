"""The catalogue: public pages that say of each task type what it declares, and let anybody try one."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.html import escape

from tasks_app.manual import catalogue
from tasks_app.models import Judgment
from tasks_app.task_types import registry

every_type = pytest.mark.parametrize("name", list(registry))


def test_the_list_has_every_type(client: Client) -> None:
    body = client.get("/task-types/").content.decode()
    for name, member in registry.items():
        assert f'href="/task-types/{name}/"' in body
        assert escape(str(member.summary)) in body


@every_type
def test_a_page_says_what_the_type_declares(client: Client, name: str) -> None:
    member = registry[name]
    body = client.get(f"/task-types/{name}/").content.decode()
    said = [member.use_when, member.analysed, member.limits, member.source, member.default_instructions]
    for words in [*said, *(outcome.doc for outcome in member.outcomes)]:
        assert escape(str(words)) in body
    for param, field in member.Settings.base_fields.items():
        assert f"<code>{param}</code>" in body
        assert escape(str(field.label or param)) in body
    identifiers = re.findall(r"\sid=\"([^\"]+)\"", body)
    assert len(identifiers) == len(set(identifiers))


def test_the_sample_can_be_answered_and_the_page_says_what_would_be_stored(client: Client) -> None:
    wrong = client.post("/task-types/likert/", {"p1-fluency": "9"})
    assert wrong.status_code == 422
    assert "would store" not in wrong.content.decode()
    right = client.post("/task-types/likert/", {"p1-fluency": "4", "p1-content": "1"})
    assert right.status_code == 200
    rows = re.findall(r"<tr><td>(\w+)</td><td>(\d)</td><td dir=\"auto\">(\d)</td>", right.content.decode())
    assert sorted(rows) == [("content", "1", "1"), ("fluency", "1", "4")]


@pytest.mark.django_db
def test_trying_stores_nothing_and_asks_for_no_cookie() -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/task-types/likert/", {"p1-fluency": "4", "p1-content": "1"})
    assert answer.status_code == 200
    assert not answer.cookies
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("name", ["nothing", "_grid", "likert2"])
def test_what_is_no_type_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/task-types/{name}/").status_code == 404


def test_the_pages_need_no_database(client: Client) -> None:
    # Without the mark django_db any query would fail here.
    assert client.get("/task-types/slider/").status_code == 200
    assert client.get("/patterns/").status_code == 200


def test_keys_are_those_of_the_template() -> None:
    assert ("1 2 3 …", "chooses a step and goes to the next question") in catalogue.keys_of(registry["likert"])


def test_the_command_prints_and_writes(tmp_path: Path) -> None:
    out = StringIO()
    call_command("catalogue", "likert", stdout=out)
    assert out.getvalue() == catalogue.page(registry["likert"])
    call_command("catalogue", write=tmp_path, stdout=out)
    assert {path.stem for path in tmp_path.glob("*.md")} == {*registry, "README"}
    assert (tmp_path / "slider.md").read_text() == catalogue.page(registry["slider"])
    assert catalogue.index_row(registry["slider"]) in (tmp_path / "README.md").read_text()
    with pytest.raises(CommandError, match="There is no task type called 'nothing'"):
        call_command("catalogue", "nothing")
