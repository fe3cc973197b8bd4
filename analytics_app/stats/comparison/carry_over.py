"""Carry-over: the effects of the preceding text and the rater's preceding answer on an answer.

Contrasts of neighbouring answers with all pairs of answers of a rater, which are zero on average in sets of any length
unless an answer depends on the one before it. Subtracting the means of raters and texts in a regression instead would
make answers look like contrast in short sets: Nickell's bias.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.comparison.within import FEW_RATERS, ROUGH
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed

# Texts in a row: fewer say nothing about neighbours. Longer rows are cut, so that what changes slowly in a long session
# stays close to a straight line. Rows shorter than WITH_LINE lose too much with a line, and have little time to change.
SHORTEST, WITH_LINE, LONGEST = 5, 10, 40
# The fewest raters with an interval.
FEWEST_RATERS = 3
# The share of repeated neighbours from which the order counts as the same for everybody.
SAME_ORDER = 0.5
# The effect of an answer is looked for below 1, where a series of answers does not run away.
_LARGEST = 0.9
_ROUNDS, _CONVERGED, _ROUNDING = 200, 1e-9, 1e-12
# The effect of a text changes the variance by which it is divided; a few rounds settle both.
_ROUNDS_OF_TEXTS = 6
# Nodes and weights of Gauss and Legendre for an integral from -1 to 1.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)

Mask = NDArray[np.bool_]

TOO_SHORT = (
    f"Too few answers in a row: at least {FEWEST_RATERS} raters need {SHORTEST} texts one after the other that other "
    "raters have rated too."
)
SAME_FOR_ALL = "The texts came in the same order for most raters, so the preceding text cannot be told from the text."
ALIKE = "The texts of a rater differ too little, by the answers of the others, to see what a better text before adds."
NO_SPREAD = "The raters agree too closely to see what their own preceding answer adds."


@dataclass(frozen=True, slots=True)
class CarryOver:
    """Effects on an answer of one point more in the text before, and in the rater's own answer to it."""

    text: Estimate
    answer: Estimate


def carry_over(
    values: ArrayLike, texts: ArrayLike, raters: ArrayLike, places: ArrayLike, *, confidence: float
) -> CarryOver:
    """Estimate the effects of the preceding text and of the rater's own preceding answer.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        One rating per rater and text; NaN = not rated.
    texts, raters : array_like of int, shape (n,)
        Codes from 0.
    places : array_like of int, shape (n,)
        The place of the text in the order of its rater. Places that follow each other are neighbours; one text a place.
    confidence : float

    Returns
    -------
    CarryOver
        `text`: what an answer gains if the preceding text is one point better, by the mean of the other raters.
        `answer`: what it gains if the rater has answered one point higher than others to the preceding text.
        Positive = assimilation, negative = contrast. Both have t limits over raters, and a note where undefined.

    Raises
    ------
    ValueError
        Two ratings of a rater have the same place.

    Notes
    -----
    Let u be a rater's answers minus the means q of the other raters for the same texts, in the order of the rater. For
    a row of n texts, M takes out the mean, from 10 texts on a straight line too, A picks neighbours (a'Ab is the sum
    of a[k - 1] b[k]), and W = MAM - M tr(MAM) / tr M. Since W1 = 0 and tr W = 0, the mean of q'Wu and of u'Wu over all
    orders of the texts is 0, whatever the answers are; a regression would have a mean of about -1 / n instead [1]_.
    The effect of the text is the sum of q'Wu over what one point would make of it, from the covariance of own answers
    and q. That of the answer is the first-order autocorrelation in which tr M u'Wu / u'Mu has the mean that was
    observed [2]_, an integral [3]_; the variance of q is allowed for.

    References
    ----------
    .. [1] S. Nickell (1981). Biases in dynamic models with fixed effects. Econometrica 49(6), 1417-1426.
    .. [2] C. Gouriéroux, P. C. B. Phillips and J. Yu (2010). Indirect inference for dynamic panel models. Journal of
       Econometrics 157(1), 68-77.
    .. [3] J. R. Magnus (1986). The exact moments of a ratio of quadratic forms in normal variables. Annales d'Économie
       et de Statistique 4, 95-109.
    """
    check_settings(0, confidence)
    numbers = checked_values(values)
    codes = [checked_codes(array, numbers.size) for array in (texts, raters, places)]
    present = ~np.isnan(numbers)
    y, (text, rater) = numbers[present], (compressed(array[present])[1] for array in codes[:2])
    place = codes[2][present]
    order = np.lexsort((place, rater))
    y, text, rater, place = y[order], text[order], rater[order], place[order]
    if ((np.diff(place) == 0) & (np.diff(rater) == 0)).any():
        raise ValueError("Two ratings of a rater have the same place.")
    if not y.size:
        return _undefined(TOO_SHORT)
    others = np.bincount(text)[text] - 1
    q = (np.bincount(text, weights=y)[text] - y) / np.where(others > 0, others, np.nan)
    starts, lengths = _rows(rater, place, others > 0)
    if len(np.unique(rater[starts])) < FEWEST_RATERS:
        return _undefined(TOO_SHORT)
    if _repeated(text, rater, place) > SAME_ORDER:
        return _undefined(SAME_FOR_ALL)
    rows = _Rows.of(y, q, rater, starts, lengths)
    answer = _of_answers(rows, _Noise(_left(y, text, rater), np.bincount(rater)), confidence)
    return CarryOver(_of_texts(rows, answer, confidence), answer)


def _undefined(note: str) -> CarryOver:
    return CarryOver(Estimate(None, note=note), Estimate(None, note=note))


def _left(y: Floats, text: Codes, rater: Codes) -> float:
    """Return the variance that constants of texts and raters leave."""
    n_text, n_rater = np.bincount(text), np.bincount(rater)
    leniency, before, left = np.zeros(len(n_rater)), np.inf, 0.0
    for _round in range(_ROUNDS):
        means = np.bincount(text, weights=y - leniency[rater]) / n_text
        leniency = np.bincount(rater, weights=y - means[text]) / n_rater
        leniency -= leniency.mean()
        residuals = y - means[text] - leniency[rater]
        left = float(residuals @ residuals)
        if before - left <= _CONVERGED * left:
            break
        before = left
    df = y.size - len(n_text) - len(n_rater) + 1
    return left / df if df > 0 else 0.0


def _rows(rater: Codes, place: Codes, usable: Mask) -> tuple[Codes, Codes]:
    """Return where rows of neighbouring usable answers start, and how long they are, long ones cut in equal parts."""
    follows = np.r_[False, (np.diff(rater) == 0) & (np.diff(place) == 1) & usable[1:] & usable[:-1]]
    starts = np.flatnonzero(~follows)
    lengths = np.diff(np.r_[starts, len(rater)])
    parts = -(-lengths // LONGEST)
    number = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    whole, of = np.repeat(lengths, parts), np.repeat(parts, parts)
    first = number * whole // of
    size = (number + 1) * whole // of - first
    long = size >= SHORTEST
    return (np.repeat(starts, parts) + first)[long], size[long]


def _repeated(text: Codes, rater: Codes, place: Codes) -> float:
    """Return the share of pairs of raters of a text who had the same text before it."""
    follows = np.flatnonzero((np.diff(rater) == 0) & (np.diff(place) == 1)) + 1
    pairs = text[follows] * (int(text.max()) + 1) + text[follows - 1]

    def pairs_of_raters(codes: Codes) -> float:
        counts = np.unique(codes, return_counts=True)[1]
        return float((counts * (counts - 1)).sum())

    return pairs_of_raters(pairs) / max(1.0, pairs_of_raters(text[follows]))


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of n texts in order, by n: their raters (codes without gaps), own answers and means of the others."""

    by_length: dict[int, tuple[Codes, Floats, Floats]]
    n_raters: int
    n_ratings: int

    @classmethod
    def of(cls, y: Floats, q: Floats, rater: Codes, starts: Codes, lengths: Codes) -> "_Rows":
        """Gather the rows of each length."""
        raters, who = compressed(rater[starts])
        by_length = {}
        for n in np.unique(lengths).tolist():
            mine = lengths == n
            at = starts[mine][:, np.newaxis] + np.arange(n)
            by_length[n] = (who[mine], y[at], q[at])
        return cls(by_length, len(raters), int(lengths.sum()))

    def summed(self, who: Codes, numbers: Floats) -> Floats:
        """Return the sum of numbers of rows for each rater."""
        return np.asarray(np.bincount(who, weights=numbers, minlength=self.n_raters), dtype=np.float64)

    def ratio(self, above: Floats, below: Floats, confidence: float) -> Estimate:
        """Return the ratio of two sums over raters, with t limits from the raters' shares in it."""
        # Lazy import: web processes import this module but never compute limits.
        from scipy.special import stdtr, stdtrit  # noqa: PLC0415

        r = self.n_raters
        value = float(above.sum() / below.sum())
        rest = above - value * below
        se = float(np.sqrt(r / (r - 1) * (rest @ rest)) / abs(below.sum()))
        width = float(stdtrit(r - 1, 0.5 + confidence / 2)) * se
        p = float(2 * stdtr(r - 1, -abs(value) / se)) if se else None
        note = ROUGH if r < FEW_RATERS else None
        return Estimate(
            value, value - width, value + width, df=r - 1, p=p, n_ratings=self.n_ratings, n_raters=r, note=note
        )


@dataclass(frozen=True, slots=True)
class _Noise:
    """The variance that texts and raters leave, and the numbers of answers of the raters."""

    left: float
    of_raters: Codes

    def of_others(self, around: float, series: Callable[[int], Floats], expected: float) -> float:
        """Return the variance of the means of others in u, if the errors of a series have variance 1.

        `around` is the mean of u'Mu / tr M, `expected` that of the series itself.
        """
        sizes, counts = np.unique(np.minimum(self.of_raters, LONGEST), return_counts=True)
        spread = df = 0.0
        for n, count in zip(sizes.tolist(), counts.tolist(), strict=True):
            covariance = series(n)
            spread += count * float(np.trace(covariance) - covariance.sum() / n)
            df += count * (n - 1)
        return max(0.0, around / self.left * spread / df - expected)


@dataclass(frozen=True, slots=True)
class _Matrices:
    """The matrices M and W of `carry_over` for rows of n texts, and the sum of W over neighbours."""

    residual: Floats
    contrast: Floats
    df: int
    neighbours: float

    def lasting(self, autocorrelation: float) -> tuple[float, float]:
        """Return the sums of M and of W over the effects of a text on later answers, per point of carry-over.

        What a text adds to the next answer lives on in later answers if answers carry over too.
        """
        lags = _lags(len(self.residual))
        lasting = np.where(lags > 0, np.power(float(autocorrelation), np.maximum(lags - 1, 0)), 0.0)
        return float((self.residual * lasting).sum()), float((self.contrast * lasting).sum())

    def ratio(self, covariance: Floats) -> float:
        """Return the expectation of tr M u'Wu / u'Mu for normal u with this covariance."""
        root = np.linalg.cholesky(covariance)
        spread, basis = np.linalg.eigh(root.T @ self.residual @ root)
        weights = np.einsum("ji,jk,ki->i", basis, root.T @ self.contrast @ root, basis)
        scale = float(spread.mean())
        # t = s / (1 - s) turns the integral over t > 0 into one over 0 < s < 1.
        s = (_NODES + 1) / 2
        below = 1 + 2 * np.outer(s / (1 - s), np.maximum(spread, 0.0) / scale)
        integrand = (weights / scale / below).sum(axis=1) / np.sqrt(below.prod(axis=1)) / (1 - s) ** 2
        return float(integrand @ _WEIGHTS) / 2 * self.df


@lru_cache(maxsize=LONGEST)
def _matrices(n: int) -> _Matrices:
    constants = np.column_stack((np.ones(n), np.arange(n) - (n - 1) / 2))[:, : 2 if n >= WITH_LINE else 1]
    basis = constants / np.sqrt((constants**2).sum(axis=0))
    df = n - basis.shape[1]
    residual = np.eye(n) - basis @ basis.T
    neighbours = np.eye(n, k=1)
    product = residual @ neighbours @ residual
    contrast = product - residual * np.trace(product) / df
    return _Matrices(residual, contrast, df, float((contrast * neighbours).sum()))


def _lags(n: int) -> Codes:
    """Return how many places each column is after each row, shape (n, n)."""
    return np.subtract.outer(np.arange(n), np.arange(n)).T


def _series(n: int, autocorrelation: float) -> Floats:
    """Return the covariance of n deviations: the one before times the autocorrelation, plus an error of variance 1."""
    lags = _lags(n)
    lasting = np.where(lags >= 0, np.power(float(autocorrelation), np.maximum(lags, 0)), 0.0)
    return np.asarray(lasting.T @ lasting)


def _of_answers(rows: _Rows, noise: _Noise, confidence: float) -> Estimate:
    """Return the effect of the preceding answer."""
    above, below = np.zeros(rows.n_raters), np.zeros(rows.n_raters)
    spread = df = 0.0
    for n, (who, own, theirs) in rows.by_length.items():
        m, u = _matrices(n), own - theirs
        around = _forms(u, m.residual, u)
        spread, df = spread + float(around.sum()), df + len(u) * m.df
        varies = around > _ROUNDING * max(1.0, float((own**2).mean()))
        ratios = m.df * _forms(u, m.contrast, u)[varies] / around[varies]
        above += rows.summed(who[varies], ratios)
        below += rows.summed(who[varies], np.full(len(ratios), m.neighbours))
    if noise.left <= _ROUNDING or not below.any():
        return Estimate(None, n_ratings=rows.n_ratings, n_raters=rows.n_raters, note=NO_SPREAD)
    observed = rows.ratio(above, below, confidence)

    def expected(autocorrelation: float) -> float:
        def series(n: int) -> Floats:
            return _series(n, autocorrelation)

        itself = sum(
            len(who) * float((_matrices(n).residual * series(n)).sum()) for n, (who, *_rest) in rows.by_length.items()
        )
        others = noise.of_others(spread / df, series, itself / df)
        ratios = sum(
            len(who) * _matrices(n).ratio(series(n) + others * np.eye(n)) for n, (who, *_rest) in rows.by_length.items()
        )
        return ratios / float(below.sum())

    value, low, high = (
        None if x is None else _solved(expected, x) for x in (observed.value, observed.low, observed.high)
    )
    return replace(observed, value=value, low=low, high=high)


def _solved(expected: Callable[[float], float], observed: float) -> float:
    """Return the autocorrelation under which the expectation equals the observed value, by interpolation."""
    from scipy.optimize import brentq  # noqa: PLC0415

    if expected(-_LARGEST) >= observed:
        return -_LARGEST
    if expected(_LARGEST) <= observed:
        return _LARGEST
    return float(brentq(lambda x: expected(x) - observed, -_LARGEST, _LARGEST, xtol=1e-8))


def _of_texts(rows: _Rows, answer: Estimate, confidence: float) -> Estimate:
    """Return the effect of the preceding text, given that of the preceding answer with its limits."""
    if answer.value is None or answer.low is None or answer.high is None:
        return _of_texts_given(rows, 0.0, confidence)
    # An uncertain effect is drawn towards 0, else its large values would weigh more than its small ones.
    half = (answer.high - answer.low) / 2
    certain = answer.value**2 / max(answer.value**2 + half**2 / 4, _ROUNDING)
    estimate = _of_texts_given(rows, certain * answer.value, confidence)
    lowest, highest = (_of_texts_given(rows, end, confidence).value for end in (answer.low, answer.high))
    if estimate.value is None or estimate.low is None or lowest is None or highest is None:
        return estimate
    width = float(np.hypot(estimate.value - estimate.low, (highest - lowest) / 2))
    return replace(estimate, low=estimate.value - width, high=estimate.value + width)


def _of_texts_given(rows: _Rows, autocorrelation: float, confidence: float) -> Estimate:
    above, below, effect = np.zeros(rows.n_raters), np.zeros(rows.n_raters), 0.0
    for n, (who, own, theirs) in rows.by_length.items():
        above += rows.summed(who, _forms(theirs, _matrices(n).contrast, own - theirs))
    for _round in range(_ROUNDS_OF_TEXTS):
        below = np.zeros(rows.n_raters)
        for n, (who, own, theirs) in rows.by_length.items():
            m = _matrices(n)
            in_spread, in_contrast = m.lasting(autocorrelation)
            # Carry-over itself changes how far own answers vary with the texts.
            variance = _forms(own, m.residual, theirs) / (m.df + effect * in_spread)
            below += rows.summed(who, variance * in_contrast)
        # Without a clear difference between texts, the ratio means nothing.
        if below.mean() <= 2 * below.std(ddof=1) / np.sqrt(rows.n_raters):
            return Estimate(None, n_ratings=rows.n_ratings, n_raters=rows.n_raters, note=ALIKE)
        effect = float(np.clip(above.sum() / below.sum(), -1.0, 1.0))
    return rows.ratio(above, below, confidence)


def _forms(left: Floats, matrix: Floats, right: Floats) -> Floats:
    """Return a'Bb for each row a of `left` and b of `right`, both of shape (rows, n)."""
    return np.asarray(((left @ matrix) * right).sum(axis=1))
