"""Paths into a record of a file, such as annotations[*].score, and the rows that they make of it.

A path names a column, or what stands inside a cell: `.name` is a member of an object, `[2]` the second entry of a list,
`[*]` every entry, each of which makes a row. A word in braces stands for any name or number and is the value of our
column of that name: `score_{rater}` is every column whose name begins so, `ratings.{rater}.{criterion}` every member of
the objects, `scores[{rater}]` every entry, by its number from 1.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.jsontext import BadJson, loads

_STEP = re.compile(r"\[(\*|\d{1,6}|\{[a-z_]{1,40}\})\]|(?:^|\.)([^.\[\]]+)")
_NAME = re.compile(r"\{([a-z_]{1,40})\}")

# Between the entries of a list in a cell; the first of these that the cell has.
_SEPARATORS = (";", "|", ",", " ")

# Rows that one record may make. Rows of one line have numbers within what PostgreSQL's integer holds.
MOST = 200

# Paths of a file that are listed in a message.
LISTED = 30


class BadPath(ValueError):
    """A path that cannot be read, or that names lists that do not fit together in a record."""


class Step(NamedTuple):
    """One step of a path. `kind` is key, entry (a number from 1), entries, or names (with words in braces).

    `names` are the words in braces; `pieces` what stands around them.
    """

    kind: str
    word: str
    names: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()

    @property
    def makes_rows(self) -> bool:
        """Return whether each match of the step is a row."""
        return self.kind in {"entries", "names"}


# The words in braces that a match stands for, each with its text; and what was matched, by these.
Labels: TypeAlias = tuple[tuple[str, str], ...]
Matches: TypeAlias = dict[Labels, Json]


def is_path(text: str) -> bool:
    """Return whether a text may be more than the name of a column."""
    return any(sign in text for sign in ".[{")


@lru_cache(maxsize=1024)
def parse(text: str) -> tuple[Step, ...]:
    """Return the steps of a path. Raises BadPath."""
    steps, position = [], 0
    while position < len(text):
        matched = _STEP.match(text, position)
        if matched is None:
            sentence = _("“%(path)s” is no path. Write one such as annotations[*].score, or score_{rater}.")
            raise BadPath(sentence % {"path": text})
        steps.append(_bracket(matched[1]) if matched[1] is not None else step_of(matched[2]))
        position = matched.end()
    return tuple(steps)


def _bracket(word: str) -> Step:
    if word == "*":
        return Step("entries", "[*]")
    if word.startswith("{"):
        return Step("entries", f"[{word}]", (word[1:-1],))
    return Step("entry", word)


def step_of(text: str) -> Step:
    """Return a text as one step: a name, perhaps with words in braces."""
    names = tuple(_NAME.findall(text))
    return Step("names", text, names, tuple(_NAME.split(text)[::2])) if names else Step("key", text)


def names_in(text: str) -> tuple[str, ...]:
    """Return the words in braces of a path."""
    return tuple(name for step in parse(text) for name in step.names)


@dataclass(frozen=True, slots=True)
class Expander:
    """Makes the rows of records.

    `only` lists, by word in braces, what it may stand for; `taken` are columns that are used by their own names, so no
    word in braces stands for them.
    """

    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    def rows(self, record: Mapping[str, Json], paths: Mapping[str, str]) -> Iterator[dict[str, Json]]:
        """Yield the rows of a record: for each name of `paths` the value there, and words in braces as "{word}".

        Raises
        ------
        BadPath
            Where lists that belong together are of different lengths, or there are too many rows.
        """
        values: dict[str, tuple[Json, tuple[Step, ...]]] = {}
        for name, path in paths.items():
            values[name] = (record[path], ()) if path in record else (record, parse(path))
        for number, row in enumerate(self._rows(values, {}, record)):
            if number >= MOST:
                raise BadPath(_("A row would hold more than %(n)d ratings.") % {"n": MOST})
            yield row

    def _rows(
        self, values: Mapping[str, tuple[Json, tuple[Step, ...]]], bound: Mapping[str, str], record: Mapping[str, Json]
    ) -> Iterator[dict[str, Json]]:
        plain: dict[str, Json] = {}
        waiting: dict[str, tuple[Json, tuple[Step, ...]]] = {}
        for name, (value, steps) in values.items():
            reached, left = _walk(value, steps)
            if left:
                waiting[name] = (reached, left)
            elif reached is not None:
                plain[name] = reached
        if not waiting:
            yield {**plain, **{f"{{{word}}}": text for word, text in bound.items()}}
            return
        chosen = _together(waiting)
        matches = {
            name: self._matches(value, steps[0], bound, self.taken if value is record else ())
            for name, (value, steps) in waiting.items()
            if name in chosen
        }
        others = {name: pair for name, pair in waiting.items() if name not in chosen}
        kept = {name: (value, ()) for name, value in plain.items()}
        _check_lengths(matches, {name: waiting[name][1][0] for name in chosen})
        for labels in dict.fromkeys(label for by_label in matches.values() for label in by_label):
            words = {**bound, **{word: text for word, text in labels if word}}
            inner = {
                name: (value, waiting[name][1][1:])
                for name, by_label in matches.items()
                if (value := _of_labels(by_label, labels)) is not None
            }
            if inner:
                yield from self._rows({**kept, **others, **inner}, words, record)

    def _matches(self, value: Json, step: Step, bound: Mapping[str, str], taken: Collection[str]) -> Matches:
        """Return the entries that a step matches in a value, by the words in braces; without any, by their numbers."""
        value = opened(value)
        if step.kind == "entries":
            word = step.names[0] if step.names else ""
            entries = list(value.values()) if isinstance(value, Mapping) else value
            entries = entries if isinstance(entries, list) else [] if entries is None else [entries]
            labels = ((word, str(number)) for number in range(1, len(entries) + 1))
            return {
                (label,): entry
                for label, entry in zip(labels, entries, strict=True)
                if bound.get(label[0], label[1]) == label[1] and self._may_be(*label)
            }
        matched: Matches = {}
        for key, inner in value.items() if isinstance(value, Mapping) else ():
            words = None if key in taken else self.words_of(key, step)
            if words is not None and all(bound.get(word, text) == text for word, text in words):
                matched[words] = inner
        return matched

    def words_of(self, key: str, step: Step) -> Labels | None:
        """Return the meanings of the words in braces in a name; None where the name does not fit.

        Raises
        ------
        BadPath
            Where the name can be read in several ways.
        """
        readings = (tuple(zip(step.names, texts, strict=True)) for texts in _readings(key, step.pieces))
        fitting = [words for words in readings if all(self._may_be(*pair) for pair in words)]
        if len(fitting) > 1:
            sentence = _("“%(name)s” fits “%(pattern)s” in several ways. Say by “only” which words there are.")
            raise BadPath(sentence % {"name": key, "pattern": step.word})
        return fitting[0] if fitting else None

    def _may_be(self, word: str, text: str) -> bool:
        return word not in self.only or text in self.only[word]


def fits(text: str, step: Step) -> bool:
    """Return whether a name fits a step with words in braces, in one way or in several."""
    return any(True for _texts in _readings(text, step.pieces))


def _readings(text: str, pieces: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield every way in which words between pieces make a text."""
    if not text.startswith(pieces[0]):
        return
    rest = text[len(pieces[0]) :]
    if len(pieces) == 2:
        end = pieces[1]
        if rest.endswith(end) and len(rest) > len(end):
            yield (rest[: len(rest) - len(end)],)
        return
    begin = 1
    # Between two words that stand side by side, every place may be the border.
    while (place := rest.find(pieces[1], begin)) >= 0:
        for others in _readings(rest[place:], pieces[1:]):
            yield (rest[:place], *others)
        begin = place + 1


def _together(waiting: Mapping[str, tuple[Json, tuple[Step, ...]]]) -> list[str]:
    """Return the paths with next steps that make the same rows: names before lists, and most words in braces first."""
    by_names = [name for name, (_value, steps) in waiting.items() if steps[0].kind == "names"]
    if not by_names:
        return list(waiting)
    largest = max((frozenset(waiting[name][1][0].names) for name in by_names), key=len)
    return [name for name in by_names if largest.issuperset(waiting[name][1][0].names)]


def _check_lengths(matches: Mapping[str, Matches], steps: Mapping[str, Step]) -> None:
    lengths = {name: len(found) for name, found in matches.items() if steps[name].kind == "entries" and found}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name}: {n}" for name, n in lengths.items())
        raise BadPath(_("These lists belong together, and have different lengths (%(lengths)s).") % {"lengths": listed})


def _of_labels(by_label: Mapping[Labels, Json], labels: Labels) -> Json:
    """Return the value of some words in braces; a path with fewer words has the same value for all others."""
    if labels in by_label:
        return by_label[labels]
    for of_path, value in by_label.items():
        if set(of_path) <= set(labels) or [text for word, text in of_path if not word] == [text for _w, text in labels]:
            return value
    return None


def _walk(value: Json, steps: tuple[Step, ...]) -> tuple[Json, tuple[Step, ...]]:
    """Follow a path up to its end or to the first step that makes rows; return the value there, and the steps left."""
    for number, step in enumerate(steps):
        if step.makes_rows:
            return value, steps[number:]
        value = opened(value)
        if step.kind == "key":
            value = value.get(step.word) if isinstance(value, Mapping) else None
        else:
            at = int(step.word) - 1
            value = value[at] if isinstance(value, list) and 0 <= at < len(value) else None
        if value is None:
            rest = steps[number + 1 :]
            return None, next((rest[at:] for at, later in enumerate(rest) if later.makes_rows), ())
    return value, ()


def opened(value: Json) -> Json:
    """Return the value of a cell of text: JSON, a list as Python writes it, or a list between separators."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text:
        return None
    if text[0] in "[{":
        try:
            return loads(text)
        except BadJson:
            python = _python(text)
            if python is not None:
                return python
    separator = next((separator for separator in _SEPARATORS if separator in text), None)
    return [text] if separator is None else [entry.strip() or None for entry in text.split(separator)]


def _python(text: str) -> Json:
    """Return a list or dictionary that Python has written, as pandas does; None where it is none."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list | dict) and _is_plain(value) else None


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)


# Nested any deeper, nobody names a value by a path.
_DEEPEST = 20


def paths_of(value: Json, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the paths that a record has, those into lists with [*]."""
    if isinstance(value, str) and prefix and value.lstrip()[:1] in {"[", "{"}:
        inside = opened(value)
        # Words between brackets that are neither JSON nor written by Python are one text.
        value = value if inside == [value.strip()] else inside
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, inner in value.items():
            yield from paths_of(inner, f"{prefix}.{key}" if prefix else str(key), depth + 1)
    elif isinstance(value, list) and value and depth < _DEEPEST:
        yield from paths_of(value[0], f"{prefix}[*]", depth + 1)
    elif prefix:
        yield prefix
