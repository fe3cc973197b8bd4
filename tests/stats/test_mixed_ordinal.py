"""Cumulative logit mixed models: figures of R's clmm, gradients, properties, and ratings that have no fit."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from analytics_app.stats.mixed import ordinal as module
from analytics_app.stats.mixed.ordinal import OrdinalComparison, compare_ordinal
from tests.stats import crossed_sets
from tests.stats.crossed_sets import Ratings


def steps() -> Ratings:
    """Return the ratings of documents, rounded to steps from 1 to 5."""
    given = crossed_sets.documents()
    return replace(given, values=np.clip(np.round(given.values), 1, 5), documents=None)


def compared(given: Ratings) -> OrdinalComparison:
    return compare_ordinal(
        given.values, given.systems, given.items, given.raters, n_systems=2, pairs=[(1, 0)], confidence=0.95
    )


def test_figures_of_clmm() -> None:
    # R ordinal 2022.11-16, `clmm(y ~ system + (1|item) + (1|is) + (1|rater) + (1|rs))`.
    found = compared(steps())
    one = found.pairs[0].log_odds
    assert one.value == pytest.approx(0.922739348, abs=1e-4)
    assert (one.se, one.p) == pytest.approx((1.189451502, 0.437885517), rel=1e-4)
    assert (one.low, one.high) == pytest.approx((-1.408543, 3.254022), abs=1e-3)
    expected = {"item": 1.47926350, "system_item": 2.12960802, "rater": 0.20456167, "rater_system": 1.10629120}
    assert {term: sd.value for term, sd in found.sd.items()} == pytest.approx(expected, abs=1e-4)
    assert found.log_likelihood == pytest.approx(-143.58581743, abs=1e-6)


def test_gradients_are_those_of_the_deviance() -> None:
    given = steps()
    model = module._Model(given.values.astype(int) - 1, given.systems, [given.items, given.raters])
    point = np.array([-3.0, 2.0, 1.5, 2.5, 0.7, 1.2, 0.6])
    numeric = approx_fprime(point, lambda x: model.deviance(x)[0], 1e-6)
    assert model.deviance(point)[1] == pytest.approx(numeric, abs=1e-3)


def test_turned_scales_and_other_names_turn_the_sign_only() -> None:
    given = steps()
    one = compared(given).pairs[0]
    rng = np.random.default_rng(2)
    # Steps have no distances: 6 - y, squared, is the same scale from its other end.
    turned = replace(given, values=(6 - given.values) ** 2, raters=rng.permutation(5)[given.raters])
    other = compared(turned.only(rng.permutation(given.values.size))).pairs[0]
    assert one.log_odds.value is not None
    assert other.log_odds.value == pytest.approx(-one.log_odds.value, abs=1e-3)
    assert (other.log_odds.se, other.log_odds.p) == pytest.approx((one.log_odds.se, one.log_odds.p), rel=1e-3)
    assert one.superiority is not None
    assert other.superiority == pytest.approx(1 - one.superiority, abs=1e-4)


def test_superiority_is_that_of_drawn_latent_ratings() -> None:
    rng = np.random.default_rng(6)
    drawn = 0.8 + rng.logistic(size=200_000) - rng.logistic(size=200_000) + 1.5 * rng.normal(size=200_000)
    assert module._superiority(0.8, 1.5) == pytest.approx((drawn > 0).mean(), abs=0.005)
    assert module._superiority(0.0, 1.5) == pytest.approx(0.5)
    # Near 0 a series takes the place of the formula.
    assert module._superiority(0.00999, 0.0) == pytest.approx(module._superiority(0.01001, 0.0), abs=1e-5)


def test_ratings_without_a_fit_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    given = steps()
    same = compared(replace(given, values=np.full(given.values.size, 3.0)))
    assert same.note == same.pairs[0].log_odds.note == "All ratings are the same."
    always = compared(replace(given, values=np.where(given.systems == 1, 5, given.values)))
    assert always.note == "A system always got the lowest or the highest step, so its odds have no limit."
    assert compared(given.only(given.raters > 9)).note == "Nothing was rated."
    monkeypatch.setattr(module, "MOST_GROUPS", 50)
    # 12 items, 24 items of systems, 5 raters, 10 raters of systems.
    assert compared(given).note == "There are more texts and raters than the ordinal model takes."
