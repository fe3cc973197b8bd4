"""Check one row of a file of ratings: whether it is a rating of the study, and of which unit."""

import json
import zoneinfo
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.forms import LONGEST_SITTING
from tasks_app.importing.offsets import OffsetReader
from tasks_app.importing.raters import BadRater, Raters
from tasks_app.importing.ratings import ANSWER_COLUMNS, SPAN, Fault, RatingCheck, Report
from tasks_app.importing.shaping.declared import Offsets
from tasks_app.importing.targets import About, Answers, Names, NotFound, Targets, TaskTarget
from tasks_app.models import Assignment, Judgment, Study
from tasks_app.models.raters import METRIC
from tasks_app.services.copying import cells_of
from tasks_app.services.imports.storing import Answer, Judged, Place, Staged, half_key_of, key_of_name
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import nearest, shown
from tasks_app.task_types.base import Criterion

State, Purpose = Assignment.State, Assignment.Purpose
SKIPPED_STATE = str(State.SKIPPED.value)

# Our columns about a whole judgment, of a rating, and of all that a row says.
OF_JUDGMENT = (
    "judgment", "repeat_of", "purpose", "wave", "version", "state", "position", "seconds", "started_at", "submitted_at",
)  # fmt: skip
OF_RATING = (*ANSWER_COLUMNS, "shown_value", *SPAN)
OF_ANSWER = ("criterion", "rating", *OF_RATING)

# Only answered units can be imported.
STATES = tuple(str(state.value) for state in (State.SUBMITTED, State.SURPLUS, State.SKIPPED, State.WITHDRAWN))
PURPOSES = tuple(map(str, Purpose.values))
MAIN, REPEAT = str(Purpose.MAIN.value), str(Purpose.REPEAT.value)

# Labels of a row that holds no rating: the judgment found nothing, or was skipped.
NOTHING, SKIPPED = "none", "skip"

# Most looked-up units that are remembered, since many rows are about the same ones, and most answers and judgments.
REMEMBERED, REMEMBERED_CELLS = 100_000, 10_000

# Beyond any rater's way through a study, and far enough below what PostgreSQL's integer holds for more to follow.
MOST_PLACES = 1_000_000

# Same years as for the cells of a table, but of the time in UTC, so that an export can be imported again.
FIRST_YEAR, LAST_YEAR = 1900, 9000


@dataclass(frozen=True, slots=True)
class _JudgedCells:
    """The cells of the whole judgment: its state, its faults, its key, and the cells as COPY reads them.

    The key is whole where the file names the judgment, else the half that does not say rater and unit.
    """

    state: str | None
    faults: Sequence[Fault]
    is_named: bool
    key: str
    cells: str


@dataclass(frozen=True, slots=True)
class _AnswerCells:
    """The answer in a row: its criterion, its faults, and the cells as COPY reads them, for either order of a pair.

    `is_silent` says that it is no rating, `unknown_kind` is a kind of error that the task does not have, else "".
    """

    criterion: Criterion | None
    faults: Sequence[Fault]
    is_silent: bool
    unknown_kind: str
    cells: str
    turned: str


class RowCheck:
    """Turns the rows of a file into ratings of a study, and reports the faults of rows.

    The rows of a file say the same things again and again. What a row is about, what it says and what belongs to its
    judgment are each worked out once for the same cells.
    """

    def __init__(self, study: Study, report: Report, offsets: Offsets | None = None) -> None:
        self._offsets = None if offsets is None or offsets.are_ours else OffsetReader(study, offsets, report)
        self.targets = Targets(study)
        self.raters = Raters(study)
        # Every version there is; a draft's will be the first.
        self.version = max(1, study.current_version)
        self._report = report
        self._ratings = RatingCheck()
        self._zone = zoneinfo.ZoneInfo(study.timezone)
        # How many rows have a kind of error that their task does not know.
        self.unknown_kinds: Counter[str] = Counter()
        self._targets_by_names: dict[tuple[Any, ...], About | NotFound] = {}
        self._judged_by_cells: dict[tuple[Any, ...], _JudgedCells] = {}
        self._answers_by_cells: dict[tuple[Any, ...], _AnswerCells] = {}
        self._places: dict[tuple[Any, ...], tuple[str, bool]] = {}

    def take(self, row: Row) -> Staged | None:
        """Return a row ready to be stored, names turned into rows of the study; None where it cannot be used."""
        before = self._report.count
        rater, about, judged = self._rater(row), self._about(row), self._judged(row)
        if about is None:
            return None
        if self._offsets is not None:
            self._offsets.read(row, about)
        if str(row.cells.get("rater", "")).startswith(METRIC) and not about.unit.task.has_spans:
            sentence = _(
                "Marks of a metric belong to tasks in which errors are marked. Import scores of a metric as scores: "
                "Data → Import scores, or manage.py import_scores."
            )
            self._report(row, "rater", sentence)
        answer = self._answer(row, about, judged.state)
        if not about.unit.asks(answer.criterion):
            sentence = _(
                "The score of a document belongs to the last text that the system has in it; “%(unit)s” is another one."
            )
            self._report(row, "criterion", sentence % {"unit": about.unit.key})
        if answer.unknown_kind:
            self.unknown_kinds[answer.unknown_kind] += 1
        if self._report.count > before or rater is None:
            return None
        place, is_turned = self._place(about, answer)
        unit = about.unit.id & 0xFFFFFFFF
        key = judged.key if judged.is_named else f"{rater:08x}{unit:08x}{judged.key}"
        return Staged(key, judged.is_named, rater, place, answer.turned if is_turned else answer.cells, judged.cells)

    def _rater(self, row: Row) -> int | None:
        if "rater" not in row.cells:
            self._report(row, "rater", _("Every row needs the pseudonym of its rater."))
            return None
        try:
            return self.raters.number(row.cells["rater"], row.cells.get("group"), row.line)
        except BadRater as error:
            self._report(row, error.column, error.sentence)
            return None

    def _about(self, row: Row) -> About | None:
        get = row.cells.get
        item = get("item")
        # Where units ask one criterion each, the criterion is one of the names.
        is_apart = self.targets.any_apart and any(
            unit.task.is_apart for unit in self.targets.of_item.get(item or "", ())
        )
        criterion = get("criterion") if is_apart else None
        names = (get("task"), get("unit"), item, get("system"), get("variant"), get("system_b"), criterion)
        target = self._targets_by_names.get(names)
        if target is None:
            self.targets.advise = not self._report.is_full
            try:
                target = self.targets.find(Names(*names))
            except NotFound as error:
                target = error
            if len(self._targets_by_names) >= REMEMBERED:
                self._targets_by_names.clear()
            self._targets_by_names[names] = target
        if isinstance(target, NotFound):
            self._report(row, target.column, target.sentence)
            return None
        return target

    def _place(self, about: About, answer: _AnswerCells) -> tuple[str, bool]:
        """Return the cells that name the text or pair of a row, and whether the row has the pair in the other order."""
        criterion = None if answer.criterion is None else answer.criterion.key
        known = about.unit.id, about.part, about.part_b, about.output, about.output_b, criterion, answer.is_silent
        place = self._places.get(known)
        if place is None:
            task = about.unit.task
            is_turned = False
            if not answer.is_silent:
                about, is_turned = _in_one_order(about, task.answers(answer.criterion))
            criterion_id = None if criterion is None else task.frame.criterion_ids[criterion]
            columns = Place(task.id, about.unit.id, about.part, about.part_b, criterion_id, about.output, about.shared)
            if len(self._places) >= REMEMBERED:
                self._places.clear()
            place = self._places[known] = cells_of(columns), is_turned
        return place

    def _judged(self, row: Row) -> _JudgedCells:
        """Read the cells that belong to the whole judgment."""
        cells = row.cells
        given = tuple([cells.get(name) for name in OF_JUDGMENT])
        # An arrangement is an object, by which nothing can be looked up.
        judged = None if "arrangement" in cells else self._judged_by_cells.get(given)
        if judged is None:
            judged = self._read_judged(cells)
            if len(self._judged_by_cells) >= REMEMBERED_CELLS:
                self._judged_by_cells.clear()
            if "arrangement" not in cells:
                self._judged_by_cells[given] = judged
        for column, sentence in judged.faults:
            self._report(row, column, sentence)
        return judged

    def _read_judged(self, cells: Mapping[str, Any]) -> _JudgedCells:
        get = cells.get
        name, state = get("judgment"), get("state")
        start, end = self._in_utc(get("started_at")), self._in_utc(get("submitted_at"))
        judged = Judged(
            judgment=name,
            repeat_of=get("repeat_of"),
            purpose=get("purpose") or (REPEAT if "repeat_of" in cells else MAIN),
            wave=get("wave", 1),
            version=get("version", self.version),
            state=state,
            position=get("position"),
            seconds=get("seconds"),
            started_at=None if start is None else start.isoformat(),
            submitted_at=None if end is None else end.isoformat(),
            arrangement=json.dumps(get("arrangement"), sort_keys=True) if "arrangement" in cells else None,
        )
        faults = [*self._faults_of_judged(cells, judged), *_faults_of_times(judged.seconds, start, end)]
        key = half_key_of(judged) if name is None else key_of_name(name)
        return _JudgedCells(state, faults, name is not None, key, cells_of(judged))

    def _faults_of_judged(self, cells: Mapping[str, Any], judged: Judged) -> Iterator[Fault]:
        yield from _choice("purpose", judged.purpose, PURPOSES)
        if "repeat_of" in cells and judged.purpose != REPEAT:
            yield "repeat_of", _("This names an earlier judgment, so the purpose of this row must be “repeat”.")
        if judged.state is not None:
            yield from _choice("state", judged.state, STATES)
        if not 1 <= judged.version <= self.version:
            sentence = _("The study has versions 1 to %(n)d. Leave the version out for the current one.")
            yield "version", sentence % {"n": self.version}
        for name in ("position", "wave"):
            if (place := cells.get(name)) == 0:
                yield name, _("This counts from 1.")
            elif place is not None and place > MOST_PLACES:
                sentence = _(
                    "This counts from 1, to %(most)s at most. Leave the cell empty where it is something else."
                )
                yield name, sentence % {"most": f"{MOST_PLACES:,}"}

    def _in_utc(self, moment: datetime | None) -> datetime | None:
        """Return a time in UTC: PostgreSQL does not take every offset that Python does."""
        if moment is None:
            return None
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=self._zone)).astimezone(UTC)

    def _answer(self, row: Row, about: About, state: str | None) -> _AnswerCells:
        """Read the answer of a row about its text."""
        cells, task = row.cells, about.unit.task
        is_placed = about.part is not None or len(about.unit.parts) <= 1
        given = (task.id, is_placed, state == SKIPPED_STATE, *[cells.get(name) for name in OF_ANSWER])
        answer = self._answers_by_cells.get(given)
        if answer is None:
            if len(self._answers_by_cells) >= REMEMBERED_CELLS:
                self._answers_by_cells.clear()
            answer = self._answers_by_cells[given] = self._read_answer(cells, task, state, is_placed=is_placed)
        for column, sentence in answer.faults:
            self._report(row, column, sentence)
        return answer

    def _read_answer(
        self, cells: Mapping[str, Any], task: TaskTarget, state: str | None, *, is_placed: bool
    ) -> _AnswerCells:
        is_silent = self._is_silent(cells, task)
        criterion, faults = self._criterion(cells, task, is_silent=is_silent)
        if is_silent:
            faults.extend(self._faults_of_silence(cells))
            skip, comment = _reason(cells)
            answer = Answer(False, False, False, cells.get("rating"), skip_reason=skip, comment=comment)
            text = cells_of(answer)
            return _AnswerCells(criterion, faults, True, "", text, text)
        faults.extend(self._ratings.faults(cells, task, criterion, is_placed=is_placed))
        if state == State.SKIPPED:
            faults.append(("state", _("A skipped unit has no rating. For a skip, write “skip” as its label.")))
        answers = task.answers(criterion)
        answer = Answer(
            rated=True,
            spans=self._ratings.is_one_of_several(cells, task, criterion),
            alone=cells.get("label") in answers.labels_alone,
            **{name: cells.get(name) for name in ("rating", *OF_RATING)},
        )
        turned = answer._replace(label=answers.turned(answer.label))
        kind = self._ratings.unknown_kind(cells, task)
        return _AnswerCells(criterion, faults, False, kind, cells_of(answer), cells_of(turned))

    def _criterion(
        self, cells: Mapping[str, Any], task: TaskTarget, *, is_silent: bool
    ) -> tuple[Criterion | None, list[Fault]]:
        criteria = task.frame.criteria
        name = cells.get("criterion")
        if name is None:
            only = criteria[0] if len(criteria) == 1 else None
            if only is None and self._ratings.is_span(cells):
                only = task.criterion_of_spans
            if only is None and len(criteria) > 1 and task.per_criterion and not is_silent:
                sentence = _("Which of these was rated: %(names)s?") % {
                    "names": ", ".join(criterion.key for criterion in criteria)
                }
                return only, [("criterion", sentence)]
            return only, []
        criterion = task.criterion(name)
        if criterion is not None:
            return criterion, []
        sentence = _("The task “%(task)s” does not ask this.") % {"task": task.key}
        similar = nearest(name, [criterion.key for criterion in criteria]) if self.targets.advise else ""
        return None, [("criterion", f"{sentence} {similar}".rstrip())]

    def _is_silent(self, cells: Mapping[str, Any], task: TaskTarget) -> bool:
        """Return whether a row only says that nothing was found, or that the unit was skipped."""
        if str(cells.get("label", "")).strip() not in {NOTHING, SKIPPED} or "rating" in cells:
            return False
        # A task whose ratings are labels may have one of that name; then it is about a criterion.
        criterion_name = cells.get("criterion")
        return criterion_name is None or "label" not in task.answers(task.criterion(criterion_name)).columns

    def _faults_of_silence(self, cells: Mapping[str, Any]) -> Iterator[Fault]:
        for column in ("value", *self._ratings.span_columns):
            if column in cells:
                sentence = _("A row with the label “%(label)s” holds nothing else.")
                yield column, sentence % {"label": str(cells["label"]).strip()}


def _choice(column: str, word: str, choices: Sequence[str]) -> Iterator[Fault]:
    if word not in choices:
        sentence = _("must be one of: %(choices)s; it is %(value)s.")
        yield column, sentence % {"choices": ", ".join(choices), "value": shown(word)}


def _faults_of_times(seconds: float | None, start: datetime | None, end: datetime | None) -> Iterator[Fault]:
    """Yield the faults of the active seconds and of the two times, text shown and answer given, in UTC."""
    if seconds is not None and seconds < 0:
        yield "seconds", _("A time cannot be negative.")
    elif seconds is not None and seconds > LONGEST_SITTING:
        sentence = _(
            "No answer takes more than %(most)s active seconds (a week). If this is in milliseconds, divide it by "
            "1000; if the time is not known, leave the cell empty."
        )
        yield "seconds", sentence % {"most": f"{LONGEST_SITTING:,.0f}"}
    for column, time in (("started_at", start), ("submitted_at", end)):
        if time is not None and not FIRST_YEAR <= time.year <= LAST_YEAR:
            sentence = _("Only times from %(first)d to %(last)d (UTC) can be stored. Is this one a placeholder?")
            yield column, sentence % {"first": FIRST_YEAR, "last": LAST_YEAR}
    if start is not None and end is not None and start > end:
        yield "started_at", _("This is later than submitted_at.")


def _in_one_order(about: About, answers: Answers) -> tuple[About, bool]:
    """Return the text or pair of a row as in a rater's own answer, and whether the row has the pair in the other order.

    The two texts of a pair are in the order of their unit, and a rating of a unit as a whole names no text.
    """
    per = answers.outcome.per if answers.outcome is not None else ""
    if per == "unit":
        return about.about_unit(), False
    return about.about_pair() if per == "pair" else (about, False)


def _reason(cells: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the reason for skipping a unit (None where it was not skipped) and the rater's words beside it."""
    words = cells.get("text")
    if str(cells["label"]).strip() == NOTHING:
        return None, words
    if words in Judgment.Skip.values:
        return words, None
    return Judgment.Skip.OTHER.value, words
