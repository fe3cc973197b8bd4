"""Draw and store the plan: booklets and places, before a study opens."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from tasks_app import designs
from tasks_app.designs.base import Design, PlanImpossible, PlanSettings, PlanUnit, Shape
from tasks_app.designs.engine.more_judgments import with_more
from tasks_app.designs.weaving import room_for_repeats
from tasks_app.models import Booklet, PartOutput, Place, Study, Task, Unit, Version
from tasks_app.services.copying import copy_rows, new_ids
from tasks_app.services.plan.batches import batches_of
from tasks_app.services.plan.wordings import draw_wordings, wordings_of
from tasks_app.settings.checks import checks_of
from tasks_app.task_types.base import WORDINGS

Booklets = Sequence[Sequence[PlanUnit]]

# Rows that are read at a time: of 100,000 units, all rows at once take 100 MiB.
CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The settings with which the plan of a task is drawn, read from a stored task or from a study file."""

    design: Design
    criteria_mode: str
    settings: PlanSettings
    repeats: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plan in memory: its units, booklets in order, and the arrangement of every place in that order."""

    units: tuple[PlanUnit, ...]
    booklets: tuple[tuple[PlanUnit, ...], ...]
    arrangements: tuple[Mapping[str, Any], ...]


def seeded(study: Study, *words: object) -> random.Random:
    """Return a random stream that is the study's own for this purpose, the same whenever it is asked for."""
    return random.Random(":".join(map(str, (study.seed, *words))))  # noqa: S311  reproducible, not secret


def plan_units(task: Task, *, k: int | None = None) -> tuple[PlanUnit, ...]:
    """Return the units of a task as its design reads them; with `k`, as if every unit needed k judgments."""
    return plan_units_of([task], k=k)[task.pk]


def plan_units_of(tasks: Sequence[Task], *, k: int | None = None) -> dict[int, tuple[PlanUnit, ...]]:
    """Return the units of several tasks, by task, as `plan_units` does; two queries, none without tasks."""
    units_of: dict[int, list[PlanUnit]] = {task.pk: [] for task in tasks}
    if not units_of:
        return {}
    shapes: dict[int, dict[int, list[str]]] = {}
    alike: dict[Shape, Shape] = {}  # units of one shape share it
    outputs = (
        PartOutput.objects.filter(part__unit__task__in=units_of, part__unit__until=None)
        .order_by("part__unit_id", "part__number", "id")
        .values_list("part__unit_id", "part__number", "output__system__key")
    )
    for unit_id, number, system in outputs.iterator(CHUNK):
        shapes.setdefault(unit_id, {}).setdefault(number, []).append(system)
    units = (
        Unit.objects.filter(task__in=units_of, until=None, gold=None)
        .order_by("id")
        .values_list("task", "id", "key", "k", "item__key", "item__position", "document__key", "features__criterion")
    )
    for task_id, unit_id, key, own_k, item, position, document, criterion in units.iterator(CHUNK):
        shape = _shape(shapes.pop(unit_id, {}))
        unit = PlanUnit(
            key=key,
            k=own_k if k is None else k,
            item=item,
            document=document,
            position=position or 0,
            shape=alike.setdefault(shape, shape),
            criterion=criterion or "",
        )
        units_of[task_id].append(unit)
    return {task: tuple(units) for task, units in units_of.items()}


def _shape(parts: Mapping[int, Sequence[str]]) -> Shape:
    """Return the systems of each part in canonical order, from those of each number."""
    return tuple(tuple(parts[number]) for number in sorted(parts))


def plan_request_of(task: Task) -> PlanRequest:
    """Read the settings with which the plan of a stored task is drawn."""
    return PlanRequest(
        designs.design_of(task.design, task.design_params),
        task.criteria_mode,
        PlanSettings(task.set_size, task.spacing, batches_of(task.design_params)),
        checks_of(task.checks).repeats,
    )


def share_more(
    units: Sequence[PlanUnit], *, study: Study, task: str, design: str, more: int | None, share: float | None
) -> tuple[PlanUnit, ...]:
    """Give a share of the units of a task more judgments, drawn from the study's seed; all as they are without one."""
    if more is None or share is None:
        return tuple(units)
    by_document = designs.registry[design].by_document
    return tuple(with_more(units, more, share, seeded(study, "k", task), by_document=by_document))


def draw_booklets(
    units: Sequence[PlanUnit], plan_request: PlanRequest, stream: Callable[[], random.Random]
) -> list[tuple[PlanUnit, ...]]:
    """Draw the booklets of a task; every try begins with a stream of its own.

    Raises
    ------
    tasks_app.designs.base.PlanImpossible
        With the nearest settings that work, named as in the study file, such as `set_size` and `checks.repeats`.
    """

    def drawn(settings: PlanSettings, units: Sequence[PlanUnit] = units) -> list[tuple[PlanUnit, ...]]:
        return designs.draw_booklets(plan_request.design, units, settings, plan_request.criteria_mode, stream())

    def works(settings: PlanSettings, units: Sequence[PlanUnit] = units) -> bool:
        try:
            drawn(settings, units)
        except PlanImpossible:
            return False
        return True

    try:
        booklets = drawn(plan_request.settings)
    except PlanImpossible as error:
        least = min((unit.k for unit in units), default=0)
        needing_more = [unit for unit in units if unit.k > least]
        if needing_more and works(plan_request.settings, [replace(unit, k=least) for unit in units]):
            raise _too_few_more(error, needing_more) from error
        raise
    size = max(map(len, booklets))
    if plan_request.repeats > room_for_repeats(size, plan_request.settings.spacing):
        raise _no_room(size, plan_request, works)
    return booklets


def _too_few_more(error: PlanImpossible, needing_more: Sequence[PlanUnit]) -> PlanImpossible:
    """Return the error that too few units get more judgments, so that the last sets would hold nothing else."""
    items = len({unit.item or unit.key for unit in needing_more})
    sentence = _(
        "The units with more judgments come last, on their own, and they are of %(items)d items only: a larger "
        "k_more_share gives the last sets more to choose from, and with the same k for all these settings work."
    )
    return PlanImpossible(f"{error} {sentence % {'items': items}}", error.nearest)


def _no_room(size: int, plan_request: PlanRequest, works: Callable[[PlanSettings], bool]) -> PlanImpossible:
    """Return the error that repeats do not fit into a set, with the settings that have room for them."""
    settings, repeats = plan_request.settings, plan_request.repeats
    nearest = {"checks.repeats": room_for_repeats(size, settings.spacing)}
    nearer = replace(settings, spacing=size - repeats + 1)
    if nearer.spacing >= 1 and works(nearer):
        nearest["spacing"] = nearer.spacing
    larger = replace(settings, set_size=repeats + max(1, settings.spacing) - 1)
    if works(larger):
        nearest["set_size"] = larger.set_size
    sentence = _(
        "A unit can come again %(spacing)d places later only, and a set of %(size)d has room for %(room)d such "
        "repeats, not for %(repeats)d. Choose fewer repeats, a smaller spacing or a larger set."
    )
    words = {"spacing": settings.spacing, "size": size, "room": nearest["checks.repeats"], "repeats": repeats}
    return PlanImpossible(sentence % words, nearest)


def draw(task: Task, version: int) -> Drawn:
    """Draw the plan of a task from the study's seed, without storing it.

    Raises
    ------
    tasks_app.designs.base.PlanImpossible
        With the nearest settings that work.
    """
    return drawn_of(task, plan_units(task), version)


def drawn_of(task: Task, units: tuple[PlanUnit, ...], version: int) -> Drawn:
    """Draw the plan of a task from units that are already read. Raises PlanImpossible."""
    booklets = _booklets_of(task, units, version)
    return Drawn(units, tuple(booklets), tuple(arrange(task, booklets, version)))


def _booklets_of(task: Task, units: Sequence[PlanUnit], version: int) -> list[tuple[PlanUnit, ...]]:
    return draw_booklets(units, plan_request_of(task), lambda: seeded(task.study, "plan", task.key, version))


def store(task: Task, version: Version) -> None:
    """Draw the plan of a task and store its booklets and places, in a transaction of the caller's."""
    booklets = _booklets_of(task, plan_units(task), version.number)
    write(task, version, booklets, ids_of_units(task))


def ids_of_units(task: Task) -> dict[str, int]:
    """Return the ids of the units of a task, by key."""
    return dict(Unit.objects.filter(task=task, until=None).values_list("key", "id").iterator(CHUNK))


def write(
    task: Task,
    version: Version,
    drawn: Booklets,
    ids: Mapping[str, int],
    *,
    after: int = 0,
    arrangements: Iterable[Mapping[str, Any]] | None = None,
    has: Mapping[str, int] | None = None,
) -> None:
    """Store booklets, numbered after those there are, and the places of their units.

    `has` is the number of places that each unit has already, by key; none without it.
    """
    booklets = new_ids(Booklet, len(drawn))
    copy_rows(
        Booklet,
        ("id", "version_id", "task_id", "number", "state"),
        (
            (booklet, version.pk, task.pk, number, Booklet.State.FREE.value)
            for number, booklet in enumerate(booklets, start=after + 1)
        ),
    )
    each = _as_json(arrangements if arrangements is not None else arrange(task, drawn, version.number))
    counts = dict(has or {})

    def places() -> Iterator[tuple[object, ...]]:
        for booklet, units in zip(booklets, drawn, strict=True):
            for order, unit in enumerate(units, start=1):
                counts[unit.key] = counts.get(unit.key, 0) + 1
                yield ids[unit.key], counts[unit.key], booklet, order, next(each)

    copy_rows(Place, ("unit_id", "number", "booklet_id", "order", "arrangement"), places())


def _as_json(arrangements: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Write arrangements as JSON; of screens with one text, all are alike."""
    last, text = None, ""
    for arrangement in arrangements:
        if arrangement != last:
            last, text = arrangement, json.dumps(arrangement)
        yield text


def arrange(
    task: Task, booklets: Booklets, version: int, *, after: Sequence[PlanUnit] = ()
) -> Iterator[dict[str, object]]:
    """Yield the arrangement of every place in the order of booklets, balanced among units of one shape.

    `after` are the units of a stored plan, with the places that they have: arrangements go on where it ended. All
    places of a booklet have the same wordings.
    """
    kind = task.kind
    keys = wordings_of(task)
    rng = seeded(task.study, WORDINGS, task.key, version, sum(unit.k for unit in after))
    drawn = draw_wordings(booklets, keys, rng) if keys else []
    arranged: Counter[tuple[object, ...]] = Counter()
    for unit in after:
        arranged[_alike(unit)] += unit.k
    streams: dict[tuple[object, ...], Iterator[dict[str, object]]] = {}
    for number, booklet in enumerate(booklets):
        of_booklet = {WORDINGS: drawn[number]} if drawn and drawn[number] else {}
        for unit in booklet:
            alike = _alike(unit)
            if alike not in streams:
                of_alike = seeded(task.study, "arrangement", task.key, version, *alike)
                streams[alike] = islice(kind.arrange(len(unit.shape), of_alike), arranged[alike], None)
            yield {**next(streams[alike]), **of_booklet}


def _alike(unit: PlanUnit) -> tuple[object, ...]:
    """Return the key that units share if their arrangements are balanced together."""
    return (unit.shape, unit.criterion) if unit.criterion else (unit.shape,)


def stored(task: Task, most: int | None = None, units: tuple[PlanUnit, ...] | None = None) -> Drawn:
    """Read the stored plan of a task back; with `most`, whole booklets from the first on with about so many places.

    `units` are those of the task, where they have been read already.
    """
    units = plan_units(task) if units is None else units
    by_key = {unit.key: unit for unit in units}
    booklets: list[list[PlanUnit]] = []
    arrangements: list[Mapping[str, Any]] = []
    last = 0
    for number, _order, key, arrangement in places_of(task):
        if number != last:
            if most is not None and len(arrangements) >= most:
                break
            booklets.append([])
            last = number
        booklets[-1].append(by_key[key])
        arrangements.append(arrangement)
    return Drawn(units, tuple(map(tuple, booklets)), tuple(arrangements))


def places_of(task: Task) -> Iterator[tuple[int, int, str, Mapping[str, Any]]]:
    """Yield the stored places of a task in the order of booklets: booklet, order, unit, arrangement."""
    places = Place.objects.filter(booklet__task=task).order_by("booklet__number", "order")
    yield from places.values_list("booklet__number", "order", "unit__key", "arrangement").iterator(chunk_size=5000)
