"""Marks of automatic metrics beside marks of people: partial credit, error-free texts, and the human ceiling."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.error_spans import severity_penalty_field
from analytics_app.analyses.error_spans.looks import errors_of, with_looks
from analytics_app.analyses.predicted_marks.figures import compared, of_people
from analytics_app.analyses.predicted_marks.free import free_of_errors
from analytics_app.analyses.predicted_marks.judged import Judged
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import by_document, resample_field
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.metric_marks import MetricMarks
from analytics_app.ratings.extras.spans import Spans
from analytics_app.results import Row
from tasks_app.settings.fields import number_field
from tasks_app.task_types.base import Scale


@register
class PredictedMarks(FilteredAnalysis):
    """The agreement of metrics with people on marks, beside the agreement of people with one another on the same texts.

    Every metric is compared with every person who judged the text, micro over these comparisons. The human ceiling
    holds each person out in turn and compares them with the others, as if they were a metric; the figure of the metric
    beside it is computed on the same texts and with the same weights.
    """

    label = _("Marks of people and of metrics")
    summary = _(
        "Precision, recall and F1 of the marks of automatic metrics, by system, error-free texts, and the same figures "
        "between people as the human ceiling. Marks of metrics are imported: manage.py import_ratings --metric."
    )
    source = (
        "Perrella, Morales Agostinho and Zaragoza (2026). Span-level machine translation meta-evaluation. "
        "arXiv 2603.19921."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"error_spans"})
    whole_task = True
    splits = False
    leads = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Spans, MetricMarks})
    statistics: ClassVar[Mapping[str, Words]] = {
        "metric_marks_precision": _("Precision of the metric's marks"),
        "metric_marks_recall": _("Recall of the metric's marks"),
        "metric_marks_f1": _("F1 of the metric's marks"),
        "metric_marks_f1_shared": _("F1 of the metric's marks, texts of several people"),
        "people_marks_f1_shared": _("F1 of a person's marks, same texts"),
        "metric_marks_f1_difference": _("F1 of marks, metric minus people"),
        "people_marks_precision": _("Precision of a person's marks"),
        "people_marks_recall": _("Recall of a person's marks"),
        "people_marks_f1": _("F1 of a person's marks"),
        "error_free_share": _("Share of error-free texts"),
        "error_free_agreement": _("Percent agreement on error-free texts"),
        "error_free_alpha": _("Alpha of error-free texts"),
        "error_free_precision": _("Precision of the metric's error-free texts"),
        "error_free_recall": _("Recall of the metric's error-free texts"),
        "error_free_f1": _("F1 of the metric's error-free texts"),
        "error_free_f1_shared": _("F1 of the metric's error-free texts, texts of several people"),
        "people_error_free_f1_shared": _("F1 of a person's error-free texts, same texts"),
        "error_free_f1_difference": _("F1 of error-free texts, metric minus people"),
    }

    resample = resample_field()
    severity_penalty = severity_penalty_field()
    error_free_score = number_field(
        _("Least score of an error-free text"),
        _(
            "In percent of the scale. A text is error-free for a rater who marked nothing and gave this score or a "
            "better one; where the task asks for no score, marks alone count."
        ),
        within=(0, 100),
        initial=85,
    )

    def rows(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of a sample and of its slices, after adding the texts without an error."""
        if errors_of(sample) is None:
            return
        complete, _weights = with_looks(sample)
        for part in self.parts(complete):
            yield from self.compute(part)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one sample that has a row for every text."""
        judged = Judged.of(sample, self.error_free_score, by_document=by_document(sample, self.resample))
        if not len(judged.people.text):
            return
        make = Rows(self.name, sample)
        yield from free_of_errors(make, judged)
        yield from of_people(make, judged)
        for code in range(len(judged.metrics)):
            yield from compared(make, judged, code, self.severity_penalty)

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return no columns: systems are not compared here."""
        return {}
