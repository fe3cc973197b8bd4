"""Validate captions: WebVTT files, as browsers read them (W3C Candidate Recommendation of 4 April 2019)."""

import re
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

KIND = "text/vtt"

_SIGNATURE = re.compile(rb"(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|$)")
_TIMES = re.compile(r"(?P<start>\S+)[ \t]+-->[ \t]+(?P<end>\S+)(?:[ \t]+\S.*)?")
_TIME = re.compile(r"(?:(?P<hours>[0-9]{2,9}):)?(?P<minutes>[0-5][0-9]):(?P<seconds>[0-5][0-9])\.(?P<ms>[0-9]{3})")
_BLOCKS_WITHOUT_TIMES = ("NOTE", "STYLE", "REGION")

# Where a fault is, counted from 1, and what is wrong.
Fault = tuple[int, str]


def is_captions(head: bytes) -> bool:
    """Return whether a file begins as a WebVTT file does."""
    return _SIGNATURE.match(head) is not None


def faults_of(content: bytes) -> Iterator[Fault]:
    """Yield the faults that keep captions from being shown as intended: browsers drop such cues in silence."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield content[: error.start].count(b"\n") + 1, _("is not UTF-8. Save the captions as UTF-8.")
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    n_cues, latest = 0, 0
    for number, block in _blocks(lines):
        times = next((place for place, line in enumerate(block[:2]) if "-->" in line), None)
        if times is None:
            if not block[0].startswith(_BLOCKS_WITHOUT_TIMES):
                yield number, _("A caption needs a line of times, such as 00:01.000 --> 00:04.000.")
            continue
        n_cues += 1
        start, sentence = _fault_of_times(block[times])
        if not sentence and start < latest:
            sentence = _("This caption begins before the one above it. Put captions in the order of their times.")
        if not sentence and not "".join(block[times + 1 :]).strip():
            sentence = _("This caption has no words.")
        if sentence:
            yield number + times, sentence
        latest = max(latest, start)
    if not n_cues:
        yield 1, _("There is no caption in this file.")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks below the header, which blank lines separate, with the number of their first line."""
    block: list[str] = []
    is_header = True
    for number, line in enumerate([*lines, ""], start=1):
        if line:
            block.append(line)
            continue
        if block and not is_header:
            yield number - len(block), block
        block, is_header = [], False


def _fault_of_times(line: str) -> tuple[int, str]:
    """Return the beginning of a caption, in milliseconds, and the fault in its times."""
    match = _TIMES.fullmatch(line)
    times = [_milliseconds(match[name]) for name in ("start", "end")] if match else [None, None]
    start, end = times
    if start is None or end is None:
        return 0, _("Write the times of a caption like this: 00:01.000 --> 00:04.000.")
    if end <= start:
        return start, _("This caption ends before it begins.")
    return start, ""


def _milliseconds(time: str) -> int | None:
    match = _TIME.fullmatch(time)
    if match is None:
        return None
    seconds = int(match["hours"] or 0) * 3600 + int(match["minutes"]) * 60 + int(match["seconds"])
    return seconds * 1000 + int(match["ms"])
