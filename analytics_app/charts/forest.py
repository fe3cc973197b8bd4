"""Tracks as a drawing for downloads: names in a gutter, intervals on one axis, values at the end of the line."""

from collections.abc import Sequence

from analytics_app.charts.sheet import LEADING, Block, lines_of, width_of
from analytics_app.charts.svg import INK, LIMIT, LINE, MARK, QUIET, SOFT
from analytics_app.show.tracks import Track, Tracks

SIZE, SMALL = 11.0, 9.5
GAP, PAD = 10.0, 4.0
# The gutter of names takes at most this share of the width; longer names are wrapped.
GUTTER = 0.38
# Where the axis would have less than this share of the width, intervals are drawn only, and not written out too.
AXIS = 0.4


def forest(tracks: Tracks, width: float, *, most: int | None = None) -> Block:
    """Return tracks as a block of a width, with at most the first `most` lines."""
    lines = tracks.lines if most is None else tracks.lines[:most]
    block = Block(width)
    block.paragraph(str(tracks.caption), size=SIZE, bold=True)
    if tracks.measure:
        block.paragraph(str(tracks.measure), size=SMALL, colour=QUIET)
    block.gap(PAD)
    names = min(max(width_of(line.name, SIZE) for line in lines), width * GUTTER)
    values = max(width_of(line.value, SIZE) for line in lines)
    ends = max(width_of(line.interval, SMALL) for line in lines)
    left = names + GAP
    if width - left - values - ends - 2 * GAP < width * AXIS:
        ends = 0.0
    right = width - values - (ends + PAD if ends else 0.0) - GAP
    axis = _Axis(block, left, right, width, end_of_values=right + GAP + values, written=bool(ends))
    top = block.height
    ticks = Block(width)
    block.put(ticks, 0.0, 0.0)
    for line in lines:
        axis.line(line, names, second=not tracks.on_request)
    axis.ticks(ticks, tracks, top)
    return block


class _Axis:
    """The part of a forest between names and values."""

    def __init__(
        self, block: Block, left: float, right: float, width: float, *, end_of_values: float, written: bool
    ) -> None:
        self.block, self.left, self.right, self.width = block, left, right, width
        self.end_of_values, self.written = end_of_values, written

    def at(self, share: float) -> float:
        """Return the x of a place in percent."""
        return self.left + share / 100 * (self.right - self.left)

    def line(self, line: Track, names: float, *, second: bool) -> None:
        """Draw a line of the forest below the lines drawn so far, with its second interval or without."""
        block, top = self.block, self.block.height
        if line.apart:
            block.rule(0.0, top, self.width, top, colour=INK)
        words = lines_of(line.name, names + 1, SIZE)
        height = max(len(words) * SIZE * LEADING, SIZE * LEADING) + PAD
        middle = top + height / 2
        first = middle - (len(words) - 1) * SIZE * LEADING / 2 + SIZE * 0.35
        for n, word in enumerate(words):
            block.text(word, 0.0, first + n * SIZE * LEADING, size=SIZE)
        if line.low is not None and line.high is not None:
            block.rule(self.at(line.low), middle, self.at(line.high), middle, colour=SOFT, thick=4.0)
        if second and line.low_b is not None and line.high_b is not None:
            block.rule(self.at(line.low_b), middle + 5, self.at(line.high_b), middle + 5, colour=QUIET, thick=1.5)
        block.point(self.at(line.at), middle, radius=4.0, colour=MARK)
        block.text(line.value, self.end_of_values, middle + SIZE * 0.35, size=SIZE, end=True)
        if line.interval and self.written:
            block.text(line.interval, self.width, middle + SIZE * 0.35, size=SMALL, colour=QUIET, end=True)
        block.height = top + height

    def ticks(self, behind: Block, tracks: Tracks, top: float) -> None:
        """Draw the ticks and marks behind the lines, and their words below."""
        bottom = self.block.height
        for share, _word in tracks.ticks:
            behind.rule(self.at(share), top, self.at(share), bottom, colour=LINE)
        self._words(tracks.ticks)
        for share, _word in tracks.marks:
            behind.rule(self.at(share), top, self.at(share), bottom, colour=LIMIT, thick=1.5)
        if tracks.marks:
            self._words(tracks.marks, outside=True)

    def _words(self, places: Sequence[tuple[float, str]], *, outside: bool = False) -> None:
        """Write words below the axis, without those that have no room beside the previous word.

        With `outside` the first word ends at its place and the others begin at theirs, since the places are near.
        """
        baseline, free = self.block.height + SMALL * LEADING, 0.0
        for number, (share, word) in enumerate(places):
            width = width_of(word, SMALL)
            before = (width if number == 0 else 0.0) if outside else width / 2
            x = self.at(share) - before
            if x >= free:
                self.block.text(word, x, baseline, size=SMALL, colour=QUIET)
                free = x + width + PAD
        self.block.height = baseline + PAD
