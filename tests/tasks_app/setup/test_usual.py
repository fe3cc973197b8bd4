"""Usual settings: asked once, kept for somebody's next studies, and never put over what a study says itself."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Setup, Study, UsualSettings
from tasks_app.models.setup_document import value_at
from tasks_app.setup import starting, usual
from tasks_app.setup.files import SetupFiles
from tasks_app.setup.starting import Names
from tasks_app.studyfile.checking import check
from tasks_app.task_types import registry

pytestmark = pytest.mark.django_db

NEW = "/admin/studies/new/"
NAMES = {"title": "Fluency", "public_title": "What reads well?"}
OWN = {
    "institution": "NLP group, Example University",
    "contact": "raters@uni-trier.de",
    "channel": "prolific",
    "currency": "GBP",
    "minimum_hourly": "9",
}
ASKED = "Asked once, for all your studies"


def given(slug: str) -> dict[str, Any]:
    document: dict[str, Any] = Setup.objects.get(study__slug=slug).given
    return document


def test_the_first_study_asks_and_the_next_ones_begin_with_it(rosas_browser: Client) -> None:
    assert ASKED in rosas_browser.get(f"{NEW}?task_type=likert").content.decode()
    sent = {"task_type": "likert", **NAMES, **{f"usual-{name}": value for name, value in OWN.items()}}
    assert rosas_browser.post(NEW, sent)["Location"] == "/admin/studies/fluency/set-up/task/"
    assert ASKED not in rosas_browser.get(f"{NEW}?task_type=likert").content.decode()
    rosas_browser.post(NEW, {"task_type": "slider", "title": "Second", "public_title": "What reads well?"})
    rosas_browser.post(NEW, {"texts": "", "title": "Third", "public_title": "What reads well?"})
    for slug in ("fluency", "second", "third"):
        document = given(slug)
        assert document["about"] == {"institution": OWN["institution"], "contact": OWN["contact"]}
        assert (document["pay"]["currency"], document["pay"]["minimum_hourly"]) == ("GBP", 9)
        assert document["channels"] == {"prolific": {}}
        assert document["codes"]["completed"], "what follows from choosing the platform follows here, too"


def test_nobody_is_asked_twice_who_left_it_empty(rosas_browser: Client, rosa: User) -> None:
    rosas_browser.post(NEW, {"task_type": "likert", **NAMES, "usual-currency": "EUR", "usual-minimum_hourly": "0"})
    assert "about" not in given("fluency")
    assert usual.of(rosa) is not None
    assert ASKED not in rosas_browser.get(f"{NEW}?task_type=likert").content.decode()


def test_an_example_gets_who_runs_it_and_keeps_its_pay(rosa: User, rosas_browser: Client) -> None:
    usual.keep(user=rosa, values={**OWN, "minimum_hourly": Decimal("9.50")})
    rosas_browser.post(NEW, {"example": "likert", **NAMES})
    document = given("fluency")
    assert document["about"]["contact"] == OWN["contact"]
    assert document["pay"]["currency"] == "EUR"
    # A copy keeps what its origin says, whatever is usual now.
    usual.keep(user=rosa, values={**OWN, "contact": "others@uni-trier.de"})
    rosas_browser.post(NEW, {"study": "fluency", "title": "Again", "public_title": "What reads well?"})
    assert given("again")["about"]["contact"] == OWN["contact"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("currency", "euro", "Enter a valid value"),
        ("minimum_hourly", "-1", "greater than or equal to 0"),
        ("channel", "mturk", "Select a valid choice"),
        ("institution", "x" * 301, "at most 300"),
        ("contact", "nul\0", "Null characters"),
        ("contact", "study@example.org", "“study@example.org” is an example."),
        ("institution", "Your institution", "“Your institution” is an example."),
    ],
)
def test_a_faulty_setting_is_refused_and_no_study_is_made(
    rosas_browser: Client, name: str, value: str, said: str
) -> None:
    sent = {"task_type": "likert", **NAMES, "usual-currency": "EUR", "usual-minimum_hourly": "0"}
    answer = rosas_browser.post(NEW, sent | {f"usual-{name}": value})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Study.objects.exists()
    assert not UsualSettings.objects.exists()
    assert (
        rosas_browser.post("/admin/usual/", {"currency": "EUR", "minimum_hourly": "0", name: value}).status_code == 422
    )


def test_the_page_of_usual_settings(rosas_browser: Client, rosa: User, mallorys_browser: Client) -> None:
    told = rosas_browser.post("/admin/usual/", OWN, follow=True).content.decode()
    assert "Saved. Your next studies begin with these settings." in told
    assert OWN["institution"] in told
    assert OWN["institution"] not in mallorys_browser.get("/admin/usual/").content.decode(), "they are one's own"
    usual.keep(user=rosa, values={**OWN, "minimum_hourly": Decimal("9.50")})
    study = starting.from_type(owner=rosa, member=registry["questionnaire"], names=Names("One", "Two"))
    usual.fill(study=study, by=rosa)
    assert value_at(given(study.slug), ("pay", "minimum_hourly")) == 9.5
    # What is filled in is what a study file may hold.
    assert check(SetupFiles(Setup.objects.get(study=study))).document["pay"]["minimum_hourly"] == Decimal("9.5")
