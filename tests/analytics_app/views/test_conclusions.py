"""What a page of results concludes from comparisons with raters and texts random, and from tests over texts alone."""

import pytest
from django.test import Client

from tasks_app.models import Study
from tests.analytics_app.builders import build_run
from tests.analytics_app.test_crossed import TORN, planted, rows_of
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
    assert "raters and texts random; 40 texts, 4 raters" in said
    (pair,) = table(html, "Pairs of systems")
    assert pair["Adjusted p, these raters"] == "0.001"
    assert float(pair["Adjusted p"]) > 0.2


def test_raters_who_agree_carry_the_claim(rosas_browser: Client, closed: Study) -> None:
    build_run(closed, rows_of(planted((0.9, 1.0, 1.1, 0.8, 1.0))), planned=True)
    said = text(page(rosas_browser, results(closed)))
    assert "A is rated higher than B on quality" in said
    assert "Raters disagree" not in said
    assert "not about further raters" not in said


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
