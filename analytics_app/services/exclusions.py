"""Exclude raters and judgments manually, with a written reason. Exclusions are lifted, never deleted.

They change no existing run; the rule "manual" applies those that hold when a run is started.
"""

from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from analytics_app.models import Exclusion
from tasks_app.models import Judgment, Rater, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.texts.plaintext import problem_in

MANUAL = "manual"


@atomically
def exclude_rater(*, rater: Rater, by: Actor, reason: str) -> Exclusion:
    """Exclude all judgments of a rater from future runs. Pay does not change.

    Raises
    ------
    ValueError
        Without a written reason.
    """
    return _exclude(rater.study, by, reason, about=rater.pseudonym, rater=rater)


@atomically
def exclude_judgment(*, judgment: Judgment, by: Actor, reason: str) -> Exclusion:
    """Exclude one judgment from future runs. Raises ValueError without a written reason."""
    rater = judgment.assignment.rater
    about = f"{rater.pseudonym}, judgment {judgment.assignment.order}"
    return _exclude(rater.study, by, reason, about=about, judgment=judgment)


@atomically
def lift(*, exclusion: Exclusion, by: Actor) -> None:
    """Include a rater or judgment that was excluded by hand in future runs again."""
    lifted = Exclusion.objects.filter(pk=exclusion.pk, run=None, lifted_at=None)
    if lifted.update(lifted_by=getattr(by, "pk", None), lifted_at=Now()):
        events.log(exclusion.study, by, "included", about=_name(exclusion), before={"reason": exclusion.reason})
    exclusion.refresh_from_db()


def _exclude(study: Study, by: Actor, reason: str, *, about: str, **target: Any) -> Exclusion:
    reason = reason.strip()
    if not reason:
        raise ValueError(_("Enter a reason: it is printed with the results."))
    if problem := problem_in(reason):
        raise ValueError(problem)
    # The study's row is locked, so that nothing is excluded twice.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    standing = Exclusion.objects.filter(study=study, run=None, lifted_at=None, **target).first()
    if standing is not None:
        return standing
    excluded = Exclusion.objects.create(
        study=study, rule=MANUAL, reason=reason, by_id=getattr(by, "pk", None), **target
    )
    events.log(study, by, "excluded", about=about, after={"reason": reason})
    return excluded


def _name(exclusion: Exclusion) -> str:
    if exclusion.rater is not None:
        return exclusion.rater.pseudonym
    judgment = exclusion.judgment
    assert judgment is not None
    return f"{judgment.assignment.rater.pseudonym}, judgment {judgment.assignment.order}"
