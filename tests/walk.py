"""A rater's steps through services, for tests that need many of them."""

import uuid
from random import Random

from tasks_app.models import Assignment, Rater, Study
from tasks_app.selectors import screens
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, judgments
from tasks_app.task_types.base import Quality


def next_for(*, rater: Rater) -> Assignment | None:
    """Return the first unit on a rater's next page; None where nothing is left."""
    return next(iter(assignments.next_page(rater=rater)), None)


def arrive(study: Study, kind: str = Rater.Kind.REAL) -> Rater:
    """Enrol a new rater."""
    return enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None, kind=kind).rater


def answer(study: Study, assignment: Assignment, rng: Random, **fields: object) -> judgments.Submission:
    """Make the submission of a careful rater."""
    frame = screens.frame_of(assignment.unit.task_id, study)
    screen = screens.screen_of(assignment, study)
    form = frame.kind.form(screen, frame.kind.simulate(screen, Quality.CAREFUL, rng))
    assert form.is_valid(), form.errors
    return judgments.Submission(
        uuid=fields.pop("uuid", None) or uuid.uuid4(),
        answer=form.cleaned_data,
        seconds_active=4.5,
        **fields,
    )
