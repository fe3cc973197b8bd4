"""What a page of results concludes from comparisons with raters and texts random, and from tests over texts alone."""

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from analytics_app.results import Row
from analytics_app.stats.mixed.ordinal import ALONE
from tasks_app.models import Study
from tasks_app.task_types.base import Scale
from tests.analytics_app import test_crossed_preferences as preferences
from tests.analytics_app.builders import build_run
from tests.analytics_app.test_crossed import TORN, planted, rows_of, stepped
from tests.analytics_app.views.reading import page, results, table, text

pytestmark = pytest.mark.django_db


def test_the_headline_claims_no_difference_that_other_raters_may_not_share(
    rosas_browser: Client, closed: Study
) -> None:
    build_run(closed, rows_of(planted(TORN)), planned=True)
    html = page(rosas_browser, results(closed))
    said = text(html)
    assert (
        "No clear difference between A and B on quality; these raters rate systems differently, but other raters may "
        "not." in said
    )
    assert (
        "Raters disagree about which system is better on quality: more raters would help more than more texts." in said
    )
    assert "A is rated higher than B" not in said
    assert "Thick lines: 95 % intervals for further texts and further raters." in said
    assert "Thin lines: intervals for these raters alone" in said
    assert "Mean, on a scale from 1 to 5; estimated by the mixed model" in said
    assert "Difference, row minus column; p for further texts and further raters" in said
    assert "p is the probability of a difference at least as large as the one found" in said
    assert "raters and texts random; 40 texts, 4 raters" in said
    (pair,) = table(html, "Pairs of systems")
    assert pair["Adjusted p, these raters"] == "0.001"
    assert float(pair["Adjusted p"]) > 0.2


def test_results_lead_to_planning_with_the_components_of_the_run(rosas_browser: Client, closed: Study) -> None:
    rows = rows_of(planted(TORN))
    (found,) = {(row.task, row.criterion) for row in rows if row.criterion}
    spreads = {"sd_item": 0.5, "sd_rater": 0.4, "sd_rater_system": 0.61, "sd_residual": 0.9}
    about = {"task": found[0], "criterion": found[1], "basis": "kept"}
    build_run(closed, rows)
    assert "How many raters and texts" not in page(rosas_browser, results(closed))
    sds = [Row(analysis="variance_components", statistic=name, value=value, **about) for name, value in spreads.items()]
    build_run(closed, [*rows, *sds])
    html = page(rosas_browser, results(closed))
    link = re.search(r'href="([^"]+)">How many raters and texts does a further study need\?', html)
    assert link is not None
    said = text(page(rosas_browser, link[1].replace("&amp;", "&")))
    assert f"SD of rater × system 0.61, from {closed.title}" in said


def test_raters_who_agree_carry_the_claim(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, rows_of(planted((0.9, 1.0, 1.1, 0.8, 1.0))), planned=True)
    said = text(page(rosas_browser, results(closed)))
    assert "A is rated higher than B on quality" in said
    assert "Raters disagree" not in said
    assert "not about further raters" not in said


def test_few_raters_who_agree_make_the_test_cautious_and_page_and_methods_section_say_so(
    rosas_browser: Client, closed: Study
) -> None:
    said = "Among only 3 raters, no disagreement about the systems was found, which may be chance."
    methods = "With only 3 raters, a variance between systems that is estimated as 0 may well be larger"
    for leanings, cautious in (((0.3, 0.3, 0.3), True), (TORN, False)):
        run = build_run(closed, rows_of(planted(leanings)), planned=True)
        html = page(rosas_browser, f"{results(closed)}{run.number}/")
        section = page(rosas_browser, reverse("analytics:methods_md", args=[closed.slug, run.number]))
        assert (said in text(html)) is cautious
        assert (f"{methods}, so the degrees of freedom were at most 6 and the test is cautious." in section) is cautious


def test_a_test_over_texts_is_named_for_what_it_generalises_to(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, rows_of(planted((0.9, 1.0, 1.1, 0.8, 1.0)), generalise_to="texts"), planned=True)
    said = text(page(rosas_browser, results(closed)))
    assert "A is rated higher than B on quality" in said
    assert "The test is about further texts judged by these raters, not about further raters; say so." in said
    assert "row minus column; p for further texts, by these raters" in said
    assert "Thick lines: 95 % intervals for further texts, by these raters." in said


def test_with_one_rater_the_finding_is_about_this_rater_only(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, rows_of(planted((1.0,))), planned=True)
    said = text(page(rosas_browser, results(closed)))
    assert "A is rated higher than B on quality; this is about these raters only." in said


def test_preferences_are_claimed_as_far_as_other_raters_would_share_them(rosas_browser: Client, closed: Study) -> None:
    def said_of(shares: tuple[float, ...]) -> str:
        rows = preferences.rows_of(preferences.preferring(shares))
        build_run(closed, rows, planned=True)
        return page(rosas_browser, results(closed))

    html = said_of(preferences.TORN)
    said = text(html)
    assert (
        "No clear difference between A and B on quality; these raters rate systems differently, but other raters may "
        "not." in said
    )
    assert "Raters disagree about which system is better on quality" in said
    assert (
        "Share of comparisons in which the row is preferred to the column, ties half; p for further texts and further "
        "raters" in said
    )
    assert "raters and texts random; 40 texts, 6 raters" in said
    assert (
        "Strength (Bradley-Terry model, log-odds of being preferred); intervals by two-way robust standard errors"
        in said
    )
    assert "is 0.70 higher than another's is preferred to it in about 67 % of comparisons" in said.replace(
        "&#x27;", "'"
    )
    assert f"/admin/planning/preferences/?study={closed.slug}&amp;pilot={closed.slug}%2F" in html
    (pair,) = table(html, "Preferences by pair (ties count half; the sign test leaves them out)")
    assert float(pair["Adjusted p"]) > 0.2
    assert float(pair["Adjusted p, these raters"].lstrip("< ")) < 0.05
    said = text(said_of(preferences.AGREED))
    assert "A is preferred to B on quality" in said
    assert "Raters disagree" not in said


def test_with_one_rater_a_preference_is_that_of_this_rater_only(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, preferences.rows_of(preferences.preferring((0.9,))), planned=True)
    said = text(page(rosas_browser, results(closed)))
    assert "A is preferred to B on quality; this is about these raters only." in said


@pytest.mark.parametrize(
    ("on_steps", "said"),
    [
        ((0.8, 0.2), "no clear difference between A and B (p = 0.200) if steps are not taken as equally far apart."),
        ((-0.8, 0.2), "of A and B (p = 0.200) it puts the other system higher"),
        ((-2.0, 0.001), "of A and B (p = 0.001) it puts the other system higher"),
        ((2.0, 0.001), ""),
    ],
)
def test_another_verdict_of_the_model_of_steps_is_said(
    rosas_browser: Client, closed: Study, on_steps: tuple[float, float], said: str
) -> None:
    rows = rows_of(stepped((0.9, 1.0, 1.1, 0.8, 1.0), items=8), scale=Scale.ORDINAL)
    value, p = on_steps
    rows = [replace(row, value=value, p_adjusted=p) if row.statistic == "log_odds" else row for row in rows]
    build_run(closed, rows, planned=True)
    html = page(rosas_browser, results(closed))
    start = "The model of ordinal steps says otherwise: "
    assert (start + said in text(html)) if said else (start not in text(html))
    another = "The model of ordinal steps comes to another verdict; see the note below the pairs."
    assert (another in text(html)) is bool(said)
    assert ("; the model of ordinal steps disagrees." in text(html)) is bool(said), "the headline"
    assert bool(re.search(r"May I say so\? Yes, with [^.]*the model of ordinal steps disagrees", text(html))) is bool(
        said
    )
    (pair,) = table(html, "Pairs of systems")
    assert float(pair["Adjusted p, model of steps"].lstrip("< ")) == p


def test_a_difference_that_only_the_model_of_steps_shows_is_said(rosas_browser: Client, closed: Study) -> None:
    rows = rows_of(stepped(TORN, items=8), scale=Scale.ORDINAL)
    (linear,) = (row for row in rows if row.statistic == "difference_crossed")
    rows = [replace(row, value=linear.value, p_adjusted=0.01) if row.statistic == "log_odds" else row for row in rows]
    build_run(closed, rows, planned=True)
    said = text(page(rosas_browser, results(closed)))
    otherwise = "A and B (p = 0.010) differ clearly if steps are not taken as equally far apart."
    assert f"The model of ordinal steps says otherwise: {otherwise}" in said


def test_a_page_names_the_methods_that_stand_in_beyond_the_limits_of_models(
    rosas_browser: Client, closed: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Fits of equal data are kept.
    monkeypatch.setattr("analytics_app.analyses.shared.crossed._FITS", {})
    monkeypatch.setattr("analytics_app.stats.mixed.crossed.MOST_COLUMNS", 9)
    monkeypatch.setattr("analytics_app.stats.mixed.ordinal.MOST_WORK", 10)
    screens = stepped((0.9, 1.0, 1.1, 0.8, 1.0), items=8)
    build_run(closed, rows_of(screens, scale=Scale.ORDINAL), planned=True)
    said = text(page(rosas_browser, results(closed)))
    assert (
        "There are more texts and raters than the mixed model takes. The two-way robust method takes its place." in said
    )
    assert "intervals by two-way robust standard errors" in said
    assert "estimated by the mixed model" not in said
    assert f"There are too many systems, texts and raters for the model of ordinal steps. {ALONE}" in said
    assert "model of steps" not in said.replace("the model of steps", "")
