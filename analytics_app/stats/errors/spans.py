"""Agreement on marked errors: F1 of spans by several ways of matching, averaged over pairs of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.errors.span_matches import Kind, PairCounts, PairedLooks, counted, match_counts
from analytics_app.stats.resampling.bootstrap import check_settings, interval, weights
from analytics_app.stats.resampling.pair_sums import few_drawn
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, joined

__all__ = ["Kind", "PairF1", "PairedLooks", "SpanF1", "match_counts", "span_f1s"]

# With more pairs of looks a bootstrap takes minutes, and its interval is narrow anyway.
_RESAMPLED = 1_000_000
# Whole numbers below this have no rounding errors in single precision.
_WHOLE = 2**24


@dataclass(frozen=True, slots=True)
class PairF1:
    """F1 of two raters over the texts they share; None where neither marked anything."""

    rater_a: int
    rater_b: int
    value: float | None
    n_texts: int


@dataclass(frozen=True, slots=True)
class SpanF1:
    """The mean over pairs of raters, and each pair."""

    mean: Estimate
    pairs: tuple[PairF1, ...]


def span_f1s(
    looks: Looks,
    spans: Spans,
    kinds: Sequence[Kind],
    *,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[SpanF1]:
    """F1 of the spans of two raters, micro over the texts they share, averaged over pairs of raters [1]_.

    F1 = 2 P R / (P + R), where P is the share of one rater's spans that the other rater has too, and R the reverse;
    `Kind` says what it means to have a span. F1 is not corrected for chance.

    *Partial* is MPP [2]_: spans are matched one to one so that the sum of 2 overlap / (length a + length b) is
    largest. A matched span gets the share of its characters that the other span covers as credit, an unmatched span
    nothing, and P and R are the mean credits of the spans of either rater. Every span counts, identical ones too. Of
    several best matchings the one with the larger sum of credits counts, then that of the shorter spans. A rater who
    marked nothing where the other rater marked something has an F1 of 0.

    Parameters
    ----------
    looks : Looks
    spans : Spans
    kinds : sequence of Kind
        The way of matching for each result; all results share their resamples.
    clusters : ndarray of int, shape (n_texts,), optional
        The documents that texts belong to, if documents are resampled instead of texts.
    n_resamples : int
        Bootstrap samples over texts; 0 gives no interval.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    list of SpanF1
        The mean is over pairs of raters with at least one mark; `n_items` counts the texts that two
        raters saw. Undefined where there is no such pair.

    References
    ----------
    .. [1] G. Hripcsak and A. S. Rothschild (2005). Agreement, the F-measure, and reliability in information retrieval.
       JAMIA 12(3), 296-298.
    .. [2] S. Perrella, E. Morales Agostinho and H. Zaragoza (2026). Span-level machine translation
       meta-evaluation. arXiv 2603.19921. Micro-averaged.

    Examples
    --------
    >>> looks = Looks(np.array([0, 0]), np.array([0, 1]))
    >>> spans = Spans(*np.array([[0, 0, 1], [0, 0, 0], [0, 9, 2], [4, 12, 6], [0, 0, 0]]))
    >>> rng, kinds = np.random.default_rng(1), [Kind("exact"), Kind("overlap"), Kind("partial")]
    >>> results = span_f1s(looks, spans, kinds, n_resamples=0, confidence=0.95, rng=rng)
    >>> [round(f1.mean.value, 4) for f1 in results]
    [0.0, 0.6667, 0.3333]
    """
    check_settings(n_resamples, confidence)
    paired = PairedLooks.of(looks)
    if not paired.first.size:
        undefined = Estimate(None, n_items=0, n_raters=0, note="No two raters saw the same text.")
        return [SpanF1(undefined, ()) for _kind in kinds]
    counts = counted(paired, spans, kinds)
    _codes, pair = compressed(paired.rater_a.astype(np.intp) * paired.n_raters + paired.rater_b)
    unit = paired.text if clusters is None else clusters[paired.text]
    n_units = np.unique(unit).size
    n_drawn = n_resamples if n_units > 1 and pair.size <= _RESAMPLED else 0
    f1s = [_f1(_totals(of_kind, pair)) for of_kind in counts]
    tables = _tables(counts, pair, compressed(unit)[1]) if n_drawn else []
    del counts
    samples = _samples(tables, (len(kinds), f1s[0].size, n_units), n_drawn, rng)
    results = []
    for values, sample in zip(f1s, samples, strict=True):
        interval_settings = (n_units, "texts" if clusters is None else "documents", confidence, n_resamples > 0)
        results.append(SpanF1(_mean(paired, values, sample, *interval_settings), _pairs(paired, pair, values)))
    return results


def _totals(counts: PairCounts, pair: Codes) -> Floats:
    """Sum the four counts of each pair of raters over texts."""
    return np.stack([np.bincount(pair, weights=column) for column in counts.columns()])


def _pairs(paired: PairedLooks, pair: Codes, values: Floats) -> tuple[PairF1, ...]:
    n_texts = np.bincount(pair, minlength=values.size)
    _pair_codes, first = np.unique(pair, return_index=True)
    return tuple(
        PairF1(int(a), int(b), None if np.isnan(value) else float(value), int(n))
        for a, b, value, n in zip(paired.rater_a[first], paired.rater_b[first], values, n_texts, strict=True)
    )


def _mean(
    paired: PairedLooks,
    values: Floats,
    samples: Floats,
    n_units: int,
    unit: str,
    confidence: float,
    with_interval: bool,
) -> Estimate:
    n_texts, n_raters = paired.n_texts, np.unique([paired.rater_a, paired.rater_b]).size
    numbers = {"n_ratings": paired.n_looks, "n_items": n_texts, "n_raters": n_raters}
    defined = ~np.isnan(values)
    if not defined.any():
        return Estimate(None, **numbers, note="No error was marked on a text that two raters saw, so F1 is undefined.")
    n_unmarked = int(np.count_nonzero(~defined))
    note = f"{n_unmarked} of {values.size} pairs of raters marked nothing and are left out." if n_unmarked else None
    value = float(values[defined].mean())
    if not samples.size:
        few_note = f"One shared {unit[:-1]} is too few for an interval." if with_interval and n_units < 2 else None
        many_note = (
            f"No interval is drawn for more than {_RESAMPLED:,} pairs of looks."
            if with_interval and not few_note
            else None
        )
        return Estimate(value, **numbers, note=joined(note, few_note, many_note))
    low, high, se, interval_note = interval(samples, confidence, n_units)
    return Estimate(
        value, low=low, high=high, se=se, **numbers, note=joined(note, interval_note, few_drawn(n_units, unit))
    )


class _Table(NamedTuple):
    """Counts by pair of raters (rows) and resampled unit, and the kinds and columns of `PairCounts` that have them."""

    counts: Any
    places: tuple[Codes, Codes]


def _tables(counts: Sequence[PairCounts], pair: Codes, unit: Codes) -> list[_Table]:
    """Return the different columns of all kinds as sparse tables, in single precision where it is exact."""
    # Lazy import: scipy.sparse loads slowly, and web processes never resample.
    from scipy.sparse import csr_array  # noqa: PLC0415

    n_pairs, n_units = int(pair.max()) + 1, int(unit.max()) + 1
    cells, cell = np.unique(pair * n_units + unit, return_inverse=True)
    begins = np.searchsorted(cells, np.arange(n_pairs + 1) * n_units).astype(np.int32)
    units = (cells % n_units).astype(np.int32)
    columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for kind, of_kind in enumerate(counts):
        sources = (of_kind.of_look, of_kind.of_look, of_kind.credit_a, of_kind.credit_b)
        for column, source in enumerate(sources):
            columns.setdefault((min(column, 2), id(source)), []).append((kind, column))
    tables = []
    for places in columns.values():
        kind, column = places[0]
        values = np.bincount(cell, weights=list(counts[kind].columns())[column])
        if (values % 1 == 0).all() and n_units * values.max() < _WHOLE:
            values = values.astype(np.float32)
        table = csr_array((values, units, begins), shape=(n_pairs, n_units))
        if np.count_nonzero(values) < values.size / 2:
            table = table.copy()
            table.eliminate_zeros()
        tables.append(_Table(table, tuple(np.array(places).T)))
    return tables


def _samples(
    tables: Sequence[_Table], shape: tuple[int, int, int], n_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return the mean of F1 of each kind in each resample of units: texts, or documents.

    `shape` is the number of kinds, of pairs of raters, and of units.
    """
    n_kinds, n_pairs, n_units = shape
    if not n_resamples:
        return [np.zeros(0)] * n_kinds
    means = []
    # A few samples at a time, since their counts of 100,000 texts are read once for each pair of raters.
    for chunk in weights(n_units, n_resamples, rng, width=4 * max(n_pairs * n_kinds, n_units)):
        drawn = {
            dtype: np.ascontiguousarray(chunk.T, dtype=dtype) for dtype in {table.counts.dtype for table in tables}
        }
        totals = np.empty((n_kinds, 4, n_pairs, len(chunk)))
        for table in tables:
            totals[table.places] = table.counts @ drawn[table.counts.dtype]
        values = np.stack([_f1(of_kind) for of_kind in totals])
        defined = ~np.isnan(values)
        n = defined.sum(axis=1)
        sums = np.where(defined, values, 0).sum(axis=1)
        means.append(np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0))
    return list(np.concatenate(means, axis=1))


def _f1(totals: Floats) -> Floats:
    """Return F1 from counts (marks of a, marks of b, matched marks of a, matched marks of b), NaN without marks."""
    n_a, n_b, matched_a, matched_b = totals
    precision = np.divide(matched_a, n_a, out=np.zeros(n_a.shape), where=n_a > 0)
    recall = np.divide(matched_b, n_b, out=np.zeros(n_b.shape), where=n_b > 0)
    total = precision + recall
    value = np.divide(2 * precision * recall, total, out=np.zeros(total.shape), where=total > 0)
    return np.where(n_a + n_b > 0, value, np.nan)
