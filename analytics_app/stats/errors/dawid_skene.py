"""The model of Dawid and Skene: estimates true labels and every rater's confusions of labels together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.errors.votes import checked, first_of
from analytics_app.stats.values import Codes, Floats, checked_codes, compressed

ONE_EACH = "No text has labels by two raters, so there is nothing to tell raters' errors from texts by."
NOTHING = "Nothing was labelled."

# The smallest probability, so that logarithms stay finite.
_LEAST = 1e-300
# Up to so many labels are joined column by column; sums of more would differ in the last digit.
_FEW_LABELS = 7


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """Labels, confidence and raters under the model; arrays are empty if `note` says that it is undefined.

    Parameters
    ----------
    texts : ndarray of int, shape (n_texts,)
        Codes of the texts that have labels, sorted.
    posterior : ndarray of float, shape (n_texts, n_labels)
        Probability of each label; rows sum to 1.
    label : ndarray of int, shape (n_texts,)
        The most probable label, -1 where two are equally probable.
    prevalence : ndarray of float, shape (n_labels,)
        Share of texts with each label.
    raters : ndarray of int, shape (n_raters,)
        Codes of the raters, sorted.
    accuracy : ndarray of float, shape (n_raters,)
        Expected share of a rater's labels that are right.
    sensitivity : ndarray of float, shape (n_raters, n_labels)
        Diagonal of a rater's confusion matrix: probability of giving a label where it is the true one; NaN where the
        rater judged less than half a text of that label.
    confusion : ndarray of float, shape (n_labels, n_labels)
        All raters together: row = true label, column = given label; NaN in the row of a label that no text has.
    log_likelihood : float or None
    n_iterations : int
    converged : bool
    note : str or None
        Why the model is undefined, or why its result is weak.
    """

    texts: Codes
    posterior: Floats
    label: NDArray[np.intp]
    prevalence: Floats
    raters: Codes
    accuracy: Floats
    sensitivity: Floats
    confusion: Floats
    log_likelihood: float | None = None
    n_iterations: int = 0
    converged: bool = False
    note: str | None = None

    @property
    def defined(self) -> bool:
        """Whether the model has a result."""
        return bool(self.texts.size)

    @property
    def confidence(self) -> Floats:
        """Probability of the most probable label of each text, shape (n_texts,)."""
        return self.posterior.max(axis=1) if self.texts.size else np.empty(0)


def dawid_skene(
    labels: ArrayLike,
    texts: ArrayLike,
    raters: ArrayLike,
    *,
    n_labels: int,
    smoothing: float = 0.01,
    max_iterations: int = 200,
    tolerance: float = 1e-8,
) -> DawidSkene:
    """Estimate the true labels and every rater's confusion matrix by expectation maximisation [1]_.

    Given the true label k of a text, rater j gives label l with probability C[j, k, l], independently of the others.
    Starting from shares of votes, the M step counts C and the prevalence p, the E step the probability of each label,

        T[i, k] proportional to p[k] * product over the labels l that raters j gave text i of C[j, k, l],

    in logarithms, until the relative change of the log-likelihood is at most `tolerance`.

    Parameters
    ----------
    labels, texts, raters : array_like of int, shape (n,)
        Codes from 0; labels below n_labels. A rater may label a text several times.
    n_labels : int
        Number of labels; unused labels stay at probability 0.
    smoothing : float
        Added to every cell of C before dividing by the sums of rows, so that no label is impossible.
    max_iterations : int
    tolerance : float

    Returns
    -------
    DawidSkene
        Undefined where no text has two labels. Weak, as `note` says, if it did not converge, or if texts of one
        label mostly get another label: the names of labels may then be switched.

    Raises
    ------
    ValueError
        Wrong shapes, codes or settings.

    Notes
    -----
    Only pairs of rater and label that occur are stored: memory grows with these pairs times `n_labels`, not with raters
    times labels squared.

    References
    ----------
    .. [1] A. P. Dawid and A. M. Skene (1979). Maximum likelihood estimation of observer error-rates using the EM
       algorithm. Journal of the Royal Statistical Society C 28(1), 20-28.

    Examples
    --------
    >>> texts, raters = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]
    >>> found = dawid_skene([0, 0, 0, 1, 1, 0], texts, raters, n_labels=2)
    >>> found.label.tolist(), bool((found.accuracy[:2] > found.accuracy[2]).all())
    ([0, 1], True)
    """
    label, text = checked(labels, texts, n_labels)
    rater = checked_codes(raters, label.size)
    if smoothing <= 0 or max_iterations < 1 or tolerance <= 0:
        raise ValueError("Smoothing and tolerance are above 0, and there is at least 1 iteration.")
    if (reason := _refused(label, text)) is not None:
        return _undefined(n_labels, reason)
    votes = _Votes.of(label, text, rater, n_labels)
    truth = votes.shares()
    likelihood, converged, n_iterations = -np.inf, False, 0
    prior, log_confusion = votes.maximised(truth, smoothing)
    while n_iterations < max_iterations and not converged:
        truth, new_likelihood = votes.expected(prior, log_confusion)
        converged = bool(abs(new_likelihood - likelihood) <= tolerance * abs(new_likelihood))
        likelihood = new_likelihood
        prior, log_confusion = votes.maximised(truth, smoothing)
        n_iterations += 1
    return _described(votes, truth, log_confusion, likelihood, n_iterations, converged=converged)


@dataclass(frozen=True, slots=True)
class _Votes:
    """Labels as a sparse matrix: a row for each pair of rater and label that occurs, a column for each text."""

    matrix: Any  # and a last row of ones, so that its product with probabilities ends with their sums
    transposed: Any  # without that row; stored, since scipy takes as long to make it as to multiply
    texts: Codes
    raters: Codes
    rater_of_row: Codes
    label_of_row: Codes
    n_labels: int

    @classmethod
    def of(cls, label: Codes, text: Codes, rater: Codes, n_labels: int) -> _Votes:
        # Lazy import: web processes import this module but never compute it.
        from scipy.sparse import csr_array  # noqa: PLC0415

        texts, column = compressed(text)
        raters, rater_places = compressed(rater)
        pairs, row = compressed(rater_places * n_labels + label)
        # Half as wide as codes usually are, since there may be a million labels.
        row, column = row.astype(np.int32), column.astype(np.int32)
        # If a rater labelled a text several times, the entries are summed.
        counts = csr_array((np.ones(label.size), (row, column)), shape=(pairs.size, texts.size))
        ends = np.append(counts.indptr, counts.nnz + texts.size).astype(np.int32)
        every = np.arange(texts.size, dtype=np.int32)
        columns = (np.r_[counts.data, np.ones(texts.size)], np.r_[counts.indices, every], ends)
        matrix = csr_array(columns, shape=(pairs.size + 1, texts.size))
        return cls(matrix, counts.T, texts, raters, pairs // n_labels, pairs % n_labels, n_labels)

    def shares(self) -> Floats:
        """Return the share of votes of each label, by text."""
        counts = np.column_stack([self.transposed @ (self.label_of_row == k) for k in range(self.n_labels)])
        result: Floats = counts / counts.sum(axis=1, keepdims=True)
        return result

    def counted(self, truth: Floats) -> tuple[Floats, Floats, Floats]:
        """Return expected counts of true labels, by pair of rater and given label, by rater, and of all texts."""
        by_row = self.matrix @ truth
        by_row, totals = by_row[:-1], by_row[-1]
        n = self.raters.size
        columns = [np.bincount(self.rater_of_row, weights=column, minlength=n) for column in by_row.T]
        return by_row, np.column_stack(columns), totals

    def maximised(self, truth: Floats, smoothing: float) -> tuple[Floats, Floats]:
        """M step: prevalence, and the logarithm of C for the pairs that occur, shape (pairs, n_labels)."""
        by_row, of_rater, totals = self.counted(truth)
        of_pair = (of_rater + smoothing * self.n_labels)[self.rater_of_row]
        return totals / len(truth), np.log((by_row + smoothing) / of_pair)

    def expected(self, prior: Floats, log_confusion: Floats) -> tuple[Floats, float]:
        """E step: the probability of each label of each text, and the log-likelihood."""
        scores = self.transposed @ log_confusion
        scores += np.log(np.maximum(prior, _LEAST))
        largest = _along_labels(np.maximum, scores)
        scores -= largest
        truth = np.exp(scores, out=scores)
        totals = _along_labels(np.add, truth)
        truth /= totals
        return truth, float((np.log(totals) + largest).sum())


def _along_labels(join: np.ufunc, table: Floats) -> Floats:
    """Return `join.reduce` along the labels of each text, shape (n_texts, 1).

    Of a few labels, numpy reduces many short rows far slower than it joins columns.
    """
    if table.shape[1] > _FEW_LABELS:
        reduced: Floats = join.reduce(table, axis=1, keepdims=True)
        return reduced
    joined = table[:, 0].copy()
    for column in table.T[1:]:
        join(joined, column, out=joined)
    return joined[:, np.newaxis]


def _described(
    votes: _Votes, truth: Floats, log_confusion: Floats, likelihood: float, n_iterations: int, *, converged: bool
) -> DawidSkene:
    by_row, of_rater, _totals = votes.counted(truth)
    right = by_row[np.arange(len(by_row)), votes.label_of_row]
    n = np.bincount(votes.rater_of_row, weights=votes.transposed.sum(axis=0), minlength=votes.raters.size)
    accuracy = np.bincount(votes.rater_of_row, weights=right, minlength=votes.raters.size) / n
    sensitivity = np.zeros(of_rater.shape)
    own = np.exp(log_confusion[np.arange(len(by_row)), votes.label_of_row])
    sensitivity[votes.rater_of_row, votes.label_of_row] = own
    by_label = np.zeros((votes.n_labels, votes.n_labels))
    np.add.at(by_label.T, votes.label_of_row, by_row)
    rows = by_label.sum(axis=1, keepdims=True)
    confusion = np.divide(by_label, rows, out=np.full(by_label.shape, np.nan), where=rows > _LEAST)
    notes = [] if converged else [f"The estimate still moved after {n_iterations} iterations."]
    common = truth.mean(axis=0) * len(truth) >= 1
    if bool((confusion.argmax(axis=1) != np.arange(votes.n_labels))[common].any()):
        notes.append("Texts of one label mostly got another one: the names of labels may be switched.")
    return DawidSkene(
        texts=votes.texts,
        posterior=truth,
        label=first_of(truth),
        prevalence=truth.mean(axis=0),
        raters=votes.raters,
        accuracy=np.clip(accuracy, 0.0, 1.0),
        sensitivity=np.where(of_rater >= 0.5, sensitivity, np.nan),
        confusion=confusion,
        log_likelihood=likelihood,
        n_iterations=n_iterations,
        converged=converged,
        note=" ".join(notes) or None,
    )


def _refused(label: Codes, text: Codes) -> str | None:
    if not label.size:
        return NOTHING
    if len(np.unique(text)) == text.size:
        return ONE_EACH
    return None


def _undefined(n_labels: int, note: str) -> DawidSkene:
    empty, no_rows = np.empty(0, dtype=np.intp), np.empty((0, n_labels))
    return DawidSkene(empty, no_rows, empty, np.empty(0), empty, np.empty(0), no_rows, np.empty((0, 0)), note=note)
