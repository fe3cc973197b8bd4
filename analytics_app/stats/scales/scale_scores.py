"""Scores of scales: sums of several answers, with a limit on missing ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Floats


class Scores(NamedTuple):
    """Score of each row, NaN where too many answers are missing, and number of missing answers of each row."""

    value: Floats
    missing: NDArray[np.int64]

    @property
    def prorated(self) -> NDArray[np.bool_]:
        """Which scores are prorated for missing answers."""
        return (self.missing > 0) & ~np.isnan(self.value)


def prorated_sums(answers: ArrayLike, *, most_missing: int) -> Scores:
    """Sums of the answers of each row, with the row's mean in place of missing answers [1]_.

    Parameters
    ----------
    answers : array_like of float, shape (n, k)
        NaN = not answered.
    most_missing : int
        A row with more missing answers, or without any answer, has no score.

    Returns
    -------
    Scores
        Sums over k answers, shape (n,); with m missing answers ``sum * k / (k - m)``.

    Raises
    ------
    ValueError
        Answers are not a table, there is no column, an answer is infinite, or `most_missing` is below 0.

    References
    ----------
    .. [1] J. W. Graham (2009). Missing data analysis: making it work in the real world. Annual Review of Psychology
       60, 549-576 (averaging the available items).

    Examples
    --------
    >>> nan = float("nan")
    >>> prorated_sums([[1, 2, 3], [4, nan, 2], [nan, nan, 2]], most_missing=1).value.tolist()
    [6.0, 9.0, nan]
    """
    table = np.asarray(answers, dtype=np.float64)
    if table.ndim != 2 or not table.shape[1]:
        raise ValueError("Answers have a row a person and at least one column.")
    if np.isinf(table).any():
        raise ValueError("Answers are finite, or NaN where there is none.")
    if most_missing < 0:
        raise ValueError(f"At least 0 answers may be missing, not {most_missing}.")
    k = table.shape[1]
    answered = ~np.isnan(table)
    n_answered = answered.sum(axis=1)
    sums = np.where(answered, table, 0).sum(axis=1)
    missing = k - n_answered
    value = np.full(len(table), np.nan)
    scored = (missing <= most_missing) & (n_answered > 0)
    value[scored] = sums[scored] * k / n_answered[scored]
    return Scores(value, missing)
