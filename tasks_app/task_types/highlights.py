"""Highlights: words of a text that raters are shown marked, and mentions that belong to chains.

A highlight is a stand-off span: offsets count Unicode code points from 0, the end is exclusive, and neither may fall
within what people see as one character (a grapheme cluster of UAX 29). With a chain it is a mention: the mentions of
one chain, in all texts of a screen, are the same thing, such as the person whom “Ada”, “she” and “her” name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from django.utils.translation import gettext as _

from tasks_app.task_types.graphemes import inside

# The most spans of a text: a page with more would be slow on a phone, and nobody could read it.
MOST = 500

_POSITIONS = re.compile(r"\s*(\d{1,9})\s*:\s*(\d{1,9})\s*(?:=\s*([^;=\s]+)\s*)?")
_CHAIN = re.compile(r"[\w.-]{1,40}")


class BadHighlights(ValueError):
    """The highlights of a text cannot be read, or do not fit it; the message is a sentence for a researcher."""


@dataclass(frozen=True, slots=True, order=True)
class Highlight:
    """A span of a text, in code points; a mention if it names a chain."""

    start: int
    end: int
    chain: str = ""

    def as_list(self) -> list[object]:
        """Return the span as JSON holds it: [start, end], or [start, end, chain]."""
        return [self.start, self.end, *([self.chain] if self.chain else [])]


def stored(rows: Iterable[Sequence[object]]) -> tuple[Highlight, ...]:
    """Return the highlights that were stored as lists."""
    return tuple(Highlight(int(str(row[0])), int(str(row[1])), str(row[2]) if len(row) > 2 else "") for row in rows)


def by_text(rows: Mapping[str, Iterable[Sequence[object]]]) -> dict[str, tuple[Highlight, ...]]:
    """Return the highlights of a source and a reference, which were stored as lists by these words."""
    return {name: stored(spans) for name, spans in rows.items()}


def written(highlights: Iterable[Highlight]) -> str:
    """Return highlights as a cell of a table holds them, such as 4:9;20:25=1."""
    return ";".join(
        f"{highlight.start}:{highlight.end}" + (f"={highlight.chain}" if highlight.chain else "")
        for highlight in highlights
    )


def read(given: object, text: str) -> tuple[Highlight, ...]:
    """Read the highlights of a text, in their order in it, outer ones first.

    `given` is a list of [start, end] and [start, end, chain], a text such as 4:9;20:25=1, or the word itself, if it
    occurs once in the text.

    Raises
    ------
    BadHighlights
        With what is wrong and what to write instead.
    """
    if isinstance(given, list):
        spans = [_of_list(entry) for entry in given]
    else:
        cell = str(given)
        parts = [_POSITIONS.fullmatch(part) for part in cell.rstrip("; ").split(";")]
        spans = (
            [_checked(int(part[1]), int(part[2]), part[3] or "") for part in parts if part is not None]
            if all(parts)
            else [_of_word(cell, text)]
        )
    spans.sort(key=lambda span: (span.start, -span.end, span.chain))
    _fit(spans, text)
    return tuple(spans)


def _of_list(entry: object) -> Highlight:
    if isinstance(entry, list) and len(entry) in {2, 3}:
        start, end, *chain = entry
        if _is_whole(start) and _is_whole(end) and all(isinstance(name, str) or _is_whole(name) for name in chain):
            return _checked(start, end, str(chain[0]) if chain else "")
    raise BadHighlights(
        _("Each highlight is [start, end] or [start, end, chain], such as [4, 9, 1]; this is %(value)s.")
        % {"value": str(entry)[:60]}
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _checked(start: int, end: int, chain: str) -> Highlight:
    if chain and not _CHAIN.fullmatch(chain):
        sentence = _("Name a chain by letters, digits, dots, hyphens and underscores, at most 40; this is “%(name)s”.")
        raise BadHighlights(sentence % {"name": chain[:60]})
    return Highlight(start, end, chain)


def _of_word(word: str, text: str) -> Highlight:
    """Return the highlight of a word that occurs once in a text."""
    places = [place for place in range(len(text) - len(word) + 1) if text.startswith(word, place)]
    if len(places) == 1:
        return Highlight(places[0], places[0] + len(word))
    if not places:
        sentence = _(
            "“%(word)s” does not occur in the text. Write the word as it stands there, or positions such as 4:9, "
            "counted in characters from 0, the end not included."
        )
        raise BadHighlights(sentence % {"word": word[:60]})
    sentence = _("“%(word)s” occurs %(n)d times in the text. Write which one is meant, such as %(first)s.")
    first = written([Highlight(places[0], places[0] + len(word))])
    raise BadHighlights(sentence % {"word": word[:60], "n": len(places), "first": first})


def _fit(spans: Sequence[Highlight], text: str) -> None:
    """Raise BadHighlights where a span does not fit the text, or two do not fit each other."""
    if len(spans) > MOST:
        raise BadHighlights(
            _("There are %(n)d highlights; a text may have %(most)d.") % {"n": len(spans), "most": MOST}
        )
    within = frozenset(inside(text))
    for span in spans:
        about = {"span": written([span]), "n": len(text)}
        if not 0 <= span.start < span.end:
            raise BadHighlights(_("%(span)s is empty: a highlight ends after it starts.") % about)
        if span.end > len(text):
            raise BadHighlights(_("%(span)s ends outside the text, which has %(n)d characters.") % about)
        if within & {span.start, span.end}:
            sentence = _("%(span)s starts or ends within a character, such as an emoji of several parts.")
            raise BadHighlights(sentence % about)
    for span, following in pairwise(spans):
        if span == following:
            raise BadHighlights(_("%(span)s is given twice. Remove one of the two.") % {"span": written([span])})
    for span, following in pairwise(span for span in spans if not span.chain):
        if following.start < span.end:
            both = {"one": written([span]), "other": written([following])}
            raise BadHighlights(
                _("%(one)s and %(other)s overlap. Only mentions of chains may, such as 4:9=1;4:20=2.") % both
            )


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a text as it is shown: words, or a highlight around pieces.

    A highlight that crosses another's end is cut there: `begins` says that this piece is its first, `ends` its last.
    """

    words: str = ""
    highlight: Highlight | None = None
    begins: bool = True
    ends: bool = True
    inner: tuple[Node, ...] = ()

    @property
    def depth(self) -> int:
        """The number of highlights that lie within one another here, this one counted."""
        return max((node.depth for node in self.inner), default=0) + (self.highlight is not None)


@dataclass(slots=True)
class _Open:
    highlight: Highlight | None
    begins: bool
    inner: list[Node] = field(default_factory=list)


def nested(text: str, highlights: Iterable[Highlight]) -> tuple[Node, ...]:
    """Return a text as nested pieces, of which none crosses another; together their words are the text."""
    starts: dict[int, list[Highlight]] = {}
    for highlight in highlights:
        starts.setdefault(highlight.start, []).append(highlight)
    cuts = sorted({0, len(text), *starts, *(highlight.end for group in starts.values() for highlight in group)})
    stack = [_Open(None, begins=True)]
    for position, following in [*pairwise(cuts), (len(text), len(text))]:
        _close(stack, position)
        opening = sorted(starts.get(position, ()), key=lambda highlight: (-highlight.end, highlight.chain))
        stack.extend(_Open(highlight, begins=True) for highlight in opening)
        if position < following:
            stack[-1].inner.append(Node(text[position:following]))
    return tuple(stack[0].inner)


def _close(stack: list[_Open], position: int) -> None:
    """Close the highlights that end at a position; inner ones that go on are cut there, and opened again behind it."""
    lowest = next(
        (n for n, piece in enumerate(stack) if piece.highlight is not None and piece.highlight.end <= position), None
    )
    if lowest is None:
        return
    again: list[Highlight] = []
    while len(stack) > lowest:
        piece = stack.pop()
        highlight = piece.highlight
        if highlight is None:
            continue
        ends = highlight.end <= position
        stack[-1].inner.append(Node("", highlight, piece.begins, ends, tuple(piece.inner)))
        if not ends:
            again.append(highlight)
    stack.extend(_Open(highlight, begins=False) for highlight in reversed(again))


@dataclass(frozen=True, slots=True)
class Chains:
    """The chains of a screen: the number of each, from 1, in the order of their first mentions.

    Names stay on the server: they could tell raters which annotation is whose.
    """

    numbers: Mapping[str, int]

    @classmethod
    def of(cls, texts: Iterable[Iterable[Highlight]]) -> Chains:
        """Number the chains of texts in their order."""
        numbers: dict[str, int] = {}
        for mention in (mention for highlights in texts for mention in highlights if mention.chain):
            numbers.setdefault(mention.chain, len(numbers) + 1)
        return cls(numbers)


def places_in_chain(highlights: Sequence[Highlight]) -> Iterator[tuple[Highlight, int, int]]:
    """Yield the mentions of a text, each with its place in its chain, from 1, and the chain's mentions in the text."""
    totals: dict[str, int] = {}
    for mention in highlights:
        totals[mention.chain] = totals.get(mention.chain, 0) + 1
    so_far: dict[str, int] = {}
    for mention in highlights:
        so_far[mention.chain] = so_far.get(mention.chain, 0) + 1
        yield mention, so_far[mention.chain], totals[mention.chain]
