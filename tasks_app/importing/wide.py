"""Wide files, with several ratings in a row: which columns belong to which rating.

A row of `worker, sys1, quality1, sys2, quality2` holds two ratings; so does one of `item, fluency, adequacy`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tasks_app.studyfile.problems import nearest

# The column whose values the words in a pattern's group are, unless the mapping names another.
CRITERION = "criterion"

# Ratings that one row may hold. Lines are numbered by it, within what PostgreSQL's integer holds.
MOST = 200

# The text that the star of a pattern may stand for.
_STAR = re.compile("[0-9]{1,4}|[A-Za-z]")


class NotWide(ValueError):
    """The columns of a file are not those that a mapping says."""


@dataclass(frozen=True, slots=True)
class Group:
    """One of the ratings in a row: the file's columns by our names, and words of ours that stand in no column."""

    columns: Mapping[str, str]
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Wide:
    """How a mapping describes the ratings in a row.

    `patterns` gives by our names the columns of the file, by the word that they stand for ("" for none); `of` is our
    column that these words belong to. A star in a pattern is a number or letter that columns of one rating share. If
    `of` is stated and no column stands for a word, the star is any text, and this text is the word.
    """

    patterns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    of: str = CRITERION
    of_star: bool = False

    @classmethod
    def read(cls, given: Mapping[str, object]) -> Wide:
        """Read the part `wide` of a mapping that fits the schema."""
        patterns = {ours: _by_word(pattern) for ours, pattern in given.items() if ours != "of"}
        has_words = any(word for words in patterns.values() for word in words)
        return cls(patterns, str(given.get("of", CRITERION)), "of" in given and not has_words)

    @property
    def has_words(self) -> bool:
        """Return whether columns stand for words, such as a criterion each."""
        return self.of_star or any(word for words in self.patterns.values() for word in words)

    @property
    def ours(self) -> set[str]:
        """Return our columns that every rating of a row has."""
        return {*self.patterns, *([self.of] if self.has_words else [])}

    def problems(self, elsewhere: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Yield (our column, sentence) for each contradiction; `elsewhere` are our columns that stand outside."""
        if not self.patterns:
            yield "", _("needs at least one column, such as value: quality*.")
        columns = [*self.patterns, *([self.of] if self.has_words else [])]
        for number, ours in enumerate(columns):
            if ours in elsewhere or ours in columns[:number]:
                yield (
                    ours if ours in self.patterns else "of",
                    _("This is mapped elsewhere as well. Keep one of the two."),
                )
        for ours, words in self.patterns.items():
            for pattern in words.values():
                if pattern.count("*") > 1:
                    yield ours, _("“%(pattern)s” has more than one star.") % {"pattern": pattern}
        if self.of_star and not any("*" in pattern for words in self.patterns.values() for pattern in words.values()):
            sentence = _(
                "Say which columns: by a star, such as value: score_*, or by their names, such as value: [a, b]."
            )
            yield "of", sentence

    def groups(self, names: Sequence[str]) -> list[Group]:
        """Return the ratings that a row of a file with these columns holds. Raises NotWide."""
        words = list(dict.fromkeys(word for by_word in self.patterns.values() for word in by_word if word)) or [""]
        groups = [
            Group(
                {
                    ours: pattern.replace("*", star)
                    for ours, by_word in self.patterns.items()
                    if (pattern := by_word.get(word, by_word.get("", "")))
                },
                {self.of: word or star} if self.has_words else {},
            )
            for star in self._stars(names)
            for word in words
        ]
        if len(groups) > MOST:
            raise NotWide(_("A row would hold more than %(n)d ratings.") % {"n": MOST})
        for theirs in (name for group in groups for name in group.columns.values()):
            if theirs not in names:
                sentence = _("wide: the file has no column “%(name)s”.") % {"name": theirs}
                raise NotWide(f"{sentence} {nearest(theirs, names)}".rstrip())
        return groups

    def _stars(self, names: Sequence[str]) -> list[str]:
        """Return the texts for which the star stands in the columns, in order; one empty text without any star."""
        patterns = [pattern for by_word in self.patterns.values() for pattern in by_word.values() if "*" in pattern]
        stars: dict[str, None] = {}
        for pattern in patterns:
            before, _star, after = pattern.partition("*")
            matched = [star for name in names if (star := _star_in(name, before, after, any_text=self.of_star))]
            if not matched:
                sentence = _("wide: the file has no column like “%(pattern)s” (the star is a number or a letter).")
                if self.of_star:
                    sentence = _("wide: the file has no column like “%(pattern)s” (the star is any text).")
                raise NotWide(sentence % {"pattern": pattern})
            stars.update(dict.fromkeys(matched))
        if self.of_star:
            return list(stars)
        return sorted(stars, key=lambda star: (len(star), star)) if patterns else [""]


def _by_word(pattern: object) -> dict[str, str]:
    """Return columns by the word that they stand for: columns in a list stand for their own names."""
    if isinstance(pattern, Mapping):
        return {str(word): str(name) for word, name in pattern.items()}
    if isinstance(pattern, list):
        return {str(name): str(name) for name in pattern}
    return {"": str(pattern)}


def _star_in(name: str, before: str, after: str, *, any_text: bool) -> str:
    """Return the text for which the star stands in a column's name; "" where the name is no such column."""
    if not (name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)):
        return ""
    star = name[len(before) : len(name) - len(after)]
    return star if any_text or _STAR.fullmatch(star) else ""
