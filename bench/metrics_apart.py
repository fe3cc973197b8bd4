"""How often the tests of metrics taken apart reject, with items and raters drawn anew in each simulated study.

Run by hand: `python -m bench.metrics_apart --studies 1000`. docs/methods/metrics-apart.md has the table that it prints.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau, rankdata

from analytics_app.stats.metrics.adjacent_levels import adjacent_levels
from analytics_app.stats.metrics.equal_systems import systems_differ
from analytics_app.stats.metrics.metric_meta import williams
from analytics_app.stats.values import Floats

Rng = np.random.Generator
LIMIT = 0.05
RATERS, STEPS = 3, 5


@dataclass(frozen=True, slots=True)
class Study:
    """A simulated study: the quality of texts, and people's mean answer on steps from 1, both items by systems."""

    quality: Floats
    people: Floats

    @classmethod
    def drawn(cls, items: int, systems: int, rng: Rng) -> "Study":
        """Return a study with items, texts and raters drawn anew; raters differ in level, and all rate all texts."""
        quality = rng.normal(size=(items, 1)) * 0.6 + rng.normal(size=(items, systems)) * 0.8
        quality += np.linspace(-0.3, 0.3, systems)
        answers = quality[..., np.newaxis] + rng.normal(size=RATERS) * 0.3
        answers = answers + rng.normal(size=answers.shape) * 0.4
        people = np.clip(np.round(3 + 1.2 * answers), 1, STEPS).mean(axis=2)
        return cls(quality, people)

    def metric(self, rng: Rng, agreement: Floats | float, *, by_item: float = 0.5, gain: bool = True) -> Floats:
        """Return scores with this weight of quality in each system, and errors that the texts of an item share."""
        shape = self.quality.shape
        errors = by_item * rng.normal(size=(shape[0], 1)) + np.sqrt(1 - by_item**2) * rng.normal(size=shape)
        scores: Floats = agreement * self.quality * gain + errors
        return scores


def levels_of(people: Floats) -> Floats:
    """Return the level of each text from 0: the nearest step, the lower one where two are equally near."""
    levels: Floats = np.ceil(people - 0.5) - 1
    return levels


def rejected(p: float | None) -> bool:
    """Return whether a test rejects at .05."""
    return p is not None and p < LIMIT


def of_levels(study: Study, scores: Floats) -> Iterator[tuple[str, bool]]:
    """Yield whether the area of two middle levels differs from 0.5, and whether all areas differ."""
    items = np.repeat(np.arange(len(scores)), scores.shape[1])
    found = adjacent_levels(levels_of(study.people).astype(int).ravel(), scores.ravel(), items, confidence=0.95)
    yield "one area is not 0.5", rejected(found.areas[len(found.areas) // 2].p)
    yield "areas differ", rejected(found.differ.p)


def equally_far(study: Study, rng: Rng) -> Floats:
    """Return scores that are equally far apart from each level to the next."""
    return levels_of(study.people) * 0.7 + study.metric(rng, 0)


def lower_end(study: Study, rng: Rng) -> Floats:
    """Return scores of a metric that tells bad texts from others, and nothing more."""
    return 2 * np.minimum(levels_of(study.people), 1) + study.metric(rng, 0)


def of_systems(study: Study, scores: Floats, rng: Rng, permutations: int) -> Iterator[tuple[str, bool]]:
    """Yield whether the correlation within systems differs between them."""
    for name, ranks in (("Pearson differs", False), ("Spearman differs", True)):
        found = systems_differ(study.people, scores, ranks=ranks, n_permutations=permutations, rng=rng)
        yield name, rejected(found.p)


def one_system(study: Study, rng: Rng) -> Floats:
    """Return scores of a metric that agrees with people on the texts of the first system only."""
    weights = np.zeros(study.quality.shape[1])
    weights[0] = 1.5
    return study.metric(rng, weights)


def of_williams(people: Floats, a: Floats, b: Floats) -> Iterator[tuple[str, bool]]:
    """Yield whether Williams' test of two metrics rejects by each coefficient, over texts without shared items."""
    ranked = [rankdata(side) for side in (people, a, b)]
    for name, sides in (("Williams, Pearson", (people, a, b)), ("Williams, Spearman", ranked)):
        r = np.corrcoef(sides)
        yield name, rejected(williams(r[0, 1], r[0, 2], r[1, 2], people.size).p)
    taus = [float(kendalltau(x, y).statistic) for x, y in ((people, a), (people, b), (a, b))]
    yield "Williams, Kendall", rejected(williams(taus[0], taus[1], taus[2], people.size).p)


def main() -> None:
    """Print the share of rejected studies by test and case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--permutations", type=int, default=99)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    makers: Mapping[str, Callable[[Study, Rng], Floats]] = {
        "metric of nothing": lambda study, rng: study.metric(rng, 0),
        "equally far apart": equally_far,
        "good at the lower end": lower_end,
        "equally good": lambda study, rng: study.metric(rng, 1.0),
        "good for one system": one_system,
    }
    for items, systems in ((40, 4), (100, 4), (100, 8)):
        rng = np.random.default_rng([given.seed, items, systems])
        counts: dict[tuple[str, str], int] = {}
        for _study in range(given.studies):
            study = Study.drawn(items, systems, rng)
            for case, make in makers.items():
                scores = make(study, rng)
                tests = [*of_levels(study, scores)] if case in LEVELS else []
                tests += [*of_systems(study, scores, rng, given.permutations)] if case in SYSTEMS else []
                for name, is_rejected in tests:
                    counts[case, name] = counts.get((case, name), 0) + is_rejected
            # One text of each item, so that texts are independent.
            people, quality = study.people[:, 0], study.quality[:, 0]
            a, b = (quality + 0.8 * rng.normal(size=items) for _metric in range(2))
            for name, is_rejected in of_williams(people, a, b):
                counts["two equal metrics", name] = counts.get(("two equal metrics", name), 0) + is_rejected
        for (case, name), n in counts.items():
            print(f"{items} items, {systems} systems: {case}: {name}: {100 * n / given.studies:.1f}", flush=True)


LEVELS = ("metric of nothing", "equally far apart", "good at the lower end")
SYSTEMS = ("metric of nothing", "equally good", "good for one system")

if __name__ == "__main__":
    main()
