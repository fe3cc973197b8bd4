"""Scores of automatic metrics from elsewhere: a file is checked row by row, and stored whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.models import MetricScore
from tasks_app.importing.guessing import peek
from tasks_app.importing.source import RatingsFile, Scanned, lines_of, scan_file
from tasks_app.models import Item, Output, Study, System
from tasks_app.services import events, imports
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.lifecycle import NotPossible
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.naming import Naming
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError, nearest
from tasks_app.studyfile.tables import Row, Table

# Rows of one statement that inserts.
_BATCH = 5000

# As the column of the table.
_LONGEST = 100

_METRIC, _VALUE = "metric", "value"


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


def import_scores(
    *,
    study: Study,
    file: RatingsFile,
    by: Actor,
    item: str = "item",
    system: str = "system",
    replace: bool = False,
    check: bool = False,
) -> Imported:
    """Store the scores of a file with a study; with `check`, only find out whether they could be.

    A row is a text (item and system), or a system as a whole where the item is empty. Scores stand in a column a
    metric, or in the columns metric and value. `item` and `system` are what the file calls these two columns.

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
        raise StudyFileError([Problem(file.name, 0, 0, _("This file is no text."))])
    try:
        return _import(study.pk, file, scanned, by, item, system, replace=replace, check=check)
    except NotPossible as found:
        raise StudyFileError([Problem(file.name, 0, 0, str(found))]) from found


@atomically
def _import(
    study_id: int, file: RatingsFile, scanned: Scanned, by: Actor, item: str, system: str, *, replace: bool, check: bool
) -> Imported:
    """Check and store in one transaction, one import a study at a time, so that what was checked still holds."""
    problems = Problems()
    study = imports.hold(study_id)
    columns = peek(file).columns
    with ExitStack() as stack:
        table = Table(
            Naming(_declared(columns, item, system)), file.name,
            lambda: stack.enter_context(lines_of(file, scanned.encoding)), problems, format=file.format,
        )  # fmt: skip
        found = list(_Reader(study, table, problems, item, system, replace=replace).scores())
    if not found and not problems.count:
        problems.add(file.name, 0, 0, _("There are no scores below the header."))
    problems.raise_if_any()
    metrics = tuple(sorted({one.metric for one in found}))
    if not check:
        _store(study, found, metrics, by, file.name, replace=replace)
    of_systems = sum(1 for one in found if one.item is None)
    counts = {"scores": len(found), "metrics": len(metrics), "of systems as wholes": of_systems}
    return Imported(counts, metrics, tuple(table.notes))


def _declared(names: Sequence[str], item: str, system: str) -> TableDeclaration:
    """Declare the table that a file has: whatever is neither item nor system is a metric."""
    key = Column(item, Kind.WORD, gettext_lazy("Key of the item; empty where the score is of a system as a whole."))
    of_system = Column(system, Kind.WORD, gettext_lazy("Key of the system."), needed=True)
    if {_METRIC, _VALUE} <= set(names):
        metrics = [
            Column(_METRIC, Kind.WORD, gettext_lazy("Name of the metric."), needed=True),
            Column(_VALUE, Kind.NUMBER, gettext_lazy("Its score."), needed=True),
        ]
    else:
        doc = gettext_lazy("Scores of the metric of that name.")
        metrics = [Column(name, Kind.NUMBER, doc) for name in names if name not in {item, system}]
    return TableDeclaration("scores", ("csv", "tsv", "jsonl"), (key, of_system, *metrics))


class _Reader:
    """Reads rows against what the study has; what is wrong is reported."""

    def __init__(
        self, study: Study, table: Table, problems: Problems, item: str, system: str, *, replace: bool
    ) -> None:
        self._table, self._problems = table, problems
        self._item, self._system = item, system
        # Of the versions of an item the newest counts: its key is what a file knows.
        self._items = dict(Item.objects.filter(study=study).order_by("id").values_list("key", "id"))
        self._systems = dict(System.objects.filter(study=study).values_list("key", "id"))
        outputs = Output.objects.filter(item__study=study).values_list("item__key", "system_id")
        self._texts = set(outputs)
        stored = MetricScore.objects.filter(study=study).values_list("metric", "item_id", "system_id")
        self._stored = set() if replace else set(stored)
        self._lines: dict[tuple[str, int | None, int], int] = {}

    def scores(self) -> Iterator[_Scored]:
        """Yield every score of the file."""
        for row in self._table.rows():
            about = self._about(row)
            if about is None:
                continue
            for metric, column, value in self._values(row):
                key = (metric, *about)
                if (line := self._lines.setdefault(key, row.line)) != row.line:
                    sentence = _("There is a score of this metric already, in line %(line)d. Keep one of them.")
                    self._report(row, column, sentence % {"line": line})
                elif key in self._stored:
                    sentence = _(
                        "The study has this score already. To put these in its place, tick Replace on the page, or "
                        "give the command --replace."
                    )
                    self._report(row, column, sentence)
                else:
                    yield _Scored(*key, value)

    def _about(self, row: Row) -> tuple[int | None, int] | None:
        key, system = row.cells.get(self._item), row.cells.get(self._system)
        code = None if system is None else self._systems.get(system)
        if system is None:
            self._report(row, self._system, _("Of which system is this? Every row names one."))
        elif code is None:
            sentence = _("The study has no system “%(key)s”.") % {"key": system}
            self._report(row, self._system, f"{sentence} {nearest(system, self._systems)}".rstrip())
        if key is not None and key not in self._items:
            sentence = _("The study has no item “%(key)s”.") % {"key": key}
            self._report(row, self._item, f"{sentence} {nearest(key, self._items)}".rstrip())
            return None
        if code is None:
            return None
        if key is None:
            return None, code
        if (key, code) not in self._texts:
            sentence = _("The study has no text of “%(system)s” for this item.") % {"system": system}
            self._report(row, self._system, sentence)
            return None
        return self._items[key], code

    def _values(self, row: Row) -> Iterator[tuple[str, str, float]]:
        """Yield metric, column and score of what a row gives; an empty cell is no score."""
        cells = row.cells
        if _METRIC in {column.name for column in self._table.naming.declared.columns}:
            if _METRIC in cells and _VALUE in cells:
                pairs = [(str(cells[_METRIC]), _VALUE, float(cells[_VALUE]))]
            else:
                self._report(row, _METRIC if _METRIC not in cells else _VALUE, _("A score has a metric and a value."))
                pairs = []
        else:
            pairs = [(name, name, float(cells[name])) for name in cells if name not in {self._item, self._system}]
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
