"""Pairwise preferences and rankings with raters and texts both random: the rows, and what charts draw of them."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from scipy.stats import pearsonr, sem
from scipy.stats import t as student

from analytics_app import analyses, charts
from analytics_app.analyses import Common, Question, Sample
from analytics_app.analyses.shared.over_raters import with_limits
from analytics_app.charts.words import SPACE
from analytics_app.ratings import Extras
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.show.raters_disagree import share_of_raters
from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.strengths import crossed_strengths
from analytics_app.stats.values import Estimate
from tasks_app.task_types.base import Scale
from tests.analytics_app.comparing import Screens, one

FURTHER = "further texts and further raters"
# How often raters prefer A to B: three nearly always, three nearly never.
TORN = (0.95, 0.95, 0.95, 0.4, 0.3, 0.3)
AGREED = (0.9, 0.85, 0.8, 0.9, 0.85, 0.8)


def preferring(shares: tuple[float, ...], *, items: int = 40, systems: str = "AB") -> Screens:
    """Judgments of every rater about every text: the first system of a pair wins with the rater's share."""
    draw, screens = np.random.default_rng(8), Screens()
    for item in range(items):
        for place, first in enumerate(systems):
            for second in systems[place + 1 :]:
                unit = screens.unit(f"i{item:02}", first, second)
                for rater, share in enumerate(shares):
                    label = "tie" if draw.random() < 0.05 else "first" if draw.random() < share else "second"
                    screens.judge(rater, unit, {"part": 0, "part_b": 1, "label": label})
    return screens


def rows_of(
    screens: Screens,
    name: str = "pairwise",
    *,
    generalise_to: Literal["raters_and_texts", "texts"] = "raters_and_texts",
    over_raters: Literal["t", "percentile"] = "t",
    scale: Scale = Scale.NOMINAL,
    **settings: Any,
) -> list[Row]:
    table = screens.table()
    common = Common(n_resamples=100, n_permutations=999, seed=7, generalise_to=generalise_to, over_raters=over_raters)
    sample = Sample(table, np.full(len(table), np.nan), Question("main", name, scale, "quality"), common, "kept")
    sample = replace(sample, extras=Extras({Kinds: Kinds.empty(table)}))
    return list(analyses.registry[name](settings).rows(sample))


def test_where_raters_prefer_different_systems_only_the_sign_test_over_texts_rejects() -> None:
    rows = rows_of(preferring(TORN))
    over_texts, crossed = one(rows, "win_rate", "A", "B"), one(rows, "win_rate_crossed", "A", "B")
    assert over_texts.p_adjusted is not None
    assert over_texts.p_adjusted < 0.05
    assert crossed.p_adjusted is not None
    assert crossed.p_adjusted > 0.2
    assert crossed.value == pytest.approx(one(rows, "win_rate_half", "A", "B").value)
    assert (crossed.n_ratings, crossed.n_items, crossed.n_raters) == (240, 40, 6)
    assert crossed.settings is not None
    assert crossed.settings["model"] in {"win ~ 1 + (1|item) + (1|rater)", "win ~ 1 + (1|rater)"}
    assert crossed.settings["generalises_to"] == FURTHER
    assert (crossed.settings["ties"], crossed.settings["both_bad"]) == ("one half", "a tie")
    assert "systems" not in str(crossed.note)
    share = share_of_raters(crossed)
    assert share is not None
    assert share > 0.9


def test_the_share_is_the_mean_of_a_model_with_items_and_raters() -> None:
    screens = preferring(AGREED, systems="ABC")
    rows = rows_of(screens)
    table = screens.table()
    worth = {"first": 1.0, "second": 0.0, "tie": 0.5}
    for pair in ("AB", "AC", "BC"):
        crossed = one(rows, "win_rate_crossed", *pair)
        chosen = np.array([screens.units[one["unit"]][1] == [[(screens.units[one["unit"]][0], s)] for s in pair]
                           for one in screens.said])  # fmt: skip
        wins = np.array([worth[one["label"]] for one in screens.said])[chosen]
        items = table.names.item_of_unit[table.unit][chosen]
        mean = compare_crossed(
            wins, np.zeros(wins.size, int), items, table.rater[chosen], n_systems=1, pairs=[], confidence=0.95
        ).means[0]
        assert mean.value is not None
        assert (crossed.value, crossed.se, crossed.df) == pytest.approx((mean.value, mean.se, mean.df))
        assert crossed.settings is not None
        assert (crossed.settings["correction"], crossed.settings["family"]) == ("holm", "3 pairs of one criterion")
        assert crossed.p is not None
        assert crossed.p_adjusted is not None
        assert crossed.p <= crossed.p_adjusted < 0.05


def test_strengths_have_the_interval_of_two_way_clusters() -> None:
    screens = preferring(TORN, systems="ABC")
    rows = rows_of(screens)
    table = screens.table()
    pairs = [[system for part in screens.units[one["unit"]][1] for _item, system in part] for one in screens.said]
    worth = {"first": 1.0, "second": 0.0, "tie": 0.5}
    found = crossed_strengths(
        [worth[one["label"]] for one in screens.said],
        ["ABC".index(first) for first, _second in pairs],
        ["ABC".index(second) for _first, second in pairs],
        table.names.item_of_unit[table.unit],
        table.rater,
        n_systems=3,
        confidence=0.95,
    )
    for system, strength in zip("ABC", found, strict=True):
        row, over_texts = one(rows, "bt_strength_crossed", system), one(rows, "bt_strength", system)
        assert (row.value, row.low, row.high, row.df) == (strength.value, strength.low, strength.high, strength.df)
        assert row.value == pytest.approx(over_texts.value, abs=1e-6)
        assert (row.p, row.n_ratings, row.n_raters) == (None, 480, 6)
        assert row.settings is not None
        assert row.settings["generalises_to"] == FURTHER
    ends = one(rows, "bt_strength_crossed", "A")
    assert ends.se is not None
    assert ends.se > 2 * (one(rows, "bt_strength", "A").se or 0)


def test_a_plan_for_texts_alone_has_no_such_rows() -> None:
    rows = rows_of(preferring(AGREED, items=5), generalise_to="texts")
    assert not [row for row in rows if row.statistic.endswith("_crossed")]


@pytest.mark.parametrize(
    ("screens", "reason"),
    [
        (preferring((0.8,)), "One rater only: nothing can be said about further raters."),
        (preferring(AGREED, items=1), "One text only: nothing can be said about further texts."),
    ],
)
def test_one_rater_or_one_text_allow_no_such_conclusion(screens: Screens, reason: str) -> None:
    rows = rows_of(screens)
    row = one(rows, "win_rate_crossed", "A", "B")
    assert (row.value, row.p, row.note) == (None, None, reason)
    assert not [row for row in rows if row.statistic == "bt_strength_crossed"]


def test_a_pair_that_one_rater_judged_has_no_value_beside_pairs_with_several() -> None:
    screens = preferring(AGREED)
    for item in range(6):
        screens.judge(0, screens.unit(f"i{item:02}", "A", "C"), {"part": 0, "part_b": 1, "label": "first"})
    rows = rows_of(screens)
    alone = one(rows, "win_rate_crossed", "A", "C")
    assert (alone.value, alone.note) == (None, "One rater only: nothing can be said about further raters.")
    assert one(rows, "win_rate_crossed", "A", "B").p_adjusted is not None


def test_unanimous_judgments_keep_their_test() -> None:
    screens = Screens()
    for item in range(12):
        unit = screens.unit(f"i{item:02}", "A", "B")
        for rater in range(6):
            screens.judge(rater, unit, {"part": 0, "part_b": 1, "label": "first"})
    row = one(rows_of(screens), "win_rate_crossed", "A", "B")
    assert (row.value, row.high) == (1, 1)
    assert row.p == pytest.approx(2**-5)
    assert row.settings is not None
    assert row.settings["test"] == "exact sign test of judgments that share no rater and no text"
    assert row.settings["generalises_to"] == FURTHER


def test_charts_draw_what_holds_for_further_raters() -> None:
    drawn = {one.key: one for one in charts.draw(rows_of(preferring(TORN)), "main", "quality", name="Quality")}
    chart = drawn["preferences"]
    assert chart.title == "Neither of two systems is preferred to the other clearly for Quality"
    interval = "95 % interval for further texts and further raters, with both random"
    assert interval in chart.subtitle.replace(SPACE, " ")
    assert "p: raters and texts random" in chart.subtitle
    strengths = drawn["strengths"]
    assert strengths.title == "For Quality, no clear difference between A and B"
    assert "for further texts and further raters" in strengths.subtitle


def test_the_side_and_the_order_at_the_start_have_students_interval_over_raters() -> None:
    draw, pairs, orders = np.random.default_rng(3), Screens(), Screens()
    for item in range(20):
        for rater in range(5):
            unit = pairs.unit(f"i{item:02}", "A", "B")
            shown = 1.0 if draw.random() < 0.5 + rater / 10 else 2.0
            pairs.judge(rater, unit, {"part": 0, "part_b": 1, "label": "first", "shown": shown})
            ranks = (draw.permutation(3) + 1.0).tolist()
            orders.values(rater, orders.unit(f"i{item:02}", "A", "B", "C"), *ranks, shown=(1.0, 2.0, 3.0))
    left = np.array([float(one["shown"] == 1) for one in pairs.said])
    place = np.array([one["value"] for one in orders.said]).reshape(-1, 3)
    r = np.array([pearsonr([1, 2, 3], ranks)[0] for ranks in place])
    for rows, statistic, values in (
        (rows_of(pairs), "left_share", left.reshape(20, 5).mean(axis=0)),
        (rows_of(orders, "ranking", scale=Scale.ORDINAL), "start_order_r", r.reshape(20, 5).mean(axis=0)),
    ):
        row = one(rows, statistic)
        low, high = student.interval(0.95, 4, values.mean(), sem(values))
        assert (row.value, row.low, row.high, row.df) == pytest.approx((values.mean(), low, min(high, 1.0), 4))
        assert row.settings is not None
        assert row.settings["interval"] == "Student's t over raters"
        assert row.settings["generalises_to"] == "further raters, on these texts"


def test_three_raters_have_no_interval_but_keep_percentiles_in_earlier_plans() -> None:
    screens = Screens()
    for item in range(9):
        for rater in range(3):
            unit = screens.unit(f"i{item}", "A", "B")
            shown = 1.0 if item % 3 >= rater else 2.0
            screens.judge(rater, unit, {"part": 0, "part_b": 1, "label": "first", "shown": shown})
    row = one(rows_of(screens), "left_share")
    assert (row.low, row.high) == (None, None)
    assert row.note == "No interval over raters: it takes at least 4, and here are 3."
    before = one(rows_of(screens, over_raters="percentile"), "left_share")
    assert before.low is not None
    assert before.settings is not None
    assert before.settings["interval"] == "bootstrap over raters"
    assert str(before.note).endswith("Fewer than 10 raters: this interval is rough.")


def test_limits_of_a_share_stay_between_0_and_1() -> None:
    table = preferring(AGREED, items=2).table()
    sample = Sample(table, np.full(len(table), np.nan), Question("main", "pairwise", Scale.NOMINAL), Common(), "kept")
    wins = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    made, settings = with_limits(sample, Estimate(7 / 8), wins, [0, 0, 1, 1, 2, 2, 3, 3], {}, share=True)
    assert (made.value, made.high) == (7 / 8, 1.0)
    assert made.low == pytest.approx(student.interval(0.95, 3, 7 / 8, sem([1, 1, 0.5, 1]))[0])
    assert settings["interval"] == "Student's t over raters"
