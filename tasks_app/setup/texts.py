"""The texts of a study that is set up: upload or add rows, edit and remove them, name systems, draw a sample."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path
from tasks_app.importing import uploads
from tasks_app.models import Setup, SetupRow, System
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.settings.checks import CHECK_ITEM
from tasks_app.setup import changes, media, table_rows
from tasks_app.setup.tables import sampling
from tasks_app.setup.tables.checking import (
    CheckedTexts,
    RowReading,
    TextRows,
    UploadedMedia,
    cells_of,
    check_file,
    row_of,
)
from tasks_app.setup.tables.layout import Layout
from tasks_app.setup.tables.marking import MarkedProblems
from tasks_app.setup.tables.source import TextsFile, open_file
from tasks_app.studyfile.columns import ITEMS
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.own_sections.item_rows import is_of_item

TABLE = ITEMS.stem

# Log entries about changes to the texts; the datasheet reads from them how a sample was drawn.
STORED, SAMPLED, CHANGED, BROUGHT_BACK = "stored", "sampled", "changed", "brought back"
ABOUT = "texts"

# The strata that a sample may be drawn by, besides features.
AT_RANDOM, BY_DOCUMENT, BY_SOURCE, BY_OUTPUT = "", "document", "source_length", "output_length"

SEEDS = 2**31


class CannotSample(Exception):
    """A sample that cannot be drawn; the message says why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample to draw: n items, by strata, with the same number or share from each, and a seed."""

    n: int
    by: str = AT_RANDOM
    equal: bool = False
    seed: int | None = None


def rows_of(setup: Setup) -> QuerySet[SetupRow]:
    """Return the rows of texts in their order."""
    return table_rows.rows_of(setup, TABLE)


def cells_of_rows(setup: Setup) -> Iterator[dict[str, str]]:
    """Return the cells of all rows, without holding them."""
    return table_rows.cells_of_rows(setup, TABLE)


@atomically
def store(
    *,
    setup: Setup,
    rows: Sequence[Mapping[str, str]],
    systems: Mapping[str, str],
    by: events.Actor,
    add: bool = False,
    kind: str = "",
    source: Mapping[str, Json] | None = None,
) -> Setup:
    """Put checked rows in place of the texts, or behind them; all of them, or none.

    `systems` gives the names of systems by their keys, "" where the key is name enough; those that are new are of
    `kind`, machines by default. `source` says for the log where the rows come from. Raises NotADraft.
    """
    setup = changes.hold(setup)
    if not add:
        rows, systems = _with_checks(setup, rows, systems)
    before, after = table_rows.store(setup, TABLE, rows, by, add=add)
    _keep_systems(setup, systems, by, add=add, kind=kind)
    events.log(setup.study, by, STORED, about=ABOUT, before={"rows": before}, after={"rows": after, **(source or {})})
    return setup


def _with_checks(
    setup: Setup, rows: Sequence[Mapping[str, str]], systems: Mapping[str, str]
) -> tuple[Sequence[Mapping[str, str]], Mapping[str, str]]:
    """Return rows and systems with those of attention checks that were added in one click, which stay."""
    known = {key for key in table_rows.items_of_checks(setup) if key.startswith(f"{CHECK_ITEM}-")}
    known -= {row.get("item", "") for row in rows}
    kept = list(rows_of(setup).filter(cells__item__in=known).values_list("cells", flat=True)) if known else []
    return [*rows, *kept], {**dict.fromkeys((cells["system"] for cells in kept), ""), **systems}


def _keep_systems(setup: Setup, systems: Mapping[str, str], by: events.Actor, *, add: bool, kind: str = "") -> None:
    """Name the systems of the texts in the document; how its tables were to be read no longer holds."""
    given = setup.document.entries("systems")
    known = {entry["key"]: entry for entry in given if "key" in entry}
    entries = [known.get(key, _new_system(key, name, kind)) for key, name in systems.items()]
    if add:
        entries = [*given, *(entry for entry in entries if entry["key"] not in known)]
    values: dict[Path, Json] = {("systems",): entries or None}
    values |= table_rows.how_it_was_read(setup, TABLE)
    changed = changes.change(setup=setup, values=values, base=setup.revision, by=by).setup
    # Taking back the names alone would leave systems without them: they belong to the change of the table.
    changed.changes.filter(revision__gt=setup.revision).update(is_table=True)
    setup.given, setup.revision = changed.given, changed.revision


# Names of systems that say that people wrote the texts.
_PEOPLE = frozenset({"human", "humans", "person", "people", "human-written", "human-author", "human-writer"})


def _new_system(key: str, name: str, kind: str) -> dict[str, str]:
    """Return the entry of a system; one that is called like a person is human unless a kind is given."""
    kind = kind or (System.Kind.HUMAN if key.lower().replace("_", "-") in _PEOPLE else "")
    return {"key": key} | ({"name": name} if name else {}) | ({"kind": str(kind)} if kind else {})


@atomically
def name_systems(*, setup: Setup, systems: Sequence[Mapping[str, str]], base: int, by: events.Actor) -> bool:
    """Store names and kinds of systems as they were seen at the revision `base`; each has key, name and kind.

    Return False where somebody else has changed the systems since, so that nothing was stored. Raises NotADraft.
    """
    entries = [
        {"key": entry["key"], **{name: entry[name] for name in ("name", "kind") if entry.get(name)}}
        for entry in systems
    ]
    of_checks = systems_of_checks(setup)
    entries += [entry for entry in setup.document.entries("systems") if entry.get("key") in of_checks]
    changed = changes.change(setup=setup, values={("systems",): entries or None}, base=base, by=by)
    return not changed.conflicts


@atomically
def put_row(
    *,
    setup: Setup,
    number: int | None,
    cells: Mapping[str, str],
    media: UploadedMedia,
    by: events.Actor,
    digest_shown: str = "",
) -> SetupRow:
    """Change a row, or add one where `number` is None; `digest_shown` is that of the row as the page showed it.

    What is changed about the item, such as its source, is changed in all rows of the item.

    Raises
    ------
    StudyFileError
        Where the row is wrong, or does not fit the other rows of its item.
    NotADraft
        Where the study was opened meanwhile.
    tasks_app.setup.table_rows.RowChanged
        Where somebody else has changed the row since it was shown, or removed it.
    """
    setup = changes.hold(setup)
    row = table_rows.row_as_seen(setup, TABLE, number, digest_shown)
    given = table_rows.values_of(ITEMS, cells)
    others = list(rows_of(setup).filter(cells__item=given.get("item", "")).exclude(pk=row.pk))
    if number is not None and row.cells.get("item") == given.get("item"):
        _share_with(others, row.cells, cells_of(given))
    row.cells = _checked(row, given, others, media)
    SetupRow.objects.bulk_update(others, ["cells"])
    table_rows.save(setup, row, by)
    system = row.cells["system"]
    if system not in systems_of(setup):
        _keep_systems(setup, {system: ""}, by, add=True)
    events.log(setup.study, by, CHANGED, about=ABOUT, after={"row": row.number, "added": number is None})
    return row


def _share_with(others: Sequence[SetupRow], before: Mapping[str, str], cells: Mapping[str, str]) -> None:
    """Copy changes of an item's own values to the other outputs of the item."""
    changed = {
        name: cells.get(name, "")
        for name in {**before, **cells}
        if is_of_item(name) and before.get(name, "") != cells.get(name, "")
    }
    for other in others:
        shared = {**other.cells, **changed}
        other.cells = {name: text for name, text in shared.items() if text}


def _checked(
    row: SetupRow, values: Mapping[str, Json], others: Sequence[SetupRow], media: UploadedMedia
) -> dict[str, str]:
    """Return the cells of a row as they are stored; `others` are rows of its item. Raises StudyFileError."""
    naming = Naming(ITEMS)
    problems = MarkedProblems()
    check = TextRows(RowReading(MarkedProblems(), _("row"), media))
    for other in others:
        check.take(row_of(other.cells, other.number, naming))
    # Problems of the rows that exist already are not reported for this row.
    check.reading.problems = problems
    taken = row_of({}, row.number or 0, naming)
    taken.cells.update(values)
    check.take(taken)
    problems.raise_if_any()
    return cells_of(taken.cells)


def systems_of_checks(setup: Setup) -> set[str]:
    """Return the keys of the systems that have only texts with known answers, which are not evaluated."""
    of_checks = table_rows.items_of_checks(setup)
    if not of_checks:
        return set()
    rows = rows_of(setup).order_by()
    shown = rows.filter(cells__item__in=of_checks).values_list("cells__system", flat=True).distinct()
    judged = rows.exclude(cells__item__in=of_checks).values_list("cells__system", flat=True).distinct()
    return set(shown) - set(judged)


@atomically
def remove_rows(*, setup: Setup, rows: QuerySet[SetupRow], by: events.Actor) -> int:
    """Remove rows of the texts; return how many. Raises NotADraft."""
    setup = changes.hold(setup)
    before, n = table_rows.remove(setup, TABLE, rows, by)
    if n:
        events.log(setup.study, by, "removed", about=ABOUT, before={"rows": before}, after={"rows": before - n})
    return n


@atomically
def bring_back(*, setup: Setup, by: events.Actor) -> int:
    """Put the rows back that were removed, left out of a sample or replaced last; return how many. Raises NotADraft."""
    setup = changes.hold(setup)
    n = table_rows.bring_back(setup, TABLE, by)
    if n:
        systems = dict.fromkeys(systems_of(setup), "") | dict.fromkeys(_systems_in_rows(setup), "")
        _keep_systems(setup, systems, by, add=True)
        events.log(setup.study, by, BROUGHT_BACK, about=ABOUT, after={"rows": n})
    return n


def _systems_in_rows(setup: Setup) -> list[str]:
    keys = rows_of(setup).order_by().values_list("cells__system", flat=True).distinct()
    return [key for key in keys if key]


@atomically
def take_sample(*, setup: Setup, sample: Sample, by: events.Actor) -> Mapping[str, Json]:
    """Keep the rows of n items only; return how they were drawn, as it stands in the log.

    Raises
    ------
    CannotSample
        Where there are not more items than that, or the strata are not there.
    NotADraft
        Where the study was opened meanwhile.
    """
    setup = changes.hold(setup)
    of_checks = table_rows.items_of_checks(setup)
    strata, before = _strata(setup, sample.by)
    strata = {item: stratum for item, stratum in strata.items() if item not in of_checks}
    if not 0 < sample.n < len(strata):
        raise CannotSample(
            _("There are %(all)s items: a sample has at least 1 and at most %(most)s of them.")
            % {"all": len(strata), "most": max(0, len(strata) - 1)}
        )
    seed = secrets.randbelow(SEEDS) if sample.seed is None else sample.seed
    drawn = sampling.draw(strata, sample.n, seed, equal=sample.equal)
    table_rows.take_out(setup, TABLE, rows_of(setup).exclude(cells__item__in=[*drawn, *of_checks]), changes.REMOVED)
    after = rows_of(setup).count()
    changes.log_table(setup, TABLE, before, after, by)
    counts: dict[str, int] = {}
    for key in drawn:
        counts[str(strata[key])] = counts.get(str(strata[key]), 0) + 1
    drawing = {
        "from_items": len(strata),
        "items": len(drawn),
        "from_rows": before,
        "rows": after,
        "by": sample.by,
        "equal": sample.equal,
        "seed": seed,
        **({"strata": counts} if sample.by and len(counts) <= 100 else {}),
    }
    events.log(setup.study, by, SAMPLED, about=ABOUT, before={"items": len(strata)}, after=drawing)
    return drawing


def _strata(setup: Setup, by: str) -> tuple[dict[str, str], int]:
    """Return the stratum of every item, and the number of rows. Raises CannotSample."""
    strata: dict[str, str] = {}
    lengths: dict[str, int] = {}
    n = 0
    for cells in cells_of_rows(setup):
        n += 1
        item = cells.get("item", "")
        if by in (BY_SOURCE, BY_OUTPUT):
            text = cells.get("source" if by == BY_SOURCE else "output", "")
            # The length of an item is that of its longest output; its source may stand in one of its rows only.
            lengths[item] = max(lengths.get(item, 0), len(text))
        elif by:
            strata[item] = strata.get(item) or cells.get(by, "")
        else:
            strata[item] = ""
    if by in (BY_SOURCE, BY_OUTPUT) and lengths:
        strata = sampling.length_strata(lengths)
    if by and not any(strata.values()):
        raise CannotSample(
            _("No text has a value for this, so the sample cannot be stratified by it. Choose something else.")
        )
    return strata, n


def last_sample(setup: Setup) -> Mapping[str, Json] | None:
    """Return the sample that was drawn of the texts; None if none was drawn, or the texts were replaced since."""
    event = setup.study.events.filter(object=ABOUT, verb__in=(SAMPLED, STORED, BROUGHT_BACK)).order_by("-id").first()
    drawing: Mapping[str, Json] | None = event.after if event is not None and event.verb == SAMPLED else None
    return drawing


def systems_of(setup: Setup) -> list[str]:
    """Return the keys of the systems that the document names."""
    return [entry["key"] for entry in setup.document.entries("systems") if "key" in entry]


class UploadGone(Exception):
    """The file was deleted; the message tells how to go on."""


@dataclass(frozen=True, slots=True)
class TextsUpload:
    """A kept file by its token, its layout, and whether its rows are added to those that are there."""

    token: str
    layout: Layout
    is_added: bool

    def to_store(self) -> dict[str, Json]:
        """Return the data that find and read the file again, as JSON."""
        return {"token": self.token, "layout": self.layout.to_store(), "is_added": self.is_added}

    @classmethod
    def stored(cls, given: Mapping[str, Json]) -> TextsUpload:
        """Return the upload that was stored so."""
        return cls(given["token"], Layout.stored(given["layout"]), given["is_added"])

    def check(self, setup: Setup) -> CheckedTexts:
        """Check the whole table. Raises StudyFileError where it cannot be read, and UploadGone."""
        return check(setup, self._file(setup), self.layout, is_added=self.is_added)

    def store(self, setup: Setup, checked: CheckedTexts, by: events.Actor) -> Setup:
        """Store the rows of a table without problems. Raises NotADraft."""
        return store(
            setup=setup, rows=checked.rows, systems=checked.systems, by=by, add=self.is_added,
            source={"file": self._file(setup).name, "items": checked.items},
        )  # fmt: skip

    def forget(self, setup: Setup) -> None:
        """Delete the file."""
        uploads.forget(setup.study, self.token)

    def _file(self, setup: Setup) -> TextsFile:
        file = uploads.find(setup.study, self.token)
        if file is None:
            raise UploadGone(_("The uploaded file was deleted after a day. Upload it again."))
        return open_file(file)


def check(setup: Setup, file: TextsFile, layout: Layout, *, is_added: bool) -> CheckedTexts:
    """Check a table of texts, with the rows that it is added to. Raises StudyFileError."""
    before = cells_of_rows(setup) if is_added else ()
    return check_file(file, layout, media.uploaded(setup), before)
