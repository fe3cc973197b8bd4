"""Beginning a study through its pages."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tasks_app import task_types
from tasks_app.models import Membership, Output, Setup, SetupRow, Study
from tasks_app.setup import starting, templates
from tasks_app.task_types import TaskType
from tests.builders import build_study

pytestmark = pytest.mark.django_db

NEW = "/admin/studies/new/"
NAMED = {"title": "Which summary?", "public_title": "What makes a good summary?"}


def begin(browser: Client, **given: str) -> HttpResponse:
    answer: HttpResponse = browser.post(NEW, {**NAMED, **given})
    return answer


def page(browser: Client, path: str = NEW) -> str:
    answer = browser.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_task_type_has_a_card(rosas_browser: Client) -> None:
    cards = page(rosas_browser)
    assert [name for name in task_types.registry if f'href="{NEW}?task_type={name}"' not in cards] == []


def test_post_editing_is_no_comparison_among_the_cards(rosas_browser: Client) -> None:
    cards = page(rosas_browser)
    compared, edited = cards.index("Texts side by side"), cards.index("A text to improve")
    assert compared < cards.index("?task_type=pairwise") < edited < cards.index("?task_type=post_edit")


# A scale, a comparison and questions without criteria.
BEGUN = {"likert", "pairwise", "questionnaire"}


@pytest.mark.parametrize(
    "member",
    [
        pytest.param(member, id=name, marks=() if name in BEGUN else pytest.mark.exhaustive)
        for name, member in task_types.registry.items()
    ],
)
def test_a_card_makes_a_study_of_its_type(rosas_browser: Client, member: type[TaskType]) -> None:
    assert "Public title" in page(rosas_browser, f"{NEW}?task_type={member.name}")
    made = begin(rosas_browser, task_type=member.name)
    assert (made.status_code, made["Location"]) == (302, "/admin/studies/which-summary/set-up/task/")
    assert Setup.objects.get().given["tasks"][0]["type"] == member.name
    assert rosas_browser.get(made["Location"]).status_code == 200


def test_a_study_begins_with_texts_or_an_example(rosas_browser: Client) -> None:
    assert begin(rosas_browser, texts="")["Location"] == "/admin/studies/which-summary/set-up/texts/"
    for name in starting.examples():
        assert f'href="{NEW}?example={name}"' in page(rosas_browser)
    assert begin(rosas_browser, example="pairwise")["Location"].startswith("/admin/studies/which-summary-2/")
    assert Study.objects.get(slug="which-summary-2").items.exists()


def test_a_table_begins_a_study_and_waits_in_the_step_texts(rosas_browser: Client) -> None:
    table = SimpleUploadedFile("texts.csv", b"item,system,output\na,north,One\na,south,Two\n")
    made = rosas_browser.post(NEW, {**NAMED, "texts": "", "file": table})
    assert made["Location"].startswith("/admin/studies/which-summary/set-up/texts/?file=")
    step = page(rosas_browser, made["Location"])
    assert "texts.csv" in step
    assert "north" in step


def test_a_table_leads_to_the_task_types_that_fit_it(
    rosas_browser: Client, mallorys_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Upload, store as it was guessed, choose a card with the own first text, and the task has the texts."""
    rows = [
        f'{n},{model},"The answer number {n} of {model}, in words.","Question number {n}, what is it?"'
        for n in range(1, 5)
        for model in ("north", "south")
    ]
    table = SimpleUploadedFile("outputs.csv", "\n".join(["prompt_id,model,response,prompt", *rows]).encode())
    made = rosas_browser.post(NEW, {**NAMED, "texts": "", "file": table})
    columns = page(rosas_browser, made["Location"])
    assert "8 outputs of 4 items by 2 systems" in columns, "a table that was guessed without a doubt is checked at once"
    given = {
        "columns": '["prompt_id", "model", "response", "prompt"]', "items": "column", "unused": "leave", "system": "",
        "quoting": "", "file": made["Location"].partition("file=")[2], "action": "store",
        **{f"use-{n}": use for n, use in enumerate(("item", "system", "output", "source"))},
    }  # fmt: skip
    stored = rosas_browser.post("/admin/studies/which-summary/set-up/texts/", given)
    cards = "/admin/studies/which-summary/set-up/task-type/"
    assert stored["Location"] == cards
    with django_assert_max_num_queries(15):
        shown = page(rosas_browser, cards)
    fitting, _heading, others = shown.partition("These do not fit your texts")
    assert "The answer number 1 of north, in words." in fitting
    for name in ("likert", "pairwise", "error_spans", "ranking"):
        assert f'value="{name}"' in fitting
    # Each of the others says why, and none of them can be chosen by mistake.
    assert "has no reference to compare its texts with" in others
    assert "It asks raters about themselves and shows no texts." in others
    assert 'name="task_type"' not in others
    assert "Choose what raters do" in page(rosas_browser, "/admin/studies/which-summary/set-up/task/")

    assert mallorys_browser.post(cards, {"task_type": "likert"}).status_code == 404
    assert rosas_browser.post(cards, {"task_type": "nothing"}).status_code == 404
    chosen = rosas_browser.post(cards, {"task_type": "likert"})
    assert chosen["Location"] == "/admin/studies/which-summary/set-up/questions/"
    preview = page(rosas_browser, "/admin/studies/which-summary/set-up/preview/")
    assert "The answer number 1 of north, in words." in preview
    given_now = Setup.objects.get().given
    assert [task["type"] for task in given_now["tasks"]] == ["likert"]
    # A second window, or a second press, changes nothing.
    again = rosas_browser.post(cards, {"task_type": "pairwise"}, follow=True)
    assert "This study has a task already." in again.content.decode()
    assert Setup.objects.get().given == given_now
    assert rosas_browser.get(cards)["Location"] == "/admin/studies/which-summary/set-up/task/"


def test_cards_of_a_study_without_texts_show_every_type(rosas_browser: Client) -> None:
    begin(rosas_browser, texts="")
    shown = page(rosas_browser, "/admin/studies/which-summary/set-up/task-type/")
    assert "There are no texts yet." in shown
    assert "These do not fit your texts" not in shown
    for name in task_types.registry:
        assert f'value="{name}"' in shown


def test_a_file_that_is_no_table_makes_no_study(rosas_browser: Client) -> None:
    answer = rosas_browser.post(NEW, {**NAMED, "texts": "", "file": SimpleUploadedFile("texts.pdf", b"%PDF")})
    assert answer.status_code == 422
    assert "is not a table" in answer.content.decode()
    assert 'value="Which summary?"' in answer.content.decode()
    assert not Study.objects.exists()


def test_a_study_is_copied_by_those_who_may_read_its_known_answers(
    rosas_browser: Client, mallorys_browser: Client, mallory: User, study: Study
) -> None:
    path = f"{NEW}?study={study.slug}"
    assert f'href="{path}"' in page(rosas_browser)
    assert f"Copy of {study.title}" in page(rosas_browser, path)
    assert mallorys_browser.get(path).status_code == 404
    Membership.objects.create(study=study, user=mallory, role=Membership.Role.VIEWER)
    assert begin(mallorys_browser, study=study.slug).status_code == 404
    assert begin(rosas_browser, study=study.slug).status_code == 302
    # Its texts are in the set-up, and become items when it is checked.
    texts = SetupRow.objects.filter(setup__study__slug="which-summary", table="items")
    assert texts.count() == Output.objects.filter(item__study=study).count()


def test_a_template_is_offered_and_not_listed(rosas_browser: Client, study: Study) -> None:
    saved = rosas_browser.post(f"/admin/studies/{study.slug}/template/", {"action": "save"}, follow=True)
    template = templates.templates(Study.objects.all()).get()
    assert "is among your templates now" in saved.content.decode()
    assert f'href="{NEW}?study={template.slug}"' in saved.content.decode()
    assert f'action="/admin/studies/{template.slug}/template/"' in saved.content.decode()
    assert "not opened yet · template" in page(rosas_browser, f"/admin/studies/{template.slug}/")
    assert f"/admin/studies/{template.slug}/" not in page(rosas_browser, "/admin/studies/")
    assert begin(rosas_browser, study=template.slug).status_code == 302
    assert rosas_browser.post(f"/admin/studies/{study.slug}/template/", {"action": "release"}).status_code == 404
    rosas_browser.post(f"/admin/studies/{template.slug}/template/", {"action": "release"})
    assert f"/admin/studies/{template.slug}/" in page(rosas_browser, "/admin/studies/")


@pytest.mark.parametrize("given", [{"task_type": "nothing"}, {"example": "../.."}, {"study": "none"}])
def test_what_is_not_there_is_not_begun_from(rosas_browser: Client, given: dict[str, str]) -> None:
    assert begin(rosas_browser, **given).status_code == 404
    assert not Study.objects.exists()


def test_a_study_needs_both_titles(rosas_browser: Client) -> None:
    answer = rosas_browser.post(NEW, {"task_type": "likert", "title": "Only one"})
    assert answer.status_code == 422
    assert "required" in answer.content.decode()
    assert not Study.objects.exists()


def test_the_page_is_short_enough_and_asks_little(
    rosas_browser: Client, rosa: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        build_study(rosa, slug=f"s{number}", opened=False)
    page(rosas_browser)
    with django_assert_max_num_queries(8):
        shown = page(rosas_browser)
    assert len(shown) < 150_000


def test_without_a_study_the_list_shows_the_ways_to_begin(
    rosas_browser: Client, mallorys_browser: Client, study: Study
) -> None:
    assert f'href="{NEW}?task_type=likert"' in page(mallorys_browser, "/admin/studies/")
    assert f'href="{NEW}?task_type=likert"' not in page(rosas_browser, "/admin/studies/")
