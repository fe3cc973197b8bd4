"""Agreement on marked characters: nominal alpha with one unit for each character."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.errors.marks import Looks, Spans, pieces, sorted_by
from analytics_app.stats.resampling.bootstrap import agreement_interval, check_settings, weights
from analytics_app.stats.resampling.pair_sums import few_drawn, rows_by_cluster
from analytics_app.stats.values import AnyCodes, Codes, Estimate, Floats, checked_codes, joined


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
    coincidences = _coincidences(looks, shared_spans, sizes, n_looks, n_labels)[shared]
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


def _coincidences(looks: Looks, spans: Spans, sizes: Codes, n_looks: Codes, n_labels: int) -> Floats:
    """Return coincidences of values by text, shape (n_texts, (n_labels + 1) ** 2); the last value is "none"."""
    np.maximum.at(sizes, looks.text[spans.look], spans.end)
    order = sorted_by(looks.text[spans.look], spans.look, spans.start)
    text = looks.text[spans.look[order]]
    found = [slice(piece.start, piece.stop) for piece in pieces(text)]
    # Texts without a span belong to the piece before.
    firsts = [0, *(int(text[piece.start]) for piece in found[1:]), sizes.size]
    tables = np.empty((sizes.size, (n_labels + 1) ** 2))
    for piece, (first, end) in zip(found, pairwise(firsts), strict=True):
        some = order[piece]
        marked = _without_overlaps(spans.look[some], spans.start[some], spans.end[some], spans.label[some])
        of_texts = slice(first, end)
        tables[of_texts] = _of_texts(
            looks.text[marked.look] - first, marked, sizes[of_texts], n_looks[of_texts], n_labels
        )
    return tables


class _Marked(NamedTuple):
    """Stretches of characters of looks that have one label each, and do not overlap."""

    look: AnyCodes
    start: AnyCodes
    end: AnyCodes
    label: AnyCodes


def _without_overlaps(look: AnyCodes, start: AnyCodes, end: AnyCodes, label: AnyCodes) -> _Marked:
    """Cut spans, sorted by look and start, so that none overlap: a character gets the highest label of its spans."""
    before = np.r_[0, end[:-1]]
    # Looks in which a span begins before the previous span has ended.
    crossed = look[np.r_[False, np.diff(look) == 0] & (start < before)]
    if not crossed.size:
        return _Marked(look, start, end, label)
    is_crossed = np.zeros(int(look.max()) + 1, dtype=bool)
    is_crossed[crossed] = True
    cut = is_crossed[look]
    # The offsets at which a span begins or ends, and the highest label of the spans around the characters behind each.
    at_look, offset = np.tile(look[cut], 2), np.r_[start[cut], end[cut]]
    order = sorted_by(at_look, offset)
    at_look, offset, at_label = at_look[order], offset[order], np.tile(label[cut], 2)[order]
    step = np.where(order < np.count_nonzero(cut), 1, -1)
    highest = np.full(order.size, -1, dtype=np.intp)
    for code in range(int(at_label.max()) + 1):
        highest[np.cumsum(np.where(at_label == code, step, 0)) > 0] = code
    stretch = np.flatnonzero((highest[:-1] >= 0) & (offset[1:] > offset[:-1]))
    parts = ((look, at_look, 0), (start, offset, 0), (end, offset, 1), (label, highest, 0))
    return _Marked(*(np.r_[spans[~cut], stretches[stretch + shift]] for spans, stretches, shift in parts))


def _of_texts(text: Codes, marked: _Marked, sizes: Codes, n_looks: Codes, n_labels: int) -> Floats:
    """Return the coincidences of some texts; `text` is that of each marked stretch, from 0."""
    n_texts, n = sizes.size, text.size
    texts = np.arange(n_texts)
    # The offsets at which something changes: stretches begin, stretches end, texts begin and end.
    offset = np.concatenate([marked.start, marked.end, np.zeros(n_texts, dtype=np.intp), sizes])
    text_at = np.concatenate([text, text, texts, texts])
    order = sorted_by(text_at, offset)
    offset, text_at = offset[order], text_at[order]
    label_at = np.concatenate([marked.label, marked.label, np.full(2 * n_texts, n_labels)])[order]
    step = np.where(order < n, 1, -1)
    run = np.r_[np.diff(offset), 0]
    k = n_looks[text_at]
    shared = np.flatnonzero(np.r_[text_at[1:] == text_at[:-1], False] & (run > 0) & (k > 1))
    run, k, text_at = run[shared], k[shared], text_at[shared]
    counts = [np.cumsum(np.where(label_at == label, step, 0))[shared] for label in range(n_labels)]
    counts.append(k - np.sum(counts, axis=0))
    width = n_labels + 1
    table = np.empty((n_texts, width, width))
    for a in range(width):
        for b in range(a, width):
            pairs = run * counts[a] * (counts[b] - (a == b))
            table[:, a, b] = table[:, b, a] = np.bincount(text_at, weights=pairs, minlength=n_texts)
    # Sums of whole numbers are exact, and divided once.
    return table.reshape(n_texts, width * width) / np.maximum(n_looks - 1, 1)[:, np.newaxis]


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
