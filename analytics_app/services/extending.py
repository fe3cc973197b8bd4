"""The effect on results of judgments beyond the frozen plan."""

from django.utils.translation import gettext as _

from analytics_app.plan import declared_judgments
from tasks_app.models import Study


def meaning(study: Study, most: int) -> str:
    """Return whether judgments up to `most` of a unit count in the planned run, as a sentence."""
    declared = declared_judgments(study)
    if most <= declared:
        return _(
            "The analysis plan declared up to %(n)d judgments of each unit, so these count in the planned run."
        ) % {"n": declared}
    if declared:
        return _(
            "The analysis plan declared up to %(n)d judgments of each unit. The planned run leaves out those beyond; a "
            "run that counts them is exploratory, and says so."
        ) % {"n": declared}
    return _(
        "The analysis plan did not declare this. The planned run uses the places that were frozen at opening; a run "
        "that counts the added ones is exploratory, and says so."
    )
