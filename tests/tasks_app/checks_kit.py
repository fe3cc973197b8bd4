"""A small study with known answers of every purpose, and a rater's way through it."""

import uuid
from collections.abc import Collection

from django.contrib.auth.models import User

from tasks_app.models import Assignment, Gold, Rater, Study, Task, Unit
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle
from tests.builders import build_study
from tests.walk import next_for

PURPOSES = {"i4": "training", "i5": "exam", "i6": "control", "i7": "control", "i8": "attention"}


def checked_study(
    owner: User | None = None,
    *,
    checks: dict[str, object] | None = None,
    purposes: dict[str, str] | None = None,
    mistaken: str = "",
    opened: bool = True,
    **rest: object,
) -> Study:
    """Make a study whose last items are known: a training, an exam, two controls and an attention check; 3 is right."""
    study = build_study(owner, **{"items": 9, "k": 8, "set_size": 4, **rest}, opened=False)
    for item, purpose in (PURPOSES if purposes is None else purposes).items():
        answer = 5 if item == mistaken else 3
        for unit in Unit.objects.filter(task__study=study, item__key=item):
            Gold.objects.create(unit=unit, purpose=purpose, kind="exact", answer=answer, explanation="Three it is.")
    Task.objects.filter(study=study).update(checks={"controls": 2, "attention": 1, **(checks or {})})
    return lifecycle.move(study_id=study.pk, action="open", by=owner) if opened else study


def give(study: Study, rater: Rater, assignment: Assignment, step: int, **rest: object) -> judgments.Receipt:
    """Answer one unit with a step, the same for every criterion."""
    screen = RaterScreen(rater, assignment)
    form = screen.form(dict.fromkeys(screen.form().fields, str(step)))
    assert form.is_valid(), form.errors
    given = judgments.Submission(uuid.uuid4(), form.cleaned_data, **rest)
    return judgments.submit(screen=RaterScreen(rater, assignment), submission=given)


def skip(rater: Rater, assignment: Assignment, reason: str) -> judgments.Receipt:
    """Skip one unit."""
    given = judgments.Submission(uuid=uuid.uuid4(), answer={}, skip_reason=reason)
    return judgments.submit(screen=RaterScreen(rater, assignment), submission=given)


def walk(study: Study, rater: Rater, wrong: Collection[str] = ()) -> list[str]:
    """Judge everything, with a wrong answer to the purposes named; return what was shown after each answer."""
    steps = []
    while (assignment := next_for(rater=rater)) is not None:
        step = give(study, rater, assignment, 1 if assignment.purpose in wrong else 3).step
        steps.append(step.kind if step else "")
    return steps


def reach(study: Study, rater: Rater, purpose: str) -> Assignment:
    """Answer with 3 up to the first unit of a purpose."""
    while True:
        assignment = next_for(rater=rater)
        assert assignment is not None
        if assignment.purpose == purpose:
            return assignment
        give(study, rater, assignment, 3)
