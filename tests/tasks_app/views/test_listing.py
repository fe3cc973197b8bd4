"""The list of studies: words, filters, and what stands at hand."""

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tasks_app import task_types
from tasks_app.models import Membership, Study
from tasks_app.services.study import lifecycle
from tasks_app.setup import starting
from tasks_app.setup.starting import Names
from tests.builders import build_study
from tests.deviations import assert_each

pytestmark = pytest.mark.django_db

LIST = "/admin/studies/"


@pytest.fixture(scope="module")
def made(module_rosa: User) -> dict[str, int]:
    """An open study, a draft, one without rows of its own, and one of somebody else's that rosa may read."""
    somebody_else = User.objects.create_user("zoe", is_staff=True)
    studies = {
        "open": build_study(module_rosa, slug="summaries-open"),
        "draft": build_study(module_rosa, slug="dialogues", type="slider", opened=False),
        "begun": starting.from_type(
            owner=module_rosa, member=task_types.registry["pairwise"], names=Names("Begun today", "Texts")
        ),
        "shared": build_study(somebody_else, slug="of-zoe"),
    }
    Membership.objects.create(study=studies["shared"], user=module_rosa, role=Membership.Role.VIEWER)
    return {name: study.pk for name, study in studies.items()}


@pytest.fixture
def studies(made: dict[str, int], db: None) -> dict[str, Study]:
    """These studies, by name."""
    return {name: Study.objects.get(pk=pk) for name, pk in made.items()}


def listed(browser: Client, studies: dict[str, Study], **wanted: str) -> set[str]:
    answer = browser.get(LIST, wanted)
    assert answer.status_code == 200
    page = answer.content.decode()
    return {name for name, study in studies.items() if f'href="/admin/studies/{study.slug}/"' in page}


FOUND: list[tuple[dict[str, str], set[str]]] = [
    ({}, {"open", "draft", "begun", "shared"}),
    ({"words": "summaries"}, {"open"}),
    ({"words": "TODAY begun"}, {"begun"}),
    ({"words": "nothing like this"}, set()),
    ({"words": "a\0b"}, {"open", "draft", "begun", "shared"}),
    ({"state": "draft"}, {"draft", "begun"}),
    ({"task_type": "likert"}, {"open", "shared"}),
    ({"task_type": "pairwise"}, {"begun"}),
    ({"whose": "mine"}, {"open", "draft", "begun"}),
    ({"whose": "shared"}, {"shared"}),
    ({"whose": "mine", "state": "open"}, {"open"}),
    ({"state": "no such state"}, {"open", "draft", "begun", "shared"}),
]


def test_studies_are_found(rosas_browser: Client, studies: dict[str, Study]) -> None:
    def check(wanted: dict[str, str], expected: set[str]) -> None:
        assert listed(rosas_browser, studies, **wanted) == expected

    assert_each(check, ((str(wanted), {"wanted": wanted, "expected": expected}) for wanted, expected in FOUND))


def test_what_comes_next_depends_on_the_state(rosas_browser: Client, rosa: User) -> None:
    build_study(rosa, slug="is-draft", opened=False)
    build_study(rosa, slug="is-open")
    starting.from_type(owner=rosa, member=task_types.registry["likert"], names=Names("Is begun", "Texts"))
    closed = build_study(rosa, slug="is-closed")
    lifecycle.move(study_id=closed.pk, action="close", by=rosa)
    page = rosas_browser.get("/admin/studies/").content.decode()
    nexts = re.findall(
        r'<a class="ew-row-link" href="/admin/studies/(is-[a-z]+)/([a-z]*)/?" [^>]*>[^<]*<span [^>]*>: (\w+)<',
        page,
    )
    assert sorted(nexts) == [
        ("is-begun", "", "Continue"),
        ("is-closed", "results", "Results"),
        ("is-draft", "", "Continue"),
        ("is-open", "monitor", "Monitor"),
    ]


def test_a_study_that_waits_for_the_researcher_is_on_top(rosas_browser: Client, rosa: User) -> None:
    build_study(rosa, slug="is-open")
    assert "Needs you" not in rosas_browser.get(LIST).content.decode()
    paused = build_study(rosa, slug="is-paused")
    lifecycle.move(study_id=paused.pk, action="pause", by=rosa)
    full = build_study(rosa, slug="is-full", items=1, k=1, set_size=2)
    call_command("simulate_raters", full.slug, raters=2, stdout=StringIO())
    page = rosas_browser.get(LIST).content.decode()
    needs = page[page.index("Needs you") : page.index("<table")]
    assert "Paused: raters cannot go on." in needs
    assert 'href="/admin/studies/is-paused/recruit/"' in needs
    assert "Every place is answered: close it, and read the results." in needs
    assert 'href="/admin/studies/is-full/monitor/"' in needs
    assert "is-open/" not in needs
    assert "Needs you" not in rosas_browser.get(LIST, {"words": "is"}).content.decode()


def test_a_draft_says_what_it_lacks(rosas_browser: Client, studies: dict[str, Study]) -> None:
    page = rosas_browser.get(LIST, {"words": "begun"}).content.decode()
    assert re.search(r"missing: texts[^<]*</td>", page)
    assert "missing:" not in rosas_browser.get(LIST, {"state": "open"}).content.decode()


def test_rater_link_and_results_are_at_hand(rosas_browser: Client, studies: dict[str, Study]) -> None:
    page = rosas_browser.get(LIST).content.decode()
    assert f"http://testserver/join/{studies['open'].link_code}/" in page
    assert "/admin/studies/summaries-open/results/" in page
    assert studies["draft"].link_code not in page
    assert "/admin/studies/dialogues/results/" not in page
    assert 'action="/admin/studies/summaries-open/template/"' in page
    assert 'action="/admin/studies/of-zoe/template/"' not in page
    assert "?study=of-zoe" not in page
    assert "Pairwise comparison" in page


def empty_drafts(owner: User, n: int) -> None:
    """Store drafts without a task."""
    drafts = Study.objects.bulk_create(
        Study(slug=f"s-{number}", title=f"Draft {number}", public_title="Texts", settings={}, seed=number)
        for number in range(n)
    )
    Membership.objects.bulk_create(Membership(study=study, user=owner, role="owner") for study in drafts)


def test_more_studies_need_no_more_queries(
    rosas_browser: Client, rosa: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        build_study(rosa, slug=f"s{number}", items=1, set_size=2, opened=number < 3)
    empty_drafts(rosa, 48)
    wanted: dict[str, str]
    for wanted in ({}, {"words": "s1"}, {"task_type": "likert", "whose": "mine"}, {"page": "2"}):
        with django_assert_max_num_queries(8):
            assert rosas_browser.get(LIST, wanted).status_code == 200


def test_the_filter_stays_on_further_pages(rosas_browser: Client, rosa: User) -> None:
    empty_drafts(rosa, 51)
    assert (
        "?words=s&amp;state=draft&amp;page=2"
        in rosas_browser.get(LIST, {"words": "s", "state": "draft", "page": "1"}).content.decode()
    )


def test_every_researcher_finds_the_main_places(rosas_browser: Client, study: Study) -> None:
    page = rosas_browser.get(LIST).content.decode()
    for path in ("/admin/studies/new/", "/admin/planning/", "/task-types/", "/api/v1/", "/admin/log/"):
        assert f'href="{path}"' in page, path
    assert 'href="/patterns/"' in rosas_browser.get("/task-types/").content.decode()
