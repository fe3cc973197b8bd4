"""Who tries to be paid for nothing, or to get the code of those who finished: neither is given."""

import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tasks_app.links import credentials
from tasks_app.models import Judgment, Payment, Rater, RaterSet, Study
from tasks_app.services import pay
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle
from tests import invariants, pages, walk
from tests.builders import build_study
from tests.once import study_made_once
from tests.permissions.table import TOKEN_ROWS
from tests.tasks_app import waves_kit
from tests.tasks_app.attack_kit import changed, rater_of, set_settings, tables
from tests.tasks_app.services.test_pay import work
from tests.tasks_app.views.test_arriving import arrive, open_study, prolific
from tests.tasks_app.views.test_attacks import signed_in_form
from tests.tasks_app.views.test_steps import RIGHT, WRONG, send

pytestmark = pytest.mark.django_db


study_once, study = study_made_once("study", build_study)


def test_nobody_gets_the_code_of_a_whole_set_by_staying_away(somebody: Client) -> None:
    """Answer one text, wait until others have taken the rest, come back: paid for one, and no code of the completed."""
    study = open_study(items=2, k=1, set_size=4)
    token = arrive(somebody, study, "prolific", prolific())
    ada = rater_of(token)
    somebody.post(f"/r/{token}/instructions/", pages.hidden(somebody.get(f"/r/{token}/instructions/")))
    send(somebody, token, RIGHT)
    RaterSet.objects.filter(rater=ada).update(lease_until="2020-01-01T00:00Z")
    arrive(Client(), study, "prolific", prolific())
    end = somebody.get(f"/r/{token}/judge/", follow=True).content.decode()
    assert "DONE1" not in end
    assert "FULL1" in end
    assert "Other raters have answered everything" in end
    assert [str(one) for one in Payment.objects.filter(rater=ada).values_list("amount", flat=True)] == ["0.75"]


def test_the_code_of_a_wave_is_for_those_who_did_it(somebody: Client) -> None:
    study = waves_kit.opened()
    set_settings(study, channels={"prolific": {}}, flow={"wave_codes": "WAVE1, WAVE2"}, codes={"completed": "LAST3"})
    token = arrive(somebody, study, "prolific", prolific())
    ada = rater_of(token)
    assignments.start(rater=ada)
    waves_kit.do_what_is_open(study, ada)
    waiting = f"/r/{token}/waiting/"
    assert "WAVE1" in somebody.get(waiting).content.decode()
    waves_kit.days_pass(ada, 10.5)
    page = somebody.get(f"/r/{token}/", follow=True)
    assert page.redirect_chain[-1][0] == waiting
    assert "WAVE" not in page.content.decode(), "the second wave closed without an answer"


def test_the_last_code_is_not_for_those_who_let_the_last_wave_close(somebody: Client) -> None:
    study = waves_kit.opened()
    set_settings(study, channels={"prolific": {}}, codes={"completed": "LAST3"})
    token = arrive(somebody, study, "prolific", prolific())
    ada = rater_of(token)
    assignments.start(rater=ada)
    RaterSet.objects.filter(rater=ada, wave=3).update(closes_at=F("opens_at") + timedelta(days=3))
    for days in (7.5, 12):
        waves_kit.do_what_is_open(study, ada)
        waves_kit.days_pass(ada, days)
    page = somebody.get(f"/r/{token}/", follow=True).content.decode()
    assert "LAST3" not in page
    ada.refresh_from_db()
    assert (ada.state, ada.outcome) == ("ended", "timed_out")


def test_after_the_end_no_answer_is_changed_and_nothing_more_is_owed(somebody: Client) -> None:
    study = open_study(codes={})
    token = arrive(somebody, study, "prolific", prolific())
    somebody.post(f"/r/{token}/instructions/", pages.hidden(somebody.get(f"/r/{token}/instructions/")))
    form = pages.unit(somebody, token)
    stop = signed_in_form(somebody, token, "stop")
    while rater_of(token).state != Rater.State.ENDED:
        send(somebody, token, RIGHT)
    first = Judgment.objects.earliest("pk")
    code = rater_of(token).completion_code
    before = tables()
    change = {**form, **WRONG, "submission": str(uuid.uuid4()), "replaces": str(first.pk)}
    assert somebody.post(f"/r/{token}/judge/", change).status_code == 409
    assert somebody.post(f"/r/{token}/stop/", stop)["Location"] == f"/r/{token}/end/"
    for _time in range(2):
        assert code in somebody.get(f"/r/{token}/end/").content.decode()
    assert changed(before) == set()
    more = {"form_token": credentials.sign("step", rater=credentials.handle_of_rater(rater_of(token).pk), step="more")}
    assert somebody.post(f"/r/{token}/more/", more).status_code == 200, "a study that gives one set gives no second"
    assert changed(before) == set()


def test_before_the_end_there_is_no_code_anywhere(somebody: Client) -> None:
    study = open_study(codes={"completed": "DONE1", "failed": "FAILED1", "withdrawn": "STOP1"})
    token = arrive(somebody, study, "prolific", prolific())
    somebody.post(f"/r/{token}/instructions/", pages.hidden(somebody.get(f"/r/{token}/instructions/")))
    send(somebody, token, RIGHT)
    for row in TOKEN_ROWS:
        own = {**row.path, "token": token, **({"name": "x"} if "name" in row.path else {})}
        page = somebody.get(reverse(row.name, kwargs=own), follow=True).content.decode()
        assert not [one for one in ("DONE1", "FAILED1", "STOP1") if one in page], row.name


def test_times_that_a_browser_makes_up_change_no_pay(somebody: Client) -> None:
    study = build_study(None, slug="another")
    set_settings(study, pay={"amount": "3.00", "part_amount": "0.10", "part_by_time": True, "minutes": 10})
    token = pages.join(study)
    for seconds in ("604800", "1e300", "-5", "nan", "inf"):
        form = pages.unit(somebody, token)
        somebody.post(f"/r/{token}/judge/", {**form, **RIGHT, "seconds_active": seconds, "seconds_elapsed": seconds})
    ada = rater_of(token)
    assignments.stop(rater=ada, outcome=Rater.Outcome.FAILED)
    stored = Judgment.objects.get()  # what is no time is refused with its answer
    times = [stored.seconds_active, stored.seconds_elapsed]
    assert all(one is not None and one < 600 for one in times), "longer than the text has been shown"
    assert str(Payment.objects.get().amount) == "0.75", "one of four texts, and next to no time by the server's clock"


NO_AMOUNTS = ("NaN", "sNaN", "Infinity", "-Infinity", "-1", "0", "0.001", "1e9", "9" * 30, "1,00", "")


def test_no_amount_that_is_none_is_promised(study: Study, rosas_browser: Client) -> None:
    rater = walk.arrive(study)
    form = {"to": "listed", "reason": "care", "form": "f" * 32}
    before = tables()
    for amount in NO_AMOUNTS:
        for sent in (
            {"raters": f"{rater.pseudonym};{amount}", "amount": ""},
            {"raters": rater.pseudonym, "amount": amount},
        ):
            answer = rosas_browser.post(f"/admin/studies/{study.slug}/pay/bonus/", form | sent)
            assert answer.status_code == 422, sent
    assert changed(before) == set()
    sound = form | {"raters": rater.pseudonym, "amount": "1"}
    assert rosas_browser.post(f"/admin/studies/{study.slug}/pay/bonus/", sound).status_code == 302


def test_what_is_missing_is_added_for_the_sum_that_was_confirmed_alone(study: Study, rosas_browser: Client) -> None:
    set_settings(study, pay={"amount": "0.01", "minimum_hourly": "60.00", "minutes": 1})
    rater = work(study)
    Rater.objects.filter(pk=rater.pk).update(enrolled_at=F("enrolled_at") - timedelta(minutes=10))
    missing = pay.up_to_date(study=study).missing_bonuses
    assert missing > 1
    address = f"/admin/studies/{study.slug}/pay/mend/"
    before = tables()
    for seen in ("NaN", "sNaN", "Infinity", "", "0.01", "\0", "1e400"):
        rosas_browser.post(address, {"seen": seen, "form": "\0" + "f" * 32, "sure": "yes"})
        assert changed(before) == set(), seen
    for _press in range(2):
        rosas_browser.post(address, {"seen": str(missing), "form": "\0" + "f" * 32, "sure": "yes"})
        assert Payment.objects.filter(kind="bonus").count() == 1


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_money_and_erasing_are_the_owners(study: Study, somebody: Client, role: str) -> None:
    rater = walk.arrive(study)
    pay.add_bonuses(study=study, by=None, amounts={rater.pseudonym: Decimal("0.50")}, reason="care", form="1")
    member = User.objects.create_user("member", is_staff=True)
    study.memberships.create(user=member, role=role)
    somebody.force_login(member)
    path, own = f"/admin/studies/{study.slug}/", {"rater": rater.pseudonym}
    posts = {
        "pay/bonus/": {"to": "listed", "raters": rater.pseudonym, "amount": "1", "reason": "x", "form": "f" * 32},
        "pay/withhold/": {**own, "reason": "x"},
        f"pay/undo/{Payment.objects.get().pk}/": {},
        "pay/settle/": {"channel": "link", "sure": "yes"},
        "pay/mend/": {"seen": "0.00", "form": "f" * 32, "sure": "yes"},
        "pay/absent/": {},
        "people/act/": {**own, "action": "erase"},
    }
    before = tables()
    for rest, form in {**posts, "people/act/#": {**own, "action": "forget"}}.items():
        assert somebody.post(path + rest.strip("#"), form).status_code == 404, rest
    assert somebody.get(f"{path}pay/files/link/payments.csv").status_code == 404
    assert changed(before) == set()


def test_whoever_is_at_work_when_a_study_closes_may_finish_and_is_paid(somebody: Client) -> None:
    """In practice, in the test and among the texts: everybody in turn when it closes, and no worker runs."""
    known = {"training": 1, "exam": 1, "control": 1}
    study = open_study(slug="another", k=8, known=known, checks={"exam_pass": 1.0}, codes={"completed": "DONE1"})
    tokens = []
    for done in range(4):
        token = pages.join(study)
        for _unit in range(done):
            page = somebody.get(f"/r/{token}/judge/", follow=True)
            go_on(somebody, token, page)
        tokens.append(token)
    fresh = somebody.get(f"/join/{study.link_code}/")
    lifecycle.move(study_id=study.pk, action="close", by=None)
    assert somebody.post(f"/join/{study.link_code}/", pages.hidden(fresh)).status_code == 410
    for token in tokens:
        while not (page := somebody.get(f"/r/{token}/", follow=True)).redirect_chain[-1][0].endswith("/end/"):
            go_on(somebody, token, page)
        assert "DONE1" in page.content.decode()
        assert [str(one.amount) for one in rater_of(token).payments.all()] == ["3.00"]
    invariants.check(study)


def go_on(browser: Client, token: str, page: HttpResponse) -> None:
    """Do what a page asks for: answer rightly, or press its button."""
    address = page.redirect_chain[-1][0] if page.redirect_chain else f"/r/{token}/judge/"
    if address.endswith("/judge/"):
        answer = browser.post(address, {**pages.hidden(page, "answer"), **RIGHT})
    else:
        answer = browser.post(address, pages.hidden(page))
    assert answer.status_code == 302, address
