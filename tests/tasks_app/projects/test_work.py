"""Check, open, pause and close all studies of a project: what is left out and why, each study by itself."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Booklet, Event, Membership, Project, ProjectStep, ProjectWork, Setup, Study
from tasks_app.projects import notifying, work
from tasks_app.services.study import lifecycle, projects
from tests.about import ABOUT
from tests.builders import build_study
from tests.tasks_app.projects.kit import made, rows_of

pytestmark = pytest.mark.django_db

PAGE = "/admin/projects/all-pairs/"


def act(browser: Client, action: str, *slugs: str, sure: bool = True) -> str:
    """Press a button of the project, and on the page that asks once more; return the page that follows."""
    sent = {"action": action, **({"sure": "yes", "study": slugs} if sure else {})}
    answer = browser.post(f"{PAGE}act/", sent, follow=True)
    assert answer.status_code == 200
    return str(answer.content.decode())


def states(project: Project) -> list[str]:
    return list(project.studies.order_by("pk").values_list("state", flat=True))


def slugs_of(project: Project) -> list[str]:
    return list(project.studies.order_by("pk").values_list("slug", flat=True))


@pytest.fixture
def project(rosa: User) -> Project:
    """Three drafts, one of which has a mistake."""
    project = made(rosa)
    for setup in Setup.objects.select_related("study"):
        setup.given |= {"about": ABOUT, "consent": {"en": "You agree to take part."}}
        if setup.study.slug == "translations-en-fr":
            setup.given["tasks"][0]["k"] = "many"
        setup.save()
    return project


def test_all_are_checked_opened_paused_and_closed(project: Project, rosas_browser: Client) -> None:
    page = act(rosas_browser, "check")
    assert "2 studies done." in page
    assert "1 study could not be processed and was not changed." in page
    assert "/admin/studies/translations-en-fr/set-up/review/" in page
    asked = act(rosas_browser, "open", sure=False)
    assert "Open these studies?" in asked
    assert "Not checked yet" in asked
    assert "Nobody has viewed this study" in asked, "what to look at before raters come is shown"
    assert states(project) == ["draft"] * 3, "nothing is opened before it is asked for"
    act(rosas_browser, "open", *slugs_of(project))
    assert states(project) == ["open", "draft", "open"]
    act(rosas_browser, "pause", *slugs_of(project))
    assert states(project) == ["paused", "draft", "paused"]
    act(rosas_browser, "open", *slugs_of(project))
    act(rosas_browser, "close", *slugs_of(project))
    assert states(project) == ["closed", "draft", "closed"]
    nothing = act(rosas_browser, "open", sure=False)
    assert "None of the studies can be opened right now. The reasons are below." in nothing
    assert "Reopen it on its own page" in nothing


def test_a_study_with_points_to_settle_is_left_a_draft_and_says_why(project: Project, rosas_browser: Client) -> None:
    setup = Setup.objects.get(study__slug="translations-de-en")
    setup.given["about"] = {**ABOUT, "contact": "you@example.org"}
    setup.save()
    act(rosas_browser, "check")
    assert "“you@example.org”" in act(rosas_browser, "open", sure=False)
    page = act(rosas_browser, "open", *slugs_of(project))
    assert sorted(states(project)) == ["draft", "draft", "open"]
    assert "something is left to settle" in page
    assert "“you@example.org”" in page


def test_a_study_that_the_question_did_not_name_is_left_alone(project: Project, rosas_browser: Client) -> None:
    act(rosas_browser, "check")
    first, *_others = slugs_of(project)
    act(rosas_browser, "open", first)
    assert states(project) == ["open", "draft", "draft"]


def test_studies_in_which_somebody_may_only_look_are_left_out(
    project: Project, rosas_browser: Client, rosa: User, mallory: User
) -> None:
    shared = build_study(mallory, slug="shared")
    unseen = build_study(mallory, slug="unseen")
    Membership.objects.create(study=shared, user=rosa, role="viewer")
    for study in (shared, unseen):
        projects.put(study=study, project=project, by=mallory)
    page = act(rosas_browser, "pause", sure=False)
    assert "You can only view this study" in page
    assert "unseen" not in page
    act(rosas_browser, "pause", "shared", "unseen")
    assert set(project.studies.filter(slug__in=["shared", "unseen"]).values_list("state", flat=True)) == {"open"}


def test_who_may_change_no_study_of_a_project_is_a_stranger_to_its_buttons(project: Project, mallory: User) -> None:
    viewer = Client()
    viewer.force_login(mallory)
    Membership.objects.create(study=project.studies.first(), user=mallory, role="viewer")
    assert "Check all" not in viewer.get(PAGE).content.decode()
    for action in ("check", "open", "close", "nonsense"):
        assert viewer.post(f"{PAGE}act/", {"action": action, "sure": "yes"}).status_code == 404


def test_what_is_not_known_is_not_there(project: Project, rosas_browser: Client) -> None:
    assert rosas_browser.post(f"{PAGE}act/", {"action": "erase"}).status_code == 404
    assert rosas_browser.get(f"{PAGE}work/999/").status_code == 404


def test_one_failure_leaves_the_others_as_they_are(
    project: Project, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = lifecycle.move

    def fail_for_one(*, study_id: int, **rest: object) -> Study:
        study = move(study_id=study_id, **rest)
        if study.slug.endswith("en-fr"):
            raise RuntimeError
        return study

    for study in project.studies.all():
        build_study(rosa, slug=f"sound-{study.slug}", opened=False)
    sound = list(Study.objects.filter(slug__startswith="sound"))
    for study in sound:
        projects.put(study=study, project=project, by=rosa)
    monkeypatch.setattr(lifecycle, "move", fail_for_one)
    begun = work.begin(project=project, action="open", studies=sound, by=rosa)
    work.work_off(begun.pk)
    assert list(begun.steps.order_by("pk").values_list("state", flat=True)).count("done") == 2
    refused = begun.steps.get(state="refused")
    assert "An error occurred" in refused.sentence
    assert (refused.study.state, Booklet.objects.filter(task__study=refused.study).exists()) == ("draft", False)


def test_what_somebody_may_no_longer_do_is_not_done(project: Project, rosa: User) -> None:
    study = build_study(rosa, slug="mine")
    projects.put(study=study, project=project, by=rosa)
    begun = work.begin(project=project, action="close", studies=[study], by=rosa)
    Membership.objects.filter(study=study).update(role="viewer")
    work.work_off(begun.pk)
    assert "no longer change it" in begun.steps.get().sentence
    study.refresh_from_db()
    assert study.state == "open"


def test_much_work_is_left_to_a_worker(
    project: Project, rosas_browser: Client, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    notified: list[int] = []
    monkeypatch.setattr(work, "TEXTS_AT_ONCE", len(rows_of()) - 1)
    monkeypatch.setattr(notifying, "notify_workers", lambda *ids, **_rest: notified.extend(ids))
    monkeypatch.setattr("django.db.transaction.on_commit", lambda then: then())
    page = act(rosas_browser, "check")
    assert "0 of 3 studies are finished." in page
    begun = ProjectWork.objects.get()
    assert notified == [begun.pk]
    assert "In progress: check all" in rosas_browser.get(PAGE).content.decode()
    live = f"{PAGE}work/{begun.pk}/?live=1"
    first = rosas_browser.get(live, headers={"accept-encoding": "gzip"})
    again = rosas_browser.get(live, headers={"if-none-match": first["ETag"], "accept-encoding": "gzip"})
    assert (again.status_code, again["ETag"]) == (304, first["ETag"])
    assert "Accept-Encoding" in again["Vary"]
    work.work_off(begun.pk)
    assert "2 studies done." in rosas_browser.get(live).content.decode()


def test_work_that_nobody_heard_of_is_rung_for_again(
    project: Project, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    notified: list[int] = []
    monkeypatch.setattr(notifying, "notify_workers", lambda *ids, **_rest: notified.extend(ids))
    begun = work.begin(project=project, action="check", studies=list(project.studies.all()), by=rosa)
    notifying.notify_again()
    assert notified == []
    ProjectWork.objects.update(created_at="2020-01-01T00:00Z")
    notifying.notify_again()
    assert notified == [begun.pk]
    work.work_off(begun.pk)
    notifying.notify_again()
    assert notified == [begun.pk]


@pytest.mark.django_db(transaction=True)
def test_two_people_who_open_all_at_once_open_each_study_once(rosa: User) -> None:
    studies = [build_study(rosa, slug=f"study-{number}", opened=False) for number in range(6)]
    project = projects.put_into_new(study=studies[0], name="All pairs", by=rosa)
    for study in studies[1:]:
        projects.put(study=study, project=project, by=rosa)
    begun = [work.begin(project=project, action="open", studies=studies, by=rosa) for _person in range(2)]
    start = Barrier(2)

    def run(one: ProjectWork) -> None:
        try:
            start.wait(timeout=60)
            work.work_off(one.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, begun))
    steps = ProjectStep.objects.values_list("state", flat=True)
    assert (list(steps).count("done"), list(steps).count("refused")) == (6, 6)
    assert states(project) == ["open"] * 6
    assert Event.objects.filter(verb="opened").count() == 6


def test_all_study_files_come_in_one_zip(project: Project, rosas_browser: Client, rosa: User, mallory: User) -> None:
    act(rosas_browser, "check")
    projects.put(study=build_study(mallory, slug="others"), project=project, by=mallory)
    answer = rosas_browser.get(f"{PAGE}studies.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        assert archive.namelist() == [f"{slug}.zip" for slug in slugs_of(project) if slug != "others"]
        first = archive.read("translations-de-en.zip")
    reading = studyfile.read(io.BytesIO(first))
    assert reading.counts["units"] == 8
    assert Event.objects.filter(object="study file", actor=rosa).count() == 3
