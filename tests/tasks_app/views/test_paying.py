"""The tab Pay and its files, and what raters are told of their pay."""

import csv
from decimal import Decimal
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tasks_app.models import Event, Identity, Invitation, Payment, Rater, Study
from tasks_app.services import pay
from tasks_app.services.judging import assignments
from tests import walk
from tests.builders import build_study
from tests.deviations import assert_each
from tests.once import study_made_once
from tests.pages import hidden, join, unit
from tests.tasks_app.services.test_pay import shift, work

pytestmark = pytest.mark.django_db

FORM = "0" * 32


def path(study: Study, rest: str = "") -> str:
    return f"/admin/studies/{study.slug}/pay/{rest}"


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


def lines(answer: HttpResponse) -> list[list[str]]:
    assert answer.status_code == 200
    return list(csv.reader(StringIO(answer.getvalue().decode())))


def come_from(rater: Rater, channel: str, person: str, visit: str) -> Rater:
    """Make a rater one whom a platform sent."""
    Rater.objects.filter(pk=rater.pk).update(channel=channel)
    Identity.objects.create(rater=rater, study_id=rater.study_id, channel=channel, external_id=person, session_id=visit)
    return rater


# An open study with room for many raters.
wide_once, wide = study_made_once("wide", lambda _rosa: build_study(None, slug="wide", k=8))


@pytest.fixture
def mine(wide: Study, rosa: object) -> Study:
    """The wide study, rosa's."""
    wide.memberships.create(user=rosa, role="owner")
    return wide


def test_the_page_says_sums_times_and_everybody_by_pseudonym(mine: Study, rosas_browser: Client) -> None:
    ada, ben = come_from(work(mine), "prolific", "a" * 24, "b" * 24), work(mine, 2)
    assignments.stop(rater=ben)
    page = text(rosas_browser.get(path(mine)))
    assert ada.pseudonym in page
    assert ben.pseudonym in page
    assert "4.50 EUR" in page
    assert "a" * 24 not in page, "nobody is named as their platform does"


@pytest.mark.exhaustive
def test_the_page_takes_few_queries(
    mine: Study, rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for channel in ("prolific", "mturk", "link"):
        come_from(work(mine), channel, channel, "visit")
        work(mine, 1)
    rosas_browser.get(path(mine))
    with django_assert_max_num_queries(20):
        rosas_browser.get(path(mine))
    with django_assert_max_num_queries(16):
        rosas_browser.get(path(mine, "files/prolific/list.csv")).getvalue()


def test_filters_and_the_csv(mine: Study, rosas_browser: Client) -> None:
    ada, ben = work(mine), work(mine, 2)
    pay.withhold(rater=ada, by=None, reason="=cmd()")
    page = text(rosas_browser.get(path(mine) + "?status=withheld"))
    assert ada.pseudonym in page
    assert ben.pseudonym not in page
    header, *rows = lines(rosas_browser.get(path(mine, "raters.csv")))
    found = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert found[ada.pseudonym]["withheld"] == "3.00"
    assert (found[ben.pseudonym]["owed"], found[ben.pseudonym]["outcome"]) == ("0.00", "judging")
    assert rosas_browser.get(path(mine) + "?status=nonsense&page=99&channel=%00").status_code == 200


# The query of the Pay page, and the raters that it shows.
FILTERS = {
    "": "ada ben cleo dan",
    "status=open": "ada",
    "status=paid": "ben",
    "status=withheld": "cleo",
    "status=below": "ada",
    "status=begun": "dan",
    "channel=prolific": "ben",
    "outcome=completed": "ada ben cleo",
    "outcome=withdrawn": "",
    "status=open&channel=link": "ada",
    "status=withheld&channel=prolific": "",
    "simulated=on": "ada ben cleo dan eve",
    "simulated=on&status=open": "ada eve",
    "status=nonsense": "ada ben cleo dan",
    "status=open&outcome=nonsense": "ada",
}


def test_each_filter_shows_the_same_raters_on_the_page_and_in_the_file(mine: Study, rosas_browser: Client) -> None:
    """Ada, who was slow, waits for her pay, Ben was paid, Cleo's is withheld, Dan has begun; Eve is simulated."""
    settle_pay(mine, minimum_hourly="12.00")
    raters = {name: work(mine) for name in ("ada", "ben", "cleo")}
    raters |= {"dan": walk.arrive(mine), "eve": work(mine, kind=Rater.Kind.SIMULATED)}
    shift(raters["ada"], minutes=[5, 10, 15, 20])
    come_from(raters["ben"], "prolific", "b" * 24, "1" * 24)
    Payment.objects.filter(rater=raters["ben"]).update(settled_at=timezone.now())
    pay.withhold(rater=raters["cleo"], by=None, reason="did not agree")
    names = {rater.pseudonym: name for name, rater in raters.items()}

    def check(query: str, shown: str) -> None:
        page = text(rosas_browser.get(f"{path(mine)}?{query}"))
        _header, *rows = lines(rosas_browser.get(f"{path(mine, 'raters.csv')}?{query}"))
        assert {name for pseudonym, name in names.items() if pseudonym in page} == set(shown.split())
        assert {names[row[0]] for row in rows} == set(shown.split())

    assert_each(check, ((query, {"query": query, "shown": shown}) for query, shown in FILTERS.items()))


def test_prolific_pays_the_reward_and_the_file_the_rest(mine: Study, rosas_browser: Client) -> None:
    """As Prolific's bulk bonus payment takes it: participant, amount, no header."""
    ada = come_from(work(mine), "prolific", "a" * 24, "1" * 24)
    ben = come_from(work(mine, 2), "prolific", "b" * 24, "2" * 24)
    cleo = come_from(work(mine), "prolific", "c" * 24, "3" * 24)
    assignments.stop(rater=ben)
    pay.add_bonuses(study=mine, by=None, amounts={ada.pseudonym: Decimal("0.25")}, reason="care", form="f")
    pay.withhold(rater=cleo, by=None, reason="=did not agree")
    assert sorted(lines(rosas_browser.get(path(mine, "files/prolific/bonuses.csv")))) == [
        ["a" * 24, "0.25"], ["b" * 24, "1.50"],
    ]  # fmt: skip
    header, *rows = lines(rosas_browser.get(path(mine, "files/prolific/list.csv")))
    found = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert {person[0]: row["action"] for person, row in found.items()} == {
        "a": "approve and pay", "b": "pay", "c": "withheld",
    }  # fmt: skip
    assert found["c" * 24]["withheld_because"] == "'=did not agree", "no formula for a spreadsheet"
    event = Event.objects.filter(study=mine, verb="exported").first()
    assert event is not None
    assert "a" * 24 not in f"{event.object} {event.after}"


def test_a_reward_is_not_taken_off_twice(mine: Study, rosas_browser: Client) -> None:
    ada = come_from(work(mine), "prolific", "a" * 24, "1" * 24)
    pay.settle(study=mine, channel="prolific", by=None, last=10**9)
    pay.add_bonuses(study=mine, by=None, amounts={ada.pseudonym: Decimal("4.00")}, reason="care", form="f")
    assert lines(rosas_browser.get(path(mine, "files/prolific/bonuses.csv"))) == [["a" * 24, "4.00"]]


def test_mturk_approves_and_pays_what_is_beside_the_reward(mine: Study, rosas_browser: Client) -> None:
    Study.objects.filter(pk=mine.pk).update(settings={**mine.settings, "channels": {"mturk": {"reward": "0.40"}}})
    come_from(work(mine), "mturk", "AWORKER", "3ASSIGNMENT")
    assert lines(rosas_browser.get(path(mine, "files/mturk/approve.csv"))) == [
        ["AssignmentId", "WorkerId", "Approve", "Reject"], ["3ASSIGNMENT", "AWORKER", "X", ""],
    ]  # fmt: skip
    assert lines(rosas_browser.get(path(mine, "files/mturk/bonuses.csv"))) == [
        ["AssignmentId", "WorkerId", "BonusAmount", "Reason"],
        ["3ASSIGNMENT", "AWORKER", "2.60", "Pay for “Reading short texts”"],
    ]


def test_invited_raters_are_paid_by_name(mine: Study, rosas_browser: Client) -> None:
    ada = work(mine)
    Rater.objects.filter(pk=ada.pk).update(channel="invited")
    Invitation.objects.create(study=mine, name="=Ada", email="ada@example.org", token_hash="x", rater=ada)
    header, row = lines(rosas_browser.get(path(mine, "files/invited/payments.csv")))
    found = dict(zip(header, row, strict=True))
    assert (found["name"], found["email"], found["amount"], found["completion_code"]) == (
        "'=Ada", "ada@example.org", "3.00", ada.completion_code,
    )  # fmt: skip
    assert rosas_browser.get(path(mine, "files/invited/nothing.csv")).status_code == 404


def test_marking_as_paid_asks_and_leaves_what_came_later(mine: Study, rosas_browser: Client) -> None:
    ada = work(mine)
    last = Payment.objects.latest("pk").pk
    assert f'name="last" value="{last}"' in text(rosas_browser.get(path(mine)))
    ben = work(mine)
    asked = rosas_browser.post(path(mine, "settle/"), {"channel": "link", "last": last})
    assert "1 rater with 3.00 EUR" in text(asked)
    assert not Payment.objects.exclude(settled_at=None).exists()
    rosas_browser.post(path(mine, "settle/"), {"channel": "link", "last": last, "sure": "yes"})
    assert set(Payment.objects.exclude(settled_at=None).values_list("rater__pseudonym", flat=True)) == {ada.pseudonym}
    assert ben.payments.get().settled_at is None


def test_bonuses_by_list_by_file_and_for_everybody(mine: Study, rosas_browser: Client) -> None:
    ada, ben = work(mine), work(mine)
    given = {"to": "listed", "raters": f"{ada.pseudonym}", "amount": "0.50", "reason": "care", "form": FORM}
    file = SimpleUploadedFile("list.csv", f"rater,amount\n{ben.pseudonym},0.75\n{ada.pseudonym},1\n".encode())
    refused = rosas_browser.post(path(mine, "bonus/"), {**given, "file": file})
    assert refused.status_code == 422
    assert f"Line 3: {ada.pseudonym} stands here twice." in text(refused), "in the list and in the file"
    file = SimpleUploadedFile("list.csv", b"rater,amount\r\nr-1,0.75\r\nr-\xff,1\r\n")
    refused = rosas_browser.post(path(mine, "bonus/"), {**given, "file": file})
    assert refused.status_code == 422
    assert "list.csv:3:3:" in text(refused)
    assert not Payment.objects.filter(kind="bonus").exists()
    file = SimpleUploadedFile("list.csv", f"rater;amount\n{ben.pseudonym};0.75\n".encode())
    assert rosas_browser.post(path(mine, "bonus/"), {**given, "file": file}).status_code == 302
    rosas_browser.post(path(mine, "bonus/"), {"to": "completed", "amount": "1", "reason": "all", "form": "1" * 32})
    assert [pay.final_pay(one).bonus for one in (ada, ben)] == [Decimal("1.50"), Decimal("1.75")]


@pytest.mark.parametrize(
    "wrong",
    [{"raters": "r-nobody"}, {"raters": ""}, {"amount": "-1"}, {"amount": "0.001"}, {"reason": ""}, {"form": "x"},
     {"raters": "r-1, 1e9"}, {"raters": "r-1,0.5,x"}, {"raters": "r-1\nr-1"}, {"to": "completed", "amount": ""}],
)  # fmt: skip
def test_bad_bonuses_store_nothing(mine: Study, rosas_browser: Client, wrong: dict[str, str]) -> None:
    ada = work(mine)
    right = {"to": "listed", "raters": ada.pseudonym, "amount": "0.50", "reason": "care", "form": FORM}
    assert rosas_browser.post(path(mine, "bonus/"), {**right, **wrong}).status_code == 422
    assert not Payment.objects.filter(kind="bonus").exists()
    assert rosas_browser.post(path(mine, "bonus/"), right).status_code == 302
    assert Payment.objects.filter(kind="bonus").count() == 1


def test_simulated_raters_are_left_out_until_asked_for(mine: Study, rosas_browser: Client) -> None:
    sim = work(mine, kind=Rater.Kind.SIMULATED)
    assert sim.pseudonym not in text(rosas_browser.get(path(mine)))
    assert len(lines(rosas_browser.get(path(mine, "files/link/payments.csv")))) == 1
    assert sim.pseudonym in text(rosas_browser.get(path(mine) + "?simulated=on"))


def settle_pay(study: Study, **values: object) -> None:
    study.settings = {**study.settings, "pay": {"amount": "3.00", "minutes": 10, **values}}
    study.save()


def test_a_low_offer_is_said_before_opening(mine: Study, rosas_browser: Client) -> None:
    settle_pay(mine, minimum_hourly="20.00")
    for page in ("pay/", "", "design/"):
        assert "18.00 EUR per hour" in text(rosas_browser.get(f"/admin/studies/{mine.slug}/{page}")), page


def test_pay_that_is_enough_for_the_time_is_not_called_too_low(mine: Study, rosas_browser: Client) -> None:
    settle_pay(mine, minimum_hourly="0.01")
    work(mine)
    assert "for a set at the median" not in text(rosas_browser.get(path(mine)))
    settle_pay(mine, minimum_hourly="1000000")
    assert "for a set at the median" in text(rosas_browser.get(path(mine)))


def test_everything_about_pay_stands_above_the_consent(somebody: Client) -> None:
    study = build_study(None, slug="with-exam", known={"exam": 1})
    settle_pay(study, part_amount="0.40", bonus="1 EUR for the most careful.", paid="Within a week, by post.")
    page = text(somebody.get(f"/join/{study.link_code}/"))
    offer, _button = page.split("I agree, begin")
    for said in ("3.00 EUR", "paid for what you have done", "0.40 EUR", "1 EUR for the most careful.", "by post"):
        assert said in offer, said


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({}, ""),
        ({"exam": 1}, "If you do not pass the exam, you are not paid."),
        ({"screening": 1}, "If you are screened out, you are not paid."),
        ({"training": 1}, ""),
    ],
)
def test_who_meets_no_screening_and_no_exam_reads_nothing_about_them(
    somebody: Client, known: dict[str, int], said: str
) -> None:
    study = build_study(None, slug="ends", known=known)
    offer = text(somebody.get(f"/join/{study.link_code}/"))
    assert ("screened out" in offer, "exam" in offer) == ("screening" in known, "exam" in known)
    assert said in offer


def test_the_end_says_what_is_paid_and_how(mine: Study, somebody: Client) -> None:
    settle_pay(mine, paid="Within a week, by post.")
    token = join(mine)
    while (page := somebody.get(f"/r/{token}/judge/")).status_code == 200:
        somebody.post(f"/r/{token}/judge/", {**unit(somebody, token), "p1-fluency": "4"})
    assert page.status_code == 302
    end = text(somebody.get(f"/r/{token}/end/"))
    assert "You are paid 3.00 EUR for your work here." in end
    assert "Within a week, by post." in end
    rater = Rater.objects.get()
    pay.add_bonuses(study=mine, by=None, amounts={rater.pseudonym: Decimal("0.50")}, reason="care", form="f")
    assert "a bonus of 0.50 EUR" in text(somebody.get(f"/r/{token}/end/"))


def test_the_page_before_stopping_says_what_is_then_paid(mine: Study, somebody: Client) -> None:
    token = join(mine)
    somebody.post(f"/r/{token}/judge/", {**unit(somebody, token), "p1-fluency": "4"})
    page = somebody.get(f"/r/{token}/stop/")
    assert "If you stop now, you are paid 0.75 EUR for what you have done." in text(page)
    somebody.post(f"/r/{token}/stop/", hidden(page))
    assert Rater.objects.get().payments.get().amount == Decimal("0.75")


def test_an_unpaid_study_has_no_sums_and_no_payment_files(mine: Study, rosas_browser: Client) -> None:
    work(mine)
    said = "Raters are paid for the units they answered", "Owed</dt>", "Payment files"
    assert all(words in text(rosas_browser.get(path(mine))) for words in said)
    Payment.objects.all().delete()
    Study.objects.filter(pk=mine.pk).update(settings={**mine.settings, "pay": {}})
    page = text(rosas_browser.get(path(mine)))
    assert "This study promises no pay." in page
    assert not any(words in page for words in said)
