"""The control score of KEOPS before its penalties, beside its own formula."""

import numpy as np
import pytest

from analytics_app.stats.quality.control_score import control_scores


def as_keops_writes_it(controls: int, wrong: int) -> float:
    """Return `round((($control - $wrong) * 10) / $control, 2)` of tasks/task_close.php."""
    return round(((controls - wrong) * 10) / controls, 2)


def test_it_is_the_formula_of_keops() -> None:
    rng = np.random.default_rng(11)
    checked, repeated = rng.integers(0, 4, 60), rng.integers(0, 4, 40)
    right, points = rng.random(60) < 0.8, rng.integers(0, 25, 40)
    found = control_scores(checked, right, repeated, points / 100, n_raters=5)
    assert found.raters.tolist() == [0, 1, 2, 3], "the last rater has no control"
    for rater, score, n in zip(found.raters, found.scores, found.controls, strict=True):
        controls = int((checked == rater).sum() + (repeated == rater).sum())
        wrong = int((~right[checked == rater]).sum() + (points[repeated == rater] > 10).sum())
        assert (round(float(score), 2), n) == (as_keops_writes_it(controls, wrong), controls)


def test_nobody_has_a_score_without_controls() -> None:
    found = control_scores([], [], [], [], n_raters=3)
    assert (found.raters.tolist(), found.scores.tolist()) == ([], [])


@pytest.mark.parametrize(
    ("checked", "right", "repeated", "differences", "problem"),
    [([0], [], [], [], "a rater and a result"), ([], [], [0], [-0.1], "cannot be negative")],
)
def test_what_makes_no_sense_is_refused(
    checked: list[int], right: list[bool], repeated: list[int], differences: list[float], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        control_scores(checked, right, repeated, differences, n_raters=1)
