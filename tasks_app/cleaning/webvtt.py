"""WebVTT: keep captions, their regions and styles; leave out what no browser shows."""

import re

from tasks_app.cleaning.findings import Finding

_BLANK = re.compile(r"((?:\r\n|\n|\r)(?:(?:\r\n|\n|\r))+)")
_LINE = re.compile(r"\r\n|\n|\r")
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return captions without the words of the header, notes, names of cues and comments in styles."""
    text = content.decode("utf-8-sig")
    pieces = _BLANK.split(text)
    blocks, between = pieces[::2], [*pieces[1::2], ""]
    # A style can name a cue.
    keeps_names = any(block.startswith("STYLE") and "#" in block for block in blocks)
    kept: list[str] = []
    for number, (block, blank) in enumerate(zip(blocks, between, strict=True)):
        cleaned = "WEBVTT" if number == 0 else _cleaned(block, keeps_names=keeps_names)
        if cleaned or not block:
            kept += (cleaned, blank)
        if cleaned != block:
            findings.add(Finding.TEXT)
    return "".join(kept).encode()


def _cleaned(block: str, *, keeps_names: bool) -> str:
    """Return a block without hidden words; "" where nothing else is in it."""
    if block.startswith("STYLE"):
        return _CSS_COMMENT.sub("", block)
    if block.startswith("REGION"):
        return block
    lines = _LINE.split(block)
    times = next((number for number, line in enumerate(lines[:2]) if "-->" in line), None)
    if times is None:
        return ""
    if times and not keeps_names:
        return block[_LINE.search(block).end() :]  # type: ignore[union-attr]  # there is a line below
    return block
