"""What somebody writes into study.yaml may have any shape: every page of the set-up still answers."""

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup

SLUG = "example-likert"
STEPS = ("task", "questions", "raters", "checks", "consent", "analysis")
OWN_PAGES = ("review", "preview", "setup_file", "texts", "text_new", "text_sample", "library", "consent_draft")


@pytest.mark.parametrize(
    "odd",
    [
        {
            "systems": 5,
            "criteria": "none",
            "tasks": {"a": 1},
            "groups": [1],
            "pay": {"amount": 1e300, "minutes": "1e400", "currency": 5},
            "about": {"identities_days": 10**40},
        },
        {
            "systems": [{"key": ["a"]}],
            "criteria": [{"key": ["a"]}],
            "columns": [],
            "quoting": 1,
            "tasks": [{"type": ["likert"], "criteria": 4}],
            "analysis": {"rules": [{"rule": "none"}], "analyses": 4, "comparisons": "a, b"},
        },
        pytest.param(
            {"systems": [7, None], "criteria": [None, {}], "tasks": [{}, 3, {"type": "no such type", "params": [1]}]},
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {
                "study": 3,
                "pay": [],
                "flow": "x",
                "consent": 4,
                "about": [1],
                "channels": 2,
                "analysis": "all",
                "codes": 1,
            },
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {
                "tasks": [
                    {"key": "a", "type": "likert", "k": -1, "set_size": "x", "checks": 5, "params": {"points": []}},
                    {"key": "b", "type": "ranking", "criteria": ["no", "no"], "items": [1], "groups": "g"},
                ]
            },
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=lambda odd: next(iter(odd)),
)
def test_every_page_answers(rosas_browser: Client, setup: Setup, odd: dict[str, Json]) -> None:
    setup.rows.filter(number__gt=6).delete()  # every page reads all texts
    Setup.objects.filter(pk=setup.pk).update(given={**setup.given, **odd}, revision=1)
    for step in STEPS:
        path = reverse("researcher:step", args=[SLUG, step])
        assert rosas_browser.get(path).status_code == 200, path
        assert rosas_browser.post(path, {"revision": "1", "do": "undo"}).status_code == 302, path
    for name in OWN_PAGES:
        path = reverse(f"researcher:{name}", args=[SLUG])
        assert rosas_browser.get(path).status_code == 200, path
    for table in ("controls", "batches", "prefill"):
        path = reverse("researcher:unit_table", args=[SLUG, table])
        assert rosas_browser.get(path).status_code == 200, path
        path = reverse("researcher:unit_template", args=[SLUG, table])
        assert rosas_browser.get(path).status_code in (200, 422), path
    assert rosas_browser.post(reverse("researcher:review", args=[SLUG])).status_code == 422


@pytest.mark.parametrize("text", ["a\0b", '{"a": ' * 60 + "1" + "}" * 60], ids=["nul", "deep"])
def test_what_cannot_be_stored_is_said_and_left_out(rosas_browser: Client, setup: Setup, text: str) -> None:
    path = reverse("researcher:step", args=[SLUG, "questions"])
    posted = {"revision": "0", "criteria.0.heds": text, "criteria.0.name": "Flow"}
    page = rosas_browser.post(path, posted, follow=True)
    assert page.status_code == 200
    setup.refresh_from_db()
    assert setup.given["criteria"][0]["name"] == "Flow"
    assert not setup.given["criteria"][0].get("heds")


def test_buttons_that_are_not_there_do_nothing(rosas_browser: Client, setup: Setup) -> None:
    path = reverse("researcher:step", args=[SLUG, "task"])
    for button in ("add:study", "remove:tasks.99", "up:x", "advice:a.b", "add:" + "9" * 5000, "no", ":"):
        assert rosas_browser.post(path, {"revision": "0", "do": button}).status_code == 302, button[:40]
        assert Setup.objects.get(pk=setup.pk).given == setup.given, button[:40]
