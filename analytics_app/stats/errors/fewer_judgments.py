"""The error of fewer judgments of a text against all: exactly of majorities and means, on samples of fitted models."""

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.errors.votes import TIE, first_of
from analytics_app.stats.values import Floats


def error_of_fewer_votes(counts: ArrayLike, *, most: int) -> Floats:
    """Return the probability that the majority of m votes differs from that of all votes, for m = 1 to `most`.

    The m votes of a text are a random sample of its votes without replacement, so the counts of labels in it follow
    the multivariate hypergeometric distribution [1]_. All samples are counted; nothing is drawn at random. Where labels
    have equally many votes in a sample, one of them is chosen at random: with the right label among t equal ones, the
    sample is wrong with probability 1 - 1/t.

    Parameters
    ----------
    counts : array_like of int, shape (n_texts, n_labels)
        Votes for each label of each text.
    most : int
        Largest m.

    Returns
    -------
    ndarray of float, shape (n_texts, most)
        NaN where all votes of a text are tied, since there is no label to compare with, and where m is more than the
        votes of a text.

    Raises
    ------
    ValueError
        `counts` is not a table of whole numbers of at least 0, or `most` is below 1.

    Notes
    -----
    At m = all votes the error is 0 by construction: it is the error against the label of all votes, not against the
    truth.

    References
    ----------
    .. [1] N. L. Johnson, S. Kotz and N. Balakrishnan (1997). Discrete Multivariate Distributions. Wiley, chapter 39.

    Examples
    --------
    >>> error_of_fewer_votes([[2, 1], [3, 0]], most=3).round(3).tolist()
    [[0.333, 0.333, 0.0], [0.0, 0.0, 0.0]]
    """
    table = np.asarray(counts)
    if table.ndim != 2 or not np.issubdtype(table.dtype, np.integer) or (table.size and table.min() < 0):
        raise ValueError("Counts are a table of whole numbers of at least 0, texts by labels.")
    if most < 1:
        raise ValueError("There is at least 1 vote.")
    error = np.full((len(table), most), np.nan)
    label = first_of(table.astype(np.float64)) if table.size else np.empty(0, dtype=np.intp)
    errors: dict[tuple[int, ...], Floats] = {}
    for place in np.flatnonzero(label != TIE).tolist():
        votes = table[place]
        right = int(votes[label[place]])
        others = tuple(sorted(int(n) for k, n in enumerate(votes) if n and k != label[place]))
        key = (right, *others)
        if key not in errors:
            errors[key] = _error(right, others, most)
        error[place] = errors[key]
    return error


def _error(right: int, others: tuple[int, ...], most: int) -> Floats:
    """Return the error for m = 1 to `most` of a text with `right` votes for its label and `others` for the others."""
    total = right + sum(others)
    error = np.full(most, np.nan)
    for m in range(1, min(most, total) + 1):
        # Whole numbers of any size: numbers of samples exceed what floats count exactly.
        favourable = sum(comb(right, x) * _without_more(others, m - x, x) for x in range(1, min(right, m) + 1))
        error[m - 1] = max(0.0, 1 - float(favourable / comb(total, m)))
    return error


def _without_more(others: tuple[int, ...], n: int, x: int) -> float:
    """Return the samples of n other votes without a label more than x times, each over 1 + labels with x votes."""
    # ways[s][t]: samples of s votes from the labels so far in which t labels have x votes.
    ways = [[0] * (len(others) + 1) for _votes in range(n + 1)]
    ways[0][0] = 1
    for votes in others:
        after = [[0] * (len(others) + 1) for _votes in range(n + 1)]
        for s, row in enumerate(ways):
            for t, number in enumerate(row):
                if number:
                    for y in range(min(votes, x, n - s) + 1):
                        after[s + y][t + (y == x)] += number * comb(votes, y)
        ways = after
    return sum(number / (1 + t) for t, number in enumerate(ways[n]) if number)


def error_of_fewer_means(values: ArrayLike, texts: ArrayLike, *, most: int) -> Floats:
    """Return the mean squared distance of the mean of m ratings from the mean of all, for m = 1 to `most`.

    For m of the k ratings of a text, drawn without replacement, it is s^2 / m * (1 - m / k), with the variance s^2 of
    the k ratings around their mean over k - 1 [1]_.

    Parameters
    ----------
    values : array_like of float, shape (n,)
    texts : array_like of int, shape (n,)
        Codes from 0, without gaps.
    most : int

    Returns
    -------
    ndarray of float, shape (n_texts, most)
        NaN where m is more than the ratings of a text.

    References
    ----------
    .. [1] W. G. Cochran (1977). Sampling Techniques. Wiley, theorem 2.2.

    Examples
    --------
    >>> error_of_fewer_means([1, 3, 2], [0, 0, 0], most=3).round(3).tolist()
    [[0.667, 0.167, 0.0]]
    """
    value, text = np.asarray(values, dtype=np.float64), np.asarray(texts, dtype=np.int64)
    if value.ndim != 1 or value.shape != text.shape or most < 1:
        raise ValueError("Values and texts have one length, and there is at least 1 rating.")
    k: NDArray[np.int64] = np.bincount(text)
    mean = np.bincount(text, weights=value) / np.maximum(k, 1)
    squares = np.bincount(text, weights=(value - mean[text]) ** 2)
    spread = squares / np.maximum(k - 1, 1)
    m = np.arange(1, most + 1)
    error: Floats = spread[:, np.newaxis] / m * (1 - m / np.maximum(k, 1)[:, np.newaxis])
    return np.where(m <= k[:, np.newaxis], error, np.nan)


def error_on_samples(
    labels_of: Callable[[NDArray[np.bool_]], Floats | None],
    texts: ArrayLike,
    reference: Floats,
    *,
    most: int,
    rounds: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the share of random samples in which a label differs from that of all judgments, for m = 1 to `most`.

    A sample draws m of the judgments of each text without replacement. All of it is labelled together, as by a model
    that also learns about the raters, so fewer judgments also mean less information about these. A sample without a
    label for a text counts as half wrong.

    Parameters
    ----------
    labels_of : callable
        Takes a mask of the judgments in a sample and returns their labels, numbers of the shape of `reference`, NaN
        without a label; None where the sample cannot be labelled.
    texts : array_like of int, shape (n,)
        Code of the text of each judgment; every text has at least `most` judgments.
    reference : ndarray of float, shape (n_texts, n_decisions)
        Labels by all judgments: one decision for each text, or one for each text and option.
    most : int
        Largest m.
    rounds : int
        Samples for each m. The first that cannot be labelled ends the samples of its m.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of float, shape (n_texts, n_decisions, most)
        NaN where no sample can be labelled.

    Examples
    --------
    >>> votes = np.array([1.0, 1.0, 1.0])
    >>> rng = np.random.default_rng(1)
    >>> error_on_samples(lambda mask: votes[mask][:1, None], [0, 0, 0], np.array([[1.0]]), most=3, rounds=2, rng=rng)
    array([[[0., 0., 0.]]])
    """
    error = np.full((*reference.shape, most), np.nan)
    _texts, place = np.unique(np.asarray(texts), return_inverse=True)
    begins = np.r_[0, np.cumsum(np.bincount(place))[:-1]]
    for m in range(1, most + 1):
        wrong, labelled = np.zeros(reference.shape), 0
        for _round in range(rounds):
            # Judgments of each text in random order, of which the first m are in the sample.
            order = np.lexsort((rng.random(len(place)), place))
            mask = np.zeros(len(place), dtype=bool)
            mask[order[np.arange(len(place)) - begins[place[order]] < m]] = True
            labels = labels_of(mask)
            if labels is None:
                break
            labelled += 1
            wrong += np.where(np.isnan(labels), 0.5, labels != reference)
        if labelled:
            error[..., m - 1] = wrong / labelled
    return error
