"""The interaction of system and feature: does the difference of two systems depend on a property of the output?"""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Estimate, checked_codes, checked_values, rated

# With fewer clusters than this, cluster-robust standard errors tend to be too small.
CLUSTERS_NEEDED = 30

# The fewest items of a cell: one item could be unusual.
LEAST_IN_CELL = 2

EMPTY_CELL = "Both systems need outputs of at least two {unit} with this value and of two without it."
NO_SPREAD = "The means of outputs do not vary within the cells, so there is no interval and no test."
FEW_CLUSTERS = "Fewer than {n} {unit}: the interval may be too narrow and p too small."


def difference_of_differences(
    values: ArrayLike,
    system: ArrayLike,
    has_feature: ArrayLike,
    clusters: ArrayLike,
    *,
    confidence: float,
    unit: str = "items",
) -> Estimate:
    """Estimate the difference of two systems on outputs with a feature minus that on outputs without it.

    Ordinary least squares with a mean for each of the four cells (system by feature) and standard errors that are
    robust to dependence within clusters [1]_, as the outputs of one item are dependent.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Mean rating of an output, NaN = not rated.
    system : array_like of int, shape (n,)
        0 for the first system, 1 for the second.
    has_feature : array_like of int, shape (n,)
        1 for outputs with the feature, else 0.
    clusters : array_like of int, shape (n,)
        Codes from 0 of the items or documents.
    confidence : float
    unit : str
        The name of clusters in notes.

    Returns
    -------
    Estimate
        `value` is (first - second, with the feature) - (first - second, without). `df` is the number of clusters minus
        one, `n_items` that of clusters. No value where a cell has outputs of fewer than two clusters; no interval and
        no p where means do not vary within cells.

    Raises
    ------
    ValueError
        Wrong shapes or codes.

    Notes
    -----
    statsmodels' `cov_type="cluster"` with its correction for few clusters, and t with G - 1 degrees of freedom.

    References
    ----------
    .. [1] A. C. Cameron and D. L. Miller (2015). A practitioner's guide to cluster-robust inference. Journal of Human
       Resources 50(2), 317-372.

    Examples
    --------
    >>> contrast = difference_of_differences(
    ...     [5, 4, 2, 1, 3, 2, 3, 4], [0, 0, 1, 1, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 2, 3, 2, 3],
    ...     confidence=0.95,
    ... )
    >>> contrast.value, contrast.df
    (4.0, 3.0)
    """
    import statsmodels.api as sm  # noqa: PLC0415  slow to import

    all_values = checked_values(values)
    checked_codes(system, all_values.size, below=2)
    checked_codes(has_feature, all_values.size, below=2)
    number, (second, feature, cluster) = rated(all_values, system, has_feature, clusters)
    cell = 2 * second + feature
    of_cells = [cluster[cell == code] for code in range(4)]
    n_clusters = len(np.unique(cluster))
    if min(len(np.unique(codes)) for codes in of_cells) < LEAST_IN_CELL:
        return Estimate(None, n_items=n_clusters, note=EMPTY_CELL.format(unit=unit))
    design = (cell[:, None] == np.arange(4)).astype(float)
    # Cells: first without, first with, second without, second with.
    contrast = np.array([-1.0, 1.0, 1.0, -1.0])
    fitted = sm.OLS(number, design).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    tested = fitted.t_test(contrast)
    value, se = float(tested.effect[0]), float(tested.sd.item())
    if not np.isfinite(se) or se <= 1e-9 * max(1.0, float(np.abs(number).max())):
        return Estimate(value, n_items=n_clusters, note=NO_SPREAD)
    low, high = (float(limit) for limit in tested.conf_int(alpha=1 - confidence)[0])
    few = FEW_CLUSTERS.format(n=CLUSTERS_NEEDED, unit=unit) if n_clusters < CLUSTERS_NEEDED else None
    p = float(tested.pvalue.item())
    return Estimate(value, low=low, high=high, se=se, df=n_clusters - 1, p=p, n_items=n_clusters, note=few)
