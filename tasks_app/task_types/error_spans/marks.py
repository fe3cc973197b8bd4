"""Marks: their places in a text, and reading them from a post.

Offsets count Unicode code points from 0, the end is exclusive, and neither may fall within what people see as one
character (a grapheme cluster of UAX 29). What is missing is marked on the word [missing] after the output: it starts
at the length of the text and ends one further.

A text may come with marks. A mark that was one of them keeps its number, from 1, in `of`; raters' own marks have 0.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise

import regex
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, ngettext

from tasks_app.task_types.error_spans.scheme import Scheme
from tasks_app.task_types.graphemes import inside

MISSING = "[missing]"

# The fields of a mark, and the most characters that a page can send.
NAMES = ("side", "start", "end", "severity", "category")
OF, REASON = "of", "reason"
LONGEST_JSON = 60_000
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """One error: its place, severity and category. Severity and category are empty where not told apart.

    `of` is the number of the given mark that this one was, from 1; 0 is a rater's own. `reason` says in the rater's
    words why it is an error. Marks are compared without these two.
    """

    side: str
    start: int
    end: int
    severity: str = ""
    category: str = ""
    of: int = field(default=0, compare=False)
    reason: str = field(default="", compare=False)

    def overlaps(self, other: Mark) -> bool:
        """Return whether the two marks share a character."""
        return self.side == other.side and self.start < other.end and other.start < self.end

    def as_dict(self) -> dict[str, str | int]:
        """Return the mark as JSON holds it: without the number of a given mark and a reason, where it has none."""
        return {name: value for name, value in asdict(self).items() if name not in {OF, REASON} or value}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of marks: the texts by side, and the rules of the task."""

    texts: Mapping[str, str]
    scheme: Scheme
    missing: bool
    overlaps: bool
    most: int

    def words(self, mark: Mark) -> str:
        """Return the characters that are marked."""
        text = self.texts[mark.side]
        return MISSING if mark.start >= len(text) else text[mark.start : mark.end]


def words_of(text: str) -> list[tuple[int, int]]:
    """Return runs of characters without space, at most 12 grapheme clusters each, for simulated raters to mark."""
    return [run.span() for run in regex.finditer(r"(?:(?!\s)\X){1,12}", text)]


def read_marks(posted: str) -> list[Mark]:
    """Read the JSON of a page. Raises ValidationError for everything that is not a list of whole marks."""
    try:
        sent = json.loads(posted or "[]", parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ValidationError(_unreadable(), code="json") from None
    if not isinstance(sent, list) or not all(_is_mark(entry) for entry in sent):
        raise ValidationError(_unreadable(), code="marks")
    return [
        Mark(
            **{
                **entry, "severity": entry["severity"] or "", "category": entry["category"] or "",
                REASON: " ".join(entry.get(REASON, "").split()),
            }
        )
        for entry in sent
    ]  # fmt: skip


def _refuse(word: str) -> None:
    raise ValueError(word)


def _unreadable() -> str:
    return gettext("The marks cannot be read. Reload the page, and mark the errors again.")


def _is_mark(entry: object) -> bool:
    if not isinstance(entry, dict) or set(entry) - {OF, REASON} != set(NAMES) or not isinstance(entry["side"], str):
        return False
    numbers = [entry["start"], entry["end"], entry.get(OF, 1)]
    if any(isinstance(number, bool) or not isinstance(number, int) for number in numbers) or entry.get(OF, 1) < 1:
        return False
    if not isinstance(entry.get(REASON, ""), str):
        return False
    return all(entry[name] is None or isinstance(entry[name], str) for name in ("severity", "category"))


def problem_in(mark: Mark, limits: Limits) -> str | None:
    """Return the reason why a mark is not allowed, or None."""
    text = limits.texts.get(mark.side)
    if text is None:
        return gettext("Nothing can be marked in this text.")
    of_missing = limits.missing and mark.side == "output" and (mark.start, mark.end) == (len(text), len(text) + 1)
    if not of_missing:
        if not 0 <= mark.start < mark.end <= len(text):
            return gettext("A mark lies outside of the text. Reload the page, and mark the errors again.")
        if {mark.start, mark.end} & set(inside(text)):
            return gettext("A mark begins or ends within a character. Remove it, and mark the whole character.")
    return next(_problems_in_kind(mark, limits), None)


def _problems_in_kind(mark: Mark, limits: Limits) -> Iterator[str]:
    scheme, about = limits.scheme, {"words": shortened(limits.words(mark))}
    if len(mark.reason) > LONGEST_REASON:
        yield gettext("“%(words)s”: give a reason of at most %(n)d characters.") % {**about, "n": LONGEST_REASON}
    category = scheme.categories.get(mark.category)
    if scheme.severities and not mark.severity:
        yield gettext("“%(words)s”: choose how serious the error is.") % about
    if scheme.categories and not mark.category:
        yield gettext("“%(words)s”: choose what kind of error it is.") % about
    if mark.severity and mark.severity not in scheme.severity_keys:
        yield gettext("“%(words)s”: choose one of the severities shown.") % about
    if mark.category and category is None:
        yield gettext("“%(words)s”: choose one of the kinds of error shown.") % about
    if category is None:
        return
    if mark.side not in category.sides:
        yield gettext("“%(words)s”: this kind of error is not marked in this text.") % about
    if category.whole and (mark.start, mark.end) != (0, len(limits.texts[mark.side])):
        yield gettext("“%(words)s”: this kind of error is marked on the whole text.") % about
    if category.severity in scheme.severity_keys and mark.severity != category.severity:
        yield gettext("“%(words)s”: this kind of error has a fixed severity.") % about


def problem_in_all(marks: Sequence[Mark], limits: Limits) -> str | None:
    """Return the problem with several marks together, or None."""
    if len(marks) > limits.most:
        words = ngettext(
            "Mark at most %(n)d error: the most serious one. Remove the others.",
            "Mark at most %(n)d errors: the most serious ones. Remove the others.",
            limits.most,
        )
        return words % {"n": limits.most}
    if len(set(marks)) < len(marks):
        return gettext("The same error is marked twice. Remove one of the two marks.")
    ordered = sorted(marks)
    if not limits.overlaps and any(mark.overlaps(following) for mark, following in pairwise(ordered)):
        return gettext("Marks may not overlap. Remove one of the two.")
    return None


def shortened(words: str, longest: int = 40) -> str:
    """Return words on one line, cut where they are long."""
    line = " ".join(words.split())
    if len(line) <= longest:
        return line
    cut = line[:longest]
    if within := set(inside(line)):
        while len(cut) in within:
            cut = cut[:-1]
    return f"{cut}…"


def prefilled(payloads: Iterable[object]) -> list[Mark]:
    """Return the marks a text carries when it is first shown, in their order. Raises ValidationError."""
    marks: list[Mark] = []
    for payload in payloads:
        for entry in payload if isinstance(payload, list) else [payload]:
            if not isinstance(entry, Mapping):
                raise ValidationError(_wrong_payload(), code="payload")
            whole = {"side": "output", "severity": None, "category": None, **entry}
            if {OF, REASON} & set(entry) or not _is_mark(whole):
                raise ValidationError(_wrong_payload(), code="payload")
            marks.append(Mark(**{**whole, "severity": whole["severity"] or "", "category": whole["category"] or ""}))
    return marks


def with_origins(marks: Iterable[Mark], given: Sequence[Mark], *, settled: Container[int]) -> list[Mark]:
    """Return posted marks of which each given mark is at most one; the others are the rater's own.

    `settled` holds the numbers of given marks that stay or are gone for themselves, so that no posted mark is them.
    """
    free = {number for number in range(1, len(given) + 1) if number not in settled}
    named: list[Mark] = []
    for mark in marks:
        named.append(mark if mark.of in free else replace(mark, of=0))
        free.discard(mark.of)
    return named


def origin_of(mark: Mark, given: Sequence[Mark]) -> str:
    """Return where a mark comes from: the rater's own, a given one that was kept as it is, or one that was changed."""
    if not mark.of:
        return "own"
    return "kept" if mark == given[mark.of - 1] else "changed"


def _wrong_payload() -> str:
    return gettext(
        "This is a mark, or a list of marks: start and end, and where they are told apart severity, category."
    )
