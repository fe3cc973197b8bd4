"""The list of raters with its filters, and the timeline of one rater."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.services import exclusions
from analytics_app.views.raters import page as rater_page
from tasks_app.models import Assignment, Judgment, Rater, RaterSet, Study
from tasks_app.services.judging import assignments
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, tables, text
from tests.analytics_app.working import finish, judge
from tests.builders import build_study
from tests.walk import arrive

pytestmark = pytest.mark.django_db


@pytest.fixture
def checked(rosa: User) -> Study:
    """Rosa's study with units whose answers are known, of which a rater has to get half right."""
    return build_study(
        rosa, slug="checked", k=8, known={"control": 4}, checks={"controls": 4, "fail_below": 0.5, "fail_after": 3}
    )


def listed(browser: Client, study: Study, query: str = "") -> list[str]:
    """Return the pseudonyms on the page of raters, in order."""
    found = tables(page(browser, f"/admin/studies/{study.slug}/raters/{query}"))
    return [row[0].split()[0] for row in found[0][1][1:]] if found else []


def test_chips_pick_raters_who_stand_so(rosas_browser: Client, checked: Study) -> None:
    careful, careless, left = finish(checked), finish(checked, right=False), arrive(checked)
    judge(left, 1)
    assignments.stop(rater=left)
    at_work, away = arrive(checked), arrive(checked)
    judge(at_work, 2)
    RaterSet.objects.filter(rater=away).update(lease_until=Now() - timedelta(minutes=1))
    trying = finish(checked, kind=Rater.Kind.SANDBOX)
    exclusions.exclude_rater(rater=careless, by=None, reason="Guessed.")
    expected = {
        "": [away, at_work, left, careless, careful],
        "?show=at_work": [at_work],
        "?show=away": [away],
        "?show=finished": [careless, careful],
        "?show=left": [left],
        "?show=below": [careless],
        "?show=excluded": [careless],
        "?show=sandbox": [trying],
        "?show=nonsense": [away, at_work, left, careless, careful],
        f"?q={careful.pseudonym[1:].upper()}": [careful],
        f"?show=below&q={careful.pseudonym}": [],
        "?show=finished&order=known": [careless, careful],
    }
    for query, raters in expected.items():
        assert listed(rosas_browser, checked, query) == [str(rater) for rater in raters], query
    said = text(page(rosas_browser, f"/admin/studies/{checked.slug}/raters/"))
    assert "all 5 at work 1 away 1 finished 2 left 1 below the limit on known answers 1 excluded 1 trying out 1" in said
    assert "0 of 4: too few" in said
    assert "excluded : Guessed." in said
    assert listed(rosas_browser, checked, "?order=name") == sorted(map(str, expected[""]))


def test_the_live_list_is_the_one_on_the_page(rosas_browser: Client, checked: Study) -> None:
    finish(checked)
    address = f"/admin/studies/{checked.slug}/raters/"
    live = rosas_browser.get(f"{address}?live=1&show=finished").content.decode()
    assert live in page(rosas_browser, f"{address}?show=finished")
    assert "<form" not in live
    assert "No rater matches this filter." in page(rosas_browser, f"{address}?show=left")


def test_the_timeline_says_what_a_rater_saw_when_and_how_checks_went(rosas_browser: Client, checked: Study) -> None:
    rater = finish(checked, right=False)
    address = f"/admin/studies/{checked.slug}/raters/{rater}/timeline/"
    html = page(rosas_browser, address)
    (_caption, rows), *_rest = tables(html)
    units = [row for row in rows[1:] if len(row) > 1]
    assert len(units) == 8
    assert sorted(row[1] for row in units) == ["control"] * 4 + ["main"] * 4
    assert {(row[1], row[5]) for row in units} == {("control", "missed"), ("main", "–")}
    assert {row[4] for row in units} == {"4.5"}
    assert "Half of 8 units took 4.5 s or less" in text(html)
    assert not any(system in html for system in ("alpha-mt", "beta-mt"))
    checked.memberships.update(role="viewer")
    html = page(rosas_browser, address)
    assert {row[1] for row in tables(html)[0][1][1:] if len(row) > 1} == {"text"}
    assert "missed" not in html
    assert "control0" not in html


def test_a_long_absence_is_told(rosas_browser: Client, study: Study) -> None:
    rater = finish(study)
    later = Assignment.objects.filter(rater=rater).order_by("-first_shown")[:1].values("pk")
    Assignment.objects.filter(pk__in=list(later.values_list("pk", flat=True))).update(
        first_shown=F("first_shown") + timedelta(minutes=34)
    )
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/raters/{rater}/timeline/"))
    assert said.count("Away for") == 1
    assert "Away for 34 minutes" in said


def test_an_absence_is_told_on_every_page_even_where_the_answer_before_it_was_changed_later(
    rosas_browser: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four units: the rater was away before the third, and then changed the answer to the second."""
    rater = finish(study)
    units = list(Assignment.objects.filter(rater=rater).order_by("order"))
    begun = units[0].first_shown
    assert begun is not None
    for minutes, unit in zip((0, 1, 41, 42), units, strict=True):
        Assignment.objects.filter(pk=unit.pk).update(first_shown=begun + timedelta(minutes=minutes))
    second = Judgment.objects.get(assignment=units[1])
    Judgment.objects.create(
        assignment=units[1], submission=uuid4(), answer=second.answer, replaces=second, version=second.version,
        seconds_active=3, submitted_at=begun + timedelta(minutes=45),
    )  # fmt: skip
    monkeypatch.setattr(rater_page, "UNITS_ON_A_PAGE", 2)
    address = f"/admin/studies/{study.slug}/raters/{rater}/timeline/"
    assert "Away for" not in text(page(rosas_browser, address))
    assert text(page(rosas_browser, f"{address}?page=2")).count("Away for 40 minutes") == 1


def test_a_rater_who_has_seen_nothing_has_an_empty_timeline(rosas_browser: Client, study: Study) -> None:
    rater = arrive(study)
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/raters/{rater}/timeline/"))
    assert "This rater has seen no unit yet." in said
    assert "Units seen 0" in said
    page(rosas_browser, f"/admin/studies/{study.slug}/raters/nobody/timeline/", 404)


def test_every_pseudonym_that_can_be_imported_has_its_pages(rosas_browser: Client, rosa: User) -> None:
    study = build_study(rosa, slug="imported", opened=False)
    names = ["lab/1", ".", "..", "a~2Fb", "~", "%2e", "an na", "exclude"]
    for name in names:
        Filler(study).judge(name, "i0", "alpha-mt", {"fluency": 1})
    html = page(rosas_browser, f"/admin/studies/{study.slug}/raters/")
    assert set(names) <= {rater for row in tables(html)[0][1][1:] for rater in names if row[0].startswith(f"{rater} ")}
    links = re.findall(r'href="([^"]+/timeline/)"', html)
    assert len(set(links)) == len(names)
    for link in links:
        assert not re.search(r"/(\.|%2e){1,2}/", link), "browsers resolve it"
        judgments = re.findall(r'href="([^"]+/judgments/)"', page(rosas_browser, link))
        assert "Exclude judgment 1" in page(rosas_browser, judgments[0])


@pytest.mark.exhaustive
def test_pages_of_raters_ask_as_much_for_many_as_for_one(
    rosas_browser: Client, checked: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    raters = [finish(checked), finish(checked), finish(checked, right=False)]
    for rest in ("", "?show=below", "?live=1", f"{raters[0]}/timeline/"):
        with django_assert_max_num_queries(15):
            page(rosas_browser, f"/admin/studies/{checked.slug}/raters/{rest}")
