"""Labels by Dawid and Skene on random samples of the judgments of each text, against those on all judgments."""

from dataclasses import dataclass

import numpy as np

from analytics_app.analyses.shared.labelled import Answers, Model, by_model
from analytics_app.ratings import Floats
from analytics_app.stats.values import Codes

SMOOTHING = 0.01

# The most answers that all fits of the model read together: they take a worker about ten seconds.
MOST_READ = 6_000_000

TOO_MANY = "There are too many judgments to fit the model of Dawid and Skene on samples: choose fewer samples."
NO_CLEAR = "The model of Dawid and Skene has no clear label of any text."


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """Share of the samples in which the label of a text differs from the model's label on all judgments.

    `errors[i, m - 1]` is about line i, a text or, where several labels may be chosen, a text and label; `text[i]` is
    the place of its text. A column is NaN where the model is undefined, as with one judgment per text.
    """

    errors: Floats
    text: Codes

    @property
    def undefined(self) -> bool:
        """Return whether the model has no labels with one judgment per text."""
        return bool(np.isnan(self.errors[:, 0]).all())


def model_errors(answers: Answers, most: int, rounds: int, rng: np.random.Generator) -> ModelErrors | str:
    """Fit the model on `rounds` samples for each m from 1 to `most`, or return a sentence why it cannot be fitted.

    A sample draws m of the judgments of each text without replacement. The model is fitted on the whole sample, so
    fewer judgments also mean less information about raters. The label of a text on which a sample is undecided counts
    as half wrong.
    """
    whole = by_model(answers, SMOOTHING)
    if not isinstance(whole, Model):
        return whole
    if len(answers) * rounds * (most + 1) / 2 > MOST_READ:
        return TOO_MANY
    clear = np.flatnonzero(whole.decided.clear)
    if not len(clear):
        return NO_CLEAR
    reference = whole.decided.yes[clear]
    width = reference.shape[1] if answers.several else 1
    errors = np.full((len(clear), width, most), np.nan)
    _texts, place = np.unique(answers.text, return_inverse=True)
    begins = np.r_[0, np.cumsum(np.bincount(place))[:-1]]
    for m in range(1, most + 1):
        wrong, fitted = np.zeros((len(clear), width)), 0
        for _round in range(rounds):
            # Judgments of each text in random order, of which the first m are in the sample.
            order = np.lexsort((rng.random(len(place)), place))
            chosen = np.sort(order[np.arange(len(place)) - begins[place[order]] < m])
            mask = np.zeros(len(place), dtype=bool)
            mask[chosen] = True
            model = by_model(answers.where(mask), SMOOTHING)
            if not isinstance(model, Model):
                break
            fitted += 1
            yes = model.decided.yes[clear]
            differs = np.where(np.isnan(yes), 0.5, yes != reference)
            wrong += differs if answers.several else differs.max(axis=1, keepdims=True)
        if fitted:
            errors[:, :, m - 1] = wrong / fitted
    return ModelErrors(errors.reshape(-1, most), np.repeat(clear, width))
