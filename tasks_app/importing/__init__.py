"""Import ratings: read a file in long form, check every row, store all of it or nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Json
from tasks_app.importing.checking import RowCheck
from tasks_app.importing.columns import RATINGS
from tasks_app.importing.conflicts import in_words, left_out_in_words
from tasks_app.importing.guessing import guess, peek
from tasks_app.importing.mapping import NO_MAPPING, ColumnMapping, from_document, from_file, from_yaml
from tasks_app.importing.ratings import Report
from tasks_app.importing.rows import RatingsTable
from tasks_app.importing.shaping.prepared import prepared
from tasks_app.importing.source import RatingsFile, Scanned, lines_of, scan_whole
from tasks_app.models import Study
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.progress import Tell, tell_nobody
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.studyfile.problems import LISTED, Problem, Problems, StudyFileError

__all__ = [
    "NO_MAPPING",
    "RATINGS",
    "ColumnMapping",
    "Imported",
    "NoKnownColumn",
    "RatingsFile",
    "RatingsTable",
    "from_document",
    "from_file",
    "from_yaml",
    "import_ratings",
]


# Rows after which whoever waits is told how many were read.
TOLD = 10_000


@dataclass(frozen=True, slots=True)
class Imported:
    """The ratings that were read, and stored unless they were only checked.

    `counts` has rows, skipped (by the mapping), raters, judgments and ratings; `notes` is what a researcher should
    know.
    """

    counts: Mapping[str, int]
    notes: tuple[str, ...] = field(default=())
    names: None = None

    @property
    def summary(self) -> str:
        """Say how many ratings, judgments and raters there are."""
        words = {
            "ratings": ngettext("%(n)s rating", "%(n)s ratings", self.counts["ratings"]),
            "judgments": ngettext("%(n)s judgment", "%(n)s judgments", self.counts["judgments"]),
            "raters": ngettext("%(n)s rater", "%(n)s raters", self.counts["raters"]),
        }
        return ", ".join(word % {"n": f"{self.counts[noun]:,}"} for noun, word in words.items())


def import_ratings(
    *, study: Study, file: RatingsFile, mapping: ColumnMapping = NO_MAPPING, by: Actor, check: bool = False,
    beside: int = 0, tell: Tell = tell_nobody,
) -> Imported:  # fmt: skip
    """Store the ratings of a file in a study; with `check`, only find out whether they could be.

    `beside` is the number of rows that are no ratings of texts, such as attributes of raters. `tell` is called with a
    sentence whenever the import is further.

    Raises
    ------
    StudyFileError
        With every problem; nothing is stored then.
    """
    with prepared(file, mapping.document) as table:
        scanned = scan_whole(table)
        if mapping is NO_MAPPING:
            _refuse_foreign(table)
        try:
            return _import(study.pk, table, scanned, mapping, by, check, beside, tell)
        except NotPossible as error:
            raise StudyFileError([Problem(file.name, 0, 0, str(error))]) from error


class NoKnownColumn(StudyFileError):
    """A file has none of our columns; `document` is a mapping to start from."""

    def __init__(self, name: str, document: Json) -> None:
        self.document = document
        sentence = _("No column has evalweb's name. Write a mapping; here is one to start from:")
        super().__init__([Problem(name, 1, 1, sentence)])


def _refuse_foreign(file: RatingsFile) -> None:
    """Raise NoKnownColumn for a file without a mapping that has none of our columns."""
    names = peek(file).columns
    if names and not any(RATINGS.column(name) is not None for name in names):
        raise NoKnownColumn(file.name, {"columns": guess(names)})


@atomically
def _import(
    study_id: int, file: RatingsFile, scanned: Scanned, mapping: ColumnMapping, by: Actor, check: bool, beside: int,
    tell: Tell,
) -> Imported:  # fmt: skip
    problems = Problems()
    study = storing.hold(study_id)
    is_draft = not study.is_frozen
    rows = RowCheck(study, Report(problems, file.name), mapping.offsets)
    with lines_of(file, scanned.encoding) as lines:
        table = RatingsTable(mapping, file, lines, problems)
        staging = storing.Staging(study, check=check, width=table.width)
        n_rows = _stage(table, rows, staging, tell)
    if not n_rows and not problems.count:
        problems.add(file.name, 0, 0, _nothing(table))
    tell(_("Comparing the rows with each other"))
    raters = rows.raters.rows()
    conflicts = staging.conflicts(raters, mapping.repeats, whole=not problems.count)
    words: dict[str, str] = {}
    for conflict in conflicts.shown:
        column, sentence = in_words(conflict)
        words[conflict.kind] = f"{column}: {sentence}"
        problems.add(file.name, conflict.line, table.number(column, conflict.part), words[conflict.kind])
    for kind, n in conflicts.more.items():
        problems.add_more(file.name, n, words[kind])
    problems.raise_if_any()
    counts = {"rows": n_rows, "skipped": table.skipped, "raters": len(raters), **staging.counts()}
    left_out = left_out_in_words(staging.left_out, n_rows - beside)
    notes = (*left_out, *_of_kinds(rows.unknown_kinds), *_notes(table, is_draft=is_draft, check=check))
    if check:
        transaction.set_rollback(True)
    else:
        about = {"file": file.name, "sha256": scanned.sha256, "mapping": mapping.label, "rows": n_rows - beside}
        storing.store(study=study, staging=staging, raters=raters, by=by, source=about, tell=tell)
    return Imported(counts, notes)


def _stage(table: RatingsTable, rows: RowCheck, staging: storing.Staging, tell: Tell) -> int:
    """Send every row that can be used to the database; return how many rows counted."""
    n = 0
    for row in table.rows():
        n += 1
        if n % TOLD == 0:
            tell(_("%(n)s rows read and checked") % {"n": f"{n:,}"})
        staged = rows.take(row)
        if staged is not None:
            staging.add(staged, row.line, row.part)
    return n


def _nothing(table: RatingsTable) -> str:
    if table.skipped:
        sentence = ngettext(
            "The mapping (where) leaves out the only row.",
            "The mapping (where) leaves out all %(n)d rows.",
            table.skipped,
        )
        return sentence % {"n": table.skipped}
    return _("There are no ratings below the header.")


def _of_kinds(unknown: Mapping[str, int]) -> Iterator[str]:
    """Yield a note about kinds of error that the task does not have."""
    if not unknown:
        return
    names = [
        f"“{name}” ({n:,})"
        for name, n in sorted(unknown.items(), key=lambda name_and_count: -name_and_count[1])[:LISTED]
    ]
    if len(unknown) > LISTED:
        names.append("…")
    sentence = _("The task does not have these kinds of error, which are stored as they are: %(names)s.")
    yield sentence % {"names": ", ".join(names)}


def _notes(table: RatingsTable, *, is_draft: bool, check: bool) -> Iterator[str]:
    yield from table.notes
    if table.skipped:
        sentence = ngettext(
            "%(n)d row was left out by the mapping (where).",
            "%(n)d rows were left out by the mapping (where).",
            table.skipped,
        )
        yield sentence % {"n": table.skipped}
    if table.empty:
        sentence = ngettext(
            "%(n)d empty rating of a wide row was left out.",
            "%(n)d empty ratings of wide rows were left out.",
            table.empty,
        )
        yield sentence % {"n": table.empty}
    if table.has_unknown_raters:
        yield _(
            "The file does not say who rated, so each row counts as the rating of another, unknown person. Means and "
            "their intervals are right if that is so; agreement cannot be judged, since one person may have given "
            "several of these ratings."
        )
    if table.metric:
        sentence = _(
            "These are marks of the metric %(name)s: they are compared with those of people, and never counted among "
            "them. A text that the file does not name counts as not judged by the metric. Where the metric found no "
            "error, the file needs a row with “none” in the column label."
        )
        yield sentence % {"name": table.metric}
    if table.left_out:
        sentence = _("Not used: %(names)s. They belong to the study's items, or are worked out anew.")
        yield sentence % {"names": ", ".join(table.left_out)}
    if is_draft and check:
        yield _("Storing makes these ratings version 1 of the study and closes it. It can be opened to raters later.")
    elif is_draft:
        yield _("These ratings are version 1 of the study, which is closed. It can be opened to raters later.")
