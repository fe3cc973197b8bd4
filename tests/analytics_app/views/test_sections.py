"""What a page of results makes of a run of odd size or names: nothing left, very much, systems with names."""

from dataclasses import replace

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.results import Row
from tasks_app.models import Study
from tests.analytics_app.builders import build_run, funnel, likert_rows, slider_rows
from tests.analytics_app.views.reading import page, results, table, text

pytestmark = pytest.mark.django_db


def test_where_the_rules_left_nothing_it_is_said_and_nothing_stands_in_its_place(
    rosas_browser: Client, closed: Study
) -> None:
    taken = [replace(row, n_ratings=0, value=0.0) if row.statistic == "kept" else row for row in funnel()]
    ranks = {"task": "main", "criterion": "fluency", "analysis": "trueskill", "basis": "all", "system": "north"}
    before = [*likert_rows(basis="all"), Row(**ranks, statistic="trueskill_mu", value=1.0)]
    build_run(closed, [*taken, *before])
    html = page(rosas_browser, results(closed))
    said = text(html)
    assert "The rules excluded all ratings of “main”, so there are no results after them." in said
    systems = table(html, "Systems")[0]
    heads = ("Ratings", "Mean, steps taken as equal", "Mean before rules")
    assert tuple(systems[head] for head in heads) == ("–", "–", "4.20")
    assert "The rules left no ratings on which raters could agree." in said
    assert "TrueSkill: the rules excluded all its ratings." in said


def many(criterion: str) -> list[Row]:
    """Make the rows of a criterion with thirty systems, all pairs of them and pairs of raters."""
    rows = [row for row in slider_rows(criterion) if not row.system]
    mean = next(row for row in slider_rows(criterion) if row.statistic == "mean")
    pair = next(row for row in slider_rows(criterion) if row.statistic == "difference")
    raters = next(row for row in rows if row.statistic == "pearson_pair")
    systems = [f"s{number:02}" for number in range(30)]
    for a in systems:
        rows += [replace(mean, system=a, statistic=one) for one in ("mean", "mean_z", "median", "sd")]
        for b in systems:
            if a < b:
                rows += [replace(pair, system=a, system_b=b, statistic=one) for one in ("difference", "rank_sum_z")]
    return [*rows, *(replace(raters, label=f"R-{n} and R-{n + 1}") for n in range(250))]


def test_of_very_much_one_criterion_is_shown_at_a_time(
    rosas_browser: Client, closed: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    criteria = [f"c{number}" for number in range(14)]
    build_run(closed, [*funnel(), *(row for criterion in criteria for row in many(criterion))])
    with django_assert_max_num_queries(15):
        html = page(rosas_browser, results(closed))
    assert len(html) < 1_000_000
    said = text(html)
    assert "one criterion is shown at a time" in said
    assert "435 pairs of systems are too many for a page" in said
    assert "too many pairs of raters for a page" in said
    # What other analyses say of pairs is as much.
    assert "s01 > s02" not in said
    assert html.count('<section class="ew-section"') == 1
    assert 'id="main--c0"' in html
    assert "What was excluded" in said
    wanted = page(rosas_browser, results(closed, "1/?section=main--c3"))
    assert 'id="main--c3"' in wanted
    assert 'id="main--c0"' not in wanted
    assert 'id="main--c0"' in page(rosas_browser, results(closed, "1/?section=%00"))


def test_systems_stand_under_their_names(rosas_browser: Client, closed: Study) -> None:
    closed.systems.create(key="HIGH", name="The <b>first</b> one")
    closed.systems.create(key="NIU", name="Twin")
    closed.systems.create(key="BART", name="Twin")
    build_run(closed, slider_rows())
    html = page(rosas_browser, results(closed))
    names = [row["System"] for row in table(html, "Systems")]
    assert names == ["The <b>first</b> one", "Twin (NIU)", "Twin (BART)", "LUO"]
    assert "The <b>first</b> one − LUO" in [row["Pair"] for row in table(html, "Pairs of systems")]
    # Files keep the keys, by which rows are found.
    assert b"HIGH" in b"".join(rosas_browser.get(results(closed, "1/results.csv")))
