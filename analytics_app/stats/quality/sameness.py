"""Raters who tell no texts apart, and raters who tell identical texts apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Floats, checked_codes, checked_values, compressed


@dataclass(frozen=True, slots=True)
class MostFrequent:
    """The most frequent value of each rater; arrays of shape (n_raters,).

    Parameters
    ----------
    raters : ndarray of int
        Sorted codes of the raters who answered.
    value : ndarray of float
        The value given most often; the least of them where several were given equally often.
    times : ndarray of int
        How often it was given.
    answers : ndarray of int
    """

    raters: Codes
    value: Floats
    times: Codes
    answers: Codes


def most_frequent(values: ArrayLike, raters: ArrayLike) -> MostFrequent:
    """Count how often each rater gave the value that they gave most often.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not answered, and left out.
    raters : array_like of int, shape (n,)
        Codes from 0.

    Returns
    -------
    MostFrequent

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers from 0.

    Examples
    --------
    >>> most_frequent([100, 100, 50, 80, 90], [0, 0, 0, 2, 2])
    MostFrequent(raters=array([0, 2]), value=array([100.,  80.]), times=array([2, 1]), answers=array([3, 2]))
    """
    numbers = checked_values(values)
    codes = checked_codes(raters, numbers.size)
    answered = ~np.isnan(numbers)
    rater_codes, rater = compressed(codes[answered])
    kinds, kind = np.unique(numbers[answered], return_inverse=True)
    # Pairs of rater and value as single numbers, which sort much faster than rows.
    pairs, times = np.unique(rater * kinds.size + kind, return_counts=True)
    of_pair, kind_of_pair = np.divmod(pairs, max(kinds.size, 1))
    # By rater, the greatest number of times first; among equals the least value.
    order = np.lexsort((kind_of_pair, -times, of_pair))
    first = order[np.unique(of_pair[order], return_index=True)[1]]
    answers = np.bincount(rater, minlength=rater_codes.size)
    return MostFrequent(rater_codes, kinds[kind_of_pair[first]], times[first], answers)


@dataclass(frozen=True, slots=True)
class IdenticalTexts:
    """Identical texts that a rater rated more than once; arrays of shape (n_raters,).

    Parameters
    ----------
    raters : ndarray of int
        Sorted codes of the raters who rated some text more than once.
    differ : ndarray of int
        Texts that did not get the same value each time.
    texts : ndarray of int
        Texts rated more than once.
    """

    raters: Codes
    differ: Codes
    texts: Codes


def identical_texts(values: ArrayLike, texts: ArrayLike, raters: ArrayLike) -> IdenticalTexts:
    """Count the texts that a rater rated more than once, and those that got different values.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not answered, and left out.
    texts, raters : array_like of int, shape (n,)
        Codes from 0; ratings of identical texts, on one criterion, have the same code.

    Returns
    -------
    IdenticalTexts

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers from 0.

    Examples
    --------
    >>> identical_texts([100, 80, 70, 70, 50], [0, 0, 1, 1, 2], [3, 3, 3, 3, 3])
    IdenticalTexts(raters=array([3]), differ=array([1]), texts=array([2]))
    """
    numbers = checked_values(values)
    of_text, of_rater = (checked_codes(codes, numbers.size) for codes in (texts, raters))
    answered = ~np.isnan(numbers)
    # Pairs of rater and text as single numbers, which sort much faster than rows.
    n_texts = int(of_text.max(initial=0)) + 1
    groups, group = compressed(of_rater[answered] * n_texts + of_text[answered])
    low, high = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
    np.minimum.at(low, group, numbers[answered])
    np.maximum.at(high, group, numbers[answered])
    several = np.bincount(group, minlength=len(groups)) > 1
    rater_codes, rater = compressed(groups[several] // n_texts)
    differs = (low < high)[several]
    return IdenticalTexts(
        rater_codes,
        np.bincount(rater[differs], minlength=rater_codes.size),
        np.bincount(rater, minlength=rater_codes.size),
    )
