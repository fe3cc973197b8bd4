"""Counts of errors: the cost of an error of each type with people and with metrics, and the difference of the two."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample, in_words
from analytics_app.analyses.error_counts.further import further_raters
from analytics_app.analyses.error_counts.texts import MetricScale, Texts, texts_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.rated_texts import low_is_good
from analytics_app.analyses.shared.transforms import Reducible, noted
from analytics_app.ratings import Floats, Mask
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.errors.effects import Effects, effects_of_errors
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import NumberField
from tasks_app.settings.study import Block
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import ORDERED_SCALES

DEPENDENT = "Several texts are of one item and not independent, so intervals may be too narrow and p too small."
NO_ENDS = "The scale of the ratings has no ends, so metrics cannot be brought to it: only people are analysed."
UNKNOWN = "The plan names this metric, and no scores of texts of that name were imported."
NOBODY = "There are no texts of this kind."

MEAN, MODE = "mean", "mode"

FIT = {"fit": "ordinary least squares", "interval": "t of OLS", "test": "t of OLS"}


@register
class ErrorCounts(Reducible):
    """The cost of an error of each type: regressions of the scores of people, raters and metrics on counts of errors.

    Ratings and scores are brought to 0 to 1, so that effects and differences can be compared. A metric and people are
    also compared text by text, by the mean and the most frequent rating of a text. Ordinary least squares take texts as
    independent and raters as given; unless the plan says otherwise, raters and texts are also taken as random.
    """

    label = _("Counts of errors")
    summary = _(
        "How much an error of each type lowers the ratings of people, of each rater and the scores of metrics, and how "
        "far metrics are from people. Needs counts of errors: imported scores or features of items."
    )
    source = (
        "Borovikova, Grobol, Halftermeyer and Billot (2022). A methodology for the comparison of human judgments with "
        "metrics for coreference resolution. HumEval, 16-23."
    )
    scales = ORDERED_SCALES
    needs = frozenset({Scores, Kinds})
    splits = False
    leads = False
    distinguishing_settings = ("reduce",)
    statistics = {
        "error_effect": _("Change of ratings with one more error"),
        "error_effect_of_metric": _("Change of a metric with one more error"),
        "error_effect_difference": _("Change of a metric minus change of ratings"),
        "error_effect_crossed": _("Change of ratings with one more error, for further raters and texts"),
        "error_effect_difference_crossed": _(
            "Change of a metric minus change of ratings, for further raters and texts"
        ),
        "error_effect_of_rater": _("Change of a rater's ratings with one more error"),
        "error_free": _("Score without errors"),
        "error_r_squared": _("Share of variance that counts of errors explain"),
        "metric_minus_people": _("Metric minus people, mean over texts"),
        "metric_people_distance": _("Distance of metric and people, mean over texts"),
        "metric_above_people": _("Metric minus people, where the metric is higher"),
        "metric_below_people": _("Metric minus people, where the metric is lower"),
    }

    counts = ListField(
        label=_("Counts of errors"),
        help_text=_(
            "Names of imported scores, or of features of the items, that count the errors of each text by type. If "
            "empty, this analysis is skipped."
        ),
    )
    metrics = ListField(
        label=_("Metrics"),
        help_text=_("Names of imported scores. Leave empty to use all that are not error counts."),
    )
    lower_is_better = ListField(label=_("Metrics for which lower is better"))
    metric_low: NumberField[float] = NumberField(
        required=False, initial=0.0, label=_("Lowest possible score of the metrics")
    )
    metric_high: NumberField[float] = NumberField(
        required=False, initial=1.0, label=_("Highest possible score of the metrics")
    )

    class Settings(Block):
        def clean(self) -> dict[str, object]:
            """Refuse an empty range, and a metric that is also a count of errors."""
            cleaned: dict[str, Any] = super().clean() or self.cleaned_data
            low, high = (cleaned.get(name) for name in ("metric_low", "metric_high"))
            cleaned["metric_low"] = low = 0.0 if low is None else low
            cleaned["metric_high"] = high = 1.0 if high is None else high
            if low >= high:
                self.add_error("metric_high", ValidationError(_("The highest score is above the lowest.")))
            if both := sorted(set(cleaned.get("counts") or ()) & set(cleaned.get("metrics") or ())):
                sentence = _("“%(name)s” is a count of errors; a metric has another name.") % {"name": both[0]}
                self.add_error("metrics", ValidationError(sentence))
            return cleaned

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the ratings are not ranks, where the lowest is the best."""
        return super().fits(question) and not low_is_good(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of people, of each metric and of each rater; none if the settings name no count."""
        if not self.counts:
            return
        sample, lost = self.on_its_scale(sample)
        make = Rows(self.name, sample)
        metrics = MetricScale(self.metrics, self.metric_low, self.metric_high, self.lower_is_better)
        reduced = {"reduce": self.reduce}
        texts = texts_of(sample, self.counts, metrics)
        if isinstance(texts, str):
            yield make.row("error_effect", note=joined(texts, lost), by_system=True, settings=reduced)
            return
        yield from noted(_rows(make, texts, metrics, reduced), lost)


def _rows(make: Rows, texts: Texts, metrics: MetricScale, reduced: Mapping[str, str]) -> Iterator[Row]:
    low, high = texts.ends or (0.0, 0.0)
    scale = "as given" if texts.ends is None else f"{low:g} to {high:g} as 0 to 1"
    of_ratings = {**reduced, "scale": scale}
    of_fits = {**of_ratings, **FIT}
    yield from further_raters(make, texts, of_ratings)
    yield from _fitted(make, texts, texts.mean, "error_effect", of_fits, note=NO_ENDS if texts.ends is None else None)
    for name in sorted({*metrics.names, *metrics.lower_is_better} - {*texts.by_metric}):
        if texts.ends is not None:
            yield make.row("error_effect_of_metric", metric=name, note=UNKNOWN, by_system=True, settings=of_fits)
    of_metrics = {**of_fits, "scale": f"{metrics.low:g} to {metrics.high:g} as 0 to 1"}
    signatures = make.sample.extras[Scores].signatures
    for name, scores in texts.by_metric.items():
        outside = f"Scores of {name} lie outside the range that the plan gives." if name in texts.outside else None
        signature = signatures.get(name)
        settings = {**of_metrics, "signature": signature} if signature else of_metrics
        yield from _fitted(
            make, texts, scores, "error_effect_of_metric", settings, about={"metric": name}, note=outside
        )
    yield from _differences_of_effects(make, texts, of_fits)
    for name, scores in texts.by_metric.items():
        for label, people in ((MEAN, texts.mean), (MODE, texts.mode)):
            yield from _apart(make, texts, scores - people, {"metric": name, "label": label}, of_ratings)
    yield from _raters(make, texts, of_fits)


def _fitted(
    make: Rows,
    texts: Texts,
    scores: Floats,
    statistic: str,
    settings: Mapping[str, Any],
    *,
    about: Mapping[str, Any] | None = None,
    note: str | None = None,
) -> Iterator[Row]:
    """Yield the effect of each type of error on some scores, the score without errors, and R²."""
    fit = effects_of_errors(scores, texts.counts, texts.errors, confidence=make.sample.common.confidence)
    left_out = int((~np.isnan(scores)).sum()) - fit.n
    notes = joined(
        note,
        f"{in_words(left_out, 'text has', 'texts have')} no count of some type and left out." if left_out else None,
        DEPENDENT if texts.share_items and fit.effects else None,
    )
    common = {**(about or {}), "by_system": True}
    if not fit.effects:
        reason = joined(fit.intercept.note, notes)
        yield make.row(statistic, fit.intercept, **{**common, "note": reason}, settings=dict(settings))
        return
    adjusted = adjust([effect.p for effect in fit.effects], make.sample.common.correction)
    family = {"family": "types of errors", "correction": make.sample.common.correction}
    for name, effect, p in zip(texts.errors, fit.effects, adjusted, strict=True):
        reason = joined(effect.note, notes if name == texts.errors[0] else None)
        yield make.row(
            statistic, effect, **common, label=name, p_adjusted=p, note=reason, settings={**settings, **family}
        )
    yield from _fit(make, fit, common, settings)


def _fit(make: Rows, fit: Effects, about: Mapping[str, Any], settings: Mapping[str, Any]) -> Iterator[Row]:
    yield make.row("error_free", fit.intercept, **about, settings=dict(settings))
    yield make.row("error_r_squared", fit.r_squared, **about, settings=dict(settings))


def _differences_of_effects(make: Rows, texts: Texts, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield for each metric and type of error the difference between its effects on the metric and on people.

    The difference of two regressions on the same counts is the regression of the differences, whose interval allows
    for the same texts in both.
    """
    differences: list[tuple[str, str, Estimate]] = []
    for name, scores in texts.by_metric.items():
        fit = effects_of_errors(
            scores - texts.mean, texts.counts, texts.errors, confidence=make.sample.common.confidence
        )
        differences += [(name, label, estimate) for label, estimate in zip(texts.errors, fit.effects, strict=False)]
    adjusted = adjust([estimate.p for _name, _label, estimate in differences], make.sample.common.correction)
    family = {"family": "types of errors and metrics", "correction": make.sample.common.correction}
    for (name, label, estimate), p in zip(differences, adjusted, strict=True):
        yield make.row(
            "error_effect_difference", estimate, metric=name, label=label, p_adjusted=p, by_system=True,
            settings={**settings, **family},
        )  # fmt: skip


def _apart(
    make: Rows, texts: Texts, difference: Floats, about: Mapping[str, Any], shared_settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield the differences between a metric and people over texts: mean, mean distance, and mean on each side."""
    drawn = bootstrap(make.sample, f"metric minus people {about['metric']} {about['label']}", texts.unit)
    some = ~np.isnan(difference)
    parts: tuple[tuple[str, Floats, Mask], ...] = (
        ("metric_minus_people", difference, some),
        ("metric_people_distance", np.abs(difference), some),
        ("metric_above_people", difference, difference > 0),
        ("metric_below_people", difference, difference < 0),
    )
    for statistic, values, mask in parts:
        n = int(mask.sum())
        settings = {**shared_settings, "people": about["label"], "n_ratings": "texts", **drawn.settings}
        if not n:
            yield make.row(statistic, **about, n_ratings=0, note=NOBODY, by_system=True, settings=settings)
            continue
        (mean,) = group_means(
            values[mask], np.zeros(n, dtype=np.int64), texts.cluster[mask], n_groups=1, **drawn.options
        )
        note = joined(mean.note, interval_note(mean, texts.unit))
        yield make.row(statistic, mean, **about, n_ratings=n, note=note, by_system=True, settings=settings)


def _raters(make: Rows, texts: Texts, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the regression of each rater's own ratings; p values are not corrected."""
    names = make.sample.table.names.raters
    for code in np.unique(texts.rater).tolist():
        of_rater = texts.rater == code
        about = {"rater": names[code], "by_system": True, "n_raters": 1}
        fit = effects_of_errors(
            texts.value[of_rater],
            texts.counts[texts.entry[of_rater]],
            texts.errors,
            confidence=make.sample.common.confidence,
        )
        if not fit.effects:
            yield make.row("error_effect_of_rater", fit.intercept, **about, settings=dict(settings))
            continue
        for label, effect in zip(texts.errors, fit.effects, strict=True):
            yield make.row("error_effect_of_rater", effect, **about, label=label, settings=dict(settings))
        yield from _fit(make, fit, about, settings)
