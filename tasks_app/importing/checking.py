"""Check one row of a file of ratings: whether it is a rating of the study, and of which unit."""

import json
import zoneinfo
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.forms import LONGEST_SITTING
from tasks_app.importing.offsets import OffsetReader
from tasks_app.importing.raters import BadRater, Raters
from tasks_app.importing.ratings import RatingCheck, Report
from tasks_app.importing.shaping.declared import Offsets
from tasks_app.importing.targets import About, Answers, Names, NotFound, Targets, TaskTarget
from tasks_app.models import Assignment, Judgment, Study
from tasks_app.services.imports.storing import Staged, key_of
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import nearest, shown
from tasks_app.task_types.base import Criterion

State, Purpose = Assignment.State, Assignment.Purpose

# Only answered units can be imported.
STATES = tuple(str(state.value) for state in (State.SUBMITTED, State.SURPLUS, State.SKIPPED, State.WITHDRAWN))
PURPOSES = tuple(map(str, Purpose.values))
MAIN, REPEAT = str(Purpose.MAIN.value), str(Purpose.REPEAT.value)

# Labels of a row that holds no rating: the judgment found nothing, or was skipped.
NOTHING, SKIPPED = "none", "skip"

# Most looked-up units that are remembered, since many rows are about the same ones.
REMEMBERED = 100_000

# Beyond any rater's way through a study, and far enough below what PostgreSQL's integer holds for more to follow.
MOST_PLACES = 1_000_000

# Same years as for the cells of a table, but of the time in UTC, so that an export can be imported again.
FIRST_YEAR, LAST_YEAR = 1900, 9000


class RowCheck:
    """Turns the rows of a file into ratings of a study; what is wrong is reported."""

    def __init__(self, study: Study, report: Report, offsets: Offsets | None = None) -> None:
        self._offsets = None if offsets is None or offsets.are_ours else OffsetReader(study, offsets, report)
        self.targets = Targets(study)
        self.raters = Raters(study)
        # Every version there is; a draft's will be the first.
        self.version = max(1, study.current_version)
        self._report = report
        self._ratings = RatingCheck(report)
        self._zone = zoneinfo.ZoneInfo(study.timezone)
        self._targets_by_names: dict[Names, About | NotFound] = {}

    @property
    def unknown_kinds(self) -> Mapping[str, int]:
        """Return how many rows have a kind of error that their task does not know."""
        return self._ratings.unknown_kinds

    def take(self, row: Row) -> Staged | None:
        """Return a row ready to be stored, names turned into rows of the study; None where it cannot be used."""
        before = self._report.count
        rater, about, judged = self._rater(row), self._about(row), self._judged(row)
        if about is None:
            return None
        task, cells = about.unit.task, row.cells
        if self._offsets is not None:
            self._offsets.read(row, about)
        criterion = self._criterion(row, task)
        silent = self._is_silent(row, task)
        if silent:
            self._check_silent(row)
        else:
            self._check_rating(row, about, criterion, judged["state"])
        if self._report.count > before or rater is None:
            return None
        label = cells.get("label")
        if not silent:
            about, label = _in_one_order(about, task.answers(criterion), label)
        name = cells.get("judgment")
        skip, comment = _reason(cells) if silent else (None, None)
        return Staged(
            line=row.line,
            key=key_of(rater, about.unit.id, *judged.values()) if name is None else key_of(name),
            keyed=name is not None,
            rater=rater,
            task=task.id,
            unit=about.unit.id,
            part=about.part,
            part_b=about.part_b,
            criterion=None if criterion is None else task.frame.criterion_ids[criterion.key],
            output=about.output,
            shared=about.shared,
            rating=cells.get("rating"),
            rated=not silent,
            spans=not silent and self._ratings.is_one_of_several(row, task, criterion),
            alone=not silent and cells.get("label") in task.answers(criterion).labels_alone,
            value=cells.get("value"),
            label=None if silent else label,
            text=None if silent else cells.get("text"),
            shown_value=cells.get("shown_value"),
            span_side=cells.get("span_side"),
            span_start=cells.get("span_start"),
            span_end=cells.get("span_end"),
            category=cells.get("category"),
            severity=cells.get("severity"),
            judgment=name,
            skip_reason=skip,
            comment=comment,
            **judged,
        )

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
        names = Names(get("task"), get("unit"), get("item"), get("system"), get("variant"), get("system_b"))
        if self.targets.any_apart and any(
            unit.task.is_apart for unit in self.targets.of_item.get(get("item") or "", ())
        ):
            names = names._replace(criterion=get("criterion"))
        target = self._targets_by_names.get(names)
        if target is None:
            self.targets.advise = not self._report.is_full
            try:
                target = self.targets.find(names)
            except NotFound as error:
                target = error
            if len(self._targets_by_names) < REMEMBERED:
                self._targets_by_names[names] = target
        if isinstance(target, NotFound):
            self._report(row, target.column, target.sentence)
            return None
        return target

    def _judged(self, row: Row) -> dict[str, Any]:
        """Read what belongs to the whole judgment."""
        get = row.cells.get
        purpose = get("purpose") or (REPEAT if "repeat_of" in row.cells else MAIN)
        self._choice(row, "purpose", purpose, PURPOSES)
        if "repeat_of" in row.cells and purpose != REPEAT:
            self._report(row, "repeat_of", _("Only a row with the purpose repeat can repeat a judgment."))
        state = get("state")
        if state is not None:
            self._choice(row, "state", state, STATES)
        version = get("version", self.version)
        if not 1 <= version <= self.version:
            sentence = _("The study has versions 1 to %(n)d. Leave the version out for the current one.")
            self._report(row, "version", sentence % {"n": self.version})
        for name in ("position", "wave"):
            if (place := get(name)) == 0:
                self._report(row, name, _("This counts from 1."))
            elif place is not None and place > MOST_PLACES:
                sentence = _(
                    "This counts from 1, to %(most)s at most. Leave the cell empty where it is something else."
                )
                self._report(row, name, sentence % {"most": f"{MOST_PLACES:,}"})
        return {
            "repeat_of": get("repeat_of"),
            "purpose": purpose,
            "wave": get("wave", 1),
            "version": version,
            "state": state,
            "position": get("position"),
            "seconds": self._seconds(row),
            **self._times(row),
            "arrangement": json.dumps(get("arrangement"), sort_keys=True) if "arrangement" in row.cells else None,
        }

    def _seconds(self, row: Row) -> float | None:
        seconds: float | None = row.cells.get("seconds")
        if seconds is not None and seconds < 0:
            self._report(row, "seconds", _("A time cannot be negative."))
        elif seconds is not None and seconds > LONGEST_SITTING:
            sentence = _(
                "No answer takes more than %(most)s active seconds (a week). If this is in milliseconds, divide it by "
                "1000; if the time is not known, leave the cell empty."
            )
            self._report(row, "seconds", sentence % {"most": f"{LONGEST_SITTING:,.0f}"})
        return seconds

    def _times(self, row: Row) -> dict[str, str | None]:
        """Read when the text was shown and the answer given."""
        start, end = self._time(row, "started_at"), self._time(row, "submitted_at")
        if start is not None and end is not None and start > end:
            self._report(row, "started_at", _("This is later than submitted_at."))
        return {
            "started_at": None if start is None else start.isoformat(),
            "submitted_at": None if end is None else end.isoformat(),
        }

    def _time(self, row: Row, column: str) -> datetime | None:
        """Read a time in UTC: PostgreSQL does not take every offset that Python does."""
        moment: datetime | None = row.cells.get(column)
        if moment is None:
            return None
        time = (moment if moment.tzinfo is not None else moment.replace(tzinfo=self._zone)).astimezone(UTC)
        if not FIRST_YEAR <= time.year <= LAST_YEAR:
            sentence = _("Only times from %(first)d to %(last)d (UTC) can be stored. Is this one a placeholder?")
            self._report(row, column, sentence % {"first": FIRST_YEAR, "last": LAST_YEAR})
        return time

    def _choice(self, row: Row, column: str, word: str, choices: Sequence[str]) -> None:
        if word not in choices:
            sentence = _("must be one of: %(choices)s; it is %(value)s.")
            self._report(row, column, sentence % {"choices": ", ".join(choices), "value": shown(word)})

    def _criterion(self, row: Row, task: TaskTarget) -> Criterion | None:
        criteria = task.frame.criteria
        name = row.cells.get("criterion")
        if name is None:
            if len(criteria) > 1 and task.per_criterion and not self._is_silent(row, task):
                sentence = _("Which of these was rated: %(names)s?") % {
                    "names": ", ".join(criterion.key for criterion in criteria)
                }
                self._report(row, "criterion", sentence)
            return criteria[0] if len(criteria) == 1 else None
        criterion = task.criterion(name)
        if criterion is None:
            sentence = _("The task “%(task)s” does not ask this.") % {"task": task.key}
            similar = nearest(name, [criterion.key for criterion in criteria]) if self.targets.advise else ""
            self._report(row, "criterion", f"{sentence} {similar}".rstrip())
        return criterion

    def _is_silent(self, row: Row, task: TaskTarget) -> bool:
        """Return whether a row only says that nothing was found, or that the unit was skipped."""
        if str(row.cells.get("label", "")).strip() not in {NOTHING, SKIPPED} or "rating" in row.cells:
            return False
        # A task whose ratings are labels may have one of that name; then it is about a criterion.
        criterion_name = row.cells.get("criterion")
        return criterion_name is None or "label" not in task.answers(task.criterion(criterion_name)).columns

    def _check_rating(self, row: Row, about: About, criterion: Criterion | None, state: str) -> None:
        self._ratings.check(row, about, criterion)
        if state == State.SKIPPED:
            self._report(row, "state", _("A skipped unit has no rating. For a skip, write “skip” as its label."))

    def _check_silent(self, row: Row) -> None:
        for column in ("value", *self._ratings.span_columns):
            if column in row.cells:
                sentence = _("A row with the label “%(label)s” holds nothing else.")
                self._report(row, column, sentence % {"label": str(row.cells["label"]).strip()})


def _in_one_order(about: About, answers: Answers, label: str | None) -> tuple[About, str | None]:
    """Return what a row is about and its label as a rater's own answer has them.

    The two texts of a pair are in the order of their unit, and a rating of a unit as a whole names no text.
    """
    per = answers.outcome.per if answers.outcome is not None else ""
    if per == "unit":
        return about.about_unit(), label
    of_pair, is_turned = about.about_pair() if per == "pair" else (about, False)
    return of_pair, answers.turned(label) if is_turned else label


def _reason(cells: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return why a unit was skipped (None where it was not) and what the rater said beside it."""
    words = cells.get("text")
    if str(cells["label"]).strip() == NOTHING:
        return None, words
    if words in Judgment.Skip.values:
        return words, None
    return Judgment.Skip.OTHER.value, words
