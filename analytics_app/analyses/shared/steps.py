"""Comparisons of systems on ordinal steps with raters and items both random, beside the linear model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.shared.crossed import FORMULA, crossed
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.mixed.ordinal import OrdinalComparison, compare_ordinal
from tasks_app.task_types.base import Scale

DOCUMENTS = "The model of ordinal steps has no term for documents, and is not fitted to texts that were shown in them."
NO_DF = "The linear model has no degrees of freedom for this pair, which the test of ordinal steps would take from it."


@dataclass(frozen=True, slots=True)
class StepStatistics:
    """The names of the statistics of a pair: log odds of a higher step, and the superiority they imply."""

    log_odds: str
    superiority: str


def has_steps(sample: Sample) -> bool:
    """Return whether a sample has the model of ordinal steps: of the whole data, since a fit may take minutes."""
    slices = (sample.slice or "").split("; ")
    # Systems that are left out make a slice of everything that is compared.
    is_part = not all(name.startswith("system!=") for name in slices if name)
    return sample.question.scale is Scale.ORDINAL and sample.group is None and sample.wave is None and not is_part


def step_rows(
    make: Rows, outputs: Outputs, pairs: Sequence[tuple[int, int]], statistics: StepStatistics, *, family: str
) -> Iterator[Row]:
    """Yield log odds and superiority of each pair, with the degrees of freedom and the terms of the linear model.

    Where there is no such model, one row says why.
    """
    if outputs.unit == "documents":
        yield make.row(statistics.log_odds, by_system=True, note=DOCUMENTS)
        return
    compared = _compared(make.sample, outputs, pairs)
    if compared.note is not None:
        yield make.row(statistics.log_odds, by_system=True, note=compared.note)
        return
    common = make.sample.common
    terms = [FORMULA[name] for name in FORMULA if name in compared.sd]
    about: dict[str, Any] = {
        "model": " + ".join(["logit P(value <= step) ~ -system", *terms]),
        "estimation": "Laplace; standard errors times the root of n / (n - 1) for n raters or items, the fewer of both",
        "sd": dict(compared.sd),
        **({"zero": list(compared.zero)} if compared.zero else {}),
        "generalises_to": TO_RATERS_AND_TEXTS,
    }
    interval = {"interval": "t, with the degrees of freedom of the linear mixed model"}
    test = {"test": "t, with the degrees of freedom of the linear mixed model", "correction": common.correction}
    linear = [pair.difference for pair in crossed(make.sample, outputs).pairs]
    adjusted = adjust([pair.log_odds.p for pair in compared.pairs], common.correction)
    for pair, difference, p in zip(compared.pairs, linear, adjusted, strict=True):
        columns: dict[str, Any] = {
            **outputs.names(pair.a, pair.b),
            "n_ratings": difference.n_ratings,
            "n_items": difference.n_items,
            "n_raters": difference.n_raters,
        }
        yield make.row(
            statistics.log_odds,
            pair.log_odds,
            p_adjusted=p,
            settings={**about, **interval, **test, "family": family},
            **columns,
        )
        yield make.row(
            statistics.superiority,
            replace(pair.superiority, p=None),
            settings={**about, "interval": "that of the log odds"},
            **columns,
        )


def _compared(sample: Sample, outputs: Outputs, pairs: Sequence[tuple[int, int]]) -> OrdinalComparison:
    linear = crossed(sample, outputs)
    # In one order, so that the search for the maximum does not depend on the order of the rows.
    order = np.lexsort((outputs.value, outputs.rater, outputs.item, outputs.system))
    compared = compare_ordinal(
        outputs.value[order],
        outputs.system[order],
        outputs.item[order],
        outputs.rater[order],
        n_systems=len(outputs.systems),
        pairs=pairs,
        confidence=sample.common.confidence,
        left_out=tuple(linear.left_out),
        df=[pair.difference.df for pair in linear.pairs],
    )
    with_limits = [
        pair
        if pair.log_odds.value is None or of_linear.difference.df is not None
        else replace(pair, log_odds=replace(pair.log_odds, low=None, high=None, p=None, note=NO_DF))
        for pair, of_linear in zip(compared.pairs, linear.pairs, strict=True)
    ]
    return replace(compared, pairs=tuple(with_limits))
