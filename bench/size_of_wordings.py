"""How often tests of wordings reject true hypotheses and intervals hold true differences.

Run `python -m bench.size_of_wordings --studies 1000`. In every study raters, items and texts are drawn anew. A rating
is the sum of item, text (a system of the item), leniency of the rater, preference of the rater for this system, and
residual, all normal; Likert ratings are cut into steps from 1 to 5. Nothing depends on the wording, which is that of
the rater, so every rejection is a false one, and intervals hold the truth where they hold 0.

Designs: "all" is every rater for every text; "sets" gives a rater 20 texts, and the texts of one rater to a rater of
each wording. Prints the table of docs/methods/wordings.md.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.mixed.wordings import compare_wordings

ITEM, TEXT, RATER, RESIDUAL = 0.9, 0.3, 0.3, 0.9
SET_SIZE, CONFIDENCE, LEVEL = 20, 0.95, 0.05


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of study: raters of each wording; `by_system` is the standard deviation of raters by system."""

    kind: str
    design: str
    raters: int
    items: int = 40
    wordings: int = 2
    systems: int = 3
    by_system: float = 0.3


CELLS = (
    Cell("Likert", "all", 3, systems=2),
    Cell("Likert", "all", 3),
    Cell("Likert", "all", 3, by_system=0.8),
    Cell("Likert", "all", 4, items=20, wordings=3),
    Cell("Likert", "all", 6, items=10),
    Cell("Likert", "all", 6, by_system=0.0),
    Cell("Likert", "all", 10),
    Cell("Likert", "all", 20, items=20, systems=4),
    Cell("Likert", "sets", 6),
    Cell("Likert", "sets", 12, wordings=4),
    Cell("Likert", "sets", 20, items=60),
    Cell("slider", "all", 5),
    Cell("slider", "sets", 10),
)


def study(cell: Cell, rng: np.random.Generator) -> tuple[NDArray[np.float64], tuple[NDArray[np.int64], ...]]:
    """Draw the ratings of a study with their wordings, systems, items and raters."""
    n_raters, n_texts = cell.raters * cell.wordings, cell.items * cell.systems
    order = rng.permutation(n_texts)
    texts: list[NDArray[np.int64]] = []
    raters: list[NDArray[np.int64]] = []
    for number in range(n_raters):
        first = number // cell.wordings * SET_SIZE
        own = order if cell.design == "all" else np.take(order, range(first, first + SET_SIZE), mode="wrap")
        texts.append(own)
        raters.append(np.full(own.size, number))
    text, rater = np.concatenate(texts), np.concatenate(raters)
    item, system = text // cell.systems, text % cell.systems
    values = 3 + rng.normal(0, ITEM, cell.items)[item] + rng.normal(0, TEXT, n_texts)[text]
    values += rng.normal(0, RATER, n_raters)[rater]
    values += rng.normal(0, cell.by_system, (n_raters, cell.systems))[rater, system]
    values += rng.normal(0, RESIDUAL, text.size)
    if cell.kind == "Likert":
        values = np.clip(np.rint(values), 1, 5)
    return values, (rater % cell.wordings, system, item, rater)


def rates(cell: Cell, studies: int) -> Iterator[int]:
    """Yield how many studies reject the shift and the gains, and how many intervals of each hold 0."""
    rejected, covered = [0, 0], [0, 0]
    for number in range(studies):
        values, codes = study(cell, np.random.default_rng([number, *map(ord, repr(cell))]))
        found = compare_wordings(
            values, *codes, n_wordings=cell.wordings, n_systems=cell.systems, confidence=CONFIDENCE
        )
        for place, (test, one) in enumerate(
            ((found.shift_test, found.shifts[0]), (found.system_test, found.by_system[0][0]))
        ):
            rejected[place] += test.p is not None and test.p < LEVEL
            covered[place] += one.low is not None and one.high is not None and one.low <= 0 <= one.high
    yield from (*rejected, *covered)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    about = "| ratings | wordings x raters | systems | items | SD rater by system | studies"
    print(f"{about} | shift rejects | gains reject | shift covers | gain covers |", flush=True)
    print("|---" * 10 + "|", flush=True)
    for cell in CELLS:
        shares = []
        for count in rates(cell, studies):
            share = wilson(count, studies, confidence=0.95)
            value, low, high = (100 * (limit or 0.0) for limit in (share.value, share.low, share.high))
            shares.append(f"{value:.1f} [{low:.1f}, {high:.1f}]")
        about = f"{cell.kind}, {cell.design} | {cell.wordings} x {cell.raters} | {cell.systems} | {cell.items}"
        print(f"| {about} | {cell.by_system:.2f} | {studies:,} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
