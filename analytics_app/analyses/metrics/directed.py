"""Settings of analyses of metrics: which metrics, and which direction of each is better."""

from collections.abc import Mapping
from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.ratings.metric_directions import Directions
from tasks_app.settings.fields import choice_field
from tasks_app.studyfile.fields import ListField

KNOWN, LISTED = "known", "listed"


class DirectedAnalysis(FilteredAnalysis):
    """An analysis of metrics with settings that choose metrics and say which direction of each is better."""

    # Plans from before directions were known by name turn the metrics that they list, and no others.
    before_the_choice: ClassVar[Mapping[str, object]] = {"directions": LISTED}

    metrics = ListField(
        label=_("Metrics"), help_text=_("Names of the metrics to analyse. Leave empty for all metrics.")
    )
    lower_is_better = ListField(
        label=_("Metrics for which lower is better"),
        help_text=_(
            "Such as an error rate of your own. Their sign is turned, so that above zero means agreement. TER, WER, "
            "perplexity and other public metrics are known by name."
        ),
    )
    higher_is_better = ListField(
        label=_("Metrics for which higher is better"),
        help_text=_("Such as scores of a public metric that were imported with their sign turned already."),
    )
    directions = choice_field(
        _("Direction of metrics that neither list names"),
        (
            (KNOWN, _("by name, where it is a public metric; otherwise higher is better")),
            (LISTED, _("higher is better")),
        ),
        initial=KNOWN,
    )

    @property
    def directed(self) -> Directions:
        """Return the directions that the settings give."""
        return Directions(self.lower_is_better, self.higher_is_better, by_name=self.directions == KNOWN)

    @property
    def named_metrics(self) -> set[str]:
        """Return the metrics that the settings name."""
        return {*self.metrics, *self.lower_is_better, *self.higher_is_better}
