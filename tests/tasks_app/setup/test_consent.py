"""The draft of the consent text: what the set-up says stands in it, what it lacks is named in brackets."""

import re
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import task_types
from tasks_app.models import Setup
from tasks_app.richtext import to_html
from tasks_app.setup import changes, starting
from tasks_app.setup.consent import consent_draft, missing_facts
from tasks_app.setup.starting import Names

FULL = yaml.safe_load(Path("examples/checked/study.yaml").read_text(encoding="utf-8"))


def test_what_the_form_holds_stands_in_the_text() -> None:
    text = consent_draft(FULL, None)
    for words in (
        "“How good are these short messages?”",
        "Example group, University of Examples",
        "about 12 minutes",
        "2.40 EUR for a full set, which is 12.00 EUR per hour",
        "you get 0.60 EUR",
        "study@example.org",
        "ethics@example.org",
        "EX-2026-14",
        "Five years after the study ends.",
        "The answers under pseudonyms, with the paper.",
        "Your id on Prolific is kept apart",
    ):
        assert words in text, words


def test_an_empty_form_gives_a_whole_text_with_what_is_missing_in_brackets() -> None:
    text = consent_draft({}, None)
    missing = missing_facts(text)
    assert "how many" in missing
    assert "how long" in missing
    assert any("group and institution" in one for one in missing)
    assert len(missing) > len(missing_facts(consent_draft(FULL, None)))
    assert "You are not paid for taking part." in text
    assert "None" not in text
    assert "  " not in text
    assert ".." not in text


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
    text = consent_draft(FULL, None)
    for words in ("GDPR", "erased", "corrected", "restricted", "take back your consent", "complain", "voluntary", "18"):
        assert words in text, words
    html = to_html(text)
    assert html.count("<p>") == html.count("<strong>") == 10


@pytest.mark.django_db
def test_it_is_shown_and_taken_over_from_the_step(rosas_browser: Client, rosa: User) -> None:
    study = starting.from_type(owner=rosa, member=task_types.registry["likert"], names=Names("Consent", "Good texts?"))
    step, path = (f"/admin/studies/{study.slug}/set-up/consent/{rest}" for rest in ("", "draft/"))
    assert f'href="{path}"' in rosas_browser.get(step).content.decode()
    page = rosas_browser.get(path).content.decode()
    assert "“Good texts?” is a study of" in page
    assert "about [how many] minutes" in page
    rows = [{"item": f"i{n}", "system": system, "output": "Some words."} for n in range(30) for system in "ab"]
    changes.replace_table(setup=Setup.objects.get(), table="items", rows=rows, by=rosa)
    assert re.search(r"about [0-9.]+ minutes", rosas_browser.get(path).content.decode())
    assert rosas_browser.post(path)["Location"] == step
    consent = Setup.objects.get().given["consent"]
    assert consent["en"].startswith("**What this study is about.**")
    assert "Good texts?" in rosas_browser.get(step).content.decode()
