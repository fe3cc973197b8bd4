"""Questions that nobody asks, that are asked twice, that run the wrong way, or that need a text which is not shown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from tasks_app import task_types
from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Point, register
from tasks_app.task_types.base import Act

KIND = "questions"

# The words of a step that are clearly a high or a low value. "Not bad" and "neither good nor bad" are neither.
_HIGH = re.compile(
    r"(?:very (?:well|good)|excellent(?:ly)?|perfect(?:ly)?|completely|everything|sehr gut|ausgezeichnet|perfekt"
    r"|vollständig|alles|très bien|excellent|parfait|muy bien|perfecto|muito bem|perfeito)",
    re.IGNORECASE,
)
_LOW = re.compile(
    r"(?:(?:very |extremely )?(?:bad|badly|poor|poorly)|terrible|awful|not at all|nothing|(?:sehr )?schlecht"
    r"|gar nicht|überhaupt nicht|nichts|(?:très )?mal|pas du tout|rien|(?:muy|muito) mal|nada)",
    re.IGNORECASE,
)
# What texts for raters call a text beside the one that they judge, by the parameter that shows it.
_BESIDE: Mapping[str, re.Pattern[str]] = {
    "show_reference": re.compile(
        r"\b(?:with|to|than|like|as) the reference\b|\bthe reference (?:text|translation|answer|summary)\b"
        r"|\bmit der referenz\b|\b(?:der|die) referenz(?:text|übersetzung)\b",
        re.IGNORECASE,
    ),
    "show_source": re.compile(
        r"\bthe source(?: (?:text|sentence|document)s?)?\b|\b(?:der|dem|den) (?:quelle|quelltext|ausgangstext)\b",
        re.IGNORECASE,
    ),
}

_TIE = re.compile(
    r"\b(?:choose|select|say|answer|wählen sie|sagen sie) [“”„\"'‘’«]?"
    r"(?:a tie|tie|equal(?:ly good)?|no difference|undecided|unentschieden|gleich(?: gut)?|kein unterschied)\b",
    re.IGNORECASE,
)


def _criteria(facts: Facts) -> list[tuple[int, Mapping[str, Any]]]:
    return list(enumerate(facts.document.get("criteria") or ()))


@register
def asked_nowhere(facts: Facts) -> Iterator[Point]:
    """Yield the questions that no task asks."""
    asked = {str(key) for _place, task in facts.tasks for key in task["criteria"]}
    for place, row in _criteria(facts):
        if asked and str(row["key"]) not in asked:
            sentence = _("No task asks “%(name)s”. Choose it in a task, or remove it.")
            yield Point(KIND, sentence % {"name": row["name"]}, ("criteria", place, "name"))


@register
def asked_twice(facts: Facts) -> Iterator[Point]:
    """Yield the questions of a task with the same words as an earlier question of the task."""
    earlier: set[tuple[object, str]] = set()
    yielded: set[int] = set()
    for task_place, task in facts.main_tasks:
        for place, row in facts.criteria_of(task):
            if row["kind"] != "criterion":
                continue
            words = (task_place, " ".join(str(row["question"] or "").casefold().split()))
            if words[1] and words in earlier and place not in yielded:
                yielded.add(place)
                sentence = _("Another question of the same task has the same words, so raters would answer it twice.")
                yield Point(KIND, sentence, ("criteria", place, "question"))
            earlier.add(words)


@register
def scales_turned_round(facts: Facts) -> Iterator[Point]:
    """Yield the scales from the best to the worst step: low numbers would be good ones."""
    for place, row in _criteria(facts):
        labels = [str(label).strip() for label in row["labels"] if label]
        low, high = (labels[0], labels[-1]) if labels else (str(row["low"] or ""), str(row["high"] or ""))
        if _HIGH.fullmatch(low.strip()) and _LOW.fullmatch(high.strip()):
            sentence = _(
                "Steps are worded from low to high, but the first is “%(low)s” and the last “%(high)s”, so better "
                "texts would get lower numbers. Turn the order round."
            )
            name = "labels" if labels else "low"
            yield Point(KIND, sentence % {"low": low, "high": high}, ("criteria", place, name))


@register
def ties_not_offered(facts: Facts) -> Iterator[Point]:
    """Yield instructions that speak of a tie, which the task does not offer."""
    for place, task in facts.main_tasks:
        match = _TIE.search(str(task["instructions"] or ""))
        if match and task["params"].get("ties") is False:
            sentence = _("The text says “%(words)s”, but raters have to choose a text in this task.")
            yield Point(KIND, sentence % {"words": match[0]}, ("tasks", place, "instructions"))


@register
def texts_not_shown(facts: Facts) -> Iterator[Point]:
    """Yield questions and instructions that speak of a source or reference, which the task does not show."""
    yielded: set[Path] = set()
    for place, task in facts.main_tasks:
        kind = task_types.kind_of(task["type"], task["params"])
        if kind.acts is None or Act.NUMBER in kind.acts:
            continue
        for name, pattern in _BESIDE.items():
            for text, path in facts.words_of(place, task) if task["params"].get(name) is False else ():
                if (match := pattern.search(text)) and path not in yielded:
                    yielded.add(path)
                    sentence = _("The text speaks of “%(words)s”, but raters do not see it in this task.")
                    yield Point(KIND, sentence % {"words": match[0]}, path)


@register
def answers_not_offered(facts: Facts) -> Iterator[Point]:
    """Yield instructions that name answers which the settings of the task do not offer, as its type says."""
    for place, task in facts.main_tasks:
        kind = task_types.kind_of(task["type"], task["params"])
        for sentence in kind.instruction_problems(str(task["instructions"] or "")):
            yield Point(KIND, sentence, ("tasks", place, "instructions"))
