"""Degraded copies: texts made worse on purpose and shown among the others, to check whether raters notice."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from django.db.models import Count
from django.utils.translation import gettext as _

from tasks_app.models import (
    Criterion,
    Gold,
    Output,
    Part,
    PartOutput,
    Study,
    System,
    Task,
    Unit,
)
from tasks_app.selectors import screens
from tasks_app.services.database import atomically, expect_many_rows
from tasks_app.services.study.degraded_text import degrade
from tasks_app.services.study.drafts import refuse_frozen
from tasks_app.services.study.items import BATCH
from tasks_app.settings.checks import COPIES, checks_of
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Criterion as AskedCriterion
from tasks_app.texts import plaintext

LONGEST_KEY = 300


def why_not(kind: TaskType, criteria: Sequence[AskedCriterion], n_parts: int) -> str | None:
    """Return why a task cannot have degraded copies, or None: it needs one text and a scale from bad to good."""
    if not kind.needs_items or kind.side_by_side or n_parts != 1:
        return _("Degraded copies need a task that shows one text on each screen. Set degraded to 0.")
    if not scaled(kind, criteria):
        return _("Degraded copies need a criterion that is rated on a scale from bad to good. Set degraded to 0.")
    return None


def scaled(kind: TaskType, criteria: Sequence[AskedCriterion]) -> list[str]:
    """Return the keys of the criteria on which a copy can be worse: those of the study, on a numeric scale.

    An adjective pair and a question of a questionnaire have no better end.
    """
    asked_criteria = kind.asked(criteria)
    quality = [criterion for criterion in asked_criteria if criterion.kind == Criterion.Kind.CRITERION]
    return [criterion.key for criterion in quality if kind.scale_of(criterion) is not None]


@atomically
def make_copies(*, study: Study) -> int:
    """Make a degraded copy of every unit to be judged, in tasks that ask for copies; return how many there are.

    Which of them a rater meets is chosen when a set is put together, so that systems get equally many. The same study
    gives the same copies: they are no part of the study file. Raises NotADraft.
    """
    refuse_frozen(study)
    tasks = [
        task
        for task in Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN).order_by("order", "id")
        if checks_of(task.checks).degraded and not Gold.objects.filter(unit__task=task, kind=Gold.Kind.WORSE).exists()
    ]
    if not tasks:
        return 0
    expect_many_rows()
    maker = _Maker(study)
    return sum(maker.copy_units(task) for task in tasks)


class _Maker:
    """Makes the copies of one study; tasks that show the same text share its copy."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.system, _created = System.objects.get_or_create(
            study=study, key=COPIES, defaults={"name": "Degraded copies", "kind": System.Kind.DEGRADED}
        )
        self.copies: dict[int, Output | None] = {}
        self.texts: dict[str, list[tuple[int, str]]] = {}
        texts = Output.objects.filter(item__study=study, until=None, kind=Output.Kind.TEXT)
        rows = texts.exclude(system=self.system).order_by("id")
        for item, language, text in rows.values_list("item_id", "language", "text"):
            self.texts.setdefault(language, []).append((item, text))

    def copy_units(self, task: Task) -> int:
        """Copy the units of a task that show one text with nothing in it yet."""
        originals = list(self._originals(task))
        copies = self._outputs({output.pk: output for _unit, output, _systems in originals})
        pairs = [(*original, copy) for original in originals if (copy := copies[original[1].pk]) is not None]
        units = Unit.objects.bulk_create([self._unit(unit, systems) for unit, _output, systems, _copy in pairs], BATCH)
        parts = [
            Part(unit=unit, number=0, text_digest=copy.digest)
            for unit, (_original, _output, _systems, copy) in zip(units, pairs, strict=True)
        ]
        Part.objects.bulk_create(parts, BATCH)
        PartOutput.objects.bulk_create(
            (PartOutput(part=part, output=pair[-1]) for part, pair in zip(parts, pairs, strict=True)),
            BATCH,
        )
        Gold.objects.bulk_create(
            (Gold(unit=unit, purpose=Gold.Purpose.CONTROL, kind=Gold.Kind.WORSE, answer="worse") for unit in units),
            BATCH,
        )
        return len(units)

    def _originals(self, task: Task) -> Iterator[tuple[Unit, Output, list[str]]]:
        """Return the units to judge that can be copied, with a text they show and the systems that have that text."""
        frame = screens.read_frame(task.pk)
        if not scaled(frame.kind, frame.criteria):
            return
        part_outputs: dict[int, list[PartOutput]] = {}
        rows = PartOutput.objects.filter(
            part__unit__task=task, part__unit__until=None, part__prefills=None, output__kind=Output.Kind.TEXT
        )
        for row in rows.select_related("part", "output__system", "output__item").order_by(
            "part__unit", "part__number", "id"
        ):
            part_outputs.setdefault(row.part.unit_id, []).append(row)
        parts = dict(Part.objects.filter(unit__task=task).values_list("unit").annotate(n=Count("id")))
        for unit in Unit.objects.filter(task=task, until=None, gold=None).order_by("id"):
            if parts.get(unit.pk) == 1 and unit.pk in part_outputs and unit.item_id is not None:
                outputs = [part_output.output for part_output in part_outputs[unit.pk]]
                yield unit, outputs[0], [part_output.system.key for part_output in outputs]

    def _outputs(self, originals: Mapping[int, Output]) -> dict[int, Output | None]:
        """Return the copy of each output, made where there is none; None where its text cannot be degraded."""
        missing = [output for pk, output in originals.items() if pk not in self.copies]
        for output in missing:
            self.copies[output.pk] = self._copy(output)
        Output.objects.bulk_create([copy for output in missing if (copy := self.copies[output.pk]) is not None], BATCH)
        return self.copies

    def _copy(self, output: Output) -> Output | None:
        seed_names = (self.study.seed, "degraded", output.item.key, output.system.key, output.variant)
        rng = Random(":".join(map(str, seed_names)))  # noqa: S311  reproducible, not secret
        other_texts = [text for item, text in self.texts.get(output.language, ()) if item != output.item_id]
        text = degrade(output.text, other_texts, rng)
        if text is None:
            return None
        return Output(
            item_id=output.item_id,
            system=self.system,
            variant=shortened("/".join(filter(None, (output.system.key, output.variant))), 100),
            text=text,
            language=output.language,
            digest=plaintext.digest(text),
            since=self.study.next_version,
        )

    def _unit(self, unit: Unit, systems: Sequence[str]) -> Unit:
        features = {name: value for name, value in unit.features.items() if name == "criterion"}
        return Unit(
            task_id=unit.task_id,
            key=shortened(f"{unit.key}#degraded", LONGEST_KEY),
            item_id=unit.item_id,
            document_id=unit.document_id,
            since=self.study.next_version,
            features={**features, "degraded_of": unit.pk, "systems": list(systems)},
        )


def shortened(text: str, most: int) -> str:
    """Return a name that fits into a column, still unlike any other."""
    if len(text) <= most:
        return text
    return f"{text[: most - 17]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"
