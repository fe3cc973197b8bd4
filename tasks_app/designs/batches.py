"""The batches design: sets that a researcher composed, from a file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs.base import Batch, Design, Plan, PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.drawing import refuse_bad_input
from tasks_app.designs.engine.spacing import room, spaced_order
from tasks_app.settings.fields import choice_field
from tasks_app.settings.study import Block

FILE, RANDOM = "file", "random"


@registry.register
class Batches(Design):
    """Each batch is a booklet, k times over: all batches for the first time, then all for the second.

    A unit is in one of the `batches` of the settings. Where units of a batch have different k, later rounds hold those
    that still need a judgment. Nothing is balanced, for nothing is drawn but the order, and that only
    where it is asked for; `balance.measure` says how even the batches are.
    """

    label = _("Batches from a file")
    keeps_order = True

    order = choice_field(
        _("Order of units"),
        [(FILE, _("as in the file")), (RANDOM, _("at random, anew for every rater"))],
        _("At random, units of one item keep the spacing."),
        initial=FILE,
        required=False,
    )

    class Settings(Block):
        """The order of units in a batch."""

    def in_words(self, set_size: int) -> str:
        """Describe how sets were made."""
        if self.order == RANDOM:
            return "Sets were fixed before the study; the order of their units was drawn for each rater"
        return "Sets and the order of their units were fixed before the study"

    def draw(self, units: Sequence[PlanUnit], settings: PlanSettings, rng: Random) -> Plan:
        """Return the batches as booklets, round by round."""
        refuse_bad_input(units, settings)
        batches = _batches(units, settings.batches)
        _refuse_long(batches, settings)
        rounds = range(1, max(unit.k for unit in units) + 1)
        due = [
            (name, [unit for unit in members if unit.k >= turn]) for turn in rounds for name, members in batches.items()
        ]
        if self.order != RANDOM:
            return [tuple(members) for _name, members in due if members]
        _refuse_crowded(due, settings)
        return [_shuffled(members, settings.spacing, rng) for _name, members in due if members]


def _shuffled(members: Sequence[PlanUnit], spacing: int, rng: Random) -> tuple[PlanUnit, ...]:
    numbers = {item: n for n, item in enumerate(dict.fromkeys(unit.item for unit in members))}
    order = spaced_order([None if unit.item is None else numbers[unit.item] for unit in members], spacing, rng)
    if order is None:
        raise RuntimeError(f"Units of one item found no places {spacing} apart, for which there was room.")
    return tuple(members[index] for index in order)


def _batches(units: Sequence[PlanUnit], listed: Sequence[Batch]) -> dict[str, list[PlanUnit]]:
    """Return the units to be judged of each batch. Raises PlanImpossible where a unit is in no batch, or in two."""
    if not listed:
        sentence = _("This task has no batches yet. Add batches (step Raters → Batches, or batches.csv).")
        raise PlanImpossible(sentence)
    left = {unit.base: unit for unit in units if unit.k > 0}
    known = {unit.base for unit in units}
    batches: dict[str, list[PlanUnit]] = {}
    for batch in listed:
        for key in batch.units:
            if key in left:
                batches.setdefault(batch.name, []).append(left.pop(key))
            elif key in known and any(unit.base == key for members in batches.values() for unit in members):
                message = format_lazy(_("“{unit}” is in two batches. Leave it in one: k raters judge each."), unit=key)
                raise PlanImpossible(message)
    if left:
        sentence = _(
            "“{unit}” is in no batch; {n} units are not. Add them to a batch (step Raters → Batches, or batches.csv)."
        )
        raise PlanImpossible(format_lazy(sentence, unit=next(iter(left)), n=len(left)))
    return batches


def _refuse_long(batches: Mapping[str, Sequence[PlanUnit]], settings: PlanSettings) -> None:
    name, longest = max(((name, len(members)) for name, members in batches.items()), key=lambda batch: batch[1])
    if longest > settings.set_size:
        sentence = _("The batch “{batch}” has {n} units, too many for a set of {set_size}. Choose a set size of {n}.")
        message = format_lazy(sentence, batch=name, n=longest, set_size=settings.set_size)
        raise PlanImpossible(message, {"set_size": longest})


def _refuse_crowded(due: Sequence[tuple[str, Sequence[PlanUnit]]], settings: PlanSettings) -> None:
    """Refuse a spacing that units of one item cannot keep in some batch."""
    crowded = next((name for name, members in due if not _has_room(members, settings.spacing)), None)
    if crowded is not None:
        fits = max(n for n in range(1, settings.spacing) if all(_has_room(members, n) for _name, members in due))
        sentence = _("Units of one item cannot stand {spacing} apart in the batch “{batch}”. Choose a spacing of {n}.")
        message = format_lazy(sentence, spacing=settings.spacing, batch=crowded, n=fits)
        raise PlanImpossible(message, {"spacing": fits})


def _has_room(members: Sequence[PlanUnit], spacing: int) -> bool:
    times = Counter(unit.item for unit in members if unit.item is not None)
    fits = room(len(members), spacing)
    full = sum(n == fits.most for n in times.values())
    return not times or (max(times.values()) <= fits.most and full <= fits.items)
