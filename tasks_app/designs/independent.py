"""The independent design: every rater gets a mixed set, and the sets together are balanced however many are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs._chairman import DeadEnd
from tasks_app.designs._filling import Filling
from tasks_app.designs._rounds import Segment, booklet_sizes, cut, may_fit
from tasks_app.designs._shares import RoundShares
from tasks_app.designs._spacing import room, spaced_order
from tasks_app.designs.balance import measure
from tasks_app.designs.base import Design, PlanImpossible, PlanUnit, Settings

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# Whole draws before the settings are called impossible. Where a plan exists the first draw nearly always finds one.
_DRAWS = 12
# Draws of one round's shares: cheap, and with few units one may clash with the end of the round before.
_SHARE_DRAWS = 20
# Where systems overlap and a draw is not level everywhere, the most level of a few is taken; fewer where they come to
# more places than these in all, which take seconds.
_LEVEL_DRAWS = 4
_LEVEL_PLACES = 20_000
# Draws that must all succeed with settings before a refusal names them: advice that needs luck is no good.
_ADVICE_DRAWS = 3

Plan = list[tuple[PlanUnit, ...]]


@registry.register
class Independent(Design):
    """Units are drawn independently of each other, in rounds.

    Round r gives every unit with k >= r its r-th judgment; the rounds one after another are cut into booklets of
    `set_size` places, so that no unit is ever more than one judgment ahead of another that still needs one. The
    last booklet may be shorter; where k differs by unit, so may those where one round ends and too few units go on
    to the next. Units that show the same systems stay less than one unit from their share in every prefix of the
    booklets, and so does every system where no system is shown in two combinations. Where some are (texts shared by
    systems, comparisons of several), systems are brought as near as exchanges can; `balance.measure` says how near.
    """

    label = _("Independent sets")
    margins = ("unit", "system")

    def draw(self, units: Sequence[PlanUnit], settings: Settings, params: Mapping[str, Any], rng: Random) -> Plan:
        """Booklets in which units, items and systems are spread evenly; the order inside each is random."""
        _refuse_bad_input(units, settings)
        drawing = _Drawing(units)
        if settings.set_size <= drawing.largest_set:
            plan = drawing.draw(settings, rng)
            if plan is not None:
                return plan
        raise _refusal(drawing, settings, rng)


def _refuse_bad_input(units: Sequence[PlanUnit], settings: Settings) -> None:
    keys = Counter(unit.key for unit in units)
    twice = [key for key, count in keys.items() if count > 1]
    if twice:
        raise ValueError(f"Units have the same key: {', '.join(sorted(twice))}.")
    if settings.set_size < 1:
        raise ValueError(f"A booklet needs at least one place, not {settings.set_size}.")
    if not any(unit.k > 0 for unit in units):
        raise PlanImpossible(_("No unit needs a judgment yet. Add items, or ask for at least one judgment each."))


class _Drawing:
    """The units as numbers, and the draws made with them."""

    def __init__(self, units: Sequence[PlanUnit]) -> None:
        self.units = units
        rounds = max(unit.k for unit in units)
        self.rounds = [[i for i, unit in enumerate(units) if unit.k >= r] for r in range(1, rounds + 1)]
        self.largest_set = len(self.rounds[0])
        items = {item: i for i, item in enumerate(dict.fromkeys(unit.item for unit in units))}
        self.items = [None if unit.item is None else items[unit.item] for unit in units]
        signatures = {systems: c for c, systems in enumerate(sorted({unit.systems for unit in units}))}
        self.classes = [signatures[unit.systems] for unit in units]
        systems = {system: x for x, system in enumerate(sorted({s for shown in signatures for s in shown}))}
        self.signatures = [tuple(systems[system] for system in shown) for shown in signatures]
        self.overlap = sum(map(len, self.signatures)) > len(systems)

    def may_fit(self, settings: Settings) -> bool:
        """Whether items have room in the booklets, as far as counting tells."""
        items = [[self.items[unit] for unit in of_round] for of_round in self.rounds]
        return may_fit(items, self._cut(settings), settings.spacing)

    def draw(self, settings: Settings, rng: Random) -> Plan | None:
        """A plan that keeps every promise, the most level of a few; None where none was found."""
        if not self.may_fit(settings):
            return None
        best: tuple[float, Plan] | None = None
        level_draws = _LEVEL_PLACES // sum(map(len, self.rounds)) if self.overlap else 1
        for draw in range(_DRAWS):
            drawn = self.draw_once(settings, rng)
            if drawn is not None and (best is None or drawn[0] < best[0]):
                best = drawn
            if best is not None and (best[0] < 1 or draw + 1 >= min(level_draws, _LEVEL_DRAWS)):
                break
        return best and best[1]

    def draw_once(self, settings: Settings, rng: Random) -> tuple[float, Plan] | None:
        """A plan with the largest deviation of a system in it, or None where this draw came to a dead end."""
        try:
            plan = self._draw(settings, rng)
        except DeadEnd:
            return None
        return self._checked(plan, settings), plan

    def _cut(self, settings: Settings) -> list[list[Segment]]:
        return cut(list(map(len, self.rounds)), settings.set_size)

    def _draw(self, settings: Settings, rng: Random) -> Plan:
        segments = self._cut(settings)
        rooms = [room(size, settings.spacing) for size in booklet_sizes(segments)]
        filling = Filling(self.classes, self.items, rooms, rng)
        before: tuple[int, list[int], dict[int, int]] | None = None
        for of_round, cuts in zip(self.rounds, segments, strict=True):
            sizes = [0] * len(self.signatures)
            for unit in of_round:
                sizes[self.classes[unit]] += 1
            limits = None
            if before is not None and before[0] == cuts[0].booklet:
                # The booklet ends the round before: of each class it can take what it does not hold already.
                limits = {c: size - before[2].get(c, 0) for c, size in enumerate(before[1])}
            shares = self._shares(sizes, [length for _booklet, length in cuts], limits, rng)
            booklets = [booklet for booklet, _length in cuts]
            filling.fill_round(of_round, booklets, shares)
            before = (cuts[-1].booklet, sizes, shares.counts[-1])
        return [self._in_order(list(booklet.units), settings.spacing, rng) for booklet in filling.booklets]

    def _shares(
        self, sizes: Sequence[int], lengths: Sequence[int], limits: Mapping[int, int] | None, rng: Random
    ) -> RoundShares:
        for _draw in range(_SHARE_DRAWS):
            try:
                return RoundShares(sizes, lengths, self.signatures, rng, limits=limits, overlap=self.overlap)
            except DeadEnd:
                continue
        raise DeadEnd

    def _in_order(self, booklet: Sequence[int], spacing: int, rng: Random) -> tuple[PlanUnit, ...]:
        order = spaced_order([self.items[unit] for unit in booklet], spacing, rng)
        if order is None:
            raise DeadEnd
        return tuple(self.units[booklet[index]] for index in order)

    def _checked(self, plan: Plan, settings: Settings) -> float:
        """The largest deviation of a system, once all that is promised has been seen to hold."""
        balance = measure(plan, self.units)
        gap = balance.smallest_spacing
        if not (
            balance.complete
            and balance.worst_unit_spread <= 1
            and balance.system_class.worst_deviation < 1
            and (gap is None or gap >= settings.spacing)
        ):
            raise RuntimeError(
                "The independent design drew a plan that breaks its promises: "
                f"unit spread {balance.worst_unit_spread}, class deviation {balance.system_class.worst_deviation}, "
                f"spacing {gap}, missing {balance.missing}, beyond k {balance.beyond_k}, repeated {balance.repeated}."
            )
        return balance.system.worst_deviation


def _refusal(drawing: _Drawing, settings: Settings, rng: Random) -> PlanImpossible:
    """Why there is no plan, and the nearest settings that were tried and have one."""
    if settings.set_size > drawing.largest_set:
        reason = _("Sets of {set_size} are too large: nobody meets a unit twice, and only {units} need a judgment.")
    elif not drawing.may_fit(settings):
        reason = _("Units of one item cannot stand {spacing} apart in sets of {set_size}: there are too few items.")
    else:
        reason = _("No plan was found with sets of {set_size} and units of one item {spacing} apart.")
    said = format_lazy(reason, set_size=settings.set_size, spacing=settings.spacing, units=drawing.largest_set)
    nearest = {}
    set_size = _nearest_set_size(drawing, settings, rng)
    spacing = None if settings.set_size > drawing.largest_set else _nearest_spacing(drawing, settings, rng)
    if spacing is not None:
        nearest["spacing"] = spacing
    if set_size is not None:
        nearest["set_size"] = set_size
    return PlanImpossible(format_lazy("{} {}", said, _advice(nearest)), nearest)


def _advice(nearest: Mapping[str, int]) -> StrOrPromise:
    if len(nearest) == 2:
        return format_lazy(_("Choose a spacing of {spacing}, or a set size of {set_size}."), **nearest)
    if "spacing" in nearest:
        return format_lazy(_("Choose a spacing of {spacing}."), **nearest)
    if "set_size" in nearest:
        return format_lazy(_("Choose a set size of {set_size}."), **nearest)
    return _("Add items, or ask for fewer judgments of single units.")


def _works(drawing: _Drawing, settings: Settings, rng: Random) -> bool:
    return drawing.may_fit(settings) and all(
        drawing.draw_once(settings, rng) is not None for _draw in range(_ADVICE_DRAWS)
    )


def _nearest_set_size(drawing: _Drawing, settings: Settings, rng: Random) -> int | None:
    """The set size nearest to the one wanted, the smaller of two, with the spacing kept."""
    largest = drawing.largest_set
    sizes = sorted(range(1, min(largest, 2 * settings.set_size) + 1), key=lambda size: abs(size - settings.set_size))
    others = (Settings(size, settings.spacing) for size in sizes if size != settings.set_size)
    return next((other.set_size for other in others if _works(drawing, other, rng)), None)


def _nearest_spacing(drawing: _Drawing, settings: Settings, rng: Random) -> int | None:
    """The largest spacing below the one wanted, with the set size kept: what fits some way apart fits nearer, too."""
    works, fails = 0, settings.spacing
    while fails - works > 1:
        spacing = (works + fails) // 2
        if _works(drawing, Settings(settings.set_size, spacing), rng):
            works = spacing
        else:
            fails = spacing
    return works or None
