"""The model of Dawid and Skene: the true label of each text, and how each rater confuses labels, found together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.arrays import Codes, Floats, checked_codes, compressed
from analytics_app.stats.errors.votes import checked, first_of

ONE_EACH = "No text has labels by two raters, so there is nothing to tell raters' errors from texts by."
NOTHING = "Nothing was labelled."

# A probability is kept above this, whose logarithm is still far from the least float.
_LEAST = 1e-300
# Cells of a chunk of texts by labels: 32 MiB.
_CELLS = 2**22


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """Labels, confidence and raters under the model; arrays are empty where `note` says that it is undefined.

    Parameters
    ----------
    texts : ndarray of int, shape (n_texts,)
        Codes of the texts that have labels, sorted.
    posterior : ndarray of float, shape (n_texts, n_labels)
        Probability of each label; rows sum to 1.
    label : ndarray of int, shape (n_texts,)
        The most probable label, -1 where two are as probable.
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
        All raters together: row = true label, column = label given; NaN in the row of a label that no text has.
    log_likelihood : float or None
    n_iterations : int
    converged : bool
    note : str or None
        Why it is undefined, or what makes it weak.
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
        """Whether there is anything to read."""
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

    in logarithms, until the log-likelihood changes by less than `tolerance` of itself.

    Parameters
    ----------
    labels, texts, raters : array_like of int, shape (n,)
        Codes from 0; labels below n_labels. A rater may label a text several times.
    n_labels : int
        Labels that nobody gave stay at probability 0.
    smoothing : float
        Added to every cell of C before it is divided by its row, so that nothing is impossible.
    max_iterations : int
    tolerance : float

    Returns
    -------
    DawidSkene
        Undefined where no text has two labels. Weak, said in `note`, where it did not converge, or where texts of
        one label get mostly another one: the names of labels may then be switched.

    Raises
    ------
    ValueError
        Wrong shapes, codes or settings.

    Notes
    -----
    Only pairs of rater and label that occur are stored: memory grows with them times `n_labels`, not with raters
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
    likelihood, converged, done = -np.inf, False, 0
    prior, log_confusion = votes.maximised(truth, smoothing)
    while done < max_iterations and not converged:
        truth, now = votes.expected(prior, log_confusion)
        converged = bool(abs(now - likelihood) <= tolerance * abs(now))
        likelihood = now
        prior, log_confusion = votes.maximised(truth, smoothing)
        done += 1
    return _described(votes, truth, log_confusion, likelihood, done, converged=converged)


@dataclass(frozen=True, slots=True)
class _Votes:
    """Labels as a sparse matrix: a row for each pair of rater and label that occurs, a column for each text."""

    matrix: Any
    texts: Codes
    raters: Codes
    rater_of_row: Codes
    label_of_row: Codes
    n_labels: int

    @classmethod
    def of(cls, label: Codes, text: Codes, rater: Codes, n_labels: int) -> _Votes:
        # Tasks alone compute this; a web process that imports the module is spared scipy.
        from scipy.sparse import csr_array  # noqa: PLC0415

        texts, column = compressed(text)
        raters, who = compressed(rater)
        pairs, row = compressed(who * n_labels + label)
        shape = (pairs.size, texts.size)
        # Labels that a rater gave a text several times are summed up.
        matrix = csr_array((np.ones(label.size), (row, column)), shape=shape)
        return cls(matrix, texts, raters, pairs // n_labels, pairs % n_labels, n_labels)

    def shares(self) -> Floats:
        """Share of the votes that each label of a text has."""
        counts = np.column_stack([self.matrix.T @ (self.label_of_row == k) for k in range(self.n_labels)])
        result: Floats = counts / counts.sum(axis=1, keepdims=True)
        return result

    def counted(self, truth: Floats) -> tuple[Floats, Floats]:
        """Expected labels by pair of rater and label given, and by rater: both by true label."""
        given = self.matrix @ truth
        of_rater = np.zeros((self.raters.size, self.n_labels))
        np.add.at(of_rater, self.rater_of_row, given)
        return given, of_rater

    def maximised(self, truth: Floats, smoothing: float) -> tuple[Floats, Floats]:
        """M step: prevalence, and the logarithm of C for the pairs that occur, shape (pairs, n_labels)."""
        given, of_rater = self.counted(truth)
        whole = (of_rater + smoothing * self.n_labels)[self.rater_of_row]
        return truth.mean(axis=0), np.log((given + smoothing) / whole)

    def expected(self, prior: Floats, log_confusion: Floats) -> tuple[Floats, float]:
        """E step: the probability of each label of each text, and the log-likelihood."""
        scores = self.matrix.T @ log_confusion + np.log(np.maximum(prior, _LEAST))
        largest = scores.max(axis=1, keepdims=True)
        truth = np.exp(scores - largest)
        totals = truth.sum(axis=1, keepdims=True)
        truth /= totals
        return truth, float((np.log(totals) + largest).sum())


def _described(
    votes: _Votes, truth: Floats, log_confusion: Floats, likelihood: float, done: int, *, converged: bool
) -> DawidSkene:
    given, of_rater = votes.counted(truth)
    right = given[np.arange(len(given)), votes.label_of_row]
    n = np.bincount(votes.rater_of_row, weights=votes.matrix.sum(axis=1), minlength=votes.raters.size)
    accuracy = np.bincount(votes.rater_of_row, weights=right, minlength=votes.raters.size) / n
    sensitivity = np.zeros(of_rater.shape)
    own = np.exp(log_confusion[np.arange(len(given)), votes.label_of_row])
    sensitivity[votes.rater_of_row, votes.label_of_row] = own
    together = np.zeros((votes.n_labels, votes.n_labels))
    np.add.at(together.T, votes.label_of_row, given)
    rows = together.sum(axis=1, keepdims=True)
    confusion = np.divide(together, rows, out=np.full(together.shape, np.nan), where=rows > _LEAST)
    notes = [] if converged else [f"The estimate still moved after {done} iterations."]
    held = truth.mean(axis=0) * len(truth) >= 1
    if bool((confusion.argmax(axis=1) != np.arange(votes.n_labels))[held].any()):
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
        n_iterations=done,
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
    none, nothing = np.empty(0, dtype=np.intp), np.empty((0, n_labels))
    return DawidSkene(none, nothing, none, np.empty(0), none, np.empty(0), nothing, np.empty((0, 0)), note=note)
