"""Agreement on marked characters: nominal alpha with one unit for each character."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import Codes, Floats, checked_codes
from analytics_app.stats.errors.marks import Looks, Spans, sorted_by
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.resampling.bootstrap import agreement_interval, check_settings, weights
from analytics_app.stats.resampling.pair_sums import few_drawn, rows_by_cluster


def character_alpha(
    looks: Looks,
    spans: Spans,
    lengths: ArrayLike,
    *,
    n_labels: int,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Estimate:
    """Krippendorff's nominal alpha over the characters of the texts that two raters or more saw [1]_.

    Every character is a unit; its values are the label of the span each rater has it in, or none. The work grows with
    the spans, not with the characters: between two ends of spans all characters are alike and count together. Texts
    are what the bootstrap draws.

    Parameters
    ----------
    looks : Looks
    spans : Spans
        Of one side; ends beyond a text lengthen it (the word [missing] stands after it).
    lengths : array_like of int, shape (n_texts,)
        Characters of each text, by its code in `looks`.
    n_labels : int
    clusters : ndarray of int, shape (n_texts,), optional
        The documents that texts are part of, where these are drawn instead of texts.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    Estimate
        `n_items` counts texts, `n_ratings` looks. Undefined where no two raters saw a text, or all characters have the
        same value.

    Notes
    -----
    Long texts weigh more, and where marks are rare nearly all characters are "none" to everybody: read F1 beside it.

    References
    ----------
    .. [1] K. Krippendorff (2004). Content Analysis, 2nd edition. Sage, chapter 11.

    Examples
    --------
    >>> looks = Looks(np.array([0, 0]), np.array([0, 1]))
    >>> spans = Spans(*np.array([[0, 1], [0, 0], [0, 0], [4, 2], [0, 0]]))
    >>> rng = np.random.default_rng(1)
    >>> found = character_alpha(looks, spans, [8], n_labels=1, n_resamples=0, confidence=0.95, rng=rng)
    >>> round(found.value, 4), found.n_items
    (0.5, 1)
    """
    check_settings(n_resamples, confidence)
    checked_codes(spans.label, spans.label.size, below=n_labels)
    sizes = checked_codes(lengths, np.asarray(lengths).size).copy()
    seen = np.bincount(looks.text, minlength=sizes.size)
    shared = np.flatnonzero(seen > 1)
    numbers: dict[str, Any] = {
        "n_ratings": int(seen[shared].sum()),
        "n_items": shared.size,
        "n_raters": np.unique(looks.rater[seen[looks.text] > 1]).size if looks.text.size else 0,
    }
    if not shared.size:
        return Estimate(None, **numbers, note="No two raters saw the same text, so alpha is undefined.")
    kept = spans.where(seen[looks.text[spans.look]] > 1)
    if not kept.look.size:
        note = "Nothing is marked in a text that two raters saw, so alpha is undefined."
        return Estimate(None, **numbers, note=note)
    coincidences = _coincidences(looks, _apart(kept), sizes, seen, n_labels)[shared]
    width = n_labels + 1
    value = float(_alphas(coincidences.sum(axis=0, keepdims=True), width)[0])
    if np.isnan(value):
        return Estimate(None, **numbers, note="All characters have the same mark, so alpha is undefined.")
    if not n_resamples:
        return Estimate(value, **numbers)
    unit = "texts" if clusters is None else "documents"
    tables = rows_by_cluster(coincidences, None if clusters is None else clusters[shared])
    if len(tables) < 2:
        return Estimate(value, **numbers, note=f"One shared {unit[:-1]} is too few for an interval.")
    chunks = weights(len(tables), n_resamples, rng, width=width**2)
    samples = np.concatenate([_alphas(chunk.astype(np.float64) @ tables, width) for chunk in chunks])
    low, high, se, failed = agreement_interval(
        samples, confidence, len(tables), value=value, k=numbers["n_ratings"] / shared.size
    )
    return Estimate(value, low=low, high=high, se=se, **numbers, note=joined(failed, few_drawn(len(tables), unit)))


def _apart(spans: Spans) -> Spans:
    """Cut spans of one look so that none overlap: the highest label takes a character."""
    order = sorted_by(spans.look, spans.start)
    look, start, end, label = spans.look[order], spans.start[order], spans.end[order], spans.label[order]
    same = np.r_[False, np.diff(look) == 0]
    # Where a span begins before the one before it has ended, all of that look is gone through by characters.
    before = np.r_[0, end[:-1]]
    crossed = np.unique(look[same & (start < before)])
    if not crossed.size:
        return spans
    messy = np.isin(look, crossed)
    sizes = (end - start)[messy]
    at = np.repeat(start[messy], sizes) + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    whose, what = np.repeat(look[messy], sizes), np.repeat(label[messy], sizes)
    order = sorted_by(whose, at, int(what.max()) - what)
    whose, at, what = whose[order], at[order], what[order]
    first = np.r_[True, (np.diff(whose) != 0) | (np.diff(at) != 0)]
    whose, at, what = whose[first], at[first], what[first]
    side = np.zeros(whose.size, dtype=np.intp)
    parts = (look[~messy], whose), (np.zeros_like(look[~messy]), side), (start[~messy], at), (end[~messy], at + 1)
    columns = [np.concatenate(part) for part in (*parts, (label[~messy], what))]
    return Spans(columns[0], columns[1], columns[2], columns[3], columns[4])


def _coincidences(looks: Looks, spans: Spans, sizes: Codes, seen: Codes, n_labels: int) -> Floats:
    """Return for each text its table of values by values, shape (n_texts, (n_labels + 1) ** 2); the last is none."""
    text = looks.text[spans.look]
    np.maximum.at(sizes, text, spans.end)
    n_texts, n = sizes.size, spans.look.size
    every = np.arange(n_texts)
    # What changes where: a span begins, a span ends, a text begins and ends.
    where = np.concatenate([spans.start, spans.end, np.zeros(n_texts, dtype=np.intp), sizes])
    whose = np.concatenate([text, text, every, every])
    order = sorted_by(whose, where)
    where, whose = where[order], whose[order]
    step = np.concatenate([np.ones(n), -np.ones(n), np.zeros(2 * n_texts)])[order]
    what = np.concatenate([spans.label, spans.label, np.zeros(2 * n_texts, dtype=np.intp)])[order]
    marked = [np.cumsum(np.where(what == label, step, 0)) for label in range(n_labels)]
    last = np.r_[np.diff(whose) != 0, True]
    run = np.where(last, 0, np.r_[np.diff(where), 0])
    k = seen[whose]
    there = (run > 0) & (k > 1)
    run, k, whose = run[there], k[there], whose[there]
    counts = [column[there] for column in marked]
    counts.append(k - np.sum(counts, axis=0))
    weight = run / (k - 1)
    width = n_labels + 1
    table = np.empty((n_texts, width, width))
    for a in range(width):
        for b in range(width):
            if b < a:
                table[:, a, b] = table[:, b, a]
                continue
            pairs = counts[a] * (counts[b] - (a == b))
            table[:, a, b] = np.bincount(whose, weights=weight * pairs, minlength=n_texts)
    return table.reshape(n_texts, width * width)


def _alphas(tables: Floats, width: int) -> Floats:
    """Return nominal alpha of each table of coincidences, NaN where all values are the same."""
    o = tables.reshape(-1, width, width)
    n_c = o.sum(axis=2)
    n = n_c.sum(axis=1)
    observed = n - np.trace(o, axis1=1, axis2=2)
    expected = n**2 - (n_c**2).sum(axis=1)
    defined = expected > 1e-9 * np.maximum(n, 1) ** 2
    ratio = np.divide((n - 1) * observed, expected, out=np.full(n.shape, np.nan), where=defined)
    result: Floats = 1 - ratio
    return result
