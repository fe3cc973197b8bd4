"""Matched spans of every two looks at a text, counted for several ways of matching at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.errors.marks import Looks, Spans, pieces, sorted_by, within_groups
from analytics_app.stats.errors.matching import Candidates
from analytics_app.stats.values import AnyCodes, Codes, Floats


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

    @property
    def repeated(self) -> Literal["all", "once", "once a label"]:
        """Return how often identical spans of one look count."""
        if self.match == "partial":
            return "all"
        return "once a label" if self.labelled else "once"


@dataclass(frozen=True, slots=True)
class PairedLooks:
    """Pairs of looks at one text, the look of the lower rater first.

    `place` is the index of each look when sorted by text and rater, `first` the number of the first pair that it leads.
    """

    place: Codes
    first: Codes
    look_a: AnyCodes
    look_b: AnyCodes
    rater_a: AnyCodes
    rater_b: AnyCodes
    text: AnyCodes
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
        # Half as wide as codes usually are, since there may be a million pairs.
        return cls(
            place=place,
            first=first if first_place.size else first[:0],
            look_a=look_a.astype(np.int32),
            look_b=look_b.astype(np.int32),
            rater_a=looks.rater[look_a].astype(np.int32),
            rater_b=looks.rater[look_b].astype(np.int32),
            text=looks.text[look_a].astype(np.int32),
            text_of_look=looks.text,
            n_looks=n_looks,
            n_raters=n_raters,
        )


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Marks (or characters) of each look, and the credits of each pair of looks, which two looks may have in common."""

    paired: PairedLooks
    of_look: NDArray[Any]
    credit_a: NDArray[Any]
    credit_b: NDArray[Any]

    def columns(self) -> Iterator[NDArray[Any]]:
        """Yield the marks of the first look of each pair, those of the second, and the credits of both."""
        yield self.of_look[self.paired.look_a]
        yield self.of_look[self.paired.look_b]
        yield self.credit_a
        yield self.credit_b


def match_counts(paired: PairedLooks, spans: Spans, kind: Kind) -> Floats:
    """Return the counts of each pair of looks, shape (n_pairs, 4).

    The columns are the marks (or characters) of the first look, those of the second, the credit of those of the first,
    and of those of the second. P and R of any set of pairs are the ratios of the sums of these columns.
    """
    (counts,) = counted(paired, spans, [kind])
    return np.column_stack([column.astype(np.float64) for column in counts.columns()])


def counted(paired: PairedLooks, spans: Spans, kinds: Sequence[Kind]) -> list[PairCounts]:
    """Return the counts of each kind. Spans are compared once for all kinds, those of some texts at a time."""
    n_looks, n_pairs = paired.place.size, paired.look_a.size
    by_spans = [kind for kind in kinds if kind.match != "characters"]
    of_looks = {kind.repeated: np.zeros(n_looks, dtype=np.int32) for kind in by_spans}
    credits = {kind: _no_credits(kind, n_pairs) for kind in by_spans}
    for some in _pieces(paired, spans) if by_spans else ():
        for repeated in of_looks:
            of_looks[repeated] += np.bincount(some.look[some.counted(repeated)], minlength=n_looks)
        for kind, totals in credits.items():
            for total, more in zip(totals, some.credits(kind), strict=True):
                total[some.pairs] += more
    results = []
    for kind in kinds:
        if kind.match == "characters":
            results.append(_characters(paired, spans))
        else:
            results.append(PairCounts(paired, of_looks[kind.repeated], credits[kind][0], credits[kind][-1]))
    return results


def _no_credits(kind: Kind, n_pairs: int) -> list[NDArray[Any]]:
    """Return columns for the credits of both looks of each pair, or one column if both have the same."""
    dtype = np.float64 if kind.match == "partial" else np.int32
    return [np.zeros(n_pairs, dtype=dtype) for _look in range(1 if kind.match == "exact" else 2)]


def _pieces(paired: PairedLooks, spans: Spans) -> Iterator[_Piece]:
    """Yield the spans of some texts at a time."""
    text = paired.text_of_look.astype(np.int32)[spans.look]
    order = sorted_by(text, spans.side, paired.place[spans.look]).astype(np.int32)
    for piece in pieces(text[order]):
        yield _Piece(paired, spans, order[piece])


class _Piece:
    """The spans of some texts, sorted by text, side and rater; `pairs` are the pairs of looks at these texts.

    Spans of two looks that overlap are at the places `a` and `b` of the piece, the look of `a` first; `pair` is the
    number of their looks among `pairs`, `length` the number of common characters. They are sorted by `a` and `b`.
    """

    def __init__(self, paired: PairedLooks, spans: Spans, index: AnyCodes) -> None:
        self.index, self.look, self.side = index, spans.look[index], spans.side[index]
        self.start, self.end, self.label = spans.start[index], spans.end[index], spans.label[index]
        text, place = paired.text_of_look[self.look], paired.place[self.look]
        ends = np.searchsorted(paired.text, text[[0, -1]] + np.array([0, 1]))
        self.pairs = slice(int(ends[0]), int(ends[1]))
        self.a, self.b = _sharing(_groups(text, self.side), self.start, self.end, place)
        first, second = place[self.a], place[self.b]
        self.pair = paired.first[first] + second - first - 1 - self.pairs.start
        self.length = np.minimum(self.end[self.a], self.end[self.b]) - np.maximum(
            self.start[self.a], self.start[self.b]
        )
        self._counted: dict[str, NDArray[np.bool_]] = {}
        self._candidates: Candidates | None = None

    def counted(self, repeated: Literal["all", "once", "once a label"]) -> NDArray[np.bool_]:
        """Return a mask of the spans that count: all, or the first of those that are identical."""
        if repeated not in self._counted:
            columns = [_groups(self.look, self.side), self.start, self.end]
            columns += [self.label] if repeated == "once a label" else []
            counts = np.ones(self.look.size, dtype=bool)
            if repeated != "all":
                order = sorted_by(*columns)
                counts[order[1:]] = np.diff(_groups(*(column[order] for column in columns))) != 0
            self._counted[repeated] = counts
        return self._counted[repeated]

    def credits(self, kind: Kind) -> list[NDArray[Any]]:
        """Return the credits of the first and of the second look of each pair; once where they are the same."""
        n_pairs = self.pairs.stop - self.pairs.start
        if kind.match == "partial":
            chosen, *of_both = self._matched(kind.penalty)
            return [np.bincount(self.pair[chosen], weights=of, minlength=n_pairs) for of in of_both]
        counts = self.counted(kind.repeated)
        counted_a, counted_b = counts[self.a], counts[self.b]
        if kind.labelled:
            same = self.label[self.a] == self.label[self.b]
            counted_a, counted_b = counted_a & same, counted_b & same
        if kind.match == "exact":
            exact = counted_a & counted_b
            exact &= (self.start[self.a] == self.start[self.b]) & (self.end[self.a] == self.end[self.b])
            return [np.bincount(self.pair[exact], minlength=n_pairs)]
        # A span that overlaps several spans of the other look counts once.
        return [
            np.bincount(_distinct(self.pair[counted], self.look.size, span[counted]), minlength=n_pairs)
            for span, counted in ((self.a, counted_a), (self.b, counted_b))
        ]

    def _matched(self, penalty: float) -> tuple[Codes, Floats, Floats]:
        """Return the overlaps of the best one-to-one matching, and the credits of both spans of each."""
        a, b = self.a, self.b
        size = self.end - self.start
        factor = np.where(self.label[a] == self.label[b], 1.0, 1.0 - penalty)
        dice = factor * 2 * self.length / (size[a] + size[b])
        of_a, of_b = factor * self.length / size[a], factor * self.length / size[b]
        has_score = np.flatnonzero(dice > 0)
        if has_score.size < a.size:
            candidates = self._candidates_of(has_score)
        else:
            # The same for every penalty that leaves each candidate some credit.
            candidates = self._candidates = self._candidates or self._candidates_of(has_score)
        ranked = (dice, of_a + of_b, 1 / (size[a] + size[b]))
        chosen = has_score[candidates.best(*(column[has_score] for column in ranked))]
        return chosen, of_a[chosen], of_b[chosen]

    def _candidates_of(self, some: Codes) -> Candidates:
        n, pair = int(self.index.max(initial=0)) + 1, self.pair[some]
        return Candidates.of(pair * n + self.index[self.a[some]], pair * n + self.index[self.b[some]])


def _sharing(group: Codes, start: AnyCodes, end: AnyCodes, place: Codes) -> tuple[Codes, Codes]:
    """Return the spans of one group and two places that share a character: those that begin before the other ends."""
    width = int(end.max()) + 1
    begin = group * width + start
    order = sorted_by(begin)
    until = np.searchsorted(begin[order], (group * width + end)[order])
    after = until - np.arange(1, order.size + 1)
    first = np.repeat(np.arange(order.size), after)
    second = first + 1 + np.arange(first.size) - np.repeat(np.cumsum(after) - after, after)
    first, second = order[first], order[second]
    other = place[first] != place[second]
    first, second = np.minimum(first, second)[other], np.maximum(first, second)[other]
    sorted_pairs = sorted_by(first, second)
    return first[sorted_pairs], second[sorted_pairs]


def _distinct(pair: Codes, width: int, span: Codes) -> Codes:
    """Return the pairs of looks of different pairs and spans."""
    keys = np.sort(pair * width + span)
    distinct: Codes = keys[np.flatnonzero(np.diff(keys, prepend=-1))] // width
    return distinct


def _groups(*columns: AnyCodes) -> Codes:
    """Return codes from 0 of runs of rows that are equal in all columns."""
    new = np.zeros(columns[0].size, dtype=bool)
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.cumsum(new)


def _characters(paired: PairedLooks, spans: Spans) -> PairCounts:
    """Return the marked characters of each look and, as the credit of both, those that both looks marked."""
    merged = _merged(spans)
    of_look = np.bincount(merged.look, weights=merged.end - merged.start, minlength=paired.place.size)
    both = np.zeros(paired.look_a.size)
    for some in _pieces(paired, merged):
        both[some.pairs] += np.bincount(some.pair, weights=some.length, minlength=some.pairs.stop - some.pairs.start)
    return PairCounts(paired, of_look, both, both)


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
