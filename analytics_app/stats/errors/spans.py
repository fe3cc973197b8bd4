"""Agreement on marked errors: F1 of spans by several ways of matching, averaged over pairs of raters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from analytics_app.stats.errors.marks import Looks, Spans, sorted_by, within_groups
from analytics_app.stats.errors.matching import one_to_one
from analytics_app.stats.resampling.bootstrap import check_settings, interval, weights
from analytics_app.stats.resampling.pair_sums import few_drawn
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, joined

# Pairs of spans compared at once: 4 million take about 100 MB.
_PAIRS = 4_000_000
# With more pairs of looks a bootstrap takes minutes, and its interval is narrow anyway.
_RESAMPLED = 1_000_000


class Kind(NamedTuple):
    """A way of matching the spans of two looks.

    *exact*: same side, start and end. *overlap*: a common character on the same side. Both count identical spans of
    one look once, and with `labelled` only spans with the same label match. *characters*: each marked character counts
    once, whoever marks it with which label. *partial*: one-to-one matching with partial overlap and partial credit
    (see `span_f1s`); spans with different labels get 1 - `penalty` of the credit.
    """

    match: Literal["exact", "overlap", "characters", "partial"]
    labelled: bool = False
    penalty: float = 0.0


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
    counted = [match_counts(paired, spans, kind) for kind in kinds]
    _codes, pair = compressed(paired.rater_a * paired.n_raters + paired.rater_b)
    unit = paired.text if clusters is None else clusters[paired.text]
    n_units = np.unique(unit).size
    n_drawn = n_resamples if n_units > 1 and pair.size <= _RESAMPLED else 0
    samples = _samples(unit, counted, pair, n_drawn, rng)
    results = []
    for counts, sample in zip(counted, samples, strict=True):
        values = _f1(_totals(counts, pair))
        interval_settings = (n_units, "texts" if clusters is None else "documents", confidence, n_resamples > 0)
        results.append(SpanF1(_mean(paired, values, sample, *interval_settings), _pairs(paired, pair, values)))
    return results


def match_counts(paired: PairedLooks, spans: Spans, kind: Kind) -> Floats:
    """Return the counts of each pair of looks, shape (n_pairs, 4).

    The columns are the marks (or characters) of the first look, those of the second, the credit of those of the first,
    and of those of the second. P and R of any set of pairs are the ratios of the sums of these columns.
    """
    if kind.match == "partial":
        return _partial(paired, spans, kind.penalty)
    if kind.match == "characters":
        return _characters(paired, spans)
    distinct = _distinct(spans, labelled=kind.labelled)
    return _exact(paired, distinct) if kind.match == "exact" else _overlapping(paired, distinct)


def _totals(counts: Floats, pair: Codes) -> Floats:
    """Sum the four counts of each pair of raters over texts."""
    n_pairs = int(pair.max()) + 1
    cells = (4 * pair[:, np.newaxis] + np.arange(4)).ravel()
    summed = np.bincount(cells, weights=counts.ravel(), minlength=4 * n_pairs).astype(np.float64, copy=False)
    return summed.reshape(n_pairs, 4).T


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


def _samples(
    units: Codes, counted: Sequence[Floats], pair: Codes, n_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return the mean of F1 of each kind in each resample of units: texts, or documents."""
    if not n_resamples:
        return [np.zeros(0) for _counts in counted]
    from scipy.sparse import csr_array  # noqa: PLC0415

    n_pairs, n_kinds = int(pair.max()) + 1, len(counted)
    unit_codes, unit = compressed(units)
    tables = []
    for counts in counted:
        # Kind by kind, without the zeros: of a million marks, all kinds at once take a gigabyte.
        row, column = np.nonzero(counts)
        cells = (counts[row, column], (unit[row], pair[row] + n_pairs * column))
        tables.append(csr_array(cells, shape=(unit_codes.size, 4 * n_pairs)))
    means = []
    for chunk in weights(unit_codes.size, n_resamples, rng, width=4 * n_pairs * n_kinds):
        drawn = chunk.T.astype(np.float64)
        values = np.stack([_f1((table.T @ drawn).reshape(4, n_pairs, -1)) for table in tables])
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


@dataclass(frozen=True, slots=True)
class PairedLooks:
    """Pairs of looks at one text, the look of the lower rater first.

    `place` is the index of each look when sorted by text and rater, `first` the number of the first pair that it leads.
    """

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
        """Number of texts that two raters saw."""
        return np.unique(self.text).size

    @classmethod
    def of(cls, looks: Looks) -> PairedLooks:
        """Pair the looks at each text, the lower rater first."""
        order = np.lexsort((looks.rater, looks.text))
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        first_place, second_place = within_groups(looks.text[order])
        first = np.searchsorted(first_place, np.arange(order.size))
        look_a, look_b = order[first_place], order[second_place]
        n_looks = np.unique(np.r_[first_place, second_place]).size
        n_raters = int(looks.rater.max()) + 1 if looks.rater.size else 0
        return cls(
            place, first if first_place.size else first[:0], look_a, look_b, looks.rater[look_a], looks.rater[look_b],
            looks.text[look_a], looks.text, n_looks, n_raters,
        )  # fmt: skip

    def number(self, a: Codes, b: Codes) -> Codes:
        """Return the number of the pair of two looks at one text, a before b."""
        return self.first[self.place[a]] + self.place[b] - self.place[a] - 1


def _distinct(spans: Spans, *, labelled: bool) -> Spans:
    """Drop repeated marks; without labels, marks of the same characters are repeated."""
    label = spans.label if labelled else np.zeros_like(spans.label)
    if not spans.look.size:
        return spans
    columns = (spans.look, spans.side, spans.start, spans.end, label)
    order = sorted_by(*columns)
    look, side, start, end, label = (column[order] for column in columns)
    repeated = np.ones(order.size, dtype=bool)
    for column in (look, side, start, end, label):
        repeated[1:] &= column[1:] == column[:-1]
    is_new = ~repeated
    is_new[0] = True
    return Spans(look[is_new], side[is_new], start[is_new], end[is_new], label[is_new])


def _sizes(paired: PairedLooks, spans: Spans) -> Floats:
    marks = np.bincount(spans.look, minlength=paired.place.size).astype(np.float64)
    return np.column_stack([marks[paired.look_a], marks[paired.look_b]])


def _exact(paired: PairedLooks, spans: Spans) -> Floats:
    """Return counts by pair of looks: marks of a, marks of b, matched marks of a, matched marks of b."""
    text = paired.text_of_look[spans.look]
    columns = (text, spans.side, spans.start, spans.end, spans.label)
    order = sorted_by(*columns, paired.place[spans.look])
    first, second = within_groups(_groups(*(column[order] for column in columns)))
    looks = spans.look[order]
    matches = np.bincount(paired.number(looks[first], looks[second]), minlength=paired.look_a.size)
    return np.column_stack([_sizes(paired, spans), matches, matches]).astype(np.float64)


def _overlapping(paired: PairedLooks, spans: Spans) -> Floats:
    """Return the counts of `_exact`, with spans that share a character as a match."""
    matched = np.zeros((2, paired.look_a.size))
    for overlaps in _overlaps(paired, spans, spans.label):
        for side, span in enumerate((overlaps.first, overlaps.second)):
            # A span that overlaps several spans of the other look counts once.
            matched_pairs = np.unique(overlaps.pair * spans.look.size + span) // spans.look.size
            matched[side] += np.bincount(matched_pairs, minlength=paired.look_a.size)
    return np.column_stack([_sizes(paired, spans), matched[0], matched[1]])


def _partial(paired: PairedLooks, spans: Spans, penalty: float) -> Floats:
    """Return marks of a and of b, and their credits in the best one-to-one matching."""
    credits = np.zeros((2, paired.look_a.size))
    size, n = spans.end - spans.start, spans.look.size
    for overlaps in _overlaps(paired, spans, np.zeros_like(spans.label)):
        pair, first, second = overlaps.pair, overlaps.first, overlaps.second
        factor = np.where(spans.label[first] == spans.label[second], 1.0, 1.0 - penalty)
        dice = factor * 2 * overlaps.length / (size[first] + size[second])
        of_first, of_second = factor * overlaps.length / size[first], factor * overlaps.length / size[second]
        has_score = np.flatnonzero(dice > 0)
        of_a, of_b = ((pair * n + span)[has_score] for span in (first, second))
        ranked = (dice, of_first + of_second, 1 / (size[first] + size[second]))
        chosen = has_score[one_to_one(of_a, of_b, *(column[has_score] for column in ranked))]
        for side, credit in enumerate((of_first, of_second)):
            credits[side] += np.bincount(pair[chosen], weights=credit[chosen], minlength=paired.look_a.size)
    return np.column_stack([_sizes(paired, spans), credits[0], credits[1]])


def _characters(paired: PairedLooks, spans: Spans) -> Floats:
    """Return the marked characters of a, those of b, and, as the credit of each, those that both marked."""
    merged = _merged(spans)
    sizes = np.bincount(merged.look, weights=merged.end - merged.start, minlength=paired.place.size)
    both = np.zeros(paired.look_a.size)
    for overlaps in _overlaps(paired, merged, merged.label):
        both += np.bincount(overlaps.pair, weights=overlaps.length, minlength=both.size)
    return np.column_stack([sizes[paired.look_a], sizes[paired.look_b], both, both])


def _merged(spans: Spans) -> Spans:
    """Return the stretches of marked characters of each look and side, which do not overlap; labels are dropped."""
    if not spans.look.size:
        return spans
    order = sorted_by(spans.look, spans.side, spans.start)
    look, side, start, end = (column[order] for column in (spans.look, spans.side, spans.start, spans.end))
    # Texts are laid behind one another, so that the ends so far never reach into the next text.
    offset = _groups(look, side) * (int(end.max()) + 1)
    reached = np.maximum.accumulate(end + offset)
    is_new = np.r_[True, (start + offset)[1:] > reached[:-1]]
    is_last = np.r_[is_new[1:], True]
    none = np.zeros(int(is_new.sum()), dtype=np.intp)
    return Spans(look[is_new], side[is_new], start[is_new], (reached - offset)[is_last], none)


class _Overlaps(NamedTuple):
    """Pairs of overlapping spans of two looks at one text: the pair of looks, the spans, the common characters."""

    pair: Codes
    first: Codes
    second: Codes
    length: Codes


def _overlaps(paired: PairedLooks, spans: Spans, label: Codes) -> Iterator[_Overlaps]:
    """Yield the overlapping spans with the same label, those of one text and side together."""
    text = paired.text_of_look[spans.look]
    order = sorted_by(text, spans.side, label, paired.place[spans.look])
    group = _groups(text[order], spans.side[order], label[order])
    start, end, look = spans.start[order], spans.end[order], spans.look[order]
    for begin, stop in _chunks(group):
        first, second = within_groups(group[begin:stop])
        first, second = first + begin, second + begin
        length = np.minimum(end[first], end[second]) - np.maximum(start[first], start[second])
        overlap = (length > 0) & (look[first] != look[second])
        first, second, length = first[overlap], second[overlap], length[overlap]
        yield _Overlaps(paired.number(look[first], look[second]), order[first], order[second], length)


def _groups(*columns: Codes) -> Codes:
    """Return codes from 0 of runs of rows that are equal in all columns."""
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
