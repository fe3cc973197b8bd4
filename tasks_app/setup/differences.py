"""The changes of a draft compared with the frozen version that it follows: settings by their labels, rows of tables.

Entries of lists are compared by their keys, so that a moved entry is no change of everything behind it. Values that
nobody gave count as their defaults.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, SetupRow
from tasks_app.setup.controls import Control, Group
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import STEPS, Step, fits
from tasks_app.setup.unit_tables.declared import UNIT_TABLES
from tasks_app.studyfile.columns import BATCHES, CONTROLS, ITEMS, PREFILL, TableDeclaration

# Places of changed rows that are named.
PLACES = 3

# Settings whose change leaves the questions, the texts and the raters as they were. All other settings are design.
WORDING = (
    "study.title", "study.public_title",
    "tasks.*.title", "tasks.*.instructions",
    "criteria.*.name", "criteria.*.definition", "criteria.*.question", "criteria.*.low", "criteria.*.high",
    "criteria.*.labels", "criteria.*.anchors", "criteria.*.heds",
    "systems.*.name", "groups.*.name",
    "about.institution", "about.contact", "about.complaints", "about.ethics", "about.stored", "about.kept",
    "about.published", "consent",
)  # fmt: skip

# Words of the steps of a scale: other words are wording, another number of steps is another scale.
_STEP_WORDS = ("criteria.*.labels", "criteria.*.anchors")

# The columns by which a row of a table is identified.
_KEYS: Mapping[TableDeclaration, tuple[str, ...]] = {
    ITEMS: ("item", "system", "variant"),
    CONTROLS: ("task", "unit", "purpose", "criterion"),
    PREFILL: ("task", "unit", "part"),
    BATCHES: ("task", "batch", "unit"),
}

# The name of an entry of a list, the first that it has; rules and analyses have no key of their own.
_ENTRY_KEYS = ("key", "rule", "analysis")


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting with its old and its new value, in words; `anchor` is where it stands on the page of its step."""

    step: Step
    label: str
    before: str
    after: str
    is_wording: bool
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class RowChange:
    """The number of rows of a table that were added, removed, changed or renamed by key, and the first of them."""

    kind: str
    n: int
    places: Sequence[str]

    @property
    def in_words(self) -> str:
        """The number of rows, and the first of them."""
        words = {
            "added": ngettext("%(n)s row added", "%(n)s rows added", self.n),
            "removed": ngettext("%(n)s row removed", "%(n)s rows removed", self.n),
            "renamed": ngettext("%(n)s row whose key changed", "%(n)s rows whose keys changed", self.n),
            "changed": ngettext("%(n)s row changed", "%(n)s rows changed", self.n),
        }
        more = " …" if self.n > len(self.places) else ""
        return f"{words[self.kind] % {'n': formats.number_format(self.n)}}: {'; '.join(self.places)}{more}"


@dataclass(frozen=True, slots=True)
class TableDifference:
    """The changes to the rows of a table."""

    step: Step
    label: str
    changes: Sequence[RowChange]


@dataclass(frozen=True, slots=True)
class Differences:
    """All differences between two set-ups."""

    settings: Sequence[Difference]
    tables: Sequence[TableDifference]

    @property
    def design(self) -> list[Difference]:
        """The settings with a change of the design."""
        return [difference for difference in self.settings if not difference.is_wording]

    @property
    def wording(self) -> list[Difference]:
        """The settings with a change of words only."""
        return [difference for difference in self.settings if difference.is_wording]

    @property
    def is_wording_only(self) -> bool:
        """Whether nothing but words differs."""
        return bool(self.settings) and not self.design and not self.tables

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return bool(self.settings or self.tables)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A field with its step, the labels of the groups around it, and the entries of lists that it is in.

    `entries` maps the path of each to its labels, of which the last is its own.
    """

    control: Control
    step: Step
    labels: tuple[str, ...]
    entries: Mapping[Path, tuple[str, ...]]


def differences(old: Setup, new: Setup) -> Differences:
    """Return the differences between two set-ups: settings in the order of the form, then tables."""
    return Differences([*_settings(old, new)], [*_tables(old, new)])


def is_wording(path: Path, before: str = "", after: str = "") -> bool:
    """Return whether a change of a setting leaves the design as it was; `before` and `after` are its lines."""
    if any(fits(pattern, path) for pattern in _STEP_WORDS):
        return _steps(path, before) == _steps(path, after)
    return any(fits(pattern, path) for pattern in WORDING)


def _steps(path: Path, lines: str) -> object:
    """Return the steps of a scale that have words: the number of `labels`, the values of `anchors`."""
    entries = [line for line in lines.split("\n") if line.strip()]
    return [entry.partition(":")[0] for entry in entries] if path[-1] == "anchors" else len(entries)


def _settings(old: Setup, new: Setup) -> Iterator[Difference]:
    before, after = _leaves(old), _leaves(new)
    entries_before = {entry for leaf in before.values() for entry in leaf.entries}
    entries_after = {entry for leaf in after.values() for entry in leaf.entries}
    reported: set[Path] = set()
    for path in [*after, *(path for path in before if path not in after)]:
        old_leaf, new_leaf = before.get(path), after.get(path)
        leaf = new_leaf or old_leaf
        assert leaf is not None, "a path of either"
        lone = next((entry for entry in leaf.entries if (entry in entries_before) != (entry in entries_after)), None)
        if lone is not None:
            if lone not in reported:
                reported.add(lone)
                yield _entry(leaf, lone, is_new=lone in entries_after)
        elif not _is_same(old_leaf, new_leaf):
            shown = [side.control.in_words if side is not None else "" for side in (old_leaf, new_leaf)]
            anchor = f"#{new_leaf.control.id}" if new_leaf is not None else ""
            label = " › ".join([*leaf.labels, leaf.control.label])
            words = is_wording(leaf.control.path, *shown)
            yield Difference(leaf.step, label, shown[0], shown[1], words, anchor)
    yield from _orders(before, after)


def _entry(leaf: _Leaf, entry: Path, *, is_new: bool) -> Difference:
    """Return one difference for an added or removed entry of a list, rather than one for each of its values."""
    before, after = ("", _("added")) if is_new else (_("present"), _("removed"))
    return Difference(leaf.step, " › ".join(leaf.entries[entry]), before, after, is_wording=False)


def _orders(before: Mapping[Path, _Leaf], after: Mapping[Path, _Leaf]) -> Iterator[Difference]:
    """Yield the lists with shared entries that come in another order."""
    old, new = _entries_by_list(before), _entries_by_list(after)
    for path, leaves in new.items():
        both = [entry for entry in leaves if entry in old.get(path, {})]
        was = [entry for entry in old.get(path, {}) if entry in leaves]
        if both != was:
            leaf = leaves[both[0]]
            before_words, after_words = (
                " · ".join(leaves[entry].entries[entry][-1] for entry in order) for order in (was, both)
            )
            label = " › ".join([*leaf.entries[both[0]][:-1], _("Order")])
            yield Difference(leaf.step, label, before_words, after_words, is_wording=False)


def _entries_by_list(leaves: Mapping[Path, _Leaf]) -> dict[Path, dict[Path, _Leaf]]:
    """Return the entries of every list in their order, each with a field of it."""
    lists: dict[Path, dict[Path, _Leaf]] = {}
    for leaf in leaves.values():
        for entry in leaf.entries:
            lists.setdefault(entry[:-1], {}).setdefault(entry, leaf)
    return lists


def _is_same(first: _Leaf | None, second: _Leaf | None) -> bool:
    """Return whether two fields show the same; a field that is not there shows nothing."""
    if first is None or second is None:
        return not (first or second).control.in_words if first or second else True  # type: ignore[union-attr]
    if first.control.value == second.control.value:
        return True
    if {first.control.kind, second.control.kind} <= {"number", "whole", "either"}:
        try:
            return float(first.control.value) == float(second.control.value)
        except ValueError:
            return False
    return False


def _leaves(setup: Setup) -> dict[Path, _Leaf]:
    """Return every field of the form by its path, in which entries of lists stand by their keys."""
    leaves: dict[Path, _Leaf] = {}
    for step in STEPS:
        page = SetupPage(setup, step.slug)
        for group in page.groups:
            leaves.update(_of_group(page, group, step, (), (), {}))
    return leaves


def _of_group(
    page: SetupPage,
    group: Group,
    step: Step,
    base: Path,
    labels: tuple[str, ...],
    entries: Mapping[Path, tuple[str, ...]],
) -> Iterator[tuple[Path, _Leaf]]:
    own: Path = (*base, _entry_key(page, group.path) if group.number is not None else group.path[-1])
    labels = (*labels, group.label)
    entries = {**entries, own: labels} if group.number is not None else entries
    if group.switch is not None:
        yield (*own, ""), _Leaf(group.switch, step, labels[:-1], entries)
    for member in group.members:
        if isinstance(member, Group):
            yield from _of_group(page, member, step, own, labels, entries)
        elif member.path == group.path:
            # A section that is one value.
            yield own, _Leaf(member, step, labels[:-1], entries)
        else:
            yield (*own, member.path[-1]), _Leaf(member, step, labels, entries)


def _entry_key(page: SetupPage, path: Path) -> str:
    """Return the identity of an entry of a list: its key, and its number among those of the same key."""
    number = path[-1]
    assert isinstance(number, int), "the path of an entry"
    rows = page.value(path[:-1]) or []
    keys = [_key_of(row) for row in rows[: number + 1]]
    return f"{keys[-1]}#{keys.count(keys[-1])}"


def _key_of(row: Json) -> str:
    words = row if isinstance(row, Mapping) else {}
    return next((str(words[name]) for name in _ENTRY_KEYS if words.get(name)), "")


def _tables(old: Setup, new: Setup) -> Iterator[TableDifference]:
    steps = {step.slug: step for step in STEPS}
    labels = {ITEMS: _("Texts"), CONTROLS: _("Known answers"), PREFILL: _("Suggestions"), BATCHES: _("Batches")}
    for table, keys in _KEYS.items():
        changes = _row_changes(old, new, table.stem, keys)
        if changes:
            step = "texts" if table is ITEMS else UNIT_TABLES[table.stem].step
            yield TableDifference(steps[step], labels[table], changes)


# Rows of one key are told apart by their order. Unequal rows of one place are changed, those of one side new or gone;
# where one that is new holds what only one that is gone held, under another key, it was renamed. Rows that are the same
# under the same number are put aside first, since most are: a changed version begins as a copy.
_ROWS = """
WITH sides AS (SELECT o.number AS old_number, o.cells AS old_cells, n.number AS new_number, n.cells AS new_cells
               FROM (SELECT number, cells FROM {rows} WHERE setup_id = %(old)s AND "table" = %(table)s) o
               FULL JOIN (SELECT number, cells FROM {rows} WHERE setup_id = %(new)s AND "table" = %(table)s) n
               ON o.number = n.number WHERE o.cells IS DISTINCT FROM n.cells),
     old AS (SELECT {key} AS key, cells, number, row_number() OVER (PARTITION BY {key} ORDER BY number) AS nth
             FROM (SELECT old_number AS number, old_cells AS cells FROM sides WHERE old_number IS NOT NULL) o),
     new AS (SELECT {key} AS key, cells, number, row_number() OVER (PARTITION BY {key} ORDER BY number) AS nth
             FROM (SELECT new_number AS number, new_cells AS cells FROM sides WHERE new_number IS NOT NULL) n),
     unequal AS (SELECT CASE WHEN old.key IS NULL THEN 'added' WHEN new.key IS NULL THEN 'removed' ELSE 'changed' END
                        AS kind, coalesce(new.key, old.key) AS key, coalesce(new.nth, old.nth) AS nth,
                        coalesce(new.number, old.number) AS number,
                        coalesce(new.cells, old.cells) - %(keys)s::text[] AS rest
                 FROM old FULL JOIN new ON old.key = new.key AND old.nth = new.nth
                 WHERE old.cells IS DISTINCT FROM new.cells),
     lone AS (SELECT *, count(*) OVER (PARTITION BY kind, rest) AS alike FROM unequal
              WHERE kind IN ('added', 'removed') AND rest <> '{{}}'),
     renamed AS (SELECT a.key AS new_key, a.nth AS new_nth, r.key AS old_key, r.nth AS old_nth, a.number
                 FROM lone a JOIN lone r ON a.rest = r.rest
                 WHERE a.kind = 'added' AND r.kind = 'removed' AND a.alike = 1 AND r.alike = 1),
     told AS (SELECT 'renamed' AS kind, old_key || chr(30) || new_key AS key, number FROM renamed
              UNION ALL
              SELECT kind, key, number FROM unequal u
              WHERE (kind, key, nth) NOT IN (SELECT 'added', new_key, new_nth FROM renamed
                                             UNION ALL SELECT 'removed', old_key, old_nth FROM renamed))
SELECT kind, count(*), (array_agg(key ORDER BY number))[1:%(places)s] FROM told GROUP BY kind ORDER BY kind
"""


def _row_changes(old: Setup, new: Setup, table: str, keys: Sequence[str]) -> list[RowChange]:
    """Compare the rows of a table of two set-ups in the database: there may be a hundred thousand of them."""
    cells = ", ".join(f"coalesce(cells ->> '{name}', '')" for name in keys)
    key = f"array_to_string(ARRAY[{cells}], chr(31))"
    query = _ROWS.format(key=key, rows=connection.ops.quote_name(SetupRow._meta.db_table))
    with connection.cursor() as cursor:
        about: dict[str, Any] = {
            "old": old.pk, "new": new.pk, "table": table, "keys": list(keys), "places": PLACES,
        }  # fmt: skip
        cursor.execute(query, about)
        return [RowChange(kind, n, [_place(place) for place in places]) for kind, n, places in cursor.fetchall()]


def _place(keys: str) -> str:
    """Return the key of a row in words, or both keys of a renamed row; control characters separate its parts."""
    return " → ".join(", ".join(filter(None, key.split("\x1f"))) for key in keys.split("\x1e"))
