"""The planning page of differences of means: power, the fewest items and raters, and what more of them cost."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from analytics_app.services.smallest_difference import sentence as smallest_sentence
from analytics_app.stats.planning.power import Assumed, half_width, power_of_means, spread_of_difference
from analytics_app.stats.planning.smallest import smallest_difference
from tasks_app.setup.detectable import TaskSize
from tasks_app.task_types import registry
from tests.analytics_app.views.reading import text
from tests.analytics_app.views.test_planning import asked, table

pytestmark = pytest.mark.django_db


def test_power_for_means_is_that_of_the_statistic(rosas_browser: Client) -> None:
    html = asked(rosas_browser, "means", n_items=40, systems=3)
    assumed = Assumed(
        0.3, systems=3, sd_item=0.5, sd_system_item=0.4, sd_rater=0.5, sd_rater_system=0.2, sd_residual=0.8, steps=5,
        middle=3.0,
    )  # fmt: skip
    rows = table(html, "What would help")[1:]
    doubled = replace(assumed, raters=60)
    cases = [(assumed, 40), (assumed, 80), (doubled, 40), (doubled, 80), (replace(assumed, raters_per_text=6), 40)]
    assert [row[1:] for row in rows] == [
        [
            str(n), str(case.raters), f"{n * case.raters_per_text * 3:,}",
            f"{power_of_means(case, n, alpha=0.05 / 3) * 100:.1f} %",
            f"{half_width(spread_of_difference(case, n), confidence=0.95):.2f}",
        ]
        for case, n in cases
    ]  # fmt: skip
    said = text(html)
    assert "With 40 items and 30 raters a difference of 0.3 is found with a probability of 31.6 %." in said
    assert "Power by number of items" in said
    assert "Power by number of raters, the number of ratings unchanged" in said


# Values that differ from those of the form, and what the page says about raters and items.
ADVICE = {
    "few raters who differ in taste": (
        {"raters": 6, "sd_rater_system": 0.5},
        r"More raters help more than more items: twice as many raters for the same 600 ratings give a power of [\d.]+ "
        r"%\. Twice as many items take twice as many ratings and give [\d.]+ %\.",
        r"80 % is reached with \d+ raters who share the 600 ratings of 100 items\. 6 raters are too few, even with",
    ),
    "few texts": (
        {"n_items": 20, "sd_system_item": 0.8, "sd_rater_system": 0.05},
        r"More items help more than more raters, but take more ratings: twice as many items \(240 ratings instead of "
        r"120\) give a power of [\d.]+ %, twice as many raters for the same ratings [\d.]+ %\.",
        r"80 % is reached with \d+ items \([\d,]+ ratings\)\. The 120 ratings of 20 items are too few, however many",
    ),
    "raters who agree": (
        {"sd_system_item": 0.1, "sd_rater_system": 0.005, "sd_residual": 3, "n_items": 100, "raters": 100},
        r"More items help more than more raters",
        r"The 600 ratings of 100 items are too few, however many raters share them\.",
    ),
    "hardly a difference to be seen": (
        {"sd_system_item": 0.1, "sd_rater_system": 0.1, "sd_residual": 0.1, "difference": 0.001},
        r"Twice as many raters for the same 600 ratings give a power of [\d.]+ %\. Twice as many items take twice as "
        r"many ratings and give about the same power: [\d.]+ %\.",
        "80 % is not reached even with 20,000 items and as many raters",
    ),
    "as many raters as ratings of a system": (
        {"n_items": 20, "raters": 60},
        r"Twice as many items take twice as many ratings \(240 instead of 120\) and give a power of [\d.]+ %\. Twice "
        r"as many raters would need more ratings, too\.",
        r"The 120 ratings of 20 items are too few, however many raters share them\.",
    ),
    "both too few": (
        {"n_items": 4, "raters": 3, "sd_system_item": 2, "sd_rater_system": 1},
        "80 % takes both more items and more raters",
        "ratings",
    ),
    "an end of the scale": (
        {"middle": 9},
        "80 % is not reached even with 20,000 items and as many raters",
        "On this scale",
    ),
}


@pytest.mark.parametrize(("query", "said", "also"), ADVICE.values(), ids=ADVICE)
def test_more_raters_or_more_items(rosas_browser: Client, query: dict[str, float], said: str, also: str) -> None:
    words = text(asked(rosas_browser, "means", **query))
    assert re.search(said, words), words
    assert re.search(also, words), words


def test_raters_are_not_more_than_ratings(rosas_browser: Client) -> None:
    """20 items of two systems, three raters each: 120 ratings, 60 of each system."""
    refused = rosas_browser.get("/admin/planning/means/?n_items=20&raters=121")
    assert refused.status_code == 422
    assert "There are only 120 ratings: items × raters per text × systems." in text(refused.content.decode())
    thin = text(asked(rosas_browser, "means", n_items=20, raters=61))
    assert "61 raters are more than the 60 ratings of each system." in thin
    assert "Twice as many raters and items" not in thin
    assert "more than the 60 ratings" not in text(asked(rosas_browser, "means", n_items=20, raters=60))


def test_a_power_below_the_target_is_not_written_as_the_target(rosas_browser: Client) -> None:
    """Found by bisection: a difference whose power is below 80 % by less than a hundred-thousandth."""
    assumed = Assumed(0, sd_item=0.5, sd_system_item=0.4, sd_rater=0.5, sd_rater_system=0.2, steps=5, middle=3.0)
    smallest = smallest_difference(assumed, 100, alpha=0.05, power=0.8)
    assert smallest is not None
    below = smallest * (1 - 1e-5)
    assert 0.7999 < power_of_means(replace(assumed, difference=below), 100, alpha=0.05) < 0.8
    html = asked(rosas_browser, "means", difference=below)
    assert "is found with a probability of 79.9 %." in text(html)
    assert table(html, "What would help")[1][4] == "79.9 %"
    assert "100 items: 79.9" in html


@pytest.mark.parametrize(
    ("n_items", "n_raters", "sentence"),
    [
        (
            100, 12,
            r"80 % is reached with (\d+) items \(([\d,]+) ratings\), or with (\d+) raters who share the 600 ratings of "
            r"100 items\.",
        ),
        (
            400, 60,
            r"80 % is reached with as few as (\d+) items \(([\d,]+) ratings\) and these 60 raters, or with as few as "
            r"(\d+) raters who share the 2,400 ratings of 400 items\.",
        ),
    ],
)  # fmt: skip
def test_the_fewest_items_and_raters_that_reach_the_target_are_named(
    rosas_browser: Client, n_items: int, n_raters: int, sentence: str
) -> None:
    """Below the target the two ways to reach it, above it what would be enough."""
    words = text(asked(rosas_browser, "means", n_items=n_items, raters=n_raters))
    reached = re.search(sentence, words)
    assert reached is not None, words
    items, ratings, raters = (int(number.replace(",", "")) for number in reached.groups())
    assert ratings == items * 3 * 2
    assumed = Assumed(
        0.3, raters=n_raters, sd_item=0.5, sd_system_item=0.4, sd_rater=0.5, sd_rater_system=0.2, steps=5, middle=3.0
    )
    for own, fewer in (
        ((assumed, items), (assumed, items - 1)),
        ((replace(assumed, raters=raters), n_items), (replace(assumed, raters=raters - 1), n_items)),
    ):
        assert power_of_means(*own, alpha=0.05) >= 0.8 > power_of_means(*fewer, alpha=0.05)


def sized(items: int, raters: int) -> TaskSize:
    return TaskSize(
        kind=registry["likert"](), items=items, systems=3, units=3 * items, per_text=3.0, judgments=9 * items,
        raters=raters,
    )  # fmt: skip


def test_the_difference_beside_the_cost_has_its_power_on_this_page(rosas_browser: Client) -> None:
    found = re.search(r"about ([\d.]+) points", smallest_sentence(sized(60, 12)))
    assert found is not None
    words = text(asked(rosas_browser, "means", difference=found[1], n_items=60, raters=12, systems=3))
    # The difference has two decimals.
    power = re.search(r"is found with a probability of ([\d.]+) %", words)
    assert power is not None
    assert 78 < float(power[1]) < 82


def test_few_items_and_raters_name_what_the_ends_of_the_scale_take() -> None:
    few = smallest_sentence(sized(8, 4))
    found = re.search(r"about ([\d.]+) points.*Mean ratings then differ by ([\d.]+), since ratings are cut", few)
    assert found is not None, few
    assert float(found[2]) < 0.9 * float(found[1])
    assert "then differ by" not in smallest_sentence(sized(60, 12))
    assert "not even the largest difference" in smallest_sentence(sized(2, 3))


def test_the_end_of_the_scale_takes_of_the_difference(rosas_browser: Client) -> None:
    words = text(asked(rosas_browser, "means", middle=4.8))
    assert re.search(r"On this scale 0\.1\d of the difference is left, since ratings are cut at its ends\.", words)
    assert "of the difference is left" not in text(asked(rosas_browser, "means"))
