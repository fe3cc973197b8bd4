"""The time that a rater's page says is left."""

from itertools import pairwise

import pytest

from tasks_app.selectors.progress import seconds_per_unit


@pytest.mark.parametrize("own", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("units", [12, 60])
def test_the_time_left_does_not_jump_and_comes_near_to_the_raters_own(own: float, units: int) -> None:
    left = [seconds_per_unit(60, [own] * done, units) * (units - done) for done in range(units)]
    assert left[0] == 60 * units
    steps = [abs(one - other) for one, other in pairwise(left)]
    assert max(steps) <= max(2 * max(60, own), left[0] / 20), "by two units or a twentieth of the whole at most"
    assert seconds_per_unit(60, [own] * 1_000, units) == pytest.approx(own, rel=0.02)


def test_a_unit_that_took_long_counts_little() -> None:
    assert seconds_per_unit(60, [58, 61, 60, 900], 12) == pytest.approx(60, abs=1)
