"""Composite scores: several scores of the same texts as one."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Floats, checked_values

How = Literal["all", "any", "mean", "product", "share"]
Sign = Literal[">=", "<=", "="]

# A class is a number that a file may give with rounding.
_SAME = 1e-9


def passed(values: ArrayLike, sign: Sign, limit: float) -> Floats:
    """Return which scores pass a limit, or are a class.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN where there is no score.
    sign : {">=", "<=", "="}
    limit : float

    Returns
    -------
    ndarray of float, shape (n,)
        1 if passed, 0 if not, NaN where there is no score.

    Examples
    --------
    >>> passed([0.2, 0.5, np.nan], ">=", 0.5)
    array([ 0.,  1., nan])
    """
    if sign not in get_args(Sign):
        raise ValueError(f"The sign is one of {', '.join(get_args(Sign))}, not {sign!r}.")
    numbers = checked_values(values)
    if sign == "=":
        right = np.abs(numbers - limit) <= _SAME * max(1.0, abs(limit))
    else:
        right = numbers >= limit if sign == ">=" else numbers <= limit
    return np.where(np.isnan(numbers), np.nan, right.astype(np.float64))


def combined(parts: ArrayLike, how: How) -> Floats:
    """Combine several scores of each text into one, as De Mattei et al. [1]_ combine classifiers.

    They count a headline as compliant if the classifier of the newspaper and the one that says whether headline and
    article match both accept it, which is `all`. Logacheva et al. [2]_ multiply the scores of style, content and
    fluency, which is `product`.

    Parameters
    ----------
    parts : array_like of float, shape (n_parts, n)
        NaN where there is no score. For `all`, `any` and `share`, 1 if a part is passed and 0 if not.
    how : {"all", "any", "mean", "product", "share"}
        `share` is the share of the parts that are passed.

    Returns
    -------
    ndarray of float, shape (n,)
        NaN where any part is missing.

    Raises
    ------
    ValueError
        There is no part, or a part that should be passed or not is neither 0 nor 1.

    References
    ----------
    .. [1] L. De Mattei, M. Cafagna, F. Dell'Orletta and M. Nissim (2020). Invisible to people but not to machines:
       evaluation of style-aware headline generation in absence of reliable human judgment. LREC, 6709-6717.
    .. [2] V. Logacheva et al. (2022). A study on manual and automatic evaluation for text style transfer: the case of
       detoxification. HumEval, 90-101.

    Examples
    --------
    >>> combined([[1, 1, 0], [1, 0, np.nan]], "all")
    array([ 1.,  0., nan])
    >>> combined([[0.5, 0.2], [0.5, 1.0]], "product")
    array([0.25, 0.2 ])
    """
    if how not in get_args(How):
        raise ValueError(f"Parts combine by one of {', '.join(get_args(How))}, not {how!r}.")
    table = np.asarray(parts, dtype=np.float64)
    if table.ndim != 2 or not len(table):
        raise ValueError(f"Parts are scores by texts, with one part at least, not of shape {table.shape}.")
    checked_values(table.ravel())
    if how in {"all", "any", "share"} and not np.isin(table[~np.isnan(table)], (0.0, 1.0)).all():
        raise ValueError(f"With {how!r} each part is passed (1) or not (0).")
    missing = np.isnan(table).any(axis=0)
    known = np.where(missing, 0.0, table)
    if how == "product":
        result = known.prod(axis=0)
    elif how in {"mean", "share"}:
        result = known.mean(axis=0)
    else:
        result = known.min(axis=0) if how == "all" else known.max(axis=0)
    combination: Floats = np.where(missing, np.nan, result)
    return combination
