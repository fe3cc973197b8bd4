"""Agreement on marked characters: nominal alpha with one unit for each character."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.errors.marks import Looks, Spans, sorted_by
from analytics_app.stats.resampling.bootstrap import agreement_interval, check_settings, weights
from analytics_app.stats.resampling.pair_sums import few_drawn, rows_by_cluster
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, joined


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

    Every character is a unit; its value from a rater is the label of the rater's span around it, or none. The work
    grows with the spans, not with the characters: all characters between two ends of spans are alike and count
    together. The bootstrap resamples texts.

    Parameters
    ----------
    looks : Looks
    spans : Spans
        Spans on one side; ends beyond a text lengthen it (the word [missing] is placed after it).
    lengths : array_like of int, shape (n_texts,)
        Characters of each text, by its code in `looks`.
    n_labels : int
    clusters : ndarray of int, shape (n_texts,), optional
        The documents that texts belong to, if documents are resampled instead of texts.
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
    Long texts weigh more, and where marks are rare nearly all characters are "none" for everybody: report F1 as well.

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
    n_looks = np.bincount(looks.text, minlength=sizes.size)
    shared = np.flatnonzero(n_looks > 1)
    numbers = _counts(looks, n_looks, shared)
    if not shared.size:
        return Estimate(None, **numbers, note="No two raters saw the same text, so alpha is undefined.")
    shared_spans = spans.where(n_looks[looks.text[spans.look]] > 1)
    if not shared_spans.look.size:
        unmarked = "Nothing is marked in a text that two raters saw, so alpha is undefined."
        return Estimate(None, **numbers, note=unmarked)
    coincidences = _coincidences(looks, _without_overlaps(shared_spans), sizes, n_looks, n_labels)[shared]
    width = n_labels + 1
    value = float(_alphas(coincidences.sum(axis=0, keepdims=True), width)[0])
    if np.isnan(value):
        return Estimate(None, **numbers, note="All characters have the same mark, so alpha is undefined.")
    if not n_resamples:
        return Estimate(value, **numbers)
    tables = rows_by_cluster(coincidences, None if clusters is None else clusters[shared])
    unit = "texts" if clusters is None else "documents"
    if len(tables) < 2:
        return Estimate(value, **numbers, note=f"One shared {unit[:-1]} is too few for an interval.")
    samples = _samples(tables, width, n_resamples, rng)
    low, high, se, interval_note = agreement_interval(
        samples, confidence, len(tables), value=value, k=numbers["n_ratings"] / shared.size
    )
    note = joined(interval_note, few_drawn(len(tables), unit))
    return Estimate(value, low=low, high=high, se=se, **numbers, note=note)


def _counts(looks: Looks, n_looks: Codes, shared: Codes) -> dict[str, Any]:
    return {
        "n_ratings": int(n_looks[shared].sum()),
        "n_items": shared.size,
        "n_raters": np.unique(looks.rater[n_looks[looks.text] > 1]).size if looks.text.size else 0,
    }


def _samples(tables: Floats, width: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return alpha in resamples of the units with these tables of coincidences."""
    chunks = weights(len(tables), n_resamples, rng, width=width**2)
    return np.concatenate([_alphas(chunk.astype(np.float64) @ tables, width) for chunk in chunks])


def _without_overlaps(spans: Spans) -> Spans:
    """Cut the spans of each look so that none overlap: a character gets the highest label of its spans."""
    order = sorted_by(spans.look, spans.start)
    look, start, end, label = spans.look[order], spans.start[order], spans.end[order], spans.label[order]
    same_look = np.r_[False, np.diff(look) == 0]
    # A look in which a span begins before the previous span has ended is processed character by character.
    before = np.r_[0, end[:-1]]
    crossed = np.unique(look[same_look & (start < before)])
    if not crossed.size:
        return spans
    overlapping = np.isin(look, crossed)
    sizes = (end - start)[overlapping]
    offset = np.repeat(start[overlapping], sizes) + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    cell_look, cell_label = np.repeat(look[overlapping], sizes), np.repeat(label[overlapping], sizes)
    order = sorted_by(cell_look, offset, int(cell_label.max()) - cell_label)
    cell_look, offset, cell_label = cell_look[order], offset[order], cell_label[order]
    is_first = np.r_[True, (np.diff(cell_look) != 0) | (np.diff(offset) != 0)]
    cell_look, offset, cell_label = cell_look[is_first], offset[is_first], cell_label[is_first]
    sides = np.zeros(cell_look.size, dtype=np.intp)
    parts = (
        (look[~overlapping], cell_look),
        (np.zeros_like(look[~overlapping]), sides),
        (start[~overlapping], offset),
        (end[~overlapping], offset + 1),
    )
    columns = [np.concatenate(part) for part in (*parts, (label[~overlapping], cell_label))]
    return Spans(columns[0], columns[1], columns[2], columns[3], columns[4])


def _coincidences(looks: Looks, spans: Spans, sizes: Codes, n_looks: Codes, n_labels: int) -> Floats:
    """Return coincidences of values by text, shape (n_texts, (n_labels + 1) ** 2); the last value is "none"."""
    text = looks.text[spans.look]
    np.maximum.at(sizes, text, spans.end)
    n_texts, n = sizes.size, spans.look.size
    texts = np.arange(n_texts)
    # The offsets at which something changes: spans begin, spans end, texts begin and end.
    offset = np.concatenate([spans.start, spans.end, np.zeros(n_texts, dtype=np.intp), sizes])
    text_at = np.concatenate([text, text, texts, texts])
    order = sorted_by(text_at, offset)
    offset, text_at = offset[order], text_at[order]
    step = np.concatenate([np.ones(n), -np.ones(n), np.zeros(2 * n_texts)])[order]
    label_at = np.concatenate([spans.label, spans.label, np.zeros(2 * n_texts, dtype=np.intp)])[order]
    marked = [np.cumsum(np.where(label_at == label, step, 0)) for label in range(n_labels)]
    is_last = np.r_[np.diff(text_at) != 0, True]
    run = np.where(is_last, 0, np.r_[np.diff(offset), 0])
    k = n_looks[text_at]
    shared = (run > 0) & (k > 1)
    run, k, text_at = run[shared], k[shared], text_at[shared]
    counts = [column[shared] for column in marked]
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
            table[:, a, b] = np.bincount(text_at, weights=weight * pairs, minlength=n_texts)
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
