"""Exclusions by hand: decided where no system and no answer is in sight, with a reason, and taken back."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import Exclusion
from analytics_app.services import exclusions
from tasks_app.models import Rater, Study
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, tables, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(study: Study) -> str:
    """The page of raters of rosa's study, of whom ada has judged twice and one only tried it out."""
    filler = Filler(study)
    for item in ("i0", "i1"):
        filler.judge("ada", item, "alpha-mt", {"fluency": 1})
    filler.judge("tries", "i1", "alpha-mt", {"fluency": 4}, rater_kind="sandbox")
    return f"/admin/studies/{study.slug}/raters/"


def test_it_shows_work_and_neither_systems_nor_answers(rosas_browser: Client, address: str) -> None:
    html = page(rosas_browser, address)
    rows = tables(html)[0][1]
    assert [rows[1][0], *rows[1][1:4], rows[1][-1]] == ["ada imported", "imported", "2 of 2", "0", "included"]
    assert len(rows) == 2
    html = page(rosas_browser, f"{address}ada/timeline/")
    assert [row[1:5] for row in tables(html)[0][1][1:]] == [
        ["main", "Likert scale", f"i{place}", "12.5"] for place in (0, 1)
    ]
    assert "alpha-mt" not in html
    assert "beta-mt" not in html


def test_a_rater_is_excluded_with_a_reason_and_included_again(
    rosas_browser: Client, study: Study, address: str, rosa: User
) -> None:
    refused = rosas_browser.post(f"{address}exclude/", {"rater": "ada", "reason": "  "}, follow=True)
    assert "Enter a reason" in text(refused.content.decode())
    assert not Exclusion.objects.exists()
    said = rosas_browser.post(f"{address}exclude/", {"rater": "ada", "reason": "Asked to <b>."}, follow=True)
    assert "ada is left out of runs from now on. Pay does not change." in text(said.content.decode())
    assert "Excluded , rosa: Asked to &lt;b&gt;." in text(said.content.decode()).replace("Excluded,", "Excluded ,")
    exclusion = Exclusion.objects.get()
    assert (exclusion.rule, exclusion.run, exclusion.by, exclusion.lifted_at) == ("manual", None, rosa, None)
    rosas_browser.post(f"{address}exclude/", {"rater": "ada", "reason": "Again."})
    assert Exclusion.objects.count() == 1
    rosas_browser.post(f"{address}include/{exclusion.pk}/")
    exclusion.refresh_from_db()
    assert exclusion.lifted_by == rosa
    assert exclusion.lifted_at is not None
    assert "Exclude ada…" in text(page(rosas_browser, f"{address}ada/timeline/"))
    assert [event.verb for event in study.events.all()[:2]] == ["included", "excluded"]
    rosas_browser.post(f"{address}exclude/", {"rater": "ada", "reason": "Once more."})
    assert Exclusion.objects.filter(lifted_at=None).count() == 1


def test_an_exclusion_of_another_study_is_out_of_reach(mallorys_browser: Client, address: str, study: Study) -> None:
    exclusion = exclusions.exclude_rater(rater=Rater.objects.get(pseudonym="ada"), by=None, reason="x")
    other = Study.objects.create(slug="mallorys", title="Other", public_title="Other")
    other.memberships.create(user=User.objects.get(username="mallory"), role="owner")
    assert mallorys_browser.post(f"/admin/studies/mallorys/raters/include/{exclusion.pk}/").status_code == 404
    assert mallorys_browser.post("/admin/studies/mallorys/raters/exclude/", {"rater": "ada"}).status_code == 404
    exclusion.refresh_from_db()
    assert exclusion.lifted_at is None


def test_a_name_that_no_rater_can_have_is_not_found(rosas_browser: Client, address: str) -> None:
    assert rosas_browser.post(f"{address}exclude/", {"rater": "\0", "reason": "x"}).status_code == 404
    assert rosas_browser.post(f"{address}exclude/", {"rater": "nobody", "reason": "x"}).status_code == 404
    assert not Exclusion.objects.exists()


def test_a_single_judgment_is_excluded_and_included_by_its_services(study: Study, address: str, rosa: User) -> None:
    judgment = Rater.objects.get(pseudonym="ada").assignments.first().judgments.get()
    with pytest.raises(ValueError, match="Enter a reason"):
        exclusions.exclude_judgment(judgment=judgment, by=rosa, reason="")
    excluded = exclusions.exclude_judgment(judgment=judgment, by=rosa, reason="Fell asleep.")
    assert exclusions.exclude_judgment(judgment=judgment, by=rosa, reason="Twice.") == excluded
    exclusions.lift(exclusion=excluded, by=rosa)
    exclusions.lift(exclusion=excluded, by=None)
    assert excluded.lifted_by == rosa
    assert [(event.verb, event.object) for event in study.events.all()[:2]] == [
        ("included", "ada, judgment 1"),
        ("excluded", "ada, judgment 1"),
    ]


def test_viewers_see_who_is_excluded_and_change_nothing(rosas_browser: Client, study: Study, address: str) -> None:
    exclusions.exclude_rater(rater=Rater.objects.get(pseudonym="ada"), by=None, reason="Asked to.")
    study.memberships.update(role="viewer")
    for rest in ("", "ada/timeline/"):
        html = page(rosas_browser, f"{address}{rest}")
        assert "Asked to." in html
        assert 'method="post"' not in html.partition('id="ew-main"')[2].partition("</main>")[0]


@pytest.mark.exhaustive
def test_the_page_asks_as_much_for_many_as_for_one(
    rosas_browser: Client, study: Study, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        rater = Rater.objects.create(study=study, pseudonym=f"r{number}", seed=1, token_hash=str(number), version=1)
        exclusions.exclude_rater(rater=rater, by=None, reason="x")
    with django_assert_max_num_queries(13):
        page(rosas_browser, address)
