"""The monitor: what it says of cost, of the way of raters, and of the end of a study."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.views.monitor import moments
from tasks_app.models import Membership, Rater, Study
from tasks_app.selectors.fieldwork.forecast import Forecast, Outlook, Speed
from tasks_app.services import erasure
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle
from tests.analytics_app.views.reading import page, tables, text
from tests.analytics_app.working import finish, judge, two_hours_pass
from tests.builders import build_study
from tests.tasks_app import waves_kit
from tests.walk import arrive

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(study: Study) -> str:
    """The monitor of rosa's study."""
    return f"/admin/studies/{study.slug}/monitor/"


def test_places_to_come_cost_what_the_groups_that_take_them_are_paid(rosas_browser: Client, rosa: User) -> None:
    """Sixty raters are wanted; a group of thirty has a set of three units, the other thirty one of four."""
    study = waves_kit.opened()
    Membership.objects.create(study=study, user=rosa, role="owner")
    arrive(study)
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/monitor/"))
    assert "Cost so far 0.00 EUR About 270.00 EUR more for the places that are open" in said, "4.50 EUR each"
    assert "from few to many; 1 unit." in said


def test_a_closed_study_waits_for_no_later_task(rosas_browser: Client, rosa: User) -> None:
    study = waves_kit.opened()
    Membership.objects.create(study=study, user=rosa, role="owner")
    address = f"/admin/studies/{study.slug}/monitor/"
    assert "Without 150 places of “How you feel after one week”" in text(page(rosas_browser, address))
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    said = text(page(rosas_browser, address))
    assert "Unfilled places stay unfilled." in said
    assert "which opens later" not in said


def test_simulated_raters_cost_nothing(rosas_browser: Client, study: Study, address: str) -> None:
    finish(study, kind=Rater.Kind.SIMULATED)
    said = text(page(rosas_browser, address))
    assert "Cost so far 0.00 EUR About 9.00 EUR more for the places that are open" in said
    assert "Platform fees are not included. Simulated raters are not paid." in said


def test_a_rater_who_finished_and_was_erased_has_finished(rosas_browser: Client, study: Study, address: str) -> None:
    finish(study)
    erasure.erase(rater=finish(study), by=None)
    found = {rows[0][0]: rows for _caption, rows in tables(page(rosas_browser, address))}
    assert [row[1:] for row in found["Step"][1:]] == [["2", "–", "–"]] * 4


def test_the_way_of_raters_says_where_they_left(rosas_browser: Client, rosa: User) -> None:
    """One passes the test and finishes, one fails it twice, and one has not begun."""
    study = build_study(rosa, slug="tested", k=8, known={"exam": 2}, checks={"exam_attempts": 2})
    finish(study)
    failed = arrive(study)
    judge(failed, right=False)
    failed.refresh_from_db()
    assert failed.outcome == Rater.Outcome.FAILED
    arrive(study)
    html = page(rosas_browser, f"/admin/studies/{study.slug}/monitor/")
    found = {rows[0][0]: rows for _caption, rows in tables(html)}
    assert found["Step"][1:] == [
        ["consented", "3", "–", "1"],
        ["read the instructions", "2", "1", "–"],
        ["finished training and exam", "1", "–", "–"],
        ["judged at least one unit", "1", "–", "–"],
        ["finished", "1", "–", "–"],
    ]
    assert "1 of 3 raters who consented have finished" in text(html)


def test_titles_say_that_most_raters_left_and_nothing_came_since(
    rosas_browser: Client, study: Study, address: str
) -> None:
    for _rater in range(3):
        assignments.stop(rater=arrive(study))
    finish(study)
    two_hours_pass()
    said = text(page(rosas_browser, address))
    assert "3 of 4 raters left after the step “consented”" in said
    assert "one dot per rater who finished (bars if there are many); 1 rater." in said
    lifecycle.move(study_id=study.pk, action="close", by=None)
    said = text(page(rosas_browser, address))
    assert "No judgment since" in said


def test_a_date_more_than_a_year_ahead_is_not_said() -> None:
    now, week = datetime(2026, 3, 1, tzinfo=UTC), timedelta(days=7)
    for days, words in ((100, "about 9 Jun 2026"), (400, "in more than a year")):
        takes = timedelta(days=days)
        found = Forecast(Outlook.AHEAD, Speed(20, week, whole=False), takes, now + takes, is_far=True)
        assert moments.outlook(found, now, ZoneInfo("UTC"), now)[0] == words
