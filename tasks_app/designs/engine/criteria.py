"""Plans for criteria that are asked apart: one criterion per rater, or all units on one criterion, then the next."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from random import Random

from tasks_app.designs.base import Design, PlanImpossible, PlanSettings, PlanUnit
from tasks_app.settings.orders import latin_orders

RATER, BLOCK = "rater", "block"

# The modes in which each criterion has units of its own.
APART = (RATER, BLOCK)


def draw_booklets(
    design: Design,
    units: Sequence[PlanUnit],
    settings: PlanSettings,
    mode: str,
    rng: Random,
) -> list[tuple[PlanUnit, ...]]:
    """Draw booklets by a design, with the criteria asked as `mode` says.

    With one criterion a rater, each criterion has a plan of its own, and their booklets take turns: whatever number of
    them is claimed, criteria differ by one booklet at most. In blocks, a booklet holds the same texts for one criterion
    after the other, and the order of criteria is balanced over booklets by Latin squares; a set has `set_size` units in
    all, and the spacing holds within a block.

    Raises
    ------
    PlanImpossible
        As the design does; settings it names are those of the task.
    """
    by_criterion: dict[str, list[PlanUnit]] = {}
    for unit in units:
        by_criterion.setdefault(unit.criterion, []).append(unit)
    if mode not in APART or len(by_criterion) < 2:
        return design.draw(units, settings, rng)
    if mode == RATER:
        plans = [design.draw(criterion_units, settings, rng) for criterion_units in by_criterion.values()]
        return [booklet for turn in zip_longest(*plans) for booklet in turn if booklet is not None]
    return _in_blocks(design, by_criterion, settings, rng)


def settings_of_each(settings: PlanSettings, mode: str, criteria: int) -> PlanSettings:
    """Return the settings by which the plan of each criterion is drawn: in blocks, a set is shared by all of them."""
    if mode != BLOCK or criteria < 2:
        return settings
    return replace(settings, set_size=max(1, settings.set_size // criteria))


def _in_blocks(
    design: Design,
    by_criterion: Mapping[str, Sequence[PlanUnit]],
    settings: PlanSettings,
    rng: Random,
) -> list[tuple[PlanUnit, ...]]:
    criteria = list(by_criterion)
    twins = {
        (unit.base, criterion): unit for criterion, criterion_units in by_criterion.items() for unit in criterion_units
    }
    once: dict[str, PlanUnit] = {}
    for unit in (unit for criterion_units in by_criterion.values() for unit in criterion_units):
        # A text whose answer is known on one criterion is still judged on the others.
        once.setdefault(unit.base, unit)
    try:
        drawn = design.draw(list(once.values()), settings_of_each(settings, BLOCK, len(criteria)), rng)
    except PlanImpossible as found:
        nearest = {name: n * len(criteria) if name == "set_size" else n for name, n in found.nearest.items()}
        raise PlanImpossible(found.message, nearest) from found
    orders = latin_orders(len(criteria), rng)
    booklets = []
    for booklet in drawn:
        order = next(orders)
        pairs = [(unit.base, criteria[number]) for number in order for unit in booklet]
        booklets.append(tuple(twins[pair] for pair in pairs if pair in twins))
    return booklets
