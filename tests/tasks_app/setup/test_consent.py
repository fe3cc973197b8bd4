"""The draft of the consent text: what the set-up says stands in it, what it lacks is asked in fields."""

import re
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import task_types
from tasks_app.models import Setup, Study
from tasks_app.readiness.leftovers import found_in
from tasks_app.setup import changes, starting
from tasks_app.setup.consent import consent_draft
from tasks_app.setup.consent_answers import QUESTIONS, questions_for
from tasks_app.setup.starting import Names
from tasks_app.texts.richtext import to_html
from tests.about import ABOUT

FULL = yaml.safe_load(Path("examples/checked/study.yaml").read_text(encoding="utf-8"))
FULL["about"] |= ABOUT

ANSWERS = {
    "purpose": "how people understand notices",
    "institution": "Language group, University of Trier",
    "minutes": "9",
    "amount": "3",
    "paid": "within a week",
    "identities_days": "90",
    "names_until": "the end of 2027",
    "kept": "ten years",
    "published": "the answers under pseudonyms",
    "contact": "ada@uni-trier.de",
    "complaints": "ethics@uni-trier.de",
    "ethics": "Ethics board of Trier, 12/2026",
    "officer": "Bo Data, Trier",
    "authority": "LfDI Mainz",
    "sensitive": "your health",
    "age": "16",
}


def names_asked(given: dict[str, object], minutes: float | None = None) -> list[str]:
    return [asked.question.name for asked in questions_for(given, minutes)]


def test_what_the_form_holds_stands_in_the_text() -> None:
    text = consent_draft(FULL, None)
    for words in (
        "“How good are these short messages?”",
        ABOUT["institution"],
        "about 12 minutes",
        "2.40 EUR for a full set, which is 12.00 EUR per hour",
        "you get 0.60 EUR",
        ABOUT["contact"],
        ABOUT["complaints"],
        ABOUT["ethics"],
        "Five years after the study ends.",
        "The answers under pseudonyms, with the paper.",
        "Your id on Prolific is kept apart",
    ):
        assert words in text, words


def test_only_what_the_form_does_not_hold_is_asked() -> None:
    assert names_asked(FULL) == ["purpose", "paid", "identities_days", "officer", "authority", "sensitive", "age"]
    # What is to be replaced is no answer.
    assert "contact" in names_asked({**FULL, "about": {**FULL["about"], "contact": "study@example.org"}})
    asked = names_asked({})
    assert {"institution", "minutes", "kept", "published", "contact", "complaints", "ethics"} <= set(asked)
    assert {"amount", "paid"} <= set(asked)
    assert not {"identities_days", "names_until", "sensitive"} & set(asked)
    assert "minutes" not in names_asked({}, 12.5)
    assert "names_until" in names_asked({"channels": {"invited": {}}})
    paid = {"pay": {"amount": 3}, "channels": {"prolific": {}}, "tasks": [{"type": "questionnaire"}]}
    assert {"paid", "identities_days", "sensitive"} <= set(names_asked(paid))


@pytest.mark.parametrize("given", [{}, FULL, {"pay": {"amount": 3}, "channels": {"prolific": {}, "invited": {}}}])
def test_with_every_answer_nothing_is_left_to_replace(given: dict[str, object]) -> None:
    """What is not required may be missing as well: its sentence is left out."""
    required = {question.name for question, _is_asked in QUESTIONS if question.required}
    for answers in (ANSWERS, {name: text for name, text in ANSWERS.items() if name in required}):
        text = consent_draft({**given, "about": {}}, None, answers)
        assert found_in(text, any_bracket=True) == ""
        assert "None" not in text
        assert "  " not in text
        assert ".." not in text
        assert "()" not in text


def test_answers_stand_in_the_text() -> None:
    given = {"pay": {"amount": 3}, "channels": {"prolific": {}, "invited": {}}, "tasks": [{"type": "questionnaire"}]}
    text = consent_draft(given, None, ANSWERS)
    for name, words in ANSWERS.items():
        assert words in text, name
    assert "at least 18 years" in consent_draft({}, None, {})


def test_what_is_missing_is_named_in_the_preview() -> None:
    assert "[What the study is for]" in consent_draft({}, None)
    assert "You get [Pay for a full set] for a full set." in consent_draft({"channels": {"prolific": {}}}, None)
    assert "You are not paid for taking part." in consent_draft({}, None)


def test_minutes_are_those_of_the_study_or_the_estimate() -> None:
    assert "about 12.5 minutes" in consent_draft({}, 12.5)
    assert "about 9 minutes" in consent_draft({"pay": {"minutes": 9}}, 12.5)


@pytest.mark.parametrize(
    "given",
    [
        {"pay": {"amount": "much", "currency": 3, "minutes": []}},
        {"pay": {"amount": float("nan")}, "about": "nobody", "tasks": "none", "channels": ["link"]},
        {"tasks": [None, {"type": "nothing"}, {"checks": 3}], "flow": None, "study": []},
    ],
)
def test_mistakes_in_the_form_break_nothing(given: dict[str, object]) -> None:
    assert "You are not paid" in consent_draft(given, None)
    assert questions_for(given, None)


def test_what_is_asked_and_warned_of_is_said() -> None:
    text = consent_draft(
        {
            "tasks": [
                {"type": "questionnaire", "stage": "screening"},
                {"type": "likert", "checks": {"exam_pass": 0.7}},
            ],
            "flow": {"content_warning": "Some texts speak of violence", "allow_skip": False},
            "channels": {"invited": {}},
        },
        None,
    )
    for words in (
        "questions about yourself",
        "whether the study fits you",
        "short test",
        "speak of violence",
        "invited",
    ):
        assert words in text, words
    assert "skip any text" not in text
    assert "You read texts" not in consent_draft({"tasks": [{"type": "questionnaire"}]}, None)


def test_it_says_what_the_law_asks_for_and_is_sound_markdown() -> None:
    text = consent_draft(FULL, None, ANSWERS)
    for words in ("GDPR", "erased", "corrected", "restricted", "take back your consent", "complain", "voluntary", "16"):
        assert words in text, words
    html = to_html(text)
    assert html.count("<p>") == html.count("<strong>") == 11


@pytest.fixture
def study(rosa: User) -> Study:
    return starting.from_type(owner=rosa, member=task_types.registry["likert"], names=Names("Consent", "Good texts?"))


@pytest.mark.django_db
def test_it_is_asked_for_shown_and_taken_over_from_the_step(rosas_browser: Client, rosa: User, study: Study) -> None:
    step, path = (f"/admin/studies/{study.slug}/set-up/consent/{rest}" for rest in ("", "draft/"))
    assert f'href="{path}"' in rosas_browser.get(step).content.decode()
    page = rosas_browser.get(path).content.decode()
    assert "“Good texts?” is a study of" in page
    assert "Minutes that a set takes" in page
    rows = [{"item": f"i{n}", "system": system, "output": "Some words."} for n in range(30) for system in "ab"]
    changes.replace_table(setup=Setup.objects.get(), table="items", rows=rows, by=rosa)
    page = rosas_browser.get(path).content.decode()
    assert re.search(r"about [0-9.]+ minutes", page)
    assert "Minutes that a set takes" not in page
    asked = {name: text for name, text in ANSWERS.items() if f'name="{name}"' in page}
    # Nothing else is missing, so Review is next.
    assert rosas_browser.post(path, asked)["Location"].endswith("/set-up/review/")
    given = Setup.objects.get().given
    assert given["consent"]["en"].startswith("**In short.**")
    assert "how people understand notices" in given["consent"]["en"]
    assert given["about"]["contact"] == "ada@uni-trier.de"
    assert found_in(given["consent"]["en"], any_bracket=True) == ""
    assert "Good texts?" in rosas_browser.get(step).content.decode()
    # What was answered is a setting now, and is not asked again; other answers stand in their fields.
    page = rosas_browser.get(path).content.decode()
    assert 'name="contact"' not in page
    assert 'value="how people understand notices"' in page
    assert given["pay"]["amount"] == 3


@pytest.mark.django_db
def test_a_text_that_no_longer_fits_the_form_is_to_be_replaced(rosas_browser: Client, rosa: User, study: Study) -> None:
    path = f"/admin/studies/{study.slug}/set-up/consent/draft/"
    rosas_browser.post(path, ANSWERS)
    assert "no longer says" not in rosas_browser.get(path).content.decode()
    setup = Setup.objects.get()
    changes.change(setup=setup, values={("pay", "amount"): 5}, base=setup.revision, by=rosa)
    page = rosas_browser.get(path).content.decode()
    assert "Your consent text no longer says what the form says." in page
    assert "The consent text names 3.00 EUR" in page
    rosas_browser.post(path, ANSWERS)
    assert "5.00 EUR for a full set" in Setup.objects.get().given["consent"]["en"]


@pytest.mark.django_db
def test_fields_begin_with_what_most_studies_answer_and_say_what_is_required(
    rosas_browser: Client, rosa: User, study: Study
) -> None:
    setup = Setup.objects.get()
    values = {("about", "contact"): "study@example.org", ("channels",): {"prolific": {}}}
    changes.change(setup=setup, values=values, base=setup.revision, by=rosa)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/set-up/consent/draft/").content.decode()
    assert 'value="within three weeks, through Prolific"' in page
    assert 'name="identities_days" value="90"' in page
    assert re.search(r"What the study is for</label> <span[^>]*>\(required\)", page)
    assert not re.search(r"Data protection officer</label> <span", page)
    # A setting that is to be replaced is asked for, and the page says why.
    assert "The form has “study@example.org”, which is to be replaced." in page


@pytest.mark.django_db
@pytest.mark.parametrize("wrong", [{}, {"contact": ""}, {"contact": "you@example.org"}, {"kept": "[how long]"}])
def test_nothing_is_taken_over_while_an_answer_is_missing(
    rosas_browser: Client, study: Study, wrong: dict[str, str]
) -> None:
    path = f"/admin/studies/{study.slug}/set-up/consent/draft/"
    answers = ANSWERS | wrong if wrong else {}
    answer = rosas_browser.post(path, answers)
    assert answer.status_code == 422
    assert "consent" not in Setup.objects.get().given
    assert rosas_browser.post(path, ANSWERS).status_code == 302
