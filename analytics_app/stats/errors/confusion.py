"""Confusions between labels: the answers of two raters to the same texts as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.errors.votes import checked, counted
from analytics_app.stats.values import checked_codes


@dataclass(frozen=True, slots=True)
class Confusion:
    """Labels by two raters of the texts that both labelled; `counts[k, l]`: k by the first, l by the second rater.

    For all raters together (`first` and `second` None), every two answers to a text count in both orders.
    """

    counts: NDArray[np.int64]
    first: int | None = None
    second: int | None = None


def together(labels: ArrayLike, texts: ArrayLike, *, n_labels: int) -> Confusion:
    """Count every two answers to the same text, in both orders: the unweighted coincidences.

    Parameters
    ----------
    labels, texts : array_like of int, shape (n,)
        Codes from 0; labels below n_labels. One label per rater and text.
    n_labels : int

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers in their range.

    Examples
    --------
    >>> together([0, 1, 1], [5, 5, 5], n_labels=2).counts.tolist()
    [[0, 2], [2, 2]]
    """
    _text_codes, votes = counted(labels, texts, n_labels)
    counts = votes.T @ votes
    # Nobody is compared with themselves.
    counts[np.diag_indices(n_labels)] -= votes.sum(axis=0)
    return Confusion(counts)


def of_pairs(
    labels: ArrayLike, texts: ArrayLike, raters: ArrayLike, pairs: Sequence[tuple[int, int]], *, n_labels: int
) -> list[Confusion]:
    """Count the answers of given pairs of raters.

    Parameters
    ----------
    labels, texts, raters : array_like of int, shape (n,)
        Codes from 0; labels below n_labels. One label per rater and text.
    pairs : sequence of (int, int)
        Codes of raters.
    n_labels : int

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers in their range.

    Examples
    --------
    >>> of_pairs([0, 1, 1, 1], [5, 5, 6, 6], [0, 1, 0, 1], [(0, 1)], n_labels=2)[0].counts.tolist()
    [[0, 1], [0, 1]]
    """
    label, text = checked(labels, texts, n_labels)
    rater = checked_codes(raters, label.size)
    order = np.argsort(rater, kind="stable")
    most = max(int(rater.max(initial=-1)), *(code for pair in pairs for code in pair), -1)
    begins = np.searchsorted(rater[order], np.arange(most + 2))
    tables = []
    for first, second in pairs:
        mine, theirs = (order[begins[code] : begins[code + 1]] for code in (first, second))
        _shared, mine_shared, theirs_shared = np.intersect1d(
            text[mine], text[theirs], assume_unique=True, return_indices=True
        )
        cells = label[mine[mine_shared]] * n_labels + label[theirs[theirs_shared]]
        tables.append(Confusion(np.bincount(cells, minlength=n_labels**2).reshape(n_labels, n_labels), first, second))
    return tables
