"""Automatic metrics against people: over texts, within items, over systems, and two metrics against each other."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.by_system import differences, means
from analytics_app.analyses.metrics.compared import swap_tests, williams_tests
from analytics_app.analyses.metrics.directed import DirectedAnalysis
from analytics_app.analyses.metrics.grouped import accuracies, averaged, ends, soft, test_of
from analytics_app.analyses.metrics.people import STATISTICS, ceiling
from analytics_app.analyses.metrics.scores import OfMetric, column_means, metrics_of
from analytics_app.analyses.metrics.selected import SelectedTexts, unknown_criterion
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import Bootstrap, bootstrap
from analytics_app.analyses.shared.outputs import Outputs, mix_note
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.metrics.metric_meta import over_systems, over_texts
from analytics_app.stats.metrics.tau_like import tau_like
from tasks_app.settings.fields import YesNoField, choice_field, number_field, whole_field
from tasks_app.studyfile.schema import plain
from tasks_app.task_types.base import ORDERED_SCALES

UNKNOWN = "The plan names this metric, and no scores of that name were imported."


class MetricAnalysis(DirectedAnalysis):
    """An analysis of metrics against people: its settings choose metrics, their direction, and people's scores."""

    # Archives of runs from before these figures have no rows of them.
    before_the_choice: ClassVar[Mapping[str, object]] = {
        **DirectedAnalysis.before_the_choice, "wmt": False, "ceiling": False,
    }  # fmt: skip

    human = choice_field(
        _("Human scores"), (("raw", _("mean ratings")), ("z", _("means of z within raters"))), initial="raw"
    )
    gap = number_field(
        _("Smallest difference of human scores that counts"),
        _("Pairs within an item that are nearer are skipped by tau-like; WMT took 25 of 100."),
        within=(0, 1_000_000),
        initial=0,
    )
    wmt = YesNoField(
        initial=True,
        label=_("Also the figures of the WMT metrics task"),
        help_text=_(
            "Averages by item and by system, accuracy with ties, soft pairwise accuracy, metrics compared by swapping "
            "their scores, and rank groups."
        ),
    )
    ceiling = YesNoField(
        initial=True,
        label=_("Also between people (human ceiling)"),
        help_text=_(
            "The same figures between one rater, or half of the raters, and the others of the same texts, beside those "
            "of the metrics. Needs texts with at least two raters."
        ),
    )
    top_and_last = whole_field(
        _("Best and worst systems apart"),
        _(
            "Correlations are also computed over this many of the systems that people rate highest, and over as many "
            "of those they rate lowest. 0 computes them over all systems only."
        ),
        within=(0, 100),
        initial=0,
    )
    compare = YesNoField(initial=True, label=_("Compare metrics with each other"))
    williams_ranks = YesNoField(
        initial=False,
        label=_("Also Williams' test by Spearman and Kendall"),
        help_text=_(
            "As papers report it. Williams' formula is that of Pearson's r: it is rough with rho, and hardly ever "
            "rejects with tau."
        ),
    )
    compare_systems = choice_field(
        _("Compare systems by their scores"),
        (
            ("composites", _("by composite scores")),
            ("all", _("by every metric")),
            ("none", _("not at all")),
        ),
        _("Composite scores are declared in the analysis plan."),
        initial="composites",
    )


@register
class Metrics(SelectedTexts, MetricAnalysis):
    """Agreement of automatic metrics with people's ratings of the same texts.

    People's score of a text is the mean of its ratings. Levels: all texts together; within each item, where the three
    forms of Kendall's tau that papers call by one name stand side by side; within each system; systems by their means.
    Pairwise accuracy counts ties, with a calibrated limit, and soft pairwise accuracy weighs pairs of systems by how
    sure people are. The human ceiling is the same figure between raters of the same texts. Intervals are bootstraps
    over items, or documents shown whole. Two metrics are compared by swapping their scores at random (PERM-BOTH), and
    by Williams' test; a family is all pairs of metrics on one criterion and level.
    """

    label = _("Automatic metrics")
    summary = _(
        "How far automatic metrics agree with people, over texts, within items and over systems; which metric agrees "
        "better. Needs scores: manage.py import_scores or compute_scores."
    )
    source = (
        "Mathur, Baldwin and Cohn (2020). Tangled up in BLEU: reevaluating the evaluation of automatic machine "
        "translation evaluation metrics. ACL, 4984-4997. For the human ceiling: Agirre, Cer, Diab and Gonzalez-Agirre "
        "(2012). SemEval-2012 task 6: a pilot on semantic textual similarity. *SEM, 385-393."
    )
    scales = ORDERED_SCALES
    needs: ClassVar[frozenset[type[Extra]]] = SelectedTexts.needs | {Scores}
    splits = False
    distinguishing_settings = ("human",)
    statistics: ClassVar[Mapping[str, Words]] = {
        "metric_pearson_texts": _("Pearson's r over texts"),
        "metric_spearman_texts": _("Spearman's rho over texts"),
        "metric_kendall_texts": _("Kendall's tau-b over texts"),
        "metric_tau_like_by_item": _("Tau-like within items, mean over items"),
        "metric_tau_like_pooled": _("Tau-like within items, pooled (WMT)"),
        "metric_tau_b_by_item": _("Tau-b within items, mean over items"),
        "metric_pearson_by_item": _("Pearson's r within items, mean over items"),
        "metric_spearman_by_item": _("Spearman's rho within items, mean over items"),
        "metric_pearson_by_system": _("Pearson's r within systems, mean over systems"),
        "metric_spearman_by_system": _("Spearman's rho within systems, mean over systems"),
        "metric_tau_b_by_system": _("Tau-b within systems, mean over systems"),
        "metric_acc_eq_texts": _("Pairwise accuracy with ties, over all texts"),
        "metric_acc_eq_by_item": _("Pairwise accuracy with ties, within items"),
        "metric_acc_eq_by_system": _("Pairwise accuracy with ties, within systems"),
        "metric_pearson_systems": _("Pearson's r over systems"),
        "metric_spearman_systems": _("Spearman's rho over systems"),
        "metric_pairwise_accuracy": _("Pairwise accuracy over systems"),
        "metric_soft_pairwise_accuracy": _("Soft pairwise accuracy over systems"),
        "metric_pearson_top": _("Pearson's r over the best systems"),
        "metric_pearson_last": _("Pearson's r over the worst systems"),
        "metric_pairwise_accuracy_top": _("Pairwise accuracy over the best systems"),
        "metric_pairwise_accuracy_last": _("Pairwise accuracy over the worst systems"),
        "metric_mean": _("Mean of the metric"),
        "metric_difference": _("Difference of two systems by the metric"),
        "metric_human_mean": _("Mean human rating of the texts that the metric scored"),
        "metric_williams_texts": _("Williams' test of two metrics over texts (t)"),
        "metric_williams_systems": _("Williams' test of two metrics over systems (t)"),
        "metric_williams_spearman_texts": _("Williams' test by Spearman's rho over texts (t)"),
        "metric_williams_spearman_systems": _("Williams' test by Spearman's rho over systems (t)"),
        "metric_williams_kendall_texts": _("Williams' test by Kendall's tau-b over texts (t)"),
        "metric_williams_kendall_systems": _("Williams' test by Kendall's tau-b over systems (t)"),
        "metric_perm_texts": _("Difference between two metrics' correlations with people, over texts"),
        "metric_perm_acc_eq": _("Difference between two metrics' pairwise accuracies with ties"),
        "metric_perm_systems": _("Difference between two metrics' correlations with people, over systems"),
        **STATISTICS,
        "metric_group_texts": _("Rank group of the metric by r over texts"),
        "metric_group_acc_eq": _("Rank group of the metric by accuracy with ties"),
        "metric_group_systems": _("Rank group of the metric by r over systems"),
    }

    only_drawn = frozenset({"metric_human_mean"})

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every metric and of every pair of them."""
        if not sample.extras[Scores].metrics:
            return
        make = Rows(self.name, sample)
        if unknown := unknown_criterion(self, sample):
            yield make.row("metric_pearson_texts", note=unknown, by_system=True)
        else:
            yield from against(make, _outputs(sample), self)


def _outputs(sample: Sample) -> Outputs:
    return Outputs.of(sample, by_document=sample.question.by_document)


def against(make: Rows, outputs: Outputs, analysis: MetricAnalysis, *, sign: float = 1.0) -> Iterator[Row]:
    """Yield the rows of every metric against people's scores of these outputs; `sign` is -1 if lower is better."""
    if not outputs.systems:
        return
    scores = make.sample.extras[Scores]
    known = {*scores.metrics, *(declared.name for declared in scores.composites)}
    for name in sorted(analysis.named_metrics - known):
        yield make.row("metric_pearson_texts", metric=name, note=UNKNOWN, by_system=True)
    for declared in scores.composites:
        if declared.problem:
            composite = {"composite": declared.definition}
            yield make.row(
                "metric_mean", metric=declared.name, note=declared.problem, by_system=True, settings=composite
            )
    reason = mix_note(outputs) if analysis.human == "z" else None
    if reason is not None and reason.refuses:
        yield make.row("metric_pearson_texts", note=reason.sentence, by_system=True, settings={"human": "z"})
        return
    values = sign * (outputs.z if analysis.human == "z" else outputs.value)
    human, items = item_means(values, outputs.system, outputs.item, len(outputs.systems))
    metrics = list(metrics_of(make.sample, outputs.systems, items, analysis.metrics, analysis.directed))
    documents = outputs.clusters_of(items)
    row_settings = {"human": analysis.human}
    if reason is not None:
        row_settings["z"] = reason.sentence
    for metric in metrics:
        yield from _texts(make, human, metric, documents, row_settings)
        yield from _within(make, human, metric, documents, analysis.gap, {**row_settings, "gap": plain(analysis.gap)})
        if analysis.wmt:
            yield from averaged(make, human, metric, documents, row_settings)
            yield from accuracies(make, human, metric, documents, row_settings)
            yield from soft(make, human, metric, documents, row_settings)
        yield from _systems(make, human, metric, documents, row_settings)
        yield from ends(make, human, metric, analysis.top_and_last, row_settings)
        yield from means(make, outputs, metric, items, human, row_settings)
        if analysis.compare_systems == "all" or (analysis.compare_systems == "composites" and metric.made is not None):
            yield from differences(make, outputs, metric, documents, row_settings)
        yield from _people(make, outputs.systems, sign * human, metric, row_settings)
    if analysis.ceiling and metrics:
        yield from ceiling(make, outputs, values, metrics, row_settings)
    if analysis.compare and len(metrics) > 1:
        yield from williams_tests(make, human, metrics, row_settings, ranks=analysis.williams_ranks)
        if analysis.wmt:
            yield from swap_tests(make, human, metrics, documents, row_settings)


def _bootstrap(make: Rows, purpose: str, documents: NDArray[np.int64] | None) -> Bootstrap:
    # The same resamples for every metric.
    return bootstrap(make.sample, purpose, "items" if documents is None else "documents")


def _texts(
    make: Rows, human: Floats, metric: OfMetric, documents: NDArray[np.int64] | None, settings: Mapping[str, Any]
) -> Iterator[Row]:
    if metric.of_texts is None:
        return
    item = np.repeat(np.arange(len(human)) if documents is None else documents, human.shape[1])
    n_items = int((~np.isnan(human + metric.of_texts)).any(axis=1).sum())
    drawn = _bootstrap(make, "metrics over texts", documents)
    correlations = over_texts(human.ravel(), metric.of_texts.ravel(), item, **drawn.options)
    for name, estimate in (
        ("metric_pearson_texts", correlations.pearson),
        ("metric_spearman_texts", correlations.spearman),
        ("metric_kendall_texts", correlations.third),
    ):
        yield make.row(
            name, estimate, metric=metric.name, by_system=True, n_items=n_items,
            settings=metric.settings(settings, n_ratings="texts", **drawn.settings),
        )  # fmt: skip


def _within(
    make: Rows,
    human: Floats,
    metric: OfMetric,
    documents: NDArray[np.int64] | None,
    gap: float,
    settings: Mapping[str, Any],
) -> Iterator[Row]:
    if metric.of_texts is None:
        return
    drawn = _bootstrap(make, "metrics within items", documents)
    taus = tau_like(human, metric.of_texts, gap=gap, clusters=documents, **drawn.options)
    counts = {"concordant": taus.concordant, "discordant": taus.discordant, "ties": taus.ties}
    row_settings = metric.settings(settings, **counts, **drawn.settings)
    for name, estimate in (
        ("metric_tau_like_by_item", taus.by_item),
        ("metric_tau_like_pooled", taus.pooled),
        ("metric_tau_b_by_item", taus.tau_b),
    ):
        yield make.row(name, estimate, metric=metric.name, by_system=True, settings=row_settings)


def _systems(
    make: Rows, human: Floats, metric: OfMetric, documents: NDArray[np.int64] | None, settings: Mapping[str, Any]
) -> Iterator[Row]:
    scores = metric.scores
    if scores is None:
        return
    drawn = _bootstrap(make, "metrics over systems", documents)
    correlations = over_systems(human, scores, clusters=documents, **drawn.options)
    score = "mean of its texts" if metric.of_systems is None else "as imported"
    row_settings = metric.settings(settings, score_of_a_system=score, n_ratings="systems", **drawn.settings)
    for name, estimate in (
        ("metric_pearson_systems", correlations.pearson),
        ("metric_spearman_systems", correlations.spearman),
        ("metric_pairwise_accuracy", correlations.third),
    ):
        yield make.row(name, estimate, metric=metric.name, by_system=True, settings=row_settings | test_of(estimate))


def _people(
    make: Rows, systems: tuple[str, ...], human: Floats, metric: OfMetric, settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield people's mean of each system over the texts that the metric scored, with the metric's mean of these.

    Both have their own sign; these are the points of the correlation over systems.
    """
    scores = metric.scores
    if scores is None:
        return
    if scores.ndim == 2:
        human = np.where(np.isnan(scores), np.nan, human)
        scores = column_means(np.where(np.isnan(human), np.nan, scores))
    people, n = column_means(human), (~np.isnan(human)).sum(axis=0)
    for code, key in enumerate(systems):
        if not np.isnan(people[code] + scores[code]):
            yield make.row(
                "metric_human_mean", value=float(people[code]), metric=metric.name, system=key, n_items=int(n[code]),
                settings=metric.settings(settings, mean_of_metric=float(metric.sign * scores[code]))
            )  # fmt: skip
