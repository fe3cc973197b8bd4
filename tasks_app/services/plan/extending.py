"""Add places to the plan of a study while it is open: more judgments for each unit, or more raters."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from tasks_app.designs.base import PlanImpossible, PlanUnit
from tasks_app.designs.filling import Sets
from tasks_app.hooks.signals import extension_asked
from tasks_app.models import Booklet, Extension, Group, Study, Task, Unit, Version, WithdrawnUnit
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.plan import capacity, plans, reports
from tasks_app.services.plan.promises import Line, lines_of

# The verb of asking for more in the log.
EXTENDED = "asked for more judgments"

# The most that is asked for at once. More places are not drawn within a request.
MOST_JUDGMENTS, MOST_RATERS = 50, 5_000


class NotPossible(Exception):
    """Nothing can be added, or not so much; the message says why."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The requested extension: more judgments for each unit, and more raters on top, each with a set of each task."""

    judgments: int
    raters: int


@dataclass(frozen=True, slots=True)
class TaskExtension:
    """The addition to the plan of one task.

    `units` are its units with the places that they had, `booklets` the sets to add. `least` and `most` are the fewest
    and the most judgments of a unit afterwards. `lines` measure the old and the new places together; none where there
    are too many to be read for a page.
    """

    task: Task
    units: tuple[PlanUnit, ...]
    before: int
    booklets: tuple[tuple[PlanUnit, ...], ...]
    arrangements: tuple[Mapping[str, Any], ...]
    least: int
    most: int
    lines: tuple[Line, ...] = ()

    @property
    def places(self) -> int:
        """The number of places that are added."""
        return sum(map(len, self.booklets))

    @property
    def promises(self) -> tuple[Line, ...]:
        """The measures, under the name that the page of the plan has for them."""
        return self.lines


@dataclass(frozen=True, slots=True)
class Prospect:
    """The result of an extension: sets and places by task, raters, minutes of all raters, pay, and its effects."""

    tasks: tuple[TaskExtension, ...]
    raters: int
    sets_left_over: int
    minutes: float
    paid: Decimal
    notes: tuple[str, ...]

    @property
    def places(self) -> int:
        """The number of places that are added in all tasks."""
        return sum(task.places for task in self.tasks)

    @property
    def sets(self) -> int:
        """The number of sets that are added in all tasks."""
        return sum(len(task.booklets) for task in self.tasks)


def prospect(study: Study, wish: Wish) -> Prospect:
    """Draw the sets that would be added, without storing them.

    Raises
    ------
    NotPossible
        Where the study is not open or paused, nothing or too much is asked for, or a design cannot be drawn.
    """
    _refuse(study, wish)
    last = dict(Booklet.objects.filter(task__study=study).order_by().values_list("task").annotate(last=Max("number")))
    tasks = [task for task in reports.planned(study) if task.pk in last]
    if not tasks:
        raise NotPossible(_("No task of this study has a plan that could get more places."))
    number = 1 + (study.extensions.aggregate(last=Max("number"))["last"] or 0)
    drawn = tuple(_task_extension(study, task, wish, number, last[task.pk]) for task in tasks)
    if sum(task.places for task in drawn) > reports.MOST_PLACES:
        raise NotPossible(
            _("This would add more than %(n)d places. Ask for fewer at once.") % {"n": reports.MOST_PLACES}
        )
    return _prospect(study, drawn)


def _refuse(study: Study, wish: Wish) -> None:
    if study.state not in Study.State.UNDER_WAY:
        raise NotPossible(_("Nobody can judge while the study is not open. Open it first."))
    if not (wish.judgments or wish.raters):
        raise NotPossible(_("Say how many judgments per unit, or how many raters, are to be added."))
    if not 0 <= wish.judgments <= MOST_JUDGMENTS or not 0 <= wish.raters <= MOST_RATERS:
        words = {"judgments": MOST_JUDGMENTS, "raters": MOST_RATERS}
        raise NotPossible(
            _("At most %(judgments)d judgments per unit and %(raters)d raters are added at once.") % words
        )


def _task_extension(study: Study, task: Task, wish: Wish, number: int, before: int) -> TaskExtension:
    """Draw the sets that are added to a task after set `before`: those of the judgments, then those of the raters."""
    task.study = study
    units = plans.plan_units(task)
    # A text that was withdrawn is given to nobody any more.
    withdrawn = set(WithdrawnUnit.objects.filter(unit__task=task).values_list("unit__key", flat=True))
    judged = [unit for unit in units if unit.k > 0 and unit.key not in withdrawn]
    if not judged:
        raise NotPossible(_("All texts of the task “%(task)s” are withdrawn.") % {"task": task})
    more = wish.judgments * len(judged) + _sets_for(study, task, wish.raters) * task.set_size
    if more > reports.MOST_PLACES:
        raise NotPossible(
            _("This would add more than %(n)d places. Ask for fewer at once.") % {"n": reports.MOST_PLACES}
        )
    booklets = [*_for_judgments(task, judged, wish, number), *_for_raters(study, task, judged, wish, number)]
    version = study.current_version
    arrangements = tuple(plans.arrange(task, booklets, version, after=units))
    added = Counter(unit.key for booklet in booklets for unit in booklet)
    k = [unit.k + added[unit.key] for unit in judged]
    extension = TaskExtension(task, units, before, tuple(booklets), arrangements, min(k), max(k))
    return replace(extension, lines=tuple(_measured(extension, added)))


def _sets_for(study: Study, task: Task, raters: int) -> int:
    """Return the number of so many raters who are given a task, if some groups are not."""
    own = {task_group.group_id for task_group in task.task_groups.all()}
    if not own:
        return raters
    shares = dict(Group.objects.filter(study=study).values_list("pk", "share"))
    return ceil(Fraction(raters * sum(shares[group] for group in own), sum(shares.values())))


def _for_judgments(task: Task, units: Sequence[PlanUnit], wish: Wish, number: int) -> list[tuple[PlanUnit, ...]]:
    return _drawn(task, units, wish.judgments, number, "judgments") if wish.judgments else []


def _for_raters(
    study: Study, task: Task, units: Sequence[PlanUnit], wish: Wish, number: int
) -> list[tuple[PlanUnit, ...]]:
    """Draw so many sets: the first ones of a plan that is large enough, which is balanced wherever it ends."""
    n = _sets_for(study, task, wish.raters)
    k = ceil(n * task.set_size / max(1, len(units)))
    booklets: list[tuple[PlanUnit, ...]] = []
    while n and len(booklets) < n:
        booklets = _drawn(task, units, k, number, "raters")
        k += 1
    return booklets[:n]


def _drawn(task: Task, units: Sequence[PlanUnit], k: int, number: int, what: str) -> list[tuple[PlanUnit, ...]]:
    """Draw sets in which every unit stands k times, from the study's seed."""
    try:
        return plans.draw_booklets(
            [replace(unit, k=k) for unit in units],
            plans.plan_request_of(task),
            lambda: plans.seeded(task.study, "extension", task.key, task.study.current_version, number, what),
        )
    except PlanImpossible as error:
        sentence = _("The design of the task “%(task)s” has no further sets for this: %(why)s")
        raise NotPossible(sentence % {"task": task, "why": error}) from error


def _measured(extension: TaskExtension, added: Mapping[str, int]) -> Iterator[Line]:
    """Measure the old and the new places of a task together, if they are few enough to be read for a page."""
    task = extension.task
    if sum(unit.k for unit in extension.units) + extension.places > reports.MOST_PLACES:
        return
    old = plans.stored(task, units=extension.units)
    units = tuple(replace(unit, k=unit.k + added.get(unit.key, 0)) for unit in extension.units)
    by_key = {unit.key: unit for unit in units}
    booklets = [*old.booklets, *extension.booklets]
    together = plans.Drawn(
        units,
        tuple(tuple(by_key[unit.key] for unit in booklet) for booklet in booklets),
        (*old.arrangements, *extension.arrangements),
    )
    measures = reports.measured(task, together)
    yield from lines_of(task, measures.drawn, measures.balance, measures.columns, whole=True)


def _prospect(study: Study, drawn: tuple[TaskExtension, ...]) -> Prospect:
    groups = capacity.groups_of_tasks(extension.task for extension in drawn)
    sets = [_sets_of(extension, groups) for extension in drawn]
    takers = capacity.takers_of(study, sets)
    options = study.options
    paid = capacity.paid_in_all(takers, sets, options.amount) if options.amount else Decimal(0)
    most = max(extension.most for extension in drawn)
    answers: Any = [answer for _receiver, answer in extension_asked.send(sender=Study, study=study, most=most)]
    return Prospect(
        drawn,
        takers.raters,
        sum(takers.sets_left_over.values()),
        takers.raters * options.expected_minutes,
        paid,
        tuple(filter(None, answers)),
    )


def _sets_of(extension: TaskExtension, groups: Mapping[int, tuple[int, ...]]) -> Sets:
    n, task = len(extension.booklets), extension.task
    mean = Fraction(extension.places, max(1, n))
    return Sets(task.pk, n, task.set_size, mean, groups.get(task.pk, ()))


@atomically
def extend(*, study_id: int, wish: Wish, click: UUID, places: int, by: events.Actor) -> Sequence[Extension]:
    """Add places to the plan of a study; the same click again returns the places that it added.

    The frozen plan stays as it is: sets are appended, and units get further places. `places` is the number that the
    page showed; where another one would be added now, somebody else has asked meanwhile.

    Raises
    ------
    NotPossible
        As `prospect` does, and where the plan has changed since the page was shown; nothing is changed then.
    """
    lock_claims(study_id)
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    known = list(of_click(study, click))
    if known:
        return known
    about = prospect(study, wish)
    if about.places != places:
        raise NotPossible(_("The plan has changed since this page was shown. Nothing was added. Look at it again."))
    number = 1 + (study.extensions.aggregate(last=Max("number"))["last"] or 0)
    version = Version.objects.get(study=study, number=study.current_version)
    rows = []
    for extension in about.tasks:
        _store(extension, version)
        rows.append(
            Extension(
                study=study,
                task=extension.task,
                number=number,
                judgments=wish.judgments,
                raters=wish.raters,
                after=extension.before,
                sets=len(extension.booklets),
                places=extension.places,
                click=click,
                by_id=getattr(by, "pk", None),
            )
        )
    stored = Extension.objects.bulk_create(rows)
    after = {
        "judgments": wish.judgments,
        "raters": wish.raters,
        "sets": about.sets,
        "places": about.places,
        "new_raters": about.raters,
    }
    events.log(study, by, EXTENDED, about=str(number), after=after)
    return stored


def of_click(study: Study, click: UUID) -> "QuerySet[Extension]":
    """Return the extensions that a form has added already."""
    return study.extensions.filter(click=click).order_by("task__order", "pk")


def _store(extension: TaskExtension, version: Version) -> None:
    """Store the sets of a task, and raise the number of judgments of its units by the places that they got."""
    task = extension.task
    has = {unit.key: unit.k for unit in extension.units}
    ids = dict(Unit.objects.filter(task=task, until=None).values_list("key", "id"))
    plans.write(
        task,
        version,
        extension.booklets,
        ids,
        after=extension.before,
        arrangements=extension.arrangements,
        has=has,
    )
    added = Counter(unit.key for booklet in extension.booklets for unit in booklet)
    by_k: dict[int, list[int]] = {}
    for key, n in added.items():
        by_k.setdefault(has[key] + n, []).append(ids[key])
    for k, units in by_k.items():
        Unit.objects.filter(pk__in=units).update(k=k)
