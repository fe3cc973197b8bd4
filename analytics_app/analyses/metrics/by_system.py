"""What a metric gives each system, and how systems differ by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, in_words
from analytics_app.analyses.metrics.scores import OfMetric
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.families import family_of, flips
from analytics_app.analyses.shared.outputs import Outputs, interval_note
from analytics_app.analyses.shared.pairs import chosen_pairs
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import paired
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.estimate import Estimate, joined

AS_WHOLE = "A score of the system as a whole, which has no interval."


def means(
    make: Rows, outputs: Outputs, one: OfMetric, items: NDArray[Any], human: Floats, said: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield what the metric gives each system, with its own sign: the mean over the rated items, with interval."""
    made: dict[str, Any] = {} if one.made is None else {"composite": one.made.definition}
    if one.of_systems is not None:
        for code, key in enumerate(outputs.systems):
            if not np.isnan(one.of_systems[code]):
                yield make.row(
                    "metric_mean", value=float(one.sign * one.of_systems[code]), metric=one.name, system=key,
                    by_system=True, note=AS_WHOLE, settings={**said, **made},
                )  # fmt: skip
        return
    lacking = np.zeros(len(outputs.systems), dtype=np.int64)
    if one.lacking is not None:
        lacking = (one.lacking & ~np.isnan(human)).sum(axis=0)
    if one.of_texts is None:
        if lacking.any():
            why = _lack(one.name, int(lacking.sum()))
            yield make.row("metric_mean", metric=one.name, note=why, by_system=True, settings={**said, **made})
        return
    found, drawn = _means(make, outputs, one, one.sign * one.of_texts, items)
    for code, (key, mean) in enumerate(zip(outputs.systems, found, strict=True)):
        note = _lack(one.name, int(lacking[code])) if lacking[code] else None
        n = int((~np.isnan(one.of_texts[:, code])).sum())
        if n or note:
            yield make.row(
                "metric_mean", mean, metric=one.name, system=key, by_system=True, n_items=n,
                note=joined(mean.note if n else None, note, interval_note(mean, outputs.unit)),
                settings={**said, **made, **drawn},
            )  # fmt: skip


def _lack(name: str, n: int) -> str:
    texts = in_words(n, "rated text has", "rated texts have")
    return f"{texts} scores of some parts of “{name}” only, and therefore no score of “{name}”."


def _means(
    make: Rows, outputs: Outputs, one: OfMetric, values: Floats, items: NDArray[Any]
) -> tuple[list[Estimate], dict[str, Any]]:
    """Return the mean of each system, and how its interval was made."""
    n_systems = len(outputs.systems)
    if one.made is not None and one.made.yes_no and outputs.unit == "items":
        confidence, found = make.sample.common.confidence, []
        for column in values.T:
            known = column[~np.isnan(column)]
            found.append(wilson(int(known.sum()), len(known), confidence=confidence))
        return found, {"interval": "Wilson"}
    documents = outputs.clusters_of(items)
    clusters = np.arange(len(values)) if documents is None else documents
    drawn = bootstrap(make.sample, "means of metrics", outputs.unit)
    system = np.tile(np.arange(n_systems), len(values))
    found = group_means(values.ravel(), system, np.repeat(clusters, n_systems), n_groups=n_systems, **drawn.options)
    return found, drawn.settings


def differences(
    make: Rows, outputs: Outputs, one: OfMetric, documents: NDArray[np.int64] | None, said: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield how every two systems differ by the metric, on the items for which both have a score."""
    pairs = chosen_pairs(outputs.systems, make.sample.common.pairs)
    if one.of_texts is None or not pairs:
        return
    common, drawn = make.sample.common, bootstrap(make.sample, "differences by metrics", outputs.unit)
    tested = paired(
        one.sign * one.of_texts, pairs, clusters=documents, n_permutations=flips(common, len(pairs)), **drawn.options
    )
    family = family_of(common, tested, unit=outputs.unit, of="pairs of one metric")
    adjusted = adjust([pair.permutation_p for pair in tested], common.correction)
    made = {} if one.made is None else {"composite": one.made.definition}
    for (a, b), pair, p in zip(pairs, tested, adjusted, strict=True):
        yield make.row(
            "metric_difference",
            pair.difference,
            metric=one.name,
            system=outputs.systems[a],
            system_b=outputs.systems[b],
            by_system=True,
            n_items=pair.n_items,
            p=pair.permutation_p,
            p_adjusted=p,
            note=joined(pair.difference.note, family.get("cannot_differ")),
            settings={**said, **made, "sign": "turned" if one.turned else "as it is", **drawn.settings, **family},
        )
