"""WebVTT: keep captions, their regions and styles; leave out parts that no browser shows."""

import re

from tasks_app.uploads.cleaning.findings import Finding

_BLANK = re.compile(r"((?:\r\n|\n|\r)(?:(?:\r\n|\n|\r))+)")
_LINE = re.compile(r"\r\n|\n|\r")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_TIMES = re.compile(r"([ \t]*[\d:.]+[ \t]*-->[ \t]*[\d:.]+)(.*)")
# A style of captions that are chosen by a name.
_BY_NAME = re.compile(r"::cue(?:-region)?\(")
# Settings that browsers read, of a caption and of a region (W3C Candidate Recommendation of 4 April 2019, sections 4.4
# and 4.3); whatever else stands there is shown nowhere, and may be anything.
_PERCENT = r"\d+(?:\.\d+)?%"
_OF_A_CUE = re.compile(
    r"vertical:(?:rl|lr)"
    rf"|line:(?:{_PERCENT}|-?\d+)(?:,(?:start|center|end))?"
    rf"|position:{_PERCENT}(?:,(?:line-left|center|line-right))?"
    rf"|size:{_PERCENT}"
    r"|align:(?:start|center|end|left|right)"
)
_OF_A_REGION = re.compile(
    rf"width:{_PERCENT}|lines:\d+|(?:regionanchor|viewportanchor):{_PERCENT},{_PERCENT}|scroll:up"
)
# A tag with what only styles read: classes, and the name of a voice.
_TAG = re.compile(r"<(c|i|b|u|ruby|rt|v|lang)((?:\.[^\s.<>]*)*)([^<>]*)>")


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return captions without words that no browser shows.

    These are words of the header, notes, comments in styles, names of cues, regions, classes and voices, and settings
    that are none. Names stay where a style asks for captions by them, as `::cue(#name)` and `::cue(.class)` do.
    """
    text = content.decode("utf-8-sig")
    pieces = _BLANK.split(text)
    blocks, between = pieces[::2], [*pieces[1::2], ""]
    names = _Names(are_kept=any(block.startswith("STYLE") and _BY_NAME.search(block) for block in blocks))
    written: list[str] = []
    for number, (block, blank) in enumerate(zip(blocks, between, strict=True)):
        cleaned = "WEBVTT" if number == 0 else _cleaned(block, names)
        if cleaned or not block:
            written += (cleaned, blank)
        if cleaned != _LINE.sub("\n", block):
            findings.add(Finding.TEXT)
    return "".join(written).encode()


class _Names:
    """The names of a file: numbers stand for those of its regions, unless a style may use them."""

    def __init__(self, *, are_kept: bool) -> None:
        self.are_kept = are_kept
        self._numbers: dict[str, int] = {}

    def setting(self, word: str, known: re.Pattern[str], key: str) -> str | None:
        """Return a setting as it stays, where `key` is followed by the name of a region; None where it is none."""
        if not word.startswith(f"{key}:"):
            return word if known.fullmatch(word) else None
        if self.are_kept:
            return word
        number = self._numbers.setdefault(word.removeprefix(f"{key}:"), len(self._numbers) + 1)
        return f"{key}:{number}"

    def settings(self, words: str, known: re.Pattern[str], key: str) -> str:
        """Return settings as they stay, each behind a space."""
        return "".join(f" {setting}" for word in words.split() if (setting := self.setting(word, known, key)))


def _cleaned(block: str, names: _Names) -> str:
    """Return a block without hidden words; "" where nothing else is in it."""
    if block.startswith("STYLE"):
        return _CSS_COMMENT.sub("", _LINE.sub("\n", block))
    if block.startswith("REGION"):
        lines = [names.settings(line, _OF_A_REGION, "id").strip() for line in _LINE.split(block)[1:]]
        return "\n".join(["REGION", *filter(None, lines)])
    lines = _LINE.split(block)
    at = next((number for number, line in enumerate(lines[:2]) if "-->" in line), None)
    if at is None:
        return ""
    times = _TIMES.fullmatch(lines[at])
    if times is None:
        return ""
    lines[at] = times[1] + names.settings(times[2], _OF_A_CUE, "region")
    if names.are_kept:
        return "\n".join(lines)
    spoken = [_TAG.sub(_without_names, line) for line in lines[at + 1 :]]
    return "\n".join([lines[at], *spoken])


def _without_names(tag: re.Match[str]) -> str:
    """Return a tag without classes and without a voice; the language of a part stays."""
    return f"<{tag[1]}{tag[3] if tag[1] == 'lang' else ''}>"
