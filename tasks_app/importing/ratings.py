"""Check whether the task type of a row has such ratings."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.importing.targets import TaskTarget
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problems, shown
from tasks_app.task_types.base import Criterion

SIDES = ("source", "output")
POSITIONS = ("span_side", "span_start", "span_end")
# Where a mark comes from, in a text that came with marks.
ORIGINS = ("own", "kept", "changed")
SPAN = (*POSITIONS, "category", "severity", "mark_origin", "mark_of", "mark_reason")
ANSWER_COLUMNS = ("value", "label", "text")

# Same as the lengths of the columns in the database, and the largest number that one holds.
LONGEST = {"category": 200, "severity": 40}
MOST_GIVEN = 32_767


class Report:
    """Reports the faults of the rows of one file, and counts them."""

    def __init__(self, problems: Problems, file: str) -> None:
        self._problems = problems
        self._file = file
        self.count = 0

    def __call__(self, row: Row, column: str, sentence: str) -> None:
        """Report the fault of a cell."""
        self.count += 1
        row.report(self._problems, column, sentence)

    @property
    def is_full(self) -> bool:
        """Return whether further problems are only counted."""
        return self._problems.is_full(self._file)


# A column, and what is wrong with its cell.
Fault = tuple[str, str]


class RatingCheck:
    """Holds ratings against the declarations of their task type. `cells` are those of a row, by our columns."""

    span_columns = SPAN

    def is_span(self, cells: Mapping[str, Any]) -> bool:
        """Return whether a row is about a marked span."""
        return any(name in cells for name in SPAN)

    def is_one_of_several(self, cells: Mapping[str, Any], task: TaskTarget, criterion: Criterion | None) -> bool:
        """Return whether a judgment may hold several such ratings: spans, or labels where several may be chosen."""
        outcome = task.answers(criterion).outcome
        return self.is_span(cells) or (outcome is not None and outcome.several)

    def faults(
        self, cells: Mapping[str, Any], task: TaskTarget, criterion: Criterion | None, *, is_placed: bool
    ) -> Iterator[Fault]:
        """Yield the faults of a rating; `is_placed` says whether it is known which text of its unit was rated."""
        answers = task.answers(criterion)
        outcome, labels = answers.outcome, answers.labels
        of_a_text = outcome is not None and outcome.per in {"criterion", "part"}
        if of_a_text and not is_placed:
            yield "system", _("The unit shows several texts. Say which one was rated: give system.")
        if self.is_span(cells):
            yield from self._faults_of_span(cells, task)
        else:
            yield from self._faults_of_answer(cells, task, criterion)
        if labels is not None and cells.get("label", labels[0]) not in labels:
            refusal = _("must be one of: %(choices)s; it is %(value)s.")
            words = {"choices": ", ".join(labels), "value": shown(cells["label"])}
            yield "label", refusal % words
        if "value" in cells:
            sentence = task.frame.kind.problem_in_value(cells["value"], criterion)
            if sentence:
                yield "value", sentence

    def _faults_of_answer(
        self, cells: Mapping[str, Any], task: TaskTarget, criterion: Criterion | None
    ) -> Iterator[Fault]:
        filled = [name for name in ANSWER_COLUMNS if name in cells]
        columns = task.answers(criterion).columns
        mapped = [name for name in ANSWER_COLUMNS if name in columns]
        for name in filled:
            if name not in mapped:
                sentence = _("The ratings of the task “%(task)s” stand in the column %(wanted)s.")
                yield name, sentence % {"task": task.key, "wanted": ", ".join(mapped)}
        if not filled:
            sentence = _(
                "There is no rating here. Leave the row out, or write “skip” or “none” into the column label where the "
                "rater skipped it or found nothing."
            )
            yield (mapped[0] if mapped else "value"), sentence

    def _faults_of_span(self, cells: Mapping[str, Any], task: TaskTarget) -> Iterator[Fault]:
        if not task.has_spans:
            column = next(name for name in SPAN if name in cells)
            yield column, _("Nothing is marked in the task “%(task)s”.") % {"task": task.key}
            return
        filled = [name for name in POSITIONS if name in cells]
        if filled and len(filled) < len(POSITIONS):
            missing = next(name for name in POSITIONS if name not in cells)
            yield missing, _("A span needs a side, a start and an end, or none of them.")
        elif filled and cells["span_start"] >= cells["span_end"]:
            yield "span_end", _("A span ends after it starts.")
        if cells.get("span_side", SIDES[0]) not in SIDES:
            sentence = _("must be one of: %(choices)s; it is %(value)s.")
            given_side = {"choices": ", ".join(SIDES), "value": shown(cells["span_side"])}
            yield "span_side", sentence % given_side
        yield from _faults_of_origin(cells)
        for name, most in LONGEST.items():
            if len(cells.get(name, "")) > most:
                yield name, _("A name has at most %(n)d characters.") % {"n": most}
            elif name == "severity" and (fault := _fault_of_severity(cells, task)):
                yield name, fault

    def unknown_kind(self, cells: Mapping[str, Any], task: TaskTarget) -> str:
        """Return the kind of error of a span if its task does not have it, else ""."""
        word: str = cells.get("category", "")
        if not word or not task.has_spans or len(word) > LONGEST["category"]:
            return ""
        return "" if task.frame.kind.known_beside("category", word) is None else word


def _faults_of_origin(cells: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield the faults of where a mark comes from: a kept or changed one names the mark that it was."""
    origin, of = cells.get("mark_origin"), cells.get("mark_of")
    if origin is not None and origin not in ORIGINS:
        sentence = _("must be one of: %(choices)s; it is %(value)s.")
        yield "mark_origin", sentence % {"choices": ", ".join(ORIGINS), "value": shown(origin)}
    elif origin in {"kept", "changed"} and of is None:
        yield "mark_of", _("A kept or changed mark needs the number of the mark that it was.")
    elif origin not in {"kept", "changed"} and of is not None:
        yield "mark_of", _("Only a kept or changed mark was another one: its mark_origin is kept or changed.")
    elif of is not None and not 1 <= of <= MOST_GIVEN:
        yield "mark_of", _("must be from 1 to %(most)d; it is %(value)d.") % {"most": MOST_GIVEN, "value": of}


def _fault_of_severity(cells: Mapping[str, Any], task: TaskTarget) -> str:
    """Return why a severity is refused: one that the task does not have would weigh nothing."""
    word = cells.get("severity")
    choices = None if word is None else task.frame.kind.known_beside("severity", word)
    if choices is None:
        return ""
    sentence = _(
        "must be one of: %(choices)s; it is %(value)s. Where a row says that there is no error, leave the columns "
        "of the span empty and write “none” into the column label."
    )
    return sentence % {"choices": ", ".join(choices), "value": shown(word)}
