"""Coverage of the curve of Dawid and Skene with 20, 3 and 2 samples for each number of judgments (decision 147).

`python -m bench.samples --studies 300` prints rows for each number of texts. Each text has 5 judgments on 5 steps, by
5 of the raters in turn; ratings add up a text, a rater (standard deviations .9 and .3) and chance (.9). All studies
have the same raters, since intervals are over texts. The true share is the mean over all studies with 20 samples.
Intervals are means of texts +- 1.96 standard errors, which is what the bootstrap over so many texts gives.
"""

import argparse

import numpy as np
from scipy.special import ndtri

from analytics_app.stats.errors.dawid_skene import dawid_skene
from analytics_app.stats.errors.fewer_judgments import error_on_samples
from analytics_app.stats.values import Codes, Floats

JUDGMENTS, STEPS = 5, 5
SAMPLES = (20, 3, 2)
SIZES = ((500, 20), (2_000, 80))
# The numbers of judgments whose error is looked at: with one there is no model, with all there is no error.
LOOKED_AT = (2, 3, 4)


def study(n_texts: int, n_raters: int, rng: np.random.Generator) -> tuple[Codes, Codes, Codes]:
    """Return step, text and rater of the judgments of a study."""
    text = np.repeat(np.arange(n_texts), JUDGMENTS)
    rater = (np.arange(text.size) + text) % n_raters
    latent = 0.9 * rng.normal(size=n_texts)[text] + 0.3 * ndtri((rater + 0.5) / n_raters)
    steps = np.clip(np.round(2 + latent + 0.9 * rng.normal(size=text.size)), 0, STEPS - 1).astype(int)
    return steps, text, rater


def errors(n_texts: int, n_raters: int, rounds: int, rng: np.random.Generator, seed: list[int]) -> Floats:
    """Return the share of samples with another label, by text and number of judgments, for the study of a seed."""
    step, text, rater = study(n_texts, n_raters, np.random.default_rng(seed))

    def labels_of(mask: np.ndarray) -> Floats | None:
        fit = dawid_skene(step[mask], text[mask], rater[mask], n_labels=STEPS)
        return np.where(fit.label < 0, np.nan, fit.label)[:, np.newaxis] if fit.defined else None

    reference = labels_of(np.ones(text.size, dtype=bool))
    assert reference is not None
    return error_on_samples(labels_of, text, reference, most=JUDGMENTS - 1, rounds=rounds, rng=rng)[:, 0]


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("| texts, raters | samples | judgments | true share | intervals that hold it | mean half-width |")
    print("|---|---|---|---|---|---|")
    for n_texts, n_raters in SIZES:
        means = np.empty((len(SAMPLES), arguments.studies, len(LOOKED_AT)))
        halves = np.empty_like(means)
        for number in range(arguments.studies):
            for place, rounds in enumerate(SAMPLES):
                rng = np.random.default_rng([arguments.seed, n_texts, number, rounds])
                of_texts = errors(n_texts, n_raters, rounds, rng, [arguments.seed, n_texts, number])
                of_texts = of_texts[:, [m - 1 for m in LOOKED_AT]]
                means[place, number] = of_texts.mean(axis=0)
                halves[place, number] = 1.96 * of_texts.std(axis=0, ddof=1) / np.sqrt(n_texts)
        truth = means[0].mean(axis=0)
        held = (np.abs(means - truth) <= halves).mean(axis=1)
        for place, rounds in enumerate(SAMPLES):
            for column, m in enumerate(LOOKED_AT):
                print(
                    f"| {n_texts:,}, {n_raters} | {rounds} | {m} | {truth[column]:.1%} | {held[place, column]:.1%} | "
                    f"{halves[place, :, column].mean():.2%} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
