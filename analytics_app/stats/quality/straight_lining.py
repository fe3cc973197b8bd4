"""Straight-lining: answers at the same position again and again."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Codes, Floats, checked_codes, checked_values, compressed


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of equal answers of each rater; arrays of shape (n_raters,).

    Parameters
    ----------
    raters : ndarray of int
        Sorted codes.
    longest : ndarray of int
        Length of the longest run.
    mean : ndarray of float
        Mean length of a run: answers over runs.
    answers : ndarray of int
    """

    raters: Codes
    longest: Codes
    mean: Floats
    answers: Codes


def runs(positions: ArrayLike, raters: ArrayLike) -> Runs:
    """Longest and mean run of the same position of each rater ("long string", [1]_).

    Positions are those on the screen, before any polarity is undone: a rater who always takes the leftmost circle is
    straight-lining whatever its label is.

    Parameters
    ----------
    positions : array_like of float, shape (n,)
        In the order of answering; NaN = not answered, and left out.
    raters : array_like of int, shape (n,)
        Codes from 0; a rater's answers need not be contiguous.

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        Shapes differ, or codes are not whole numbers from 0.

    References
    ----------
    .. [1] J. A. Johnson (2005). Ascertaining the validity of individual protocols from web-based personality
       inventories. Journal of Research in Personality 39(1), 103-129.

    Examples
    --------
    >>> runs([4, 4, 2, 3, 3, 1, 5, 5, 5], [0, 0, 0, 0, 0, 0, 7, 7, 7])
    Runs(raters=array([0, 7]), longest=array([2, 3]), mean=array([1.5, 3. ]), answers=array([6, 3]))
    """
    numbers = checked_values(positions)
    codes = checked_codes(raters, numbers.size)
    answered = ~np.isnan(numbers)
    rater_codes, rater = compressed(codes[answered])
    order = np.argsort(rater, kind="stable")
    rater, numbers = rater[order], numbers[answered][order]
    begins = np.ones(rater.size, dtype=bool)
    begins[1:] = (rater[1:] != rater[:-1]) | (numbers[1:] != numbers[:-1])
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, rater.size))
    longest = np.zeros(rater_codes.size, dtype=np.intp)
    np.maximum.at(longest, rater[starts], lengths)
    answers = np.bincount(rater, minlength=rater_codes.size)
    n_runs = np.bincount(rater[starts], minlength=rater_codes.size)
    return Runs(rater_codes, longest, answers / np.maximum(n_runs, 1), answers)


@dataclass(frozen=True, slots=True)
class EqualScreens:
    """Number of each rater's screens with one position throughout; arrays of shape (n_raters,).

    Parameters
    ----------
    raters : ndarray of int
        Sorted codes of the raters with a screen of enough answers.
    equal : ndarray of int
    screens : ndarray of int
        Screens with enough answers.
    """

    raters: Codes
    equal: Codes
    screens: Codes


def equal_screens(positions: ArrayLike, screens: ArrayLike, raters: ArrayLike, *, least: int = 4) -> EqualScreens:
    """Count the screens on which a rater answered all questions at the same position.

    Parameters
    ----------
    positions : array_like of float, shape (n,)
        On the screen; NaN = not answered.
    screens, raters : array_like of int, shape (n,)
        Codes from 0; a screen belongs to one rater.
    least : int
        Answers that a screen must have to count, at least 2.

    Returns
    -------
    EqualScreens

    Raises
    ------
    ValueError
        Shapes differ, or `least` is below 2.

    Examples
    --------
    >>> equal_screens([1, 1, 1, 2, 2, 3], [0, 0, 0, 1, 1, 1], [5, 5, 5, 5, 5, 5], least=3)
    EqualScreens(raters=array([5]), equal=array([1]), screens=array([2]))
    """
    if least < 2:
        raise ValueError(f"A screen has at least 2 answers to compare, not {least}.")
    numbers = checked_values(positions)
    of_screen, of_rater = (checked_codes(codes, numbers.size) for codes in (screens, raters))
    answered = ~np.isnan(numbers)
    numbers = numbers[answered]
    screen_codes, place = compressed(of_screen[answered])
    low, high = np.full(screen_codes.size, np.inf), np.full(screen_codes.size, -np.inf)
    np.minimum.at(low, place, numbers)
    np.maximum.at(high, place, numbers)
    rater = np.zeros(screen_codes.size, dtype=np.intp)
    rater[place] = of_rater[answered]
    counts: NDArray[np.bool_] = np.bincount(place, minlength=screen_codes.size) >= least
    rater_codes, rater_place = compressed(rater[counts])
    is_equal = (low == high)[counts]
    return EqualScreens(
        rater_codes,
        np.bincount(rater_place[is_equal], minlength=rater_codes.size),
        np.bincount(rater_place, minlength=rater_codes.size),
    )
