"""Import scores of automatic metrics: the file is checked row by row, and stored whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.models import MetricScore
from tasks_app.importing.guessing import peek
from tasks_app.importing.source import RatingsFile, Scanned, lines_of, scan_file
from tasks_app.models import Item, Output, Study, System
from tasks_app.sections import Json
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.files.naming import Naming
from tasks_app.studyfile.files.quoting import Quoting
from tasks_app.studyfile.files.tables import Row, Table, word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError, nearest

# Rows of one statement that inserts.
_BATCH = 5000

# As the column of the table.
_LONGEST = 100

_METRIC, _VALUE = "metric", "value"

# What programs write where there is no score, in small letters.
_NO_SCORE = frozenset({"nan", "none", "null", "na", "n/a"})


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read: how many scores of which metrics, and what a researcher should know."""

    counts: Mapping[str, int]
    metrics: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class _Scored:
    metric: str
    item: int | None
    system: int
    value: float


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a file are: which name item, system and variant, and which are metrics.

    Files in long form need no `metrics`, and those that are named there are the only ones read. `quoting` says what
    quotation marks are in a file with tabs, where that is not clear.
    """

    item: str = "item"
    system: str = "system"
    variant: str = "variant"
    metrics: tuple[str, ...] = ()
    quoting: str = ""


class _Text(NamedTuple):
    """What a score is of: the metric, an item or None for a system as a whole, and the system."""

    metric: str
    item: int | None
    system: int


def import_scores(
    *,
    study: Study,
    file: RatingsFile,
    by: Actor,
    columns: Columns | None = None,
    replace: bool = False,
    check: bool = False,
) -> Imported:
    """Store the scores of a file with a study; with `check`, only find out whether they could be.

    A row is a text (item and system, perhaps variant), or a system as a whole where the item is empty. Scores stand in
    a column a metric, or in the columns metric and value.

    Raises
    ------
    StudyFileError
        With every problem by file, line and column; nothing is stored then.
    """
    if not study.is_frozen:
        sentence = _("The study is a draft, whose items may still change. Open it, or import its ratings first.")
        raise StudyFileError([Problem(file.name, 0, 0, sentence)])
    problems = Problems()
    scanned = scan_file(file, problems)
    problems.raise_if_any()
    if scanned is None:
        raise StudyFileError([Problem(file.name, 0, 0, _("This file is not a text file."))])
    try:
        return _import(study.pk, file, scanned, by, columns or Columns(), replace=replace, check=check)
    except NotPossible as found:
        raise StudyFileError([Problem(file.name, 0, 0, str(found))]) from found


@atomically
def _import(
    study_id: int, file: RatingsFile, scanned: Scanned, by: Actor, columns: Columns, *, replace: bool, check: bool
) -> Imported:
    """Check and store in one transaction, one import a study at a time, so that what was checked still holds."""
    problems = Problems()
    study = storing.hold(study_id)
    names = peek(file, columns.quoting).columns
    naming = _naming(file, names, columns)
    with ExitStack() as stack:
        table = ScoreTable(
            naming, file.name, lambda: stack.enter_context(lines_of(file, scanned.encoding)), problems,
            format=file.format, quoting=Quoting(columns.quoting, _("Use --quoting, or choose it on the page.")),
        )  # fmt: skip
        reader = _Reader(study, table, problems, columns, replace=replace)
        found = reader.scores()
    if not found and not problems.count:
        problems.add(file.name, 0, 0, _("There are no scores below the header."))
    problems.raise_if_any()
    metrics = tuple(sorted({one.metric for one in found}))
    if not check:
        _store(study, found, metrics, by, file.name, replace=replace)
    of_systems = sum(1 for one in found if one.item is None)
    counts = {"scores": len(found), "metrics": len(metrics), "of systems as wholes": of_systems}
    return Imported(counts, metrics, (*table.notes, *reader.notes()))


def is_long(names: Collection[str]) -> bool:
    """Return whether a file with these columns has its scores in the columns metric and value."""
    return {_METRIC, _VALUE} <= set(names)


def _naming(file: RatingsFile, names: Sequence[str], columns: Columns) -> Naming:
    """Declare the table that a file has. Raises StudyFileError where nobody said which columns are metrics."""
    key = Column(columns.item, Kind.WORD, gettext_lazy("Key of the item; empty where a system as a whole is scored."))
    variant = Column(columns.variant, Kind.WORD, gettext_lazy("Which of several texts of a system for an item."))
    declared = [key, Column(columns.system, Kind.WORD, gettext_lazy("Key of the system."), needed=True), variant]
    if is_long(names):
        metrics = [
            Column(_METRIC, Kind.WORD, gettext_lazy("Name of the metric."), needed=True),
            Column(_VALUE, Kind.NUMBER, gettext_lazy("Its score."), needed=True),
        ]
    else:
        about = {one.name for one in declared}
        others = [name for name in names if name not in about]
        if others and not columns.metrics:
            sentence = _(
                "Which of these columns are metrics: %(names)s? Name them with --metrics, or tick them on the page."
            )
            raise StudyFileError([Problem(file.name, 1, 1, sentence % {"names": ", ".join(others)})])
        for name in about.intersection(columns.metrics):
            sentence = _("The column “%(name)s” identifies the text, so it is not a metric.") % {"name": name}
            raise StudyFileError([Problem(file.name, 1, 1, sentence)])
        doc = gettext_lazy("Scores of the metric of that name.")
        metrics = [Column(name, Kind.NUMBER, doc, needed=True) for name in columns.metrics]
    declaration = TableDeclaration("scores", ("csv", "tsv", "jsonl"), (*declared, *metrics))
    wanted = [one.name for one in declaration.columns if one.needed or one.name in names]
    return Naming(declaration, {name: name for name in wanted})


class ScoreTable(Table):
    """A file of scores, in which a program may have written NaN or None where there is no score."""

    def value(self, column: Column, name: str, given: Json) -> Json:
        """Read a cell."""
        if column.kind is Kind.NUMBER and word_of(given).lower() in _NO_SCORE:
            return None
        return super().value(column, name, given)


class _Reader:
    """Reads rows against what the study has; what is wrong is reported."""

    def __init__(self, study: Study, table: Table, problems: Problems, columns: Columns, *, replace: bool) -> None:
        self._table, self._problems, self._columns = table, problems, columns
        self._is_long = is_long(table.naming.declared.names)
        # Of the versions of an item the newest counts: its key is what a file knows.
        self._items = dict(Item.objects.filter(study=study).order_by("id").values_list("key", "id"))
        self._systems = dict(System.objects.filter(study=study).values_list("key", "id"))
        outputs = Output.objects.filter(item__study=study).values_list("item__key", "system_id", "variant")
        self._variants: dict[tuple[str, int], set[str]] = {}
        for item, system, variant in outputs:
            self._variants.setdefault((item, system), set()).add(variant)
        stored = MetricScore.objects.filter(study=study).values_list("metric", "item_id", "system_id")
        self._stored = set() if replace else set(stored)
        self._lines: dict[tuple[_Text, str], int] = {}
        self._left_out: dict[str, None] = {}
        self._averaged = 0

    def scores(self) -> list[_Scored]:
        """Return every score of the file; of a text in several variants their mean."""
        found: dict[_Text, list[float]] = {}
        for row in self._table.rows():
            about = self._about(row)
            if about is None:
                continue
            item, system, variant = about
            for metric, column, value in self._values(row):
                key = _Text(metric, item, system)
                if (line := self._lines.setdefault((key, variant), row.line)) != row.line:
                    sentence = _("There is a score of this metric already, in line %(line)d. Keep one of them.")
                    self._report(row, column, sentence % {"line": line})
                elif key in self._stored:
                    sentence = _(
                        "The study already has this score. To replace it, tick Replace on the page, or use --replace."
                    )
                    self._report(row, column, sentence)
                else:
                    found.setdefault(key, []).append(value)
        self._averaged = sum(len(values) > 1 for values in found.values())
        return [_Scored(*key, sum(values) / len(values)) for key, values in found.items()]

    def notes(self) -> Iterator[str]:
        """Say what a researcher should know of the scores."""
        if self._left_out:
            sentence = _("Metrics in the file that were not named, and were left out: %(names)s.")
            yield sentence % {"names": ", ".join(self._left_out)}
        if self._averaged:
            sentence = ngettext(
                "%(n)d score is the mean over the variants of a text.",
                "%(n)d scores are means over the variants of a text.",
                self._averaged,
            )
            yield sentence % {"n": self._averaged}

    def _about(self, row: Row) -> tuple[int | None, int, str] | None:
        names = self._columns
        key, system = row.cells.get(names.item), row.cells.get(names.system)
        code = None if system is None else self._systems.get(system)
        if system is None:
            self._report(row, names.system, _("Enter a system: every row needs one."))
        elif code is None:
            sentence = _("The study has no system “%(key)s”.") % {"key": system}
            self._report(row, names.system, f"{sentence} {nearest(system, self._systems)}".rstrip())
        if key is not None and key not in self._items:
            sentence = _("The study has no item “%(key)s”.") % {"key": key}
            self._report(row, names.item, f"{sentence} {nearest(key, self._items)}".rstrip())
            return None
        if code is None:
            return None
        if key is None:
            return None, code, ""
        variants = self._variants.get((key, code))
        if variants is None:
            sentence = _("The study has no text of “%(system)s” for this item.") % {"system": system}
            self._report(row, names.system, sentence)
            return None
        return self._variant(row, variants, self._items[key], code)

    def _variant(self, row: Row, variants: Set[str], item: int, system: int) -> tuple[int, int, str] | None:
        """Find the text of a system that has several; without the column a score is of all of them."""
        name = self._columns.variant
        given = str(row.cells.get(name, ""))
        if given in variants or (not given and self._table.naming.theirs(name) is None):
            return item, system, given
        if given:
            sentence = _("The system has no such variant here.")
            self._report(row, name, f"{sentence} {nearest(given, sorted(variants))}".rstrip())
        else:
            self._report(row, name, _("The system has several texts. Say which one: give variant."))
        return None

    def _values(self, row: Row) -> Iterator[tuple[str, str, float]]:
        """Yield metric, column and score of what a row gives; an empty cell is no score."""
        cells, wanted = row.cells, self._columns.metrics
        if not self._is_long:
            pairs = [(name, name, float(cells[name])) for name in wanted if name in cells]
        elif _METRIC not in cells:
            self._report(row, _METRIC, _("Every row needs the name of its metric."))
            pairs = []
        elif wanted and cells[_METRIC] not in wanted:
            self._left_out.setdefault(str(cells[_METRIC]))
            pairs = []
        else:
            pairs = [(str(cells[_METRIC]), _VALUE, float(cells[_VALUE]))] if _VALUE in cells else []
        for name, column, value in pairs:
            if len(name) > _LONGEST:
                sentence = _("The name of a metric has at most %(n)d characters.") % {"n": _LONGEST}
                self._report(row, column, sentence)
            else:
                yield name, column, value

    def _report(self, row: Row, column: str, sentence: str) -> None:
        place = row.place(column)
        self._problems.add(row.file, place.line, place.column, f"{column}: {sentence}")


def _store(
    study: Study, found: list[_Scored], metrics: tuple[str, ...], by: Actor, name: str, *, replace: bool
) -> None:
    if replace:
        MetricScore.objects.filter(study=study, metric__in=metrics).delete()
    rows = (
        MetricScore(
            study=study, metric=one.metric, item_id=one.item, system_id=one.system, value=one.value,
            source=MetricScore.Source.UPLOADED,
        )
        for one in found
    )  # fmt: skip
    MetricScore.objects.bulk_create(rows, batch_size=_BATCH)
    after = {"file": name, "metrics": list(metrics), "scores": len(found), "replaced": replace}
    events.log(study, by, "imported scores", about=name[:100], after=after)
