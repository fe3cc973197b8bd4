"""Send the texts that a run could not decide to experts: the texts to send, and their cost (docs/routing.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow, Run, RunState
from tasks_app.models import Study, Task, TaskCriterion, Unit
from tasks_app.pay import cents
from tasks_app.selectors import routing as texts
from tasks_app.services.events import Actor
from tasks_app.services.plan import routing
from tasks_app.services.plan.routing import NotNow, SentTexts

__all__ = ["NotNow", "Offer", "SentTexts", "offers", "send"]

# The slice of an uncertain text begins with ABOUT; AFTER may follow the text's name.
ABOUT, AFTER = "text=", "; system!="


@dataclass(frozen=True, slots=True)
class Offer:
    """Texts that can be sent to a task of experts after a run, and their cost.

    `uncertain` counts the texts whose label the run is not sure of; `units` are the units of the experts' task that
    were not sent yet, the least certain first.
    """

    task: Task
    source: str
    uncertain: int
    threshold: float | None
    units: tuple[int, ...]
    amount: Decimal
    currency: str

    @property
    def texts(self) -> int:
        """Number of texts that would be sent."""
        return len(self.units)

    @property
    def judgments(self) -> int:
        """Number of judgments that the texts need."""
        return self.texts * self.task.k

    @property
    def sets(self) -> int:
        """Least number of sets (one per expert) for these judgments."""
        return ceil(self.judgments / self.task.set_size)

    @property
    def cost(self) -> Decimal:
        """Cost of these judgments at the study's pay for a set."""
        return cents(Fraction(self.amount) * self.judgments / self.task.set_size)


def offers(run: Run) -> list[Offer]:
    """Return one offer for each task on request, after a run that is done."""
    study = run.study
    if run.state != RunState.DONE:
        return []
    return [_offer(run, study, task) for task in texts.on_request(study)]


def send(*, run: Run, task: str, by: Actor, at_most: int | None = None) -> SentTexts:
    """Send the texts that a run is not sure of to a task of experts, the least certain first.

    Texts that were sent before are not sent again, so pressing the button twice sends nothing more.

    Raises
    ------
    NotNow
        Where the study is not open, or has no such task; the message says what to do.
    """
    offer = next((offer for offer in offers(run) if offer.task.key == task), None)
    if offer is None:
        raise NotNow(_("There is no expert task to send texts to."))
    about = _("run %(number)s") % {"number": run.number}
    return routing.send(study=run.study, task=offer.task, units=offer.units[:at_most], about=about, by=by)


def _offer(run: Run, study: Study, task: Task) -> Offer:
    source = texts.source_of(task)
    rows = _uncertain(run, source, _asked(task))
    # With several criteria, a text is placed by its least certain label.
    names = list(dict.fromkeys(str(row.slice).removeprefix(ABOUT).partition(AFTER)[0] for row in rows))
    of_source = Unit.objects.filter(task__study=study, task__key=source, task__until=None, until=None, key__in=names)
    unit_of = dict(of_source.values_list("key", "pk"))
    shared = texts.same_texts(task, list(unit_of.values()))
    unsent = set(texts.unsent(task).values_list("pk", flat=True))
    units = dict.fromkeys(shared[unit_of[name]] for name in names if unit_of.get(name) in shared)
    return Offer(
        task=task,
        source=source,
        uncertain=len(names),
        threshold=next((row.settings["threshold"] for row in rows if row.settings), None),
        units=tuple(unit for unit in units if unit in unsent),
        amount=study.options.amount,
        currency=study.options.currency,
    )


def _asked(task: Task) -> list[str]:
    """Return the criteria of a task, without the follow-up questions that only some labels have."""
    follow_ups = {criterion.key for criterion in task.kind.brings()}
    keys = TaskCriterion.objects.filter(task=task).values_list("criterion__key", flat=True)
    return [key for key in keys if key not in follow_ups]


def _uncertain(run: Run, source: str, criteria: Sequence[str]) -> list[ResultRow]:
    rows = ResultRow.objects.filter(run=run, task=source, criterion__in=criteria, statistic="uncertain_text")
    return list(rows.filter(basis="kept", group=None, wave=None).order_by("value", "order"))
