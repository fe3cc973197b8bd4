"""The sign-flip permutation test of paired differences, for many pairs at once."""

from math import floor

import numpy as np

from analytics_app.stats.values import Floats

# Most flips that are drawn at a time, a bit each. The numbers drawn depend on it.
_CELLS = 2**22
# Most flips that are summed at a time, 8 bytes each.
_SUMMED = 2**20
# Sums that differ by less than this share of the sum of absolute differences count as equal.
_TIE = 1e-11


def sign_flip_p(differences: Floats, n_permutations: int, rng: np.random.Generator) -> list[float | None]:
    """Two-sided p values of the sums of differences, under flips of their signs.

    Parameters
    ----------
    differences : ndarray of float, shape (n_units, n_pairs)
        0 where a unit has no difference.
    n_permutations : int
        Random flips, at least 1. If a pair's non-zero differences have no more flips than this, all of them are
        enumerated instead and p is exact.
    rng : numpy.random.Generator

    Returns
    -------
    list of float, length n_pairs
        (b + 1) / (B + 1) with b of B random flips at least as far from zero as the observed sum, or the exact share
        (the observed one is among all). 1 where all differences are zero.

    References
    ----------
    .. [1] B. Phipson and G. K. Smyth (2010). Permutation p-values should never be zero. SAGMB 9(1), 39.

    Examples
    --------
    >>> sign_flip_p(np.array([[1.0, 1.0], [2.0, -1.0], [3.0, 0.0]]), 999, np.random.default_rng(1))
    [0.25, 1.0]
    """
    p_values: list[float | None] = []
    sampled = []
    for k, column in enumerate(differences.T):
        nonzero = column[column != 0]
        if nonzero.size <= 1:
            p_values.append(1.0)
        elif 2**nonzero.size <= n_permutations:
            p_values.append(_exact(nonzero))
        else:
            p_values.append(None)
            sampled.append(k)
    if sampled:
        for k, p in zip(sampled, _random(differences[:, sampled], n_permutations, rng), strict=True):
            p_values[k] = float(p)
    return p_values


def permutations_needed(n_tests: int, correction: str, alpha: float) -> int:
    """Return the fewest random flips with which a test of a family can have an adjusted p below alpha.

    The least p of B flips is 1 / (B + 1) (see `sign_flip_p`). Step-down and single-step methods multiply the least p of
    a family by the number of its tests, or compare it with 1 - (1 - alpha)^(1/n_tests); the others let all tests be
    significant at alpha together.

    Examples
    --------
    >>> permutations_needed(210, "holm", 0.05), permutations_needed(210, "fdr_bh", 0.05)
    (4200, 20)
    """
    if correction in {"sidak", "holm-sidak"}:
        level = 1 - (1 - alpha) ** (1 / max(n_tests, 1))
    elif correction in {"holm", "bonferroni"}:
        level = alpha / max(n_tests, 1)
    else:
        level = alpha
    # B + 1 > 1 / level; rounded, so that an error of a float does not add a flip.
    return int(max(1, floor(round(1 / level, 6))))


def _exact(differences: Floats) -> float:
    # The first sign is fixed: the other half of the flips has the same sums with the opposite sign.
    sums = differences[:1]
    for difference in differences[1:]:
        sums = np.concatenate([sums + difference, sums - difference])
    threshold = abs(differences.sum()) - _TIE * np.abs(differences).sum()
    return float((np.abs(sums) >= threshold).mean())


def _random(differences: Floats, n_permutations: int, rng: np.random.Generator) -> Floats:
    observed = differences.sum(axis=0)
    threshold = np.abs(observed) - _TIE * np.abs(differences).sum(axis=0)
    n_units = len(differences)
    rows = max(1, _CELLS // n_units)
    extreme = np.zeros(differences.shape[1])
    for start in range(0, n_permutations, rows):
        height = min(rows, n_permutations - start)
        # One random bit per sign.
        packed = rng.integers(256, size=(height, -(-n_units // 8)), dtype=np.uint8)
        step = max(1, _SUMMED // n_units)
        for begin in range(0, height, step):
            bits = np.unpackbits(packed[begin : begin + step], axis=1, count=n_units).astype(np.float64)
            extreme += (np.abs(2 * (bits @ differences) - observed) >= threshold).sum(axis=0)
    p: Floats = (extreme + 1) / (n_permutations + 1)
    return p
