"""Split the text of a column: by words in braces with text between, or by a regular expression with named groups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from tasks_app.importing.shaping.paths import BadPath, Expander, step_of
from tasks_app.texts import patterns

# Time for the regular expressions of a batch of texts.
SECONDS = 20.0

# Texts whose parts are remembered.
REMEMBERED = 100_000


def is_expression(pattern: str) -> bool:
    """Return whether a pattern is a regular expression with named groups."""
    return "(?P<" in pattern


def words_of(pattern: str) -> frozenset[str]:
    """Return the names of the parts into which a pattern splits a text."""
    return frozenset(re.findall(r"\(\?P<(\w+)>" if is_expression(pattern) else r"\{(\w+)\}", pattern))


def fault_of(pattern: str) -> str:
    """Return why a pattern cannot split a text; "" where it can."""
    if is_expression(pattern):
        try:
            patterns.check(pattern)
        except patterns.BadPattern as error:
            return str(error)
        return ""
    if "{" in pattern:
        return ""
    return _(
        "Write a pattern with words in braces, such as {item}-{system}, or with named groups, as (?P<item>[0-9]+)."
    )


class Splitter:
    """Splits texts by one pattern."""

    def __init__(self, pattern: str, expander: Expander) -> None:
        self.pattern = pattern
        self._expander = expander
        self._parts: dict[str, Mapping[str, str] | None] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Search a batch of texts in another process, where the pattern is a regular expression. Raises BadPath."""
        if not is_expression(self.pattern):
            return
        new = [text for text in dict.fromkeys(texts) if text not in self._parts]
        if len(self._parts) + len(new) > REMEMBERED:
            self._parts.clear()
        if not new:
            return
        parts = patterns.groups(self.pattern, new, seconds=SECONDS)
        if isinstance(parts, patterns.TooHeavy):
            raise BadPath(_("split: the regular expression %(problem)s.") % {"problem": parts})
        self._parts.update(zip(new, parts, strict=True))

    def parts(self, text: str) -> Mapping[str, str]:
        """Return the parts of a text by our columns. Raises BadPath where it does not fit the pattern."""
        if is_expression(self.pattern):
            parts = self._parts[text]
        else:
            words = self._expander.words_of(text, step_of(self.pattern))
            parts = None if words is None else dict(words)
        if parts is None:
            sentence = _("“%(text)s” does not fit the pattern “%(pattern)s” of split.")
            raise BadPath(sentence % {"text": text, "pattern": self.pattern})
        return parts
