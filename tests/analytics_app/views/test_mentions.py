"""Texts of researchers that name a rater: offered for removal when the rater is erased, removed when one withdraws."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from analytics_app.models import Datasheet, Exclusion, ResultLift, ResultsLink
from analytics_app.runs import start
from tasks_app.models import Code, Codebook, Comment, Correction, Event, Payment, PersonalText, Rater, Study, Withdrawal
from tasks_app.services import erasure, mentions
from tests import walk
from tests.builders import build_study
from tests.tasks_app.services.test_erasure import everywhere

pytestmark = pytest.mark.django_db


def code_of(rater: Rater) -> str:
    return rater.pseudonym.removeprefix("r-")


@pytest.fixture
def study(rosa: User) -> Study:
    """A study with two raters, about the first of whom every kind of text is written."""
    study = build_study(rosa)
    named, other = walk.arrive(study), walk.arrive(study)
    name = named.pseudonym
    Comment.objects.create(study=study, user=rosa, text=f"Ask {name.upper()} about item 4, not r-{code_of(named)}x.")
    Comment.objects.create(study=study, user=rosa, text="Nothing about anybody.")
    Correction.objects.create(study=study, kind="help", before="a", after="b", reason=f"noticed by {name}")
    Withdrawal.objects.create(study=study, item=study.items.earliest("pk"), reason=f"{name} wrote about it")
    Payment.objects.create(rater=other, kind="bonus", amount="1.00", reason=f"as much as {code_of(named)}")
    Exclusion.objects.create(study=study, rule="manual", rater=other, reason=f"copied from {name}", by=rosa)
    ResultLift.objects.create(study=study, by=rosa, reason=f"because of {name}")
    book = Codebook.objects.create(study=study, criterion="why")
    Code.objects.create(codebook=book, name=f"like {name}", definition=f"said by {name}", order=1)
    ResultsLink.objects.create(
        run=start.start(study=study, by=None, trigger="command"),
        name=f"for {name}",
        token_hash="x",
        expires="2030-01-01T00:00Z",
    )
    Datasheet.objects.create(study=study, answers={"3.1": {"text": f"{name} was left out.", "options": [1]}})
    Datasheet.objects.filter(study=study, version=1).update(criterion_answers={"fluency": {"4.1": {"text": name}}})
    for rater, words, shown in ((other, f"for {name}", "2026-01-01T00:00Z"), (walk.arrive(study), name, None)):
        task = study.tasks.get()
        PersonalText.objects.create(study=study, task=task, rater=rater, text=words, shown_at=shown)
    return study


def named_rater(study: Study) -> Rater:
    return study.raters.order_by("pk")[0]


def test_every_text_that_names_the_rater_is_listed_and_what_is_ticked_goes(study: Study, rosas_browser: Client) -> None:
    rater = named_rater(study)
    name = rater.pseudonym
    page = unescape(rosas_browser.get(reverse("analytics:rater", args=[study.slug, name])).content.decode())
    listed = re.findall(r'name="listed" value="([^"]+)"', page)
    offered = re.findall(r'name="mention" value="([^"]+)" checked', page)
    columns = [key.partition(":")[0] for key in listed]
    assert sorted(columns) == sorted([*(text.key for text in mentions.registered()), "tasks_app.personaltext.text"])
    stays = {"tasks_app.code.name", "analytics_app.datasheet.criterion_answers"}
    assert {key.partition(":")[0] for key in set(listed) - set(offered)} == {*stays, "tasks_app.personaltext.text"}
    assert f"Ask <mark>{name.upper()}</mark> about item 4" in page

    kept = next(key for key in offered if key.startswith("analytics_app.resultlift"))
    form = {"rater": name, "action": "erase", "listed": listed, "mention": [key for key in offered if key != kept]}
    said = rosas_browser.post(reverse("analytics:act", args=[study.slug]), form, follow=True).content.decode()
    assert f"The pseudonym was removed from {len(offered) - 1} texts." in said
    assert Comment.objects.filter(text__startswith="Ask [erased rater] about").count() == 1
    assert Payment.objects.get(kind="bonus").reason == "as much as [erased rater]"
    assert Datasheet.objects.get(study=study, version=None).answers["3.1"] == {
        "text": "[erased rater] was left out.",
        "options": [1],
    }
    left = {column for column in everywhere(name) if not column.startswith("analytics_app_resultrow")}
    assert left == {
        "analytics_app_resultlift.reason",
        "analytics_app_datasheet.criterion_answers",
        "tasks_app_code.name",
        "tasks_app_comment.text",  # a longer name that begins alike
        "tasks_app_personaltext.text",
    }
    logged = Event.objects.get(study=study, verb="erased")
    assert (logged.after["mentions_removed"], logged.after["mentions_left"]) == (len(offered) - 1, 4)
    assert name not in str(logged.after)


def test_a_text_that_was_written_meanwhile_is_listed_before_anything_is_erased(
    study: Study, rosas_browser: Client
) -> None:
    rater = named_rater(study)
    form = {"rater": rater.pseudonym, "action": "erase"}
    answer = rosas_browser.post(reverse("analytics:act", args=[study.slug]), form)
    assert answer["Location"] == reverse("analytics:rater", args=[study.slug, rater.pseudonym])
    assert "Nothing was erased" in rosas_browser.get(answer["Location"]).content.decode()
    rater.refresh_from_db()
    assert rater.erased_at is None


def test_who_withdraws_is_named_nowhere_although_nobody_is_there_to_choose(study: Study) -> None:
    rater = named_rater(study)
    name = rater.pseudonym
    removed = erasure.erase(rater=rater).mentions
    assert removed == 10
    assert "tasks_app_comment.text" in everywhere(name)
    Comment.objects.all().delete()
    assert set(everywhere(name)) <= {
        "analytics_app_datasheet.criterion_answers",
        "tasks_app_code.name",
        "tasks_app_personaltext.text",
    }
    assert Event.objects.get(study=study, verb="erased").after["mentions_removed"] == removed


def test_another_study_is_not_searched(study: Study, rosa: User) -> None:
    rater = named_rater(study)
    elsewhere = build_study(rosa, slug="elsewhere")
    Comment.objects.create(study=elsewhere, user=rosa, text=f"{rater.pseudonym} is not of this study")
    assert all(mention.key.rpartition(":")[2] for mention in mentions.mentions_of(rater))
    assert not any("not of this study" in mention.after for mention in mentions.mentions_of(rater))
