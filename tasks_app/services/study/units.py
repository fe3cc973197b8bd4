"""Create units from items, and store known answers."""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from django.db.models import Q

from tasks_app.designs import APART
from tasks_app.models import Criterion, Gold, Item, Output, Part, PartOutput, Prefill, Study, Task, Unit
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.selectors.screens import ENDS_DOCUMENT
from tasks_app.services.copying import copy_rows, new_ids
from tasks_app.services.database import atomically, expect_many_rows
from tasks_app.services.plan import plans
from tasks_app.services.study.drafts import refuse_frozen
from tasks_app.services.study.item_sets import takes
from tasks_app.services.study.items import BATCH, OUTPUT_CONTENT
from tasks_app.task_types import TaskType, highlights
from tasks_app.task_types.base import Criterion as AskedCriterion
from tasks_app.task_types.base import ItemTexts, Media, OutputText, UnitDraft
from tasks_app.task_types.texts import ends_of_documents


def draft_units(
    *,
    kind: TaskType,
    task: str,
    seed: int,
    items: Sequence[ItemTexts],
    criteria: Sequence[str] = (),
) -> Iterator[UnitDraft]:
    """Make the units of a task: the same ones whenever the same items and seed are given. Stores nothing.

    With `criteria`, each unit is made once for each of them.
    """
    drafts = kind.units(items, Random(f"{seed}:units:{task}"))  # noqa: S311  reproducible, not secret
    for draft in _with_ends(drafts, items) if kind.scores_documents else drafts:
        if not criteria:
            yield draft
        for criterion in criteria:
            yield replace(draft, key=f"{draft.key}@{criterion}", criterion=criterion)


def _with_ends(drafts: Iterable[UnitDraft], items: Sequence[ItemTexts]) -> list[UnitDraft]:
    """Return units of which the last one of each document by its systems asks about the whole document."""
    by_key, units = {item.key: item for item in items}, list(drafts)
    places: list[tuple[Hashable, int]] = []
    for unit in units:
        item = by_key[unit.item or ""]
        outputs = [item.outputs[number] for group in unit.parts for number in group]
        made_by = tuple((output.system, output.variant) for output in outputs)
        places.append(((item.document or ("", item.key), made_by), item.position))
    ends = ends_of_documents(places)
    return [replace(unit, ends_document=number in ends) for number, unit in enumerate(units)]


def asked_apart(kind: TaskType, criteria: Sequence[AskedCriterion], mode: str) -> tuple[str, ...]:
    """Return the keys of the criteria that have units of their own; none where criteria are asked together."""
    asked_criteria = kind.asked(criteria)
    return tuple(criterion.key for criterion in asked_criteria) if mode in APART and len(asked_criteria) > 1 else ()


@dataclass(slots=True)
class Texts:
    """The items of a study as task types see them, and the row behind each."""

    items: list[ItemTexts] = field(default_factory=list)
    item_ids: dict[str, int] = field(default_factory=dict)
    documents: dict[str, int | None] = field(default_factory=dict)
    # By item, in the order of ItemTexts.outputs.
    outputs: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    features: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def items_of(self, task: Task) -> list[ItemTexts]:
        """Return the items that a task takes."""
        return [
            item
            for item in self.items
            if takes(
                task.items,
                task=task.key,
                key=item.key,
                document=item.document,
                features=self.features[item.key],
                options=item.options,
            )
        ]


def texts_of(study: Study, *, keep: bool) -> Texts:
    """Read the items of a study with their outputs in three queries; identical ones together unless to `keep`."""
    texts = Texts()
    by_item: dict[int, list[OutputText]] = {}
    ids: dict[int, list[tuple[int, str]]] = {}
    outputs = Output.objects.filter(item__study=study, until=None).order_by("id")
    for pk, digest, item, system, variant, text, language, marked, *file in outputs.values_list(
        "id", "digest", *OUTPUT_CONTENT
    ).iterator(chunk_size=plans.CHUNK):
        output = OutputText(system, variant, text, language, highlights.stored(marked), Media.of_output(*file))
        by_item.setdefault(item, []).append(output)
        ids.setdefault(item, []).append((pk, digest))
    for row in Item.objects.filter(study=study, until=None).select_related("document").order_by("id"):
        texts.items.append(
            ItemTexts.collapsed(
                row.key,
                by_item.get(row.pk, []),
                keep=keep,
                document=row.document.key if row.document else None,
                position=row.position,
                options=row.options,
                source=row.source,
                reference=row.reference,
                highlights=highlights.by_text(row.highlights),
            )
        )
        texts.item_ids[row.key] = row.pk
        texts.documents[row.key] = row.document_id
        texts.features[row.key] = row.features
        texts.outputs[row.key] = ids.get(row.pk, [])
    return texts


@atomically
def make_units(*, study: Study, names: Mapping[tuple[str, str, str], str] | None = None) -> None:
    """Make the units of every task of a draft out of its items.

    `names` gives an output (item, system, variant) a name of the researcher's own for the unit that shows it.
    Raises NotADraft.
    """
    refuse_frozen(study)
    expect_many_rows()
    texts_by_keep: dict[bool, Texts] = {}
    for task in Task.objects.filter(study=study, until=None).order_by("order"):
        if task.keep_identical not in texts_by_keep:
            texts_by_keep[task.keep_identical] = texts_of(study, keep=task.keep_identical)
        _make_units(study, task, texts_by_keep[task.keep_identical], names or {})
    _share_more(study)
    _mark_ends(study)


def _mark_ends(study: Study) -> None:
    """Mark the units that ask for the score of their document: the last to be judged by each system in it."""
    for task in Task.objects.filter(study=study, until=None).order_by("order"):
        if not task.kind.scores_documents:
            continue
        judged: dict[int, tuple[Hashable, int, list[Hashable]]] = {}
        parts = PartOutput.objects.filter(part__unit__task=task, part__unit__until=None, part__unit__gold=None)
        unit = "part__unit"
        columns = (f"{unit}_id", f"{unit}__document_id", f"{unit}__item_id", f"{unit}__item__position")
        rows = parts.order_by("part__unit_id", "id").values_list(*columns, "output__system_id", "output__variant")
        for pk, document, item, position, system, variant in rows.iterator(plans.CHUNK):
            group = (document, None if document is not None else item)
            judged.setdefault(pk, (group, position, []))[2].append((system, variant))
        places = [((group, tuple(made_by)), position) for group, position, made_by in judged.values()]
        ends = {list(judged)[number] for number in ends_of_documents(places)}
        units = Unit.objects.filter(task=task, until=None)
        changed = list(units.filter(Q(pk__in=ends) | Q(features__has_key=ENDS_DOCUMENT)))
        for row in changed:
            others = {name: value for name, value in row.features.items() if name != ENDS_DOCUMENT}
            row.features = {**others, ENDS_DOCUMENT: True} if row.pk in ends else others
        Unit.objects.bulk_update(changed, ["features"], BATCH)


def _share_more(study: Study) -> None:
    """Store how many judgments each unit wants where some units of a task get more: those to be judged count."""
    for task in Task.objects.filter(study=study, until=None, k_more__isnull=False).order_by("order"):
        planned = plans.plan_units(task, k=task.k)
        shared = plans.share_more(
            planned, study=study, task=task.key, design=task.design, more=task.k_more, share=task.k_more_share
        )
        changed = [unit.key for unit in shared if unit.k != task.k]
        units = Unit.objects.filter(task=task, until=None)
        units.update(k=task.k)
        units.filter(key__in=changed).update(k=task.k_more)


def _make_units(study: Study, task: Task, texts: Texts, names: Mapping[tuple[str, str, str], str]) -> None:
    """Store the units of a task, with the texts that each shows."""
    kind = task.kind
    asked_criteria = [
        AskedCriterion(row.criterion.key, row.criterion.name) for row in task.task_criteria.select_related("criterion")
    ]
    drafts = list(
        draft_units(
            kind=kind,
            task=task.key,
            seed=study.seed,
            items=texts.items_of(task),
            criteria=asked_apart(kind, asked_criteria, task.criteria_mode),
        )
    )
    by_key = {item.key: item for item in texts.items}
    ids = new_ids(Unit, len(drafts))
    # Texts that are sent on request want nothing until then.
    k = 0 if task.design in ON_REQUEST else task.k
    since = study.next_version

    def row(pk: int, draft: UnitDraft) -> tuple[object, ...]:
        name = name_of_unit(draft, by_key, names)
        item = draft.item
        item_id, document_id = (None, None) if item is None else (texts.item_ids[item], texts.documents[item])
        features = json.dumps(_features(draft, named=bool(name)))
        return pk, task.pk, name or draft.key, item_id, document_id, k, since, features

    columns = ("id", "task_id", "key", "item_id", "document_id", "k", "since", "features")
    copy_rows(Unit, columns, map(row, ids, drafts))
    _store_parts(ids, drafts, texts)


def _store_parts(units: Sequence[int], drafts: Sequence[UnitDraft], texts: Texts) -> None:
    """Store which texts each unit shows, and which outputs are behind each of them."""

    def shown() -> Iterator[tuple[int, int, list[tuple[int, str]]]]:
        """Yield the unit, the number and the outputs of each part: a list of all would take as much as the texts."""
        for unit, draft in zip(units, drafts, strict=True):
            for number, group in enumerate(draft.parts):
                if (item := draft.item_of(number)) is not None:
                    yield unit, number, [texts.outputs[item][output] for output in group]

    ids = new_ids(Part, sum(1 for _part in shown()))
    copy_rows(
        Part,
        ("id", "unit_id", "number", "text_digest"),
        ((pk, unit, number, outputs[0][1]) for pk, (unit, number, outputs) in zip(ids, shown(), strict=True)),
    )
    copy_rows(
        PartOutput,
        ("part_id", "output_id"),
        ((pk, output) for pk, (*_about, outputs) in zip(ids, shown(), strict=True) for output, _digest in outputs),
    )


def _features(draft: UnitDraft, *, named: bool) -> dict[str, Any]:
    """Return the stored features of a unit: its criterion, and, for the export, whether the researcher named it."""
    return {**({"named": True} if named else {}), **({"criterion": draft.criterion} if draft.criterion else {})}


def name_of_unit(draft: UnitDraft, items: Mapping[str, ItemTexts], names: Mapping[tuple[str, str, str], str]) -> str:
    """Return the researcher's name for a unit: that of the first output it shows; empty where there is none."""
    item = draft.item_of(0) if draft.parts else None
    if item is None or not names:
        return ""
    first = items[item].outputs[draft.parts[0][0]]
    name = names.get((item, first.system, first.variant), "")
    return f"{name}@{draft.criterion}" if name and draft.criterion else name


@atomically
def store_gold(*, study: Study, controls: Sequence[Mapping[str, Any]]) -> None:
    """Store known answers; their units and criteria must be there. Raises NotADraft."""
    refuse_frozen(study)
    units = _units(study, {gold["unit"] for gold in controls})
    criteria = dict(Criterion.objects.filter(study=study, until=None).values_list("key", "id"))
    Gold.objects.bulk_create(
        (
            Gold(
                unit_id=units[gold["task"], gold["unit"]],
                purpose=gold["purpose"],
                criterion_id=criteria[gold["criterion"]] if gold["criterion"] else None,
                kind=gold["kind"],
                answer=gold["answer"],
                explanation=gold["explanation"],
            )
            for gold in controls
        ),
        BATCH,
    )
    _share_more(study)
    _mark_ends(study)


@atomically
def store_prefill(*, study: Study, prefill: Sequence[Mapping[str, Any]]) -> None:
    """Store the marks and texts that parts carry at first; their units must exist. Raises NotADraft."""
    refuse_frozen(study)
    units = _units(study, {row["unit"] for row in prefill})
    rows = Part.objects.filter(unit_id__in=units.values()).values_list("unit_id", "number", "id")
    parts = {(unit, number): pk for unit, number, pk in rows}
    Prefill.objects.bulk_create(
        (
            Prefill(
                part_id=parts[units[row["task"], row["unit"]], row["part"] - 1],
                payload=row["payload"],
                given_by=row.get("given_by", ""),
            )
            for row in prefill
        ),
        BATCH,
    )


def _units(study: Study, keys: set[str]) -> dict[tuple[str, str], int]:
    rows = Unit.objects.filter(task__study=study, until=None, key__in=keys).values_list("task__key", "key", "id")
    return {(task, key): pk for task, key, pk in rows}
