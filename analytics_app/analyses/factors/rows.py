"""Rows of factors: reliability, scores of systems, and comparison with other factors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.pairs import clusters_of, unit_of
from analytics_app.analyses.shared.scales_of_texts import Complete
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.scales.factor import NOT_CONVERGED, Rotation, maximum_likelihood, promax
from analytics_app.stats.scales.factorability import constant_columns, correlations, factorability, too_few_rows
from analytics_app.stats.scales.reliability import cronbach_alpha, omega
from analytics_app.stats.values import Estimate, joined


@dataclass(frozen=True, slots=True)
class Context:
    """The source of the rows; scales belong to factors from the loading `cut` on.

    `note` names the scales and rows that were left out.
    """

    make: Rows
    rows: Complete
    cut: float
    note: str | None

    @property
    def keys(self) -> list[str]:
        return [scale.key for scale in self.rows.scales]

    @property
    def counts(self) -> dict[str, int]:
        """Return the numbers of ratings, texts and raters, as columns of a row."""
        return {
            "n_ratings": self.rows.values.size,
            "n_items": len(np.unique(self.rows.text)),
            "n_raters": len(np.unique(self.rows.rater)),
        }

    def row(self, statistic: str, estimate: Estimate, **columns: Any) -> Row:
        return self.make.row(
            statistic, estimate, **{"note": joined(estimate.note, self.note), **self.counts, **columns}
        )


def reliability(context: Context, rotated: Rotation, names: Sequence[str]) -> Iterator[Row]:
    """Yield alpha and omega of the scales of each factor; scales with negative loadings are reversed."""
    cut, strongest = context.cut, np.abs(rotated.pattern).argmax(axis=1)
    for number, name in enumerate(names):
        loadings = rotated.pattern[:, number]
        of_factor = np.flatnonzero((strongest == number) & (np.abs(loadings) >= cut))
        values = context.rows.values[:, of_factor] * np.sign(loadings[of_factor])
        settings = {
            "cut": cut,
            "scales": [context.keys[place] for place in of_factor],
            "turned": [context.keys[place] for place in of_factor if loadings[place] < 0],
        }
        confidence = context.make.sample.common.confidence
        alpha = cronbach_alpha(values, confidence=confidence) if len(of_factor) else _nothing(cut)
        about = {"metric": name, "settings": settings, **context.counts}
        yield context.make.row("factor_alpha", alpha, **{**about, "settings": {**settings, "interval": "Feldt"}})
        yield context.make.row("factor_omega", omega(values) if len(of_factor) else _nothing(cut), **about)


def _nothing(cut: float) -> Estimate:
    return Estimate(None, note=f"No scale loads at least {cut:g} on this factor more than on others.")


def scores(context: Context, of_rows: Floats, names: Sequence[str]) -> Iterator[Row]:
    """Yield the mean of each system on each factor, with an interval over items or documents."""
    sample = context.make.sample
    order = np.argsort(context.rows.first)
    table = sample.table
    mask = np.zeros(len(table), dtype=bool)
    mask[context.rows.first] = True
    row, system, item = table.where(mask).by_system()
    included = ~np.isin(system, sorted(sample.without))
    row, system, item = order[row[included]], system[included], item[included]
    known, code = np.unique(system, return_inverse=True)
    if not len(known):
        return
    cluster = clusters_of(table.names, by_document=sample.question.by_document)[item]
    unit = unit_of(sample)
    for number, name in enumerate(names):
        # The same resamples for every factor.
        drawn = bootstrap(sample, "factor scores", unit)
        means = group_means(
            of_rows[row, number],
            code,
            cluster,
            n_groups=len(known),
            **drawn.options,
        )
        for place, mean in enumerate(means):
            mine = row[code == place]
            yield context.make.row(
                "factor_score",
                mean,
                system=table.names.systems[known[place]],
                metric=name,
                n_raters=len(np.unique(context.rows.rater[mine])),
                settings={"scores": "regression, mean 0 over all rows", **drawn.settings},
            )


def sensitivity(context: Context, rotated: Rotation, names: Sequence[str]) -> Iterator[Row]:
    """Yield Tucker's congruence with the factors of text means, and of ratings less the mean of their rater."""
    texts = len(np.unique(context.rows.text)) > 1
    others = {"text means": context.rows.text_means(), "less the rater's mean": context.rows.centred()} if texts else {}
    for label, values in others.items():
        n, p = values.shape
        why = too_few_rows(n, p) or ("A scale does not vary." if constant_columns(values).size else None)
        pattern = None
        if why is None:
            r = correlations(values)
            why = factorability(r, n).refusal
            extraction = maximum_likelihood(r, len(names), n) if why is None else None
            if extraction is not None and not extraction.converged:
                why = NOT_CONVERGED
            pattern = promax(extraction.loadings).pattern if extraction is not None and why is None else None
        for number, name in enumerate(names):
            about: dict[str, Any] = {"label": label, "metric": name, "n_items": n if label == "text means" else None}
            if pattern is None:
                yield context.make.row("factor_congruence", note=why, **about)
                continue
            of_factor = rotated.pattern[:, number]
            lengths = np.sqrt((of_factor**2).sum() * (pattern**2).sum(axis=0))
            alike = np.abs(of_factor @ pattern) / np.where(lengths > 0, lengths, 1)
            yield context.make.row("factor_congruence", value=float(alike.max()), settings={"rows": n}, **about)
