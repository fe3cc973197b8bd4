"""People against metrics: the points of the chart against means written out, and what is said of them."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics_app import charts
from analytics_app.charts.words import SPACE, bare
from analytics_app.models import Plot
from analytics_app.results import Row
from tests.analytics_app.by_commands import analysed, load, one, score, write

RNG = np.random.default_rng(5)
N_ITEMS, SYSTEMS = 10, ("A", "B", "C", "D")
HUMAN = np.round(np.clip(RNG.normal([30, 45, 60, 80], 8, (N_ITEMS, 4)), 0, 100))
CLOSE = HUMAN / 100 + RNG.normal(0, 0.03, HUMAN.shape)
# Lower is better; two texts were not scored.
TER = 1 - HUMAN / 100 + RNG.normal(0, 0.05, HUMAN.shape)
UNSCORED = {(0, 0), (3, 2)}


def cells(**columns: Any) -> list[dict[str, object]]:
    return [
        {"item": f"i{i}", "system": system, **{name: float(matrix[i, s]) for name, matrix in columns.items()}}
        for i in range(N_ITEMS)
        for s, system in enumerate(SYSTEMS)
    ]


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    """Two raters who differ by two points, and two metrics."""
    items = [{**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"} for row in cells()]
    ratings = [{"rater": "r1", **row} for row in cells(value=np.clip(HUMAN - 1, 0, 100))]
    ratings += [{"rater": "r2", **row} for row in cells(value=np.clip(HUMAN + 1, 0, 100))]
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 2}
    load(tmp_path, task, items, ratings, criteria=[criterion])
    score(write(tmp_path / "close.csv", cells(close=CLOSE)), "close")
    missing = {(f"i{i}", SYSTEMS[s]) for i, s in UNSCORED}
    scored = [row for row in cells(TER=TER) if (row["item"], row["system"]) not in missing]
    score(write(tmp_path / "ter.csv", scored), "TER")
    return analysed(tmp_path, {"analysis": "metrics", "lower_is_better": ["TER"]})


def expected() -> dict[tuple[str, str], tuple[float, float, int]]:
    """Return the metric's mean, people's mean and the number of texts, by metric and system."""
    found = {}
    people = (np.clip(HUMAN - 1, 0, 100) + np.clip(HUMAN + 1, 0, 100)) / 2
    for metric, matrix in (("close", CLOSE), ("TER", TER)):
        for s, system in enumerate(SYSTEMS):
            there = [i for i in range(N_ITEMS) if metric == "close" or (i, s) not in UNSCORED]
            found[metric, system] = (
                float(np.mean([matrix[i, s] for i in there])),
                float(np.mean([people[i, s] for i in there])),
                len(there),
            )
    return found


@pytest.mark.django_db
@pytest.mark.charts
def test_points_are_the_means_of_the_texts_that_both_judged(rows: list[dict[str, Any]]) -> None:
    plot = Plot.objects.get(key__endswith="/metrics-against-people")
    columns, numbers = charts.numbers(plot.spec)
    assert [head for _field, head in columns] == [
        "Metric", "System", "Mean metric score", "Mean human rating for Quality", "Items",
    ]  # fmt: skip
    right = expected()
    assert {(row[0], row[1]): tuple(row[2:]) for row in numbers} == {
        key: (pytest.approx(metric), pytest.approx(people), n) for key, (metric, people, n) in right.items()
    }
    for metric, sign in (("close", 1), ("TER", -1)):
        x, y = (np.array([right[metric, system][place] for system in SYSTEMS]) for place in (0, 1))
        r = one(rows, "metric_pearson_systems", criterion="quality", metric=metric)
        assert r["value"] == pytest.approx(sign * np.corrcoef(x, y)[0, 1])
        ends = f"({bare(r['low'])} to {bare(r['high'])})"
        assert f"{metric}: r = {bare(r['value'])} {ends}" in words_of(plot.svg)
    assert plot.by_system
    best = max(
        ("close", "TER"),
        key=lambda name: one(rows, "metric_pearson_systems", criterion="quality", metric=name)["value"],
    )
    assert plot.title.startswith(f"{best} correlates with human ratings over these 4 systems (r = ")


def words_of(drawing: str) -> set[str]:
    return {"".join(text.itertext()) for text in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")}


def made(n: int, *, low: float | None, turned: bool = False) -> list[Row]:
    """Make the rows of one metric on n systems, the better ones first."""
    place: dict[str, Any] = {"analysis": "metrics", "task": "main", "criterion": "fluency", "by_system": True}
    place["metric"] = "chrF"
    said = {"sign": "turned" if turned else "as it is"}
    means = [
        Row(**place, statistic="metric_human_mean", system=f"s{k}", value=90.0 - k, n_items=9,
            settings={**said, "mean_of_metric": 0.1 * (k if turned else n - k)})
        for k in range(n)
    ]  # fmt: skip
    r = {"value": 0.5, "low": low, "high": None if low is None else 0.9, "n_ratings": n, "n_items": 9}
    return [Row(**place, statistic="metric_pearson_systems", **r), *means]


def drawn(rows: list[Row]) -> charts.Drawn:
    found = {one.key: one for one in charts.draw(rows, "main", "fluency", name="Fluency")}
    one_drawn = found["metrics-against-people"]
    return replace(one_drawn, subtitle=one_drawn.subtitle.replace(SPACE, " "))


def test_a_title_claims_what_the_interval_supports() -> None:
    assert drawn(made(4, low=-0.2)).title == (
        "chrF has the highest correlation with human ratings (r = .50), but its interval includes 0"
    )
    assert drawn(made(4, low=None)).title == (
        "Systems by human rating and by metric; highest correlation: chrF (r = .50)"
    )
    assert drawn(made(4, low=0.1)).title == "chrF correlates with human ratings over these 4 systems (r = .50)"
    negative = [replace(row, value=-0.5, high=-0.2) for row in made(4, low=-0.8)[:1]]
    assert drawn([*negative, *made(4, low=None)[1:]]).title.endswith("(r = −.50), and even that is negative")


@pytest.mark.parametrize("turned", [False, True])
def test_better_is_to_the_right_and_many_systems_have_numbers(turned: bool) -> None:
    one_drawn = drawn(made(12, low=0.1, turned=turned))
    across = {}
    for text in ET.fromstring(one_drawn.svg).iter("{http://www.w3.org/2000/svg}text"):
        place = re.match(r"translate\(([\d.]+),", text.attrib.get("transform", ""))
        if text.text in {"1", "9"} and place:
            across[text.text] = float(place[1])
    assert across["1"] > across["9"]
    assert "1 s0, 2 s1," in one_drawn.subtitle
    assert "12 s11." in one_drawn.subtitle
