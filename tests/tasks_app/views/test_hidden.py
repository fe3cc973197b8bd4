"""What no rater learns: what a text is for, who made it, and who else takes part."""

import json
from pathlib import Path
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.models import Assignment, Rater
from tasks_app.selectors import screens
from tasks_app.task_types.base import Quality
from tests import pages
from tests.builders import build_study
from tests.deviations import assert_each
from tests.house.examples import load, opened
from tests.once import undone
from tests.permissions.rows import Row
from tests.permissions.table import TOKEN_ROWS
from tests.tasks_app.attack_kit import rater_of, read_tokens
from tests.tasks_app.views.test_steps import RIGHT, WRONG, send, watched
from tests.walk import next_for

pytestmark = pytest.mark.django_db


def test_no_token_tells_which_text_is_asked_a_second_time(somebody: Client) -> None:
    """Tokens of forms can be read. A row's number in them would: repeats are written after all others of a set."""
    checks = {"controls": 2, "attention": 1, "repeats": 3, "warm_up": 1}
    study = build_study(None, items=8, set_size=8, known={"control": 2, "attention": 1}, checks=checks)
    token = pages.join(study)
    numbers = []
    for _unit in Assignment.objects.all():
        page = somebody.get(f"/r/{token}/judge/").content.decode()
        said = read_tokens(page)
        assert said
        for one in said:
            numbers += [one["unit"]] if "unit" in one else []
            assert not {name for name, value in one.items() if isinstance(value, int)} - {"unit"}, one
        send(somebody, token, RIGHT)
    assert numbers == sorted(numbers)
    assert sorted(set(numbers)) == list(range(numbers[0], numbers[0] + len(set(numbers))))
    # What would have told: the order of the rows is not that of the texts.
    rows = list(Assignment.objects.order_by("order").values_list("pk", flat=True))
    assert rows != sorted(rows)


def test_headers_drafts_and_answers_of_the_server_are_alike_whatever_a_text_is_for(somebody: Client) -> None:
    study = watched()
    token = pages.join(study)
    looks = set()
    purposes = list(Assignment.objects.order_by("order").values_list("purpose", flat=True))
    for purpose in purposes[:-1]:
        page = somebody.get(f"/r/{token}/judge/")
        form = pages.hidden(page, "answer")
        body = {"form_token": form["form_token"], "counter": 1, "answer": {**WRONG, "purpose": "x"}}
        kept = somebody.post(f"/r/{token}/draft/", json.dumps(body), "application/json")
        bad = somebody.post(f"/r/{token}/judge/", {**form, "p1-fluency": "99"})
        sent = somebody.post(f"/r/{token}/judge/", {**form, **WRONG}, headers={"prefer": "return=representation"})
        names = [sorted(set(one.headers) - {"X-Request-ID"}) for one in (page, kept, bad, sent)]
        looks.add(json.dumps([names, kept.json(), bad.status_code, sent.status_code, len(form), sorted(form)]))
        assert purpose not in json.dumps(read_tokens(page.content.decode()))
    assert len(looks) == 1, looks
    assert not somebody.cookies


def test_no_page_of_a_raters_names_a_system_an_item_or_another_rater(somebody: Client) -> None:
    study = watched()
    ben = rater_of(pages.join(study))
    token = pages.join(study)
    secrets = ["alpha-mt", "beta-mt", "hidden-slug", "Secret title", ben.pseudonym, '"i0"', "control0", "attention0"]
    seen: list[str] = []
    alike, changing = (
        ("help/", "stop/", "withdraw/", "instructions/"),
        ("judge/", "stored/", "stored/mine.json", "texts/"),
    )
    while rater_of(token).state != Rater.State.ENDED:
        for path in changing if seen else (*alike, *changing):
            page = somebody.get(f"/r/{token}/{path}")
            seen.append(page.content.decode() + json.dumps(dict(page.headers)))
            seen.append(json.dumps(read_tokens(page.content.decode())))
        send(somebody, token, WRONG)
    seen += [somebody.get(f"/r/{token}/{path}").content.decode() for path in (*alike, *changing, "end/")]
    for secret in secrets:
        assert not [page for page in seen if secret in page], secret


def test_a_list_of_all_texts_tells_no_repeat_and_no_test(tmp_path: Path) -> None:
    study = opened(load("error_labels", tmp_path, "listed", k=20))
    browser = Client()
    token = pages.join(study)
    given = list(Assignment.objects.order_by("order"))
    Assignment.objects.filter(pk=given[-1].pk).update(purpose="repeat", repeat_of=given[0], place=None)
    Assignment.objects.filter(pk=given[-2].pk).update(purpose="exam", place=None)
    page = browser.get(f"/r/{token}/texts/").content.decode()
    assert f"/judge/{given[0].order}/" in page
    assert f"/judge/{given[-1].order}/" not in page
    assert f"/judge/{given[-2].order}/" not in page
    # That somebody else was asked again is not for the rater to see.
    send_any(browser, token)
    Assignment.objects.filter(pk=given[0].pk).update(state="replaced")
    assert "answered (1)" in browser.get(f"/r/{token}/texts/").content.decode().replace("\n", " ")


def send_any(browser: Client, token: str) -> None:
    """Answer the next unit of any type as a simulated rater does."""
    rater = rater_of(token)
    found = next_for(rater=rater)
    frame = screens.frame_of(found.unit.task_id, rater.study)
    said = frame.kind.simulate(screens.screen_of(found, rater.study), Quality.CAREFUL, Random(1))
    answer = browser.post(f"/r/{token}/judge/", {**pages.unit(browser, token), **said})
    assert answer.status_code == 302


def test_no_page_tells_its_address_to_another_site(somebody: Client) -> None:
    token = pages.join(build_study(None))

    def check(row: Row) -> None:
        takes = {**row.path, "token": token, **({"name": "x"} if "name" in row.path else {})}
        with undone():
            answer = somebody.generic(row.method, reverse(row.name, kwargs=takes))
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer["Cache-Control"]

    assert_each(check, [(str(row), {"row": row}) for row in TOKEN_ROWS])
