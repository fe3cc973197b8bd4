"""Search results: precision and nDCG of the first results of each system, from raters' labels of relevance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.search_results.further import further_raters
from analytics_app.analyses.search_results.lists import MAJORITY, MEAN, MODEL, Lists, lists_of
from analytics_app.analyses.search_results.settings import CutoffsField, GainsField, cutoffs_of, gains_of
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.variants import Variants
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.ranking.retrieval import ndcg_at, precision_at
from analytics_app.stats.values import joined
from tasks_app.settings.fields import choice_field
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

PRECISION, NDCG = "precision_at", "ndcg_at"
NO_GAIN = "No result of any query has a gain, so there is no best possible order."


@register
class SearchResults(FilteredAnalysis):
    """Precision of the first n results of each system, and nDCG at n where labels have gains.

    Items are queries, outputs results, and the variant of an output is its rank. Results that nobody judged count as
    not relevant, as in trec_eval; `judged_at` says how many were judged. Intervals and tests are over queries
    and, unless the plan says otherwise, with raters and queries both random, by the labels of each rater.
    """

    label = _("Search results")
    summary = _("Precision and nDCG of the first results of each system, with tests between systems.")
    source = (
        "Manning, Raghavan and Schütze (2008). Introduction to Information Retrieval, chapter 8. Cambridge University "
        "Press. Järvelin and Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques. ACM Transactions on "
        "Information Systems 20(4), 422-446."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"labels"})
    needs = frozenset({Variants, Wanted})
    # Results that a group or a wave did not judge would count as not relevant.
    splits = False
    statistics = {
        "precision_at": _("Precision of the first results"),
        "ndcg_at": _("nDCG of the first results"),
        "judged_at": _("Share of the first results that were judged"),
        "precision_difference": _("Difference of precision"),
        "ndcg_difference": _("Difference of nDCG"),
        "precision_at_crossed": _("Precision of the first results, for further raters and queries"),
        "ndcg_at_crossed": _("nDCG of the first results, for further raters and queries"),
        "precision_difference_crossed": _("Difference of precision, for further raters and queries"),
        "ndcg_difference_crossed": _("Difference of nDCG, for further raters and queries"),
    }

    relevant = ListField(
        label=_("Relevant labels"),
        help_text=_("Labels that count as relevant, such as Relevant. If empty, this analysis is skipped."),
    )
    gains = GainsField(
        required=False,
        initial="",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        label=_("Gains of labels"),
        help_text=_("For nDCG, one per line, such as Relevant=2. Leave empty for a gain of 1 for each relevant label."),
    )
    cutoffs = CutoffsField(
        initial="1, 3, 5, 10",
        max_length=60,
        label=_("Cut-offs"),
        help_text=_("How many of the first results count, with commas between them."),
    )
    join = choice_field(
        _("Label of a result"),
        (
            (MAJORITY, _("that of the majority")),
            (MEAN, _("mean over raters")),
            (MODEL, _("the most likely one (Dawid and Skene)")),
        ),
        initial=MAJORITY,
    )

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems; empty if no label is relevant."""
        return {"statistic": "precision_difference"} if self.relevant else {}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one criterion; none if no label counts as relevant."""
        if not self.relevant:
            return
        make = Rows(self.name, sample)
        gains = gains_of(self.gains) or dict.fromkeys(self.relevant, 1.0)
        lists = lists_of(sample, self.relevant, gains, self.join)
        if isinstance(lists, str):
            yield make.row(PRECISION, note=lists)
            return
        row_settings = {"relevant": list(self.relevant), "join": self.join}
        yield from further_raters(make, lists, cutoffs_of(self.cutoffs), row_settings, gains)
        for measure in measures(lists, cutoffs_of(self.cutoffs), row_settings, gains):
            yield from _means(make, lists, measure)
            yield from _differences(make, lists, measure)
        yield from _judged(make, lists, cutoffs_of(self.cutoffs))


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of every list at every cut-off, shape (n_lists, n_cutoffs), NaN where it is undefined."""

    statistic: str
    difference: str
    values: Floats
    cutoffs: Sequence[int]
    settings: Mapping[str, Any]


def measures(
    lists: Lists, cutoffs: Sequence[int], settings: Mapping[str, Any], gains: Mapping[str, float]
) -> list[Measure]:
    """Return precision and nDCG of every list."""
    precision = np.column_stack([precision_at(lists.relevance, n) for n in cutoffs])
    ndcg = np.column_stack([ndcg_at(lists.gain, lists.known, n) for n in cutoffs])
    return [
        Measure(PRECISION, "precision_difference", precision, cutoffs, settings),
        Measure(
            NDCG, "ndcg_difference", ndcg, cutoffs, {**settings, "gains": dict(gains), "discount": "log2(1 + rank)"}
        ),
    ]


def _means(make: Rows, lists: Lists, measure: Measure) -> Iterator[Row]:
    """Yield the mean over queries of each system at each cut-off."""
    n_systems, n = len(lists.systems), len(measure.cutoffs)
    drawn = bootstrap(make.sample, f"search results {measure.statistic}", lists.unit)
    means = group_means(
        measure.values.ravel(),
        (lists.system[:, np.newaxis] + n_systems * np.arange(n)).ravel(),
        np.repeat(lists.cluster, n),
        n_groups=n_systems * n,
        **drawn.options,
    )
    for code, mean in enumerate(means):
        place, system = divmod(code, n_systems)
        of_system = lists.system == system
        yield make.row(
            measure.statistic,
            mean,
            label=f"at {measure.cutoffs[place]}",
            system=lists.systems[system],
            n_ratings=int(lists.n_answers[of_system][:, : measure.cutoffs[place]].sum()),
            n_items=int((~np.isnan(measure.values[of_system, place])).sum()),
            note=_note(lists, system, measure, mean_note=joined(mean.note, interval_note(mean, lists.unit))),
            settings={**drawn.settings, **measure.settings, "cutoff": measure.cutoffs[place]},
        )


def _note(lists: Lists, system: int, measure: Measure, *, mean_note: str | None) -> str | None:
    of_system = lists.system == system
    without = lists.without_results(system)
    undefined = int(np.isnan(measure.values[of_system, 0]).sum())
    if undefined == of_system.sum():
        return joined(NO_GAIN, lists.note)
    no_results = f"Left out: {in_words(without, 'query', 'queries')} without results of this system."
    no_gain = f"Left out: {in_words(undefined, 'query', 'queries')} without a result that has a gain."
    return joined(mean_note, lists.note, no_results if without else None, no_gain if undefined else None)


def _differences(make: Rows, lists: Lists, measure: Measure) -> Iterator[Row]:
    """Yield the differences of every pair of systems at each cut-off; all tests are one family."""
    n, n_systems = len(measure.cutoffs), len(lists.systems)
    pairs = lists.pairs(make.sample)
    if not pairs or np.isnan(measure.values).all():
        return
    columns = [item_means(measure.values[:, place], lists.system, lists.query, n_systems) for place in range(n)]
    family = pair_tests(
        make,
        np.hstack([matrix for matrix, _items in columns]),
        [(place * n_systems + a, place * n_systems + b) for place in range(n) for a, b in pairs],
        purpose=f"search results {measure.difference}",
        unit=lists.unit,
        clusters=lists.clusters_of(columns[0][1]),
        of="pairs and cut-offs of one measure",
    )
    for place, test in enumerate(family.tests):
        cutoff = measure.cutoffs[place // len(pairs)]
        yield test.row(
            make,
            measure.difference,
            label=f"at {cutoff}",
            **lists.names(test.result.a % n_systems, test.result.b % n_systems),
            settings={**measure.settings, "cutoff": cutoff},
        )


def _judged(make: Rows, lists: Lists, cutoffs: Sequence[int]) -> Iterator[Row]:
    """Yield the judged share of the first results of each system."""
    for cutoff in cutoffs:
        for system, name in enumerate(lists.systems):
            of_system = lists.system == system
            returned = int(lists.returned[of_system][:, :cutoff].sum())
            judged = int(lists.judged[of_system][:, :cutoff].sum())
            left, short = returned - judged, int(of_system.sum()) * cutoff - returned
            unjudged = f"{in_words(left, 'result was', 'results were')} not judged, which counts as not relevant."
            missing = f"{in_words(short, 'rank has', 'ranks have')} no result, which counts as not relevant."
            yield make.row(
                "judged_at",
                value=judged / returned if returned else None,
                label=f"at {cutoff}",
                system=name,
                n_items=int(of_system.sum()),
                note=joined(unjudged if left else None, missing if short else None),
                settings={"cutoff": cutoff, "results": returned},
            )
