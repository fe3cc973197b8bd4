"""How often tests reject true hypotheses: the simulation of docs/methods/raters-and-items-random.md, smaller."""

import numpy as np
import pytest

from bench.size import CELLS, DIFFERENCE, ISSUE, Cell, Rates, measured, study, true_difference, who_rates_what

SIX_RATERS = Cell("Likert", "all", 30, 6, 0.5)


def test_raters_who_prefer_different_systems() -> None:
    found = measured(SIX_RATERS, 120, np.random.default_rng(20262))
    # 120 studies are within 4 points of what very many would give; the seed is fixed, and so these are.
    assert 1 < found.rejects[0] < 9
    assert 91 < found.covers[0] < 99
    assert found.items_only[0] > 35


@pytest.mark.parametrize("kind", ["Likert", "slider", "labels", "counts", "pairwise"])
def test_the_true_difference_is_that_of_very_many_ratings(kind: str) -> None:
    cell = Cell(kind, "all", 700, 700, 0.3)
    data = study(cell, DIFFERENCE, np.random.default_rng(5))
    if kind == "pairwise":
        value, spread = data.values.mean(), 1.0
    else:
        value = data.values[data.system == 1].mean() - data.values[data.system == 0].mean()
        spread = data.values.std()
    assert value == pytest.approx(true_difference(cell, DIFFERENCE), abs=0.05 * spread)
    # Without a difference of the systems the expectations are equal, and shares are one half.
    assert true_difference(cell, 0.0) == pytest.approx(0.5 if kind == "pairwise" else 0.0, abs=1e-9)


def test_sets_have_twenty_texts_and_three_raters_and_are_uneven() -> None:
    system, item, rater = who_rates_what(Cell("Likert", "sets", 200, 20, 0.3), np.random.default_rng(1))
    texts = item * 2 + system
    assert (np.bincount(texts) == 3).all()
    loads = np.bincount(rater, minlength=20)
    assert (loads % 20 == 0).all()
    assert loads.max() >= 3 * loads.min()


def test_a_cell_fails_only_where_its_monte_carlo_interval_lies_outside() -> None:
    inside, beyond, below = (7.5, 6.0, 9.3), (9.0, 7.4, 10.9), (92.0, 90.2, 93.5)
    nothing = (0.0, 0.0, 0.4)
    assert Rates(inside, below, None, nothing).held
    assert not Rates(beyond, (95.0, 93.5, 96.2), None, nothing).held
    assert not Rates(nothing, (95.0, 93.5, 96.2), None, nothing).held
    assert not Rates(inside, (90.0, 88.0, 91.7), None, nothing).held


def test_there_are_24_cells_with_names_of_their_own_and_the_nine_of_the_first_table() -> None:
    assert len({cell.name for cell in CELLS}) == 24
    assert {cell.kind for cell in CELLS} == {"Likert", "slider", "pairwise", "labels", "counts"}
    assert all(3 <= cell.raters <= 20 and 10 <= cell.items <= 200 and cell.by_rater > 0 for cell in CELLS)
    assert [(cell.raters, cell.by_rater) for cell in ISSUE] == [(n, by) for n in (3, 6, 20) for by in (0, 0.15, 0.3)]
