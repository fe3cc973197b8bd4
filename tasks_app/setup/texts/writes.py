"""Writes of the texts of a study that is set up: store, edit, remove and bring back rows, name systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, SetupRow, System
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.settings.checks import CHECK_ITEM
from tasks_app.setup import changes, table_rows
from tasks_app.setup.degraded.kinds import LABELS, SAME
from tasks_app.setup.tables.checking import (
    RowReading,
    TextRows,
    UploadedMedia,
    cells_of,
    row_of,
)
from tasks_app.setup.tables.marking import MarkedProblems
from tasks_app.setup.texts import reads
from tasks_app.studyfile.columns import ITEMS
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.own_sections.item_rows import is_of_item

# Log entries about changes to the texts; the datasheet reads from them how a sample was drawn.
STORED, SAMPLED, CHANGED, BROUGHT_BACK = "stored", "sampled", "changed", "brought back"
ABOUT = "texts"


@atomically
def store(
    *,
    setup: Setup,
    rows: Sequence[Mapping[str, str]],
    systems: Mapping[str, str],
    by: events.Actor,
    add: bool = False,
    kinds: Mapping[str, str] | None = None,
    source: Mapping[str, Json] | None = None,
) -> Setup:
    """Put checked rows in place of the texts, or behind them; all of them, or none.

    `systems` gives the names of systems by their keys, "" where the key is name enough, and `kinds` the kinds of new
    systems, where they are known. `source` says for the log where the rows come from. Raises NotADraft.
    """
    setup = changes.hold(setup)
    if not add:
        rows, systems = _with_checks(setup, rows, systems)
    before, after = table_rows.store(setup, reads.TABLE, rows, by, add=add)
    _keep_systems(setup, systems, by, add=add, kinds=kinds or {})
    events.log(setup.study, by, STORED, about=ABOUT, before={"rows": before}, after={"rows": after, **(source or {})})
    return setup


def _with_checks(
    setup: Setup, rows: Sequence[Mapping[str, str]], systems: Mapping[str, str]
) -> tuple[Sequence[Mapping[str, str]], Mapping[str, str]]:
    """Return rows and systems with those of attention checks that were added in one click, which stay."""
    known = {key for key in table_rows.items_of_checks(setup) if key.startswith(f"{CHECK_ITEM}-")}
    known -= {row.get("item", "") for row in rows}
    rows_of_checks = (
        list(reads.rows_of(setup).filter(cells__item__in=known).values_list("cells", flat=True)) if known else []
    )
    return [*rows, *rows_of_checks], {**dict.fromkeys((cells["system"] for cells in rows_of_checks), ""), **systems}


def _keep_systems(
    setup: Setup, systems: Mapping[str, str], by: events.Actor, *, add: bool, kinds: Mapping[str, str] | None = None
) -> None:
    """Name the systems of the texts in the document; how its tables were to be read no longer holds."""
    given = setup.document.entries("systems")
    known = {entry["key"]: entry for entry in given if "key" in entry}
    every = {*known, *systems}
    entries = [
        known.get(key, _new_system(key, name, (kinds or {}).get(key, ""), every)) for key, name in systems.items()
    ]
    if add:
        entries = [*given, *(entry for entry in entries if entry["key"] not in known)]
    values: dict[Path, Json] = {("systems",): entries or None}
    values |= table_rows.how_it_was_read(setup, reads.TABLE)
    changed = changes.change(setup=setup, values=values, base=setup.revision, by=by).setup
    # Taking back the names alone would leave systems without them: they belong to the change of the table.
    changed.changes.filter(revision__gt=setup.revision).update(is_table=True)
    setup.given, setup.revision = changed.given, changed.revision


# Names of systems that say that people wrote the texts.
_PEOPLE = frozenset({"human", "humans", "person", "people", "human-written", "human-author", "human-writer"})


def _new_system(key: str, name: str, kind: str, systems: Collection[str]) -> dict[str, str]:
    """Return the entry of a system; its name says the kind of people and of copies, unless a kind is given.

    The copies of the texts of alpha in the passive are those of alpha-passive, if there is a system alpha.
    """
    kind = kind or (System.Kind.HUMAN if key.lower().replace("_", "-") in _PEOPLE else "")
    if not kind:
        for names, of_copies in ((LABELS, System.Kind.DEGRADED), (SAME, System.Kind.REWORDED)):
            if any(key.removesuffix(f"-{ending}") in systems and key.endswith(f"-{ending}") for ending in names):
                kind = of_copies
    return {"key": key} | ({"name": name} if name else {}) | ({"kind": str(kind)} if kind else {})


@atomically
def name_systems(*, setup: Setup, systems: Sequence[Mapping[str, str]], base: int, by: events.Actor) -> bool:
    """Store names and kinds of systems as they were seen at the revision `base`; each has key, name and kind.

    Return False where somebody else has changed the systems since, so that nothing was stored. Raises NotADraft.
    """
    attributes = {
        entry.get("key"): {"attributes": entry["attributes"]}
        for entry in setup.document.entries("systems")
        if entry.get("attributes")
    }
    entries = [
        {
            "key": entry["key"],
            **{name: entry[name] for name in ("name", "kind") if entry.get(name)},
            **attributes.get(entry["key"], {}),
        }
        for entry in systems
    ]
    of_checks = reads.systems_of_checks(setup)
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
    row = table_rows.row_as_seen(setup, reads.TABLE, number, digest_shown)
    given = table_rows.values_of(ITEMS, cells)
    others = list(reads.rows_of(setup).filter(cells__item=given.get("item", "")).exclude(pk=row.pk))
    if number is not None and row.cells.get("item") == given.get("item"):
        _share_with(others, row.cells, cells_of(given))
    row.cells = _checked(row, given, others, media)
    SetupRow.objects.bulk_update(others, ["cells"])
    table_rows.save(setup, row, by)
    system = row.cells["system"]
    if system not in reads.systems_of(setup):
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
    added = row_of({}, row.number or 0, naming)
    added.cells.update(values)
    check.take(added)
    problems.raise_if_any()
    return cells_of(added.cells)


@atomically
def remove_rows(*, setup: Setup, rows: QuerySet[SetupRow], by: events.Actor) -> int:
    """Remove rows of the texts; return how many. Raises NotADraft."""
    setup = changes.hold(setup)
    before, n = table_rows.remove(setup, reads.TABLE, rows, by)
    if n:
        events.log(setup.study, by, "removed", about=ABOUT, before={"rows": before}, after={"rows": before - n})
    return n


@atomically
def bring_back(*, setup: Setup, by: events.Actor) -> int:
    """Put the rows back that were removed, left out of a sample or replaced last; return how many. Raises NotADraft."""
    setup = changes.hold(setup)
    n = table_rows.bring_back(setup, reads.TABLE, by)
    if n:
        systems = dict.fromkeys(reads.systems_of(setup), "") | dict.fromkeys(_systems_in_rows(setup), "")
        _keep_systems(setup, systems, by, add=True)
        events.log(setup.study, by, BROUGHT_BACK, about=ABOUT, after={"rows": n})
    return n


def _systems_in_rows(setup: Setup) -> list[str]:
    keys = reads.rows_of(setup).order_by().values_list("cells__system", flat=True).distinct()
    return [key for key in keys if key]
