"""Which errors raters tell apart: severities, categories, weights; shipped (MQM, ESA, plain) or of the study's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from tasks_app.plaintext import problem_in
from tasks_app.task_types.error_spans.scoring import Rule, rules_of

SIDES = ("output", "source")

# As many as there are colours that most people can tell apart, with an underline of its own each.
COLOURS = 6
MOST_SEVERITIES = 4
MOST_CATEGORIES = 60
_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")

# Which colours severities have, from minor to major: with two of them the mildest is never a neutral one.
_LEVELS = {0: (), 1: (3,), 2: (2, 3), 3: (1, 2, 3), 4: (1, 2, 3, 4)}

# As published; like every published instrument they are not translated here.
ESA_SEVERITIES = (
    ("minor", "Minor", "Style, grammar or choice of words could be better or more natural."),
    ("major", "Major", "The meaning is changed, or the part is really hard to understand."),
)
PUBLISHED_IN = "en"


@dataclass(frozen=True, slots=True)
class Severity:
    """How serious an error is. `digit` is its key on the keyboard, `level` its colour."""

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
        """Say whether the group is one category."""
        return len(self.categories) == 1 and self.categories[0].key == self.key


@dataclass(frozen=True)
class Scheme:
    """Everything that is told apart."""

    severities: tuple[Severity, ...]
    groups: tuple[Group, ...]
    rules: tuple[Rule, ...]
    # Of their words, where they are not the study's own.
    language_of_severities: str = ""
    language_of_kinds: str = ""

    @cached_property
    def categories(self) -> dict[str, Category]:
        """The categories that can be chosen, by their keys."""
        return {one.key: one for group in self.groups for one in group.categories}

    @cached_property
    def severity_keys(self) -> tuple[str, ...]:
        """The keys of the severities, from minor to major."""
        return tuple(one.key for one in self.severities)

    def severity_name(self, key: str | None) -> str:
        """Return the name of a severity."""
        return next((one.name for one in self.severities if one.key == key), key or "")

    def in_words(self, severity: str | None, category: str | None) -> str:
        """Word what an error is: major, Accuracy / Omission."""
        known = self.categories.get(category or "")
        return ", ".join(one for one in (self.severity_name(severity), known.full_name if known else category) if one)


def letters_for(names: Sequence[str]) -> list[str]:
    """Give each name a letter of its own: one of its own letters where there is one left, else any Latin one."""
    free = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    found = []
    for name in names:
        own = [one for one in name.casefold() if one in free]
        letter = next(iter([*own, *free]), "")
        if letter:
            free.remove(letter)
        found.append(letter)
    return found


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
        return [dict(zip(names, one, strict=True)) for one in ESA_SEVERITIES], [], []
    return [], [], []


def scheme_of(
    name: str, severities: Sequence[Any], categories: Sequence[Any], weights: Sequence[Any], *, source: bool
) -> Scheme:
    """Put together what a task tells apart: the study's own severities, categories and weights, else the scheme's.

    What can only be marked in the source is left out where it cannot be.
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
    for number, one in enumerate(given):
        level = _LEVELS[len(given)][number]
        yield Severity(one["key"], one["name"], one.get("definition", ""), level, number + 1)


def _groups(given: Sequence[Any], sides: Sequence[str]) -> Iterator[Group]:
    usable = [one for one in given if set(one.get("sides", SIDES)) & set(sides)]
    for number, (one, letter) in enumerate(zip(usable, letters_for([one["name"] for one in usable]), strict=True)):
        colour = number % COLOURS + 1
        children = one.get("children") or ()
        below = letters_for([child["name"] for child in children])
        categories = tuple(
            _category(child, f"{one['key']}/{child['key']}", own, colour, one["name"])
            for child, own in zip(children, below, strict=True)
        )
        yield Group(one["key"], one["name"], letter, categories or (_category(one, one["key"], letter, colour, ""),))


def _category(one: Mapping[str, Any], key: str, letter: str, colour: int, group: str) -> Category:
    return Category(
        key=key,
        name=one["name"],
        definition=one.get("definition", ""),
        letter=letter,
        colour=colour,
        group=group,
        sides=tuple(one.get("sides", SIDES)),
        whole=bool(one.get("whole")),
        severity=one.get("severity", ""),
    )


def problem_in_severities(given: object) -> str | None:
    """Say what is wrong with the severities of a study's own."""
    entries, problem = _entries(given, {"key", "name", "definition"})
    if problem is None and len(entries) > MOST_SEVERITIES:
        return gettext("Use at most %(n)d severities.") % {"n": MOST_SEVERITIES}
    return problem


def problem_in_categories(given: object) -> str | None:
    """Say what is wrong with the categories of a study's own."""
    words = {"key", "name", "definition", "sides", "whole", "severity"}
    entries, problem = _entries(given, words | {"children"})
    total = len(entries)
    for one in entries if problem is None else ():
        children, problem = _entries(one.get("children") or [], words)
        total += len(children)
        problem = problem or next(filter(None, map(_problem_in_limits, (one, *children))), None)
        if problem is not None:
            return f"{one['key']}: {problem}"
    if problem is None and total > MOST_CATEGORIES:
        return gettext("Use at most %(n)d categories.") % {"n": MOST_CATEGORIES}
    return problem


def _problem_in_limits(one: Mapping[str, Any]) -> str | None:
    sides = one.get("sides", list(SIDES))
    if not isinstance(sides, list) or not sides or not all(side in SIDES for side in sides):
        return gettext("sides is a list of “output” and “source”.")
    if not isinstance(one.get("whole", False), bool) or not isinstance(one.get("severity", ""), str):
        return gettext("whole is true or false, and severity is the key of one.")
    return None


def problem_in_weights(given: object) -> str | None:
    """Say what is wrong with the weights of a study's own."""
    entries, problem = _objects(given, {"weight", "category", "severity"})
    for one in entries if problem is None else ():
        weight = one.get("weight")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1_000_000:
            return gettext("Each entry needs a weight from 0 to 1,000,000.")
        if not all(isinstance(one.get(name, ""), str) for name in ("category", "severity")):
            return gettext("Category and severity are keys.")
    return problem


def _objects(given: object, known: set[str]) -> tuple[list[Mapping[str, Any]], str | None]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given) or len(given) > MOST_CATEGORIES:
        return [], gettext("This is a list of at most %(n)d entries.") % {"n": MOST_CATEGORIES}
    unknown = sorted({str(name) for one in given for name in one} - known)
    if unknown:
        names = {"given": ", ".join(unknown[:5]), "known": ", ".join(sorted(known))}
        return [], gettext("Unknown: %(given)s. An entry may have: %(known)s.") % names
    return given, None


def _entries(given: object, known: set[str]) -> tuple[list[Mapping[str, Any]], str | None]:
    """Check a list of things with a key and a name."""
    entries, problem = _objects(given, known)
    if problem is not None:
        return [], problem
    for one in entries:
        if not isinstance(one.get("key"), str) or not _KEY.fullmatch(one["key"]):
            return [], gettext("Each entry needs a key of small letters, digits and hyphens, such as “word-order”.")
        if not all(isinstance(one.get(name, ""), str) for name in ("name", "definition")) or not one.get("name"):
            return [], gettext("“%(key)s” needs a name.") % {"key": one["key"]}
        if problem := problem_in(one["name"]) or problem_in(one.get("definition", "")):
            return [], f"{one['key']}: {problem}"
        if len(one["name"]) > 60 or len(one.get("definition", "")) > 500:
            return [], gettext("“%(key)s”: a name has at most 60 characters, a definition 500.") % {"key": one["key"]}
    return entries, _doubled(one["key"] for one in entries)


def _doubled(keys: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return gettext("“%(key)s” is there twice.") % {"key": key}
        seen.add(key)
    return None
