"""Rows that are about one of several systems say so, however they come to be: they are hidden while a study is open."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analytics_app import charts
from analytics_app.analyses.base import n_systems, of_one_system
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.analytics_app.by_commands import analysed, load
from tests.analytics_app.comparing import Screens, one, rows_of
from tests.house.test_analyses import made, sample, table


def rows(name: str, data: Any, **settings: Any) -> list[Row]:
    return list(made(name, **settings).rows(sample(data, Scale.ORDINAL, name)))


def apart(by: str) -> Any:
    """Ratings of two systems by two raters, whose groups, waves or items go with the system."""
    items = [0, 1, 2, 3] if by == "slice" else [0, 1, 0, 1]
    made = table([1.0, 2.0, 4.0, 5.0] * 2, [0, 0, 1, 1] * 2, items * 2, [0, 0, 1, 1] * 2, grouped=True)
    columns = {
        "group": np.array([0, 0, 1, 1] * 2 if by == "group" else [0] * 8, dtype=np.int32),
        "wave": np.array([1, 1, 2, 2] * 2 if by == "wave" else [1] * 8, dtype=np.int32),
    }
    names = replace(made.names, features={"half": np.array(["a", "a", "b", "b", "", ""], dtype=object)})
    return replace(made, names=names, judgments=replace(made.judgments, **columns))


@pytest.mark.parametrize("by", ["group", "wave", "slice"])
@pytest.mark.parametrize("name", ["distribution", "krippendorff"])
def test_a_part_that_holds_one_system(name: str, by: str) -> None:
    found = rows(name, apart(by), slices=["half"] if by == "slice" else [])
    whole = [row for row in found if getattr(row, by) is None]
    assert whole
    assert not any(row.by_system for row in whole)
    parts = [row for row in found if getattr(row, by) is not None]
    assert len({getattr(row, by) for row in parts}) == 2
    assert all(row.by_system for row in parts)


def test_groups_that_hold_other_systems() -> None:
    made = table([1.0, 2.0, 4.0, 5.0] * 2, [0, 0, 1, 1] * 2, [0, 1, 0, 1] * 2, [0, 1, 1, 2] * 2, grouped=True)
    group = np.array([0, 0, 1, 1] * 2, dtype=np.int32)
    data = replace(made, judgments=replace(made.judgments, group=group, wave=np.ones(8, dtype=np.int32)))
    found = rows("distribution", data)
    assert not any(row.by_system for row in found if row.group is None)
    parts = [row for row in found if row.group is not None]
    assert parts
    assert all(row.by_system for row in parts)
    # Raters of groups that see other systems tell with their means what these are worth.
    assert all(row.by_system for row in rows("raters", data))
    together = replace(data, judgments=replace(data.judgments, group=np.zeros(8, dtype=np.int32)))
    assert not any(row.by_system for row in rows("raters", together))


def test_a_condition_that_leaves_one_system() -> None:
    assert all(row.by_system for row in rows("distribution", apart("slice"), where="half=a"))
    both = [row for row in rows("distribution", apart("group"), where="half=a") if row.group is None]
    assert not any(row.by_system for row in both)


def test_parts_that_hold_both_systems_are_shown() -> None:
    data = table([1.0, 2.0] * 4, [0, 0, 1, 1] * 2, [0, 0, 0, 0, 1, 1, 1, 1], [0, 1] * 4, grouped=True)
    of_groups = [row for row in rows("distribution", data) if row.group is not None and row.wave is None]
    assert of_groups
    assert not any(row.by_system for row in of_groups)


def test_the_second_texts_of_pairs_count() -> None:
    screens = Screens()
    for item in "xy":
        screens.judge(0, screens.unit(item, "a", "b"), {"part": 0, "part_b": 1, "label": "first"})
    assert n_systems(screens.table()) == 2


def test_raters_of_one_system_where_others_have_several() -> None:
    data = table([1.0, 2.0, 3.0], [0, 0, 1], [0, 0, 1], [0, 1, 1])
    assert of_one_system(data).tolist() == [False, True, False, False, False]
    alone = table([1.0, 2.0], [0, 1], [0, 1], [1, 1])
    assert not of_one_system(alone).any()


@pytest.mark.django_db
def test_marks_of_raters_who_saw_one_system(tmp_path: Any) -> None:
    items = [
        {"item": f"i{n}", "system": system, "output": f"{system} text {n}", "source": "s"}
        for n in (1, 2)
        for system in "AB"
    ]
    seen = {"r1": "A", "r2": "AB"}
    ratings = [
        {"rater": rater, "item": f"i{n}", "system": system, "criterion": criterion, **said}
        for rater, systems in seen.items()
        for n in (1, 2)
        for system in systems
        for criterion, said in (
            ("errors", {"severity": "major", "span_side": "output", "span_start": 0, "span_end": 1, "text": system}),
            ("score", {"value": 100}),
        )
    ]
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "esa"}, "k": 2}, items, ratings)
    analysed(tmp_path, {"analysis": "error_spans"})
    from analytics_app.models import ResultRow

    found = ResultRow.objects.filter(analysis="error_spans", rater__isnull=False)
    assert {row.statistic for row in found} >= {"mqm_of_rater", "errors_of_rater", "top_score_grave_error"}
    assert {(row.rater, row.by_system) for row in found} == {("r1", True), ("r2", False)}


@pytest.mark.django_db
def test_labels_of_raters_who_saw_one_system(tmp_path: Any) -> None:
    items = [
        {"item": f"i{n}", "system": system, "output": f"{system} text {n}", "source": "s"}
        for n in (1, 2)
        for system in "AB"
    ]
    ratings = [
        {"rater": rater, "item": f"i{n}", "system": system, "criterion": "error", "label": "V"}
        for rater, systems in {"r1": "A", "r2": "AB"}.items()
        for n in (1, 2)
        for system in systems
    ]
    load(tmp_path, {"type": "error_labels", "k": 2}, items, ratings)
    found = analysed(tmp_path, {"analysis": "error_labels"})
    from analytics_app.models import ResultRow

    stored = ResultRow.objects.filter(analysis="error_labels", statistic="rater_share")
    assert {(row.rater, row.by_system) for row in stored} == {("r1", True), ("r2", False)}
    own = [replace(Row(**row), by_system=row["rater"] == "r1") for row in found if row["analysis"] == "error_labels"]
    drawn = {chart.key: chart for chart in charts.draw_task(own, "main")}
    assert drawn["error-raters"].by_system


def test_whether_systems_differ_is_hidden_as_well() -> None:
    screens = Screens()
    for k in range(4):
        unit = screens.unit(f"i{k}", "a", "b", "c")
        for rater in range(2):
            screens.values(rater, unit, 1.0, 2.0, 3.0)
    found = rows_of("ranking", screens, "ranking", Scale.ORDINAL)
    assert one(found, "friedman_chi2").by_system
