"""Charts of many scales together: profiles, factors, affect over time, answers."""

import numpy as np
import pytest

from analytics_app import charts
from analytics_app.analyses.base import QuestionCriterion
from analytics_app.charts.paints import LINES
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.scales import (
    PAIRS,
    SYSTEMS,
    moods,
    pairs,
    panas_table,
    rows_of,
    sample,
    semantic,
    table,
    words,
)
from tests.look.test_css import DARK, LIGHT, contrast


def panas(answers: np.ndarray, columns: dict[str, list[int]]) -> list[Row]:
    """Return the rows of PANAS for answers in waves."""
    return rows_of("panas", sample("panas", panas_table(answers, columns), words(), instrument="panas"))


def drawn(rows: list[Row]) -> dict[str, charts.Drawn]:
    return {one.key: one for one in charts.draw_task(rows, "main")}


def test_what_is_drawn_of_pairs() -> None:
    factors = rows_of("factors", sample("factors", semantic(), pairs()))
    profile = rows_of("semantic_profile", sample("semantic_profile", semantic(), pairs()))
    found = drawn([*factors, *profile])
    assert list(found) == ["profile", "factor-scores", "scree", "loadings"]
    assert are_rendered(found.values())
    assert found["scree"].title == "2 factors stand above random data"
    assert not found["scree"].by_system
    assert found["profile"].by_system
    assert found["factor-scores"].by_system
    # Lines are lines, not areas.
    assert 'fill="none"' in found["profile"].svg
    _columns, numbers = charts.numbers(found["profile"].spec)
    assert len(numbers) == len(PAIRS) * len(SYSTEMS)
    _columns, cells = charts.numbers(found["loadings"].spec)
    assert [cell[0] for cell in cells[::2]][:3] != [cell[0] for cell in cells[::2]][3:]


def test_what_is_drawn_of_affect() -> None:
    found = drawn(panas(*moods(60, 3, rise=0.4)))
    assert list(found) == ["affect"]
    assert are_rendered(found.values())
    assert (
        found["affect"].title == "At wave 3, positive affect was higher in messages than in diary (adjusted for wave 1)"
    )
    still = drawn(panas(*moods(60, 3)))
    assert still["affect"].title == "No clear difference between groups in how affect changed, wave 1 to wave 3"
    answers, columns = moods(40, 1)
    once = drawn(panas(answers, columns))
    assert once["affect"].title == "Positive and negative affect by group"


def test_nothing_is_drawn_of_what_was_refused() -> None:
    few = rows_of("factors", sample("factors", semantic(raters=9), pairs()))
    assert drawn(few) == {}


def test_what_is_drawn_of_answers() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(1, 6, (30, 3)).astype(float)
    data = table(values, rater=list(range(30)), item=[0] * 30, system=[-1] * 30, criteria=["a", "b", "c"])
    steps = (1.0, 2.0, 3.0, 4.0, 5.0)
    asked = tuple(QuestionCriterion(key, f"Question {key}", Scale.ORDINAL, 0, steps, (1.0, 5.0)) for key in "abc")
    found = drawn(rows_of("questions", sample("questions", data, asked)))
    assert list(found) == ["answers"]
    assert "Question a" in found["answers"].svg
    assert found["answers"].narrow


@pytest.mark.parametrize("colour", LINES)
def test_lines_stand_out_on_light_and_on_dark(colour: str) -> None:
    assert contrast(colour, LIGHT["ground"]) >= 3
    assert contrast(colour, DARK["ground"]) >= 3
