"""Check a plan after every booklet: the promises of its design, then other measures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app import designs
from tasks_app.designs import APART, BLOCK, settings_of_each
from tasks_app.designs.balance import Balance, measure
from tasks_app.designs.base import PlanSettings, PlanUnit
from tasks_app.models import Task
from tasks_app.services.plan.plans import Drawn
from tasks_app.services.plan.screen_columns import Columns

ABOUT: dict[str, str | Promise] = {
    "unit": _("Judgments per unit, while some are missing"),
    "system": _("Judgments of systems"),
    "comparison": _("Comparisons: the systems on a screen"),
    "system in a booklet": _("Systems within one set"),
    "comparison in a booklet": _("Comparisons within one set"),
    "position": _("Systems at each position of a set"),
    "item": _("Judgments of items"),
    "document": _("Sets with each document"),
    "system by document": _("Systems, counted by document"),
    "pair": _("Pairs of systems on a screen"),
}
TEXTS = _("Systems, every text counted")
COLUMNS = _("Positions of a text on the screen")
EXACT = _("Missing or surplus judgments, over all units")
TWICE = _("Units shown twice in a set")
SPACING = _("Distance between units of one item")

# Properties measured of every plan, also where the design does not promise them.
ALWAYS = ("unit", "system", "item", "position")


@dataclass(frozen=True, slots=True)
class Line:
    """One promise of the plan, with the worst value found and its limit; `least` means that the limit is a minimum.

    `worst` is None where there is nothing to find, such as two units of one item in a set.
    """

    about: str | Promise
    worst: int | None
    limit: int
    promised: bool
    least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the worst found keeps to the limit; nothing found breaks nothing."""
        if self.worst is None:
            return True
        return self.worst >= self.limit if self.least else self.worst <= self.limit


def lines_of(task: Task, drawn: Drawn, balance: Balance, columns: Columns, *, whole: bool) -> list[Line]:
    """Return the properties that a plan keeps; with only its first booklets (not `whole`) missing units are ignored."""
    design = designs.registry[task.design]
    lines = [Line(TWICE, balance.repeated, 0, promised=True)]
    if whole:
        lines.insert(0, Line(EXACT, balance.missing + balance.beyond_k, 0, promised=True))
    balances = list(_by_criterion(task, drawn, balance))
    if not design.keeps_order and _several_of_an_item(drawn.units):
        gaps = [part.smallest_spacing for _units, part in balances if part.smallest_spacing is not None]
        lines.append(Line(SPACING, min(gaps, default=None), task.spacing, promised=True, least=True))
    promised = _promised(task, [units for units, _one in balances])
    measured = (*promised, *_besides(drawn.units, promised))
    for name in (name for name in measured if _is_there(name, drawn.units)):
        worst = max(max(part.spread(name), default=0) for _units, part in balances)
        lines.append(Line(ABOUT.get(name, name), worst, 1, promised=name in promised))
    if _share_systems(drawn.units):
        lines.append(Line(TEXTS, max(part.system.worst_spread for _units, part in balances), 1, promised=False))
    if columns.width:
        lines.append(Line(COLUMNS, columns.worst, 1, promised=True))
    return lines


def _promised(task: Task, by_criterion: Sequence[Sequence[PlanUnit]]) -> list[str]:
    """Name the promises of the design about the units of each criterion.

    In blocks the plan is that of the texts: where some are asked about on a part of the criteria only, no more is
    promised of a criterion than that no unit is ahead of another.
    """
    design = designs.design_of(task.design, task.design_params)
    each = settings_of_each(PlanSettings(task.set_size, task.spacing), task.criteria_mode, len(by_criterion))
    promised = [name for name in design.margins if all(name in design.promised(units, each) for units in by_criterion)]
    alike = len({frozenset(unit.base for unit in units) for units in by_criterion}) == 1
    return promised if alike or task.criteria_mode != BLOCK else [name for name in promised if name == "unit"]


def _by_criterion(task: Task, drawn: Drawn, balance: Balance) -> Iterator[tuple[Sequence[PlanUnit], Balance]]:
    """Yield units with their promises: criterion by criterion if each criterion has units, and so its own plan."""
    criteria = dict.fromkeys(unit.criterion for unit in drawn.units)
    if task.criteria_mode not in APART or len(criteria) < 2:
        yield drawn.units, balance
        return
    for criterion in criteria:
        units = [unit for unit in drawn.units if unit.criterion == criterion]
        booklets = [[unit for unit in booklet if unit.criterion == criterion] for booklet in drawn.booklets]
        yield units, measure([booklet for booklet in booklets if booklet], units)


def _besides(units: Sequence[PlanUnit], promised: Sequence[str]) -> Iterator[str]:
    """Name the measures that are no promise of the design."""
    several = any(len(unit.shape) > 1 for unit in units)
    for name in (*ALWAYS, *(("pair",) if several else ()), *(("document",) if _documents(units) else ())):
        if name not in promised and not (name == "system" and "comparison" in promised):
            yield name


def _documents(units: Sequence[PlanUnit]) -> bool:
    return any(unit.document is not None for unit in units)


def _is_there(name: str, units: Sequence[PlanUnit]) -> bool:
    """Return whether a margin can compare two groups: a questionnaire has no system and no item."""
    if name == "item":
        return len({unit.item for unit in units} - {None}) > 1
    if name == "unit":
        return len(units) > 1
    return len({systems for unit in units if (systems := unit.systems)}) > 1 or name == "document"


def _several_of_an_item(units: Sequence[PlanUnit]) -> bool:
    items = [unit.item for unit in units if unit.item is not None]
    return len(set(items)) < len(items)


def _share_systems(units: Sequence[PlanUnit]) -> bool:
    """Return whether a system is shown in several combinations, so that systems and their combinations differ."""
    combinations = {unit.systems for unit in units}
    return sum(map(len, combinations)) > len({system for systems in combinations for system in systems})
