"""Analyses that compare systems, on answers as their task types store them."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import scipy.stats

from analytics_app import analyses
from analytics_app.analyses.base import Common, Question, QuestionCriterion, Sample
from analytics_app.analyses.pairwise import ALL_PLACED
from analytics_app.models import ResultRow
from analytics_app.show.shown import tables_for
from analytics_app.stats.ranking.strengths import ALWAYS_ABOVE
from tasks_app.task_types.base import Scale
from tests.analytics_app.comparing import Screens, one, rows_of, said


def preference(label: str, shown: float = 0.0) -> dict[str, object]:
    return {"part": 0, "part_b": 1, "label": label, "shown": shown}


# Pairwise ---------------------------------------------------------------------------------------------


def preferences() -> Screens:
    """Five items: a and b compared by two raters each, and a and c by one."""
    screens = Screens()
    for k, (first, second) in enumerate(
        [("first", "first"), ("first", "tie"), ("second", "both_bad"), *[("first",) * 2] * 2]
    ):
        unit = screens.unit(f"i{k}", "a", "b")
        screens.judge(0, unit, preference(first, 1.0 if first in {"first", "second"} else 0.0))
        screens.judge(1, unit, preference(second, 2.0 if second in {"first", "second"} else 0.0))
        other = screens.unit(f"i{k}", "c", "a")
        screens.judge(2, other, preference("second" if k else "first", 1.0))
    return screens


def test_wins_losses_ties_and_both_bad() -> None:
    rows = rows_of("pairwise", preferences(), "pairwise", Scale.NOMINAL)
    counts = {name: one(rows, f"pair_{name}", "a", "b").value for name in ("wins", "losses", "ties", "both_bad")}
    assert counts == {"wins": 7, "losses": 1, "ties": 1, "both_bad": 1}
    rate, half = one(rows, "win_rate", "a", "b"), one(rows, "win_rate_half", "a", "b")
    assert (rate.value, half.value) == (7 / 8, 0.8)
    # Items 0, 1, 3 and 4 went to a; item 2 to b.
    assert rate.p == pytest.approx(scipy.stats.binomtest(4, 5).pvalue)
    assert said(rate)["test"] == "exact sign test over items: 4 to 1"
    assert (rate.n_ratings, rate.n_items, rate.n_raters) == (10, 5, 2)
    # The pair is named in the order of the systems, whichever text was the first on the screen.
    assert one(rows, "win_rate", "a", "c").value == 0.8
    # b and c never met: two pairs make the family.
    assert said(rate)["family"] == "2 pairs of one criterion"
    assert rate.p_adjusted == pytest.approx(min(1.0, 2 * rate.p))
    assert not [row for row in rows if {row.system, row.system_b} == {"b", "c"}]


def test_the_side_that_was_chosen() -> None:
    row = one(rows_of("pairwise", preferences(), "pairwise", Scale.NOMINAL), "left_share")
    # Rater 0 chose the left text five times and rater 2 too, rater 1 the right one three times.
    assert row.value == pytest.approx(10 / 13)
    assert (row.n_ratings, row.n_raters, row.by_system) == (13, 3, False)
    assert row.p == 1.0


def test_strengths_and_who_cannot_be_placed() -> None:
    screens = preferences()
    rows = rows_of("pairwise", screens, "pairwise", Scale.NOMINAL)
    strengths = {key: one(rows, "bt_strength", key).value for key in "abc"}
    # The graph is a star, so the strengths are the logits of its two arms.
    assert strengths["a"] - strengths["b"] == pytest.approx(np.log(8 / 2), abs=1e-6)
    assert strengths["a"] - strengths["c"] == pytest.approx(np.log(4 / 1), abs=1e-6)
    assert one(rows, "bt_rank", "a").value == 1
    placed = one(rows, "bt_placed")
    assert (placed.value, placed.note, placed.by_system) == (3, ALL_PLACED, True)
    for k in range(4):
        screens.judge(0, screens.unit(f"i{k}", "d", "a"), preference("first"))
    rows = rows_of("pairwise", screens, "pairwise", Scale.NOMINAL)
    assert one(rows, "bt_strength", "d").note == ALWAYS_ABOVE
    assert one(rows, "bt_placed").value == 3
    assert one(rows, "bt_placed").note == "Wins do not place these systems among the others: d."


def test_davidsons_ties() -> None:
    rows = rows_of("pairwise", preferences(), "pairwise", Scale.NOMINAL, ties="davidson")
    assert one(rows, "bt_log_ties").value is not None
    assert said(one(rows, "bt_strength", "a"))["ties"] == "davidson"
    assert "bt_log_ties" not in {row.statistic for row in rows_of("pairwise", preferences(), "pairwise", Scale.NOMINAL)}


def test_a_text_of_several_systems_counts_for_each_on_either_side() -> None:
    screens = Screens()
    screens.judge(0, screens.unit("i0", "a b", "c"), preference("first"))
    screens.judge(0, screens.unit("i1", "c", "a b"), preference("second"))
    rows = rows_of("pairwise", screens, "pairwise", Scale.NOMINAL)
    for system in "ab":
        assert one(rows, "pair_wins", system, "c").value == 2
    assert not [row for row in rows if (row.system, row.system_b) == ("a", "b")]
    without = rows_of("pairwise", screens, "pairwise", Scale.NOMINAL, without_systems=["b"])
    assert {row.system for row in without} == {"a", "c", None}
    assert one(without, "pair_wins", "a", "c").value == 2


def test_answers_about_two_texts_go_where_either_is_left_out() -> None:
    screens = Screens()
    for k, pair in enumerate((("a", "b"), ("b", "c"), ("a", "c"))):
        unit = screens.unit(f"i{k}", *pair)
        screens.judge(0, unit, {"part": 0, "part_b": 1, "label": "first", "shown": 1.0})
    rows = rows_of("pairwise", screens, "pairwise", Scale.NOMINAL, without_systems=["b"])
    assert one(rows, "left_share").n_ratings == 1


def test_how_much_better() -> None:
    screens = preferences()
    for k, entry in enumerate(list(screens.said)):
        if entry["label"] in {"first", "second"}:
            about = {"rater": entry["rater"], "unit": entry["unit"], "judgment": entry["judgment"]}
            screens.said.append({**about, "value": 1.0 + (k % 2), "criterion": 1})
    table = screens.table()
    names = replace(table.names, criteria=("quality", "strength-quality"), criterion_ids=np.array([1, 2]))
    table = replace(table, names=names, criterion=np.array([one.get("criterion", 0) for one in screens.said]))
    asked = (
        QuestionCriterion("quality", "", Scale.NOMINAL, 0),
        QuestionCriterion("strength-quality", "", Scale.ORDINAL, 1),
    )
    question = Question("main", "pairwise", Scale.NOMINAL, whole=True, criteria=asked)
    sample = Sample(table, np.full(len(table), np.nan), question, Common(n_resamples=50), "kept")
    rows = list(analyses.registry["pairwise_strength"]().rows(sample))
    assert {row.criterion for row in rows} == {"quality"}
    clear = one(rows, "strength_clearly", "a", "b")
    strengths = [
        1 + (k % 2) for k, entry in enumerate(preferences().said) if entry["label"] == "first" and entry["rater"] < 2
    ]
    assert clear.n_ratings == len(strengths) == 7
    assert clear.value == pytest.approx(np.mean([value == 2 for value in strengths]))
    assert one(rows, "strength_mean", "a", "b").value == pytest.approx(np.mean(strengths))
    # Both ways round: b was preferred once.
    assert one(rows, "strength_mean", "b", "a").n_ratings == 1


# Rankings ---------------------------------------------------------------------------------------------


def rankings() -> Screens:
    screens = Screens()
    for k, orders in enumerate([((1, 2, 3), (1, 3, 2)), ((1, 2, 3), (2, 1, 3)), ((1, 1, 3), (3, 1, 2))]):
        unit = screens.unit(f"i{k}", "a", "b", "c")
        for rater, ranks in enumerate(orders):
            screens.values(rater, unit, *map(float, ranks), shown=(1.0, 2.0, 3.0) if rater else (3.0, 2.0, 1.0))
    return screens


def test_ranks_first_places_and_pairs() -> None:
    rows = rows_of("ranking", rankings(), "ranking", Scale.ORDINAL)
    # The tie of the fifth ranking shares places 1 and 2.
    assert one(rows, "rank_mean", "a").value == pytest.approx((1 + 1 + 1 + 2 + 1.5 + 3) / 6)
    assert one(rows, "rank_median", "a").value == pytest.approx(1.25)
    assert one(rows, "first_share", "a").value == pytest.approx(3.5 / 6)
    shares = [one(rows, f"ranked_{name}", "a", "b").value for name in ("above", "level", "below")]
    assert shares == pytest.approx([3 / 6, 1 / 6, 2 / 6])
    half = one(rows, "ranked_above_half", "a", "b")
    assert half.value == pytest.approx(3.5 / 6)
    # Item 0 goes to a, item 1 is even, item 2 goes to b.
    assert said(half)["test"] == "exact sign test over items: 1 to 1"
    assert (half.p, half.n_items) == (1.0, 3)


def test_agreement_of_rankings() -> None:
    rows = rows_of("ranking", rankings(), "ranking", Scale.ORDINAL)
    # W of two raters and three texts is (1 + rho) / 2 without ties; the third item has one.
    third = 12 * ((4.5 - 4) ** 2 + (2.5 - 4) ** 2 + (5 - 4) ** 2) / (4 * 24 - 2 * 6)
    assert one(rows, "concordance_w").value == pytest.approx((0.75 + 0.75 + third) / 3)
    means = np.array([[1, 2.5, 2.5], [1.5, 1.5, 3], [2.25, 1.25, 2.5]])
    wanted = scipy.stats.friedmanchisquare(*means.T)
    assert one(rows, "friedman_chi2").value == pytest.approx(wanted.statistic)
    assert one(rows, "friedman_chi2").p == pytest.approx(wanted.pvalue)


def test_agreement_of_rankings_has_the_same_digits_whichever_item_was_judged_first() -> None:
    rng = np.random.default_rng(3)
    answers = [(item, rater, rng.permutation(5) + 1.0) for item in range(12) for rater in range(3)]
    found = set()
    for order in (range(36), rng.permutation(36), rng.permutation(36)):
        screens = Screens()
        units = [screens.unit(f"i{item:02}", *"abcde") for item in range(12)]
        for item, rater, ranks in (answers[place] for place in order):
            screens.values(rater, units[item], *ranks)
        found.add(one(rows_of("ranking", screens, "ranking", Scale.ORDINAL), "concordance_w").value)
    assert len(found) == 1


def test_plackett_luce_says_how_many_rankings_have_ties() -> None:
    rows = rows_of("ranking", rankings(), "ranking", Scale.ORDINAL)
    note = one(rows, "pl_strength", "a").note or ""
    assert note.endswith("Rankings with ties count as their pairs, a tie as half a win of both: 1 of 6.")
    assert note.startswith("No interval: ")
    assert sum(one(rows, "pl_strength", key).value or 0.0 for key in "abc") == pytest.approx(0)
    assert one(rows, "pl_placed").value == 3


def test_the_order_at_the_start() -> None:
    row = one(rows_of("ranking", rankings(), "ranking", Scale.ORDINAL), "start_order_r")
    orders = [((1, 2, 3), (3, 2, 1)), ((1, 3, 2), (1, 2, 3)), ((1, 2, 3), (3, 2, 1)), ((2, 1, 3), (1, 2, 3))]
    orders += [((1, 1, 3), (3, 2, 1)), ((3, 1, 2), (1, 2, 3))]
    wanted = np.mean([scipy.stats.spearmanr(*pair).statistic for pair in orders])
    assert row.value == pytest.approx(wanted)
    assert (row.by_system, row.n_raters) == (False, 2)


def test_systems_that_share_a_text_tie() -> None:
    screens = Screens()
    for k in range(3):
        screens.values(0, screens.unit(f"i{k}", "a b", "c"), 1.0, 2.0)
    rows = rows_of("ranking", screens, "ranking", Scale.ORDINAL)
    assert [one(rows, "rank_mean", key).value for key in "abc"] == [1.5, 1.5, 3]
    assert one(rows, "first_share", "a").value == 0.5
    assert one(rows, "ranked_level", "a", "b").value == 1
    assert "count as ties: 3." in (one(rows, "rank_mean", "a").note or "")


def test_agreement_of_rankings_is_shown_with_two_digits() -> None:
    rows = rows_of("ranking", rankings(), "ranking", Scale.ORDINAL)
    stored = [ResultRow(**asdict(row)) for row in rows]
    (table,) = (one for one in tables_for("ranking", stored, 0.05) if str(one.caption).startswith("Agreement"))
    values = {str(line[0].text): str(line[1].text) for line in table.rows}
    assert [words for words in values if words.startswith(("Kendall", "Friedman"))]
    assert {words: value for words, value in values.items() if len(value.partition(".")[2]) != 2} == {}


# Best-worst -------------------------------------------------------------------------------------------


def test_best_and_worst() -> None:
    screens = Screens()
    for k in range(6):
        unit = screens.unit(f"i{k}", "a", "b", "c")
        for rater in range(2):
            worst = 2 if (k + rater) % 3 else 1
            labels = {0: "best", worst: "worst"}
            screens.judge(rater, unit, *({"part": p, "label": labels.get(p, "neither")} for p in range(3)))
    rows = rows_of("best_worst", screens, "best_worst", Scale.NOMINAL)
    assert [one(rows, "bw_score", key).value for key in "abc"] == pytest.approx([1, -4 / 12, -8 / 12])
    assert [one(rows, "bw_rank", key).value for key in "abc"] == [1, 2, 3]
    assert [one(rows, f"bw_{name}", "c").value for name in ("best", "worst", "shown")] == [0, 8, 12]
    assert said(one(rows, "bw_score", "a"))["interval"] == "bootstrap over items"
    assert (one(rows, "bw_least_shown").value, one(rows, "bw_most_shown").value) == (2, 2)
    assert one(rows, "bw_split_half").value > 0.5
    texts = rows_of("best_worst", screens, "best_worst", Scale.NOMINAL, texts=True)
    assert one(texts, "bw_text_score", "a", label="i3").value == 1


def test_tuples_over_items_are_drawn_by_themselves_and_texts_are_the_same_in_each() -> None:
    screens = Screens()
    for shown in (("x:a", "y:a", "z:b"), ("x:a", "y:b", "z:a"), ("x:b", "y:a", "z:b")):
        unit = screens.unit(None, *shown)
        screens.judge(0, unit, *({"part": p, "label": ("best", "neither", "worst")[p]} for p in range(3)))
    rows = rows_of("best_worst", screens, "best_worst", Scale.NOMINAL)
    assert said(one(rows, "bw_score", "a"))["interval"] == "bootstrap over tuples"
    # x:a, y:a and z:b stood in two tuples each.
    assert (one(rows, "bw_least_shown").value, one(rows, "bw_most_shown").value) == (1, 2)
    assert one(rows, "bw_most_shown").note is None


def tuples(items: list[str | None], raters: int = 1) -> Screens:
    """Six tuples over the texts of several items; `items` says of which item each tuple is, if of one."""
    screens, made = Screens(), np.random.default_rng(4)
    for k, item in enumerate(items):
        unit = screens.unit(item, f"i{k}:a", f"i{(k + 1) % 6}:b", f"i{(k + 2) % 6}:c")
        best, worst = made.permutation(3)[:2]
        for rater in range(raters):
            labels = {int(best): "best", int(worst): "worst"}
            screens.judge(rater, unit, *({"part": p, "label": labels.get(p, "neither")} for p in range(3)))
    return screens


def ends(screens: Screens) -> list[tuple[float | None, float | None, float | None]]:
    rows = rows_of("best_worst", screens, "best_worst", Scale.NOMINAL)
    found = [one(rows, "bw_score", key) for key in "abc"]
    return [(row.value, row.low, row.high) for row in found]


def test_a_tuple_over_several_items_is_drawn_with_all_its_answers_and_with_no_other_tuple() -> None:
    each_its_own = [f"i{k}" for k in range(6)]
    expected = ends(tuples(list(each_its_own)))
    assert all(low < high for _value, low, high in expected)
    assert ends(tuples([None] * 6)) == expected
    assert ends(tuples([*each_its_own[:3], None, None, None])) == expected
    assert ends(tuples([None] * 6, raters=3)) == expected, "three raters who say the same are no further tuples"
    assert ends(tuples(["i0"] * 6)) != expected


def test_a_text_of_two_systems_does_not_agree_with_itself_twice() -> None:
    screens = Screens()
    for k in range(4):
        unit = screens.unit(f"i{k}", "a d", "b", "c")
        for rater in range(4):
            labels = {rater % 3: "best", (rater + 1 + k % 2) % 3: "worst"}
            screens.judge(rater, unit, *({"part": p, "label": labels.get(p, "neither")} for p in range(3)))
    rows = rows_of("best_worst", screens, "best_worst", Scale.NOMINAL)
    alone = rows_of("best_worst", screens, "best_worst", Scale.NOMINAL, without_systems=["d"])
    assert one(rows, "bw_split_half").n_items == 12
    assert one(rows, "bw_split_half").value == one(alone, "bw_split_half").value
    assert one(rows, "bw_score", "d").value == one(rows, "bw_score", "a").value


# Magnitudes -------------------------------------------------------------------------------------------


def magnitudes(raters: int = 3) -> Screens:
    screens, draw = Screens(), np.random.default_rng(1)
    for k in range(8):
        unit = screens.unit(f"i{k}", "a", "b", "c")
        for rater in range(raters):
            low, high = draw.integers(20, 60, 2)
            screens.values(rater, unit, float(2 * low), float(low), float(high))
    return screens


def test_geometric_means_and_ratios() -> None:
    screens = magnitudes()
    rows = rows_of("magnitude", screens, "magnitude", Scale.RATIO)
    table = screens.table()
    for part, system in enumerate("abc"):
        row = one(rows, "geometric_mean", system)
        assert row.value == pytest.approx(scipy.stats.gmean(table.value[part::3]))
        assert row.low < row.value < row.high
        assert one(rows, "geometric_mean_over_raters", system).note == (
            "No interval over raters: it takes at least 4, and here are 3."
        )
        assert one(rows, "geometric_mean_crossed", system).value == pytest.approx(row.value)
    crossed = one(rows, "magnitude_ratio_crossed", "a", "b")
    assert crossed.value == pytest.approx(2)
    assert crossed.settings is not None
    assert crossed.settings["generalises_to"] == "further texts and further raters"
    assert crossed.low < 2 < crossed.high
    ratio = one(rows, "magnitude_ratio", "a", "b")
    assert ratio.value == pytest.approx(2)
    assert (ratio.low, ratio.high) == (None, None)
    assert ratio.p == 2 / 2**8
    assert ratio.p_adjusted == pytest.approx(3 * ratio.p)


@pytest.mark.parametrize("how", ["standard", "modulus"])
def test_normalisations_leave_ratios_of_balanced_raters(how: str) -> None:
    plain, other = (
        rows_of("magnitude", magnitudes(), "magnitude", Scale.RATIO, normalisation=one) for one in ("log", how)
    )
    for pair in (("a", "b"), ("a", "c")):
        assert one(other, "magnitude_ratio", *pair).value == pytest.approx(one(plain, "magnitude_ratio", *pair).value)
        assert one(other, "log_mean_z", pair[0]).value == pytest.approx(one(plain, "log_mean_z", pair[0]).value)
    scale = {"standard": 100, "modulus": 1}[how]
    value = one(plain, "geometric_mean", "a").value
    assert one(other, "geometric_mean", "a").value == pytest.approx(value / scale)


def test_the_range_of_each_rater() -> None:
    rows = rows_of("magnitude", magnitudes(), "magnitude", Scale.RATIO, normalisation="range")
    assert 0 < one(rows, "range_mean", "b").value < one(rows, "range_mean", "a").value < 1
    assert one(rows, "range_difference", "a", "b").p < 0.05
    assert not [row for row in rows if row.statistic.startswith(("geometric", "log", "magnitude"))]


def test_zeros_of_imports_are_left_out_and_said() -> None:
    screens = magnitudes()
    screens.said[0]["value"] = 0.0
    rows = rows_of("magnitude", screens, "magnitude", Scale.RATIO)
    row = one(rows, "geometric_mean", "a")
    assert (row.n_ratings, one(rows, "geometric_mean", "b").n_ratings) == (23, 24)
    assert (row.note or "").endswith("have no logarithm and are left out: 1.")


def test_how_often_the_number_of_the_standard_was_given() -> None:
    screens = magnitudes()
    for entry in screens.said[:6]:
        entry["value"] = 50.0
    rows = rows_of("magnitude", screens, "magnitude", Scale.RATIO, params={"reference_value": 50})
    assert one(rows, "at_standard").value == pytest.approx(np.mean([entry["value"] == 50 for entry in screens.said]))
