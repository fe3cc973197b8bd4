"""Agreement on marked errors: F1 of spans, exact or overlapping, averaged over pairs of raters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analytics_app.stats.arrays import Codes, Floats, compressed
from analytics_app.stats.errors.marks import Looks, Spans, sorted_by, within_groups
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.resampling.bootstrap import check_settings, interval, weights
from analytics_app.stats.resampling.pair_sums import few_drawn

# Pairs of spans compared at a time: 4 million are some 100 MB.
_PAIRS = 4_000_000
# Beyond so many pairs of looks a bootstrap takes minutes, and its interval is narrow anyway.
_RESAMPLED = 1_000_000


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


def span_f1(
    looks: Looks,
    spans: Spans,
    *,
    overlap: bool,
    labelled: bool = False,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> SpanF1:
    """F1 of the spans of two raters, micro over the texts they share, averaged over pairs of raters [1]_.

    F1 = 2 P R / (P + R), where P is the share of one rater's spans that the other has too and R the other way round.
    *Exact*: has the same side, start and end. *Overlap*: shares at least one character on the same side. `labelled`
    asks for the same label as well. Chance is not taken off.

    Parameters
    ----------
    looks : Looks
    spans : Spans
    overlap, labelled : bool
    n_resamples : int
        Bootstrap samples over texts; 0 gives no interval.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    SpanF1
        The mean is over pairs of raters of whom at least one marked something; `n_items` counts the texts that two
        raters saw. Undefined where there is no such pair.

    References
    ----------
    .. [1] G. Hripcsak and A. S. Rothschild (2005). Agreement, the F-measure, and reliability in information retrieval.
       JAMIA 12(3), 296-298.

    Examples
    --------
    >>> looks = Looks(np.array([0, 0]), np.array([0, 1]))
    >>> spans = Spans(*np.array([[0, 0, 1], [0, 0, 0], [0, 9, 2], [4, 12, 6], [0, 0, 0]]))
    >>> rng, settings = np.random.default_rng(1), {"n_resamples": 0, "confidence": 0.95}
    >>> span_f1(looks, spans, overlap=False, rng=rng, **settings).mean.value
    0.0
    >>> round(span_f1(looks, spans, overlap=True, rng=rng, **settings).mean.value, 4)
    0.6667
    """
    kinds = [(overlap, labelled)]
    (found,) = span_f1s(looks, spans, kinds, n_resamples=n_resamples, confidence=confidence, rng=rng)
    return found


def span_f1s(
    looks: Looks,
    spans: Spans,
    kinds: Sequence[tuple[bool, bool]],
    *,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[SpanF1]:
    """Return `span_f1` of several kinds (overlap, labelled), which share their resamples.

    `clusters`, shape (n_texts,), are the documents that texts are part of, where these are drawn instead of texts.

    Examples
    --------
    >>> looks = Looks(np.array([0, 0]), np.array([0, 1]))
    >>> spans = Spans(*np.array([[0, 1], [0, 0], [0, 2], [4, 6], [0, 0]]))
    >>> rng, kinds = np.random.default_rng(1), [(False, False), (True, False)]
    >>> [one.mean.value for one in span_f1s(looks, spans, kinds, n_resamples=0, confidence=0.95, rng=rng)]
    [0.0, 1.0]
    """
    check_settings(n_resamples, confidence)
    paired = _Paired.of(looks)
    if not paired.first.size:
        none = Estimate(None, n_items=0, n_raters=0, note="No two raters saw the same text.")
        return [SpanF1(none, ()) for _kind in kinds]
    counted = [
        (_overlapping if overlap else _exact)(paired, _distinct(spans, labelled=labelled))
        for overlap, labelled in kinds
    ]
    _codes, pair = compressed(paired.rater_a * paired.n_raters + paired.rater_b)
    unit = paired.text if clusters is None else clusters[paired.text]
    n_units = np.unique(unit).size
    drawn = n_resamples if n_units > 1 and pair.size <= _RESAMPLED else 0
    samples = _samples(unit, counted, pair, drawn, rng)
    made = []
    for counts, sample in zip(counted, samples, strict=True):
        values = _f1(_totals(counts, pair))
        about = (n_units, "texts" if clusters is None else "documents", confidence, n_resamples > 0)
        made.append(SpanF1(_mean(paired, values, sample, *about), _pairs(paired, pair, values)))
    return made


def _totals(counts: Floats, pair: Codes) -> Floats:
    """Return the four counts of each pair of raters, over texts."""
    n_pairs = int(pair.max()) + 1
    cells = (4 * pair[:, np.newaxis] + np.arange(4)).ravel()
    summed = np.bincount(cells, weights=counts.ravel(), minlength=4 * n_pairs).astype(np.float64, copy=False)
    return summed.reshape(n_pairs, 4).T


def _pairs(paired: _Paired, pair: Codes, values: Floats) -> tuple[PairF1, ...]:
    n_texts = np.bincount(pair, minlength=values.size)
    _found, first = np.unique(pair, return_index=True)
    return tuple(
        PairF1(int(a), int(b), None if np.isnan(value) else float(value), int(n))
        for a, b, value, n in zip(paired.rater_a[first], paired.rater_b[first], values, n_texts, strict=True)
    )


def _mean(
    paired: _Paired, values: Floats, samples: Floats, n_units: int, unit: str, confidence: float, wanted: bool
) -> Estimate:
    n_texts, n_raters = paired.n_texts, np.unique([paired.rater_a, paired.rater_b]).size
    numbers = {"n_ratings": paired.n_looks, "n_items": n_texts, "n_raters": n_raters}
    defined = ~np.isnan(values)
    if not defined.any():
        return Estimate(None, **numbers, note="No error was marked on a text that two raters saw, so F1 is undefined.")
    silent = int(np.count_nonzero(~defined))
    note = f"{silent} of {values.size} pairs of raters marked nothing and are left out." if silent else None
    value = float(values[defined].mean())
    if not samples.size:
        few = f"One shared {unit[:-1]} is too few for an interval." if wanted and n_units < 2 else None
        many = f"No interval is drawn for more than {_RESAMPLED:,} pairs of looks." if wanted and not few else None
        return Estimate(value, **numbers, note=joined(note, few, many))
    low, high, se, failed = interval(samples, confidence, n_units)
    return Estimate(value, low=low, high=high, se=se, **numbers, note=joined(note, failed, few_drawn(n_units, unit)))


def _samples(
    units: Codes, counted: Sequence[Floats], pair: Codes, n_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return the mean of F1 of each kind in each resample of units: texts, or documents."""
    if not n_resamples:
        return [np.zeros(0) for _counts in counted]
    from scipy.sparse import csr_array  # noqa: PLC0415

    n_pairs, n_kinds = int(pair.max()) + 1, len(counted)
    width = 4 * n_pairs * n_kinds
    found_units, unit = compressed(units)
    columns = (pair[:, np.newaxis] + n_pairs * np.arange(4 * n_kinds)).ravel()
    cells = (np.hstack(counted).ravel(), (np.repeat(unit, 4 * n_kinds), columns))
    table = csr_array(cells, shape=(found_units.size, width))
    found = []
    for chunk in weights(found_units.size, n_resamples, rng, width=width):
        totals = (table.T @ chunk.T.astype(np.float64)).reshape(n_kinds, 4, n_pairs, -1)
        values = np.stack([_f1(one) for one in totals])
        defined = ~np.isnan(values)
        n = defined.sum(axis=1)
        sums = np.where(defined, values, 0).sum(axis=1)
        found.append(np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0))
    return list(np.concatenate(found, axis=1))


def _f1(totals: Floats) -> Floats:
    """Return F1 from (marked by a, marked by b, of a's had by b, of b's had by a), NaN where nothing was marked."""
    n_a, n_b, had_a, had_b = totals
    precision = np.divide(had_a, n_a, out=np.zeros(n_a.shape), where=n_a > 0)
    recall = np.divide(had_b, n_b, out=np.zeros(n_b.shape), where=n_b > 0)
    both = precision + recall
    value = np.divide(2 * precision * recall, both, out=np.zeros(both.shape), where=both > 0)
    return np.where(n_a + n_b > 0, value, np.nan)


@dataclass(frozen=True, slots=True)
class _Paired:
    """Pairs of looks at one text. `place` is where each look stands when sorted by text and rater, `first` the number
    of the first pair in which it comes first."""

    place: Codes
    first: Codes
    look_a: Codes
    look_b: Codes
    rater_a: Codes
    rater_b: Codes
    text: Codes
    text_of_look: Codes
    n_looks: int
    n_raters: int

    @property
    def n_texts(self) -> int:
        """How many texts two raters saw."""
        return np.unique(self.text).size

    @classmethod
    def of(cls, looks: Looks) -> _Paired:
        """Pair the looks at each text, the lower rater first."""
        order = np.lexsort((looks.rater, looks.text))
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        one, other = within_groups(looks.text[order])
        first = np.searchsorted(one, np.arange(order.size))
        look_a, look_b = order[one], order[other]
        n_looks = np.unique(np.r_[one, other]).size
        n_raters = int(looks.rater.max()) + 1 if looks.rater.size else 0
        return cls(
            place, first if one.size else first[:0], look_a, look_b, looks.rater[look_a], looks.rater[look_b],
            looks.text[look_a], looks.text, n_looks, n_raters,
        )  # fmt: skip

    def number(self, a: Codes, b: Codes) -> Codes:
        """Return the number of the pair of two looks at one text, a before b."""
        return self.first[self.place[a]] + self.place[b] - self.place[a] - 1


def _distinct(spans: Spans, *, labelled: bool) -> Spans:
    """Drop marks that say the same thing twice; without labels, marks of one place are one."""
    label = spans.label if labelled else np.zeros_like(spans.label)
    if not spans.look.size:
        return spans
    columns = (spans.look, spans.side, spans.start, spans.end, label)
    order = sorted_by(*columns)
    look, side, start, end, what = (column[order] for column in columns)
    same = np.ones(order.size, dtype=bool)
    for column in (look, side, start, end, what):
        same[1:] &= column[1:] == column[:-1]
    first = ~same
    first[0] = True
    return Spans(look[first], side[first], start[first], end[first], what[first])


def _sizes(paired: _Paired, spans: Spans) -> Floats:
    marks = np.bincount(spans.look, minlength=paired.place.size).astype(np.float64)
    return np.column_stack([marks[paired.look_a], marks[paired.look_b]])


def _exact(paired: _Paired, spans: Spans) -> Floats:
    """Return for each pair of looks (marked by a, by b, of a's had by b, of b's had by a)."""
    text = paired.text_of_look[spans.look]
    columns = (text, spans.side, spans.start, spans.end, spans.label)
    order = sorted_by(*columns, paired.place[spans.look])
    one, other = within_groups(_groups(*(column[order] for column in columns)))
    looks = spans.look[order]
    found = np.bincount(paired.number(looks[one], looks[other]), minlength=paired.look_a.size)
    return np.column_stack([_sizes(paired, spans), found, found]).astype(np.float64)


def _overlapping(paired: _Paired, spans: Spans) -> Floats:
    """Return the same counts where sharing a character is enough."""
    text = paired.text_of_look[spans.look]
    order = sorted_by(text, spans.side, spans.label, paired.place[spans.look])
    group = _groups(text[order], spans.side[order], spans.label[order])
    start, end, look = spans.start[order], spans.end[order], spans.look[order]
    had = np.zeros((2, paired.look_a.size))
    for begin, stop in _chunks(group):
        one, other = within_groups(group[begin:stop])
        one, other = one + begin, other + begin
        meet = (start[one] < end[other]) & (start[other] < end[one]) & (look[one] != look[other])
        one, other = one[meet], other[meet]
        number = paired.number(look[one], look[other])
        for side, span in enumerate((one, other)):
            # A span that meets several of the other's is had once.
            once = np.unique(number * order.size + span) // order.size
            had[side] += np.bincount(once, minlength=paired.look_a.size)
    return np.column_stack([_sizes(paired, spans), had[0], had[1]])


def _groups(*columns: Codes) -> Codes:
    """Return codes from 0 of runs of rows that are alike in all columns."""
    new = np.zeros(columns[0].size, dtype=bool)
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.cumsum(new)


def _chunks(group: Codes) -> Iterator[tuple[int, int]]:
    """Cut sorted groups into pieces of bounded work, never within a group."""
    if not group.size:
        return
    starts = np.flatnonzero(np.r_[True, np.diff(group) != 0])
    sizes = np.diff(np.r_[starts, group.size])
    work = np.cumsum(sizes * (sizes - 1) // 2)
    piece = work // _PAIRS
    edges = np.flatnonzero(np.r_[True, np.diff(piece) != 0])
    ends = np.r_[starts[edges[1:]], group.size]
    yield from zip(starts[edges].tolist(), ends.tolist(), strict=True)
