"""Tasks that are known by their answers: scores on a scale, labels, preferences, spans with a kind."""

from __future__ import annotations

import math
from collections.abc import Iterable

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.named import mqm
from tasks_app.importing.named.collected import Collected, Task, Text
from tasks_app.importing.named.spans import Offset, of_characters, of_utf16

# Steps of a Likert scale are whole and count from 1.
_MOST_STEPS = 11
_WHOLE_SCALE = 100


class Scores:
    """Scores of questions, all on one scale: that of the values found."""

    def __init__(self, study: Collected, key: str = "scores") -> None:
        self._study, self._key = study, key
        self._values: set[float] = set()
        self._task: Task | None = None

    def rate(self, question: str, rater: object, text: Text, value: float, **cells: Json) -> None:
        """Write a score."""
        self._task = self._task or self._study.task(self._key, "slider")
        key = self._study.question(self._task, question).key
        self._values.add(value)
        self._study.rate(self._task, rater, text, criterion=key, value=value, **cells)

    def finish(self) -> None:
        """Choose the scale: Likert for whole steps from 1, else a slider from below the lowest to above the highest."""
        if self._task is None:
            return
        low, high = math.floor(min(self._values)), math.ceil(max(self._values))
        whole = all(float(value).is_integer() for value in self._values)
        if whole and low >= 1 and high <= _MOST_STEPS:
            low, high = 1, max(2, high)
            self._task.type = "likert"
            self._task.params["points"] = high
        else:
            if low >= 0 and _MOST_STEPS < high <= _WHOLE_SCALE:
                low, high = 0, _WHOLE_SCALE
            high = max(high, low + 1)
            self._task.params |= {"minimum": low, "maximum": high, "step": 1 if whole else 0.01}
        sentence = _("The scale of %(names)s is taken from the values: %(low)d to %(high)d.")
        names = ", ".join(question.name for question in self._task.questions.values())
        self._study.notes.append(sentence % {"names": names, "low": low, "high": high})


class Labels:
    """Answers in words; their options are those found."""

    def __init__(self, study: Collected, key: str = "labels") -> None:
        self._study, self._key = study, key
        self._task: Task | None = None

    def rate(self, question: str, rater: object, text: Text, labels: Iterable[object], **cells: Json) -> None:
        """Write the labels of an answer, several where several were chosen."""
        self._task = self._task or self._study.task(self._key, "labels")
        asked = self._study.question(self._task, question)
        words = [word for label in labels if (word := str(label).strip())]
        for word in dict.fromkeys(words):
            if word not in asked.labels:
                asked.labels.append(word)
            self._study.rate(self._task, rater, text, criterion=asked.key, label=word, **cells)
        if len(words) > 1:
            self._task.params["multiple"] = True

    def finish(self) -> None:
        """Give each question two options at least."""
        for asked in self._task.questions.values() if self._task is not None else ():
            if len(asked.labels) < 2:
                asked.labels.append(_("another answer"))


class Preferences:
    """Preferences between two texts."""

    def __init__(self, study: Collected, key: str = "pairs") -> None:
        self._study, self._key = study, key

    def rate(self, question: str, rater: object, first: Text, second: Text, label: str, **cells: Json) -> None:
        """Write a preference: `label` is first, second, tie or both_bad."""
        task = self._study.task(self._key, "pairwise", ties=True, both_bad=True)
        key = self._study.question(task, question).key
        self._study.rate(task, rater, first, criterion=key, system_b=second.system, label=label, **cells)


class Marks:
    """Marked words with a kind, no errors of a scheme that is known."""

    def __init__(self, study: Collected, key: str = "marks") -> None:
        self._study, self._key = study, key
        self._kinds: set[str] = set()
        self._task: Task | None = None

    def mark(
        self, rater: object, text: Text, start: int, end: int, kind: str, words: str | None = None, **cells: Json
    ) -> None:
        """Write marked words; the tool counts UTF-16 units, unless `words` stand at these characters."""
        self._task = self._task or self._study.task(self._key, "error_spans")
        self._kinds.add(kind)
        self._study.span(
            self._task, rater, text, start, end, counted(text.text, start, end, words), category=kind, **cells
        )

    def finish(self) -> None:
        """Declare the kinds."""
        if self._task is not None:
            params = mqm.params_of(mqm.FREITAG, (), self._kinds)
            self._task.params |= {
                "scheme": "plain",
                "categories": params["categories"],
                "max_spans": 100,
                "overlaps": True,
            }


def counted(text: str, start: int, end: int, words: str | None) -> Offset:
    """Return how offsets count: in characters where only these give the words, else in UTF-16 units as browsers do."""
    by_units = of_utf16(text)
    if words is not None and text[by_units(start) : by_units(end)] != words and text[start:end] == words:
        return of_characters(text)
    return by_units
