"""Effects of errors with raters and texts both random: on people, and on metrics compared with people."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.error_counts.texts import Texts
from analytics_app.analyses.shared.crossed import ONE_RATER
from analytics_app.ratings import Floats
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.errors.effects import Effects
from analytics_app.stats.errors.effects_crossed import effects_for_further_raters
from analytics_app.stats.values import Estimate

ROBUST = {
    "fit": "ordinary least squares on the means of texts",
    "interval": "t, two-way robust",
    "test": "t with two-way robust standard errors, clustered by rater and by item",
    "df": "Degrees of freedom: the number of raters or of items, whichever is smaller, less 1.",
    "generalises_to": TO_RATERS_AND_TEXTS,
}


def further_raters(make: Rows, texts: Texts, settings: Mapping[str, str]) -> Iterator[Row]:
    """Yield the effects on people, and the differences of metrics from people, if the plan asks for them."""
    if make.sample.common.generalise_to != "raters_and_texts":
        return
    about = {**settings, **ROBUST, "correction": make.sample.common.correction}
    of_people = _effects(make, texts, texts.value)
    yield from _rows(make, "error_effect_crossed", texts, {"": of_people}, {**about, "family": "types of errors"})
    of_metrics = {
        name: _effects(make, texts, scores[texts.entry] - texts.value) for name, scores in texts.by_metric.items()
    }
    family = {**about, "family": "types of errors and metrics"}
    yield from _rows(make, "error_effect_difference_crossed", texts, of_metrics, family)


def _effects(make: Rows, texts: Texts, values: Floats) -> Effects:
    known = ~np.isnan(values)
    return effects_for_further_raters(
        values[known],
        texts.entry[known],
        texts.rater[known],
        texts.cluster,
        texts.counts,
        texts.errors,
        confidence=make.sample.common.confidence,
    )


def _rows(
    make: Rows, statistic: str, texts: Texts, fits: Mapping[str, Effects], settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield a row for each type of error and fit, with p adjusted over all; with one rater the row says why not."""
    alone = len(np.unique(texts.rater)) < 2
    named = [
        (metric, label, Estimate(None, note=ONE_RATER) if alone else effect)
        for metric, fit in fits.items()
        for label, effect in zip(texts.errors, fit.effects, strict=False)
    ]
    adjusted = adjust([effect.p for _metric, _label, effect in named], make.sample.common.correction)
    for (metric, label, effect), p in zip(named, adjusted, strict=True):
        yield make.row(
            statistic,
            effect,
            metric=metric or None,
            label=label,
            p_adjusted=p,
            by_system=True,
            settings=None if effect.p is None else dict(settings),
        )
