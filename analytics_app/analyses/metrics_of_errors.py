"""Automatic metrics against penalties for marked errors, as WMT compares metrics with MQM."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.error_spans import WeightedErrors
from analytics_app.analyses.error_spans.looks import errors_of, with_looks
from analytics_app.analyses.error_spans.systems import outputs_of
from analytics_app.analyses.metrics import MetricAnalysis, Metrics, against
from analytics_app.analyses.registry import register
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.scores import Scores
from analytics_app.ratings.extras.spans import Spans
from analytics_app.results import Row
from tasks_app.task_types.base import Scale


@register
class MetricsOfErrors(MetricAnalysis, WeightedErrors):
    """Agreement of automatic metrics with MQM penalties: as for ratings, with the sign of the penalty reversed.

    People's score of a text is its penalty, the mean over raters of the sum of what its errors weigh. Texts without an
    error count with 0.
    """

    label = _("Automatic metrics and marked errors")
    summary = _(
        "How far automatic metrics agree with MQM penalties, over texts, within items and over systems. Needs scores: "
        "manage.py import_scores or compute_scores."
    )
    source = (
        "Freitag, Rei, Mathur, Lo, Stewart, Foster, Lavie and Bojar (2021). Results of the WMT21 metrics shared task. "
        "WMT, 733-774."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"error_spans"})
    whole_task = True
    splits = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Spans, Scores})
    distinguishing_settings = ("human",)
    statistics: ClassVar[Mapping[str, Words]] = Metrics.statistics
    only_drawn = Metrics.only_drawn

    def rows(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of a sample and of its slices, after adding the texts without an error."""
        if errors_of(sample) is None or not sample.extras[Scores].metrics:
            return
        complete, weights = with_looks(sample, self.weights)
        if weights.called:
            for part in self.parts(complete):
                yield from self.compute(part)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one sample that has a row for every text."""
        outputs = outputs_of(sample, by_document=sample.question.by_document)
        yield from against(Rows(self.name, sample), outputs, self, sign=-1.0)
