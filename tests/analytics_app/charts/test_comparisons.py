"""Charts and tables of comparisons: what they claim, and what they show."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace

import pytest

from analytics_app.analyses import best_worst, clusters, magnitude, pairwise, trueskill
from analytics_app.analyses.ranking import charts as ranking_charts
from analytics_app.analyses.systems.charts import differences
from analytics_app.charts.drawing import Sketch, finished
from analytics_app.charts.picking import Material
from analytics_app.charts.points import log_ticks
from analytics_app.charts.room import WIDE
from analytics_app.charts.words import SPACE
from analytics_app.models import ResultRow
from analytics_app.results import COLUMNS, Row
from analytics_app.show.cells import DASH
from analytics_app.show.shown import tables_for
from analytics_app.show.table import Table
from tasks_app.task_types.base import Scale
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.comparing import rows_of
from tests.analytics_app.test_comparisons import magnitudes, preferences, rankings


def row(statistic: str, value: float, low: float, high: float, *systems: str, **columns: object) -> Row:
    system, system_b = [*systems, None][:2]
    about = {"analysis": "any", "task": "main", "criterion": "quality", "n_items": 12, "n_ratings": 60} | columns
    return Row(statistic=statistic, system=system, system_b=system_b, value=value, low=low, high=high, **about)


def drawn(kind: Callable[[Material], Iterator[Sketch]], *rows: Row) -> list[Sketch]:
    return list(kind(Material(rows, "quality", 0.95)))


def title(kind: Callable[[Material], Iterator[Sketch]], *rows: Row) -> str:
    (sketch,) = drawn(kind, *rows)
    return sketch.title.replace(SPACE, " ")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        # One is preferred where the interval lies on one side of one half and the test says so; the pair stands as in
        # its row, whichever of the two is preferred.
        ([(0.2, 0.1, 0.3, 0.01)], "A is preferred to B in only 20 % of comparisons for quality"),
        ([(0.8, 0.7, 0.9, 0.01)], "A is preferred to B for quality (80 %)"),
        ([(0.2, 0.1, 0.3, 0.2)], "Neither of two systems is preferred to the other clearly for quality"),
        ([(0.6, 0.4, 0.8, 0.3)], "Neither of two systems is preferred to the other clearly for quality"),
        (
            [(0.2, 0.1, 0.3, 0.01), (0.6, 0.4, 0.8, 0.3)],
            "A is preferred to B in only 20 % of comparisons for quality",
        ),
        (
            [(0.2, 0.1, 0.3, 0.01), (0.9, 0.8, 1.0, 0.01)],
            "In all 2 pairs one system is preferred to the other for quality",
        ),
        ([(0.5, 0.4, 0.6, 0.9), (0.6, 0.4, 0.8, 0.3)], "No system is preferred to another clearly for quality"),
    ],
)
def test_preferences_claim_what_interval_and_test_do(rows: list[tuple[float, float, float, float]], said: str) -> None:
    made = []
    for other, (value, low, high, p) in zip("BC", rows, strict=False):
        made.append(row("win_rate_half", value, low, high, "A", other))
        made.append(row("win_rate", value, low, high, "A", other, p_adjusted=p))
    assert title(pairwise.preferences, *made) == said


def test_ratios_stand_as_in_their_rows_above_one_or_below() -> None:
    (sketch,) = drawn(magnitude.ratios, row("magnitude_ratio", 0.5, 0.4, 0.8, "A", "B", p_adjusted=0.01))
    (point,) = sketch.chart(WIDE).data.values
    assert (point["name"], point["value"], point["low"], point["high"]) == ("A / B", 0.5, 0.4, 0.8)
    assert sketch.title == "A gets 0.50 times the number of B for quality"
    assert are_rendered([finished(sketch)])
    assert title(magnitude.ratios, row("magnitude_ratio", 1.2, 0.9, 1.5, "A", "B", p_adjusted=0.4)).startswith("No two")


def test_the_pairs_furthest_apart_are_drawn_on_either_side_of_no_difference() -> None:
    """Where a chart has no room for all, a ratio of a quarter stays and one of nearly one goes."""
    near = [row("magnitude_ratio", 1 + k / 1000, 0.9, 1.1, "A", f"N{k}") for k in range(60)]
    far = row("magnitude_ratio", 0.25, 0.2, 0.3, "A", "B", p_adjusted=0.01)
    (sketch,) = drawn(magnitude.ratios, *near, far)
    points = sketch.chart(WIDE).data.values
    assert (len(points), points[-1]["name"], points[0]["name"]) == (40, "A / B", "A / N59")
    assert "the 40 furthest apart of 61 pairs" in sketch.subtitle
    assert sketch.title == "A gets 0.25 times the number of B for quality"


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.4, 2.6), [0.5, 1.0, 2.0]),
        ((0.02, 300.0), [0.1, 1.0, 10.0, 100.0]),
        ((0.53, 1.88), [0.7, 1.0, 1.5]),
        ((0.93, 1.12), [0.95, 1.0, 1.05, 1.1]),
        ((1.0, 1e9), [1.0, 1e2, 1e4, 1e6, 1e8]),
    ],
)
def test_an_axis_of_logarithms_has_round_numbers(ends: tuple[float, float], ticks: list[float]) -> None:
    assert log_ticks(*ends) == pytest.approx(ticks)


def test_systems_are_named_where_their_intervals_stand_apart() -> None:
    apart = [row("bt_strength", 1.0, 0.8, 1.2, "A"), row("bt_strength", -1.0, -1.2, -0.8, "B")]
    assert title(pairwise.strengths, *apart) == "A is the strongest for quality (1.00)"
    near = [row("bw_score", 0.2, 0.0, 0.4, "A"), row("bw_score", 0.1, -0.1, 0.3, "B")]
    assert title(best_worst.best_worst_scores, *near) == "For quality, no clear difference between A and B"
    assert drawn(pairwise.strengths, apart[0]) == []


def test_the_least_mean_rank_is_the_best() -> None:
    rows = [row("rank_mean", 2.6, 2.4, 2.8, "A"), row("rank_mean", 1.2, 1.1, 1.4, "B")]
    (sketch,) = drawn(ranking_charts.mean_ranks, *rows)
    assert sketch.title == "B is ranked best for quality (1.20)"
    assert [point["name"] for point in sketch.chart(WIDE).data.values] == ["B", "A"]


def test_rank_ranges_and_clusters() -> None:
    said = {"settings": {"runs": 200, "steps": 901, "comparisons": 900}}
    rows = [
        row("trueskill_rank", place, low, high, name, **said)
        for name, place, low, high in (("A", 1, 1, 2), ("B", 2, 1, 2), ("C", 3, 3, 3))
    ]
    rows += [row("trueskill_cluster", cluster, 1, 1, name) for name, cluster in (("A", 1), ("B", 1), ("C", 2))]
    (sketch,) = drawn(trueskill.trueskill_ranks, *rows)
    assert sketch.title == "Systems by their TrueSkill rank for quality"
    assert [point["text"] for point in sketch.chart(WIDE).data.values] == ["1–2", "1–2", "3"]
    drawn_as = "Each of 200 runs draws one of them 901 times, with replacement, once more than there are, as at WMT."
    assert f"TrueSkill of 900 comparisons. {drawn_as}" in sketch.subtitle
    assert are_rendered([finished(sketch)])


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        # Clusters are claimed where a test of a pair across each border bears them out.
        ([("A", "C", 0.01), ("A", "B", 0.9)], "TrueSkill separates the systems into 2 clusters for quality"),
        ([("A", "B", 0.01), ("A", "C", 0.2)], "Systems by their TrueSkill rank for quality"),
        ([("A", "C", 1.0)], "No clear difference between the systems for quality (TrueSkill)"),
    ],
)
def test_clusters_of_trueskill_are_claimed_as_far_as_tests_go(tests: list[tuple[str, str, float]], said: str) -> None:
    runs = {"settings": {"runs": 200, "steps": 901, "comparisons": 900}}
    rows = [row("trueskill_rank", place, place, place, name, **runs) for place, name in enumerate("ABC", 1)]
    rows += [row("trueskill_cluster", cluster, 1, 1, name) for name, cluster in (("A", 1), ("B", 1), ("C", 2))]
    rows += [row("win_rate", 0.6, 0.4, 0.8, a, b, p_adjusted=p) for a, b, p in tests]
    assert title(trueskill.trueskill_ranks, *rows) == said


def test_clusters_of_rank_sum_tests_are_about_these_raters() -> None:
    def said(correction: str) -> str:
        settings = {"settings": {"values": "z", "correction": correction}}
        rows = [row("cluster_rank_z", place, place, place, name, **settings) for place, name in enumerate("ABC", 1)]
        rows += [row("cluster_z", cluster, 1, 1, name) for name, cluster in (("A", 1), ("B", 2), ("C", 3))]
        return title(clusters.cluster_ranks, *rows)

    start = "For these raters only, one-sided rank-sum tests"
    assert said("none") == f"{start} without correction give 3 clusters for quality"
    assert said("holm") == f"{start} give 3 clusters for quality"


def test_no_rows_draw_nothing() -> None:
    kinds = [pairwise.preferences, ranking_charts.ranked_pairs, ranking_charts.mean_ranks]
    kinds += [magnitude.ratios, magnitude.geometric_means, trueskill.trueskill_ranks]
    assert [drawn(kind) for kind in (*kinds, clusters.cluster_ranks)] == [[]] * 7


# Tables -----------------------------------------------------------------------------------------------


def tables(name: str, rows: Sequence[Row]) -> list[Table]:
    stored = [ResultRow(**{key: asdict(one)[key] for key in COLUMNS}) for one in rows]
    return tables_for(name, stored, 0.05)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text.replace(SPACE, " ") for cell in cells] for cells in table.rows]


def test_tables_of_preferences() -> None:
    pairs, strengths, others = tables("pairwise", rows_of("pairwise", preferences(), "pairwise", Scale.NOMINAL))
    heads = [str(column.label) for column in pairs.columns]
    first = dict(zip(heads, texts(pairs)[0], strict=True))
    assert [first[head] for head in ("Pair", "Comparisons", "Wins", "Losses", "Ties", "Both bad")] == [
        "a over b", "10", "7", "1", "1", "1",
    ]  # fmt: skip
    assert first["Win rate"] == "80 %"
    assert texts(strengths)[0][0] == "a"
    assert any("left" in cells[0] for cells in texts(others))


def test_tables_of_rankings() -> None:
    systems, pairs, strengths, others = tables("ranking", rows_of("ranking", rankings(), "ranking", Scale.ORDINAL))
    means = [float(cells[2]) for cells in texts(systems)]
    assert means == sorted(means)
    assert texts(pairs)[0][0] == "a – b"
    assert {cells[0] for cells in texts(strengths)} == {"a", "b", "c"}
    assert texts(others)[0][0] == "Kendall's W, mean over items"


def test_tables_of_magnitudes_and_trueskill() -> None:
    systems, ratios, _standard = tables("magnitude", rows_of("magnitude", magnitudes(), "magnitude", Scale.RATIO))
    assert texts(systems)[0][0] == "a"
    assert texts(ratios)[0][:3] == ["a / b", "8", "2.00"]
    (ranked,) = tables("trueskill", rows_of("trueskill", magnitudes(), "magnitude", Scale.RATIO))
    assert texts(ranked)[0][:3] == ["a", "1", "1"]
    ranged = tables("magnitude", rows_of("magnitude", magnitudes(), "magnitude", Scale.RATIO, normalisation="range"))
    assert str(ranged[0].caption) == "Magnitudes (range)"


def test_values_before_the_rules_stand_beside_and_empty_columns_go() -> None:
    rows = rows_of("pairwise", preferences(), "pairwise", Scale.NOMINAL)
    stored = [ResultRow(**{key: asdict(one)[key] for key in COLUMNS}) for one in rows]
    stored += [ResultRow(**{**{key: asdict(one)[key] for key in COLUMNS}, "basis": "all"}) for one in rows]
    pairs = tables_for("pairwise", stored, 0.05)[0]
    assert [str(column.label) for column in pairs.columns][-1] == "Win rate before rules"
    assert DASH not in {cells[0] for cells in texts(pairs)}


def test_counts_compared_by_their_ratio_have_no_chart_of_differences_that_says_otherwise() -> None:
    tested = {"p": 0.04, "p_adjusted": 0.04}
    apart = row("difference_crossed", -0.94, -1.86, -0.02, "a", "b", **tested)
    assert title(differences, apart) == "The two systems differ for quality"
    ratio = row("count_ratio_crossed", 0.73, 0.52, 1.01, "a", "b", p=0.057, p_adjusted=0.057)
    assert drawn(differences, apart, ratio) == []
    unknown = replace(ratio, value=None, low=None, high=None, p=None, p_adjusted=None)
    assert drawn(differences, apart, unknown)
