"""Looking changes nothing: GET, HEAD and OPTIONS of every address, as a messenger, a crawler or a browser may send."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.models import Assignment, Rater, Study
from tasks_app.services.arrival import invitations
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle
from tasks_app.setup import changes
from tests import extent, pages
from tests.deviations import assert_each
from tests.permissions.rows import Row
from tests.permissions.table import TABLE, TOKEN_ROWS
from tests.tasks_app.attack_kit import changed, rater_of, set_settings, tables
from tests.tasks_app.services.test_pay import work
from tests.tasks_app.views.test_arriving import ALL, open_study, prolific
from tests.tasks_app.views.test_steps import RIGHT, send

pytestmark = pytest.mark.django_db

# What looking does write down, by design: that a unit is shown and its set kept, and who took which data away.
SHOWN = {"assignment", "raterset"}
LOGGED = {"event"}
WRITES = {
    "rater:judge": SHOWN,
    "researcher:plan": LOGGED,
    "researcher:checks_csv": LOGGED,
    "researcher:file": LOGGED,
    "researcher:due_ids": LOGGED,
    "researcher:due_csv": LOGGED,
    "researcher:pay_file": LOGGED,
}

# What each page of a rater answers somebody who has agreed, somebody who judges, and somebody who has ended.
GETS: dict[str, tuple[int, int, int]] = {
    "rater:next": (302, 302, 302),
    "rater:instructions": (200, 302, 302),
    "rater:judge": (302, 302, 302),
    "rater:unit": (302, 302, 302),
    "rater:media": (404, 404, 404),
    "rater:overview": (302, 302, 302),
    "rater:summary": (200, 200, 200),
    "rater:feedback": (302, 200, 302),
    "rater:exam": (302, 302, 302),
    "rater:notice": (302, 302, 302),
    "rater:messages": (302, 302, 302),
    "rater:waiting": (302, 302, 302),
    "rater:calendar": (302, 302, 302),
    "rater:mail": (200, 200, 200),
    "rater:help": (200, 200, 200),
    "rater:elsewhere": (404, 404, 404),
    "rater:stop": (200, 200, 302),
    "rater:end": (302, 302, 200),
    "rater:stored": (200, 200, 200),
    "rater:mine": (200, 200, 200),
    "rater:withdraw": (200, 200, 200),
}
GET_ROWS = {row.name: row for row in TABLE if row.method == "GET"}
DRAFT_PAGES = {
    "researcher:step",
    "researcher:preview",
    "researcher:review",
    "researcher:setup_file",
    "researcher:setup_zip",
    "researcher:preregistration",
    "researcher:library",
    "researcher:consent_draft",
    "researcher:texts",
    "researcher:text_new",
    "researcher:text_sample",
    "researcher:text_media",
    "researcher:split",
    "researcher:degrade",
    "researcher:unit_table",
    "researcher:unit_new",
    "researcher:unit_template",
}

# Parts of a draft that the example has none of, or that need a number.
DRAFT_PARTS = {"researcher:rehearse", "researcher:setup_media", "researcher:text_row", "researcher:unit_row"}

# The form of a draft, which a study that was opened has not.
SETTING_UP = [row for row in TABLE if row.method == "GET" and row.study == "draft" and row.name in DRAFT_PAGES]
RESEARCHER_ROWS = [
    row
    for name, row in GET_ROWS.items()
    if name.startswith("researcher:") and name not in {*DRAFT_PAGES, *DRAFT_PARTS} and row.statuses["owner"] == 200
    # Not those that are asked about a row of the study.
    if not any(value.isupper() for value in row.query.values())
]


def look(browser: Client, path: str, may: set[str], status: int) -> None:
    """Look in every way, so that a page is made twice; nothing may change but what is named."""
    before = tables()
    expected = {"HEAD": status, "OPTIONS": 405, "GET": status}
    answered = {method: browser.generic(method, path).status_code for method in expected}
    assert answered == expected, path
    if extent.is_exhaustive():
        assert browser.get(path).status_code == status, path
    assert changed(before) <= may, path


def test_each_page_of_a_rater_is_looked_at() -> None:
    # The address of reports is for the tool of a task elsewhere: it answers OPTIONS to browsers of its site.
    assert set(GETS) == {row.name for row in TOKEN_ROWS if row.method == "GET"} - {"rater:report"}


def test_looking_at_a_raters_pages(somebody: Client) -> None:
    study = open_study(known={"training": 1, "exam": 1, "control": 1})
    fresh = (
        somebody.post(f"/join/{study.link_code}/", pages.hidden(somebody.get(f"/join/{study.link_code}/")))["Location"]
        .strip("/")
        .split("/")[1]
    )
    judging, ended = pages.join(study), pages.join(study)
    send(somebody, judging, RIGHT)
    assignments.stop(rater=rater_of(ended))

    def check(name: str) -> None:
        takes = GET_ROWS[name].path
        for token, status in zip((fresh, judging, ended), GETS[name], strict=True):
            path = reverse(name, kwargs={**takes, "token": token, **({"name": "x"} if "name" in takes else {})})
            look(somebody, path, WRITES.get(name, set()), status)

    assert_each(check, ((name, {"name": name}) for name in GETS))


def test_looking_at_a_researchers_pages(rosa: User, rosas_browser: Client) -> None:
    study = open_study(k=8)
    study.memberships.create(user=rosa, role="owner")
    work(study)
    assignments.stop(rater=work(study, 1))

    def check(row: Row) -> None:
        given = {key: study.slug if value == "SLUG" else value for key, value in row.path.items()}
        look(rosas_browser, reverse(row.name, kwargs=given), WRITES.get(row.name, set()), 200)

    for move in ("", "pause", "close") if extent.is_exhaustive() else ("",):
        if move:
            lifecycle.move(study_id=study.pk, action=move, by=rosa)
        assert_each(check, ((f"{row} after {move or 'opening'}", {"row": row}) for row in RESEARCHER_ROWS))


def test_looking_at_the_form_of_a_draft(rosa: User, rosas_browser: Client) -> None:
    """Once it was begun: the first look stores what the form begins with."""
    study = studyfile.load("examples/likert", owner=rosa)
    changes.begin(study)

    def check(row: Row) -> None:
        given = {key: study.slug if value == "SLUG" else value for key, value in row.path.items()}
        may = LOGGED if row.name in {"researcher:setup_zip", "researcher:preregistration"} else set()
        look(rosas_browser, reverse(row.name, kwargs=given), may, 200)

    assert_each(check, ((str(row), {"row": row}) for row in SETTING_UP))


def test_a_messenger_that_looks_at_a_link_does_not_use_it_up(somebody: Client, rosa: User) -> None:
    study = open_study()
    made = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)[0]
    for channel, query, status in (
        ("invited", f"?key={made.secret}", 200), ("account", "", 302), ("link", "", 200), ("mturk", "?x=y", 400),
    ):  # fmt: skip
        look(somebody, f"/join/{study.link_code}/{channel}/{query}", set(), status)
    query = "&".join(f"{name}={value}" for name, value in prolific().items())
    look(somebody, f"/join/{study.link_code}/prolific/?{query}", set(), 200)
    look(somebody, f"/join/{study.link_code}/mturk/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3H", set(), 200)
    page = somebody.get(f"/join/{study.link_code}/invited/", {"key": made.secret})
    form = pages.hidden(page)
    assert somebody.post(f"/join/{study.link_code}/invited/", form).status_code == 302


def test_looking_at_questions_that_screen_ends_nobody(somebody: Client) -> None:
    """A personal link may be looked at by whatever it is sent through."""
    study = open_study()
    token = pages.join(study)
    ada = rater_of(token)
    for path in ("", "judge/", "judge/1/", "end/", "stop/", "withdraw/", "mail/"):
        somebody.get(f"/r/{token}/{path}", follow=True)
    ada.refresh_from_db()
    assert ada.state == Rater.State.JUDGING
    assert not Assignment.objects.exclude(state__in=("reserved", "live")).exists()


def test_a_look_of_a_superusers_is_the_only_one_that_is_written_down(study: Study) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    for name in ("analytics:raters", "researcher:recruit", "researcher:pay", "researcher:design", "researcher:checks"):
        before = tables()
        browser.get(reverse(name, args=[study.slug]))
        assert changed(before) == LOGGED, name


def test_a_study_that_nobody_opened_is_looked_at_without_a_trace(rosa: User, rosas_browser: Client) -> None:
    study = open_study(slug="kept")
    draft = Study.objects.create(slug="draft", title="d", public_title="d", settings={}, seed=1)
    draft.memberships.create(user=rosa, role="owner")
    set_settings(draft, channels=ALL)
    before = tables()
    for name in ("setup", "design", "checks", "recruit", "try", "pay", "due", "invited"):
        assert rosas_browser.get(reverse(f"researcher:{name}", args=["draft"])).status_code == 200, name
    assert Client().get(f"/join/{draft.link_code}/").status_code == 404, "for strangers it is not there"
    assert changed(before) == set()
    assert study.pk
