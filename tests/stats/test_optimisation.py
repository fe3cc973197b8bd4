"""Minima inside bounds: Rosenbrock's function, points at a bound, and searches that end elsewhere."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from analytics_app.stats import optimisation
from analytics_app.stats.optimisation import minimum


def rosenbrock(x: np.ndarray) -> tuple[float, np.ndarray]:
    return float(rosen(x)), rosen_der(x)


def test_the_minimum_of_rosenbrock() -> None:
    lowest = minimum(rosenbrock, [np.array([-1.2, 1.0])], [(-2, 2), (-2, 2)], tolerance=1e-6)
    assert lowest.converged
    assert lowest.point == pytest.approx([1, 1], abs=1e-6)


def test_a_minimum_at_a_bound_has_a_slope_that_leads_out() -> None:
    lowest = minimum(rosenbrock, [np.array([-1.2, 0.2])], [(-2, 0.5), (-2, 2)], tolerance=1e-6)
    assert lowest.converged
    assert lowest.point == pytest.approx([0.5, 0.25], abs=1e-6)


def test_the_lowest_of_several_minima() -> None:
    def two_valleys(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float((x**4 - 2 * x**2 + 0.3 * x).sum()), 4 * x**3 - 4 * x + 0.3

    starts = [np.array([0.95]), np.array([-1.5])]
    lowest = minimum(two_valleys, starts, [(-2, 2)], tolerance=1e-6)
    assert lowest.point[0] < 0
    assert minimum(two_valleys, starts[:1], [(-2, 2)], tolerance=1e-6).point[0] > 0


def test_the_gradient_decides_and_not_what_the_search_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that stops early counts where it ended at a minimum, and nowhere else."""
    import scipy.optimize

    class Ended:
        success = True
        x = np.array([0.0, 0.0])

    monkeypatch.setattr(scipy.optimize, "minimize", lambda *_args, **_settings: Ended)
    bounds = [(-2, 2), (-2, 2)]
    assert not optimisation.minimum(rosenbrock, [np.zeros(2)], bounds, tolerance=1e-6).converged
    Ended.success, Ended.x = False, np.array([1.0, 1.0])
    assert optimisation.minimum(rosenbrock, [np.zeros(2)], bounds, tolerance=1e-6).converged
