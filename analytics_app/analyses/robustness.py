"""Robustness: the sensitivity of raters and automatic metrics to degraded texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.directed import DirectedAnalysis
from analytics_app.analyses.metrics.scores import metrics_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.copies import Copies, copies_among, judge_of, kind_of
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, point, value_of
from analytics_app.charts.points import points_chart
from analytics_app.models import ResultRow
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.evidence import Evidence, conditions, figure, selected
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, percent, share_interval
from analytics_app.show.shown import Shown, StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means, paired
from tasks_app.setup.degraded.kinds import LABELS
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale


@register
class Robustness(DirectedAnalysis):
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
        for metric in metrics_of(sample, outputs.systems, items, self.metrics, self.directed):
            if metric.of_texts is not None:
                yield from _compared(
                    make, copies, metric.of_texts, clusters, outputs.unit, metric=metric.name, settings=metric.signs()
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
    """Yield the share of texts of each kind, of all systems, that have a higher score than their copy."""
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


# Tables of robustness: each kind of degradation for raters and metrics, and for each system.


@tables_of("robustness")
def robustness_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of degradations that raters and metrics notice, and of the differences of each system."""
    whole = rows.whole
    differences = whole.of("robustness_difference")
    columns = [
        named(gettext("Degraded copy"), kind_of),
        named(gettext("Judged by"), judge_of),
        own(gettext("Items"), items),
        own(gettext("Original minus copy"), digits(3)),
        own(gettext("Interval"), interval(3)),
        own(gettext("p"), p),
        own(gettext("Adjusted p"), p_adjusted(limit)),
        Shown(gettext("Noticed"), "robustness_noticed", percent(0)),
        Shown(gettext("Interval of noticed"), "robustness_noticed", share_interval),
    ]
    together = [row for row in differences if row.system is None]
    yield from table_of(
        whole, gettext("Degraded copies noticed by raters and metrics"), columns, together, by=("label", "metric")
    )
    columns = [
        named(gettext("System"), lambda row: row.system),
        named(gettext("Degraded copy"), kind_of),
        named(gettext("Judged by"), judge_of),
        own(gettext("Items"), items),
        own(gettext("Original minus copy"), digits(3)),
        own(gettext("Interval"), interval(3)),
    ]
    alone = [row for row in differences if row.system is not None]
    if len({row.system for row in alone}) > 1:
        yield from table_of(whole, gettext("Degraded copies by system"), columns, alone)


# Chart of robustness: how often raters and metrics notice each kind of degraded copy.


@chart(order=62)
def robustness_noticed(material: Material) -> Iterator[Sketch]:
    """Draw the share of texts with a higher score than their copy, by kind, for raters and each metric."""
    rows = [row for row in material.of("robustness_noticed") if row.system is None]
    if len(rows) < 2:
        return
    kinds = list(dict.fromkeys(row.label for row in rows))
    rows.sort(key=lambda row: (kinds.index(row.label), row.metric or ""))
    points = [
        point(
            row,
            words.share(value_of(row)),
            name=f"{str(row.label).replace('-', ' ')}, {row.metric or 'raters'}",
            n=row.n_items,
        )
        for row in rows
    ]
    by_raters = [row for row in rows if row.metric is None]
    least, most = min(by_raters, key=value_of), max(by_raters, key=value_of)
    yield Sketch(
        kind="robustness-noticed",
        title=(
            f"Raters notice between {words.share(value_of(least))} ({str(least.label).replace('-', ' ')}) and "
            f"{words.share(value_of(most))} ({str(most.label).replace('-', ' ')}) of degraded copies on {material.name}"
        ),
        subtitle=f"Share of texts with a higher score than their copy, with its interval; {material.basis(rows)}.",
        by_system=True,
        chart=points_chart(points, measure="Noticed", domain=(0.0, 1.0), percent=True),
        columns=(("name", "Degraded copy"), ("value", "Noticed"), ("low", "Low"), ("high", "High"), ("n", "Texts")),
    )


# The finding about degradations that raters notice.


@finding_of("robustness", "robustness_difference", order=16)
def robustness_finding(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding that names the kinds of degraded copies rated lower than originals, and the unclear kinds."""
    tested = [
        row
        for row in rows.of("robustness_difference")
        if row.system is None and row.metric is None and row.p_adjusted is not None and row.value is not None
    ]
    if not tested:
        return None
    lower = [kind_of(row) for row in tested if (row.p_adjusted or 0) < question.limit and (row.value or 0) > 0]
    unclear = [kind_of(row) for row in tested if kind_of(row) not in lower]
    evidence = _evidence(tested, question.limit, n_lower=len(lower))
    if not lower:
        start = gettext("It was not shown that raters rate any degraded copy lower than its original")
        return Finding(start, criterion=question.name, evidence=evidence)
    placeholders = {"lower": ", ".join(lower), "others": ", ".join(unclear)}
    if unclear:
        sentence = gettext("Raters rate degraded copies lower for %(lower)s; this was not shown for %(others)s")
    else:
        sentence = gettext("Raters rate all kinds of degraded copies lower than their originals: %(lower)s")
    return Finding(sentence % placeholders, criterion=question.name, evidence=evidence)


def _evidence(tests: Sequence[ResultRow], limit: float, *, n_lower: int) -> Evidence:
    """Return the facts for a sentence in a paper: how much lower copies of each kind are rated than originals."""
    figures = []
    for row in selected(tests, limit, lambda row: abs(row.value or 0.0)):
        value, *ends = [cells.figure(end, 2) for end in (row.value or 0.0, row.low, row.high) if end is not None]
        name = gettext("original \N{MINUS SIGN} copy (%(kind)s)") % {"kind": kind_of(row)}
        figures.append(figure(row, name, value, ends, limit))
    unnoticed = gettext("A kind of copy of which this was not shown may be rated lower all the same.")
    return Evidence(tests, figures, conditions(tests), [unnoticed] if n_lower < len(tests) else [])
