"""The facts that opening a study would freeze, and the trials before, in numbers and names."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, OuterRef, Prefetch, Subquery

from tasks_app.models import (
    ConsentText,
    Criterion,
    Event,
    Extension,
    Gold,
    Rater,
    Study,
    Task,
    TaskGroup,
    Withdrawal,
)
from tasks_app.selectors import evaluated
from tasks_app.selectors.studies import number_of


@dataclass(frozen=True, slots=True)
class OpeningFacts:
    """The parts of a study, and the people who have tried it out.

    `tasks` are in their order, with their groups. `known` counts the units with a known answer, `completed` the raters
    who have completed it, on trial or not, and `completed_trials` those on trial. `viewed_at` and `viewed_by` say who
    has looked at its arrival page last, `rehearsed_at` and `rehearsed_by` who has begun to rate it on trial last while
    it was a draft, and `finished_at` when somebody first rated all of it so; None where nobody has.
    """

    tasks: Sequence[Task]
    criteria: Sequence[str]
    consent_languages: Sequence[str]
    items: int
    outputs: int
    systems: int
    known: int
    completed: int
    completed_trials: int
    viewed_at: datetime | None
    viewed_by: str | None
    rehearsed_at: datetime | None
    rehearsed_by: str | None
    finished_at: datetime | None
    withdrawn: int
    extensions: int


def opening_facts(study: Study) -> OpeningFacts:
    """Read the tasks and the numbers of a study; three queries."""
    with_groups = Prefetch("task_groups", TaskGroup.objects.select_related("group"))
    tasks = list(Task.objects.filter(study=study, until=None).prefetch_related(with_groups).order_by("order", "id"))
    for task in tasks:
        task.study = study
    own = OuterRef("pk")
    known = Gold.objects.filter(
        unit__task__study=own, unit__task__until=None, unit__task__stage=Task.Stage.MAIN, unit__until=None
    )
    completed = Rater.objects.filter(study=own, outcome=Rater.Outcome.COMPLETED)
    people = completed.filter(kind__in=(Rater.Kind.REAL, Rater.Kind.SANDBOX), erased_at=None)
    tries = Event.objects.filter(study=own, verb=Event.TRIED).order_by("-id")
    views, trials = tries.exclude(object__in=Event.ON_TRIAL), tries.filter(object=Event.REHEARSAL)
    numbers = {
        "items": number_of(evaluated.items(study).order_by().values("study"), Count("id")),
        "outputs": number_of(evaluated.outputs(study).order_by().values("system__study"), Count("id")),
        "systems": number_of(evaluated.systems(study).order_by().values("study"), Count("id")),
        "known": number_of(known.order_by().values("unit__task__study"), Count("unit", distinct=True)),
        "completed": number_of(people.order_by().values("study"), Count("id")),
        "completed_trials": number_of(
            completed.filter(kind=Rater.Kind.SANDBOX).order_by().values("study"), Count("id")
        ),
        "criteria": ArraySubquery(Criterion.objects.filter(study=own, until=None).order_by("id").values("name")),
        "consent_languages": ArraySubquery(
            ConsentText.objects.filter(study=own).order_by("language").values("language")
        ),
        "viewed_at": Subquery(views.values("at")[:1]),
        "viewed_by": Subquery(views.values("actor__username")[:1]),
        "rehearsed_at": Subquery(trials.values("at")[:1]),
        "rehearsed_by": Subquery(trials.values("actor__username")[:1]),
        "withdrawn": number_of(
            Withdrawal.objects.filter(Withdrawal.IN_FORCE, study=own).order_by().values("study"), Count("id")
        ),
        "extensions": number_of(Extension.objects.filter(study=own).order_by().values("study"), Count("id")),
        "finished_at": Subquery(tries.filter(object=Event.WHOLE_REHEARSAL).values("at")[:1]),
    }
    renamed = {f"n_{name}": expression for name, expression in numbers.items()}
    counted = Study.objects.filter(pk=study.pk).annotate(**renamed).values(*renamed).get()
    return OpeningFacts(tasks=tasks, **{name.removeprefix("n_"): value for name, value in counted.items()})
