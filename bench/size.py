"""How often tests reject true hypotheses and intervals hold true differences: `python -m bench.size --studies 1000`.

In every study items and raters are drawn anew. A rating is the sum of item, system on this item, leniency of the
rater, preference of the rater for this system, and residual, all normal; it is cut into steps from 1 to 5, put on a
slider from 0 to 100, cut into a label (yes or no), or is the log mean of a Poisson count. In a pairwise judgment the
better latent rating wins, or there is a tie. Half of the studies have systems without a difference (for the tests) and
half a difference of 0.3 (for the intervals), whose true value on the scale of ratings follows from normal integrals.

Designs: "all" is every rater for every text; "sets" cuts the texts (an item of a system each) into sets of 20 in random
order, of which three raters judge each, some raters many sets and some few.

Prints the table of docs/methods/raters-and-items-random.md; with --issue the smaller one of the same page.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, roots_hermitenorm

from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.preferences import preference_shares
from analytics_app.stats.mixed.robust import compare_crossed_robust
from analytics_app.stats.resampling.permutation import sign_flip_p
from analytics_app.stats.values import Estimate

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Rng = np.random.Generator

ITEM, SYSTEM_ITEM, RATER, RESIDUAL, DIFFERENCE = 0.9, 0.3, 0.3, 0.9, 0.3
TIE, SET_SIZE, PER_SET, CONFIDENCE, LEVEL = 0.4, 20, 3, 0.95, 0.05
# Lowest and highest rate that counts as held, in percent: of rejections and of coverage.
REJECTS, COVERS = (3.0, 7.0), (93.0, 97.0)


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of study; `by_rater` is the standard deviation of raters by system."""

    kind: str
    design: str
    items: int
    raters: int
    by_rater: float
    systems: int = 2

    @property
    def name(self) -> str:
        """Name of the cell in the table."""
        more = "" if self.systems == 2 else f", {self.systems} systems"
        return f"{self.kind}, {self.design}, {self.items} x {self.raters}, {self.by_rater:.2f}{more}"


CELLS = (
    Cell("Likert", "all", 40, 3, 0.15),
    Cell("Likert", "all", 40, 3, 0.3),
    Cell("Likert", "all", 200, 3, 0.3),
    Cell("Likert", "all", 40, 4, 0.8),
    Cell("Likert", "all", 40, 6, 0.3),
    Cell("Likert", "all", 10, 6, 0.3),
    Cell("Likert", "all", 100, 10, 0.15),
    Cell("Likert", "all", 40, 20, 0.3),
    Cell("Likert", "all", 40, 5, 0.3, systems=3),
    Cell("Likert", "sets", 40, 5, 0.3),
    Cell("Likert", "sets", 60, 9, 0.3),
    Cell("Likert", "sets", 200, 20, 0.3),
    Cell("slider", "all", 40, 4, 0.3),
    Cell("slider", "all", 10, 20, 0.3),
    Cell("slider", "all", 100, 12, 0.15),
    Cell("slider", "sets", 100, 12, 0.3),
    Cell("pairwise", "all", 40, 3, 0.3),
    Cell("pairwise", "all", 100, 8, 0.3),
    Cell("pairwise", "sets", 100, 12, 0.3),
    Cell("labels", "all", 40, 4, 0.3),
    Cell("labels", "all", 100, 10, 0.3),
    Cell("labels", "sets", 100, 12, 0.3),
    Cell("counts", "all", 40, 4, 0.3),
    Cell("counts", "sets", 100, 12, 0.3),
)
ISSUE = tuple(Cell("Likert", "all", 40, n, by) for n in (3, 6, 20) for by in (0.0, 0.15, 0.3))


@dataclass(frozen=True, slots=True)
class Ratings:
    """Simulated ratings; pairwise judgments have one system, and their value is the share of wins of system 1."""

    values: Floats
    system: Codes
    item: Codes
    rater: Codes


def who_rates_what(cell: Cell, rng: Rng) -> tuple[Codes, Codes, Codes]:
    """Return system, item and rater of each rating."""
    systems = 1 if cell.kind == "pairwise" else cell.systems
    if cell.design == "all":
        grid = np.meshgrid(np.arange(systems), np.arange(cell.items), np.arange(cell.raters), indexing="ij")
        return grid[0].ravel(), grid[1].ravel(), grid[2].ravel()
    texts = rng.permutation(systems * cell.items)
    # Some raters come back more often than others.
    eager = np.arange(1, cell.raters + 1) / cell.raters
    system, item, rater = [], [], []
    for start in range(0, texts.size, SET_SIZE):
        chosen = texts[start : start + SET_SIZE]
        panel = rng.choice(cell.raters, PER_SET, replace=False, p=eager / eager.sum())
        system.append(np.tile(chosen // cell.items, PER_SET))
        item.append(np.tile(chosen % cell.items, PER_SET))
        rater.append(np.repeat(panel, chosen.size))
    return np.concatenate(system), np.concatenate(item), np.concatenate(rater)


def study(cell: Cell, difference: float, rng: Rng) -> Ratings:
    """Return the ratings of a study in which system 1 is better by the difference, in latent units."""
    system, item, rater = who_rates_what(cell, rng)
    if cell.kind == "pairwise":
        spread = np.sqrt(2)
        latent = difference + spread * (
            SYSTEM_ITEM * rng.normal(size=cell.items)[item]
            + cell.by_rater * rng.normal(size=cell.raters)[rater]
            + RESIDUAL * rng.normal(size=item.size)
        )
    else:
        latent = (
            difference * (system == 1)
            + ITEM * rng.normal(size=cell.items)[item]
            + SYSTEM_ITEM * rng.normal(size=(cell.items, cell.systems))[item, system]
            + RATER * rng.normal(size=cell.raters)[rater]
            + cell.by_rater * rng.normal(size=(cell.raters, cell.systems))[rater, system]
            + RESIDUAL * rng.normal(size=item.size)
        )
    values = rng.poisson(mean_count(latent)).astype(float) if cell.kind == "counts" else SCALES[cell.kind](latent)
    return Ratings(values, system, item, rater)


def mean_count(latent: Floats) -> Floats:
    """Return the mean number of errors."""
    means: Floats = np.exp(0.2 + 0.5 * latent)
    return means


def steps(latent: Floats) -> Floats:
    """Return steps from 1 to 5."""
    values: Floats = np.clip(np.round(3.3 + latent), 1, 5)
    return values


SCALES: dict[str, Callable[[Floats], Floats]] = {
    "Likert": steps,
    "slider": lambda latent: np.clip(np.round(60 + 20 * latent), 0, 100),
    "labels": lambda latent: (latent > 0.5).astype(float),
    "pairwise": lambda latent: 0.5 * (latent > -TIE) + 0.5 * (latent > TIE),
}


def true_difference(cell: Cell, difference: float) -> float:
    """Return the expected difference of two systems on the scale of the ratings; for pairs the expected share."""
    total = float(np.sqrt(ITEM**2 + SYSTEM_ITEM**2 + RATER**2 + cell.by_rater**2 + RESIDUAL**2))
    if cell.kind == "pairwise":
        total = float(np.sqrt(2 * (SYSTEM_ITEM**2 + cell.by_rater**2 + RESIDUAL**2)))
        return float(0.5 * ndtr((difference + TIE) / total) + 0.5 * ndtr((difference - TIE) / total))
    if cell.kind == "counts":
        points, weights = roots_hermitenorm(60)
        means = [weights @ mean_count(shift + total * points) / weights.sum() for shift in (difference, 0.0)]
        return float(means[0] - means[1])
    # The mean of a step function is the sum of its steps times the chances to be above them.
    grid = np.arange(-12, 12, 0.001) + 0.0005
    jumps = np.diff(SCALES[cell.kind](grid))
    edges = (grid[:-1] + grid[1:]) / 2
    return float(jumps @ (ndtr((difference - edges) / total) - ndtr(-edges / total)))


def by_model(cell: Cell, data: Ratings) -> Estimate:
    """Return the default comparison of systems 1 and 0."""
    if cell.kind == "pairwise":
        first, second = np.ones_like(data.item), np.zeros_like(data.item)
        return preference_shares(
            data.values, first, second, data.item, data.rater, pairs=[(1, 0)], confidence=CONFIDENCE
        )[0].difference
    return compare_crossed(
        data.values, data.system, data.item, data.rater,
        n_systems=cell.systems, pairs=[(1, 0)], confidence=CONFIDENCE,
    ).pairs[0].difference  # fmt: skip


def by_robust(cell: Cell, data: Ratings) -> float | None:
    """Return p of the two-way robust comparison of systems 1 and 0; pairwise judgments have none."""
    if cell.kind == "pairwise":
        return None
    return compare_crossed_robust(
        data.values, data.system, data.item, data.rater,
        n_systems=cell.systems, pairs=[(1, 0)], confidence=CONFIDENCE,
    ).pairs[0].difference.p  # fmt: skip


def by_items(cell: Cell, data: Ratings, rng: Rng) -> float:
    """Return p of the sign-flip test over items."""
    matrix, _items = item_means(data.values, data.system, data.item, int(data.system.max()) + 1)
    differences = matrix[:, 0] - 0.5 if cell.kind == "pairwise" else matrix[:, 1] - matrix[:, 0]
    return float(sign_flip_p(differences[~np.isnan(differences)][:, np.newaxis], 999, rng)[0])


@dataclass(frozen=True, slots=True)
class Rates:
    """Percent of studies, each with its Monte Carlo interval; None where the method has no test."""

    rejects: tuple[float, float, float]
    covers: tuple[float, float, float]
    robust: tuple[float, float, float] | None
    items_only: tuple[float, float, float]

    @property
    def held(self) -> bool:
        """Whether neither Monte Carlo interval lies outside the limits."""
        pairs = ((self.rejects, REJECTS), (self.covers, COVERS))
        return all(low <= limits[1] and high >= limits[0] for (_rate, low, high), limits in pairs)


def rate(times: int, n: int) -> tuple[float, float, float]:
    """Return a rate in percent with its 95 % interval."""
    share = wilson(times, n, confidence=0.95)
    return 100 * times / n, 100 * (share.low or 0.0), 100 * (share.high or 0.0)


def measured(cell: Cell, studies: int, rng: Rng) -> Rates:
    """Return how often tests reject where nothing differs, and intervals hold the true difference."""
    true = true_difference(cell, DIFFERENCE)
    rejected = covered = robust = items_only = 0
    tested = cell.kind != "pairwise"
    for _study in range(studies):
        data = study(cell, 0.0, rng)
        rejected += _below(by_model(cell, data).p)
        robust += _below(by_robust(cell, data))
        items_only += _below(by_items(cell, data, rng))
        interval = by_model(cell, study(cell, DIFFERENCE, rng))
        # An interval that is missing holds nothing.
        covered += interval.low is not None and interval.high is not None and interval.low <= true <= interval.high
    return Rates(
        rate(rejected, studies),
        rate(covered, studies),
        rate(robust, studies) if tested else None,
        rate(items_only, studies),
    )


def _below(p: float | None) -> bool:
    return p is not None and p < LEVEL


def rows(cells: tuple[Cell, ...], arguments: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the cells of the table."""
    for number, cell in enumerate(cells):
        if arguments.only and number not in arguments.only:
            continue
        found = measured(cell, arguments.studies, np.random.default_rng([arguments.seed, number, len(cells)]))
        shown = [
            "-" if one is None else f"{one[0]:.1f} [{one[1]:.1f}, {one[2]:.1f}]"
            for one in (found.rejects, found.covers, found.robust, found.items_only)
        ]
        design = f"{cell.kind}, {cell.design}" + ("" if cell.systems == 2 else f", {cell.systems} systems")
        yield [
            design, f"{cell.items} x {cell.raters}", f"{cell.by_rater:.2f}", *shown, "yes" if found.held else "**no**"
        ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", default=[], help="numbers of cells, from 0")
    parser.add_argument("--issue", action="store_true", help="40 items, 3, 6 and 20 raters, three spreads")
    arguments = parser.parse_args()
    head = ("ratings", "items x raters", "SD rater by system", "rejects", "covers", "robust", "texts only", "held")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * 8)
    for cells in rows(ISSUE if arguments.issue else CELLS, arguments):
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
