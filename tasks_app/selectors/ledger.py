"""The pay of a whole study: time, amounts and pay per hour of every rater, and the totals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from django.db.models import QuerySet

from tasks_app import pay
from tasks_app.models import Rater, Study
from tasks_app.selectors import pay as reads


@dataclass(frozen=True, slots=True)
class Entry:
    """One rater: our name for them, their time, their work, their pay."""

    rater: Rater
    minutes: reads.Minutes
    units: int
    due: Decimal
    booked: reads.PaymentSums
    minimum: Decimal

    @property
    def ended(self) -> bool:
        """Whether the rater has ended; before the end, the amount due is only a preview."""
        return self.rater.state == Rater.State.ENDED

    @property
    def earned(self) -> Decimal:
        """The recorded pay, or else the pay that is due so far."""
        return self.booked.earned or self.due

    @property
    def hourly(self) -> Decimal | None:
        """The rater's pay per hour, bonuses included; None where no time passed, or before the end."""
        return pay.hourly(self.booked.earned + self.booked.bonus, self.minutes.paid) if self.ended else None

    @property
    def shortfall(self) -> Decimal:
        """The amount missing to the study's minimum per hour; 0 if the rater's pay is withheld."""
        if not self.ended or self.booked.withheld or not self.booked.earned:
            return pay.NOTHING
        return pay.shortfall(self.minimum, self.booked.earned + self.booked.bonus, self.minutes.paid)


@dataclass(frozen=True)
class Ledger:
    """Every rater of a study who may be paid, and sums over those who have ended."""

    offer: pay.Offer
    entries: tuple[Entry, ...]

    def _sum(self, amounts: Iterable[Decimal]) -> Decimal:
        return sum(amounts, pay.NOTHING)

    @cached_property
    def earned(self) -> Decimal:
        """Pay and part pay."""
        return self._sum(entry.booked.earned for entry in self.entries)

    @cached_property
    def so_far(self) -> Decimal:
        """Pay and bonuses of people so far, also of those who have not ended, less withheld pay; without fees."""
        real = (entry for entry in self.entries if entry.rater.kind == Rater.Kind.REAL)
        return self._sum(
            max(entry.booked.earned, entry.due) + entry.booked.bonus - entry.booked.withheld for entry in real
        )

    @cached_property
    def bonus(self) -> Decimal:
        """Bonuses."""
        return self._sum(entry.booked.bonus for entry in self.entries)

    @cached_property
    def withheld(self) -> Decimal:
        """The amount that is not paid, for written reasons."""
        return self._sum(entry.booked.withheld for entry in self.entries)

    @cached_property
    def settled(self) -> Decimal:
        """The amount that was paid."""
        return self._sum(entry.booked.settled for entry in self.entries)

    @cached_property
    def open(self) -> Decimal:
        """The amount that is still to be paid."""
        return self._sum(entry.booked.open for entry in self.entries)

    @cached_property
    def times(self) -> pay.Quartiles | None:
        """Minutes of those who completed, for one full set each."""
        return pay.quartiles(self.minutes_for_a_set)

    @cached_property
    def minutes_for_a_set(self) -> list[float]:
        """Minutes of each rater who completed, for one full set."""
        return [self.for_a_set(entry) for entry in self._completed()]

    def _completed(self) -> list[Entry]:
        """Return the people who completed; how long simulated raters take says nothing about anybody."""
        completed = (entry for entry in self.entries if entry.rater.outcome == Rater.Outcome.COMPLETED)
        return [entry for entry in completed if entry.rater.kind == Rater.Kind.REAL and entry.minutes.paid > 0]

    def for_a_set(self, entry: Entry) -> float:
        """Return the minutes of a rater for one full set."""
        sets = float(entry.due / self.offer.amount) if self.offer.amount and entry.due else 1.0
        return entry.minutes.paid / sets

    @property
    def hourly(self) -> Decimal | None:
        """The pay for a full set over the median time; None before anybody has completed."""
        return pay.hourly(self.offer.amount, self.times.median) if self.times else None

    @property
    def needed(self) -> Decimal:
        """The pay for a full set that meets the minimum pay per hour, by the median time."""
        return pay.needed(self.offer.minimum_hourly, self.times.median) if self.times else pay.NOTHING

    @property
    def missing(self) -> Decimal:
        """The bonus for everybody with which the minimum pay per hour would be reached."""
        return max(pay.NOTHING, self.needed - self.offer.amount) if self.offer.pays else pay.NOTHING

    @cached_property
    def shortfalls(self) -> dict[int, Decimal]:
        """By rater, the amount missing to the minimum pay per hour in their own time."""
        return {entry.rater.pk: entry.shortfall for entry in self.entries if entry.shortfall}

    @property
    def missing_bonuses(self) -> Decimal:
        """The sum of all missing bonuses."""
        return self._sum(self.shortfalls.values())

    @cached_property
    def unfinished(self) -> int:
        """The number of raters who have begun and not ended."""
        return sum(not entry.ended for entry in self.entries)


def raters_of(study: Study, *, simulated: bool) -> QuerySet[Rater]:
    """Return the raters of a study who may be paid: never imported ones or people trying it out."""
    kinds = Rater.Kind.COUNTED if simulated else (Rater.Kind.REAL,)
    return Rater.objects.filter(study=study, kind__in=kinds).order_by("id")


def ledger_of(
    study: Study, raters: Iterable[Rater], facts: reads.Facts, booked: Mapping[int, reads.PaymentSums]
) -> Ledger:
    """Make the ledger from the rows that were read."""
    offer = reads.offer_of(study.options)
    entries = (
        Entry(
            rater,
            facts.minutes.get(rater.pk, reads.Minutes()),
            sum(work.answered for work in facts.sets.get(rater.pk, ())),
            facts.due(rater.pk),
            booked.get(rater.pk, reads.PaymentSums()),
            offer.minimum_hourly,
        )
        for rater in raters
    )
    return Ledger(offer, tuple(entries))
