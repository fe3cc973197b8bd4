"""Features of texts against factor scores: correlations, and how much of a factor they predict for texts not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.factors.solutions import Factored, Solution, factor_names, solve, why_none
from analytics_app.analyses.features.groups import unknown
from analytics_app.analyses.features.rules import NO, YES, Feature, FeaturesField, computed, read_features
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import clusters_of, unit_of
from analytics_app.analyses.shared.scales_of_texts import scales_of
from analytics_app.analyses.shared.value_groups import as_numbers
from analytics_app.ratings import Extra, Floats
from analytics_app.ratings.extras.shown_texts import ShownTexts
from analytics_app.results import Row
from analytics_app.show.formats import digits, interval, items
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, named, own, subsets, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.cross_validation import explained
from analytics_app.stats.metrics.metric_meta import over_texts
from analytics_app.stats.scales.factor import regression_scores
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import whole_field
from tasks_app.task_types.base import Scale

FOLDS, REPETITIONS = 10, 20
FOLDS_PURPOSE, PURPOSE = "folds of factor scores by features", "factor scores by features"
# With fewer texts for each feature a prediction cannot be trusted.
TEXTS_A_FEATURE = 5


@dataclass(frozen=True, slots=True)
class _Texts:
    """Mean factor scores of texts (texts, k), the codes of their parts, and the clusters of their items."""

    scores: Floats
    part: NDArray[np.int64]
    cluster: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample, solution: Solution, factored: Factored) -> _Texts:
        """Average the factor scores of the rows of each text; texts of systems left out are not there."""
        table, rows = sample.table, solution.rows
        scores = regression_scores(rows.values, factored.correlations, factored.rotation.structure)
        part = table.part[rows.first].astype(np.int64)
        known, place = np.unique(part, return_inverse=True)
        n = np.bincount(place)
        means = np.column_stack([np.bincount(place, weights=column) / n for column in scores.T])
        item = table.names.item_of_unit[table.names.unit_of_part[known]]
        return cls(means, known, clusters_of(table.names, by_document=sample.question.by_document)[item])


@register
class FactorFeatures(FilteredAnalysis):
    """Features of texts against their factor scores: do length, errors or other figures of a text go with a dimension?

    `factor_feature_r` is Pearson's r of a feature with the mean factor score of a text, with an interval over items.
    `factor_r2` is the share of the variance of a factor that all features together explain, and `factor_r2_left_out`
    the share that they explain in texts of items that were not used to fit (10 folds of items, drawn 20 times): 0 if
    the features help nothing.
    """

    label = _("Features and factors")
    summary = _("Do features of texts, such as their length, predict the dimensions that raters see?")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval. Stone (1974). Cross-validatory choice and assessment of statistical "
        "predictions. Journal of the Royal Statistical Society B 36(2), 111-147."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    task_types = frozenset({"semantic_differential"})
    needs = frozenset({ShownTexts})
    whole_task = True
    splits = False
    leads = False
    statistics = {
        "factor_feature_r": _("Correlation of a feature with a factor"),
        "factor_r2": _("Variance of a factor that features explain"),
        "factor_r2_left_out": _("Variance of a factor that features explain in texts left out"),
    }

    features = FeaturesField(
        required=False,
        initial="",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label=_("Features"),
        help_text=_(
            "As in Features of outputs, one per line, such as “length: words” or “hedged: contains may, might”: "
            "numbers, or yes and no. If empty, this analysis is skipped."
        ),
    )
    n_factors = whole_field(_("Number of factors"), _("Leave empty to have parallel analysis decide."), within=(1, 20))

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether there are enough scales to look for factors."""
        return super().fits(question) and len(scales_of(question, ())) > 2

    def needed(self) -> frozenset[type[Extra]]:
        """Return the extras: texts only if a feature is computed from them."""
        from_texts = any(feature.rule for feature in read_features(self.features))
        return (self.needs if from_texts else frozenset()) | self.needed_by_filters

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the correlations of each feature with each factor, then the shares explained; nothing without any."""
        features, make = read_features(self.features), Rows(self.name, sample)
        if not features:
            return
        solution = solve(sample, scales_of(sample.question, ()), self.n_factors)
        if solution.factored is None:
            yield make.row("factor_r2", Estimate(None, note=why_none(solution)))
            return
        texts, names = _Texts.of(sample, solution, solution.factored), factor_names(solution.k)
        columns: list[Floats] = []
        for feature in features:
            values = _values(sample, feature, texts.part)
            if isinstance(values, str):
                yield make.row("factor_feature_r", Estimate(None, note=values), label=feature.name)
                continue
            columns.append(values)
            yield from _correlations(make, texts, feature, values, names)
        if columns:
            yield from _shares(make, texts, np.column_stack(columns), names)


def _values(sample: Sample, feature: Feature, part: NDArray[np.int64]) -> Floats | str:
    """Return the value of a feature for each text, NaN for none and 1 for yes; or a sentence why there are none."""
    names = sample.table.names
    if feature.rule:
        texts = sample.extras[ShownTexts]
        (of_part,) = sample.extras.derived((computed, feature), lambda: computed([feature], texts.text, texts.source))
        if isinstance(of_part, str):
            return of_part
        words: list[float | str | None] = [None if one in texts.files else of_part[one] for one in part.tolist()]
    elif feature.name in names.features:
        item = names.item_of_unit[names.unit_of_part[part]]
        words = [str(names.features[feature.name][one]) or None for one in item.tolist()]
    else:
        return unknown(feature, names.features)
    values = as_numbers([{YES: 1.0, NO: 0.0}.get(str(word), word) for word in words])
    if values is None:
        return f"The feature “{feature.name}” has values that are neither numbers nor yes and no."
    return values


def _correlations(make: Rows, texts: _Texts, feature: Feature, values: Floats, names: Sequence[str]) -> Iterator[Row]:
    """Yield the correlation of a feature with each factor."""
    unit = unit_of(make.sample)
    for number, name in enumerate(names):
        drawn = bootstrap(make.sample, PURPOSE, unit, of="agreement")
        found = over_texts(texts.scores[:, number], values, texts.cluster, **drawn.options).pearson
        settings = {"feature": feature.name, "declared": str(feature), "scores": "means of texts", **drawn.settings}
        yield make.row("factor_feature_r", found, label=feature.name, metric=name, settings=settings)


def _shares(make: Rows, texts: _Texts, predictors: Floats, names: Sequence[str]) -> Iterator[Row]:
    """Yield the shares of the variance of each factor that all features explain, fitted and in texts left out."""
    complete: NDArray[np.bool_] = np.asarray(~np.isnan(predictors).any(axis=1))
    n_texts, n_items = int(complete.sum()), len(np.unique(texts.cluster[complete]))
    lacking = f"{len(complete) - n_texts} texts lack a feature and are left out." if n_texts < len(complete) else None
    few = n_texts < TEXTS_A_FEATURE * predictors.shape[1]
    why = f"So many features need {TEXTS_A_FEATURE * predictors.shape[1]} texts or more." if few else None
    for number, name in enumerate(names):
        about = {"metric": name, "n_items": n_items}
        settings = {"features": predictors.shape[1], "texts": n_texts}
        try:
            found = None if why else explained(
                predictors[complete], texts.scores[complete, number], texts.cluster[complete], n_folds=FOLDS,
                n_repetitions=REPETITIONS, rng=make.sample.rng(FOLDS_PURPOSE),
            )  # fmt: skip
        except ValueError as problem:
            found, why = None, str(problem)
        if found is None:
            yield make.row("factor_r2_left_out", Estimate(None, note=why), **about, settings=settings)
            continue
        folds = {"folds": FOLDS, "repetitions": REPETITIONS, "seed": make.sample.seed(FOLDS_PURPOSE)}
        yield make.row("factor_r2", Estimate(found.fitted, note=lacking), **about, settings=settings)
        yield make.row(
            "factor_r2_left_out", Estimate(found.left_out, note=lacking), **about, settings={**settings, **folds}
        )


# Tables: shares of each factor, then correlations of features.


@tables_of("factor_features")
def factor_features_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of shares of each factor, then that of correlations."""
    shares = rows.whole.of("factor_r2_left_out")
    columns = [
        named(gettext("Factor"), lambda row: str(row.metric).capitalize()),
        Shown(gettext("Explained in the same texts"), "factor_r2", digits(2)),
        own(gettext("Explained in texts left out"), digits(2)),
        own(gettext("Items"), items),
    ]
    explanation = gettext("Shares of variance. In texts left out, 0 means that the features help nothing.")
    caption = gettext("What features say about factors")
    notes = [*notes_of([*shares, *rows.whole.of("factor_r2")]), explanation]
    yield from table_of(rows.whole, caption, columns, shares, by=("metric",), notes=notes)
    found = rows.whole.of("factor_feature_r")
    columns = [
        named(gettext("Feature"), lambda row: row.label),
        named(gettext("Factor"), lambda row: str(row.metric).capitalize() if row.metric else ""),
        own(gettext("r"), digits(2)),
        own(gettext("Interval"), interval(2)),
        own(gettext("Items"), items),
    ]
    yield from table_of(rows.whole, gettext("Features and factors"), columns, found, notes=notes_of(found))
    yield from subsets(rows, limit, gettext("Features and factors by subset"))
