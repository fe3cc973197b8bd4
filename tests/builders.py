"""Small studies made row by row, for tests whose subject is not the study file."""

from collections.abc import Mapping

from django.contrib.auth.models import User

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
from tasks_app.services.study import lifecycle, units
from tasks_app.texts import plaintext
from tests.about import ABOUT


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
    study = _empty(owner, slug, flow)
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
    _write_texts(study, systems, items, known or {})
    units.make_units(study=study)
    for purpose in known or {}:
        _expect_four(task, purpose, criteria[0])
    if opened:
        study = lifecycle.move(study_id=study.pk, action="open", by=owner)
    return study


def _empty(owner: User | None, slug: str, flow: Mapping[str, object]) -> Study:
    """Make a study with pay and a consent text."""
    study = Study.objects.create(
        slug=slug,
        title=f"Secret title of {slug}",
        public_title="Reading short texts",
        settings={
            "flow": {"enrolments_per_address": 100_000, **flow},
            "pay": {"amount": "3.00", "minutes": 10},
            "about": {name: ABOUT[name] for name in ("institution", "contact", "complaints")},
        },
        seed=20_261_121,
    )
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    ConsentText.objects.create(study=study, version=1, language="en", body="You **agree** to take part.")
    return study


def _expect_four(task: Task, purpose: str, criterion: str) -> None:
    """Say that units made for a purpose should get a 4 on a criterion."""
    about = Criterion.objects.get(study=task.study, key=criterion)
    for unit in Unit.objects.filter(task=task, item__key__regex=rf"^{purpose}\d"):
        Gold.objects.create(unit=unit, purpose=purpose, criterion=about, kind="exact", answer=4)


def _write_texts(study: Study, systems: tuple[str, ...], items: int, known: Mapping[str, int]) -> None:
    """Make items with an output of every system, and those with known answers with one of the first."""
    rows = System.objects.bulk_create(System(study=study, key=key) for key in systems)
    texts = [
        (
            Item(study=study, key=f"i{number}", source=f"Source {number}"),
            [(system, f"Text {number} in version {index}") for index, system in enumerate(rows)],
        )
        for number in range(items)
    ]
    texts += [
        (
            Item(study=study, key=f"{purpose}{number}", source=f"{purpose} source {number}"),
            [(rows[0], f"Text {number} of {purpose}")],
        )
        for purpose, n in known.items()
        for number in range(n)
    ]
    Item.objects.bulk_create(item for item, _outputs in texts)
    Output.objects.bulk_create(
        Output(item=item, system=system, text=text, digest=plaintext.digest(text))
        for item, outputs in texts
        for system, text in outputs
    )


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
    brought = task.kind.brings()
    rows += [Criterion(study=task.study, key=one.key, name=one.name, kind=one.kind) for one in brought]
    for order, row in enumerate(Criterion.objects.bulk_create(rows), start=1):
        TaskCriterion.objects.create(task=task, criterion=row, order=order)
