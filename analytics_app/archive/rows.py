"""The rows that a run depends on, as one JSON Lines file for each table, with pseudonyms only."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils.crypto import salted_hmac

from analytics_app.models import Exclusion, MeasuredOutcome, MetricScore, Plan, Run
from analytics_app.ratings.extras.words import SIGNS
from tasks_app.models import (
    Assignment,
    Booklet,
    Code,
    Codebook,
    CodedAnswer,
    Coder,
    CollectedText,
    Consent,
    ConsentText,
    ControlResult,
    Correction,
    Criterion,
    Document,
    Erasure,
    Extension,
    Gold,
    Group,
    Item,
    Judgment,
    MarkAuthor,
    Output,
    Part,
    PartOutput,
    Payment,
    PersonalText,
    Place,
    Prefill,
    Rater,
    RaterSet,
    Rating,
    Study,
    System,
    Task,
    TaskCriterion,
    TaskGroup,
    Unit,
    Version,
    Withdrawal,
    WithdrawnUnit,
)
from tasks_app.models.judgments import TAKEN_FROM
from tasks_app.selectors.coding import complete_codebooks
from tasks_app.studyfile.problems import closest

Row: TypeAlias = Mapping[str, Any]
# A function that returns the archived value of a column instead of the stored value.
Instead: TypeAlias = Callable[[Row], Any]
# A function that returns the condition for rows of a study to be archived.
Only: TypeAlias = Callable[[Study], Q]


def _nothing(value: Any) -> Instead:
    return lambda _row: value


def _all_rows(_study: Study) -> Q:
    return Q()


def _of_complete_codings(study: Study) -> Q:
    """Return the condition that leaves out the codes of unfinished coders, which other coders must not see yet."""
    return Q(codebook__in=complete_codebooks(study))


# Columns of ratings that were added after the first archives: in rows, and in the file of ratings.
LATER_OF_RATINGS = ("mark_origin", "mark_of", "mark_reason")
LATER_IN_FILE = (*LATER_OF_RATINGS, "given_by", "taken_from", "wording")


def _without_words(row: Row) -> Any:
    """Return the first content of a text, such as marks; words in it do not leave the server."""
    payload = row["payload"]
    entries = payload if isinstance(payload, list) else [payload]
    return {} if any(not isinstance(entry, dict) or "text" in entry for entry in entries) else payload


def _provenance(row: Row) -> Any:
    """Return of an answer only the judgment of an earlier study that it was taken over from, if it was."""
    imported = row["answer"].get("imported") if isinstance(row["answer"], dict) else None
    name = str((imported or {}).get("judgment", ""))
    return {"imported": {"judgment": name}} if name.startswith(TAKEN_FROM) else {}


@dataclass(frozen=True, slots=True)
class ArchivedTable:
    """A table: the condition for its rows, and its columns that do not leave the server or that hold texts.

    `withheld` columns name people, lead to them, or are read by no analysis. `texts` hold judged or written words,
    `digests` the hashes of such words, from which short texts could be guessed. `later` columns were added after the
    first archives, and have these values where an archive was written before they existed.
    """

    model: type[models.Model]
    of_study: str
    withheld: Mapping[str, Instead] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    later: Mapping[str, Any] = field(default_factory=dict)
    only: Only = _all_rows

    @property
    def name(self) -> str:
        """Return the table's name in the archive."""
        return self.model.__name__.lower()

    @property
    def columns(self) -> list[str]:
        """Return the names of the table's columns."""
        return [column.attname for column in self.model._meta.concrete_fields]

    def rows(self, study: Study) -> Iterator[dict[str, Any]]:
        """Yield the rows of a study in the order of their ids, with their archived values."""
        rows = self.model._default_manager.filter(self.only(study), **{self.of_study: study.pk}).order_by("pk")
        for row in rows.values(*self.columns).iterator(chunk_size=2_000):
            yield row | {name: instead(row) for name, instead in self.withheld.items()}


def without_codes(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings, or a study file, without the codes that prove to a platform that somebody is to be paid."""
    return {name: _without_codes(name, value) for name, value in document.items()}


def _without_codes(name: str, value: Any) -> Any:
    if name in CODES:
        return type(value)()
    return without_codes(value) if name == "flow" else value


# The part of a study file that holds completion codes, and the setting for those of waves.
CODES = frozenset({"codes", "wave_codes"})


OF_PLANS = ArchivedTable(Plan, "study")
NOBODY = {"by_id": _nothing(None)}

TABLES: tuple[ArchivedTable, ...] = (
    ArchivedTable(
        Study,
        "pk",
        {
            "project_id": _nothing(None),
            "follows_id": _nothing(None),
            "link_code": lambda row: f"archived{row['id']}",
            "settings": lambda row: without_codes(row["settings"]),
        },
    ),
    ArchivedTable(Version, "study", {**NOBODY, "document": _nothing({})}),
    ArchivedTable(Group, "study"),
    ArchivedTable(ConsentText, "study", {"body": _nothing("")}),
    ArchivedTable(Task, "study"),
    ArchivedTable(TaskGroup, "task__study"),
    ArchivedTable(Criterion, "study"),
    ArchivedTable(TaskCriterion, "task__study"),
    ArchivedTable(Correction, "study", NOBODY),
    ArchivedTable(System, "study"),
    ArchivedTable(Document, "study"),
    ArchivedTable(Item, "study", texts=("source", "reference")),
    # Files of media are not archived; the kind of an output still says that it was one.
    ArchivedTable(
        Output,
        "item__study",
        {"media_id": _nothing(None), "captions_id": _nothing(None)},
        texts=("text",),
        digests=("digest",),
    ),
    ArchivedTable(Unit, "task__study"),
    ArchivedTable(Part, "unit__task__study", digests=("text_digest",)),
    ArchivedTable(PartOutput, "part__unit__task__study"),
    ArchivedTable(Gold, "unit__task__study", texts=("explanation",)),
    ArchivedTable(Prefill, "part__unit__task__study", {"payload": _without_words}, later={"given_by": ""}),
    ArchivedTable(Withdrawal, "study", {**NOBODY, "taken_back_by_id": _nothing(None)}),
    ArchivedTable(WithdrawnUnit, "withdrawal__study"),
    ArchivedTable(
        Rater,
        "study",
        {
            "token_hash": lambda row: f"archived{row['id']}",
            "first_link": _nothing(None),
            "completion_code": _nothing(""),
            "prefs": _nothing({}),
            "taken_from_id": _nothing(None),
        },
        later={"taken_from_id": None},
    ),
    ArchivedTable(Booklet, "task__study"),
    ArchivedTable(Place, "unit__task__study"),
    ArchivedTable(Extension, "study", NOBODY),
    ArchivedTable(RaterSet, "rater__study"),
    ArchivedTable(Consent, "rater__study"),
    ArchivedTable(Assignment, "rater__study"),
    ArchivedTable(
        Judgment,
        "assignment__rater__study",
        {"answer": _provenance, "comment": _nothing(""), "log": _nothing([])},
    ),
    ArchivedTable(ControlResult, "judgment__assignment__rater__study", {"detail": _nothing({})}),
    ArchivedTable(Rating, "rater__study", texts=("text", "mark_reason"), later=dict.fromkeys(LATER_OF_RATINGS)),
    ArchivedTable(Codebook, "study"),
    ArchivedTable(Code, "codebook__study"),
    ArchivedTable(Coder, "codebook__study", {"user_id": _nothing(None)}),
    ArchivedTable(CodedAnswer, "codebook__study", only=_of_complete_codings),
    # Authors of verified texts are pseudonyms, since the authors' study is not in this archive.
    ArchivedTable(
        CollectedText,
        "study",
        {
            "origin_id": _nothing(None),
            "author_id": _nothing(None),
            "bonus_id": _nothing(None),
            "persons": _nothing([]),
        },
        digests=("digest",),
    ),
    ArchivedTable(
        MarkAuthor, "study", {"origin_id": _nothing(None), "author_id": _nothing(None), "persons": _nothing([])}
    ),
    ArchivedTable(Erasure, "study"),
    ArchivedTable(Payment, "rater__study", {**NOBODY, "reason": _nothing("")}),
    OF_PLANS,
    ArchivedTable(MetricScore, "study"),
    ArchivedTable(MeasuredOutcome, "study"),
    # Texts for people who have not begun are left out: only an invitation identifies these people.
    ArchivedTable(PersonalText, "study", texts=("text",), only=lambda _study: Q(rater__isnull=False)),
    ArchivedTable(Exclusion, "study", {**NOBODY, "lifted_by_id": _nothing(None)}, only=lambda _study: Q(run=None)),
)
# The table of runs, which has only the archived run and not all runs of a study.
OF_RUN = ArchivedTable(Run, "study", NOBODY)


def path_of(table: ArchivedTable) -> str:
    """Return the path of a table's file."""
    return f"rows/{table.name}.jsonl"


def masked(text: str) -> str:
    """Return a text of the same length and number of words, with all but spaces and punctuation replaced."""
    return "".join(letter if unicodedata.category(letter)[0] in "ZCP" else _mask(letter) for letter in text)


def keyed(digest: str) -> str:
    """Return a keyed hash of a hash: stable, but impossible to compute without the secret key of this site."""
    return salted_hmac("analytics_app.archive", digest, algorithm="sha256").hexdigest()


def _mask(letter: str) -> str:
    """Return the replacement of a sign; signs that count as words are replaced by such a sign."""
    return "字" if _COUNTED.match(letter) else "x"


_COUNTED = re.compile(f"[{SIGNS}]")


def line(table: ArchivedTable, row: Row, *, texts: bool) -> str:
    """Return a row as a line of JSON; without `texts`, words are masked and their hashes are replaced."""
    if not texts:
        words = {name: masked(row[name]) for name in table.texts if row[name]}
        row = {**row, **words, **{name: keyed(row[name]) for name in table.digests if row[name]}}
    return json.dumps(row, default=_plain, ensure_ascii=False, separators=(",", ":"))


def _plain(value: object) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be archived.")


def instance(table: ArchivedTable, row: Row) -> models.Model:
    """Return the object of a row that was read from an archive.

    Raises
    ------
    LookupError
        If a column is missing.
    django.core.exceptions.ValidationError
        If a value does not fit its column.
    """
    cells = {**table.later, **row}
    try:
        values = {
            column.attname: column.to_python(cells[column.attname]) for column in table.model._meta.concrete_fields
        }
    except KeyError as error:
        raise LookupError(_without_column(table, row, error.args[0])) from None
    return table.model(**values)


def _without_column(table: ArchivedTable, row: Row, name: str) -> str:
    """Return the sentence about a row without a column, which may have it under a misspelt name."""
    misspelt = closest(name, sorted(row.keys() - set(table.columns)))
    if misspelt is None:
        return f"the column “{name}” is missing."
    return f"“{misspelt}” is no column of this table. Did you mean “{name}”?"
