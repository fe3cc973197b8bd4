"""How often tests of labels, right answers, search results and effects of errors reject true hypotheses, smaller."""

import numpy as np
import pytest

from bench.size_of_answers import CELLS, DIFFERENCE, AnswerCell, answers, measured, true_difference


@pytest.mark.parametrize("kind", ["labels", "counts", "right", "precision"])
def test_the_true_difference_is_that_of_very_many_answers(kind: str) -> None:
    cell = AnswerCell(kind, "all", 500, 500, 0.3)
    data = answers(cell, DIFFERENCE, np.random.default_rng(5))
    level = 0.3 if kind == "right" else data.values[data.system == 0].mean()
    better = data.values if kind == "right" else data.values[data.system == 1]
    assert better.mean() - level == pytest.approx(true_difference(cell, DIFFERENCE), abs=0.05 * data.values.std())
    assert true_difference(cell, 0.0) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    "cell",
    [AnswerCell("labels", "all", 30, 6), AnswerCell("right", "all", 30, 6, 0.7), AnswerCell("errors", "all", 30, 6)],
)
def test_tests_for_further_raters_reject_less_often_than_those_over_texts(cell: AnswerCell) -> None:
    found = measured(cell, 80, np.random.default_rng(20262))
    # The seed is fixed, and so are these.
    assert found.rejects[0] < 10
    assert found.covers[0] > 90
    assert found.items_only[0] > found.rejects[0] + 3


def test_cells_have_names_of_their_own() -> None:
    assert len(set(CELLS)) == len(CELLS)
    assert {cell.kind for cell in CELLS} == {"labels", "counts", "right", "precision", "errors"}
