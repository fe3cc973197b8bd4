"""Compute the pay that a rater is owed, and pay per hour: exact to the cent, rounded in the rater's favour.

Nothing here knows how well anybody judged: who is paid, and how much, follows from what was given and answered.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
WHOLE = Fraction(1)

COMPLETED, SCREENED_OUT, FAILED, FULL = "completed", "screened_out", "failed", "full"
# Screened-out raters get at least the share that was announced.
SENT_AWAY = frozenset({SCREENED_OUT, FAILED, FULL})


def cents(amount: Fraction) -> Decimal:
    """Round up to the cent: nobody is paid less than was announced."""
    return (Decimal(ceil(amount * 100)) * CENT).quantize(CENT)


def pay_for(full_sets: Fraction, amount: Decimal) -> Decimal:
    """Return the pay for so many full sets, of which each is paid this amount, to the nearest cent."""
    return (amount * full_sets.numerator / full_sets.denominator).quantize(CENT)


@dataclass(frozen=True, slots=True)
class Offer:
    """The offer of a study above the consent button: the pay for a full set, and the minutes it should take."""

    amount: Decimal
    part_amount: Decimal
    part_by_time: bool
    minutes: float
    minimum_hourly: Decimal

    @property
    def pays(self) -> bool:
        """Whether anybody can be owed anything."""
        return bool(self.amount or self.part_amount)

    @property
    def hourly(self) -> Decimal:
        """The pay per hour for the expected minutes."""
        return hourly(self.amount, self.minutes) or NOTHING

    @property
    def is_enough(self) -> bool:
        """Whether the expected minutes are paid at least as the study's own minimum says."""
        return self.amount >= needed(self.minimum_hourly, self.minutes)


@dataclass(frozen=True, slots=True)
class SetWork:
    """One set: the number of its units to judge and of those answered, and the same for all its units."""

    task: int
    main: int
    judged: int
    asked: int
    answered: int


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a rater in full sets, given and done; and the share that was answered, with training and checks."""

    given: Fraction = Fraction(0)
    judged: Fraction = Fraction(0)
    done: Fraction = Fraction(0)
    judged_units: int = 0


def work_of(sets: Iterable[SetWork], full: Mapping[int, int]) -> Work:
    """Add up sets; `full` is how many units a full set of each task has that the rater is to judge.

    A set with more units than a full one counts as full: the pay is for a set.
    """
    listed = list(sets)
    whole = sum(full.values())
    if not whole:
        return Work()
    given = sum(min(set_work.main, full.get(set_work.task, 0)) for set_work in listed)
    judged = sum(min(set_work.judged, full.get(set_work.task, 0)) for set_work in listed)
    n_asked = sum(set_work.asked for set_work in listed)
    n_answered = sum(set_work.answered for set_work in listed)
    return Work(
        Fraction(given, whole),
        Fraction(judged, whole),
        Fraction(n_answered, n_asked) if n_asked else Fraction(0),
        sum(set_work.judged for set_work in listed),
    )


def due(offer: Offer, outcome: str, work: Work, minutes: float = 0.0) -> Decimal:
    """Return the pay of a rater who ended this way, without bonuses.

    Completed: the pay for every set, in proportion where it was shorter. Whoever stops, or is taken off by a platform:
    in proportion to what was answered, training included. Screened out, failed or turned away: the announced part, by
    time where the study says so and that is more; and never less than in proportion, once units were judged.
    """
    amount = Fraction(offer.amount)
    if outcome == COMPLETED:
        return cents(amount * work.judged)
    so_far = amount * work.given * work.done
    if outcome not in SENT_AWAY:
        return cents(so_far)
    part = Fraction(offer.part_amount)
    if offer.part_by_time:
        part = max(part, amount * min(WHOLE, Fraction(minutes) / Fraction(offer.minutes)))
    return cents(max(part, so_far) if work.judged_units else part)


def hourly(amount: Decimal, minutes: float) -> Decimal | None:
    """Return the pay per hour of an amount for so many minutes, rounded down; None where no time passed."""
    if minutes <= 0:
        return None
    return (Decimal(int(Fraction(amount) * 6000 / Fraction(minutes))) * CENT).quantize(CENT)


def needed(minimum: Decimal, minutes: float) -> Decimal:
    """Return the amount for so many minutes at the minimum pay per hour."""
    return cents(Fraction(minimum) * Fraction(minutes) / 60)


def shortfall(minimum: Decimal, paid: Decimal, minutes: float) -> Decimal:
    """Return the amount missing from the pay for so many minutes to the minimum per hour; 0 where it is reached."""
    return max(NOTHING, needed(minimum, minutes) - paid)


@dataclass(frozen=True, slots=True)
class Quartiles:
    """A quarter, half and three quarters of the values are at most these."""

    low: float
    median: float
    high: float
    n: int


def quartiles(values: Sequence[float]) -> Quartiles | None:
    """Return median and quartiles, interpolated linearly (type 7 of Hyndman and Fan); None without values."""
    ordered = sorted(values)
    if not ordered:
        return None

    def at(share: float) -> float:
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (place - below)

    return Quartiles(at(0.25), at(0.5), at(0.75), len(ordered))
