"""Error spans: penalties, profiles of errors, correlation with scores, and agreement on the marks."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, Words, groups_and_waves
from analytics_app.analyses.error_spans.agreement import agreement
from analytics_app.analyses.error_spans.looks import Named, Weights, errors_of, looks_and_marks, with_looks
from analytics_app.analyses.error_spans.profiles import counts, of_raters, of_systems
from analytics_app.analyses.error_spans.scores import beyond_limits, contradictions, regressions, scores
from analytics_app.analyses.error_spans.systems import comparisons, outputs_of, penalties, segments
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import by_document, resample_field
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.spans import Spans
from analytics_app.results import Row
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import NumberField, YesNoField, choice_field, number_field
from tasks_app.settings.study import Block
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

NO_WEIGHTS = "Nothing says what an error weighs, so there is no penalty: set weights in the plan."


def severity_penalty_field() -> NumberField[float]:
    """Return the setting for the share of its credit that a matched mark loses if the severities differ."""
    return number_field(
        _("Credit lost where severities differ"),
        _(
            "From 0 to 1. With 0.5, a mark that another mark covers gets half of the credit if the two have different "
            "severities. Only figures with the severity use it."
        ),
        within=(0, 1),
        initial=0.5,
    )


class WeightedErrors(FilteredAnalysis):
    """An analysis of marked errors, with weights that a study can set."""

    weights = ListField(
        label=_("Weights of errors"),
        help_text=_(
            "Without any, those of the task. A severity or kind each, or both with +, such as “major: 5” or "
            "“minor + fluency/punctuation: 0.1”. The first that fits counts."
        ),
    )

    class Settings(Block):
        def clean_weights(self) -> list[str]:
            """Refuse entries that are no weights."""
            weights: list[str] = self.cleaned_data["weights"]
            for words in weights:
                try:
                    Named.of(words)
                except ValueError as error:
                    raise ValidationError(str(error)) from error
            return weights


@register
class ErrorSpans(WeightedErrors):
    """The errors that raters marked in the texts they saw, texts without an error included.

    The penalty of a segment is the sum of what its errors weigh (the mean of these sums over raters), that of a system
    the mean over its segments: lower is better. Intervals are bootstraps over items (documents where they were shown
    whole). Systems are compared pair by pair on the penalties of items that both have. Agreement is F1 of spans and
    nominal alpha over characters.
    """

    label = _("Marked errors")
    summary = _(
        "MQM penalty per system with interval and comparisons, errors by severity, kind and rater, "
        "agreement on spans, and how scores fit the marks."
    )
    source = (
        "Freitag, Foster, Grangier, Ratnakar, Tan and Macherey (2021). Experts, errors, and context: a large-scale "
        "study of human evaluation for machine translation. TACL 9, 1460-1474."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"error_spans"})
    whole_task = True
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Spans})
    statistics: ClassVar[Mapping[str, Words]] = {
        "mqm_score": _("MQM penalty (lower is better)"),
        "mqm_score_over_raters": _("MQM penalty, interval over raters"),
        "mqm_score_crossed": _("MQM penalty, for further raters and texts"),
        "mqm_score_z": _("MQM penalty, z within raters"),
        "mqm_difference": _("Difference of MQM penalties"),
        "mqm_difference_crossed": _("Difference of MQM penalties, for further raters and texts"),
        "mqm_wilcoxon": _("Wilcoxon's statistic of MQM penalties"),
        "esa_score": _("ESA score"),
        "errors_per_text": _("Errors per text"),
        "errors_by_severity": _("Errors per text, by severity"),
        "errors_by_category": _("Errors per text, by kind"),
        "errors_by_group": _("Errors per text, by group of kinds and severity"),
        "no_error_share": _("Share of texts without an error"),
        "severity_count": _("Marks of a severity"),
        "category_count": _("Marks of a kind"),
        "group_count": _("Marks of a group of kinds"),
        "no_error_count": _("Texts without an error"),
        "most_errors": _("Most errors in a text"),
        "mqm_segment": _("MQM penalty of a text"),
        "mqm_of_rater": _("MQM penalty per text, by rater"),
        "errors_of_rater": _("Errors per text, by rater"),
        "no_error_of_rater": _("Share of texts without an error, by rater"),
        "span_f1_exact": _("F1 of spans, exact match"),
        "span_f1_overlap": _("F1 of spans, overlap"),
        "span_f1_partial": _("F1 of spans, partial credit"),
        "character_alpha": _("Alpha over characters"),
        "top_score_grave_error": _("Highest score despite a serious error"),
        "low_score_no_error": _("Low score without an error"),
        "high_score_grave_error": _("Score above the study's limit despite a serious error"),
        "score_too_low_no_error": _("Score below the study's limit without an error"),
        "score_regression": _("Change of the score with one more error"),
        "score_regression_r2": _("Share of the score's variance that errors explain"),
    }

    resample = resample_field()
    segments = YesNoField(
        label=_("One row per text"),
        help_text=_("Lists the penalty of each text by system and item, for comparison with automatic metrics."),
    )
    severity_penalty = severity_penalty_field()
    low_score = number_field(
        _("Highest score that counts as low"),
        _("In percent of the scale. A low score without an error is listed as a contradiction."),
        within=(0, 100),
        initial=50,
    )
    regress_on = choice_field(
        _("Explain scores by"),
        (
            ("severity", _("how many errors of each severity")),
            ("group", _("how many of each group of kinds")),
        ),
        initial="severity",
    )

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "mqm_difference"}

    def rows(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of a sample, its slices, groups and waves, after adding the texts without an error."""
        if errors_of(sample) is None:
            return
        complete, weights = with_looks(sample, self.weights)
        for part in self.parts(complete):
            yield from self._of(part, weights)
            if weights.called:
                yield from self.pairs_without_ratings(part)
            for split in groups_and_waves(part):
                yield from self._of(split, weights)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one sample as it is given."""
        if errors_of(sample) is not None:
            complete, weights = with_looks(sample, self.weights)
            yield from self._of(complete, weights)

    def _of(self, sample: Sample, weights: Weights) -> Iterator[Row]:
        if not len(sample.table):
            return
        make, documents = Rows(self.name, sample), by_document(sample, self.resample)
        outputs = outputs_of(sample, by_document=documents)
        if weights.called:
            yield from penalties(make, outputs, weights)
            yield from comparisons(make, outputs)
            if self.segments:
                yield from segments(make, outputs)
        elif len(weights.of_mark):
            yield make.row("mqm_score", Estimate(None, note=NO_WEIGHTS))
        yield from scores(make, by_document=documents)
        looks, _is_mark, marks = looks_and_marks(sample)
        yield from of_systems(make, looks, marks, by_document=documents)
        yield from counts(make, looks, marks)
        yield from of_raters(make, looks, marks, weights)
        yield from agreement(make, looks, marks, self.severity_penalty)
        yield from contradictions(make, looks, marks, self.low_score)
        yield from beyond_limits(make, looks, marks)
        yield from regressions(make, looks, marks, self.regress_on)
