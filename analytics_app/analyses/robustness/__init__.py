"""Robustness: the sensitivity of raters and automatic metrics to degraded texts."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.scores import metrics_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.robustness.copies import Copies, copies_among
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means, paired
from tasks_app.setup.degraded.kinds import LABELS
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale


@register
class Robustness(FilteredAnalysis):
    """Texts against their degraded copies, by kind of degradation, for raters and for each metric.

    The score of a text is the mean of its ratings, or its metric score. A degradation is noticed on an item if the text
    has a higher score than its copy; equal scores count as not noticed. Intervals and tests generalise to items, or to
    documents shown whole. A family is all kinds for one criterion, for raters or for one metric.
    """

    label = _("Robustness")
    summary = _(
        "Whether raters and metrics notice degraded copies: difference to the original, and how often it is noticed."
    )
    source = (
        "Sai, Dixit, Sheth, Mohan and Khapra (2021). Perturbation CheckLists for evaluating NLG evaluation metrics. "
        "EMNLP, 7219-7234."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Scores})
    splits = False
    statistics: ClassVar[Mapping[str, Words]] = {
        "robustness_difference": _("Original minus degraded copy"),
        "robustness_noticed": _("Share of texts with a higher score than their copy"),
    }

    kinds = ListField(
        label=_("Kinds of degraded copies"),
        help_text=_(
            "What the keys of copies end with: the copies of alpha's texts by negation are the system alpha-negation. "
            "Leave empty for word-order, dropped-name, negation, number and repetition."
        ),
    )
    metrics = ListField(
        label=_("Metrics"), help_text=_("Names of the metrics to analyse. Leave empty for all metrics.")
    )
    lower_is_better = ListField(
        label=_("Metrics for which lower is better"),
        help_text=_(
            "Such as TER or perplexity. Their sign is turned, so that above zero means that the copy is worse."
        ),
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one criterion; none if no system has degraded copies."""
        outputs = Outputs.of(sample, by_document=sample.question.by_document)
        kinds = tuple(self.kinds) or tuple(LABELS)
        copies = copies_among(outputs.systems, kinds)
        if not copies.pairs:
            return
        make = Rows(self.name, sample)
        scores, items = item_means(outputs.value, outputs.system, outputs.item, len(outputs.systems))
        clusters = outputs.clusters_of(items)
        yield from _compared(make, copies, scores, clusters, outputs.unit)
        for metric in metrics_of(sample, outputs.systems, items, self.metrics, self.lower_is_better):
            if metric.of_texts is not None:
                sign = "turned" if metric.turned else "as it is"
                yield from _compared(
                    make, copies, metric.of_texts, clusters, outputs.unit, metric=metric.name, settings={"sign": sign}
                )


def _compared(
    make: Rows,
    copies: Copies,
    scores: Floats,
    clusters: Any,
    unit: str,
    *,
    metric: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Row]:
    """Yield the rows of each kind over all systems, with a test, then of each system; `scores` is items by systems."""
    settings = dict(settings or {})
    columns, pairs = copies.together(scores)
    family = pair_tests(
        make, columns, pairs, purpose="robustness", unit=unit, clusters=clusters, of="kinds of degradation"
    )
    for kind, test in zip(copies.kinds, family.tests, strict=True):
        yield test.row(
            make,
            "robustness_difference",
            label=kind,
            metric=metric,
            by_system=True,
            settings={**settings, "dz": test.result.effect_size},
        )
    yield from _noticed(make, copies, scores, clusters, unit, metric=metric, settings=settings)
    options = {**family.drawn.options, "rng": make.sample.rng("robustness by system"), "n_permutations": 0}
    by_system = paired(scores, [(pair.original, pair.copy) for pair in copies.pairs], clusters=clusters, **options)
    for pair, result in zip(copies.pairs, by_system, strict=True):
        yield make.row(
            "robustness_difference",
            result.difference,
            label=pair.kind,
            system=pair.system,
            metric=metric,
            n_items=result.n_items,
            settings={**family.drawn.settings, **settings, "seed": make.sample.seed("robustness by system")},
        )


def _noticed(
    make: Rows,
    copies: Copies,
    scores: Floats,
    clusters: Any,
    unit: str,
    *,
    metric: str | None,
    settings: Mapping[str, Any],
) -> Iterator[Row]:
    """Yield the share of texts of each kind, of all systems, whose score is higher than that of their copy."""
    drawn = bootstrap(make.sample, "robustness noticed", unit)
    higher, kind, item = copies.noticed(scores)
    of_item = item if clusters is None else clusters[item]
    shares = group_means(higher, kind, of_item, n_groups=len(copies.kinds), shares=True, **drawn.options)
    for code, (name, share) in enumerate(zip(copies.kinds, shares, strict=True)):
        yield make.row(
            "robustness_noticed",
            share,
            label=name,
            metric=metric,
            by_system=True,
            n_items=int((kind == code).sum()),
            settings={**drawn.settings, **settings, "n_items": "texts with a copy"},
        )
