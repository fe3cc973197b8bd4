"""Size and coverage for labels, right answers, counts, search results and effects of errors, as analyses test them.

`python -m bench.size_of_answers --studies 1000` prints the second table of docs/methods/raters-and-items-random.md.
Latent ratings and designs are those of `bench.size`, with standard deviations of .9 (item), .3 (system by item), .3
(rater), .3 (rater by system) and .9 (residual). `level` is the share of a label or of right answers, or the mean count,
in the system that is not better. Of search results each list has five, which a rater labels one by one. Errors of two
types are Poisson counts with means of 1 and .5 in three texts an item; each rater has an own effect of each type
(standard deviation .1 around the true one).
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri

from analytics_app.stats.errors.effects import effects_of_errors
from analytics_app.stats.errors.effects_crossed import effects_for_further_raters
from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.robust import compare_crossed_robust
from analytics_app.stats.mixed.shares import compare_shares, share_above
from analytics_app.stats.values import Estimate
from bench.size import (
    CONFIDENCE,
    ITEM,
    LEVEL,
    RATER,
    RESIDUAL,
    SYSTEM_ITEM,
    Cell,
    Codes,
    Floats,
    Rates,
    Ratings,
    Rng,
    by_items,
    rate,
    who_rates_what,
)

BY_RATER, DIFFERENCE = 0.3, 0.3
TOTAL = float(np.sqrt(ITEM**2 + SYSTEM_ITEM**2 + RATER**2 + BY_RATER**2 + RESIDUAL**2))
RESULTS, OWN_RESULT = 5, 0.5
COUNT_SLOPE = 0.5
# Draws differ from those of `bench.size`, and stay the same where cells are added.
STREAM = 15
EFFECT, EFFECT_BY_RATER, TEXTS_PER_ITEM = -0.1, 0.1, 3


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """A kind of study: "labels", "counts", "right", "precision" or "errors"; see the module."""

    kind: str
    design: str
    items: int
    raters: int
    level: float = 0.5

    @property
    def plain(self) -> Cell:
        """Return the cell of `bench.size` with the same design."""
        return Cell("labels", self.design, self.items, self.raters, BY_RATER)


CELLS = (
    AnswerCell("labels", "all", 40, 3, 0.1),
    AnswerCell("labels", "all", 40, 6, 0.1),
    AnswerCell("labels", "sets", 100, 12, 0.1),
    AnswerCell("labels", "all", 10, 20, 0.5),
    AnswerCell("labels", "all", 200, 6, 0.5),
    AnswerCell("labels", "all", 40, 6, 0.9),
    AnswerCell("counts", "all", 40, 6, 0.5),
    AnswerCell("counts", "all", 40, 6, 3.0),
    AnswerCell("counts", "sets", 100, 12, 3.0),
    AnswerCell("right", "all", 40, 6, 0.7),
    AnswerCell("right", "sets", 100, 12, 0.5),
    AnswerCell("precision", "all", 40, 6, 0.4),
    AnswerCell("errors", "all", 40, 6),
    AnswerCell("errors", "all", 40, 20),
    AnswerCell("errors", "sets", 100, 12),
    AnswerCell("labels", "all", 200, 3, 0.5),
)


def latent_of(cell: AnswerCell, difference: float, rng: Rng) -> tuple[Floats, Codes, Codes, Codes]:
    """Return latent ratings without their residual, with system, item and rater; "right" has one system."""
    system, item, rater = who_rates_what(cell.plain, rng)
    if cell.kind == "right":
        keep = system == 0
        system, item, rater = system[keep], item[keep], rater[keep]
    latent = (
        difference * ((system == 1) | (cell.kind == "right"))
        + ITEM * rng.normal(size=cell.items)[item]
        + SYSTEM_ITEM * rng.normal(size=(cell.items, 2))[item, system]
        + RATER * rng.normal(size=cell.raters)[rater]
        + BY_RATER * rng.normal(size=(cell.raters, 2))[rater, system]
    )
    return latent, system, item, rater


def answers(cell: AnswerCell, difference: float, rng: Rng) -> Ratings:
    """Return the answers of a study in which system 1 is better by the difference, in latent units."""
    latent, system, item, rater = latent_of(cell, difference, rng)
    if cell.kind == "precision":
        own = rng.normal(size=(cell.items, 2, RESULTS))[item, system]
        single = latent[:, np.newaxis] + OWN_RESULT * own + RESIDUAL * rng.normal(size=(item.size, RESULTS))
        spread = np.sqrt(TOTAL**2 + OWN_RESULT**2)
        values = (single > -ndtri(cell.level) * spread).mean(axis=1)
    else:
        latent = latent + RESIDUAL * rng.normal(size=item.size)
        if cell.kind == "counts":
            values = rng.poisson(cell.level * np.exp(COUNT_SLOPE * latent - (COUNT_SLOPE * TOTAL) ** 2 / 2)).astype(
                float
            )
        else:
            values = (latent > -ndtri(cell.level) * TOTAL).astype(float)
    return Ratings(values, system, item, rater)


def true_difference(cell: AnswerCell, difference: float) -> float:
    """Return the expected difference of two systems, or of right answers from the level."""
    if cell.kind == "counts":
        return float(cell.level * np.expm1(COUNT_SLOPE * difference))
    spread = np.sqrt(TOTAL**2 + OWN_RESULT**2) if cell.kind == "precision" else TOTAL
    return float(ndtr(ndtri(cell.level) + difference / spread) - cell.level)


@dataclass(frozen=True, slots=True)
class Found:
    """The results of the tests of one study: for further raters, by the two-way robust method, and over texts."""

    further: Estimate
    robust: float | None
    texts_only: float | None


def by_answers(cell: AnswerCell, data: Ratings, rng: Rng) -> Found:
    """Return the tests of a study of answers."""
    if cell.kind == "right":
        chance = np.full(data.values.size, cell.level)
        above, _model = share_above(data.values, chance, data.item, data.rater, confidence=CONFIDENCE)
        moved = Ratings(data.values - cell.level + 0.5, data.system, data.item, data.rater)
        return Found(above, None, by_items(Cell("pairwise", cell.design, cell.items, cell.raters, 0), moved, rng))
    columns = (data.values, data.system, data.item, data.rater)
    compare = compare_crossed if cell.kind == "counts" else compare_shares
    model, robust = (
        one(*columns, n_systems=2, pairs=[(1, 0)], confidence=CONFIDENCE).pairs[0].difference
        for one in (compare, compare_crossed_robust)
    )
    return Found(model, robust.p, by_items(cell.plain, data, rng))


def by_errors(cell: AnswerCell, effect: float, rng: Rng) -> Found:
    """Return the tests of the effect of the first type of error in a new study."""
    grid = Cell("Likert", cell.design, cell.items, cell.raters, 0, systems=TEXTS_PER_ITEM)
    system, item, rater = who_rates_what(grid, rng)
    of_item = np.repeat(np.arange(cell.items), TEXTS_PER_ITEM)
    text = item * TEXTS_PER_ITEM + system
    errors = rng.poisson((1.0, 0.5), (of_item.size, 2)).astype(float)
    own = np.array((effect, 0.0)) + EFFECT_BY_RATER * rng.normal(size=(cell.raters, 2))
    rating = (
        0.3 * rng.normal(size=cell.items)[item]
        + 0.3 * rng.normal(size=of_item.size)[text]
        + RATER * rng.normal(size=cell.raters)[rater]
        + (own[rater] * errors[text]).sum(axis=1)
        + 0.6 * rng.normal(size=text.size)
    )
    names = ("first", "second")
    fit = effects_for_further_raters(rating, text, rater, of_item, errors, names, confidence=CONFIDENCE)
    means = np.bincount(text, rating, of_item.size) / np.bincount(text, minlength=of_item.size)
    plain = effects_of_errors(means, errors, names, confidence=CONFIDENCE)
    return Found(fit.effects[0], None, plain.effects[0].p)


def measured(cell: AnswerCell, studies: int, rng: Rng) -> Rates:
    """Return how often tests reject where nothing differs, and intervals hold the true difference."""
    if cell.kind == "errors":
        null, true = partial(by_errors, cell, 0.0), EFFECT
        other = partial(by_errors, cell, EFFECT)
    else:
        true = true_difference(cell, DIFFERENCE)

        def null(rng: Rng) -> Found:
            return by_answers(cell, answers(cell, 0.0, rng), rng)

        def other(rng: Rng) -> Found:
            return by_answers(cell, answers(cell, DIFFERENCE, rng), rng)

    rejected = covered = robust = texts_only = 0
    for _study in range(studies):
        found = null(rng)
        rejected += _below(found.further.p)
        robust += _below(found.robust)
        texts_only += _below(found.texts_only)
        interval = other(rng).further
        covered += interval.low is not None and interval.high is not None and interval.low <= true <= interval.high
    tried = cell.kind not in {"right", "errors"}
    return Rates(
        rate(rejected, studies),
        rate(covered, studies),
        rate(robust, studies) if tried else None,
        rate(texts_only, studies),
    )


def _below(p: float | None) -> bool:
    return p is not None and p < LEVEL


def rows(arguments: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the cells of the table."""
    for number, cell in enumerate(CELLS):
        if arguments.only and number not in arguments.only:
            continue
        found = measured(cell, arguments.studies, np.random.default_rng([arguments.seed, number, STREAM]))
        shown = [
            "-" if one is None else f"{one[0]:.1f} [{one[1]:.1f}, {one[2]:.1f}]"
            for one in (found.rejects, found.covers, found.robust, found.items_only)
        ]
        level = "-" if cell.kind == "errors" else f"{cell.level:g}"
        design = f"{cell.items} x {cell.raters}"
        held = "yes" if found.held else "**no**"
        yield [f"{cell.kind}, {cell.design}", level, design, f"{arguments.studies:,}", *shown, held]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", default=[], help="numbers of cells, from 0")
    arguments = parser.parse_args()
    head = ("answers", "level", "items x raters", "studies", "rejects", "covers", "robust", "texts only", "held")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for cells in rows(arguments):
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
