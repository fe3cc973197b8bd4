"""Two independent groups compared by the categories that they chose."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.comparison.change import ALL_ALIKE
from analytics_app.stats.values import Estimate

# Below this expected count the chi-squared distribution is a poor approximation (Cochran 1954).
LEAST_EXPECTED = 5


@dataclass(frozen=True, slots=True)
class Association:
    """How far two groups differ in categories: Cramér's V with p, the name of the test, and chi-squared where used."""

    estimate: Estimate
    test: str
    chi2: float | None = None


def association(counts: ArrayLike, *, n_permutations: int, rng: np.random.Generator) -> Association:
    """Test whether groups chose categories alike, by chi-squared or, with small expected counts, Fisher's exact test.

    Pearson's chi-squared has no continuity correction. Where an expected count is below 5 [1]_, p is that of Fisher's
    test: exact for two categories, otherwise from random tables with the same margins (Freeman and Halton [2]_).

    Parameters
    ----------
    counts : array_like of int, shape (2, n_categories)
        Categories that nobody chose are left out.
    n_permutations : int
        Random tables.
    rng : numpy.random.Generator

    Returns
    -------
    Association
        `estimate` is Cramér's V, 0 to 1, without limits; undefined where a group is empty or one category is left.

    References
    ----------
    .. [1] W. G. Cochran (1954). Some methods for strengthening the common chi-squared tests. Biometrics 10(4), 417-451.
    .. [2] G. H. Freeman and J. H. Halton (1951). Note on an exact treatment of contingency, goodness of fit and other
       problems of significance. Biometrika 38, 141-149.

    Examples
    --------
    >>> found = association([[20, 10], [12, 18]], n_permutations=99, rng=np.random.default_rng(1))
    >>> found.test, round(found.chi2, 3), round(found.estimate.value, 3)
    ('chi-squared', 4.286, 0.267)
    """
    table: NDArray[np.int64] = np.asarray(counts, dtype=np.int64)
    if table.ndim != 2 or len(table) != 2 or (table < 0).any():
        raise ValueError("Counts are of two groups, and none is below 0.")
    table = table[:, table.sum(axis=0) > 0]
    n = int(table.sum())
    if (table.sum(axis=1) == 0).any():
        return Association(Estimate(None, n_raters=n, note="A group has no answers."), "none")
    if table.shape[1] < 2:
        return Association(Estimate(None, n_raters=n, note=ALL_ALIKE), "none")
    # Lazy import: scipy.stats takes a second to load, and only a test needs it.
    from scipy.stats import MonteCarloMethod, chi2_contingency, fisher_exact  # noqa: PLC0415

    result = chi2_contingency(table, correction=False)
    chi2, df = float(result.statistic), float(result.dof)
    v = float(np.sqrt(chi2 / n))
    if result.expected_freq.min() >= LEAST_EXPECTED:
        return Association(Estimate(v, df=df, p=float(result.pvalue), n_raters=n), "chi-squared", chi2)
    if table.shape[1] == 2:
        return Association(Estimate(v, p=float(fisher_exact(table).pvalue), n_raters=n), "Fisher's exact")
    drawn = fisher_exact(table, method=MonteCarloMethod(n_resamples=n_permutations, rng=rng))
    return Association(Estimate(v, p=float(drawn.pvalue), n_raters=n), "Fisher's exact, random tables")
