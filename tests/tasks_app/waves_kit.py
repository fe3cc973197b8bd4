"""The example panas_groups, opened, and raters for whom days pass."""

from datetime import timedelta
from pathlib import Path
from random import Random

from django.conf import settings
from django.db.models import F, Q

from tasks_app import studyfile
from tasks_app.channels.base import Arrival
from tasks_app.models import Rater, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle
from tests import walk
from tests.walk import next_for

EXAMPLE = Path(settings.BASE_DIR) / "examples" / "panas_groups"


def opened() -> Study:
    """Load the example and open it."""
    loaded = studyfile.load(EXAMPLE, owner=None)
    return lifecycle.move(study_id=loaded.pk, action="open", by=None)


def days_pass(rater: Rater, days: float) -> None:
    """Let time pass for a rater, by moving what is kept for them into the past: the clock is the database's."""
    gone = timedelta(days=days)
    Rater.objects.filter(pk=rater.pk).update(enrolled_at=F("enrolled_at") - gone)
    rater.refresh_from_db(fields=["enrolled_at"])
    for column in ("opens_at", "closes_at", "lease_until"):
        RaterSet.objects.filter(~Q(**{column: None}), rater=rater).update(**{column: F(column) - gone})


def do_what_is_open(study: Study, rater: Rater) -> int:
    """Answer everything that is open for a rater; return how many units that was."""
    rng, done = Random(4), 0
    while (found := next_for(rater=rater)) is not None:
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, rng))
        rater.refresh_from_db()
        done += 1
    rater.refresh_from_db()
    return done


def invited(study: Study, number: int = 1, email: str = "ada@example.org") -> Rater:
    """Enrol somebody as their invitation does."""
    arrival = Arrival("invited", external_id=str(number), session_id="invitation", email=email)
    return enrolment.enrol(study_id=study.pk, nonce=f"n{number}", consent_text_id=None, arrival=arrival).rater


def from_prolific(session: str, person: str = "a") -> Arrival:
    return Arrival("prolific", external_id=person * 24, session_id=session * 24, details={"study_id": "c" * 24})
