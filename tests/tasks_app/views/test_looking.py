"""Looking changes nothing: GET, HEAD and OPTIONS of every address, as a messenger, a crawler or a browser may send."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app.models import Assignment, Rater, Study
from tasks_app.services import assignments, invitations, lifecycle
from tests import pages
from tests.tasks_app.attack_kit import changed, rater_of, set_settings, tables
from tests.tasks_app.services.test_pay import work
from tests.tasks_app.views.test_arriving import ALL, open_study, prolific
from tests.tasks_app.views.test_permissions import TABLE
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

RATER_ADDRESSES = [row for row in TABLE if row[2].get("token") == "TOKEN"]
RESEARCHER_ADDRESSES = [row for row in TABLE if row[1].startswith("researcher:") and row[0] == "get"]
METHODS = ("head", "options", "get", "get")


def look(browser: Client, path: str, may: set[str]) -> None:
    """Look in every way, twice; nothing may change but what is named."""
    before = tables()
    for method in METHODS:
        assert getattr(browser, method)(path).status_code < 500, (method, path)
    assert changed(before) <= may, path


@pytest.mark.parametrize("row", RATER_ADDRESSES, ids=[row[1] for row in RATER_ADDRESSES])
def test_looking_at_a_raters_pages(somebody: Client, row: tuple[str, str, dict[str, str], dict[str, int]]) -> None:
    _method, name, takes, _statuses = row
    study = open_study(known={"training": 1, "exam": 1, "control": 1})
    fresh = (
        somebody.post(
            f"/join/{study.link_code}/", {**pages.hidden(somebody.get(f"/join/{study.link_code}/")), "agree": "on"}
        )["Location"]
        .strip("/")
        .split("/")[1]
    )
    judging, ended = pages.join(somebody, study), pages.join(somebody, study)
    send(somebody, judging, RIGHT)
    assignments.stop(rater=rater_of(ended))
    for token in (fresh, judging, ended):
        path = reverse(name, kwargs={**takes, "token": token, **({"name": "x"} if "name" in takes else {})})
        look(somebody, path, WRITES.get(name, set()))


@pytest.mark.parametrize("row", RESEARCHER_ADDRESSES, ids=[row[1] for row in RESEARCHER_ADDRESSES])
def test_looking_at_a_researchers_pages(
    rosa: User, rosas_browser: Client, row: tuple[str, str, dict[str, str], dict[str, int]]
) -> None:
    _method, name, takes, _statuses = row
    study = open_study(k=8)
    study.memberships.create(user=rosa, role="owner")
    made = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)[0]
    work(study)
    assignments.stop(rater=work(study, 1))
    words = {"SLUG": study.slug, "0": str(made.invitation.pk), "PAYMENT": "1"}
    given = {key: words.get(value, value) for key, value in takes.items() if key not in {"rater", "action"}}
    for move in ("", "pause", "close"):
        if move:
            lifecycle.move(study_id=study.pk, action=move, by=rosa)
        look(rosas_browser, reverse(name, kwargs=given), WRITES.get(name, set()))


def test_a_messenger_that_looks_at_a_link_does_not_use_it_up(somebody: Client, rosa: User) -> None:
    study = open_study()
    made = invitations.invite(study=study, people=[invitations.Person("Bo")], by=rosa)[0]
    for channel, query in (("invited", f"?key={made.secret}"), ("account", ""), ("link", ""), ("mturk", "?x=y")):
        look(somebody, f"/join/{study.link_code}/{channel}/{query}", set())
    query = "&".join(f"{name}={value}" for name, value in prolific().items())
    look(somebody, f"/join/{study.link_code}/prolific/?{query}", set())
    look(somebody, f"/join/{study.link_code}/mturk/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3H", set())
    page = somebody.get(f"/join/{study.link_code}/invited/", {"key": made.secret})
    form = {**pages.hidden(page), "agree": "on"}
    assert somebody.post(f"/join/{study.link_code}/invited/", form).status_code == 302


def test_looking_at_questions_that_screen_ends_nobody(somebody: Client) -> None:
    """A personal link may be looked at by whatever it is sent through."""
    study = open_study()
    token = pages.join(somebody, study)
    ada = rater_of(token)
    for path in ("", "judge/", "judge/1/", "end/", "stop/", "withdraw/", "mail/"):
        somebody.get(f"/r/{token}/{path}", follow=True)
    ada.refresh_from_db()
    assert ada.state == Rater.State.JUDGING
    assert not Assignment.objects.exclude(state__in=("reserved", "live")).exists()


def test_a_look_of_a_superusers_is_the_only_one_that_is_written_down(study: Study) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    for name in ("people", "recruit", "pay", "design", "checks"):
        before = tables()
        browser.get(reverse(f"researcher:{name}", args=[study.slug]))
        assert changed(before) == LOGGED, name


def test_a_study_that_nobody_opened_is_looked_at_without_a_trace(rosa: User, rosas_browser: Client) -> None:
    study = open_study(slug="kept")
    draft = Study.objects.create(slug="draft", title="d", public_title="d", settings={}, seed=1)
    draft.memberships.create(user=rosa, role="owner")
    set_settings(draft, channels=ALL)
    before = tables()
    for name in ("setup", "design", "checks", "recruit", "try", "people", "pay", "due", "invited"):
        assert rosas_browser.get(reverse(f"researcher:{name}", args=["draft"])).status_code == 200, name
    assert Client().get(f"/join/{draft.link_code}/").status_code == 404, "for strangers it is not there"
    assert changed(before) == set()
    assert study.pk
