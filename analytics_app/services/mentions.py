"""Texts of researchers about a study's analysis that are searched when a rater is erased."""

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from analytics_app.models import Datasheet, Exclusion, ResultLift, ResultsLink
from tasks_app.services.mentions import FreeText, register

_FROZEN = Q(version__isnull=False)
_BECAUSE = _("This datasheet was frozen when the study was opened.")


def register_texts() -> None:
    """Have reasons, the datasheet and the names of links searched."""
    own = ("rater", "judgment__assignment__rater", "rating__judgment__assignment__rater")
    register(
        FreeText(Exclusion, "reason", "study", _("Reason of an exclusion"), among=Q(run=None), own=own),
        FreeText(ResultLift, "reason", "study", _("Reason for showing results early")),
        FreeText(ResultsLink, "name", "run__study", _("Name of a link to results")),
        FreeText(Datasheet, "answers", "study", _("Datasheet"), stays=_FROZEN, because=_BECAUSE),
        FreeText(
            Datasheet, "criterion_answers", "study", _("Datasheet, about criteria"), stays=_FROZEN, because=_BECAUSE
        ),
    )
