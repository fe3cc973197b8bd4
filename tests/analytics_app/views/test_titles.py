"""Words that newcomers read twice were replaced: each page has the new ones, and none has the old ones any more."""

import html
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from analytics_app import charts
from analytics_app.models import Plan
from tasks_app import studyfile, task_types
from tasks_app.hooks.sections import Path
from tasks_app.models import Setup, Study
from tasks_app.services.study import lifecycle
from tasks_app.setup import changes, starting
from tests.about import ABOUT
from tests.analytics_app.builders import SETTINGS, build_run, likert_rows, store_plots
from tests.analytics_app.views.reading import page, text
from tests.analytics_app.working import finish
from tests.builders import build_study
from tests.once import study_made_once
from tests.tasks_app.setup.test_texts_page import send

pytestmark = pytest.mark.django_db

WAS = (
    "on the highest step", "Half of the raters took", "a list is needed", "needs at least 1", "criterion that decides",
    "Compare everything with", "Of the study's own texts", "One study per value", "Sources shown before",
    "told apart only as said below", "look again", "screens each with about",
    "Texts can be rated on trial", "Swap with the previous", "far beyond the period",
)  # fmt: skip
PAID = "12 raters, about 12 minutes and 2.40 EUR each: 28.80 EUR."


def written(browser: Client, name: str, *args: object) -> str:
    """Return the words of a page."""
    return html.unescape(text(page(browser, reverse(name, args=args))))


def step(browser: Client, study: Study, name: str) -> str:
    """Return the words of a step of the set-up."""
    return written(browser, "researcher:step", study.slug, name)


def changed(study: Study, values: dict[Path, Any]) -> Setup:
    """Change settings of a draft."""
    setup = changes.begin(study)
    return changes.change(setup=setup, values=values, base=setup.revision, by=None).setup


def build_draft(rosa: User) -> Study:
    """Load the Likert example with the pay of the study in the issue."""
    return studyfile.load("examples/likert", owner=rosa)


draft_once, draft = study_made_once("draft", build_draft)


def of_type(rosa: User, name: str) -> Study:
    """Begin a study of a task type."""
    names = starting.Names("Of a type", "Which is it?")
    return starting.from_type(owner=rosa, member=task_types.registry[name], names=names)


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("analysis", "The question your conclusion rests on"),
        ("task", "Preceding sentences shown"),
        ("texts", "A study for each value"),
        ("consent", "Language of the texts of this study"),
    ],
)
def test_a_step_of_the_form_says_what_it_asks(draft: Study, rosas_browser: Client, name: str, new: str) -> None:
    changes.begin(draft)
    names = [name] if name != "consent" else ["task", "texts", "raters", "consent"]
    said = " ".join(step(rosas_browser, draft, one) for one in names)
    assert new in said
    assert [old for old in WAS if old in said] == []


@pytest.mark.parametrize(
    ("kind", "new"),
    [("pairwise", "Baseline system"), ("error_spans", "where the errors are; grouped as described below")],
)
def test_a_type_says_what_its_settings_are(rosa: User, rosas_browser: Client, kind: str, new: str) -> None:
    said = step(rosas_browser, of_type(rosa, kind), "task")
    assert new in said
    assert [old for old in WAS if old in said] == []


def test_review_says_what_is_missing_and_what_to_try(draft: Study, rosas_browser: Client) -> None:
    review = reverse("researcher:review", args=[draft.slug])
    changed(draft, {("criteria",): None, ("tasks", 0, "criteria"): None})
    answer = rosas_browser.post(review)
    said = html.unescape(text(answer.content.decode()))
    assert "Add at least one question." in said
    assert [old for old in WAS if old in said] == []


def test_review_of_a_whole_draft_says_what_to_try(draft: Study, rosas_browser: Client) -> None:
    changed(draft, {("about", name): value for name, value in ABOUT.items()})
    review = reverse("researcher:review", args=[draft.slug])
    rosas_browser.post(review)
    said = html.unescape(text(page(rosas_browser, f"{review}?opening=1")))
    assert "Try it yourself before you send the link." in said
    log = text(rosas_browser.get(f"/admin/studies/{draft.slug}/log/", follow=True).content.decode())
    assert "loaded the study" in log
    assert "replaced the earlier draft" in log
    assert "check this Nobody has viewed this study as a rater yet." in said
    assert [old for old in WAS if old in said] == []


def test_rows_that_were_replaced_can_come_back(draft: Study, rosas_browser: Client) -> None:
    changes.begin(draft)
    assert send(rosas_browser, "store").status_code == 302
    said = written(rosas_browser, "researcher:texts", draft.slug)
    assert "Go back to the 36 previous rows" in said
    assert [old for old in WAS if old in said] == []


def test_the_plan_begins_with_raters_and_cost(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=12, k=3, systems=("a", "b", "c"), set_size=9, opened=False)
    settings = {**study.settings, "pay": {"amount": "2.40", "minutes": 12}}
    Study.objects.filter(pk=study.pk).update(settings=settings)
    said = written(rosas_browser, "researcher:design", study.slug)
    assert PAID in said
    assert "108 judgments: " in said[said.index(PAID) :]
    assert [old for old in WAS if old in said] == []


def test_the_page_of_arrival_names_the_work_and_the_pay(somebody: Client, study: Study) -> None:
    said = html.unescape(text(somebody.get(f"/join/{study.link_code}/").content.decode()))
    assert "If you stop early" in said
    assert "Amount" not in said
    assert "Otherwise" not in said
    assert [old for old in WAS if old in said] == []


def test_results_name_the_share_of_top_ratings(rosas_browser: Client, rosa: User, study: Study) -> None:
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": SETTINGS})
    closed = lifecycle.move(study_id=study.pk, action="close", by=rosa)
    run = build_run(closed, likert_rows())
    store_plots(run, "fluency", charts.draw(likert_rows(), "main", "fluency"))
    said = written(rosas_browser, "analytics:run", study.slug, run.number)
    assert "Top rating for fluency: 19 % north, 4 % south, 3 % west" in said.replace("\u00a0", " ")
    assert [old for old in WAS if old in said] == []


def test_the_monitor_names_promised_minutes_and_a_far_forecast(rosas_browser: Client, rosa: User) -> None:
    study = build_study(rosa, slug="far", items=40, k=40, set_size=10)
    for _rater in range(3):
        finish(study)
    said = written(rosas_browser, "analytics:monitor", study.slug)
    assert "minutes at the median; you promised 10" in said
    assert "This forecast looks far beyond the time measured so far" in said
    assert [old for old in WAS if old in said] == []
