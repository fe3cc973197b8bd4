"""Store imported ratings: all of a file, or none."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app.hooks.signals import study_moved
from tasks_app.links.credentials import hash_token, new_token
from tasks_app.models import Assignment, Rater, Study
from tasks_app.models.study import new_seed
from tasks_app.services import events
from tasks_app.services.copying import BATCH, copy_lines, line_of
from tasks_app.services.database import IMPORTS, share_submissions
from tasks_app.services.imports import statements as sql
from tasks_app.services.progress import Tell, tell_nobody
from tasks_app.services.study import lifecycle

# Lines of the file whose rows are stored by one statement, far within its limit.
LINES = 50_000

# Statements of pages are cut short far earlier; whoever imports a large file there waits for it, as for an export.
LONGEST = "SELECT set_config('statement_timeout', '1h', true) WHERE current_setting('statement_timeout') <> '0'"

# Memory for sorting in this transaction; PostgreSQL's default would sort on disk.
SORTING = "64MB"

# Conflicts of one kind that are told; the others are counted.
SHOWN = 200

# Lines of rows that were left out which the log of the study names.
LOGGED = 20


class Place(NamedTuple):
    """The subject of a rating, with names turned into rows of the study; `statements.STAGING` describes all columns."""

    task: int
    unit: int
    part: int | None
    part_b: int | None
    criterion: int | None
    output: int | None
    shared: bool


class Answer(NamedTuple):
    """The answer in a row about its subject."""

    rated: bool
    spans: bool
    alone: bool
    rating: str | None = None
    value: float | None = None
    label: str | None = None
    text: str | None = None
    shown_value: float | None = None
    span_side: str | None = None
    span_start: int | None = None
    span_end: int | None = None
    category: str | None = None
    severity: str | None = None
    mark_origin: str | None = None
    mark_of: int | None = None
    mark_reason: str | None = None
    skip_reason: str | None = None
    comment: str | None = None


class Judged(NamedTuple):
    """The cells of a row that belong to its whole judgment."""

    judgment: str | None
    repeat_of: str | None
    purpose: str
    wave: int
    version: int
    state: str | None
    position: int | None
    seconds: float | None
    started_at: str | None
    submitted_at: str | None
    arrangement: str | None


COLUMNS = ("line", "key", "keyed", "rater", *Place._fields, *Answer._fields, *Judged._fields)


class Staged(NamedTuple):
    """One row of a file: the key of its judgment, and the cells of Place, Answer and Judged as COPY reads them.

    Many rows share them, so that whoever makes rows writes each of them once.
    """

    key: str
    keyed: bool
    rater: int
    place: str
    answer: str
    judged: str


@dataclass(frozen=True, slots=True)
class FileRater:
    """A rater of the file: their pseudonym, the group they are in, and the row they have already, if any."""

    pseudonym: str
    group_id: int | None
    id: int | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rows that contradict each other: the kind, the line, the line it collides with (0: none), and the message.

    `part` says which of the rows of the line it is.
    """

    kind: str
    line: int
    first: int
    about: str
    part: int = 0


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The first conflicts of each kind, and how many more there are by kind."""

    shown: Sequence[Conflict]
    more: Mapping[str, int]


def key_of_name(name: str) -> str:
    """Return the key of a judgment that the file names."""
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


def half_key_of(judged: Judged) -> str:
    """Return the half of a key that rows of one judgment without a name share; rater and unit are the other half."""
    return hashlib.blake2b(repr(judged).encode(), digest_size=8).hexdigest()


class Staging:
    """The rows of a file on their way into a study. Needs a transaction, and lives no longer than it.

    `check` says that they will not be stored, so that nobody has to wait for the end of the transaction; `width` how
    many rows one line of the file may stand for.
    """

    def __init__(self, study: Study, *, check: bool = False, width: int = 1) -> None:
        self._study = study
        # Rows of one line have numbers of their own: the line times this, and which of them it is.
        self._width = width
        self._check = check
        self._waiting: list[str] = []
        self._last_line = 0
        # Second ratings that were left out, by why: the number of these rows, and the first of their lines.
        self.left_out: dict[str, dict[str, Any]] = {}
        self._execute(f"{LONGEST}; SET LOCAL work_mem = '{SORTING}'; {sql.STAGING}")

    def add(self, row: Staged, line: int, part: int = 0) -> None:
        """Take the `part`th row of a line; lines come in ascending order."""
        number = line * self._width + part
        key, keyed, rater, place, answer, judged = row
        self._waiting.append(f"{number}\t{key}\t{keyed}\t{rater}\t{place}\t{answer}\t{judged}\n")
        self._last_line = number
        if len(self._waiting) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        copy_lines("import_row", COLUMNS, self._waiting)
        self._waiting.clear()

    def _execute(self, statement: str, params: Mapping[str, Any] | None = None) -> int:
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            return int(cursor.rowcount)

    def conflicts(self, raters: Sequence[FileRater], repeats: str, *, whole: bool) -> Conflicts:
        """Put the rows together to judgments, and return the conflicts that keep them from being stored.

        `repeats` says what becomes of a second rating of one place by one rater: refuse, first, last or keep. Where
        not the `whole` file could be staged, nobody asks whether something is missing from it.
        """
        self._flush()
        last = _last_positions([rater.id for rater in raters if rater.id is not None])
        rows = [(number, rater.id, last.get(rater.id or 0, 0)) for number, rater in enumerate(raters)]
        copy_lines("import_rater", ("number", "id", "last"), map(line_of, rows))
        self._execute(f"ANALYZE import_row, import_rater; {sql.MERGE}")
        groups = [self._find("identical", sql.IDENTICAL)]
        if repeats == "first":
            self._leave_out("stored", sql.STORED, sql.NOT_STORED)
            self._leave_out("first", sql.LATER, sql.KEEP_FIRST)
        elif repeats == "last":
            self._leave_out("last", sql.EARLIER, sql.KEEP_LAST)
        elif repeats == "refuse":
            groups.append(self._find("twice", sql.TWICE))
        if repeats in {"refuse", "last"}:
            groups.append(self._find("stored", sql.STORED))
        self._execute(sql.KEYS)
        groups += [self._find("two_in_one", sql.TWO_IN_ONE), self._find("unlike", sql.UNLIKE)]
        groups += [self._find("label_twice", sql.LABEL_TWICE), self._find("contradiction", sql.CONTRADICTION)]
        groups.append(self._find("nothing_and_error", sql.NOTHING_AND_ERROR.format(keep=repeats == "keep")))
        groups += [self._find("beyond", sql.BEYOND), self._find("other_words", sql.OTHER_WORDS)]
        if whole and not any(group.shown for group in groups):
            groups += self._link()
        more_by_kind = {kind: n for group in groups for kind, n in group.more.items()}
        return Conflicts([conflict for group in groups for conflict in group.shown], more_by_kind)

    def _leave_out(self, kind: str, select: str, delete: str) -> None:
        """Delete second ratings, and remember how many there were and where the first of them stand."""
        second_ratings = self._find(kind, select)
        if second_ratings.shown:
            rows = len(second_ratings.shown) + second_ratings.more.get(kind, 0)
            self.left_out[kind] = {"rows": rows, "lines": [row.line for row in second_ratings.shown[:LOGGED]]}
            self._execute(delete)

    def _link(self) -> Iterator[Conflicts]:
        """Number the judgments, and find the judgment that each repeat repeats."""
        if not self._check:
            # The numbers are drawn here. A run that looks which ratings there are waits from before that to the end of
            # the transaction: its mark would be above judgments that it cannot see yet.
            share_submissions(self._study.pk)
        self._execute(sql.JUDGMENTS)
        for statement in (sql.NAMED_REPEATS, sql.OWN_REPEATS, sql.ANY_REPEATS, sql.STORED_REPEATS):
            self._execute(statement)
        yield self._find("no_original", sql.NO_ORIGINAL)
        yield self._find("two_repeats", sql.TWO_REPEATS)

    def _find(self, kind: str, select: str) -> Conflicts:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT *, count(*) OVER () FROM ({select}) found ORDER BY line LIMIT {SHOWN}")  # noqa: S608
            rows = cursor.fetchall()
        conflicts = [
            Conflict(kind, number // self._width, first // self._width, about, number % self._width)
            for number, first, about, _total in rows
        ]
        return Conflicts(conflicts, {kind: rows[0][3] - len(rows)} if rows else {})

    def counts(self) -> dict[str, int]:
        """Count the judgments and ratings to be stored."""
        with connection.cursor() as cursor:
            cursor.execute(sql.COUNTS)
            (judgments, ratings) = cursor.fetchone()
        return {"judgments": judgments, "ratings": ratings}

    def store(self, study: Study, raters: Sequence[FileRater], tell: Tell) -> None:
        """Store raters, assignments, judgments and ratings. There must have been no conflicts, nor a mere `check`."""
        self._make_raters(study, raters)
        tell(_("Storing the judgments"))
        self._in_pieces(sql.ADD_ASSIGNMENTS)
        # Keys are looked up as rows come, so that no list of millions of them waits for the end.
        self._execute("SET CONSTRAINTS ALL IMMEDIATE")
        self._in_pieces(sql.ADD_JUDGMENTS)
        for n in self._pieces(sql.ADD_RATINGS):
            tell(_("%(n)s ratings stored") % {"n": f"{n:,}"})
        self._execute("SET CONSTRAINTS ALL DEFERRED")

    def _make_raters(self, study: Study, raters: Sequence[FileRater]) -> None:
        rows = [
            Rater(
                study=study,
                pseudonym=rater.pseudonym,
                kind=Rater.Kind.IMPORTED,
                group_id=rater.group_id,
                seed=new_seed(),
                # Nobody has the token: these raters have no pages.
                token_hash=hash_token(new_token()),
                version=study.current_version,
                state=Rater.State.ENDED,
                outcome=Rater.Outcome.COMPLETED,
                ended_at=Now(),
            )
            for rater in raters
            if rater.id is None
        ]
        new_raters = iter(Rater.objects.bulk_create(rows, BATCH))
        numbers = [(number, next(new_raters).pk) for number, rater in enumerate(raters) if rater.id is None]
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE import_rater r SET id = n.id FROM unnest(%s::int[], %s::bigint[]) n (number, id)"
                " WHERE n.number = r.number",
                [[number for number, _pk in numbers], [pk for _number, pk in numbers]],
            )

    def _in_pieces(self, statement: str) -> None:
        for _n in self._pieces(statement):
            pass

    def _pieces(self, statement: str) -> Iterator[int]:
        """Execute a statement for some lines after the other; yield after each how many rows it has stored so far."""
        stored = 0
        for low in range(0, self._last_line + 1, LINES):
            stored += self._execute(statement, {"low": low, "high": low + LINES - 1, "width": self._width})
            yield stored

    def drop(self) -> None:
        """Forget the rows before the transaction ends, so that it can take another file."""
        self._execute(f"DROP TABLE {', '.join(sql.TABLES)}")


def _last_positions(raters: Sequence[int]) -> dict[int, int]:
    """Return the last place in their way of raters who were there before."""
    rows = Assignment.objects.filter(rater_id__in=raters).values("rater_id").annotate(last=Max("order"))
    return {row["rater_id"]: row["last"] for row in rows}


def hold(study_id: int) -> Study:
    """Return a study as it is now. The design of a draft cannot change before the transaction ends.

    Raises
    ------
    tasks_app.services.study.lifecycle.NotPossible
        Where somebody else imports into the study at this moment, or a draft has nothing to judge.
    """
    study = Study.objects.get(pk=study_id)
    if not study.is_frozen:
        # A frozen design does not change, and raters of an open study must not wait.
        study = Study.objects.select_for_update().get(pk=study_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [IMPORTS, study_id])
        if not cursor.fetchone()[0]:
            raise lifecycle.NotPossible(_("Somebody is importing into this study right now. Try again in a minute."))
    if not study.is_frozen:
        lifecycle.refuse_empty(study)
    return study


def store(
    *, study: Study, staging: Staging, raters: Sequence[FileRater], by: events.Actor, source: Mapping[str, Any],
    tell: Tell = tell_nobody,
) -> None:  # fmt: skip
    """Store the staged rows without conflicts, in the caller's transaction; `source` describes them in the log.

    A draft is frozen as version 1 and closed: it was never open to raters. Other studies stay as they are.
    """
    was_draft = not study.is_frozen
    if was_draft:
        lifecycle.close_with_ratings(study, by)
    counts = {**staging.counts(), "raters": sum(rater.id is None for rater in raters)}
    left_out = {"left_out": staging.left_out} if staging.left_out else {}
    staging.store(study, raters, tell)
    staging.drop()
    events.log(study, by, "imported", about=str(source["file"]), after={**source, **counts, **left_out})
    if was_draft:
        study_moved.send(sender=Study, study=study, action="close")
