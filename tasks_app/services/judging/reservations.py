"""Sets that are kept for invited people: they get their set and no other of its task, and nobody else gets it.

A set can be reserved as long as nobody was given it, and stays reserved until a researcher releases it or takes the
invitation back. What its person skipped, or answered in vain, is open to others: they do not meet it again. Who only
tries a study out takes no place, and is shown reserved sets as well. Reserving needs the study's claims lock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks_app.models import Booklet, Invitation, Rater, Study, Task, is_withdrawn
from tasks_app.models.statements import rows
from tasks_app.services.plan.batches import batches_of

# Conditions on a booklet `b`, and on a place `p` of it: kept for somebody else than the invitation %(own)s.
SET_KEPT = "EXISTS (SELECT 1 FROM tasks_app_invitation i WHERE i.booklet_id = b.id AND i.id IS DISTINCT FROM %(own)s)"
PLACE_KEPT = """EXISTS (
    SELECT 1 FROM tasks_app_invitation i WHERE i.booklet_id = b.id AND i.id IS DISTINCT FROM %(own)s
    AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment d WHERE d.place_id = p.id AND d.rater_id = i.rater_id
                    AND d.state IN ('skipped', 'replaced')))"""


def invitation_of(rater: Rater) -> int | None:
    """Return the invitation that a rater came by, or None."""
    pk: int | None = Invitation.objects.filter(rater=rater).values_list("pk", flat=True).first()
    return pk


def reserved_set(invitation: int | None, task: Task) -> int | None:
    """Return the booklet of a task that is kept for an invitation, or None."""
    if invitation is None:
        return None
    booklets = Booklet.objects.filter(invitation=invitation, task=task)
    booklet: int | None = booklets.values_list("pk", flat=True).first()
    return booklet


def has_places(booklet: int, invitation: int) -> bool:
    """Return whether a reserved set has a place that its person can still be given."""
    return bool(
        rows(
            f"""SELECT EXISTS (SELECT 1 FROM tasks_app_place p WHERE p.booklet_id = %(booklet)s
                   AND NOT {is_withdrawn("p.unit_id")}
                   AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a
                                   WHERE a.place_id = p.id AND a.state IN ('reserved', 'live', 'submitted'))
                   AND NOT EXISTS (SELECT 1 FROM tasks_app_assignment a JOIN tasks_app_invitation i
                                   ON i.rater_id = a.rater_id WHERE i.id = %(own)s
                                   AND a.unit_id = p.unit_id AND a.purpose IN ('main', 'warm_up')))""",  # noqa: S608  its parts are constants of the code
            {"booklet": booklet, "own": invitation},
        )[0][0]
    )


@dataclass(frozen=True, slots=True)
class FreeSet:
    """A set that can be reserved: its booklet, and the only group of raters that may have it ("" for all)."""

    booklet: int
    number: int
    group: str


@dataclass(frozen=True, slots=True)
class TaskSets:
    """The sets of a task: how many there are, those that can be reserved by their numbers, and its batches.

    `batches` lists the sets of each batch by its name; `groups` are those that the task is for, none for all.
    """

    n: int
    free: Mapping[int, FreeSet]
    batches: Mapping[str, Sequence[int]]
    groups: frozenset[str]


def sets_of(study: Study) -> dict[str, TaskSets]:
    """Return the sets of each task of a study, by its key; none before the study is opened."""
    tasks = Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN).order_by("order", "id")
    by_task = {}
    for task in tasks.prefetch_related("task_groups__group"):
        booklets = Booklet.objects.filter(task=task)
        free = booklets.filter(state=Booklet.State.FREE, invitation=None).order_by("number")
        numbers = free.values_list("pk", "number", "group__key")
        by_task[task.key] = TaskSets(
            booklets.count(),
            {number: FreeSet(pk, number, group or "") for pk, number, group in numbers},
            _batches(task),
            frozenset(task_group.group.key for task_group in task.task_groups.all()),
        )
    return by_task


def _batches(task: Task) -> dict[str, list[int]]:
    """Return the numbers of the sets of each batch: of the booklets with its first unit."""
    units = {batch.units[0]: batch.name for batch in batches_of(task.design_params) if batch.units}
    if not units:
        return {}
    booklets = Booklet.objects.filter(task=task).order_by("number")
    rows_of = booklets.values_list("number", "places__unit__key", "places__unit__features__criterion").distinct()
    batches: dict[str, list[int]] = {name: [] for name in units.values()}
    for number, key, criterion in rows_of:
        name = units.get(key.removesuffix(f"@{criterion}") if criterion else key)
        if name is not None and number not in batches[name]:
            batches[name].append(number)
    return batches


def may_reserve(booklet: int, study: Study) -> bool:
    """Return whether a set was given to nobody and is reserved for nobody; under the claims lock."""
    free = Booklet.objects.filter(pk=booklet, task__study=study, state=Booklet.State.FREE, invitation=None)
    return free.exists()
