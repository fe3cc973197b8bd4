"""Words for raters: in another language than promised, naming a system, the same twice, or about another scale.

Words about another scale are instructions and questions that state numbers which no scale of their task has, such as
"1 to 7" for five steps. Other stated numbers, such as those of pay and minutes, are checked in numbers_stated.py.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import task_types
from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Level, Point, register
from tasks_app.texts import languages
from tasks_app.texts.findings import as_a_word, proper_names
from tasks_app.texts.language_guess import differs, foreign_sentence

# Words of another language that make a short text, such as a question or the steps of a scale, clear.
FEW = 2
# Characters of a sentence that a point quotes.
QUOTED = 80

_STEP_WORDS = {
    word: number
    for number, words in {
        3: ("three", "drei"), 4: ("four", "vier"), 5: ("five", "fünf"), 6: ("six", "sechs"), 7: ("seven", "sieben"),
        8: ("eight", "acht"), 9: ("nine", "neun"), 10: ("ten", "zehn"), 11: ("eleven", "elf"),
    }.items()
    for word in words
}  # fmt: skip
_NUMBER = rf"\d{{1,3}}|{'|'.join(_STEP_WORDS)}"
# From 0 or 1 to a number, which may each have words in brackets behind them: "1 (very bad) to 7 (very good)".
_RANGE = re.compile(
    r"(?<![\d.,:-])(?P<low>[01])(?: ?\([^()\n]{1,60}\))? ?(?:to|bis|through|–|-) ?(?P<high>\d{1,3})(?![\d.,:]\d)"
    r"(?! ?(?:%|[^\W\d_]*(?:minut|hour|stund|second|sekund|text|sentence|satz|sätze|question|frag|word|wort|wört|time"
    r"|mal|unit|page|seite|euro?s?\b|eur\b|usd\b|year|jahr|day|tag)))",
    re.IGNORECASE,
)
_STEPS = re.compile(
    rf"\b(?P<n>{_NUMBER})(?:[- ](?:point|step|star)s?\b(?: (?:rating )?scale)?| (?:Stufen|Sterne)\b"
    r"|-?stufige[rnms]?\b|-Punkte-Skala)",
    re.IGNORECASE,
)

_LANGUAGE = gettext_lazy("This seems to be in %(found)s, but raters read %(language)s.")


@register
def in_another_language(facts: Facts) -> Iterator[Point]:
    """Yield the texts for raters that are clearly in another language: title, consent, instructions, questions."""
    own = str(facts.section("study").get("language") or "en")
    yield from _other(str(facts.section("study").get("public_title") or ""), own, ("study", "public_title"))
    for language, text in facts.consent.items():
        yield from _other(str(text), language, ("consent", language))
    for place, task in facts.tasks:
        yield from _other(str(task["instructions"] or ""), own, ("tasks", place, "instructions"))
    for place, criterion in enumerate(facts.document.get("criteria") or ()):
        language = criterion.get("language") or own
        steps = [*criterion["labels"], criterion["low"], criterion["high"], *criterion["anchors"].values()]
        for name, text in (
            ("question", criterion["question"]),
            ("definition", criterion["definition"]),
            ("labels" if criterion["labels"] else "low", "; ".join(map(str, filter(None, steps)))),
        ):
            yield from _other(str(text), language, ("criteria", place, name), FEW)


def _other(text: str, language: str, path: Path, least: int | None = None) -> Iterator[Point]:
    other_language = differs(text, language, least) if least else differs(text, language)
    if other_language:
        yield language_point(other_language, language, path)


def language_point(found: str, language: str, path: Path) -> Point:
    """Return the point that a text is in another language than raters read there, both given by their codes."""
    words = {name: languages.english_name(code) for name, code in (("found", found), ("language", language.lower()))}
    return Point("language", str(_LANGUAGE) % words, path)


@register
def sentence_in_another_language(facts: Facts) -> Iterator[Point]:
    """Yield a sentence of consent or instructions that is in another language than the rest of the text."""
    own = str(facts.section("study").get("language") or "en")
    texts: list[tuple[str, str, Path]] = [
        (str(text), language, ("consent", language)) for language, text in facts.consent.items()
    ]
    texts += [(str(task["instructions"] or ""), own, ("tasks", place, "instructions")) for place, task in facts.tasks]
    for text, language, path in texts:
        other, words = foreign_sentence(text, language)
        # The whole text is pointed out by itself.
        if other and not differs(text, language):
            quoted = words if len(words) <= QUOTED else f"{words[: QUOTED - 1]}…"
            sentence = _("A sentence seems to be in %(found)s, but raters read %(language)s: “%(words)s”")
            names = {"found": languages.english_name(other), "language": languages.english_name(language.lower())}
            yield Point("language", sentence % (names | {"words": quoted}), path)


@register
def systems_named(facts: Facts) -> Iterator[Point]:
    """Yield the words for raters that name a system of the study; the texts to judge have a check of their own."""
    systems = facts.document.get("systems") or ()
    names = proper_names({str(row["key"]): str(row.get("name") or row["key"]) for row in systems})
    for text, path in _read_by_raters(facts):
        named = next(filter(None, (as_a_word(name, text) for name in sorted(names))), "")
        if named:
            sentence = _("This names a system, “%(name)s”. Raters should not know which systems are compared.")
            yield Point("names", sentence % {"name": named}, path)


def _read_by_raters(facts: Facts) -> Iterator[tuple[str, Path]]:
    """Yield the words that researchers wrote for raters, with the paths of their settings."""
    yield str(facts.section("study").get("public_title") or ""), ("study", "public_title")
    for language, text in facts.consent.items():
        yield str(text), ("consent", language)
    for place, task in facts.tasks:
        yield str(task["instructions"] or ""), ("tasks", place, "instructions")
    for place, criterion in enumerate(facts.document.get("criteria") or ()):
        for name in ("question", "definition"):
            yield str(criterion[name] or ""), ("criteria", place, name)


@register
def steps_alike(facts: Facts) -> Iterator[Point]:
    """Yield the scales of which two steps have the same words."""
    for place, criterion in enumerate(facts.document.get("criteria") or ()):
        words = Counter(str(label).strip().casefold() for label in criterion["labels"] if label)
        for label, n in words.items():
            if n > 1:
                sentence = _("%(n)s steps have the same words, “%(words)s”, so raters cannot tell them apart.")
                yield Point("steps", sentence % {"n": n, "words": label}, ("criteria", place, "labels"))


@register
def titles_alike(facts: Facts) -> Iterator[Point]:
    """Yield the tasks with the title of an earlier task."""
    titles = Counter(title for _place, task in facts.tasks if (title := str(task["title"] or "").strip()))
    earlier: set[str] = set()
    for place, task in facts.tasks:
        title = str(task["title"] or "").strip()
        if titles[title] > 1 and title in earlier:
            sentence = _("%(n)s tasks have the title “%(title)s”. Give each its own, to tell them apart in results.")
            values = {"n": titles[title], "title": title}
            yield Point("titles", sentence % values, ("tasks", place, "title"), Level.NOTE)
        earlier.add(title)


@register
def numbers_of_another_scale(facts: Facts) -> Iterator[Point]:
    """Yield instructions and questions that name numbers or steps which no scale of their task has."""
    for place, task in facts.main_tasks:
        scale = task_types.kind_of(task["type"], task["params"]).scale_of()
        ends, steps = _scales(scale, [row for _place, row in facts.criteria_of(task)])
        for text, path in facts.words_of(place, task) if ends else ():
            if words := _contradicts(text, ends, steps):
                low, high = min(ends)
                values = {"words": words, "low": f"{low:g}", "high": f"{high:g}"}
                sentence = _("The text says “%(words)s”, but the scale goes from %(low)s to %(high)s.")
                yield Point("scale", sentence % values, path)


def _scales(
    scale: tuple[float, float, float] | None, criteria: list[Mapping[str, Any]]
) -> tuple[set[tuple[float, float]], set[int]]:
    """Return the ends of the scales of a task, and the numbers of steps that they have."""
    if scale is None:
        return set(), set()
    low, high, step = scale
    steps = {len(row["labels"]) for row in criteria if row["labels"]}
    return {(low, high)}, steps | ({round((high - low) / step) + 1} if step else set())


def _contradicts(text: str, ends: set[tuple[float, float]], steps: set[int]) -> str:
    """Return the first words of a text that name a scale where none of those named is a scale of the task."""
    ranges = [(match[0], (float(match["low"]), float(match["high"]))) for match in _RANGE.finditer(text)]
    counted = [(match[0], _number(match["n"])) for match in _STEPS.finditer(text)] if steps else []
    if any(stated in ends for _words, stated in ranges) or any(n in steps for _words, n in counted):
        return ""
    # A range within the scale, such as "1 to 3 means poor", explains a part of it.
    low, high = min(ends)
    beyond = [words for words, stated in ranges if stated[0] < low or stated[1] > high or stated[1] >= 5]
    return next(iter([*beyond, *(words for words, _n in counted)]), "")


def _number(words: str) -> int:
    return _STEP_WORDS.get(words.lower()) or int(words if words.isdecimal() else 0)
