"""Reading a researcher's own questions: plain data in, checked questions out, with a sentence for each problem."""

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.task_types.questionnaire.questions import (
    DATE,
    GRID,
    KINDS,
    LONG_TEXT,
    LONGEST_ANSWER,
    MULTIPLE,
    NUMBER,
    SINGLE,
    TEXT,
    TICK,
    Option,
    Question,
    key_from,
    prompts_of,
)
from tasks_app.texts.plaintext import problem_in

MOST_QUESTIONS, MOST_OPTIONS, MOST_POINTS = 200, 300, 11
LONGEST_WORDS, LONGEST_QUESTION = 200, 2000
LONGEST_LETTERS = 100_000

# The settings of a question beside key, kind, question, note and required.
OWN_NAMES: Mapping[str, tuple[str, ...]] = {
    GRID: ("rows", "options", "points", "low", "high"),
    SINGLE: ("options", "points", "low", "high", "ordered", "prefer_not"),
    MULTIPLE: ("options", "prefer_not"),
    NUMBER: ("minimum", "maximum", "decimals"),
    TEXT: ("longest",),
    LONG_TEXT: ("longest",),
    DATE: ("minimum", "maximum"),
    TICK: (),
}
EVERY = ("key", "kind", "question", "note", "required")

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Problem(ValueError):
    """A problem that keeps a question from being asked; the sentence goes on after the question's place."""


def read_questions(given: object) -> tuple[tuple[Question, ...], list[str]]:
    """Return the questions that are sound, and a sentence for each that is not."""
    if not isinstance(given, list | tuple):
        return (), [_("This must be a list of questions.")]
    if len(given) > MOST_QUESTIONS:
        return (), [_("Ask at most %(n)d questions.") % {"n": MOST_QUESTIONS}]
    questions: list[Question] = []
    problems: list[str] = []
    for number, entry in enumerate(given, start=1):
        try:
            questions.append(read_question(entry))
        except Problem as problem:
            key = entry.get("key") if isinstance(entry, Mapping) else None
            place = f"{number} (“{key}”)" if isinstance(key, str) and _KEY.fullmatch(key) else str(number)
            problems.append(_("Question %(place)s: %(problem)s") % {"place": place, "problem": problem})
    problems += [
        _("Two answers would have the name “%(key)s”. Give the questions or options other keys.") % {"key": key}
        for key in _twice(questions)
    ]
    return tuple(questions), problems


def read_question(entry: object) -> Question:
    """Read one question. Raises Problem."""
    if not isinstance(entry, Mapping):
        raise Problem(_("it must be a set of names and values, such as key, kind and question."))
    kind = entry.get("kind")
    if kind not in KINDS:
        raise Problem(_("kind must be one of: %(kinds)s.") % {"kinds": ", ".join(KINDS)})
    for name in entry:
        if name not in (*EVERY, *OWN_NAMES[kind]):
            known = ", ".join((*EVERY, *OWN_NAMES[kind]))
            raise Problem(_("a question of kind %(kind)s has: %(known)s.") % {"kind": kind, "known": known})
    key = entry.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise Problem(_("key needs letters, digits, dots, hyphens and underscores, at most 60."))
    question = Question(
        key=key,
        kind=kind,
        question=_words(entry, "question", LONGEST_QUESTION),
        note=_words(entry, "note", LONGEST_QUESTION, may_miss=True),
        required=_flag(entry, "required", usual=True),
        options=_options(entry, "options"),
        rows=_options(entry, "rows"),
        points=_whole(entry, "points", 2, MOST_POINTS),
        low=_words(entry, "low", LONGEST_WORDS, may_miss=True),
        high=_words(entry, "high", LONGEST_WORDS, may_miss=True),
        ordered=_flag(entry, "ordered"),
        decimals=_flag(entry, "decimals"),
        minimum=_limit(entry, "minimum", kind),
        maximum=_limit(entry, "maximum", kind),
        longest=_whole(entry, "longest", 1, LONGEST_ANSWER.get(kind, 1)),
        prefer_not=_flag(entry, "prefer_not"),
    )
    _check_consistency(question)
    return question


def _check_consistency(question: Question) -> None:
    if question.kind in {GRID, SINGLE, MULTIPLE}:
        if bool(question.options) == bool(question.points):
            offered = _("options") if question.kind == MULTIPLE else _("either options or points")
            raise Problem(_("it needs %(what)s.") % {"what": offered})
        if len(question.choices) < (1 if question.kind == MULTIPLE else 2):
            raise Problem(_("it needs something to choose from."))
        if (question.low or question.high) and not question.points:
            raise Problem(_("low and high word the ends of points; options have words of their own."))
        if question.is_scale and question.prefer_not:
            raise Problem(_("steps of a scale cannot hold “prefer not to say”. Set required to false instead."))
        if question.kind != MULTIPLE and any(option.alone for option in question.options):
            raise Problem(_("alone is for options of kind multiple."))
    if question.kind == GRID and not question.rows:
        raise Problem(_("a grid needs rows."))
    low, high = question.minimum, question.maximum
    # Days as YYYY-MM-DD sort as they follow one another.
    if low is not None and high is not None and low > high:  # type: ignore[operator]
        raise Problem(_("the minimum is above the maximum."))
    for name in ("options", "rows"):
        keys = [option.key for option in getattr(question, name)]
        if len(keys) != len(set(keys)):
            raise Problem(_("two of its %(name)s have the same key.") % {"name": name})


def _words(entry: Mapping[str, Any], name: str, longest: int, *, may_miss: bool = False) -> str:
    given = entry.get(name, "")
    if not isinstance(given, str) or (not given.strip() and not may_miss):
        raise Problem(_("%(name)s must be words.") % {"name": name})
    if len(given) > longest:
        raise Problem(_("%(name)s has more than %(n)d characters.") % {"name": name, "n": longest})
    if sentence := problem_in(given):
        raise Problem(f"{name}: {sentence}")
    return given.strip()


def _flag(entry: Mapping[str, Any], name: str, *, usual: bool = False) -> bool:
    given = entry.get(name, usual)
    if not isinstance(given, bool):
        raise Problem(_("%(name)s must be true or false.") % {"name": name})
    return given


def _whole(entry: Mapping[str, Any], name: str, low: int, high: int) -> int:
    if name not in entry:
        return 0
    given = entry[name]
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        about = {"name": name, "low": low, "high": high}
        raise Problem(_("%(name)s must be a whole number from %(low)d to %(high)d.") % about)
    return given


def _limit(entry: Mapping[str, Any], name: str, kind: str) -> float | str | None:
    given = entry.get(name)
    if given is None:
        return None
    if kind == DATE:
        # A reader of YAML makes dates of days by itself.
        day = given.isoformat() if isinstance(given, date) else given
        if not is_day(day):
            raise Problem(_("%(name)s must be a day such as 2026-03-31.") % {"name": name})
        return str(day)
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given) or abs(given) > 1e9:
        raise Problem(_("%(name)s must be a number, at most a billion.") % {"name": name})
    return given


def _options(entry: Mapping[str, Any], name: str) -> tuple[Option, ...]:
    given = entry.get(name, ())
    if not isinstance(given, list | tuple):
        raise Problem(_("%(name)s must be a list.") % {"name": name})
    if len(given) > MOST_OPTIONS:
        raise Problem(_("%(name)s has more than %(n)d entries.") % {"name": name, "n": MOST_OPTIONS})
    return tuple(_option(option, number, name) for number, option in enumerate(given, start=1))


def _option(given: object, number: int, name: str) -> Option:
    entry: Mapping[str, Any] = given if isinstance(given, Mapping) else {"words": given}
    if not set(entry) <= {"key", "words", "alone"}:
        raise Problem(_("entry %(n)d of %(name)s has: key, words, alone.") % {"n": number, "name": name})
    try:
        words = _words(entry, "words", LONGEST_WORDS)
        key = entry.get("key", key_from(words, number))
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise Problem(_("key needs letters, digits, dots, hyphens and underscores, at most 60."))
        return Option(key, words, _flag(entry, "alone"))
    except Problem as problem:
        about = {"n": number, "name": name, "problem": problem}
        raise Problem(_("entry %(n)d of %(name)s: %(problem)s") % about) from None


def is_day(text: object) -> bool:
    """Return whether a value is a day written as YYYY-MM-DD."""
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _twice(questions: list[Question]) -> list[str]:
    keys = [prompt.criterion.key for question in questions for prompt in prompts_of(question)]
    counts: dict[str, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return [key for key, count in counts.items() if count > 1]
