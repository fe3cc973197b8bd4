"""Planning pages: the same numbers as the statistics, from an address alone, from a study, or from an earlier one."""

import re
from dataclasses import replace
from math import sqrt
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.results import Row
from analytics_app.stats.planning.preference_power import AssumedShares, power_of_share
from analytics_app.views.planning import PAGES
from tasks_app.models import Event, Study
from tests.analytics_app.builders import build_run
from tests.analytics_app.views.reading import page, tables, text
from tests.builders import build_study
from tests.work import CountingGenerator, counting_generator, work_of

pytestmark = pytest.mark.django_db


def asked(browser: Client, what: str, **query: Any) -> str:
    return page(browser, f"/admin/planning/{what}/?{urlencode(query)}")


def table(html: str, caption: str) -> list[list[str]]:
    return next(rows for name, rows in tables(html) if name == caption)


@pytest.mark.parametrize("what", PAGES)
def test_every_page_answers_without_a_question_and_within_its_bound(
    rosas_browser: Client, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = asked(rosas_browser, what)
    drawn: list[CountingGenerator] = []

    def counted(seed: int) -> CountingGenerator:
        drawn.append(counting_generator(seed))
        return drawn[-1]

    monkeypatch.setattr(np.random, "default_rng", counted)
    work = work_of(lambda: asked(rosas_browser, what))
    # 2**25 numbers and a million steps take about a second each on an idle core.
    assert sum(generator.drawn for generator in drawn) <= 2**25
    assert work.steps <= 10**6
    assert "What was assumed" in text(html)
    # Whatever was asked is in the form again, so the address says it all.
    assert 'method="get"' in html


def test_the_list_leads_to_every_page(rosas_browser: Client) -> None:
    html = page(rosas_browser, "/admin/planning/")
    assert all(f'href="/admin/planning/{name}/"' in html for name in PAGES)
    assert 'href="/admin/planning/"' in page(rosas_browser, "/admin/studies/")


# Triangle ---------------------------------------------------------------------------------------------------


def test_judges_of_a_triangle_test(rosas_browser: Client) -> None:
    html = asked(rosas_browser, "triangle", pd=0.5, alpha=0.05, beta=0.05, judges=24)
    said = text(html)
    assert "23 judges show a difference with a probability of at least 95" in said
    assert "With 24 judges at least 13 must be right (alpha 0.05); the power is 93.2" in said
    assert "from 29 judges on it never is" in said
    assert "Each of the six orders is shown 4 times." in said
    own = table(html, "Judges needed if 50 % can tell (table 1)")
    assert own[0] == ["Alpha", "beta 0.2", "beta 0.1", "beta 0.05", "beta 0.01", "beta 0.001"]
    assert own[3] == ["0.05", "16", "20", "23", "35", "48"]
    assert "<strong>23</strong>" in html
    assert table(html, "Fewest right choices that show a difference (table 2)")[-1] == [
        "24",
        "11",
        "12",
        "13",
        "15",
        "16",
    ]
    assert table(html, "Most right choices of 36 that show similarity (table 3)")[3][0] == "0.05"
    assert "<polyline" in html
    assert "24 judges: 93.2" in html


def test_similarity_and_the_worked_example(rosas_browser: Client) -> None:
    said = text(asked(rosas_browser, "triangle", goal="similarity", pd=0.3, alpha=0.05, beta=0.01, judges=98))
    assert "98 judges show that fewer than 30" in said
    assert "With 98 judges at most 40 may be right (beta 0.01)" in said
    assert "Of the six orders, 2 are shown 17 times each, the others 16 times each." in said
    few = text(asked(rosas_browser, "triangle", goal="similarity", judges=3))
    assert "3 judges cannot show similarity, however few are right." in few
    assert "ISO 4120 advises at least 30 judges for this goal." in few
    none = text(asked(rosas_browser, "triangle", judges=2))
    assert "2 judges can show nothing: even if all are right, guessing would explain it." in none


# Preferences and agreement ----------------------------------------------------------------------------------


def test_preferences_of_the_sign_test_are_enumerated(rosas_browser: Client) -> None:
    html = asked(rosas_browser, "preferences", n_items=200, wins=0.6, ties=0)
    said = text(html)
    assert "(of a single rater, or of the majority), finds it with a probability of 78.7 %." in said
    assert "From 210 items on the sign test has at least 80 %." in said
    own = re.findall(r"<strong>([^<]+)</strong>", html[html.index("Other preferences") :])
    assert own[2:] == ["78.7\xa0%"]
    never = text(asked(rosas_browser, "preferences", wins=0.5))
    assert "One half is no preference: there is nothing to be found." in never
    assert "The sign test needs more than 20,000 items" in never
    # Three pairs of systems: each is tested at a third of alpha.
    third = text(asked(rosas_browser, "preferences", n_items=200, wins=0.6, ties=0, systems=3))
    alone = text(asked(rosas_browser, "preferences", n_items=200, wins=0.6, ties=0, alpha=0.05 / 3))
    assert re.findall("probability of ([^ ]+ %)", third) == re.findall("probability of ([^ ]+ %)", alone)


def test_preferences_of_further_raters_are_planned_as_they_are_tested(rosas_browser: Client) -> None:
    query = {"n_items": 120, "wins": 0.62, "ties": 0.1, "per_text": 2, "raters": 12, "between_raters": 0.08}
    html = asked(rosas_browser, "preferences", **query)
    assumed = AssumedShares(0.62, 0.1, raters_per_item=2, raters=12, between_items=0.2, between_raters=0.08)
    power = f"{power_of_share(assumed, 120, alpha=0.05) * 100:.1f} %"
    said = text(html)
    assert f"With 120 items and 12 raters a preference of 62.0 % is found with a probability of {power}." in said
    enough = re.search(r"from (\d+) raters on who share the comparisons of 120 items", said)
    assert enough is not None
    at = [power_of_share(replace(assumed, raters=int(enough[1]) - less), 120, alpha=0.05) for less in (0, 1)]
    assert at[0] >= 0.8 > at[1]
    assert "12 raters are too few, even with 5,000 items: raters differ in which system they prefer." in said
    assert [row[0] for row in table(html, "Other preferences")].count("62.0 %") == 1


def test_alpha_is_expected_where_it_was_put(rosas_browser: Client) -> None:
    html = asked(rosas_browser, "agreement", n_texts=50, k=2, level="nominal", steps=3, shares="60 30 10", expected=0.7)
    rows = table(html, "Width by number of texts")
    assert rows[3][:2] == ["50", "100"]
    low, high = (float(end) for end in rows[3][2].split(" to "))
    assert low < 0.7 < high
    assert float(rows[3][3]) == pytest.approx(high - low, abs=0.011)


# Cost -------------------------------------------------------------------------------------------------------


def test_cost_is_paid_as_raters_are(rosas_browser: Client) -> None:
    query = {
        "units": 100, "k": 3, "set_size": 20, "extra": 2, "training": 3, "seconds": 24, "reading": 5, "hourly": 12,
        "fee": 33.3, "lost": 0, "currency": "GBP",
    }  # fmt: skip
    html = asked(rosas_browser, "cost", **query)
    rows = {row[0]: row[1:] for row in table(html, "Effort and cost")}
    # 25 screens of 24 s and 5 minutes are 15 minutes: 3.00 a set, 15 sets.
    assert rows["Minutes"] == ["15.0", "225"]
    assert rows["Pay"] == ["3.00 GBP", "45.00 GBP"]
    assert rows["Fee"] == ["1.00 GBP", "14.99 GBP"]
    assert rows["Together"] == ["4.00 GBP", "59.99 GBP"]
    assert rows["Cost of a judgment that counts"] == ["–", "0.20 GBP"]
    assert "15 raters, 3.8 hours of their time, 59.99 GBP in all." in text(html)
    # Half of the judgments are lost: twice as many have to be asked for.
    lost = asked(rosas_browser, "cost", **{**query, "lost": 50})
    assert {row[0]: row[2] for row in table(lost, "Effort and cost")}["Pay"] == "90.00 GBP"
    # A last set that is not full is paid in proportion: 301 judgments are 15.05 sets.
    short = asked(rosas_browser, "cost", **{**query, "units": 301, "k": 1})
    assert {row[0]: row[2] for row in table(short, "Effort and cost")}["Pay"] == "45.15 GBP"


# From a study -----------------------------------------------------------------------------------------------


def test_a_study_is_the_start(rosas_browser: Client, rosa: User) -> None:
    params = {"goal": "similarity", "alpha": 0.1, "beta": 0.01, "pd": 0.2}
    study = build_study(rosa, slug="told", type="triangle", params=params, k=5, set_size=1, criteria=())
    html = asked(rosas_browser, "triangle", study="told")
    assert "fewer than 20" in text(html)
    assert f"The values are those of “{study.title}”." in text(html)
    cost = {row[0]: row[1:] for row in table(asked(rosas_browser, "cost", study="told"), "Effort and cost")}
    # Four items of one pair of systems, five judgments each, a judge a triad; ten minutes and 18.00 an hour.
    assert cost["Judgments that count"] == ["1", "20"]
    assert cost["Pay"][0] == "3.00 EUR"
    # What the address says goes before what the study says, and the study goes along.
    changed = asked(rosas_browser, "triangle", study="told", pd=0.4)
    assert "fewer than 40" in text(changed)
    assert '<input type="hidden" name="study" value="told"' in changed
    for tab in ("design", "recruit"):
        assert "/admin/planning/" in page(rosas_browser, f"/admin/studies/told/{tab}/")


def test_scales_bring_their_steps_and_a_usual_spread(rosas_browser: Client, rosa: User) -> None:
    build_study(rosa, slug="slid", type="slider", params={"minimum": 0, "maximum": 100})
    said = text(asked(rosas_browser, "means", study="slid"))
    assert "Steps of the scale 101" in said
    assert "Residual SD 20" in said
    assert "a difference of 7.5 is found" in said


def test_nobody_plans_with_what_they_may_not_see(rosas_browser: Client, mallorys_browser: Client, study: Study) -> None:
    assert rosas_browser.get(f"/admin/planning/cost/?study={study.slug}").status_code == 200
    assert mallorys_browser.get(f"/admin/planning/cost/?study={study.slug}").status_code == 404
    # A NUL is no part of any query, so that nothing is asked about a study.
    for slug, status in (("nothing", 404), ("%00", 200), ("a%20b", 404)):
        assert rosas_browser.get(f"/admin/planning/cost/?study={slug}").status_code == status


# From an earlier study --------------------------------------------------------------------------------------


def pilot_rows() -> list[Row]:
    about = {"task": "main", "criterion": "fluency", "basis": "kept"}
    spreads = {"sd_item": 0.9, "sd_system_item": 0.25, "sd_rater": None, "sd_residual": 1.1}
    return [
        *(
            Row(analysis="variance_components", statistic=name, value=value, note=None if value else "none", **about)
            for name, value in spreads.items()
        ),
        Row(
            analysis="krippendorff", statistic="alpha", value=0.41, low=0.3, high=0.5, n_items=80,
            settings={"level": "ordinal"}, **about,
        ),
    ]  # fmt: skip


def test_an_earlier_study_stands_in_for_assumptions(rosas_browser: Client, study: Study) -> None:
    build_run(study, pilot_rows())
    build_run(study, pilot_rows(), state="running")
    assert "Take from an earlier study" in text(asked(rosas_browser, "means"))
    said = text(asked(rosas_browser, "means", pilot=f"{study.slug}/main/fluency/"))
    assert f"Residual SD 1.1, from {study.title}, main / fluency, run 1" in said
    assert "SD between raters: 0.5; SD of rater × system: 0.2; Residual SD: 1.1 (earlier study)" in said
    assert "SD between raters 0.5" in said, "what the pilot does not know stays as assumed"
    alpha = text(asked(rosas_browser, "agreement", pilot=f"{study.slug}/main/fluency/ordinal", n_texts=320))
    assert (
        "The earlier study had an interval from 0.30 to 0.50 on 80 texts; on 320 it would be about 0.10 wide." in alpha
    )
    assert "Alpha that you expect 0.410, from" in alpha


def small_pilot() -> list[Row]:
    """Make rows of a study of 12 items, 3 systems and 10 raters in which two components came out as 0."""
    about = {"task": "main", "criterion": "fluency", "basis": "kept"}
    counts = {"n_items": 12, "n_raters": 10, "n_ratings": 108}
    spreads = {"sd_item": 0.0, "sd_system_item": 0.25, "sd_rater": 0.4, "sd_rater_system": 0.0, "sd_residual": 0.8}
    return [
        *(
            Row(analysis="variance_components", statistic=name, value=value, **counts, **about)
            for name, value in spreads.items()
        ),
        *(
            Row(analysis="systems", statistic="mean_crossed", system=key, value=3.0, by_system=True, **about)
            for key in "abc"
        ),
    ]


def test_a_small_earlier_study_is_not_taken_as_the_truth(rosas_browser: Client, study: Study) -> None:
    """Upper ends: .8 sqrt((df / chi2(.05, df) - 1) / n), by R's qchisq(.05, 18) = 9.39046, qchisq(.05, 11) = 4.57481.

    df = (10 - 1)(3 - 1) and n = 108 / (10 x 3) of rater x system; df = 12 - 1 and n = 108 / 12 of items.
    """
    build_run(study, small_pilot())
    said = text(asked(rosas_browser, "means", pilot=f"{study.slug}/main/fluency/", difference=0.4))
    assert (
        "from 10 raters (SD between raters and SD of rater × system): at best from 0.69 to 1.83 times the estimate; "
        "from 12 items (SD between items and SD of system × item): at best from 0.71 to 1.70 times the estimate."
        in said
    )
    rater = 0.8 * sqrt((18 / 9.39046 - 1) / 3.6)
    item = 0.8 * sqrt((11 / 4.57481 - 1) / 9)
    for component, value in (("SD of rater × system", rater), ("SD between items", item)):
        assert f"{component} is 0 in the earlier study, which does not show that it is 0. This page plans with " in said
        assert f"This page plans with {value:.4f}".rstrip("0") in said
        assert f"{component} {value:.4f}".rstrip("0") in said, "listed among the assumptions"
    cautious, as_estimated = (
        re.search(pattern, said)
        for pattern in (r"is found with a probability of ([\d.]+) %", r"as they are, power would be ([\d.]+) %")
    )
    assert cautious is not None
    assert as_estimated is not None
    assert float(cautious[1]) < float(as_estimated[1])
    assert "The earlier study is small" not in text(asked(rosas_browser, "means"))


def preferred_pair(**changes: Any) -> list[Row]:
    """Make the rows of a comparison of two systems by 20 raters on 80 items, 240 judgments, a fifth of them ties."""
    about = {"analysis": "pairwise", "task": "main", "criterion": "better", "basis": "kept"}
    about |= {"system": "alpha-mt", "system_b": "beta-mt"}
    sd = {"item": 0.2, "rater": 0.1, "residual": 0.4}
    share = {
        "statistic": "win_rate_crossed", "value": 0.64, "low": 0.52, "high": 0.76, "n_items": 80, "n_raters": 20,
        "n_ratings": 240, "settings": {"sd": sd},
    }  # fmt: skip
    counts = {"pair_wins": 130.0, "pair_losses": 62.0, "pair_ties": 40.0, "pair_both_bad": 8.0}
    return [
        Row(**about, **(share | changes)),
        *(Row(**about, statistic=name, value=value) for name, value in counts.items()),
    ]


def test_an_earlier_comparison_stands_in_for_the_assumptions_about_preferences(
    rosas_browser: Client, study: Study
) -> None:
    """Parts of the variance: .04, .01 and .16 of .21; wins that are not ties (.64 - .1) / .8."""
    study.systems.filter(key="beta-mt").update(name="Beta")
    build_run(study, preferred_pair())
    key = f"{study.slug}/main/better/alpha-mt/beta-mt"
    said = text(asked(rosas_browser, "preferences", pilot=key, ties=0.6, between_items=0))
    assert f"{study.title}, main / better / alpha-mt and Beta" in said
    for part, value in (("items", "0.1905"), ("raters", "0.0476")):
        assert f"Share of variance between {part} {value}, from {study.title}" in said
    assert f"Share of ties 0.2, from {study.title}" in said
    assert "Share of ties: 0.2 (earlier study); Share of variance between items: 0.1905 (earlier study)" in said
    assumed = AssumedShares(0.6, 0.2, between_items=0.1905, between_raters=0.0476)
    power = power_of_share(assumed, 200, alpha=0.05)
    assert f"a preference of 60.0 % is found with a probability of {power * 100:.1f} %." in said
    assert "In the earlier study alpha-mt was preferred to Beta in 64.0 % of the comparisons (ties half; " in said
    assert "interval 52.0 to 76.0 %)." in said
    strong = power_of_share(replace(assumed, wins=0.675), 200, alpha=0.05)
    assert f"If the preference is as strong as that, the power is {strong * 100:.1f} %." in said
    assert "from 20 raters: at best from 0.58 to 2.13 times the estimate" in said
    assert "from 80 items" not in said


def test_a_criterion_without_a_pair_means_its_first_pair(rosas_browser: Client, study: Study) -> None:
    build_run(study, preferred_pair())
    html = asked(rosas_browser, "preferences", pilot=f"{study.slug}/main/better/")
    assert f'<option value="{study.slug}/main/better/alpha-mt/beta-mt" selected>' in html
    unknown = asked(rosas_browser, "preferences", pilot=f"{study.slug}/main/other/")
    assert '<option value="" selected>' in unknown


def test_raters_who_did_not_differ_in_a_small_comparison_are_not_taken_to_be_alike(
    rosas_browser: Client, study: Study
) -> None:
    """Upper end: .4 sqrt((19 / chi2(.05, 19) - 1) / 12), by R's qchisq(.05, 19) = 10.11701."""
    build_run(study, preferred_pair(settings={"sd": {"item": 0.2, "rater": 0.0, "residual": 0.4}}))
    said = text(asked(rosas_browser, "preferences", pilot=f"{study.slug}/main/better/alpha-mt/beta-mt"))
    square = 0.16 * (19 / 10.11701 - 1) / 12
    part = square / (square + 0.04 + 0.16)
    assert f"Share of variance between raters {part:.4f}, since the earlier study has 0" in said
    assert "Share of variance between raters is 0 in the earlier study, which does not show that it is 0." in said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"sd": {"item": 0.2, "residual": 0.4}}, "between raters: the earlier study cannot tell it from the rest."),
        ({"sd": {"item": 0.2, "rater": 0.1, "cluster": 0.1, "residual": 0.4}}, "belong to documents"),
        ({"method": "exact"}, None),
    ],
)
def test_comparisons_without_a_whole_model(
    rosas_browser: Client, study: Study, settings: dict[str, Any], said: str | None
) -> None:
    build_run(study, preferred_pair(settings=settings))
    page_of = text(asked(rosas_browser, "preferences", pilot=f"{study.slug}/main/better/alpha-mt/beta-mt"))
    if said is None:
        assert "Take from an earlier study" not in page_of
    else:
        assert said in page_of


def test_others_do_not_see_what_it_found(mallorys_browser: Client, study: Study) -> None:
    build_run(study, pilot_rows())
    assert "Take from an earlier study" not in text(asked(mallorys_browser, "means"))
    refused = mallorys_browser.get(f"/admin/planning/means/?pilot={study.slug}/main/fluency/")
    assert study.title not in refused.content.decode()


def test_a_superusers_look_is_logged(study: Study) -> None:
    root = User.objects.create_user("root", is_staff=True, is_superuser=True)
    browser = Client()
    browser.force_login(root)
    build_run(study, pilot_rows())
    asked(browser, "means", pilot=f"{study.slug}/main/fluency/")
    event = Event.objects.get(study=study, verb="viewed")
    assert (event.object, event.actor) == ("planning", root)


def test_reading_earlier_studies_takes_few_queries(
    rosas_browser: Client, rosa: User, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        build_run(build_study(rosa, slug=f"s{number}", opened=False), pilot_rows())
    with django_assert_max_num_queries(15):
        asked(rosas_browser, "means", study=study.slug)


# What is wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "query", "said"),
    [
        ("triangle", {"pd": "2"}, "less than or equal to 0.95"),
        ("triangle", {"goal": "both"}, "is not one of the available choices"),
        ("means", {"raters": "1"}, "greater than or equal to 2"),
        ("means", {"raters": "2"}, "more than the raters in total"),
        (
            "means",
            {"sd_system_item": "0", "sd_rater_system": "0", "sd_residual": "0"},
            "At least one standard deviation must be above 0.",
        ),
        ("means", {"difference": "nan"}, "Enter a number."),
        ("preferences", {"raters": "2"}, "more than the raters in total"),
        ("preferences", {"raters": "700"}, "There are only 600 comparisons of each pair"),
        ("preferences", {"between_items": "0.6", "between_raters": "0.4"}, "together at most 0.99"),
        ("agreement", {"shares": "1 2"}, "a number above 0 for each of the 5 steps"),
        ("agreement", {"shares": "a b c d e"}, "a number above 0 for each of the 5 steps"),
        ("agreement", {"n_texts": "50000", "k": "50"}, "too large to compute on a page"),
        ("cost", {"hourly": "x"}, "Enter a number."),
        ("cost", {"currency": "euro"}, "Enter a valid value."),
        ("means", {"pilot": "no/such"}, None),
    ],
)
def test_what_cannot_be_worked_out_is_said_at_its_field(
    rosas_browser: Client, what: str, query: dict[str, str], said: str | None
) -> None:
    answer = rosas_browser.get(f"/admin/planning/{what}/", query)
    if said is None:
        assert answer.status_code == 200
        return
    assert answer.status_code == 422
    assert said in text(answer.content.decode())


def test_an_unknown_page_is_none(rosas_browser: Client) -> None:
    assert rosas_browser.get("/admin/planning/nothing/").status_code == 404


EXTREMES: list[tuple[str, dict[str, Any]]] = [
    ("triangle", {"alpha": 0.5, "beta": 0.5, "pd": 0.95, "judges": 1}),
    ("triangle", {"alpha": 0.0001, "beta": 0.0001, "pd": 0.05, "judges": 20_000, "goal": "similarity"}),
    ("means", {"n_items": 4, "per_text": 1, "raters": 2, "steps": 1}),
    ("means", {"difference": 0, "sd_rater": 1e6, "steps": 0, "alpha": 0.5}),
    ("means", {"difference": 1e6, "sd_rater_system": 1e6, "steps": 1001, "middle": 1e6}),
    ("means", {"systems": 12, "n_items": 10, "middle": -5}),
    ("means", {"systems": 12, "n_items": 20_000, "per_text": 100, "raters": 20_000}),
    ("preferences", {"wins": 0.99, "ties": 0.95, "n_items": 4, "raters": 2, "per_text": 1, "wanted": 0.999}),
    (
        "preferences",
        {"wins": 0.01, "ties": 0, "n_items": 5000, "alpha": 0.0001, "between_items": 0, "between_raters": 0.9},
    ),
    ("preferences", {"wins": 0.5, "between_items": 0, "between_raters": 0, "per_text": 100, "raters": 5000}),
    ("agreement", {"expected": 0.95, "steps": 2, "shares": "1 1000000000", "n_texts": 4, "k": 2}),
    ("agreement", {"expected": 0, "steps": 101, "level": "nominal", "confidence": 0.999}),
    ("cost", {"units": 1, "k": 1, "set_size": 100_000, "hourly": 0, "fee": 300, "lost": 90}),
    ("cost", {"units": 10_000_000, "k": 1000, "set_size": 1, "seconds": 36_000, "hourly": 10_000}),
]


@pytest.mark.parametrize(("what", "query"), EXTREMES)
def test_whatever_is_let_in_is_answered(rosas_browser: Client, what: str, query: dict[str, Any]) -> None:
    said = text(asked(rosas_browser, what, **query))
    assert "What was assumed" in said
    assert "nan" not in said.split("Answer", 1)[1].lower().replace("finance", "")


@pytest.mark.parametrize("what", PAGES)
@pytest.mark.parametrize(
    ("odd", "status"),
    # A field with a NUL is passed over, as if the address did not have it.
    [("%00", 200), ("", 422), ("%ff", 422), ("1e309", 422), ("-1", 422), ("😀", 422), ("x" * 5000, 422), ("[]", 422)],
)
def test_odd_addresses_are_answered_or_refused(rosas_browser: Client, what: str, odd: str, status: int) -> None:
    fields = [name for name in PAGES[what].base_fields if name != "study"]
    address = f"/admin/planning/{what}/?" + "&".join(f"{name}={odd}" for name in fields)
    assert rosas_browser.get(address).status_code == status
