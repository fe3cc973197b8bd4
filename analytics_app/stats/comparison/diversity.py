"""Diversity of the texts of a system: distinct words and sequences of words, and how alike the texts are.

Every measure depends on the number of texts, so systems are compared on the same items. Items are left out one by one
for intervals: resamples with replacement have items twice, and a text that stands there twice is never diverse.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.values import Codes, Estimate, Floats, compressed

# The longest sequences of words of BLEU, and what stands for no match, as in Zhu et al. (2018).
BLEU_ORDER, NO_MATCH = 4, 0.1
# Fewer items leave too little to judge how far the value may be from that of other items.
FEWEST_ITEMS = 10
TOO_FEW = f"Fewer than {FEWEST_ITEMS} items that all systems have a text for."
ALL_ALIKE = "No interval: leaving out any item gives the same value."


@dataclass(frozen=True, slots=True)
class Jackknifed:
    """A measure of all texts, its value `without` each of them, shape (n,), and what pairs of texts do together.

    `joint` is how much more the value changes without both texts of a pair than without each of them, for the `pairs`
    where that is not 0: the number of the first text times n plus that of the second.
    """

    value: float
    without: Floats
    pairs: Codes
    joint: Floats

    @classmethod
    def of(cls, value: float, without: Floats, first: Codes, second: Codes, joint: Floats) -> "Jackknifed":
        """Return a measure with the joint effects of the pairs of first and second texts, summed by pair."""
        codes = np.minimum(first, second) * without.size + np.maximum(first, second)
        pairs, place = np.unique(codes, return_inverse=True)
        return cls(value, without, pairs, np.bincount(place, weights=joint, minlength=pairs.size).astype(np.float64))

    def __sub__(self, other: "Jackknifed") -> "Jackknifed":
        first, second = np.divmod(np.concatenate((self.pairs, other.pairs)), self.without.size)
        joint = np.concatenate((self.joint, -other.joint))
        return Jackknifed.of(self.value - other.value, self.without - other.without, first, second, joint)

    def share(self, confidence: float) -> Estimate:
        """Return a value between 0 and 1 with limits that are symmetric on the scale of log odds.

        Near the ends of the scale other items give skewed values.
        """
        plain = self.estimate(confidence)
        if plain.low is None or not 0 < self.value < 1:
            return replace(plain, p=None, df=None)
        odds = self.value / (1 - self.value)
        factor = np.exp((self.value - plain.low) / (self.value * (1 - self.value)))
        low, high = (float(1 / (1 + 1 / limit)) for limit in (odds / factor, odds * factor))
        return replace(plain, low=low, high=high, p=None, df=None)

    def estimate(self, confidence: float) -> Estimate:
        """Return the value with the jackknife's standard error, t limits, and p of the value 0.

        What two texts have in common counts for both when they are left out one by one, so the variance of a measure of
        what texts share would be up to twice as large as it is. The squares of joint effects are subtracted [1]_.

        References
        ----------
        .. [1] B. Efron and C. Stein (1981). The jackknife estimate of variance. Annals of Statistics 9(3), 586-596.
        """
        # Lazy import: web processes import this module but never compute limits.
        from scipy.special import stdtr, stdtrit  # noqa: PLC0415

        n = self.without.size
        if n < FEWEST_ITEMS:
            return Estimate(self.value, n_items=n, note=TOO_FEW)
        variance = float((n - 1) / n * ((self.without - self.without.mean()) ** 2).sum())
        of_pairs = float(self.joint @ self.joint - self.joint.sum() ** 2 / (n * (n - 1) / 2))
        se = float(np.sqrt(max(variance - of_pairs, variance / 2)))
        if se <= 1e-12 * max(1.0, abs(self.value)):
            return Estimate(self.value, n_items=n, note=ALL_ALIKE)
        width = float(stdtrit(n - 1, 0.5 + confidence / 2)) * se
        p = float(2 * stdtr(n - 1, -abs(self.value) / se))
        return Estimate(self.value, self.value - width, self.value + width, se=se, df=n - 1, p=p, n_items=n)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of n texts in a row: `word` and `text` are codes from 0, `lengths` has the words of each text."""

    word: Codes
    text: Codes
    lengths: Codes

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> "Tokens":
        """Return the tokens of texts, each of which has a word.

        Raises
        ------
        ValueError
            There are fewer than two texts, or one has no word.
        """
        lengths = np.array([len(words) for words in texts], dtype=np.intp)
        if lengths.size < 2 or not lengths.all():
            raise ValueError("Diversity takes two texts or more, and a word in each.")
        numbers: dict[str, int] = {}
        words = [numbers.setdefault(word, len(numbers)) for words in texts for word in words]
        return cls(np.array(words, dtype=np.intp), np.repeat(np.arange(lengths.size), lengths), lengths)

    def sequences(self, n: int) -> tuple[Codes, Codes]:
        """Return the codes of all sequences of n words within a text, from 0, and their texts."""
        code, places = self.word, np.arange(self.word.size)
        width = int(self.word.max()) + 1
        for shift in range(1, n):
            inside = places + shift < self.word.size
            inside[inside] = self.text[places[inside]] == self.text[places[inside] + shift]
            places = places[inside]
            code = np.unique(code[inside] * width + self.word[places + shift], return_inverse=True)[1]
        return code, self.text[places]


def within_texts(tokens: Tokens) -> Jackknifed:
    """Return the mean type-token ratio of texts: different words of a text over its words.

    Examples
    --------
    >>> within_texts(Tokens.of([["a", "a"], ["a", "b"]])).value
    0.75
    """
    words = int(tokens.word.max()) + 1
    different = np.bincount(np.unique(tokens.text * words + tokens.word) // words, minlength=tokens.lengths.size)
    ratios = different / tokens.lengths
    none = np.empty(0, dtype=np.intp)
    without = (ratios.sum() - ratios) / (ratios.size - 1)
    return Jackknifed.of(float(ratios.mean()), without, none, none, np.empty(0))


def distinct(tokens: Tokens, n: int) -> Jackknifed | None:
    """Return distinct-n [1]_: different sequences of n words in all texts, over all sequences; None if there are none.

    References
    ----------
    .. [1] J. Li, M. Galley, C. Brockett, J. Gao and B. Dolan (2016). A diversity-promoting objective function for
       neural conversation models. NAACL, 110-119.
    .. [2] I. J. Good and G. H. Toulmin (1956). The number of new species, and the increase in population coverage, when
       a sample is increased. Biometrika 43, 45-63.

    Examples
    --------
    >>> distinct(Tokens.of([["a", "b"], ["a", "c"]]), 1).value
    0.75
    """
    code, text = tokens.sequences(n)
    n_texts = tokens.lengths.size
    sequences = np.bincount(text, minlength=n_texts)
    if (sequences.sum() - sequences == 0).any():
        return None
    cells = np.unique(code * n_texts + text)
    n_holders = np.bincount(cells // n_texts)
    # What stands in one text only is gone without that text.
    own = np.bincount((cells % n_texts)[n_holders[cells // n_texts] == 1], minlength=n_texts)
    # What stands in two texts only is gone without both.
    first, second = (cells % n_texts)[n_holders[cells // n_texts] == 2].reshape(-1, 2).T
    # The variance of the number of different sequences is f1 - f2 + f3 - …, with the numbers of those in one, two and
    # three texts [2]_. It hardly converges; f1 - f2 / (1 + f3 / f2) is its Padé approximant.
    of_two = 1 / np.sqrt(1 + (n_holders == 3).sum() / max(first.size, 1))
    total = sequences.sum()
    without = (n_holders.size - own) / (total - sequences)
    return Jackknifed.of(float(n_holders.size / total), without, first, second, np.full(first.size, of_two / total))


def self_bleu(tokens: Tokens) -> Jackknifed:
    """Return Self-BLEU [1]_: the mean BLEU-4 of each text with all others as its references, from 0 to 1.

    A sequence of words of a text counts as often as it stands in the other text that has it most often. No match of
    some length counts as a tenth of one; a text shorter than four words has the lengths that it has.

    References
    ----------
    .. [1] Y. Zhu, S. Lu, L. Zheng, J. Guo, W. Zhang, J. Wang and Y. Yu (2018). Texygen: a benchmarking platform for
       text generation models. SIGIR, 1097-1100.

    Examples
    --------
    >>> self_bleu(Tokens.of([["a", "b"], ["a", "b"], ["c", "d"]])).value.__round__(4)
    0.6902
    """
    n = tokens.lengths.size
    matches, totals = np.zeros((BLEU_ORDER, n)), np.zeros((BLEU_ORDER, n))
    lost: list[tuple[Codes, Codes, Floats]] = []
    for order in range(BLEU_ORDER):
        totals[order] = np.maximum(tokens.lengths - order, 0)
        code, text = tokens.sequences(order + 1)
        if code.size:
            of_order = _Matches.of(code, text, n)
            matches[order] = np.bincount(of_order.text, weights=of_order.clipped, minlength=n)
            losing = of_order.loss > 0
            pairs = of_order.text[losing] * n + of_order.holder[losing]
            lost.append((pairs, np.full(pairs.size, order), of_order.loss[losing].astype(np.float64)))
    penalty = np.minimum(1.0, np.exp(1 - _closest(tokens.lengths) / tokens.lengths))
    scores = _bleu(matches, totals, penalty)
    pairs, orders, losses = (np.concatenate(columns) for columns in zip(*lost, strict=True))
    pair_codes, place = compressed(pairs.astype(np.intp))
    changed = np.zeros((BLEU_ORDER, pair_codes.size))
    np.add.at(changed, (orders, place), losses)
    of, holder = pair_codes // n, pair_codes % n
    poorer = _bleu(matches[:, of] - changed, totals[:, of], penalty[of]) - scores[of]
    without = (scores.sum() - scores + np.bincount(holder, weights=poorer, minlength=n)) / (n - 1)
    # The text that loses a match and the text that it was matched with: the match is gone without either.
    return Jackknifed.of(float(scores.mean()), without, of, holder, poorer / n)


@dataclass(frozen=True, slots=True)
class _Matches:
    """For each sequence of words of each text: how often it counts, whose text it is matched with, and what is lost.

    `loss` is how much less often it counts without the text of its `holder`.
    """

    text: Codes
    holder: Codes
    clipped: NDArray[np.int64]
    loss: NDArray[np.int64]

    @classmethod
    def of(cls, code: Codes, text: Codes, n: int) -> "_Matches":
        """Match the sequences of each text with those of the other texts that have them most often."""
        cells, count = np.unique(code * n + text, return_counts=True)
        sequence, holder = cells // n, cells % n
        order = np.lexsort((holder, -count, sequence))
        sequence, holder, count = sequence[order], holder[order], count[order]
        begin = np.flatnonzero(np.r_[True, np.diff(sequence) != 0])
        size = np.diff(np.r_[begin, sequence.size])
        rank = np.arange(sequence.size) - np.repeat(begin, size)
        first = np.repeat(begin, size)
        n_holders = np.repeat(size, size)

        def count_at(number: NDArray[np.int64]) -> NDArray[np.int64]:
            """Return the count of the holder of this rank, 0 if there are not so many."""
            return np.where(number < n_holders, count[np.minimum(first + number, sequence.size - 1)], 0)

        # The best other holder: the second for the first of them, else the first. Without it, the next one counts.
        best = np.where(rank == 0, 1, 0)
        following = np.where(rank <= 1, 2, 1)
        clipped = np.minimum(count, count_at(best))
        loss = clipped - np.minimum(count, count_at(following))
        return cls(holder, holder[np.minimum(first + best, sequence.size - 1)], clipped, loss)


def _bleu(matches: Floats, totals: Floats, penalty: Floats) -> Floats:
    """Return BLEU of texts from their matches and sequences of each order, shape (4, n), and brevity penalties."""
    precision = np.where(matches > 0, matches, NO_MATCH) / np.maximum(totals, 1)
    used = totals > 0
    return np.asarray(penalty * np.exp((np.log(precision) * used).sum(axis=0) / used.sum(axis=0)))


def _closest(lengths: Codes) -> Codes:
    """Return for each text the length of another text that is closest to its own, the shorter of two."""
    different, place, times = np.unique(lengths, return_inverse=True, return_counts=True)
    far = np.iinfo(np.int64).max // 4
    below = np.r_[-far, different[:-1]]
    above = np.r_[different[1:], far]
    nearest = np.where(different - below <= above - different, below, above)
    return np.where(times > 1, different, nearest)[place]
