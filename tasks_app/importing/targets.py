"""Find the rows of a study that the names in a row of ratings refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from tasks_app.designs import APART
from tasks_app.models import Part as PartRow
from tasks_app.models import PartOutput, Study, Task, Unit
from tasks_app.selectors import screens
from tasks_app.selectors.screens import ENDS_DOCUMENT
from tasks_app.studyfile.fields import one_spelling
from tasks_app.studyfile.problems import nearest
from tasks_app.task_types.base import DOCUMENT_SCORE, Criterion, Outcome


class Names(NamedTuple):
    """A row's names of its task, unit and texts, or None. The criterion matters if it has units of its own."""

    task: str | None
    unit: str | None
    item: str | None
    system: str | None
    variant: str | None
    system_b: str | None
    criterion: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """The possible ratings on a criterion: their outcome, if one answers it, their columns and their labels.

    `labels` is None where any word is a label; those of `labels_alone` stand beside no other one.
    """

    outcome: Outcome | None
    columns: frozenset[str]
    labels: tuple[str, ...] | None
    labels_alone: frozenset[str]

    def turned(self, label: str | None) -> str | None:
        """Return the label that says the same with the two texts of a pair in the other order."""
        exchanged = self.outcome.exchanged if self.outcome is not None else ()
        return dict(zip(exchanged, reversed(exchanged), strict=True)).get(label or "", label)


@dataclass(frozen=True, slots=True)
class TaskTarget:
    """A task that ratings can belong to: its questions, and the possible ratings."""

    id: int
    key: str
    frame: screens.Frame
    has_spans: bool
    # True if every rating answers a criterion.
    per_criterion: bool
    # True if units ask one criterion each.
    is_apart: bool
    # Criteria by their keys, and by names that are no key.
    by_name: Mapping[str, Criterion]
    # Every row asks for these, and a type may read all its parameters to tell.
    _answers: dict[str | None, Answers] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Task) -> TaskTarget:
        """Read the questions of a task."""
        frame = screens.read_frame(row.pk)
        return cls(
            id=row.pk,
            key=row.key,
            frame=frame,
            has_spans=any(outcome.per == "span" for outcome in frame.kind.outcomes),
            per_criterion=bool(frame.criteria),
            is_apart=frame.task.criteria_mode in APART,
            by_name={
                **{one_spelling(criterion.name): criterion for criterion in frame.criteria},
                **{criterion.key: criterion for criterion in frame.criteria},
            },
        )

    def answers(self, criterion: Criterion | None) -> Answers:
        """Return the possible ratings on a criterion."""
        key = None if criterion is None else criterion.key
        if key not in self._answers:
            kind = self.frame.kind
            outcome = kind.outcome_of(criterion)
            outcomes = kind.outcomes if outcome is None else (outcome,)
            self._answers[key] = Answers(
                outcome=outcome,
                columns=frozenset(outcome.column for outcome in outcomes if outcome.per != "span"),
                labels=kind.labels_of(criterion),
                labels_alone=frozenset(kind.labels_alone(criterion)),
            )
        return self._answers[key]

    @property
    def criterion_of_spans(self) -> Criterion | None:
        """Return the criterion that marked spans answer, or None where there is no such criterion or several."""
        kind = self.frame.kind
        of_spans = [
            criterion
            for criterion in self.frame.criteria
            if (outcome := kind.outcome_of(criterion)) is not None and outcome.per == "span"
        ]
        return of_spans[0] if len(of_spans) == 1 else None

    def criterion(self, name: str) -> Criterion | None:
        """Find a criterion by its key, else by its name."""
        return self.by_name.get(name)


class ShownOutput(NamedTuple):
    """An output on a unit's screen, with the part it is shown in."""

    part: int
    output: int
    item: str
    system: str
    variant: str


@dataclass(slots=True, eq=False)
class UnitTarget:
    """A unit with its parts in canonical order, and the outputs they show; `criterion` where it asks only that one.

    `ends_document` says that it asks for the score of its whole document as well.
    """

    id: int
    key: str
    task: TaskTarget
    item: str | None
    criterion: str
    ends_document: bool
    parts: list[int] = field(default_factory=list)
    shown: list[ShownOutput] = field(default_factory=list)

    def outputs(self, item: str | None, system: str | None, variant: str | None) -> list[ShownOutput]:
        """Return the outputs of a system; without a variant, the one that has none where there is such a one."""
        of_system = [output for output in self.shown if output.system == system and item in {None, output.item}]
        plain = [output for output in of_system if output.variant == (variant or "")]
        return plain if plain or variant is not None else of_system

    def asks(self, criterion: Criterion | None) -> bool:
        """Return whether raters are asked a criterion of the task here: the score of a document only at its end."""
        is_of_document = criterion is not None and criterion.key == DOCUMENT_SCORE
        return self.ends_document or not is_of_document or not self.task.frame.kind.scores_documents

    def shows_several(self, part: int) -> bool:
        """Return whether a part shows one text for outputs of several systems."""
        return sum(output.part == part for output in self.shown) > 1


@dataclass(frozen=True, slots=True)
class About:
    """The unit and texts of a row. `shared` where the (first) text stands there for outputs of several systems.

    `output` and `output_b` are those that the row names, shown by `part` and `part_b`.
    """

    unit: UnitTarget
    part: int | None = None
    part_b: int | None = None
    output: int | None = None
    output_b: int | None = None
    shared: bool = False

    def about_pair(self) -> tuple[About, bool]:
        """Return the same with the two texts of the unit in its order, and whether the row names them in the other."""
        if len(self.unit.parts) != 2:
            return self, False
        first, second = self.unit.parts
        if self.part != second:
            return replace(self, part=first, part_b=second), False
        output, output_b = self.output_b, self.output
        shared = output is not None and self.unit.shows_several(first)
        return About(self.unit, first, second, output, output_b, shared), True

    def about_unit(self) -> About:
        """Return the same without a text, for a rating of the unit as a whole."""
        return About(self.unit)


class NotFound(LookupError):
    """A row names nothing of the study, or not one thing; `column` is the one to look at."""

    def __init__(self, column: str, sentence: str) -> None:
        super().__init__(sentence)
        self.column = column
        self.sentence = sentence


class Targets:
    """The design of a study as its ratings name it, read in a few queries."""

    def __init__(self, study: Study) -> None:
        rows = Task.objects.filter(study=study, until=None).order_by("order", "id")
        self.tasks = {row.key: TaskTarget.of(row) for row in rows}
        self.any_apart = any(task.is_apart for task in self.tasks.values())
        self.units: dict[str, list[UnitTarget]] = {}
        self.of_item: dict[str, list[UnitTarget]] = {}
        self.systems: dict[str, None] = {}
        # Looking for the name that is most like a wrong one takes time; whoever has enough of that says so.
        self.advise = True
        for unit in self._read():
            self.units.setdefault(unit.key, []).append(unit)
            items = dict.fromkeys(output.item for output in unit.shown)
            for item in items or ([unit.item] if unit.item is not None else []):
                self.of_item.setdefault(item, []).append(unit)
            self.systems.update(dict.fromkeys(output.system for output in unit.shown))

    def _read(self) -> Iterable[UnitTarget]:
        by_id = {task.id: task for task in self.tasks.values()}
        units = Unit.objects.filter(task__in=by_id, until=None).order_by("id")
        units_by_id = {
            pk: UnitTarget(pk, key, by_id[task], item, features.get("criterion") or "", ENDS_DOCUMENT in features)
            for pk, key, task, item, features in units.values_list("id", "key", "task_id", "item__key", "features")
        }
        of_units = {"unit__task__in": by_id, "unit__until": None}
        for pk, unit in PartRow.objects.filter(**of_units).order_by("unit", "number").values_list("id", "unit_id"):
            units_by_id[unit].parts.append(pk)
        outputs = PartOutput.objects.filter(**{f"part__{name}": value for name, value in of_units.items()})
        columns = ("part_id", "output_id", "output__item__key", "output__system__key", "output__variant")
        for unit, *values in outputs.order_by("id").values_list("part__unit_id", *columns):
            units_by_id[unit].shown.append(ShownOutput(*values))
        return units_by_id.values()

    def find(self, names: Names) -> About:
        """Return the unit that a row is about. Raises NotFound."""
        if names.task is not None and names.task not in self.tasks:
            raise NotFound("task", self._advised(_("There is no such task."), names.task, self.tasks))
        steps: list[tuple[str, Callable[[UnitTarget], bool]]] = []
        if names.task is not None:
            steps.append(("task", lambda unit: unit.task.key == names.task))
        if names.unit is not None and names.item is not None:
            steps.append(("item", lambda unit: unit in self.of_item.get(names.item or "", ())))
        if names.system is not None:
            steps.append(("system", lambda unit: bool(unit.outputs(names.item, names.system, None))))
        if names.variant is not None:
            steps.append(("variant", lambda unit: bool(unit.outputs(names.item, names.system, names.variant))))
        if names.criterion is not None:
            steps.append(("criterion", lambda unit: _asks(unit, names.criterion or "")))
        if names.system_b is not None:
            steps.append(("system_b", lambda unit: bool(unit.outputs(names.item, names.system_b, None))))
        units = self._candidates(names)
        for column, fits in steps:
            fitting = [unit for unit in units if fits(unit)]
            if not fitting:
                raise NotFound(column, self._unknown(column, names, units))
            units = fitting
        if names.system is not None and names.variant is None:
            # A system's text without a variant is meant before those that have one.
            plain = [
                unit
                for unit in units
                if any(output.variant == "" for output in unit.outputs(names.item, names.system, None))
            ]
            units = plain or units
        if len(units) > 1:
            raise _ambiguous(names, units)
        return _about(units[0], names)

    def _advised(self, sentence: str, name: str, names: Iterable[str]) -> str:
        return f"{sentence} {nearest(name, names)}".rstrip() if self.advise else sentence

    def _candidates(self, names: Names) -> Sequence[UnitTarget]:
        if names.unit is not None:
            if names.unit not in self.units:
                raise NotFound("unit", self._advised(_("There is no such unit."), names.unit, self.units))
            return self.units[names.unit]
        if names.item is None:
            return [unit for units in self.units.values() for unit in units]
        if names.item not in self.of_item:
            raise NotFound("item", self._advised(_("There is no such item."), names.item, self.of_item))
        return self.of_item[names.item]

    def _unknown(self, column: str, names: Names, units: Sequence[UnitTarget]) -> str:
        """Return the reason why no unit fits a row."""
        first = units[0]
        plain = {
            "task": _("The task does not show this."),
            "criterion": _("The unit asks another criterion (%(criterion)s).") % {"criterion": first.criterion},
            "item": _("The unit is of another item (%(item)s).") % {"item": first.item},
        }
        if column in plain:
            return plain[column]
        if column == "variant":
            variants = {output.variant for unit in units for output in unit.outputs(names.item, names.system, None)}
            return self._advised(_("There is no such variant."), names.variant or "", sorted(variants))
        system = names.system if column == "system" else names.system_b
        if system not in self.systems:
            return self._advised(_("There is no such system."), system or "", self.systems)
        if column == "system_b":
            return _("Its text is not shown together with the other one.")
        return _("This system has no text here.")


def _asks(unit: UnitTarget, name: str) -> bool:
    """Return whether a unit asks a criterion; a name that its task does not know is refused elsewhere."""
    criterion = unit.task.criterion(name)
    brought = {extra.key for extra in unit.task.frame.kind.brings()}
    return not unit.criterion or criterion is None or criterion.key == unit.criterion or criterion.key in brought


def _about(unit: UnitTarget, names: Names) -> About:
    """Find the parts of a unit that a row names."""
    if names.system is None:
        return About(unit, unit.parts[0] if len(unit.parts) == 1 else None)
    first = _output(unit, names.item, names.system, names.variant)
    second = None if names.system_b is None else _output(unit, names.item, names.system_b, None)
    return About(
        unit,
        first.part,
        None if second is None else second.part,
        first.output,
        None if second is None else second.output,
        unit.shows_several(first.part),
    )


def _output(unit: UnitTarget, item: str | None, system: str, variant: str | None) -> ShownOutput:
    outputs = unit.outputs(item, system, variant)
    if len({output.part for output in outputs}) > 1:
        raise NotFound("variant", _("The unit shows several texts of this system. Say which one: give variant."))
    return outputs[0]


def _ambiguous(names: Names, units: Sequence[UnitTarget]) -> NotFound:
    """Return the error that asks for the column which would distinguish several fitting units."""
    tasks = {unit.task.key for unit in units}
    if names.unit is None and names.item is None:
        return NotFound("item", _("What was rated? Give item and system, or unit."))
    if len(tasks) == len(units):
        sentence = _("Several tasks show this (%(tasks)s). Say which one: give task.")
        return NotFound("task", sentence % {"tasks": ", ".join(sorted(tasks))})
    if names.system is None:
        return NotFound("system", _("The item has several texts. Say which one was rated: give system."))
    variants = {output.variant for unit in units for output in unit.outputs(names.item, names.system, None)}
    if names.variant is None and len(variants) > 1:
        return NotFound("variant", _("The system has several texts. Say which one: give variant."))
    return NotFound("unit", _("Several units show this. Say which one: give unit."))
