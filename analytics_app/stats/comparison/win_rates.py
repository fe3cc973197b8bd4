"""Preferences between pairs of systems: counts, win rates with intervals over items, and the sign test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.alike import exact_if_all_alike
from analytics_app.stats.resampling.bootstrap import check_settings, weights
from analytics_app.stats.resampling.pair_sums import Pairs, checked_pairs, limits
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, compressed

# Cells of the largest dense table of items by columns (64 MiB); larger tables are sparse.
_CELLS = 2**23

NEVER = "The two were never compared."
ONLY_TIES = "All of their comparisons are ties."


@dataclass(frozen=True, slots=True)
class WinRate:
    """System a against system b.

    Parameters
    ----------
    a, b : int
        System codes.
    wins, losses, ties : int
        Comparisons that a won, that b won, and ties.
    rate : Estimate
        Share of a's wins among the comparisons with a winner; `p` is that of the sign test.
    rate_half : Estimate
        Share of a's wins among all comparisons, a tie counting as half a win.
    items_won, items_lost : int
        Items on which a, or b, was preferred more often.
    """

    a: int
    b: int
    wins: int
    losses: int
    ties: int
    rate: Estimate
    rate_half: Estimate
    items_won: int
    items_lost: int


@dataclass(frozen=True, slots=True)
class WinRates:
    """All pairs, and their wins, losses and ties in bootstrap samples, shape (n_resamples, n_pairs, 3), or None."""

    pairs: tuple[WinRate, ...]
    resampled: Floats | None


def win_rates(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    items: ArrayLike,
    pairs: Pairs,
    *,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> WinRates:
    """Count preferences, with percentile bootstrap intervals over items and an exact sign test [1]_.

    The sign test is over items, since several judgments of one item are not independent: it compares the number of
    items on which a was preferred more often with the number on which b was; items with equally many preferences do
    not count. If each item is judged once per pair, it is the sign test of the judgments.

    Parameters
    ----------
    first, second : array_like of int, shape (n,)
        System codes from 0.
    outcome : array_like of int, shape (n,)
        1 where the first was preferred, -1 where the second was, 0 for a tie.
    items : array_like of int, shape (n,)
        Codes from 0 of the items, or documents.
    pairs : sequence of (int, int)
        Systems a and b of each comparison; comparisons of other pairs are left out.
    n_resamples : int
        Bootstrap samples of items; 0 gives no intervals. All pairs share them.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    WinRates
        In the order of `pairs`.

    Raises
    ------
    ValueError
        Wrong shapes, codes, outcomes or settings, or a pair given twice.

    References
    ----------
    .. [1] W. J. Dixon and A. M. Mood (1946). The statistical sign test. JASA 41, 557-566.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> said = [0, 0, 1], [1, 1, 0], [1, 0, -1], [0, 1, 2], [(0, 1)]
    >>> (one,) = win_rates(*said, n_resamples=0, confidence=0.95, rng=rng).pairs
    >>> one.wins, one.losses, one.ties, one.rate.value, round(one.rate_half.value, 4), one.rate.p
    (2, 0, 1, 1.0, 0.8333, 0.5)
    """
    columns = checked_pairs(pairs, None)
    check_settings(n_resamples, confidence)
    signs = np.asarray(outcome)
    n = signs.size
    system_1, system_2, item = (checked_codes(array, n) for array in (first, second, items))
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError("Outcomes are 1, 0 or -1.")
    pair, reversed_order = _pair_of(system_1, system_2, columns)
    in_pairs = pair >= 0
    pair, sign, item = pair[in_pairs], np.where(reversed_order, -signs, signs)[in_pairs], item[in_pairs]
    item_codes, places = compressed(item)
    # 0 a win of a, 1 a win of b, 2 a tie.
    cell = pair * 3 + np.where(sign > 0, 0, np.where(sign < 0, 1, 2))
    counts = np.bincount(cell, minlength=3 * len(columns)).reshape(-1, 3)
    resampled = None
    if n_resamples and item_codes.size:
        shape = (item_codes.size, 3 * len(columns))
        resampled = resampled_totals(places, cell, shape, n_resamples, rng).reshape(n_resamples, -1, 3)
    by_item = np.column_stack(_by_item(pair, sign, places, len(columns), item_codes.size)).tolist()
    rates = tuple(
        _rate((a, b), counts[k], None if resampled is None else resampled[:, k], tuple(by_item[k]), confidence)
        for k, (a, b) in enumerate(columns.tolist())
    )
    return WinRates(rates, resampled)


def resampled_totals(
    places: Codes,
    cells: Codes,
    shape: tuple[int, int],
    n_resamples: int,
    rng: np.random.Generator,
    amounts: Floats | None = None,
) -> Floats:
    """Count entries by column in bootstrap samples of units, or sum their amounts.

    Parameters
    ----------
    places, cells : ndarray of int, shape (n,)
        Unit and column of each entry.
    shape : (int, int)
        Numbers of units, at least 1, and of columns.
    n_resamples : int
    rng : numpy.random.Generator
    amounts : ndarray of float, shape (n,), optional

    Returns
    -------
    ndarray of float, shape (n_resamples, shape[1])

    Examples
    --------
    >>> units = np.zeros(3, dtype=int)
    >>> resampled_totals(units, np.array([0, 0, 1]), (1, 2), 2, np.random.default_rng(1)).tolist()
    [[2.0, 1.0], [2.0, 1.0]]
    """
    n_units, n_columns = shape
    flat, entry = np.unique(places * n_columns + cells, return_inverse=True)
    times = np.bincount(entry, weights=amounts, minlength=flat.size)
    totals = np.empty((n_resamples, n_columns))
    dense = n_units * n_columns <= _CELLS
    if dense:
        matrix = np.zeros(n_units * n_columns)
        matrix[flat] = times
        matrix = matrix.reshape(shape)
    else:
        from scipy.sparse import csr_array  # noqa: PLC0415  loads slowly, and only large tables need it

        matrix = csr_array((times.astype(float), (flat % n_columns, flat // n_columns)), shape=(n_columns, n_units))
    start = 0
    for chunk in weights(n_units, n_resamples, rng):
        totals[start : start + len(chunk)] = chunk @ matrix if dense else (matrix @ chunk.T).T
        start += len(chunk)
    return totals


def _pair_of(first: Codes, second: Codes, columns: Codes) -> tuple[Codes, Codes]:
    """Return the pair of each comparison, -1 if none, and whether the comparison names its systems in reverse order."""
    n = int(max(first.max(initial=0), second.max(initial=0), columns.max(initial=0))) + 1
    number = np.full(n * n, -1, dtype=np.intp)
    if np.unique(np.sort(columns, axis=1), axis=0).shape != columns.shape:
        raise ValueError("Each pair is given once.")
    number[columns[:, 0] * n + columns[:, 1]] = np.arange(len(columns))
    as_given, as_reversed = number[first * n + second], number[second * n + first]
    return np.where(as_given >= 0, as_given, as_reversed), as_given < 0


def _by_item(pair: Codes, sign: Codes, place: Codes, n_pairs: int, n_items: int) -> tuple[Codes, Codes, Codes]:
    """Return three numbers of items by pair: a preferred more often, b preferred more often, judged."""
    keys, inverse = np.unique(pair * max(n_items, 1) + place, return_inverse=True)
    net = np.bincount(inverse, weights=sign, minlength=keys.size)
    of_pair = keys // max(n_items, 1)
    won = np.bincount(of_pair[net > 0], minlength=n_pairs)
    lost = np.bincount(of_pair[net < 0], minlength=n_pairs)
    return won, lost, np.bincount(of_pair, minlength=n_pairs)


def _rate(
    pair: tuple[int, int], counts: Codes, resampled: Floats | None, items: tuple[int, int, int], confidence: float
) -> WinRate:
    wins, losses, ties = (int(count) for count in counts)
    won, lost, n_judged = items
    n_entered = {"n_ratings": wins + losses + ties, "n_items": n_judged}
    if not wins + losses + ties:
        undefined = Estimate(None, note=NEVER, **n_entered)
        return WinRate(*pair, 0, 0, 0, undefined, undefined, 0, 0)
    half = _share(wins + ties / 2, wins + losses + ties, resampled, (1.0, 0.5, 1.0), items, confidence, None, n_entered)
    if not wins + losses:
        all_ties = Estimate(None, note=ONLY_TIES, p=1.0, **n_entered)
        return WinRate(*pair, 0, 0, ties, all_ties, half, 0, 0)
    rate = _share(wins, wins + losses, resampled, (1.0, 0.0, 0.0), items, confidence, sign_test(won, lost), n_entered)
    return WinRate(*pair, wins, losses, ties, rate, half, won, lost)


def _share(
    top: float,
    bottom: float,
    resampled: Floats | None,
    credit: tuple[float, float, float],
    items: tuple[int, int, int],
    confidence: float,
    p: float | None,
    n_entered: dict[str, int],
) -> Estimate:
    """Return a share of wins; `credit` holds how much a win and a tie add to its top, and a tie to its bottom."""
    samples = None
    if resampled is not None:
        win, tie, tie_below = credit
        tops, bottoms = (
            win * resampled[:, 0] + tie * resampled[:, 2],
            resampled[:, 0] + resampled[:, 1] + tie_below * resampled[:, 2],
        )
        samples = np.divide(tops, bottoms, out=np.full(len(resampled), np.nan), where=bottoms > 0)
    share = top / bottom
    # A share of 0 or 1 has one winner throughout, so items with a winner are those that this system has won.
    interval, exact = exact_if_all_alike(
        limits(samples, items[2], confidence),
        share,
        n_judgments=round(bottom),
        n_units=items[0] + items[1],
        confidence=confidence,
    )
    return Estimate(
        share, low=interval.low, high=interval.high, se=interval.se, note=interval.note, p=p, exact=exact, **n_entered
    )


def sign_test(won: int, lost: int) -> float:
    """Two-sided p of the exact sign test.

    Examples
    --------
    >>> sign_test(9, 1), sign_test(0, 0)
    (0.021484375, 1.0)
    """
    from scipy.special import bdtr  # noqa: PLC0415  takes a third of a second to load, and only a test needs it

    if not won + lost:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(won, lost), won + lost, 0.5)))
