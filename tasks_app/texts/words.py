"""The words of a text, for comparisons of texts in any language."""

import re

# Scripts without spaces between words: each character counts as a word.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(r"[^\W_]+")
_WORD_OR_SIGN = re.compile(rf"[{_SPACELESS}]|[^\W_{_SPACELESS}]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text without case, punctuation and space; in Chinese, Japanese or Thai its characters."""
    folded = text.casefold()
    return (_WORD if folded.isascii() else _WORD_OR_SIGN).findall(folded)
