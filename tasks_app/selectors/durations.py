"""The minutes that raters really took for their sets."""

from dataclasses import dataclass

from tasks_app import pay
from tasks_app.models import Rater, Study
from tasks_app.selectors.pay import minutes_of

# The median of the last ones: enough to be steady, few enough to be measured for a page.
LAST = 51
ENOUGH = 5


@dataclass(frozen=True, slots=True)
class MeasuredMinutes:
    """The median minutes of raters who completed, and how many they were; `on_trial` where they only tried it out."""

    minutes: float
    raters: int
    on_trial: bool

    @property
    def is_enough(self) -> bool:
        """Whether so many took part that their times tell more than an estimate."""
        return self.raters >= ENOUGH and not self.on_trial


def measured(study: Study) -> MeasuredMinutes | None:
    """Measure the last raters who completed, else those who tried the study out; None before anybody has."""
    kinds = (Rater.Kind.REAL, Rater.Kind.SANDBOX)
    completed = Rater.objects.filter(study=study, kind__in=kinds, outcome=Rater.Outcome.COMPLETED, erased_at=None)
    # Real raters come first by the alphabet as well.
    recent = list(completed.order_by("kind", "-ended_at").values_list("pk", "kind")[:LAST])
    raters = [pk for pk, kind in recent if kind == recent[0][1]]
    times = [minutes.paid for minutes in minutes_of(study, raters).values() if minutes.paid > 0] if raters else []
    if (shares := pay.quartiles(times)) is None:
        return None
    return MeasuredMinutes(shares.median, shares.n, on_trial=recent[0][1] == Rater.Kind.SANDBOX)
