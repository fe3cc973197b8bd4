"""What a page of results makes of a run of odd size or names: nothing left, very much, systems with names."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app import charts
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.selectors.sections import ResultNames, labels_called
from tasks_app import task_types
from tasks_app.models import Membership, Study, Task
from tests.analytics_app.builders import build_run, funnel, likert_rows, slider_rows, store_plots
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
    assert "The rules excluded all ratings of “Likert scale”, so there are no results after them." in said
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
    """Thirty systems and ten criteria: at most 15 queries and 500 kB."""
    criteria = [f"c{number}" for number in range(10)]
    run = build_run(closed, [*funnel(), *(row for criterion in criteria for row in many(criterion))])
    store_plots(run, "c0", charts.draw(many("c0"), "main", "c0"))
    with django_assert_max_num_queries(15):
        html = page(rosas_browser, results(closed))
    assert len(html) < 500_000
    assert html.count('class="ew-plot"') >= 4
    said = text(html)
    # Of the forest as much as can be seen at a glance; the rest stands with its criterion.
    assert html.count('<table class="ew-tracks">') == 3
    assert "Systems on the other criteria: c2 , c3 " in said
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
    assert wanted.count('<table class="ew-tracks">') == 4
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


def test_labels_stand_under_their_names(rosas_browser: Client, rosa: User) -> None:
    """Error labels are stored by their short keys, which results.csv has."""
    study = Study.objects.create(slug="labelled", title="Labelled", public_title="Labelled")
    Membership.objects.create(study=study, user=rosa, role="owner")
    Task.objects.create(study=study, key="main", type="error_labels", params={"typology": "elrc"})
    place = {"analysis": "error_labels", "task": "main", "criterion": "error", "basis": "kept"}
    rows = [Row(**place, statistic="overall_share", label=label, value=0.5) for label in ("MT", "V")]
    rows += [
        Row(**place, statistic="share", system=system, label=label, value=0.5, by_system=True)
        for system in ("HIGH", "LUO")
        for label in ("MT", "V")
    ]
    rows.append(Row(**place, statistic="confusion", label="MT / V", value=7.0))
    build_run(study, [*funnel(), *rows])
    html = page(rosas_browser, results(study))
    assert [row["Label"] for row in table(html, "Error labels")] == ["Machine-translated", "Valid translation"]
    assert "MT" not in text(html).split()
    exported = rosas_browser.get(results(study, "1/results.csv"))
    assert ",MT / V," in b"".join(exported).decode()


def test_only_labels_of_the_typology_take_its_names() -> None:
    """The answers to a follow-up question have names of their own, whatever labels are called."""
    own = [
        {"key": "source", "name": "Source is broken", "follow_up": "side"},
        {"key": "V", "name": "Fine", "valid": True},
    ]
    given = task_types.registry["error_labels"]({"typology": "own", "labels": own})
    names = ResultNames(labels={"main": labels_called(given)})
    rows = [
        ResultRow(analysis="error_labels", task="main", criterion=criterion, label="source")
        for criterion in ("error", "side")
    ]
    names.put_into(rows)
    assert [row.label for row in rows] == ["Source is broken", "source"]


def test_stored_keys_of_answers_have_the_words_of_their_task_type() -> None:
    labels = task_types.registry["labels"]({"none_of_these": ["topic"]})
    pairs = task_types.registry["pairwise"]({"strength": "clarity"})
    names = ResultNames(labels={"sorted": labels_called(labels), "compared": labels_called(pairs)})
    rows = [
        ResultRow(analysis="labels", task="sorted", criterion="topic", label="none_of_these"),
        ResultRow(analysis="distribution", task="compared", criterion="strength-clarity", label="2"),
        ResultRow(analysis="distribution", task="compared", criterion="clarity", label="2"),
    ]
    names.put_into(rows)
    assert [row.label for row in rows] == ["None of these", "Clearly better", "2"]
