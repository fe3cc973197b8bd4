"""The rows about units (known answers, batches, prefilled answers) that go with each share of the divided texts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from tasks_app.models import Setup
from tasks_app.projects.values import CannotDivide, Cells, Share
from tasks_app.setup.checking import reading_of
from tasks_app.studyfile.columns import BATCHES, CONTROLS, PREFILL
from tasks_app.studyfile.own_sections.batches import base_of
from tasks_app.studyfile.screens import DraftTask, draft_tasks

# Tables whose rows name units.
TABLES = (CONTROLS, BATCHES, PREFILL)

# In place of a value: a screen without a text, such as a question before the instructions, is in every study.
EVERYWHERE = ""


@dataclass(slots=True)
class UnitRows:
    """Rows by table, of each value; `left_out` are those that belong to no study."""

    by_value: dict[str, dict[str, list[Cells]]] = field(default_factory=dict)
    left_out: dict[str, list[Cells]] = field(default_factory=dict)

    @property
    def n_left_out(self) -> int:
        """Count the rows that belong to no study."""
        return sum(map(len, self.left_out.values()))

    def of(self, value: str, table: str) -> Sequence[Cells]:
        """Return the rows of a table that go with a value."""
        return [row for key in (EVERYWHERE, value) for row in self.by_value.get(key, {}).get(table, [])]


def unit_rows(setup: Setup, shares: Sequence[Share]) -> UnitRows:
    """Return the rows about units by the value of the texts that they show: all of these must have one value.

    Raises
    ------
    CannotDivide
        Where there are such rows, and the draft has problems, so that nobody can say what its units are.
    """
    divided = UnitRows()
    rows = [
        (declared.stem, list(setup.rows.filter(table=declared.stem).order_by("number").values_list("cells", flat=True)))
        for declared in TABLES
    ]
    if not any(cells for _table, cells in rows):
        return divided
    values = _values_of_units(setup, shares)
    for table, cells in rows:
        for row in cells:
            value = _value(values, row)
            place = divided.left_out if value is None else divided.by_value.setdefault(value, {})
            place.setdefault(table, []).append(row)
    return divided


def _value(values: Mapping[str, Mapping[str, str | None]], row: Cells) -> str | None:
    """Return the value of the texts that a row is about; None where several values, or none, are shown."""
    tasks = [row["task"]] if row.get("task") else list(values)
    known = {values[task][row.get("unit", "")] for task in tasks if row.get("unit", "") in values.get(task, {})}
    return known.pop() if len(known) == 1 else None


def _values_of_units(setup: Setup, shares: Sequence[Share]) -> dict[str, dict[str, str | None]]:
    """Return by task the value of every unit, by its key with and without its criterion; None for several values."""
    drafts = draft_tasks(reading_of(setup, None))
    if not drafts:
        raise CannotDivide(
            _(
                "evalweb cannot tell which texts the known answers, batches and suggestions belong to, because the "
                "draft has problems. Press “Check everything” on Review, fix the problems, and try again."
            )
        )
    value_of = {
        (row.get("item", ""), row.get("system", ""), row.get("variant", "")): share.value
        for share in shares
        for row in share.rows
    }
    values: dict[str, dict[str, str | None]] = defaultdict(dict)
    for draft in drafts:
        for key in draft.units:
            value = _value_of_unit(draft, key, value_of)
            values[draft.task["key"]][key] = values[draft.task["key"]][base_of(draft, key)] = value
    return values


def _value_of_unit(draft: DraftTask, key: str, value_of: Mapping[tuple[str, str, str], str]) -> str | None:
    """Return the value that all texts of a unit have; None for several."""
    unit = draft.units[key]
    if not unit.parts:
        return EVERYWHERE
    shown = set()
    for number, group in enumerate(unit.parts):
        item = unit.item_of(number)
        for output in group:
            text = draft.items[item].outputs[output] if item is not None else None
            shown.add(value_of.get((item or "", text.system, text.variant)) if text is not None else None)
    return shown.pop() if len(shown) == 1 else None
