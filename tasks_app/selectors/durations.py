"""How long raters really took for what they were given."""

from __future__ import annotations

from dataclasses import dataclass

from tasks_app import pay
from tasks_app.models import Rater, Study
from tasks_app.selectors.pay import minutes_of

# The median of the last ones: enough to be steady, few enough to be measured for a page.
LAST = 51


@dataclass(frozen=True, slots=True)
class Measured:
    """The median minutes of raters who completed, and how many they were; `on_trial` where they only tried it out."""

    minutes: float
    raters: int
    on_trial: bool


def measured(study: Study) -> Measured | None:
    """Measure the last raters who completed, else those who tried the study out; None before anybody has."""
    for kind in (Rater.Kind.REAL, Rater.Kind.SANDBOX):
        completed = Rater.objects.filter(study=study, kind=kind, outcome=Rater.Outcome.COMPLETED, erased_at=None)
        raters = list(completed.order_by("-ended_at").values_list("pk", flat=True)[:LAST])
        times = [one.paid for one in minutes_of(study, raters).values() if one.paid > 0] if raters else []
        if (found := pay.quartiles(times)) is not None:
            return Measured(found.median, found.n, on_trial=kind == Rater.Kind.SANDBOX)
    return None
