"""How often equivalence is claimed wrongly, and a difference too: `python -m bench.size_of_equivalence --studies 1000`.

Raters: ratings and designs are those of `bench.size`, where one of the two systems takes the place of the copies. The
margin is the true difference of 0.3 latent units on the scale of the ratings, so that copies which differ by it are
just not equivalent. Metrics, in ten times as many studies: scores of originals are normal with a standard deviation of
1, each copy differs from its original by the true difference and normal noise, and the margin is 0.2 standard
deviations of the originals of the study. The true difference is this margin or, in the rows "of all texts", 0.2: the
standard deviation of the originals is then itself an estimate, which the test does not know.

Prints the table of docs/methods/equivalence.md, in percent of the studies: equivalence claimed where copies differ by
the margin (5 is promised at most), where they do not differ and the margin is as it is, and twice as wide; a difference
claimed where there is none (5 is promised); and how often the interval of the tests holds the true difference (90).
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from analytics_app.stats.comparison.equivalence import equivalence, mean_of_differences
from analytics_app.stats.values import Estimate
from bench.size import DIFFERENCE, Cell, Rng, by_model, rate, study, true_difference

ALPHA = 0.05
CELLS = (
    Cell("Likert", "all", 40, 3, 0.15),
    Cell("Likert", "all", 40, 6, 0.3),
    Cell("Likert", "all", 10, 6, 0.3),
    Cell("Likert", "all", 40, 20, 0.3),
    Cell("Likert", "sets", 60, 9, 0.3),
    Cell("slider", "all", 100, 12, 0.15),
)
# Items, the standard deviation of the noise of copies, and whether the true difference is that of all texts.
METRICS = ((20, 0.2, False), (40, 0.5, False), (100, 0.5, False), (100, 1.0, False), (20, 0.2, True), (100, 0.5, True))
METRIC_MARGIN, TIMES = 0.2, 10


Simulated = tuple[Estimate, float, float]


def _by_raters(cell: Cell, differs: bool, rng: Rng) -> Simulated:
    """Return the difference of system 1 and 0 of a study, the margin, and the true difference."""
    margin = true_difference(cell, DIFFERENCE)
    return by_model(cell, study(cell, DIFFERENCE * differs, rng)), margin, margin * differs


def _by_metric(items: int, noise: float, of_all: bool, differs: bool, rng: Rng) -> Simulated:
    """Return the difference of originals and copies of a study, the margin, and the true difference."""
    original = rng.normal(size=items)
    margin = METRIC_MARGIN * float(original.std(ddof=1))
    true = (METRIC_MARGIN if of_all else margin) * differs
    copy = original - true + noise * rng.normal(size=items)
    return mean_of_differences(original - copy, np.arange(items)), margin, true


def _rates(make: Callable[[bool, Rng], Simulated], studies: int, rng: Rng) -> list[str]:
    """Return the five rates of one kind of study."""
    counts = np.zeros(5, dtype=int)
    for _study in range(studies):
        difference, margin, true = make(True, rng)
        test = equivalence(difference, margin, alpha=ALPHA)
        low, high = test.difference.low, test.difference.high
        nothing, margin, _zero = make(False, rng)
        narrow, wide = (equivalence(nothing, factor * margin, alpha=ALPHA).p for factor in (1, 2))
        counts += [
            *(p is not None and p < ALPHA for p in (test.p, narrow, wide, nothing.p)),
            low is not None and high is not None and low <= true <= high,
        ]
    return [f"{value:.1f} [{low:.1f}, {high:.1f}]" for value, low, high in (rate(int(n), studies) for n in counts)]


def rows(studies: int, seed: int, *, of_raters: bool = True) -> Iterator[list[str]]:
    """Yield the cells of the table, of metrics alone if that is asked for."""
    for number, cell in enumerate(CELLS if of_raters else ()):
        shown = _rates(partial(_by_raters, cell), studies, np.random.default_rng([seed, number, 39]))
        yield [f"{cell.kind}, {cell.design}", f"{cell.items} x {cell.raters}", f"{cell.by_rater:.2f}", *shown]
    for number, (items, noise, of_all) in enumerate(METRICS):
        rng = np.random.default_rng([seed, number, 40])
        name = "metric, of all texts" if of_all else "metric"
        yield [name, f"{items}", f"noise {noise:g}", *_rates(
            partial(_by_metric, items, noise, of_all), TIMES * studies, rng)]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    head = (
        "scores", "items x raters", "SD rater by version", "equivalent at the margin", "equivalent, no difference",
        "equivalent, twice the margin", "different, no difference", "interval covers",
    )  # fmt: skip
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for cells in rows(arguments.studies, arguments.seed):
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
