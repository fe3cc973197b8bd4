"""What raters get while somebody else holds a lock they need: an answer in bounded time, and nothing twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import psycopg2
import pytest
from django.db import connection, transaction
from django.test import Client

from tasks_app.models import Judgment, Rater, Study
from tasks_app.selectors import screens
from tasks_app.services.database import CLAIMS
from tests import pages
from tests.tasks_app.checks_kit import checked_study
from tests.tasks_app.services.test_alike import Browser, name_of
from tests.tasks_app.statements import statements
from tests.tasks_app.views.test_steps import RIGHT

pytestmark = pytest.mark.django_db(transaction=True)

PLEASE_TRY_AGAIN = "The server cannot store anything at the moment."


@contextmanager
def held(statement: str, *values: object) -> Iterator[None]:
    """Hold what a statement locks, in a transaction of somebody else, while pages wait no longer than a moment."""
    somebody_else = psycopg2.connect(**connection.get_connection_params())
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        with somebody_else.cursor() as cursor:
            cursor.execute(statement, values)
        yield
        somebody_else.rollback()
    finally:
        somebody_else.close()


def test_consent_that_waits_too_long_is_answered_and_sent_again_enrols_once(study: Study, somebody: Client) -> None:
    path = f"/join/{study.link_code}/"
    consent = pages.hidden(somebody.get(path))
    with held("SELECT pg_advisory_xact_lock(%s, %s)", CLAIMS, study.pk):
        for _press in range(2):
            answer = somebody.post(path, consent, headers={"accept": "text/html"})
            assert (answer.status_code, answer["Retry-After"]) == (503, "5")
            assert PLEASE_TRY_AGAIN in answer.content.decode()
        assert somebody.get(path).status_code == 200  # reading waits for nobody
    assert not Rater.objects.exists()
    links = {somebody.post(path, consent)["Location"] for _press in range(3)}
    assert len(links) == 1
    assert Rater.objects.get().sets.count() == study.tasks.count()


def test_the_page_of_a_busy_server_sends_the_same_request_again(study: Study, somebody: Client) -> None:
    path, html = f"/join/{study.link_code}/", {"accept": "text/html"}
    consent = pages.hidden(somebody.get(path)) | {"remark": "<b>&"}

    def send(address: str, fields: dict[str, str], **headers: str) -> Any:
        body = urlencode(fields)
        return somebody.post(address, body, "application/x-www-form-urlencoded", headers=html | headers)

    with held("SELECT pg_advisory_xact_lock(%s, %s)", CLAIMS, study.pk):
        page = send(f"{path}?page=1", consent)
        from_elsewhere = send(path, consent, **{"sec-fetch-site": "cross-site"})
        signing_in = send(path, consent | {"csrfmiddlewaretoken": "x"})
    assert f'action="{path}?page=1" data-again="5"' in page.content.decode()
    assert pages.hidden(page) == consent
    for other in (from_elsewhere, signing_in):
        assert 'data-again="' not in other.content.decode()
    assert somebody.post(path, pages.hidden(page)).status_code == 302
    assert Rater.objects.get().sets.count() == study.tasks.count()
    token = pages.join(study)
    with held("SELECT id FROM tasks_app_raterset FOR UPDATE"):
        page = somebody.get(f"/r/{token}/judge/?from=next", headers=html)
    assert page.status_code == 503
    assert f'href="/r/{token}/judge/?from=next" data-again="5"' in page.content.decode()


def test_an_answer_to_a_locked_unit_is_answered_and_sent_again_stored_once(study: Study, somebody: Client) -> None:
    token = pages.join(study)
    answer = pages.unit(somebody, token) | RIGHT
    path = f"/r/{token}/judge/"
    for locked in ("tasks_app_assignment", "tasks_app_rater", "tasks_app_raterset"):
        with held(f"SELECT id FROM {locked} FOR UPDATE"):
            page = somebody.post(path, answer, headers={"accept": "text/html"})
            assert (page.status_code, page["Retry-After"]) == (503, "5")
            assert PLEASE_TRY_AGAIN in page.content.decode()
        assert not Judgment.objects.exists()
    assert [somebody.post(path, answer).status_code for _press in range(2)] == [302, 302]
    assert Judgment.objects.count() == 1


# Tables whose rows somebody else may hold while an answer is sent, and whether the answer waits for them.
WAITS = {"rater": True, "raterset": True, "assignment": True, "unit": False, "place": False, "gold": False}


def test_an_answer_to_a_locked_unit_asks_the_same_whatever_the_unit_is_for() -> None:
    """Texts, controls and attention checks wait at the same statement, so that no time tells which of them it was."""
    study = checked_study(checks={"training": 0, "exam": 0, "controls": 1, "attention": 1}, set_size=3)
    # For each purpose the status, and what was asked of the database, by the table that was locked.
    found: dict[str, dict[str, tuple[int, list[str]]]] = {}
    browser = Browser(study, {}, {})
    path = f"/r/{browser.token}/judge/"
    while browser.left:
        unit, form = browser.open()
        fields = screens.frame_of(unit.unit.task_id, study).kind.form(screens.screen_of(unit, study)).fields
        answer = {**form, **dict.fromkeys(fields, "3")}
        of_unit = found.setdefault(name_of(unit), {})
        for table in WAITS if not of_unit else ():
            with transaction.atomic(), held(f"SELECT id FROM tasks_app_{table} FOR UPDATE"), statements() as asked:
                of_unit[table] = browser.client.post(path, answer).status_code, asked
                transaction.set_rollback(True)
        browser.send(unit, form, 3)
    assert {"main", "control", "attention"} <= found.keys()
    for table, waits in WAITS.items():
        statuses = {purpose: outcomes[table][0] for purpose, outcomes in found.items()}
        assert set(statuses.values()) == {503 if waits else 302}, (table, statuses)
        different = {tuple(outcomes[table][1]) for outcomes in found.values()}
        assert len(different) == 1, (table, found)
