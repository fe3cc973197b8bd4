"""Labels of several raters for one text: the majority, and how far each rater agrees with it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Codes, Floats, checked_codes, compressed

TIE = -1
"""Code in place of a label where two labels are equally likely."""

# Sums of weights that differ by less than this, relative to their size, count as equal.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Majority:
    """Label that most raters gave each text.

    Parameters
    ----------
    texts : ndarray of int, shape (n_texts,)
        Codes of the texts that have labels, sorted.
    label : ndarray of int, shape (n_texts,)
        The label with most votes; `TIE` where two have equally many.
    share : ndarray of float, shape (n_texts,)
        Share of the votes for the label with most votes.
    votes : ndarray of int, shape (n_texts,)
    """

    texts: Codes
    label: NDArray[np.intp]
    share: Floats
    votes: Codes

    @property
    def ties(self) -> int:
        """Number of texts without a single label with most votes."""
        return int((self.label == TIE).sum())


@dataclass(frozen=True, slots=True)
class Wawa:
    """Raters weighted by how often they agree with the majority.

    Parameters
    ----------
    raters : ndarray of int, shape (n_raters,)
        Codes of the raters with labels, sorted.
    skill : ndarray of float, shape (n_raters,)
        Share of a rater's labels that are the majority's, over texts without a tie; NaN where there is none.
    label : ndarray of int, shape (n_texts,)
        The label with the largest sum of skills, in the order of `Majority.texts`; `TIE` where two sums are equal.
    share : ndarray of float, shape (n_texts,)
        Share of the sum of skills for that label; NaN where no rater of the text has a skill above 0.
    """

    raters: Codes
    skill: Floats
    label: NDArray[np.intp]
    share: Floats


def majority(labels: ArrayLike, texts: ArrayLike, *, n_labels: int) -> Majority:
    """Return the label that most raters gave each text; ties are reported, not broken.

    Parameters
    ----------
    labels : array_like of int, shape (n,)
        Codes 0 to n_labels - 1, one for each rater and text.
    texts : array_like of int, shape (n,)
        Codes from 0.
    n_labels : int

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers in their range.

    Examples
    --------
    >>> majorities = majority([0, 0, 1, 1, 0], [0, 0, 0, 4, 4], n_labels=2)
    >>> majorities.label.tolist(), majorities.share.round(2).tolist(), majorities.ties
    ([0, -1], [0.67, 0.5], 1)
    """
    text_codes, counts = counted(labels, texts, n_labels)
    votes = counts.sum(axis=1)
    return Majority(text_codes, first_of(counts), _share(counts.max(axis=1, initial=0), votes), votes)


def wawa(labels: ArrayLike, texts: ArrayLike, raters: ArrayLike, *, n_labels: int) -> Wawa:
    """Weight each rater by their agreement with the majority: "worker agreement with aggregate" [1]_.

    Parameters
    ----------
    labels, texts, raters : array_like of int, shape (n,)
        Codes from 0; labels below n_labels. One label for each rater and text.
    n_labels : int

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers in their range.

    Notes
    -----
    A text whose majority is a tie says nothing about skill, and is left out.

    References
    ----------
    .. [1] D. Ustalov, N. Pavlichenko and B. Tseitlin (2024). Learning from crowds with Crowd-Kit. Journal of Open
       Source Software 9(96), 6227.

    Examples
    --------
    >>> found = wawa([0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], n_labels=2)
    >>> found.skill.tolist(), found.label.tolist(), found.share.tolist()
    ([1.0, 1.0, 0.5], [0, 1], [0.8, 1.0])
    """
    label, text = checked(labels, texts, n_labels)
    rater = checked_codes(raters, label.size)
    majorities = majority(label, text, n_labels=n_labels)
    rater_codes, rater_places = compressed(rater)
    _texts, places = compressed(text)
    majority_label = majorities.label[places]
    clear = majority_label != TIE
    agreed = np.bincount(rater_places[clear], weights=(label == majority_label)[clear], minlength=rater_codes.size)
    skill = _share(agreed, np.bincount(rater_places[clear], minlength=rater_codes.size))
    # There may be a million labels.
    del majority_label, clear
    weight, cells = np.nan_to_num(skill)[rater_places], places
    cells *= n_labels
    cells += label
    sums = np.bincount(cells, weights=weight, minlength=majorities.texts.size * n_labels).reshape(-1, n_labels)
    totals = sums.sum(axis=1)
    return Wawa(rater_codes, skill, first_of(sums), _share(sums.max(axis=1, initial=0.0), totals))


def first_of(weights: NDArray[np.float64] | Codes) -> NDArray[np.intp]:
    """Return the column with the largest weight of each row; `TIE` where two are equally large, or all are 0."""
    if not weights.size:
        return np.full(len(weights), TIE, dtype=np.intp)
    largest = weights.max(axis=1, keepdims=True)
    as_large = (weights >= largest - _EQUAL * np.abs(largest)).sum(axis=1)
    return np.where((as_large == 1) & (largest[:, 0] > 0), weights.argmax(axis=1), TIE)


def checked(labels: ArrayLike, texts: ArrayLike, n_labels: int) -> tuple[Codes, Codes]:
    """Return labels and texts as codes of one length. Raises ValueError."""
    if n_labels < 1:
        raise ValueError(f"There is at least 1 label, not {n_labels}.")
    size = np.asarray(labels).shape[0] if np.asarray(labels).ndim == 1 else -1
    if size < 0:
        raise ValueError(f"Labels have one dimension, not {np.asarray(labels).ndim}.")
    return checked_codes(labels, size, below=n_labels), checked_codes(texts, size)


def counted(labels: ArrayLike, texts: ArrayLike, n_labels: int) -> tuple[Codes, Codes]:
    """Return the codes of the texts, and how often each text (row) got each label (column). Raises ValueError."""
    label, text = checked(labels, texts, n_labels)
    text_codes, places = compressed(text)
    counts = np.bincount(places * n_labels + label, minlength=text_codes.size * n_labels)
    return text_codes, counts.reshape(text_codes.size, n_labels)


def _share(parts: ArrayLike, totals: ArrayLike) -> Floats:
    top, bottom = np.asarray(parts, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    result: Floats = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return result
