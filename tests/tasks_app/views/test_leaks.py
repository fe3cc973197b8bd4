"""What must not get out: ids, addresses and answers into logs; a researcher's or rater's text as code into a page."""

import csv
import io
import json
import logging
from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from evalweb.logs import SafeJsonFormatter
from tasks_app.models import (
    Criterion,
    Event,
    Group,
    Invitation,
    Item,
    Judgment,
    Output,
    Rater,
    Study,
    Task,
    Unit,
)
from tasks_app.services import erasure, pay
from tasks_app.services.arrival import invitations
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle
from tests import pages
from tests.builders import build_study
from tests.permissions.table import TABLE
from tests.tasks_app.attack_kit import everything, rater_of, set_settings
from tests.tasks_app.views.test_arriving import ALL, arrive, mturk, open_study, prolific
from tests.tasks_app.views.test_steps import RIGHT, WRONG, send
from tests.wrong import altered

pytestmark = pytest.mark.django_db

AGENT = "Browser of Ada 77.7"
ADDRESS = "203.0.113.99"
COMMENT = "my sister said the same"
DRAFTED = "half a thought of mine"
MAIL = "bo.secret@example.org"
NAME = "Bo Secretname"

FORMULA = "=cmd|' /C calc'!A1"
SCRIPT = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that our loggers say, as the product writes it, down to the finest level."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(SafeJsonFormatter())
    loggers = [logging.getLogger(name) for name in ("tasks_app", "evalweb", "analytics_app", "django.request")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.DEBUG)
        one.addHandler(handler)
    yield stream
    for one, level in zip(loggers, levels, strict=True):
        one.setLevel(level)
        one.removeHandler(handler)


def go_the_whole_way(study: Study, channel: str, query: dict[str, str]) -> str:
    """Take part with a draft, comments, mistakes and forged posts; returns the token."""
    browser = Client(REMOTE_ADDR=ADDRESS, headers={"user-agent": AGENT, "referer": f"https://x.example/?q={ADDRESS}"})
    token = arrive(browser, study, channel, query)
    start = f"/r/{token}/instructions/"
    browser.post(start, pages.hidden(browser.get(start)))
    form = pages.unit(browser, token)
    body = {"form_token": form["form_token"], "counter": 1, "answer": {"comment": DRAFTED}}
    assert browser.post(f"/r/{token}/draft/", json.dumps(body), "application/json").status_code == 200
    assert browser.post(f"/r/{token}/judge/", {**form, "p1-fluency": "no"}).status_code == 422
    assert browser.post(f"/r/{token}/judge/", {**form, "form_token": "forged", "comment": COMMENT}).status_code == 403
    sent = browser.post(f"/r/{token}/judge/", {**form, **RIGHT, "comment": COMMENT})
    assert sent.status_code == 302
    again = {**form, **WRONG, "submission": "8d2e1b8e-0000-4000-8000-000000000000"}
    assert browser.post(f"/r/{token}/judge/", again).status_code == 409
    skip = pages.hidden(browser.get(f"/r/{token}/judge/"), "skip") or pages.unit(browser, token)
    browser.post(f"/r/{token}/skip/", {**skip, "reason": "other", "comment": COMMENT})
    assert browser.get(f"/r/{altered(token)}/").status_code == 404
    assert browser.post(f"/r/{token}/more/", {}).status_code == 403
    browser.get(f"/join/{study.link_code}/{channel}/", {**query, "SESSION_ID": "zz", "assignmentId": "?"})
    return token


def test_neither_log_nor_events_say_who_it_was_or_what_they_answered(
    log: io.StringIO, rosa: User, rosas_browser: Client
) -> None:
    study = open_study()
    study.memberships.create(user=rosa, role="owner")
    there, turk = prolific(), mturk()
    made = invitations.invite(study=study, people=[invitations.Person(NAME, email=MAIL)], by=rosa)[0]
    tokens = [
        go_the_whole_way(study, "prolific", there),
        go_the_whole_way(study, "mturk", turk),
        go_the_whole_way(study, "invited", {"key": made.secret}),
    ]
    path = f"/admin/studies/{study.slug}/"
    said = f"Submission id,Participant id,Status\n{there['SESSION_ID']},{there['PROLIFIC_PID']},RETURNED\n"
    file = SimpleUploadedFile("s.csv", said.encode())
    assert "1" in rosas_browser.post(f"{path}recruit/statuses/prolific/", {"file": file}).content.decode()
    for rater in Rater.objects.all():
        assignments.stop(rater=rater)
    for channel in ("prolific", "mturk", "invited"):
        names = "list" if channel != "invited" else "payments"
        assert rosas_browser.get(f"{path}pay/files/{channel}/{names}.csv").status_code == 200
    for rest in ("due/1/ids/", "due/1/ids.csv", "raters/", "pay/", "due/", "recruit/people/"):
        assert rosas_browser.get(path + rest).status_code == 200
    rosas_browser.post(f"{path}people/link/", {"rater": rater_of(tokens[1]).pseudonym})
    secrets = [*there.values(), *turk.values(), made.secret, *tokens, MAIL, NAME, COMMENT, DRAFTED, ADDRESS, AGENT]
    secrets = [one for one in secrets if one not in {"3HIT", "https://www.mturk.com"}]
    written = log.getvalue()
    assert written.count("\n") > 50, "the log was read at all"
    events = "\n".join(map(str, Event.objects.values_list("verb", "object", "before", "after")))
    assert "entered statuses" in events
    for secret in secrets:
        assert secret not in written, secret
        assert secret not in events, secret
    stored = everything()
    assert AGENT not in stored
    assert ADDRESS not in stored


def test_after_erasing_nothing_of_them_is_in_any_table(rosa: User) -> None:
    study = open_study()
    there = prolific()
    made = invitations.invite(study=study, people=[invitations.Person(NAME, email=MAIL)], by=rosa)[0]
    tokens = [
        go_the_whole_way(study, "prolific", there),
        go_the_whole_way(study, "invited", {"key": made.secret}),
    ]
    raters = [rater_of(token) for token in tokens]
    pay.add_bonuses(
        study=study, by=rosa, amounts={raters[0].pseudonym: Decimal(1)}, reason=f"{NAME} was careful", form="f" * 32
    )
    secrets = [*there.values(), MAIL, NAME, COMMENT, *(one.pseudonym for one in raters)]
    assert all(secret in everything() for secret in secrets), "they were there"
    for rater in raters:
        erasure.erase(rater=rater, by=rosa)
    left = everything()
    for secret in [*secrets, DRAFTED]:
        assert secret not in left, secret
    assert not Judgment.objects.exists()


# Texts as code ------------------------------------------------------------------------------------------


def hostile(owner: User) -> Study:
    """Make a study whose every text is an attempt, and people with such names."""
    study = build_study(owner, slug="hostile", opened=False, known={"training": 1, "exam": 1}, k=8)
    Study.objects.filter(pk=study.pk).update(title=SCRIPT, public_title=SCRIPT)
    study.refresh_from_db()
    about = dict.fromkeys(("institution", "contact", "complaints", "ethics", "stored", "kept", "published"), SCRIPT)
    set_settings(
        study, about=about, pay={"bonus": SCRIPT, "paid": SCRIPT}, flow={"content_warning": SCRIPT}, channels=ALL
    )
    study.consent_texts.update(body=SCRIPT)
    Task.objects.filter(study=study).update(title=SCRIPT, instructions=SCRIPT)
    Criterion.objects.filter(study=study).update(
        name=SCRIPT, question=SCRIPT, definition=SCRIPT, ends={"low": SCRIPT, "high": SCRIPT}
    )
    Item.objects.filter(study=study).update(source=SCRIPT)
    Output.objects.filter(item__study=study).update(text=SCRIPT)
    for number, item in enumerate(Item.objects.filter(study=study)):
        Item.objects.filter(pk=item.pk).update(key=f"{FORMULA}{number}")
    for number, unit in enumerate(Unit.objects.filter(task__study=study)):
        Unit.objects.filter(pk=unit.pk).update(key=f"{FORMULA}{number}")
        unit.gold.update(explanation=SCRIPT)
    Group.objects.create(study=study, key="g", name=SCRIPT)
    return lifecycle.move(study_id=study.pk, action="open", by=owner)


# A rater's pages beside the texts, by whether an answer changes anything on them.
ALIKE = ("help/", "stop/", "withdraw/", "mail/")
CHANGING = ("instructions/", "stored/", "texts/", "end/")


def no_code_in(page: str, where: str) -> None:
    """Assert that what was tried stands on a page as text, if at all."""
    assert "<script>alert" not in page, where
    assert "<img src=x" not in page, where
    assert "&lt;script&gt;alert" in page or "alert(1)" not in page, where


def test_no_text_of_a_studys_or_a_raters_is_code_on_a_page(rosa: User, rosas_browser: Client) -> None:
    study = hostile(rosa)
    Invitation.objects.create(study=study, name=SCRIPT[:100], email="", token_hash="e" * 64)
    browser = Client()
    no_code_in(browser.get(f"/join/{study.link_code}/").content.decode(), "join")
    token = pages.join(study)
    rater = rater_of(token)
    for step in range(20):
        for rest in (*ALIKE, *CHANGING) if step == 0 else CHANGING:
            no_code_in(browser.get(f"/r/{token}/{rest}", follow=True).content.decode(), f"{step} {rest}")
        page = browser.get(f"/r/{token}/", follow=True)
        no_code_in(page.content.decode(), f"{step}")
        address = page.redirect_chain[-1][0] if page.redirect_chain else ""
        if address.endswith("/judge/"):
            form = pages.unit(browser, token)
            browser.post(address, {**form, **RIGHT, "comment": SCRIPT})
            other = {**form, **WRONG, "submission": "8d2e1b8e-0000-4000-8000-000000000000", "comment": SCRIPT}
            no_code_in(browser.post(address, other).content.decode(), "conflict")
        elif pages.hidden(page):
            browser.post(address, pages.hidden(page))
        rater.refresh_from_db()
        if rater.state == Rater.State.ENDED:
            break
    assert rater.state == Rater.State.ENDED
    for rest in (*ALIKE, *CHANGING):
        no_code_in(browser.get(f"/r/{token}/{rest}", follow=True).content.decode(), f"after the end {rest}")
    pay.add_bonuses(study=study, by=rosa, amounts={rater.pseudonym: Decimal(1)}, reason=SCRIPT, form="f" * 32)
    path = f"/admin/studies/{study.slug}/"
    sent = {"people/act/": {"action": "returned", "rater": SCRIPT}, "recruit/people/": {"channel": "invited"}}
    sent["recruit/people/"]["people"] = f"name,email\n{SCRIPT},{SCRIPT}"
    sent["recruit/statuses/prolific/"] = {"status": "RETURNED", "ids": SCRIPT}
    sent["pay/bonus/"] = {"to": "listed", "raters": SCRIPT, "amount": SCRIPT, "reason": SCRIPT, "form": SCRIPT}
    sent["pay/withhold/"] = {"rater": rater.pseudonym, "reason": SCRIPT}
    sent["pay/settle/"] = {"channel": SCRIPT, "last": SCRIPT}
    for rest, form in sent.items():
        no_code_in(rosas_browser.post(path + rest, form, follow=True).content.decode(), rest)
    for row in TABLE:
        if row.name.startswith("researcher:") and set(row.path) <= {"slug"} and row.method == "GET":
            answer = rosas_browser.get(reverse(row.name, kwargs={"slug": study.slug} if row.path else {}))
            if answer["Content-Type"].startswith("text/html"):
                no_code_in(answer.content.decode(), row.name)
    for query in ("channel=link&example=0", "channel=mturk&example=0", "channel=prolific&outcome=completed"):
        no_code_in(rosas_browser.get(f"{path}recruit/try/?{query}").content.decode(), query)


FILES = (
    "design/plan.csv", "design/pairs.csv", "checks/units.csv", "checks/raters.csv", "pay/raters.csv",
    "pay/files/link/payments.csv", "pay/files/invited/payments.csv", "pay/files/prolific/list.csv",
    "pay/files/mturk/list.csv", "due/1/ids.csv",
)  # fmt: skip


def test_no_cell_of_a_file_is_a_formula(rosa: User, rosas_browser: Client) -> None:
    study = hostile(rosa)
    path = f"/admin/studies/{study.slug}/"
    people = "\n".join(
        ["name,email,group", *(f'"{mark}1+{n}",,' for n, mark in enumerate(("=", "+", "-", "@", "\t=", "'=")))]
    )
    made = rosas_browser.post(f"{path}recruit/people/", {"channel": "invited", "people": people})
    assert made["Content-Type"].startswith("text/csv")
    written = [made.content.decode("utf-8-sig")]
    link = next(csv.DictReader(io.StringIO(written[0], newline="")))["link"]
    key = link.split("key=")[1]
    token = arrive(Client(), study, "invited", {"key": key})
    rater = rater_of(token)
    pay.add_bonuses(study=study, by=rosa, amounts={rater.pseudonym: Decimal(1)}, reason=FORMULA, form="f" * 32)
    for rest in FILES:
        answer = rosas_browser.get(path + rest)
        assert answer.status_code == 200, rest
        written.append(answer.getvalue().decode("utf-8-sig"))
    browser = Client()
    own = pages.join(study)
    while rater_of(own).state != Rater.State.ENDED:
        page = browser.get(f"/r/{own}/judge/", follow=True)
        if not page.redirect_chain:
            browser.post(f"/r/{own}/judge/", {**pages.hidden(page, "answer"), **RIGHT, "comment": FORMULA})
        else:
            browser.post(page.redirect_chain[-1][0], pages.hidden(page))
    written.append(browser.get(f"/r/{own}/texts/summary.csv").content.decode("utf-8-sig"))
    assert any(FORMULA in one for one in written)
    for text in written:
        for row in csv.reader(io.StringIO(text, newline="")):
            for cell in row:
                assert not cell.startswith(("=", "+", "@", "\t", "\r")), cell
                assert not cell.startswith("-") or cell[1:].replace(".", "").isdigit(), cell


def test_what_a_platform_reads_holds_ids_of_its_own_shape_alone(somebody: Client) -> None:
    """Files for platforms are not made harmless, so nothing but their own ids may get into them."""
    study = open_study()
    for query in (
        prolific(PROLIFIC_PID="=1+1" + "a" * 20),
        prolific(SESSION_ID="@SUM(A1)" + "a" * 16),
        prolific(PROLIFIC_PID="a" * 23 + "\n"),
        prolific(STUDY_ID="{{%STUDY_ID%}}"),
    ):
        assert somebody.get(f"/join/{study.link_code}/prolific/", query).status_code == 400, query
    for query in (mturk(workerId="=1+1"), mturk(assignmentId="A,B"), mturk(workerId='A"B'), mturk(hitId="<b>")):
        assert somebody.get(f"/join/{study.link_code}/mturk/", query).status_code == 400


def test_answers_of_a_rater_are_sent_by_nobody_else(somebody: Client) -> None:
    """A page of another site can post a form, but it cannot have the token: no cookie helps it."""
    study = open_study()
    token = pages.join(study)
    other = Client(headers={"origin": "https://evil.example"}, enforce_csrf_checks=True)
    assert other.post(f"/r/{token}/stop/", {}).status_code == 403
    assert other.post(f"/r/{token}/withdraw/", {"form_token": ""}).status_code == 403
    assert send(somebody, token, RIGHT)
    assert not somebody.cookies
