"""How often intervals of small studies hold the true value: the simulation of docs/methods/intervals.md, smaller."""

from argparse import Namespace

import numpy as np
import pytest

from bench.coverage import KINDS, held

STUDIES = Namespace(studies=300, resamples=300, many=40_000)


@pytest.mark.parametrize("name", ["mean", "alpha, ordinal", "alpha, interval", "ICC1"])
def test_ten_items_and_four_raters(name: str) -> None:
    kind = next(one for one in KINDS if one.name == name)
    said, _true = held(kind, 10, 4, STUDIES, np.random.default_rng(20151))
    *before, now = (float(one) for one in said.split(" → "))
    # 300 studies are within 2.5 points of what very many would give; the seed is fixed, and so these are.
    assert 92.5 <= now <= 97.5
    assert all(share < now - 2 for share in before)
    assert len(before) == kind.bootstrap
