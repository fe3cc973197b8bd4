"""Begin to set up a study, and change its set-up: each change is logged, can be undone, and is never lost.

Two people who work at once change one document. A change names the revision it was made on; where somebody else has
changed the same value since, it is not made, and both values are returned.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, SetupChange, SetupRow, Study
from tasks_app.models.setup_document import NoSuchPlace, SetupDocument
from tasks_app.services import events
from tasks_app.services.copying import copy_lines
from tasks_app.services.database import atomically
from tasks_app.services.study.drafts import refuse_frozen
from tasks_app.setup import following
from tasks_app.studyfile.columns import TABLES
from tasks_app.studyfile.files.writing import tables_of
from tasks_app.studyfile.files.yaml_text import given_of

# Number of the latest changes of values that can be undone.
MOST_UNDONE = 500

# Rows that were taken out of a table stay under its name with a mark, so that they can be brought back: those that were
# removed stand beside the rows that are left, those that others took the place of would stand in place of them.
REMOVED, REPLACED = "-", "="

# The table of known answers.
KNOWN_ANSWERS = "controls"

# Rows stored with one statement.
ROWS_A_STATEMENT = 2_000


class ChangedMeanwhile(Exception):
    """Another person has changed the set-up since."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A change that was not made: somebody else has changed the same value meanwhile."""

    path: Path
    yours: Json
    theirs: Json
    by: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The outcome of a change: the set-up as it is now, and the changes that were not made."""

    setup: Setup
    conflicts: Sequence[Conflict] = field(default=())


def begin(study: Study) -> Setup:
    """Return the set-up of a draft; it is made of the study where there is none yet.

    Raises
    ------
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened, so that its design is frozen.
    """
    # Every change locks the set-up, and checks again whether the study was opened meanwhile.
    setup = Setup.objects.filter(study=study, study__current_version=0).first()
    if setup is None:
        return _make(study)
    setup.study = study
    return setup


@atomically
def _make(study: Study) -> Setup:
    """Make the set-up of a draft, unless somebody else has just made it. Raises NotADraft."""
    refuse_frozen(study)
    setup = Setup.objects.filter(study=study).first()
    if setup is not None:
        setup.study = study
        return setup
    document = sections.snapshot(study)
    setup = Setup.objects.create(
        study=study,
        given=given_of(document, sections.registered()),
        stored_revision=0 if document["tasks"] else None,
    )
    write_tables(setup, document)
    return setup


def write_tables(setup: Setup, document: sections.Document) -> None:
    """Store the rows of every table of a document; the set-up has none of them yet."""
    for table, rows in tables_of(document):
        write_rows(
            setup, table.stem, [{name: str(value) for name, value in row.items() if value != ""} for row in rows]
        )


@atomically
def change(*, setup: Setup, values: Mapping[Path, Json], base: int, by: events.Actor) -> Changed:
    """Set values of a set-up, as they were seen at the revision `base`; None takes a value away.

    Raises
    ------
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    edit = Edit.begin(setup, by=by, base=base)
    return Changed(edit.setup, edit.set(values))


@atomically
def keep_answers(*, setup: Setup, answers: Mapping[str, str]) -> Setup:
    """Keep the answers that the draft of the consent text needs and no setting holds. Raises NotADraft."""
    setup = hold(setup)
    setup.consent_answers = dict(answers)
    setup.save(update_fields=["consent_answers"])
    return setup


@dataclass(slots=True)
class Edit:
    """A set-up that one person changes, and the caller holds.

    `later` are the changes that were made since the person saw it, oldest first. `click` is the key of the button that
    was pressed, if any.
    """

    setup: Setup
    by: events.Actor
    later: Sequence[SetupChange] = ()
    click: UUID | None = None

    @classmethod
    def begin(cls, setup: Setup, *, by: events.Actor, base: int | None = None, click: UUID | None = None) -> Edit:
        """Hold a set-up for somebody who saw it at the revision `base`, None for the newest. Raises NotADraft."""
        setup = hold(setup)
        is_seen = base is None or base >= setup.revision
        later = () if is_seen else list(setup.changes.filter(revision__gt=base).select_related("by"))
        return cls(setup, by, later, click)

    @property
    def seen(self) -> Setup:
        """The set-up as the person saw it, to be looked at only."""
        document = self.setup.document
        for change in reversed(self.later):
            if not change.is_table:
                document = document.with_value(tuple(change.path), change.before)
        return Setup(study=self.setup.study, given=document.given)

    @property
    def is_repeated(self) -> bool:
        """Whether the same press of the button has made a change already."""
        return self.click is not None and any(change.click == self.click for change in self.later)

    @property
    def has_others(self) -> bool:
        """Whether somebody else has made a change meanwhile."""
        return any(change.by_id != getattr(self.by, "pk", None) for change in self.later)

    def is_moved(self, path: Path) -> bool:
        """Return whether something around a value was changed meanwhile, such as the list in which it has a number."""
        return any(len(change.path) < len(path) and _touches(tuple(change.path), path) for change in self.later)

    def set(self, values: Mapping[Path, Json]) -> list[Conflict]:
        """Set the values that nobody else has changed meanwhile, and return the others; None takes a value away."""
        return self._write(values, self.later)

    def press(self, values: Mapping[Path, Json]) -> None:
        """Set the values of the button that was pressed, which were made of the newest document."""
        self._write(values, (), self.click)

    def _write(
        self, values: Mapping[Path, Json], later: Sequence[SetupChange], click: UUID | None = None
    ) -> list[Conflict]:
        """Store values, and the values that follow from them, as one revision; return those that were not set."""
        setup, conflicts, made = self.setup, [], []
        before = setup.document
        for path, value in values.items():
            current = setup.document.value(path)
            if current == value:
                continue
            theirs = next((other for other in reversed(later) if _touches(tuple(other.path), path)), None)
            if theirs is not None:
                conflicts.append(Conflict(path, value, current, str(theirs.by or "")))
                continue
            try:
                setup.given = setup.document.with_value(path, value).given
            except NoSuchPlace:
                conflicts.append(Conflict(path, value, None, ""))
                continue
            made.append(SetupChange(path=list(path), before=current, after=value, click=click))
        if made:
            made += _following(setup, following.after_values(before, setup.document))
            _log(setup, made, self.by)
        return conflicts

    def undo(self) -> Path | None:
        """Take back the person's newest change that nothing was built on since; return a path of it, None for none."""
        later_paths: list[Path] = []
        changes = self.setup.changes.order_by("-revision", "-id")[:MOST_UNDONE]
        for _revision, group in groupby(changes, key=attrgetter("revision")):
            made = [change for change in group if not change.undone]
            paths: list[Path] = [tuple(change.path) for change in made]
            is_own = all(change.by_id == getattr(self.by, "pk", None) and not change.is_table for change in made)
            if made and is_own and not any(_touches(path, other) for path in paths for other in later_paths):
                self._take_back(made)
                return paths[0]
            later_paths += paths
        return None

    def _take_back(self, changes: Sequence[SetupChange]) -> None:
        """Set all values of one change back to the values before it."""
        setup = self.setup
        for change in changes:
            setup.given = setup.document.with_value(tuple(change.path), change.before).given
            change.undone = True
        SetupChange.objects.bulk_update(changes, ["undone"])
        reversals = [
            SetupChange(path=change.path, before=change.after, after=change.before, undone=True, click=self.click)
            for change in changes
        ]
        _log(setup, reversals, self.by)


def _touches(path: Path, other: Path) -> bool:
    """Return whether two paths name the same value, or one a part of the other."""
    n = min(len(path), len(other))
    return path[:n] == other[:n]


def _following(setup: Setup, values: Mapping[Path, Json]) -> list[SetupChange]:
    """Set the values that follow from a change, and return them as part of the change."""
    changes = []
    for path, value in values.items():
        changes.append(SetupChange(path=list(path), before=setup.document.value(path), after=value))
        setup.given = setup.document.with_value(path, value).given
    return changes


@atomically
def replace_given(*, setup: Setup, given: Mapping[str, Json], base: int, by: events.Actor) -> Setup:
    """Replace the content of the form by that of an edited study.yaml.

    Raises
    ------
    ChangedMeanwhile
        Where the set-up was changed since the revision `base`, which the text was made from.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    setup = hold(setup)
    if setup.revision != base:
        raise ChangedMeanwhile
    before, given = setup.given, with_consent_by_language(given)
    changes = [
        SetupChange(path=[name], before=before.get(name), after=given.get(name))
        for name in {**before, **given}
        if before.get(name) != given.get(name)
    ]
    if changes:
        setup.given = dict(given)
        _log(setup, changes, by)
    return setup


def with_consent_by_language(given: Mapping[str, Json]) -> dict[str, Json]:
    """Return the content of study.yaml with a single consent text under the study's language, as the form has it."""
    if not isinstance(given.get("consent"), str):
        return dict(given)
    language = SetupDocument(given).value(("study", "language"))
    return {**given, "consent": {language if isinstance(language, str) else "en": given["consent"]}}


@atomically
def undo(*, setup: Setup, by: events.Actor) -> Path | None:
    """Take back the newest change of a person that nothing was built on since; return a path of it.

    All values that were changed at once are taken back at once.

    None where there is nothing to take back. Tables are not taken back. Raises NotADraft.
    """
    return Edit.begin(setup, by=by).undo()


@atomically
def replace_table(*, setup: Setup, table: str, rows: Sequence[Mapping[str, str]], by: events.Actor) -> Setup:
    """Put rows in place of those of a table: all of them, or none where one cannot be stored. Raises NotADraft."""
    setup = hold(setup)
    before = setup.rows.filter(table=table).count()
    had = _known_answers(setup) if table == KNOWN_ANSWERS else ()
    # Removed and replaced rows are deleted as well: they could not be put back beside other rows.
    setup.rows.filter(table__in=(table, REMOVED + table, REPLACED + table)).delete()
    write_rows(setup, table, rows)
    log_table(setup, table, before, len(rows), by, had=had)
    return setup


@atomically
def remove_tables(*, setup: Setup, tables: Sequence[str], by: events.Actor) -> Setup:
    """Remove every row of some tables, such as known answers of texts that are gone. Raises NotADraft."""
    setup = hold(setup)
    for table in tables:
        n, _by_model = setup.rows.filter(table=table).delete()
        if n:
            log_table(setup, table, n, 0, by)
    return setup


def write_rows(setup: Setup, table: str, rows: Sequence[Mapping[str, str]], first: int = 1) -> None:
    """Store rows of a table from a number on: by COPY, since 100,000 texts took four times as long by INSERT."""
    if table not in {declared.stem for declared in TABLES}:
        raise ValueError(f"A study has no table {table!r}.")
    # Backslashes are all that COPY reads otherwise in JSON, which has neither tabs nor line breaks of its own.
    lines = (
        f"{setup.pk}\t{table}\t{number}\t" + json.dumps(dict(cells)).replace("\\", r"\\") + "\n"
        for number, cells in enumerate(rows, start=first)
    )
    copy_lines(SetupRow._meta.db_table, ("setup_id", "table", "number", "cells"), lines)


def copy_rows(source: Setup, target: Setup, tables: Sequence[str]) -> None:
    """Copy the rows of some tables into a set-up that has none of them yet, within the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO {SetupRow._meta.db_table} (setup_id, "table", number, cells)'  # noqa: S608  no input in it
            f' SELECT %s, "table", number, cells FROM {SetupRow._meta.db_table}'
            ' WHERE setup_id = %s AND "table" = ANY(%s)',
            [target.pk, source.pk, list(tables)],
        )


def log_table(
    setup: Setup, table: str, before: int, after: int, by: events.Actor, *, had: Collection[str] | None = None
) -> None:
    """Log that the rows of a table were changed; the caller holds the set-up.

    Where the first known answers of a kind were added, the rule that uses them follows. `had` are the kinds that there
    were before, for a table that was replaced; else the rows that were added are counted.
    """
    _log(setup, [SetupChange(path=[table], before=before, after=after, is_table=True)], by)
    if table == KNOWN_ANSWERS and (after > before or had is not None):
        counts = _known_answers(setup)
        first = [kind for kind, n in counts.items() if (n <= after - before if had is None else kind not in had)]
        if changes := _following(setup, following.after_checks(setup.document, first)):
            _log(setup, changes, by)


def _known_answers(setup: Setup) -> dict[str, int]:
    """Count the known answers by kind, of the kinds that checks in sets are made of."""
    rows = setup.rows.filter(table=KNOWN_ANSWERS, cells__purpose__in=following.IN_ROWS).order_by()
    return dict(rows.values_list("cells__purpose").annotate(n=Count("pk")))


def hold(setup: Setup) -> Setup:
    """Lock a set-up in the caller's transaction, and return it as it is now, with the time. Raises NotADraft."""
    refuse_frozen(setup.study)
    held = Setup.objects.select_for_update().annotate(held_at=Now()).get(pk=setup.pk)
    held.study = setup.study
    return held


def _log(setup: Setup, changes: Sequence[SetupChange], by: events.Actor) -> None:
    """Store a set-up that is held, as the next revision, with the changes that led to it."""
    setup.revision += 1
    for change in changes:
        change.setup, change.revision, change.by_id = setup, setup.revision, getattr(by, "pk", None)
    SetupChange.objects.bulk_create(changes)
    setup.changed_at = vars(setup)["held_at"]
    setup.save(update_fields=["given", "revision", "changed_at"])
