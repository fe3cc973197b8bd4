"""The chart of what each quality rule left: its numbers are counted again from the ratings."""

import csv

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app import charts
from analytics_app.charts.words import SPACE
from analytics_app.models import Exclusion, Plot, Run
from analytics_app.runs import start
from tasks_app.models import Judgment, Membership, Rating, Study
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, results, table

pytestmark = [pytest.mark.django_db, pytest.mark.charts]

ITEMS, SYSTEMS = ("i0", "i1", "i2", "i3"), ("alpha-mt", "beta-mt")
STEPS = ("Before the rules", "By hand", "Burn-in")


@pytest.fixture
def filled(study: Study, rosa: User) -> Study:
    """Three raters judged all eight texts; the judgments of one of them do not count."""
    filler = Filler(study)
    for rater in ("ada", "bob", "eve"):
        filler.fill((rater, item, system, {"fluency": 3}) for item in ITEMS for system in SYSTEMS)
    Exclusion.objects.create(study=study, rater=filler.raters["eve"], rule="manual", reason="Asked for it.")
    Membership.objects.get_or_create(study=study, user=rosa, defaults={"role": "owner"})
    return study


def run_of(study: Study, *rules: dict[str, object]) -> Run:
    settings = {"rules": list(rules), "analyses": [{"analysis": "krippendorff"}], "n_resamples": 100}
    return start.compute_here(run=start.start(study=study, by=None, settings=settings, trigger="command"))


def left_over(study: Study, first: int) -> list[tuple[int, int, int]]:
    """Count ratings, raters and texts after eve went, and after the first judgments of the others went too."""
    kept = Rating.objects.filter(task__study=study)
    steps = [kept, kept.exclude(rater__pseudonym="eve")]
    early = Judgment.objects.filter(assignment__order__lte=first)
    steps.append(steps[-1].exclude(judgment__in=early))
    return [
        (one.count(), one.values("rater").distinct().count(), one.values("part").distinct().count()) for one in steps
    ]


def test_the_numbers_of_the_chart_are_those_of_the_ratings(filled: Study, client: Client) -> None:
    run = run_of(filled, {"rule": "manual"}, {"rule": "burn_in", "n": 2})
    plot = Plot.objects.get(run=run, key="main/-/rules")
    columns, numbers = charts.numbers(plot.spec)
    counted = left_over(filled, 2)
    assert [head for _field, head in columns] == ["Step", "Ratings", "Share", "Raters", "Texts"]
    assert numbers == [
        [name, ratings, pytest.approx(ratings / counted[0][0]), raters, texts]
        for name, (ratings, raters, texts) in zip(STEPS, counted, strict=True)
    ]
    assert counted[-1] == (12, 2, 6)
    assert plot.title.replace(SPACE, " ") == "The rules kept 12 of 24 ratings (50.0 %), from 2 of 3 raters"
    the_page_shows_it_while_systems_are_hidden_and_its_table_is_a_file(filled, client)


def the_page_shows_it_while_systems_are_hidden_and_its_table_is_a_file(filled: Study, client: Client) -> None:
    client.force_login(filled.memberships.get(role="owner").user)
    html = page(client, results(filled, "1/"))
    assert html.count("<svg") == 2 * html.count('class="ew-plot"') > 0
    shown = table(html, "Numbers behind this plot", -1)
    assert [(row["Step"], row["Ratings"], row["Share"], row["Raters"]) for row in shown] == [
        ("Before the rules", "24", "100 %", "3"), ("By hand", "16", "66.7 %", "2"), ("Burn-in", "12", "50.0 %", "2"),
    ]  # fmt: skip
    answer = client.get(results(filled, "1/tables/run/plot-main---rules.csv"))
    assert [row["Ratings"] for row in csv.DictReader(answer.content.decode("utf-8-sig").splitlines())] == [
        "24", "16", "12",
    ]  # fmt: skip


def test_where_the_rules_excluded_nothing_there_is_nothing_to_draw(filled: Study) -> None:
    run = run_of(filled)
    assert not Plot.objects.filter(run=run, key__endswith="/rules").exists()


def test_rules_that_keep_nothing_are_drawn_as_such(filled: Study) -> None:
    plot = Plot.objects.get(run=run_of(filled, {"rule": "burn_in", "n": 8}), key="main/-/rules")
    assert "kept 0 of 24 ratings" in plot.title
    assert charts.numbers(plot.spec)[1][-1][1:] == [0, 0.0, 0, 0]
