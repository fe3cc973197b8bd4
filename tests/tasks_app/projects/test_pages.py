"""Projects: who sees them, where a study belongs, and what the page of a project says; few queries."""

import re
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tasks_app import access
from tasks_app.models import Membership, Project, Study
from tasks_app.selectors import projects as reads
from tasks_app.services import events
from tasks_app.services.study import lifecycle, projects
from tasks_app.services.study.projects import NotInProject
from tasks_app.setup import templates
from tests.builders import build_study
from tests.tasks_app.services.test_pay import work

pytestmark = pytest.mark.django_db

PAGE = "/admin/projects/pairs/"


@pytest.fixture
def project(rosa: User, mallory: User) -> Project:
    """A project with an open study and a draft of rosa's, and one of mallory's."""
    opened = build_study(rosa, slug="opened")
    project = projects.put_into_new(study=opened, name="Pairs", by=rosa)
    for study in (build_study(rosa, slug="drafted", opened=False), build_study(mallory, slug="others")):
        projects.put(study=study, project=project, by=rosa)
    return project


def text_of(browser: Client, path: str, status: int = 200) -> str:
    answer = browser.get(path)
    assert answer.status_code == status
    return str(answer.content.decode())


def test_people_see_the_studies_that_they_may_see(
    project: Project, rosas_browser: Client, mallorys_browser: Client, somebody: Client
) -> None:
    mine, theirs = text_of(rosas_browser, PAGE), text_of(mallorys_browser, PAGE)
    assert [slug in mine for slug in ("/opened/", "/drafted/", "/others/")] == [True, True, False]
    assert [slug in theirs for slug in ("/opened/", "/drafted/", "/others/")] == [False, False, True]
    stranger = Client()
    stranger.force_login(User.objects.create_user("zed", is_staff=True))
    assert stranger.get(PAGE).status_code == 404
    assert somebody.get(PAGE).status_code == 302
    assert "Pairs" in text_of(rosas_browser, "/admin/projects/")
    assert "Pairs" not in text_of(stranger, "/admin/projects/")


def test_the_navigation_leads_to_projects_only_if_there_is_one(project: Project, rosas_browser: Client) -> None:
    stranger = Client()
    stranger.force_login(User.objects.create_user("zed", is_staff=True))
    link = 'href="/admin/projects/"'
    assert link in text_of(rosas_browser, "/admin/studies/")
    assert link not in text_of(stranger, "/admin/studies/load/")


def test_a_study_is_put_into_a_project_and_taken_out(rosa: User, rosas_browser: Client) -> None:
    build_study(rosa, slug="one")
    build_study(rosa, slug="two")
    page = "/admin/studies/{}/project/"
    assert "one-project" not in text_of(rosas_browser, page.format("one"))
    rosas_browser.post(page.format("one"), {"action": "put", "name": "One project"})
    rosas_browser.post(page.format("two"), {"action": "put", "project": "one-project"})
    project = Project.objects.get(slug="one-project")
    assert (project.creator, project.studies.count()) == (rosa, 2)
    assert 'href="/admin/projects/one-project/"' in text_of(rosas_browser, "/admin/studies/one/")
    assert "One project" in text_of(rosas_browser, "/admin/studies/?project=one-project")
    for slug in ("one", "two"):
        rosas_browser.post(page.format(slug), {"action": "out"})
    assert not Project.objects.exists(), "a project without a study is removed"
    study = Study.objects.get(slug="one")
    assert list(study.events.values_list("verb", flat=True)[:2]) == ["taken out of a project", "put into a project"]


def test_several_studies_are_added_at_once(project: Project, rosa: User, rosas_browser: Client) -> None:
    elsewhere = build_study(rosa, slug="elsewhere")
    projects.put_into_new(study=elsewhere, name="Other", by=rosa)
    viewed = build_study(None, slug="viewed")
    viewed.memberships.create(user=rosa, role=Membership.Role.VIEWER)
    for n in range(3):
        build_study(rosa, slug=f"more-{n}", opened=False)
    templates.save_as_template(study=elsewhere, by=rosa)
    assert f'href="{PAGE}add/"' in text_of(rosas_browser, PAGE)
    page = text_of(rosas_browser, f"{PAGE}add/")
    assert '<button class="ew-button">Search</button>' in page
    listed = re.findall(r'name="study" value="([^"]+)"', page)
    assert listed == ["more-0", "more-1", "more-2", "elsewhere"], "no template, none that is there or only seen"
    assert re.findall(r'name="study" value="([^"]+)"', text_of(rosas_browser, f"{PAGE}add/?words=more-1")) == ["more-1"]
    answer = rosas_browser.post(f"{PAGE}add/", {"study": ["more-0", "more-2", "elsewhere", "viewed"]}, follow=True)
    assert "3 studies were added to the project." in answer.content.decode()
    assert set(project.studies.values_list("slug", flat=True)) == {
        "opened", "drafted", "others", "more-0", "more-2", "elsewhere"
    }  # fmt: skip
    assert not Project.objects.filter(name="Other").exists()


def test_only_studies_that_were_not_in_the_project_count_as_added(
    project: Project, rosa: User, rosas_browser: Client
) -> None:
    build_study(rosa, slug="more", opened=False)
    for nothing in ([], ["\0"], ["unknown", "mo\0re"]):
        answer = rosas_browser.post(f"{PAGE}add/", {"study": nothing})
        assert answer.status_code == 422
        assert "Choose at least one study." in answer.content.decode()
    for sentence in ("1 study was added to the project.", "All chosen studies were in the project already."):
        answer = rosas_browser.post(f"{PAGE}add/", {"study": ["more", "drafted", "unknown"]}, follow=True)
        assert sentence in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_collision_loses_no_study(rosa: User, monkeypatch: pytest.MonkeyPatch) -> None:
    studies = [build_study(rosa, slug=slug, opened=False) for slug in ("one", "two")]
    project = projects.put_into_new(study=studies[0], name="First", by=rosa)
    other = projects.put_into_new(study=build_study(rosa, slug="three", opened=False), name="Other", by=rosa)

    def collide_once(*_args: object, **_given: object) -> None:
        monkeypatch.undo()
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'collision' USING ERRCODE = '40P01'; END $$")

    def collide() -> None:
        monkeypatch.setattr(events, "log", collide_once)

    collide()
    assert projects.put_all(studies=studies[::-1], project=other, by=rosa) == 2
    assert set(other.studies.values_list("slug", flat=True)) == {"one", "two", "three"}
    assert not Project.objects.filter(pk=project.pk).exists()
    collide()
    projects.rename(project=other, name="Renamed", by=rosa)
    assert studies[1].events.filter(verb="renamed the project").values_list("before", "after")[0] == (
        "Other",
        "Renamed",
    )
    collide()
    projects.take_out(study=studies[1], by=rosa)
    assert Study.objects.get(slug="two").project is None
    with pytest.raises(NotInProject, match="gone"):
        projects.rename(project=project, name="Too late", by=rosa)


def test_the_list_of_studies_is_filtered_by_project(project: Project, rosas_browser: Client, rosa: User) -> None:
    build_study(rosa, slug="alone")
    listed = text_of(rosas_browser, "/admin/studies/?project=pairs")
    assert [f"/admin/studies/{slug}/" in listed for slug in ("opened", "drafted", "alone")] == [True, True, False]


@pytest.mark.parametrize(
    "sent", [{"name": ""}, {"name": "X", "project": "pairs"}, {"project": "of-nobody"}, {"name": "\0"}]
)
def test_what_names_no_project_is_refused(
    project: Project, rosas_browser: Client, rosa: User, sent: dict[str, str]
) -> None:
    build_study(rosa, slug="alone")
    answer = rosas_browser.post("/admin/studies/alone/project/", {"action": "put", **sent})
    assert answer.status_code == 422
    assert Study.objects.get(slug="alone").project is None


def test_strangers_cannot_put_a_study_into_a_project_that_they_do_not_see(
    rosa: User, mallorys_browser: Client, mallory: User
) -> None:
    projects.put_into_new(study=build_study(rosa, slug="opened"), name="Pairs", by=rosa)
    build_study(mallory, slug="others")
    answer = mallorys_browser.post("/admin/studies/others/project/", {"action": "put", "project": "pairs"})
    assert answer.status_code == 422
    assert Study.objects.get(slug="others").project is None


def test_a_template_belongs_to_no_project(project: Project, rosa: User) -> None:
    template = templates.save_as_template(study=Study.objects.get(slug="opened"), by=rosa)
    assert template.project is None
    with pytest.raises(NotInProject, match="template"):
        projects.put(study=template, project=project, by=rosa)


def test_a_project_is_renamed_by_who_may_edit_one_of_its_studies(
    project: Project, rosas_browser: Client, mallory: User
) -> None:
    viewer = Client()
    viewer.force_login(user := User.objects.create_user("vera", is_staff=True))
    Membership.objects.create(study=Study.objects.get(slug="opened"), user=user, role="viewer")
    assert viewer.post(f"{PAGE}name/", {"name": "Mine"}).status_code == 404
    rosas_browser.post(f"{PAGE}name/", {"name": "Language pairs"})
    assert "Language pairs" in text_of(rosas_browser, PAGE)


def test_a_shorter_set_is_expected_to_be_paid_in_proportion(project: Project, rosa: User) -> None:
    """16 judgments are two full sets of six and one of four, before the plan is drawn and after."""
    draft = Study.objects.get(slug="drafted")
    draft.tasks.update(set_size=6)
    draft.settings = {**draft.settings, "pay": {"amount": "3.00", "minutes": 10}}
    draft.save()

    def expected() -> Decimal | None:
        rows = {row.study.slug: row for row in reads.rows_of(access.studies_of_project(rosa, project))}
        return rows["drafted"].expected

    assert expected() == Decimal(8)
    lifecycle.move(study_id=draft.pk, action="open", by=rosa)
    (task,) = draft.tasks.all()
    assert sum(task.booklets.values_list("n_places", flat=True)) == 16
    assert expected() == (Decimal(3) * 16 / 6).quantize(Decimal("0.01"))


def test_the_page_says_how_far_each_study_is(project: Project, rosa: User, rosas_browser: Client) -> None:
    opened = Study.objects.get(slug="opened")
    opened.settings = {**opened.settings, "pay": {"amount": "2.00", "minutes": 10}}
    opened.save()
    work(opened)
    rows = {row.study.slug: row for row in reads.rows_of(access.studies_of_project(rosa, project))}
    row, draft = rows["opened"], rows["drafted"]
    assert draft.expected == 4 * draft.study.options.amount, "16 judgments in sets of 4"
    assert (row.places, row.judgments, row.raters, row.is_checked) == (16, 4, 1, None)
    assert row.last_judged is not None
    assert (row.cost, row.expected) == (Decimal(2), Decimal(8))  # 16 places in sets of 4, each for 2.00
    assert (draft.places, draft.judgments, draft.is_checked) == (0, 0, True)
    totals = reads.totals_of(list(rows.values()))
    assert (totals.studies, totals.places, totals.judgments, totals.money) == (
        2,
        16,
        4,
        {"EUR": (Decimal(2), Decimal(20))},
    )
    assert "2.00 EUR of about 8.00 EUR" in text_of(rosas_browser, PAGE)
    lifecycle.move(study_id=opened.pk, action="close", by=rosa)
    assert "closed" in text_of(rosas_browser, PAGE)


@pytest.mark.exhaustive
def test_the_page_takes_few_queries(
    project: Project, rosas_browser: Client, rosa: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    empty = [
        Study(slug=f"draft-{number}", title=f"Draft {number}", public_title="Texts", project=project)
        for number in range(198)
    ]
    Membership.objects.bulk_create(
        Membership(study=study, user=rosa, role="owner") for study in Study.objects.bulk_create(empty)
    )
    with django_assert_max_num_queries(15):
        assert "Page 1 of 2" in text_of(rosas_browser, PAGE)
    with django_assert_max_num_queries(15):
        text_of(rosas_browser, "/admin/projects/")
