"""Small studies made row by row, for tests whose subject is not the study file."""

from django.contrib.auth.models import User

from tasks_app import plaintext
from tasks_app.models import (
    ConsentText,
    Criterion,
    Gold,
    Item,
    Membership,
    Output,
    Study,
    System,
    Task,
    TaskCriterion,
    Unit,
)
from tasks_app.services import lifecycle, units


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
    criteria_mode: str = "together",
    checks: dict[str, object] | None = None,
    known: dict[str, int] | None = None,
    opened: bool = True,
    **flow: object,
) -> Study:
    """Make a study with `items` x `systems` outputs, and open it.

    `known` says for each purpose of gold how many further items there are, whose first criterion should get a 4.
    """
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
        criteria_mode=criteria_mode,
        checks=checks or {},
    )
    _ask(task, criteria)
    rows = [System.objects.create(study=study, key=key) for key in systems]
    for number in range(items):
        item = Item.objects.create(study=study, key=f"i{number}", source=f"Source {number}")
        for index, system in enumerate(rows):
            text = f"Text {number} in version {index}"
            Output.objects.create(item=item, system=system, text=text, digest=plaintext.digest(text))
    for purpose, n in (known or {}).items():
        for number in range(n):
            item = Item.objects.create(study=study, key=f"{purpose}{number}", source=f"{purpose} source {number}")
            text = f"Text {number} of {purpose}"
            Output.objects.create(item=item, system=rows[0], text=text, digest=plaintext.digest(text))
    units.make_units(study=study)
    for purpose in known or {}:
        for unit in Unit.objects.filter(task=task, item__key__regex=rf"^{purpose}\d"):
            about = Criterion.objects.get(study=study, key=criteria[0])
            Gold.objects.create(unit=unit, purpose=purpose, criterion=about, kind="exact", answer=4)
    if opened:
        study = lifecycle.move(study_id=study.pk, action="open", by=owner)
    return study


def _ask(task: Task, keys: tuple[str, ...]) -> None:
    """Give a task criteria with worded ends, and those that its type brings along."""
    rows = [
        Criterion(
            study=task.study,
            key=key,
            name=key.capitalize(),
            question=f"How good is the {key}?",
            ends={"low": "very bad", "high": "very good"},
        )
        for key in keys
    ]
    brought = task.kind.brings(task.kind.params(task.params))
    rows += [Criterion(study=task.study, key=one.key, name=one.name, kind=one.kind) for one in brought]
    for order, row in enumerate(Criterion.objects.bulk_create(rows), start=1):
        TaskCriterion.objects.create(task=task, criterion=row, order=order)
