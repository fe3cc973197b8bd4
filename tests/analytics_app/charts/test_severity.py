"""Charts of severity, against differences written out from the ratings one by one."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from analytics_app import charts
from analytics_app.analyses.base import Common, Question, Sample
from analytics_app.charts.words import SPACE
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import made, table

N_ITEMS, SYSTEMS = 6, 2


def rating(rater: int, text: int) -> float:
    """Every seventh rater is mild, every eleventh harsh, and all of them waver."""
    noise = ((rater * 7 + text * 5 + rater * text) % 5 - 2) / 4
    return 50 + 3 * text + 9 * noise + (20 if rater % 7 == 3 else -30 if rater % 11 == 5 else 0)


def rows_of(n_raters: int) -> list[Row]:
    """Return the rows of ratings by some raters of every text."""
    every = [(rater, item, system) for rater in range(n_raters) for item in range(N_ITEMS) for system in range(SYSTEMS)]
    raters, items, systems = (list(one) for one in zip(*every, strict=True))
    data = table([rating(rater, item * SYSTEMS + system) for rater, item, system in every], raters, items, systems)
    names = tuple(f"R-{number:03}" for number in range(n_raters))
    data = replace(data, names=replace(data.names, raters=names, rater_ids=np.arange(n_raters)))
    question = Question("main", "slider", Scale.INTERVAL, "fluency", limits=(0.0, 100.0))
    sample = Sample(data, data.z(), question, Common(seed=1), "kept")
    return list(made("with_rest").rows(sample))


def expected(n_raters: int) -> dict[str, tuple[float, float]]:
    """Work out each rater's difference and its p over items, the slow way."""
    found = {}
    for rater in range(n_raters):
        by_item = []
        for item in range(N_ITEMS):
            apart = [
                rating(rater, text) - np.mean([rating(other, text) for other in range(n_raters) if other != rater])
                for text in range(item * SYSTEMS, (item + 1) * SYSTEMS)
            ]
            by_item.append(np.mean(apart))
        found[f"R-{rater:03}"] = (float(np.mean(by_item)), float(ttest_1samp(by_item, 0).pvalue))
    return found


def drawn(n_raters: int) -> dict[str, charts.Drawn]:
    return {one.key: one for one in charts.draw(rows_of(n_raters), "main", "fluency", name="Fluency")}


def significant(found: dict[str, tuple[float, float]]) -> tuple[int, int]:
    """Count the raters above and below the others after Holm's correction."""
    clear = multipletests([p for _difference, p in found.values()], method="holm")[0]
    signs = [np.sign(difference) for (difference, _p), one in zip(found.values(), clear, strict=True) if one]
    return signs.count(1), signs.count(-1)


def test_raters_stand_by_how_far_they_are_from_the_others() -> None:
    found, right = drawn(12), expected(12)
    assert "severity-of-all" not in found
    one = found["severity"]
    columns, numbers = charts.numbers(one.spec)
    assert [head for _field, head in columns] == ["Rater", "Difference", "Low", "High", "Items"]
    order = sorted(right, key=lambda rater: -right[rater][0])
    assert [(row[0], row[4]) for row in numbers] == [(rater, N_ITEMS) for rater in order]
    assert [row[1] for row in numbers] == pytest.approx([right[rater][0] for rater in order])
    assert all(row[2] < row[1] < row[3] for row in numbers)
    higher, lower = significant(right)
    assert min(higher, lower) > 0
    assert one.title == (
        f"Of 12 raters tested, {higher} {'rates' if higher == 1 else 'rate'} Fluency significantly higher than the "
        f"other raters of the same texts and {lower} significantly lower"
    )
    assert "95 % t interval over items. p: Student's t, Holm for all raters." in one.subtitle.replace(SPACE, " ")
    assert not one.by_system


def test_of_many_raters_the_ends_are_named_and_all_are_counted() -> None:
    found, right = drawn(120), expected(120)
    order = sorted(right, key=lambda rater: -right[rater][0])
    numbers = charts.numbers(found["severity"].spec)[1]
    shown = {row[0]: row[1] for row in numbers}
    assert len(shown) == 20
    # Raters may share a value, so that any of them may stand at an end.
    assert sorted(shown.values(), reverse=True) == pytest.approx(
        [right[rater][0] for rater in (*order[:10], *order[-10:])]
    )
    assert "the 10 highest and the 10 lowest of 120 raters" in found["severity"].subtitle
    bins = charts.numbers(found["severity-of-all"].spec)[1]
    assert sum(n for _range, n in bins) == 120
    values = np.array([difference for difference, _p in right.values()])
    assert [n for _range, n in bins] == np.histogram(values, bins=16)[0].tolist()
    low, high = np.quantile(values, [0.25, 0.75])
    ends = [f"{value:+.1f}".replace("-", "−") for value in (low, high)]
    title = f"The middle half of the raters differ from the others by {ends[0]} to {ends[1]} for Fluency"
    assert found["severity-of-all"].title == title


def test_without_a_test_nobody_is_called_higher() -> None:
    rows = [replace(row, p=None, p_adjusted=None, low=None, high=None) for row in rows_of(5)]
    one = {one.key: one for one in charts.draw(rows, "main", "fluency", name="Fluency")}["severity"]
    assert one.title == "How far raters are from the others for Fluency"


def test_on_a_narrow_scale_every_bar_has_a_width() -> None:
    rows = [replace(row, value=row.value and row.value / 100) for row in rows_of(120)]
    found = {one.key: one for one in charts.draw(rows, "main", "fluency", name="Fluency")}
    bars = [str(name) for name, _n in charts.numbers(found["severity-of-all"].spec)[1]]
    ends = [[float(end) for end in re.findall(r"-?\d+\.\d+", bar.replace("–", " "))] for bar in bars]
    assert len(ends) == 16
    assert all(low < high for low, high in ends)


def test_raters_whom_the_others_predict_worst_come_first() -> None:
    n_raters, texts = 25, range(N_ITEMS * SYSTEMS)
    found = drawn(n_raters)["prediction"]
    errors = {}
    for rater in range(n_raters):
        others = [other for other in range(n_raters) if other != rater]
        apart = [rating(rater, text) - np.mean([rating(other, text) for other in others]) for text in texts]
        errors[f"R-{rater:03}"] = float(np.mean(np.abs(apart)))
    columns, numbers = charts.numbers(found.spec)
    assert [head for _field, head in columns] == ["Rater", "Mean absolute error", "Ratings"]
    assert [row[1] for row in numbers] == pytest.approx(sorted(errors.values(), reverse=True)[:20])
    assert {row[2] for row in numbers} == {len(texts)}
    mean = f"{np.mean(list(errors.values())):.1f}"
    assert (
        found.title == f"The mean of the other raters predicts a rating of Fluency with a mean absolute error of {mean}"
    )
    assert "the 20 largest of 25 raters" in found.subtitle
    assert "95 % interval over items (for further texts, by these raters):" in found.subtitle.replace(SPACE, " ")
