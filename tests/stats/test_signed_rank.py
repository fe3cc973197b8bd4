"""The enumerated signed-rank test equals scipy's permutation of the same statistic."""

import numpy as np
import pytest
from scipy.stats import PermutationMethod, wilcoxon

from analytics_app.stats.comparison.signed_rank import exact_p, tied


@pytest.mark.parametrize("seed", range(12))
def test_equals_scipys_permutation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.integers(-3, 4, rng.integers(2, 10)).astype(float)
    if not differences.any():
        differences[0] = 1.0
    expected = wilcoxon(differences, zero_method="wilcox", method=PermutationMethod(n_resamples=np.inf)).pvalue
    assert exact_p(differences) == pytest.approx(expected, abs=1e-12)


def test_without_ties_it_is_the_table() -> None:
    # Wilcoxon (1945): n = 6, T = 0 has a two-sided probability of 2 / 64.
    assert exact_p([1, 2, 3, 4, 5, 6]) == 2 / 64
    assert wilcoxon([1, 2, 3, 4, 5, 6], method="exact").pvalue == 2 / 64


def test_ties_are_seen() -> None:
    assert tied([2, -2])
    assert tied([0, 1])
    assert not tied([1, -2, 3])


@pytest.mark.parametrize("differences", [[], [0, 0], [1] * 14])
def test_what_cannot_be_enumerated_is_refused(differences: list[float]) -> None:
    with pytest.raises(ValueError, match="enumerated"):
        exact_p(differences)
