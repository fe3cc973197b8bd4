"""Schemes of errors: severities, categories, weights; shipped (MQM, ESA, plain) or of the study's own."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from tasks_app.task_types.error_spans.scoring import Rule, rules_of
from tasks_app.texts.plaintext import problem_in

SIDES = ("output", "source")

# Number of colours that most people can tell apart, each with its own underline.
COLOURS = 6
MOST_SEVERITIES = 4
MOST_CATEGORIES = 60
_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")

# The colours of severities, from minor to major. Of two severities the milder one does not get the neutral colour.
_LEVELS = {0: (), 1: (3,), 2: (2, 3), 3: (1, 2, 3), 4: (1, 2, 3, 4)}

# The severities as published; like every published instrument they are not translated here.
ESA_SEVERITIES = (
    ("minor", "Minor", "Style, grammar or choice of words could be better or more natural."),
    ("major", "Major", "The meaning is changed, or the part is really hard to understand."),
)
PUBLISHED_IN = "en"


@dataclass(frozen=True, slots=True)
class Severity:
    """The severity of an error. `digit` is its key on the keyboard, `level` its colour."""

    key: str
    name: str
    definition: str
    level: int
    digit: int


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of error that can be chosen; `key` is its path, such as accuracy/omission.

    `sides` says where it may be marked. `whole` asks for the whole text, and `severity` fixes how serious it is.
    """

    key: str
    name: str
    definition: str
    letter: str
    colour: int
    group: str = ""
    sides: tuple[str, ...] = SIDES
    whole: bool = False
    severity: str = ""

    @property
    def full_name(self) -> str:
        """The name with that of its group: Accuracy / Omission."""
        return f"{self.group} / {self.name}" if self.group else self.name


@dataclass(frozen=True, slots=True)
class Group:
    """Categories under one name; one that has no categories below is a category itself."""

    key: str
    name: str
    letter: str
    categories: tuple[Category, ...]

    @property
    def is_leaf(self) -> bool:
        """Whether the group is one category."""
        return len(self.categories) == 1 and self.categories[0].key == self.key


@dataclass(frozen=True)
class Scheme:
    """The severities and the groups of categories that raters can choose, and the weights."""

    severities: tuple[Severity, ...]
    groups: tuple[Group, ...]
    rules: tuple[Rule, ...]
    # The languages of their words, where these are not the study's own.
    language_of_severities: str = ""
    language_of_kinds: str = ""

    @cached_property
    def categories(self) -> dict[str, Category]:
        """The categories that can be chosen, by their keys."""
        return {category.key: category for group in self.groups for category in group.categories}

    @cached_property
    def severity_keys(self) -> tuple[str, ...]:
        """The keys of the severities, from minor to major."""
        return tuple(severity.key for severity in self.severities)

    def severity_name(self, key: str | None) -> str:
        """Return the name of a severity."""
        return next((severity.name for severity in self.severities if severity.key == key), key or "")

    def in_words(self, severity: str | None, category: str | None) -> str:
        """Describe an error in words: major, Accuracy / Omission."""
        known = self.categories.get(category or "")
        return ", ".join(
            word for word in (self.severity_name(severity), known.full_name if known else category) if word
        )


def letters_for(names: Sequence[str]) -> list[str]:
    """Give each name a letter of its own: one of its own letters where there is one left, else any Latin one."""
    free = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    letters = []
    for name in names:
        own = [letter for letter in name.casefold() if letter in free]
        letter = next(iter([*own, *free]), "")
        if letter:
            free.remove(letter)
        letters.append(letter)
    return letters


@lru_cache(maxsize=1)
def mqm() -> Mapping[str, Any]:
    """Read the MQM hierarchy, severities and weights that are shipped."""
    path = Path(__file__).parent / "mqm.json"
    data: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def shipped(scheme: str) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Return severities, categories and weights of a shipped scheme."""
    if scheme == "mqm":
        return mqm()["severities"], mqm()["categories"], mqm()["weights"]
    if scheme == "esa":
        names = ("key", "name", "definition")
        return [dict(zip(names, entry, strict=True)) for entry in ESA_SEVERITIES], [], []
    return [], [], []


def scheme_of(
    name: str, severities: Sequence[Any], categories: Sequence[Any], weights: Sequence[Any], *, source: bool
) -> Scheme:
    """Return the scheme of a task: the study's own severities, categories and weights, else the published ones.

    Categories that can only be marked in the source are left out where the source takes no marks.
    """
    published = shipped(name)
    return Scheme(
        severities=tuple(_severities(severities or published[0])),
        groups=tuple(_groups(categories or published[1], ("output", "source") if source else ("output",))),
        rules=rules_of(weights or published[2]),
        language_of_severities="" if severities else PUBLISHED_IN,
        language_of_kinds="" if categories else PUBLISHED_IN,
    )


def _severities(given: Sequence[Any]) -> Iterator[Severity]:
    for number, entry in enumerate(given):
        level = _LEVELS[len(given)][number]
        yield Severity(entry["key"], entry["name"], entry.get("definition", ""), level, number + 1)


def _groups(given: Sequence[Any], sides: Sequence[str]) -> Iterator[Group]:
    usable = [entry for entry in given if set(entry.get("sides", SIDES)) & set(sides)]
    for number, (entry, letter) in enumerate(
        zip(usable, letters_for([entry["name"] for entry in usable]), strict=True)
    ):
        colour = number % COLOURS + 1
        children = entry.get("children") or ()
        below = letters_for([child["name"] for child in children])
        categories = tuple(
            _category(child, f"{entry['key']}/{child['key']}", own, colour, entry["name"])
            for child, own in zip(children, below, strict=True)
        )
        yield Group(
            entry["key"], entry["name"], letter, categories or (_category(entry, entry["key"], letter, colour, ""),)
        )


def _category(entry: Mapping[str, Any], key: str, letter: str, colour: int, group: str) -> Category:
    return Category(
        key=key,
        name=entry["name"],
        definition=entry.get("definition", ""),
        letter=letter,
        colour=colour,
        group=group,
        sides=tuple(entry.get("sides", SIDES)),
        whole=bool(entry.get("whole")),
        severity=entry.get("severity", ""),
    )


def problem_in_severities(given: object) -> str | None:
    """Return the problem with a study's own severities, or None."""
    entries, problem = _entries(given, {"key", "name", "definition"})
    if problem is None and len(entries) > MOST_SEVERITIES:
        return gettext("Use at most %(n)d severities.") % {"n": MOST_SEVERITIES}
    return problem


def problem_in_categories(given: object) -> str | None:
    """Return the problem with a study's own categories, or None."""
    words = {"key", "name", "definition", "sides", "whole", "severity"}
    entries, problem = _entries(given, words | {"children"})
    total = len(entries)
    for entry in entries if problem is None else ():
        children, problem = _entries(entry.get("children") or [], words)
        total += len(children)
        problem = problem or next(filter(None, map(_problem_in_limits, (entry, *children))), None)
        if problem is not None:
            return f"{entry['key']}: {problem}"
    if problem is None and total > MOST_CATEGORIES:
        return gettext("Use at most %(n)d categories.") % {"n": MOST_CATEGORIES}
    return problem


def _problem_in_limits(entry: Mapping[str, Any]) -> str | None:
    sides = entry.get("sides", list(SIDES))
    if not isinstance(sides, list) or not sides or not all(side in SIDES for side in sides):
        return gettext("sides is a list of “output” and “source”.")
    if not isinstance(entry.get("whole", False), bool) or not isinstance(entry.get("severity", ""), str):
        return gettext("whole is true or false, and severity is the key of one.")
    return None


def problem_in_weights(given: object) -> str | None:
    """Return the problem with a study's own weights, or None."""
    entries, problem = _objects(given, {"weight", "category", "severity"})
    for entry in entries if problem is None else ():
        weight = entry.get("weight")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1_000_000:
            return gettext("Each entry needs a weight from 0 to 1,000,000.")
        if not all(isinstance(entry.get(name, ""), str) for name in ("category", "severity")):
            return gettext("Category and severity are keys.")
    return problem


def _objects(given: object, known: set[str]) -> tuple[list[Mapping[str, Any]], str | None]:
    if (
        not isinstance(given, list)
        or not all(isinstance(entry, dict) for entry in given)
        or len(given) > MOST_CATEGORIES
    ):
        return [], gettext("This is a list of at most %(n)d entries.") % {"n": MOST_CATEGORIES}
    unknown = sorted({str(name) for entry in given for name in entry} - known)
    if unknown:
        names = {"given": ", ".join(unknown[:5]), "known": ", ".join(sorted(known))}
        return [], gettext("Unknown: %(given)s. An entry may have: %(known)s.") % names
    return given, None


def _entries(given: object, known: set[str]) -> tuple[list[Mapping[str, Any]], str | None]:
    """Return the entries of a list, each with a key and a name, and the problem with them or None."""
    entries, problem = _objects(given, known)
    if problem is not None:
        return [], problem
    for entry in entries:
        if not isinstance(entry.get("key"), str) or not _KEY.fullmatch(entry["key"]):
            return [], gettext("Each entry needs a key of small letters, digits and hyphens, such as “word-order”.")
        if not all(isinstance(entry.get(name, ""), str) for name in ("name", "definition")) or not entry.get("name"):
            return [], gettext("“%(key)s” needs a name.") % {"key": entry["key"]}
        if problem := problem_in(entry["name"]) or problem_in(entry.get("definition", "")):
            return [], f"{entry['key']}: {problem}"
        if len(entry["name"]) > 60 or len(entry.get("definition", "")) > 500:
            return [], gettext("“%(key)s”: a name has at most 60 characters, a definition 500.") % {"key": entry["key"]}
    return entries, _doubled(entry["key"] for entry in entries)


def _doubled(keys: Iterable[str]) -> str | None:
    known: set[str] = set()
    for key in keys:
        if key in known:
            return gettext("“%(key)s” is there twice.") % {"key": key}
        known.add(key)
    return None
