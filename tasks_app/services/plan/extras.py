"""Contents of sets besides the units to judge: training, exam, warm-up, controls, repeats, degraded copies."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks_app.designs import weaving
from tasks_app.designs.base import PlanUnit
from tasks_app.models import Gold, Task, Unit
from tasks_app.services.judging import sets
from tasks_app.settings.checks import CheckSettings, checks_of

Purpose = Gold.Purpose


@dataclass(frozen=True, slots=True)
class SetContents:
    """The contents of a rater's first set."""

    training: int
    exam: int
    warm_up: int
    units: int
    controls: int
    attention: int
    repeats: int
    degraded: int

    @property
    def screens(self) -> int:
        """All screens, where the exam is passed at once."""
        judged = self.units + self.controls + self.attention + self.repeats + self.degraded
        return self.training + self.exam + self.warm_up + judged


@dataclass(frozen=True, slots=True)
class Extras:
    """Every set of a plan, and how many repeats and degraded copies each system gets.

    Counted as sets are put together when raters take them one after another, each a new one.
    """

    sets: tuple[SetContents, ...]
    repeats: Mapping[str, int]
    degraded: Mapping[str, int]


def extras_of(
    task: Task, units: Sequence[PlanUnit], booklets: Sequence[Sequence[PlanUnit]], known: sets.Known | None = None
) -> Extras:
    """Put every set of a plan together as a claim does, and count its contents.

    `known` are the units of the task with known answers, if they have been read already.
    """
    checks = checks_of(task.checks)
    counting = _Counting(task, checks, units, sets.known_units(task) if known is None else known)
    contents = tuple(counting.contents(booklet, turn) for turn, booklet in enumerate(booklets, start=1))
    return Extras(contents, counting.used[weaving.REPEAT], counting.used[weaving.DEGRADED])


class _Counting:
    """Counts set by set; a text that is rare in the sets so far comes first in the next set."""

    def __init__(self, task: Task, checks: CheckSettings, units: Sequence[PlanUnit], known: sets.Known) -> None:
        self.task, self.checks, self.known = task, checks, known
        self.copied = _copied(task) if checks.degraded else frozenset()
        self.used: dict[str, Counter[str]] = {weaving.REPEAT: Counter(), weaving.DEGRADED: Counter()}
        self._items: dict[str, set[str]] = {}
        for unit in units:
            self._items.setdefault(unit.criterion, set()).add(_item(unit))

    def contents(self, booklet: Sequence[PlanUnit], turn: int) -> SetContents:
        """Put one set together."""
        criteria = {unit.criterion for unit in booklet} - {""}
        blocks = sets.blocks_of(self.task, booklet)
        woven = Counter(kind for number in range(len(blocks)) for kind in self._woven(blocks, number, turn))
        return SetContents(
            training=len(self.known.of(Purpose.TRAINING, criteria)[: self.checks.training]),
            exam=len(sets.exam_units(self.known.of(Purpose.EXAM, criteria), self.checks.exam, 1)),
            warm_up=self._warm_up(booklet) if self.checks.warm_up else 0,
            units=len(booklet),
            controls=self._chosen(
                Purpose.CONTROL,
                self.checks.controls_among(len(booklet), self._n(Purpose.CONTROL, criteria)),
                blocks,
                turn,
            ),
            attention=self._chosen(
                Purpose.ATTENTION, self.checks.attention_among(self._n(Purpose.ATTENTION, criteria)), blocks, turn
            ),
            repeats=woven[weaving.REPEAT],
            degraded=woven[weaving.DEGRADED],
        )

    def _n(self, purpose: str, criteria: set[str]) -> int:
        return len(self.known.of(purpose, criteria))

    def _chosen(self, purpose: str, size: int, blocks: Sequence[Sequence[PlanUnit]], turn: int) -> int:
        """Count the known units of all blocks: each takes its share, as far as there are some that fit it."""
        units = set(self.known.of(purpose, {block[0].criterion for block in blocks} - {""}))
        total = 0
        for share, block in zip(weaving.share_out(size, len(blocks), turn), blocks, strict=True):
            fitting = sorted(units & set(self.known.of(purpose, {block[0].criterion} - {""})))
            units -= set(fitting[:share])
            total += min(share, len(fitting))
        return total

    def _warm_up(self, booklet: Sequence[PlanUnit]) -> int:
        """Count the units to begin with: one of each item that the set does not have, at most."""
        items = self._items[booklet[0].criterion]
        return min(self.checks.warm_up, len(items) - len(items & {_item(unit) for unit in booklet}))

    def _woven(self, blocks: Sequence[Sequence[PlanUnit]], number: int, turn: int) -> Iterator[str]:
        """Yield the kinds of repeated texts in a block, and count their systems."""
        if not (self.checks.repeats or self.checks.degraded):
            return
        block, n_blocks = blocks[number], len(blocks)
        extras = weaving.Extras(
            repeats=weaving.share_out(self.checks.repeats, n_blocks, turn)[number],
            degraded=weaving.share_out(self.checks.degraded, n_blocks, turn)[number],
            degradable=tuple(index for index, unit in enumerate(block) if unit.key in self.copied),
            systems=tuple(unit.systems for unit in block),
            used=self.used,
        )
        seed = f"{self.task.study.seed}:{self.task.key}:{block[0].criterion if n_blocks > 1 else ''}"
        items = [unit.item for unit in block]
        for slot in weaving.weave(items, extras, self.task.spacing, seed=seed, turn=turn):
            if slot.kind != weaving.MAIN:
                self.used[slot.kind].update(block[slot.index].systems)
                yield slot.kind


def _copied(task: Task) -> frozenset[str]:
    """Return the keys of the units of which there is a degraded copy."""
    copies = Unit.objects.filter(task=task, until=None, gold__kind=Gold.Kind.WORSE)
    originals = list(copies.values_list("features__degraded_of", flat=True))
    return frozenset(Unit.objects.filter(task=task, pk__in=originals).values_list("key", flat=True))


def _item(unit: PlanUnit) -> str:
    """Return the item that a warm-up unit may share with no unit of the set; a unit of no item is its own item."""
    return f"unit {unit.key}" if unit.item is None else f"item {unit.item}"
