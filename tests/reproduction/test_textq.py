"""Macketanz et al. (2022), the semantic differential of machine translation: the test of fit that the paper prints.

HumEval 2022. No ratings are published, so nothing else can be computed anew: the pure function is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from analytics_app.stats.factor import chi2_p, degrees_of_freedom, most_factors
from tests.reproduction.published import expected

SET = "textq"
CHI2, SCALES, FACTORS = 2.06, 8, 4


@pytest.mark.parametrize(("name", "figure"), expected(SET, lambda key: key == "efa_df"))
def test_degrees_of_freedom(name: str, figure: Mapping[str, Any]) -> None:
    assert degrees_of_freedom(SCALES, FACTORS) == figure["value"], name
    assert most_factors(SCALES) == FACTORS


@pytest.mark.parametrize(("name", "figure"), expected(SET, lambda key: key == "efa_p"))
def test_p_of_fit(name: str, figure: Mapping[str, Any]) -> None:
    assert chi2_p(CHI2, figure_df()) == pytest.approx(figure["value"], abs=figure["tolerance"]), name
    assert round(chi2_p(CHI2, figure_df()), 2) == figure["paper"]


def figure_df() -> int:
    return degrees_of_freedom(SCALES, FACTORS)
