"""Small studies made row by row, for tests whose subject is not the study file."""

from random import Random

from django.contrib.auth.models import User

from tasks_app import plaintext
from tasks_app.models import (
    ConsentText,
    Criterion,
    Item,
    Membership,
    Output,
    Part,
    PartOutput,
    Study,
    System,
    Task,
    TaskCriterion,
    Unit,
)
from tasks_app.services import lifecycle
from tasks_app.task_types.base import ItemTexts, OutputText


def build_study(
    owner: User | None,
    *,
    slug: str = "hidden-slug",
    items: int = 4,
    systems: tuple[str, ...] = ("alpha-mt", "beta-mt"),
    criteria: tuple[str, ...] = ("fluency",),
    type: str = "likert",
    params: dict[str, object] | None = None,
    k: int = 2,
    set_size: int = 4,
    spacing: int = 1,
    opened: bool = True,
    **flow: object,
) -> Study:
    """Make a study with `items` x `systems` outputs, and open it."""
    study = Study.objects.create(
        slug=slug,
        title=f"Secret title of {slug}",
        public_title="Reading short texts",
        settings={
            "flow": {"enrolments_per_address": 100_000, **flow},
            "pay": {"amount": "3.00", "minutes": 10},
        },
        seed=20_261_121,
    )
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    ConsentText.objects.create(study=study, version=1, language="en", body="You **agree** to take part.")
    task = Task.objects.create(
        study=study,
        key="main",
        type=type,
        params=params or {},
        k=k,
        set_size=set_size,
        spacing=spacing,
    )
    for order, key in enumerate(criteria, start=1):
        row = Criterion.objects.create(
            study=study,
            key=key,
            name=key.capitalize(),
            question=f"How good is the {key}?",
            ends={"low": "very bad", "high": "very good"},
        )
        TaskCriterion.objects.create(task=task, criterion=row, order=order)
    rows = [System.objects.create(study=study, key=key) for key in systems]
    texts = []
    outputs: dict[str, list[Output]] = {}
    for number in range(items):
        item = Item.objects.create(study=study, key=f"i{number}", source=f"Source {number}")
        outputs[item.key] = [
            _output(item, system, f"Text {number} in version {index}") for index, system in enumerate(rows)
        ]
        texts.append(
            ItemTexts.collapsed(item.key, [OutputText(one.system.key, "", one.text) for one in outputs[item.key]])
        )
    for draft in task.kind.units(texts, task.kind.params(task.params), Random(1)):
        unit = Unit.objects.create(task=task, key=draft.key, item=outputs[draft.key.split("/")[0]][0].item, k=k)
        for index, group in enumerate(draft.parts):
            first = outputs[unit.key.split("/")[0]][group[0]]
            part = Part.objects.create(unit=unit, number=index, text_digest=first.digest)
            PartOutput.objects.bulk_create(
                PartOutput(part=part, output=outputs[unit.key.split("/")[0]][one]) for one in group
            )
    if opened:
        study = lifecycle.move(study_id=study.pk, action="open", by=owner)
    return study


def _output(item: Item, system: System, text: str) -> Output:
    return Output.objects.create(item=item, system=system, text=text, digest=plaintext.digest(text))
