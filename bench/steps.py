"""How often the model of ordinal steps rejects true hypotheses: `python -m bench.steps --studies 400`.

Every rater judges every text of two systems without a difference. Items and raters are drawn anew in every study, with
the standard deviations of `bench.size`; the residual is logistic with the same standard deviation, so that the
cumulative logit model is true, and ratings are cut into steps from 1 to 5.

Prints the table of docs/methods/raters-and-items-random.md: rejections by the model of steps as results have it, by t
with the degrees of freedom of the linear model and larger standard errors; by t alone; by the normal distribution, as
R's clmm has it; and by the linear model. The last column counts studies without an estimate.
"""

import argparse
from typing import Any

import numpy as np
from scipy.special import stdtr

from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.ordinal import compare_ordinal
from bench.size import (
    CONFIDENCE,
    ISSUE,
    ITEM,
    LEVEL,
    RATER,
    RESIDUAL,
    SYSTEM_ITEM,
    Cell,
    Ratings,
    Rng,
    rate,
    steps,
    who_rates_what,
)


def study(cell: Cell, rng: Rng) -> Ratings:
    """Return the ratings of a study in which the systems do not differ."""
    system, item, rater = who_rates_what(cell, rng)
    latent = (
        ITEM * rng.normal(size=cell.items)[item]
        + SYSTEM_ITEM * rng.normal(size=(cell.items, cell.systems))[item, system]
        + RATER * rng.normal(size=cell.raters)[rater]
        + cell.by_rater * rng.normal(size=(cell.raters, cell.systems))[rater, system]
        + RESIDUAL * np.sqrt(3) / np.pi * rng.logistic(size=item.size)
    )
    return Ratings(steps(latent), system, item, rater)


def p_values(cell: Cell, data: Ratings) -> tuple[float | None, ...]:
    """Return p of the model of steps as in results, by t alone and by z, and of the linear model; None for none."""
    columns = (data.values, data.system, data.item, data.rater)
    options: dict[str, Any] = {"n_systems": cell.systems, "pairs": [(1, 0), (1, 0)], "confidence": CONFIDENCE}
    linear = compare_crossed(*columns, **options)
    difference = linear.pairs[0].difference
    ordinal = compare_ordinal(*columns, **options, left_out=tuple(linear.left_out), df=[difference.df, None])
    shown, plain = (pair.log_odds for pair in ordinal.pairs)
    if difference.df is None or plain.value is None or plain.se is None:
        return None, None, plain.p, difference.p
    alone = 2 * float(stdtr(difference.df, -abs(plain.value) / plain.se))
    return shown.p, alone, plain.p, difference.p


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", default=range(len(ISSUE)), help="numbers of cells, from 0")
    arguments = parser.parse_args()
    head = ("items x raters", "SD rater by system", "studies", "as in results", "t alone", "z", "linear", "none")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for number in arguments.only:
        cell, rng = ISSUE[number], np.random.default_rng([arguments.seed, number, 34])
        found = [p_values(cell, study(cell, rng)) for _study in range(arguments.studies)]
        rates = [
            rate(sum(p is not None and p < LEVEL for p in column), arguments.studies)
            for column in zip(*found, strict=True)
        ]
        missing = sum(ps[0] is None for ps in found)
        shown = [f"{share:.1f} [{low:.1f}, {high:.1f}]" for share, low, high in rates]
        cells = (
            f"{cell.items} x {cell.raters}",
            f"{cell.by_rater:.2f}",
            f"{arguments.studies:,}",
            *shown,
            f"{missing}",
        )
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
