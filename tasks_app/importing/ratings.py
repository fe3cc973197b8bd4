"""Check whether the task type of a row has such ratings."""

from collections import Counter

from django.utils.translation import gettext as _

from tasks_app.importing.targets import About, TaskTarget
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problems, shown
from tasks_app.task_types.base import Criterion

SIDES = ("source", "output")
POSITIONS = ("span_side", "span_start", "span_end")
SPAN = (*POSITIONS, "category", "severity")
ANSWER_COLUMNS = ("value", "label", "text")

# Same as the lengths of the columns in the database.
LONGEST = {"category": 200, "severity": 40}

# Values that are remembered as on their scale or off it.
REMEMBERED = 10_000


class Report:
    """Reports what is wrong with the rows of one file, and counts it."""

    def __init__(self, problems: Problems, file: str) -> None:
        self._problems = problems
        self._file = file
        self.count = 0

    def __call__(self, row: Row, column: str, sentence: str) -> None:
        """Report what is wrong with a cell."""
        self.count += 1
        row.report(self._problems, column, sentence)

    @property
    def is_full(self) -> bool:
        """Return whether further problems are only counted."""
        return self._problems.is_full(self._file)


class RatingCheck:
    """Holds ratings against what their task type declares; what is wrong is reported."""

    span_columns = SPAN

    def __init__(self, report: Report) -> None:
        self._report = report
        self._off_scale: dict[tuple[int, str | None, float], str | None] = {}
        self._beside: dict[tuple[int, str, str], tuple[str, ...] | None] = {}
        # Rows by the kind of error that their task does not know.
        self.unknown_kinds: Counter[str] = Counter()

    def is_span(self, row: Row) -> bool:
        """Return whether a row is about a marked span."""
        return any(name in row.cells for name in SPAN)

    def is_one_of_several(self, row: Row, task: TaskTarget, criterion: Criterion | None) -> bool:
        """Return whether a judgment may hold several such ratings: spans, or labels where several may be chosen."""
        outcome = task.answers(criterion).outcome
        return self.is_span(row) or (outcome is not None and outcome.several)

    def check(self, row: Row, about: About, criterion: Criterion | None) -> None:
        """Check the rating of a row."""
        task = about.unit.task
        answers = task.answers(criterion)
        outcome, labels = answers.outcome, answers.labels
        of_a_text = outcome is not None and outcome.per in {"criterion", "part"}
        if of_a_text and about.part is None and len(about.unit.parts) > 1:
            self._report(row, "system", _("The unit shows several texts. Say which one was rated: give system."))
        if self.is_span(row):
            self._check_span(row, task)
        else:
            self._check_said(row, task, criterion)
        if labels is not None and row.cells.get("label", labels[0]) not in labels:
            refusal = _("must be one of: %(choices)s; it is %(value)s.")
            words = {"choices": ", ".join(labels), "value": shown(row.cells["label"])}
            self._report(row, "label", refusal % words)
        if "value" in row.cells:
            sentence = self._problem_in_value(row.cells["value"], task, criterion)
            if sentence:
                self._report(row, "value", sentence)

    def _check_said(self, row: Row, task: TaskTarget, criterion: Criterion | None) -> None:
        filled = [name for name in ANSWER_COLUMNS if name in row.cells]
        columns = task.answers(criterion).columns
        mapped = [name for name in ANSWER_COLUMNS if name in columns]
        for name in filled:
            if name not in mapped:
                sentence = _("The ratings of the task “%(task)s” stand in the column %(wanted)s.")
                self._report(row, name, sentence % {"task": task.key, "wanted": ", ".join(mapped)})
        if not filled:
            sentence = _(
                "There is no rating here. Leave the row out, or write “skip” or “none” into the column label where the "
                "rater skipped it or found nothing."
            )
            self._report(row, mapped[0] if mapped else "value", sentence)

    def _check_span(self, row: Row, task: TaskTarget) -> None:
        if not task.has_spans:
            column = next(name for name in SPAN if name in row.cells)
            self._report(row, column, _("Nothing is marked in the task “%(task)s”.") % {"task": task.key})
            return
        filled = [name for name in POSITIONS if name in row.cells]
        if filled and len(filled) < len(POSITIONS):
            missing = next(name for name in POSITIONS if name not in row.cells)
            self._report(row, missing, _("A span needs a side, a start and an end, or none of them."))
        elif filled and row.cells["span_start"] >= row.cells["span_end"]:
            self._report(row, "span_end", _("A span ends after it starts."))
        if row.cells.get("span_side", SIDES[0]) not in SIDES:
            sentence = _("must be one of: %(choices)s; it is %(value)s.")
            given_side = {"choices": ", ".join(SIDES), "value": shown(row.cells["span_side"])}
            self._report(row, "span_side", sentence % given_side)
        for name, most in LONGEST.items():
            if len(row.cells.get(name, "")) > most:
                self._report(row, name, _("A name has at most %(n)d characters.") % {"n": most})
            elif name in row.cells:
                self._check_beside(row, name, task)

    def _check_beside(self, row: Row, column: str, task: TaskTarget) -> None:
        """Refuse a severity that the task does not have, since it would weigh nothing; count kinds of error."""
        word = row.cells[column]
        key = (task.id, column, word)
        if key not in self._beside:
            if len(self._beside) >= REMEMBERED:
                self._beside.clear()
            self._beside[key] = task.frame.kind.known_beside(column, word)
        choices = self._beside[key]
        if choices is None:
            return
        if column == "category":
            self.unknown_kinds[word] += 1
            return
        sentence = _(
            "must be one of: %(choices)s; it is %(value)s. Where a row says that there is no error, leave the columns "
            "of the span empty and write “none” into the column label."
        )
        self._report(row, column, sentence % {"choices": ", ".join(choices), "value": shown(word)})

    def _problem_in_value(self, value: float, task: TaskTarget, criterion: Criterion | None) -> str | None:
        key = (task.id, None if criterion is None else criterion.key, value)
        if key not in self._off_scale:
            if len(self._off_scale) >= REMEMBERED:
                self._off_scale.clear()
            frame = task.frame
            self._off_scale[key] = frame.kind.problem_in_value(value, criterion)
        return self._off_scale[key]
