"""Upload texts that were written for one rater each: checked row by row, and stored whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.services.outcomes import raters_by_name
from tasks_app.importing.guessing import peek
from tasks_app.importing.source import RatingsFile, Scanned, lines_of, scan_file
from tasks_app.models import Invitation, Judgment, PersonalText, Rater, Study, Task
from tasks_app.selectors.personal_texts import tasks_with_texts
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.files.naming import Naming
from tasks_app.studyfile.files.quoting import Quoting
from tasks_app.studyfile.files.tables import Row, Table
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError, nearest

# Rows of one statement that inserts.
_BATCH = 500

# As the column of the table.
_LONGEST_CONDITION = 100


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What was read: the number of texts, of raters, and of conditions."""

    counts: Mapping[str, int]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Columns:
    """What a file calls its columns. `task` and `condition` may be missing."""

    rater: str = "rater"
    task: str = "task"
    text: str = "text"
    condition: str = "condition"
    quoting: str = ""


class _Person(NamedTuple):
    """Who reads a text: a rater, or somebody who was invited and has not begun."""

    rater: int | None
    invitation: int | None


class _Text(NamedTuple):
    text: str
    condition: str


def upload_personal_texts(
    *, study: Study, file: RatingsFile, by: Actor, columns: Columns | None = None, check: bool = False
) -> Uploaded:
    """Store the texts of a file with a study; with `check`, only report whether they could be stored.

    A row is a text for a rater in a task. A text that its rater has not been shown yet is replaced.

    Raises
    ------
    StudyFileError
        With every problem by file, line and column; nothing is stored then.
    """
    if not study.is_frozen:
        sentence = _("The study is a draft, so nobody can be invited or take part yet. Open it first.")
        raise StudyFileError([Problem(file.name, 0, 0, sentence)])
    if not tasks_with_texts(study):
        raise StudyFileError([Problem(file.name, 0, 0, no_task())])
    problems = Problems()
    scanned = scan_file(file, problems)
    problems.raise_if_any()
    if scanned is None:
        raise StudyFileError([Problem(file.name, 0, 0, _("This file is not a text file."))])
    try:
        return _upload(study.pk, file, scanned, by, columns or Columns(), check=check)
    except NotPossible as error:
        raise StudyFileError([Problem(file.name, 0, 0, str(error))]) from error


def no_task() -> str:
    """Word that a study shows no such texts."""
    return _("No questionnaire of this study shows personal texts (parameter “personal_text”).")


@atomically
def _upload(
    study_id: int, file: RatingsFile, scanned: Scanned, by: Actor, columns: Columns, *, check: bool
) -> Uploaded:
    """Check and store in one transaction, so that what was checked still holds.

    Under the lock of claims nobody who was invited begins, and nobody is erased.
    """
    lock_claims(study_id)
    study = storing.hold(study_id)
    problems = Problems()
    naming = _naming(peek(file, columns.quoting).columns, columns)
    with ExitStack() as stack:
        table = Table(
            naming, file.name, lambda: stack.enter_context(lines_of(file, scanned.encoding)), problems,
            format=file.format, quoting=Quoting(columns.quoting, _("Choose it on the page.")),
        )  # fmt: skip
        reader = _Reader(study, table, problems)
        texts = reader.texts()
    if not texts and not problems.count:
        problems.add(file.name, 0, 0, _("There are no texts below the header."))
    problems.raise_if_any()
    unchanged = reader.unchanged(texts)
    if not check:
        _store(study, texts, reader, by, file.name)
    readers = len({who for who, _task in texts})
    conditions = len({text.condition for text in texts.values() if text.condition})
    counts = {"texts": len(texts), "raters": readers, "conditions": conditions}
    return Uploaded(counts, (*table.notes, *_notes(unchanged)))


def _notes(unchanged: int) -> Iterator[str]:
    if unchanged:
        sentence = ngettext(
            "%(n)d text is stored already and stays as it is.", "%(n)d texts are stored already and stay as they are.",
            unchanged,
        )  # fmt: skip
        yield sentence % {"n": unchanged}


@atomically
def delete_personal_texts(*, study: Study, task: str, by: Actor) -> int:
    """Delete the texts of a task that nobody has been shown; return how many there were."""
    storing.hold(study.pk)
    texts = PersonalText.objects.filter(study=study, task__key=task, shown_at=None)
    deleted, _each = texts.delete()
    if deleted:
        events.log(study, by, "deleted personal texts", about=task, after={"texts": deleted})
    return deleted


def _naming(names: Collection[str], columns: Columns) -> Naming:
    declared = {
        "rater": Column("rater", Kind.WORD, gettext_lazy("Pseudonym or other name of the rater."), needed=True),
        "task": Column("task", Kind.WORD, gettext_lazy("Key of the questionnaire that shows the text.")),
        "text": Column("text", Kind.TEXT, gettext_lazy("The text."), needed=True),
        "condition": Column("condition", Kind.WORD, gettext_lazy("What wrote the text; raters never see it.")),
    }
    theirs = {"rater": columns.rater, "task": columns.task, "text": columns.text, "condition": columns.condition}
    declaration = TableDeclaration("personal_texts", ("csv", "tsv", "jsonl"), tuple(declared.values()))
    present = {name: theirs[name] for name, column in declared.items() if column.needed or theirs[name] in names}
    return Naming(declaration, present)


class _Reader:
    """Reads rows against the raters, invitations and tasks of a study; problems are reported."""

    def __init__(self, study: Study, table: Table, problems: Problems) -> None:
        self._table, self._problems = table, problems
        self.tasks: Mapping[str, Task] = {task.key: task for task in tasks_with_texts(study)}
        self._groups = {
            key: {task_group.group_id for task_group in task.task_groups.all()} for key, task in self.tasks.items()
        }
        self._readers = {name: {_Person(pk, None) for pk in raters} for name, raters in raters_by_name(study).items()}
        self._kinds: dict[int, tuple[int | None, str]] = {}
        pseudonyms: list[str] = []
        rows = Rater.objects.filter(study=study, erased_at=None).values_list("pk", "group_id", "kind", "pseudonym")
        for pk, group, kind, pseudonym in rows:
            self._kinds[pk] = group, kind
            pseudonyms.append(pseudonym)
        self._names = pseudonyms
        self._invited: dict[int, int | None] = {}
        invitations = Invitation.objects.filter(study=study, rater=None, revoked_at=None)
        for pk, name, user, group in invitations.values_list("pk", "name", "user__username", "group_id"):
            self._invited[pk] = group
            for each in {name, user} - {None, ""}:
                self._readers.setdefault(str(each), set()).add(_Person(None, pk))
        judged = Judgment.objects.filter(assignment__rater__study=study, assignment__unit__task__key__in=self.tasks)
        self._answered = set(judged.values_list("assignment__rater", "assignment__unit__task__key"))
        # Locked, so that no text is shown to its rater between this and the end.
        stored = PersonalText.objects.select_for_update(of=("self",)).filter(study=study).select_related("task")
        self.stored = {(_Person(row.rater_id, row.invitation_id), row.task.key): row for row in stored.order_by("pk")}

    def texts(self) -> dict[tuple[_Person, str], _Text]:
        """Return every text of the file, by who reads it and the key of the task."""
        texts: dict[tuple[_Person, str], _Text] = {}
        lines: dict[tuple[_Person, str], int] = {}
        for row in self._table.rows():
            who, task, text = self._who(row), self._task(row), self._text(row)
            if who is None or task is None or text is None or not self._may_have(row, who, task, text):
                continue
            if (line := lines.setdefault((who, task), row.line)) != row.line:
                sentence = _("Line %(line)d already has a text for this rater in this task. Keep one of them.")
                self._report(row, "rater", sentence % {"line": line})
            else:
                texts[who, task] = text
        return texts

    def unchanged(self, texts: Mapping[tuple[_Person, str], _Text]) -> int:
        """Count the texts that are stored already."""
        return sum(self._is_stored(key, text) for key, text in texts.items())

    def _is_stored(self, key: tuple[_Person, str], text: _Text) -> bool:
        row = self.stored.get(key)
        return row is not None and _Text(row.text, row.condition) == text

    def _who(self, row: Row) -> _Person | None:
        given = str(row.cells.get("rater", ""))
        if not given:
            self._report(row, "rater", _("Every row needs a rater."))
            return None
        readers = self._readers.get(given, set())
        if len(readers) == 1:
            return next(iter(readers))
        if readers:
            sentence, guess = _("“%(name)s” names several raters. Use their pseudonyms."), ""
        else:
            sentence = _("The study has no rater “%(name)s”, and nobody is invited under this name.")
            guess = nearest(given, self._names)
        self._report(row, "rater", f"{sentence % {'name': given}} {guess}".rstrip())
        return None

    def _task(self, row: Row) -> str | None:
        given = str(row.cells.get("task", ""))
        if not given and len(self.tasks) == 1:
            return next(iter(self.tasks))
        if given in self.tasks:
            return given
        about = {"name": given, "names": _listed(self.tasks)}
        if not given:
            sentence = _("Several tasks show personal texts, so every row needs one of them: %(names)s.")
            self._report(row, "task" if self._table.naming.theirs("task") else "rater", sentence % about)
        else:
            sentence = _("“%(name)s” is no task that shows personal texts. These are: %(names)s.")
            self._report(row, "task", sentence % about)
        return None

    def _text(self, row: Row) -> _Text | None:
        text, condition = str(row.cells.get("text", "")), str(row.cells.get("condition", ""))
        if not text.strip():
            self._report(row, "text", _("Every row needs a text."))
            return None
        if len(condition) > _LONGEST_CONDITION:
            sentence = _("The name of a condition has at most %(n)d characters.") % {"n": _LONGEST_CONDITION}
            self._report(row, "condition", sentence)
            return None
        return _Text(text, condition)

    def _may_have(self, row: Row, who: _Person, task: str, text: _Text) -> bool:
        """Return whether a text can be stored; report why not."""
        group, kind = (self._invited[who.invitation], "") if who.invitation is not None else self._kinds[who.rater or 0]
        stored = self.stored.get((who, task))
        if group is not None and self._groups[task] and group not in self._groups[task]:
            sentence = _("The task “%(task)s” is not for the group of this rater.") % {"task": task}
        elif self._is_stored((who, task), text) or kind == Rater.Kind.IMPORTED:
            return True
        elif stored is not None and stored.shown_at is not None:
            sentence = _("This rater has read another text in this task already, so it cannot be replaced.")
        elif (who.rater, task) in self._answered:
            sentence = _("This rater has answered this task already, without a text.")
        else:
            return True
        self._report(row, "rater", sentence)
        return False

    def _report(self, row: Row, column: str, sentence: str) -> None:
        place = row.place(column)
        name = self._table.naming.theirs(column) or column
        self._problems.add(row.file, place.line, place.column, f"{name}: {sentence}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def _store(study: Study, texts: Mapping[tuple[_Person, str], _Text], reader: _Reader, by: Actor, name: str) -> None:
    new, changed = [], []
    for (who, task), text in texts.items():
        row = reader.stored.get((who, task))
        if row is None:
            row = PersonalText(study=study, task=reader.tasks[task], rater_id=who.rater, invitation_id=who.invitation)
            new.append(row)
        elif _Text(row.text, row.condition) != text:
            changed.append(row)
        row.text, row.condition = text
    PersonalText.objects.bulk_create(new, batch_size=_BATCH)
    # In place and not deleted and stored anew: a screen that waits for the row shows the new text.
    PersonalText.objects.bulk_update(changed, ["text", "condition"], batch_size=_BATCH)
    after = {"file": name, "texts": len(new), "replaced": len(changed)}
    events.log(study, by, "uploaded personal texts", about=name[:100], after=after)
