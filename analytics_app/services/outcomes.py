"""Upload outcomes measured elsewhere, such as calories: checked row by row, and stored whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.models import MeasuredOutcome
from analytics_app.services.scores import ScoreTable
from tasks_app.importing.guessing import peek
from tasks_app.importing.source import RatingsFile, Scanned, lines_of, scan_file
from tasks_app.models import Assignment, Identity, Invitation, Rater, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.services.waves import schedule
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.files.naming import Naming
from tasks_app.studyfile.files.quoting import Quoting
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError, nearest

# Rows of one statement that inserts.
_BATCH = 5000

# As the column of the table.
_LONGEST = 100

_OUTCOME, _VALUE = "outcome", "value"


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What was read: the number of values and raters, and the names of the outcomes."""

    counts: Mapping[str, int]
    outcomes: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a file name rater and wave, and which hold outcomes.

    A file in long form, with the columns outcome and value, needs no `outcomes`; those named are the only ones read.
    """

    rater: str = "rater"
    wave: str = "wave"
    outcomes: tuple[str, ...] = ()
    quoting: str = ""


class _Measured(NamedTuple):
    rater: int
    wave: int
    outcome: str


def upload_outcomes(
    *,
    study: Study,
    file: RatingsFile,
    by: Actor,
    columns: Columns | None = None,
    replace: bool = False,
    check: bool = False,
) -> Uploaded:
    """Store the outcomes of a file with a study; with `check`, only report whether they could be stored.

    A row is a rater in a wave. Outcomes stand in a column each, or in the columns outcome and value. With `replace`
    all stored values of the file's outcomes are deleted first; without it the file adds to them.

    Raises
    ------
    StudyFileError
        With every problem by file, line and column; nothing is stored then.
    """
    if not study.is_frozen:
        sentence = _("The study is a draft, so it has no raters yet. Open it, or import its ratings first.")
        raise StudyFileError([Problem(file.name, 0, 0, sentence)])
    problems = Problems()
    scanned = scan_file(file, problems)
    problems.raise_if_any()
    if scanned is None:
        raise StudyFileError([Problem(file.name, 0, 0, _("This file is not a text file."))])
    try:
        return _upload(study.pk, file, scanned, by, columns or Columns(), replace=replace, check=check)
    except NotPossible as error:
        raise StudyFileError([Problem(file.name, 0, 0, str(error))]) from error


@atomically
def _upload(
    study_id: int, file: RatingsFile, scanned: Scanned, by: Actor, columns: Columns, *, replace: bool, check: bool
) -> Uploaded:
    """Check and store in one transaction, one import per study at a time, so that what was checked still holds."""
    problems = Problems()
    study = storing.hold(study_id)
    naming = _naming(file, peek(file, columns.quoting).columns, columns)
    with ExitStack() as stack:
        table = ScoreTable(
            naming, file.name, lambda: stack.enter_context(lines_of(file, scanned.encoding)), problems,
            format=file.format, quoting=Quoting(columns.quoting, _("Use --quoting, or choose it on the page.")),
        )  # fmt: skip
        reader = _Reader(study, table, problems, columns, replace=replace)
        values = reader.values()
    if not values and not problems.count:
        problems.add(file.name, 0, 0, _("There are no values below the header."))
    problems.raise_if_any()
    outcomes = tuple(sorted({measured.outcome for measured in values}))
    if not check:
        _store(study, values, outcomes, by, file.name, replace=replace)
    n_raters = len({measured.rater for measured in values})
    counts = {"values": len(values), "raters": n_raters, "outcomes": len(outcomes)}
    return Uploaded(counts, outcomes, (*table.notes, *reader.notes()))


@atomically
def delete_outcome(*, study: Study, outcome: str, by: Actor) -> int:
    """Delete all values of an outcome; return how many there were."""
    storing.hold(study.pk)
    deleted, _each = MeasuredOutcome.objects.filter(study=study, outcome=outcome).delete()
    if deleted:
        events.log(study, by, "deleted outcome", about=outcome, after={"values": deleted})
    return deleted


def is_long(names: Collection[str]) -> bool:
    """Return whether a file with these columns has its values in the columns outcome and value."""
    return {_OUTCOME, _VALUE} <= set(names)


def _naming(file: RatingsFile, names: Sequence[str], columns: Columns) -> Naming:
    """Declare the table that a file has. Raises StudyFileError if nobody said which columns hold outcomes."""
    rater = Column(columns.rater, Kind.WORD, gettext_lazy("Pseudonym or other name of the rater."), needed=True)
    wave = Column(columns.wave, Kind.WORD, gettext_lazy("Number of the wave, or the key of a task in it."))
    declared = [rater, wave]
    if is_long(names):
        values = [
            Column(_OUTCOME, Kind.WORD, gettext_lazy("Name of the outcome."), needed=True),
            Column(_VALUE, Kind.NUMBER, gettext_lazy("What was measured."), needed=True),
        ]
    else:
        about = {column.name for column in declared}
        others = [name for name in names if name not in about]
        if others and not columns.outcomes:
            sentence = _(
                "Which of these columns are outcomes: %(names)s? Name them with --outcomes, or tick them on the page."
            )
            raise StudyFileError([Problem(file.name, 1, 1, sentence % {"names": ", ".join(others)})])
        for name in about.intersection(columns.outcomes):
            sentence = _("The column “%(name)s” says whose value it is, so it is not an outcome.") % {"name": name}
            raise StudyFileError([Problem(file.name, 1, 1, sentence)])
        doc = gettext_lazy("Values of the outcome of that name.")
        values = [Column(name, Kind.NUMBER, doc, needed=True) for name in columns.outcomes]
    declaration = TableDeclaration("outcomes", ("csv", "tsv", "jsonl"), (*declared, *values))
    present = [column.name for column in declaration.columns if column.needed or column.name in names]
    return Naming(declaration, {name: name for name in present})


class _Reader:
    """Reads rows against the raters and waves of a study; problems are reported."""

    def __init__(self, study: Study, table: ScoreTable, problems: Problems, columns: Columns, *, replace: bool) -> None:
        self._table, self._problems, self._columns = table, problems, columns
        self._is_long = is_long(table.naming.declared.names)
        self._raters = raters_by_name(study)
        self._pseudonyms = list(Rater.objects.filter(study=study, erased_at=None).values_list("pseudonym", flat=True))
        invited = Invitation.objects.filter(study=study, rater=None, revoked_at=None)
        self._absent = set(invited.values_list("name", flat=True))
        self._waves = schedule.numbers(study)
        answered = Assignment.objects.filter(rater__study=study).aggregate(last=Max("wave"))["last"]
        self._last = max(*self._waves.values(), answered or 1, 1)
        stored = MeasuredOutcome.objects.filter(study=study).values_list("rater_id", "wave", "outcome")
        self._stored = set() if replace else {_Measured(*row) for row in stored}
        self._left_out: dict[str, None] = {}

    def values(self) -> dict[_Measured, float]:
        """Return every value of the file, by rater, wave and outcome."""
        values: dict[_Measured, float] = {}
        lines: dict[_Measured, int] = {}
        for row in self._table.rows():
            rater, wave = self._rater(row), self._wave(row)
            if rater is None or wave is None:
                continue
            for outcome, column, value in self._cells(row):
                key = _Measured(rater, wave, outcome)
                if (line := lines.setdefault(key, row.line)) != row.line:
                    sentence = _("Line %(line)d already has this outcome of this rater in this wave. Keep one of them.")
                    self._report(row, column, sentence % {"line": line})
                elif key in self._stored:
                    sentence = _(
                        "The study already has this value. To replace it, tick Replace on the page, or use --replace."
                    )
                    self._report(row, column, sentence)
                else:
                    values[key] = value
        return values

    def notes(self) -> Iterator[str]:
        """Name the outcomes of the file that were left out."""
        if self._left_out:
            sentence = _("Outcomes in the file that were not named, and were left out: %(names)s.")
            yield sentence % {"names": ", ".join(self._left_out)}

    def _rater(self, row: Row) -> int | None:
        column = self._columns.rater
        given = str(row.cells.get(column, ""))
        if not given:
            self._report(row, column, _("Every row needs a rater."))
            return None
        raters = self._raters.get(given, set())
        if len(raters) == 1:
            return next(iter(raters))
        if raters:
            sentence = _("“%(name)s” names several raters. Use their pseudonyms.")
        elif given in self._absent:
            sentence = _("“%(name)s” has an invitation but has not begun yet. Upload the value after they have.")
        else:
            sentence = _("The study has no rater “%(name)s”.")
        guess = nearest(given, self._pseudonyms) if not raters and given not in self._absent else ""
        self._report(row, column, f"{sentence % {'name': given}} {guess}".rstrip())
        return None

    def _wave(self, row: Row) -> int | None:
        column = self._columns.wave
        given = str(row.cells.get(column, ""))
        if not given and self._last == 1:
            return 1
        if not given:
            sentence = _("The study has %(n)d waves, so every row needs one.") % {"n": self._last}
            self._report(row, column if self._table.naming.theirs(column) else self._columns.rater, sentence)
            return None
        number = int(given) if given.isascii() and given.isdecimal() and len(given) < 6 else self._waves.get(given, 0)
        if 1 <= number <= self._last:
            return number
        sentence = _("The study has no wave “%(name)s”. Its waves are 1 to %(n)d.") % {"name": given, "n": self._last}
        self._report(row, column, f"{sentence} {nearest(given, self._waves)}".rstrip())
        return None

    def _cells(self, row: Row) -> Iterator[tuple[str, str, float]]:
        """Yield outcome, column and value of the cells of a row; an empty cell is no value."""
        cells, chosen = row.cells, self._columns.outcomes
        if not self._is_long:
            pairs = [(name, name, float(cells[name])) for name in chosen if name in cells]
        elif _OUTCOME not in cells:
            self._report(row, _OUTCOME, _("Every row needs the name of its outcome."))
            pairs = []
        elif chosen and cells[_OUTCOME] not in chosen:
            self._left_out.setdefault(str(cells[_OUTCOME]))
            pairs = []
        else:
            pairs = [(str(cells[_OUTCOME]), _VALUE, float(cells[_VALUE]))] if _VALUE in cells else []
        for name, column, value in pairs:
            if len(name) > _LONGEST:
                sentence = _("The name of an outcome has at most %(n)d characters.") % {"n": _LONGEST}
                self._report(row, column, sentence)
            else:
                yield name, column, value

    def _report(self, row: Row, column: str, sentence: str) -> None:
        place = row.place(column)
        self._problems.add(row.file, place.line, place.column, f"{column}: {sentence}")


def raters_by_name(study: Study) -> dict[str, set[int]]:
    """Return the raters that each name stands for.

    Names are pseudonyms, ids of a platform, the names of personal links, and the names of accounts. Trial raters and
    erased raters have none.
    """
    raters = Rater.objects.filter(study=study, erased_at=None).exclude(kind=Rater.Kind.SANDBOX)
    names: dict[str, set[int]] = {}
    for pseudonym, pk in raters.values_list("pseudonym", "pk"):
        names[pseudonym] = {pk}
    others = [
        *Identity.objects.filter(rater__in=raters).values_list("external_id", "rater_id"),
        *Invitation.objects.filter(rater__in=raters).values_list("name", "rater_id"),
        *Invitation.objects.filter(rater__in=raters, user__isnull=False).values_list("user__username", "rater_id"),
    ]
    for name, pk in others:
        if name and pk is not None:
            names.setdefault(name, set()).add(pk)
    return names


def _store(
    study: Study, values: Mapping[_Measured, float], outcomes: Sequence[str], by: Actor, name: str, *, replace: bool
) -> None:
    # Raters are locked, so that nobody is erased between being looked up and the commit.
    ids = {key.rater for key in values}
    locked = Rater.objects.select_for_update(no_key=True).filter(pk__in=ids, erased_at=None).order_by("pk")
    if len(list(locked.values_list("pk", flat=True))) < len(ids):
        sentence = _("A rater of the file was erased while it was read. Remove their rows and upload it again.")
        raise StudyFileError([Problem(name, 0, 0, sentence)])
    if replace:
        MeasuredOutcome.objects.filter(study=study, outcome__in=outcomes).delete()
    rows = (
        MeasuredOutcome(study=study, rater_id=key.rater, wave=key.wave, outcome=key.outcome, value=value)
        for key, value in values.items()
    )
    MeasuredOutcome.objects.bulk_create(rows, batch_size=_BATCH)
    after = {"file": name, "outcomes": list(outcomes), "values": len(values), "replaced": replace}
    events.log(study, by, "uploaded outcomes", about=name[:100], after=after)
