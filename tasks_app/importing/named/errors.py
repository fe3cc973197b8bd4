"""Scores from 0 to 100 with marked errors, as ESA asks for them, from browser tools that count UTF-16 units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.named import mqm
from tasks_app.importing.named.appraise_rows import Score, time_of
from tasks_app.importing.named.collected import Collected, Task, Text
from tasks_app.importing.named.spans import Offset, of_utf16

ERRORS, SCORE = "errors", "score"
MISSING = "missing"

# Ends of the names of documents that are not evaluated: degraded ones, repeats, and parts that fill a set.
_CONTROLS = ("#bad", "#dup", "#incomplete")

# The text of a segment where the files have it; the second value says whether they do.
TextOf = Callable[[Score], tuple[Text, bool]]


class ErrorsAndScores:
    """The task of scores with errors; without any error it is one of scores."""

    def __init__(self, study: Collected, count: Callable[[str], Offset] = of_utf16) -> None:
        self._study, self._count = study, count
        self._task: Task | None = None
        self._severities: set[str] = set()
        self._categories: set[str] = set()
        self._has_scores = self._asks_for_errors = False

    @property
    def task(self) -> Task:
        """The task, made when it is first asked for."""
        self._task = self._task or self._study.task("ratings", "error_spans")
        return self._task

    def take_scores(self, scores: Iterable[Score], text_of: TextOf) -> None:
        """Write the scores of Appraise, the last answer to each text, without those to controls."""
        latest: dict[tuple[str, str, str, str, str], Score] = {}
        for score in scores:
            if score.kind not in {"TGT", "REF"} or score.document.endswith(_CONTROLS):
                self._study.left_out[_("Left out: scores of control texts (%(n)s).")] += 1
            elif "tutorial" in score.document or "tutorial" in score.system:
                self._study.left_out[_("Left out: scores from tutorials (%(n)s).")] += 1
            else:
                key = (score.rater, score.language, score.document, score.segment, score.system)
                if key in latest:
                    self._study.left_out[_("Where an answer was given again, the last one counts (%(n)s).")] += 1
                if key not in latest or score.end >= latest[key].end:
                    latest[key] = score
        for score in latest.values():
            text, is_known = text_of(score)
            self._asks_for_errors |= score.has_errors
            errors = score.errors if is_known else ()
            if score.errors and not is_known:
                sentence = _("Left out: marked errors whose texts are not among the files (%(n)s).")
                self._study.left_out[sentence] += len(score.errors)
            times = {"started_at": time_of(score.start), "submitted_at": time_of(score.end)}
            self.rate(score.rater, text, score.value, errors, **times)

    def rate(
        self, rater: object, text: Text, value: float | None, errors: Iterable[Mapping[str, Any]], **cells: Json
    ) -> None:
        """Write a score and the errors marked in a text; ends of errors are their last units."""
        if value is not None:
            self._has_scores = True
            self._study.rate(self.task, rater, text, criterion=SCORE, value=value, **cells)
        count = self._count(text.text)
        for error in errors:
            self._asks_for_errors = True
            severity = str(error.get("severity") or "").lower()
            category = str(error.get("error_type") or error.get("category") or "")
            self._severities |= {severity} - {""}
            self._categories |= {category} - {""}
            start, end = error.get("start_i"), error.get("end_i")
            words = {"criterion": ERRORS, "severity": severity, "category": category, **cells}
            if MISSING in (start, end):
                n = len(text.text)
                self._study.rate(self.task, rater, text, span_side="output", span_start=n, span_end=n + 1,
                                 text="[missing]", **words)  # fmt: skip
            elif isinstance(start, int) and isinstance(end, int):
                self._study.span(self.task, rater, text, start, end + 1, count, **words)
            else:
                self._study.left_out[_("Left out: marked errors without a place in their texts (%(n)s).")] += 1

    def finish(self) -> None:
        """Declare the task: scores alone, ESA, or kinds of error as in MQM."""
        if self._task is None:
            return
        if not self._asks_for_errors:
            self._task.type = "slider"
            self._task.params |= {"minimum": 0, "maximum": 100, "step": 0.01}
            self._study.question(self._task, SCORE)
            return
        extra = self._severities - {"minor", "major"}
        if self._categories or extra:
            self._task.params |= mqm.params_of(mqm.FREITAG, self._severities, self._categories)
        if not self._categories:
            self._task.params |= {"scheme": "esa", "max_spans": 100, "overlaps": True}
            self._task.params.pop("weights", None)
        self._task.params["score"] = "yes" if self._has_scores else "no"
