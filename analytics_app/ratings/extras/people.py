"""The raters of a study: outcome, time and pay of each."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.table import Floats, Mask, Table
from tasks_app.models import Rater, Study
from tasks_app.selectors import pay

# Outcomes of raters; a code is an index into this list, -1 for raters who have not ended.
OUTCOMES = tuple(Rater.Outcome.values)
COMPLETED = OUTCOMES.index(Rater.Outcome.COMPLETED)


@extra
@dataclass(frozen=True, slots=True)
class People(Extra):
    """One entry for each of the table's raters, of the whole study and not of one task.

    `counts` leaves out sandbox raters and raters who came after the run was started. `outcome` is a code into
    OUTCOMES, as it was when the run was started. `minutes` go from consent to the end, long gaps cut, and `paid` is
    what is owed for them, without bonuses; both NaN for whoever had not ended, or ends outside of this tool. `hourly`
    is the least that the study means to pay an hour in its `currency`, NaN where it pays nothing.
    """

    counts: Mask
    imported: Mask
    outcome: NDArray[np.int32]
    minutes: Floats
    paid: Floats
    hourly: float
    currency: str

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the raters of the study, as far as they go back to before the run."""
        names, since = loading.table.names, loading.run.created_at
        study = Study.objects.get(pk=loading.params["study"])
        of_study = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.SANDBOX).exclude(Rater.METRICS)
        raters = list(of_study.order_by("pk"))
        ended = [rater for rater in raters if rater.ended_at is not None and rater.ended_at <= since]
        n = len(names.raters)
        counts, imported = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        outcome = np.full(n, -1, dtype=np.int32)
        minutes, paid = np.full(n, np.nan), np.full(n, np.nan)
        code = dict(zip([rater.pk for rater in raters], _codes(loading, raters), strict=True))
        for rater in raters:
            place = code[rater.pk]
            imported[place] = rater.kind == Rater.Kind.IMPORTED
            counts[place] = imported[place] or rater.enrolled_at <= since
        payees = [rater for rater in ended if rater.kind in Rater.Kind.COUNTED]
        facts = pay.facts_of(study, payees) if payees else None
        offer = pay.offer_of(study.options)
        for rater in ended:
            outcome[code[rater.pk]] = OUTCOMES.index(rater.outcome) if rater.outcome else -1
            if facts is not None and rater.pk in facts.minutes and rater.kind in Rater.Kind.COUNTED:
                minutes[code[rater.pk]] = facts.minutes[rater.pk].paid
                paid[code[rater.pk]] = float(facts.due(rater.pk)) if offer.pays else np.nan
        hourly = float(offer.minimum_hourly) if offer.pays else float("nan")
        return cls(counts, imported, outcome, minutes, paid, hourly, study.options.currency)

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return raters without any facts."""
        n = len(table.names.raters)
        unknown = np.full(n, np.nan)
        flags = np.zeros(n, dtype=bool)
        return cls(flags, flags, np.full(n, -1, dtype=np.int32), unknown, unknown, float("nan"), "")


def _codes(loading: Loading, raters: list[Rater]) -> list[int]:
    ids = np.array([rater.pk for rater in raters], dtype=np.int64)
    return [int(code) for code in rater_codes(loading.table.names, ids)]
