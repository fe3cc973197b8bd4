"""Systems ranked by TrueSkill, and clusters of WMT's rank-sum tests, on answers as their task types store them."""

from dataclasses import asdict

import numpy as np
import pytest

from analytics_app.analyses.clusters import FIRST_HIGHER, SECOND_HIGHER
from analytics_app.models import ResultRow
from analytics_app.results import COLUMNS
from analytics_app.show.shown import tables_for
from tasks_app.task_types.base import Scale
from tests.analytics_app.comparing import Screens, one, rows_of, said
from tests.analytics_app.test_comparisons import magnitudes, preferences, rankings


def test_trueskill_of_screens() -> None:
    rows = rows_of("trueskill", magnitudes(), "magnitude", Scale.RATIO)
    mu = [one(rows, "trueskill_mu", key) for key in "abc"]
    assert mu[0].value > mu[2].value > mu[1].value
    assert said(mu[0]) == said(mu[0]) | {"compared": "texts of one screen", "comparisons": 72, "steps": 73}
    assert one(rows, "trueskill_rank", "a").value == 1
    assert one(rows, "trueskill_cluster", "a").value == 1


def test_trueskill_of_rankings_takes_the_least_rank_for_the_best() -> None:
    rows = rows_of("trueskill", rankings(), "ranking", Scale.ORDINAL)
    assert one(rows, "trueskill_rank", "a").value == 1
    assert one(rows, "trueskill_rank", "c").value == 3


def test_trueskill_of_preferences() -> None:
    rows = rows_of("trueskill", preferences(), "pairwise", Scale.NOMINAL)
    assert [one(rows, "trueskill_rank", key).value for key in "a"] == [1]
    assert said(one(rows, "trueskill_mu", "a"))["comparisons"] == 15


def test_trueskill_of_a_text_a_screen_compares_what_one_rater_said_of_an_item() -> None:
    screens = Screens()
    for k in range(4):
        for system, value in (("a", 5.0), ("b", 3.0)):
            unit = screens.unit(f"i{k}", system)
            for rater in range(2):
                screens.values(rater, unit, value)
    assert rows_of("trueskill", screens, "likert", Scale.ORDINAL) == []
    rows = rows_of("trueskill", screens, "likert", Scale.ORDINAL, rating_scales=True)
    assert said(one(rows, "trueskill_mu", "a"))["compared"] == "texts of one item, by one rater"
    assert said(one(rows, "trueskill_mu", "a"))["comparisons"] == 8
    assert one(rows, "trueskill_mu", "a").value > 0


def test_more_comparisons_than_a_run_may_draw() -> None:
    rows = rows_of("trueskill", magnitudes(raters=5), "magnitude", Scale.RATIO, most_steps=100)
    assert "Each run drew 100 times from 120 comparisons" in one(rows, "trueskill_mu", "a").note


def test_clusters_of_direct_assessment() -> None:
    screens, draw = Screens(), np.random.default_rng(3)
    for k in range(40):
        for system, height in (("a", 70), ("b", 68), ("c", 40)):
            unit = screens.unit(f"i{k}", system)
            for rater in range(2):
                screens.values(rater, unit, float(np.clip(height + 8 * draw.normal(), 0, 100)))
    rows = rows_of("clusters", screens, "slider", Scale.INTERVAL)
    assert [one(rows, "cluster_z", key).value for key in "abc"] == [1, 1, 2]
    assert (one(rows, "cluster_rank_z", "c").low, one(rows, "cluster_rank_z", "c").high) == (3, 3)
    assert one(rows, "rank_sum_z", "a", "b").note.startswith("Not corrected")
    tests = [(row.system, row.system_b, said(row)["tested"]) for row in rows if row.statistic == "rank_sum_z"]
    higher = [one(rows, "segment_score_z", key).value for key in "ab"]
    assert tests == [
        ("a", "b", FIRST_HIGHER if higher[0] > higher[1] else SECOND_HIGHER),
        ("a", "c", FIRST_HIGHER),
        ("b", "c", FIRST_HIGHER),
    ]
    holm = rows_of("clusters", screens, "slider", Scale.INTERVAL, values="raw", correction="holm")
    assert one(holm, "rank_sum_raw", "a", "c").p_adjusted < 0.05
    assert one(holm, "segment_score_raw", "a").value == pytest.approx(70, abs=3)
    signed = rows_of("clusters", screens, "slider", Scale.INTERVAL, test="signed_rank")
    assert [one(signed, "cluster_z", key).value for key in "abc"] == [1, 1, 2]
    assert said(one(signed, "signed_rank_z", "a", "c"))["test"] == "one-sided signed-rank"
    assert not [row for row in signed if row.statistic == "rank_sum_z"]


def test_pairs_head_to_head_are_marked_where_one_beats_the_other() -> None:
    screens, draw = Screens(), np.random.default_rng(3)
    for k in range(40):
        for system, height in (("a", 40), ("b", 70), ("c", 70.5)):
            screens.values(k % 3, screens.unit(f"i{k}", system), float(np.clip(height + 8 * draw.normal(), 0, 100)))
    rows = rows_of("clusters", screens, "slider", Scale.INTERVAL, values="raw")
    means = {key: one(rows, "segment_score_raw", key).value for key in "abc"}
    assert one(rows, "head_to_head_raw", "a", "b").value == pytest.approx(means["a"] - means["b"])
    stored = [ResultRow(**{key: asdict(row)[key] for key in COLUMNS}) for row in rows]
    (table,) = [table for table in tables_for("clusters", stored, 0.05) if table.caption == "Head to head"]
    order = sorted("abc", key=lambda key: -means[key])
    assert order[-1] == "a"
    assert [cells[0].text for cells in table.rows] == order
    first, _second, last = ([cell.text for cell in cells] for cells in table.rows)
    assert first[1] == "–"
    assert first[3] == f"{means[order[0]] - means['a']:.2f}‡"
    assert first[2] == f"{means[order[0]] - means[order[1]]:.2f}"
    assert last[1] == f"−{means[order[0]] - means['a']:.2f}"
    earlier = rows_of("clusters", screens, "slider", Scale.INTERVAL, values="raw", head_to_head=False)
    assert [row for row in rows if row.statistic != "head_to_head_raw"] == earlier


def test_a_rank_sum_test_names_its_pair_as_all_others_do_and_says_which_is_the_higher() -> None:
    screens = Screens()
    for k in range(12):
        for system, value in (("a", 10.0), ("b", 90.0)):
            screens.values(k % 2, screens.unit(f"i{k}", system), value + k)
    rows = rows_of("clusters", screens, "slider", Scale.INTERVAL, values="raw")
    test = one(rows, "rank_sum_raw", "a", "b")
    assert said(test)["tested"] == SECOND_HIGHER
    assert test.p < 0.001
    stored = [ResultRow(**{key: asdict(row)[key] for key in COLUMNS}) for row in rows]
    table = tables_for("clusters", stored, 0.05)[-1]
    assert [cell.text for cell in table.rows[0]][:2] == ["a – b", "second above first"]


def test_clusters_by_z_are_refused_where_raters_saw_one_system_each() -> None:
    screens = Screens()
    for k in range(4):
        for rater, system in enumerate("ab"):
            screens.values(rater, screens.unit(f"i{k}", system), float(k + rater))
    rows = rows_of("clusters", screens, "slider", Scale.INTERVAL)
    assert [row.value for row in rows] == [None, None]
    assert "one system only" in rows[0].note
