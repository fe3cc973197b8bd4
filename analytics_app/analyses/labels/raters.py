"""Reliability of each rater of labels."""

from collections.abc import Iterator
from math import isnan

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.shared.labels_of_texts import ITEMS_DIFFER, Answers, Model
from analytics_app.ratings import Mask
from analytics_app.results import Row
from analytics_app.stats.errors.votes import wawa

# The most rows of raters by label; if there would be more, only the accuracy of each rater is given.
MOST_CELLS = 2000


def rater_rows(make: Rows, answers: Answers, model: Model | str) -> Iterator[Row]:
    """Yield the reliability of each rater, by the model and by the majority."""
    names = make.sample.table.names.raters
    codes, counts = np.unique(answers.rater, return_counts=True)
    n_of = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    if isinstance(model, Model):
        accuracy = np.mean([fit.accuracy for fit in model.fits], axis=0)
        for code, value in zip(model.fits[0].raters.tolist(), accuracy.tolist(), strict=True):
            yield make.row("rater_accuracy", value=value, rater=names[code], n_ratings=n_of[code], n_raters=1)
        yield from _sensitivity(make, model)
    if answers.several or model == ITEMS_DIFFER:
        return
    labelled: Mask = np.asarray(answers.chosen.any(axis=1))
    answers = answers if labelled.all() else answers.where(labelled)
    skills = wawa(answers.chosen.argmax(axis=1), answers.text, answers.rater, n_labels=len(answers.options))
    for code, value in zip(skills.raters.tolist(), skills.skill.tolist(), strict=True):
        known = not isnan(value)
        yield make.row(
            "wawa_skill",
            value=value if known else None,
            rater=names[code],
            n_ratings=n_of[code],
            n_raters=1,
            note=None if known else "Every text of this rater is a tie, so nobody can say who agrees.",
        )


def _sensitivity(make: Rows, model: Model) -> Iterator[Row]:
    """Yield the probability that a rater gives a label if it is right: the diagonal of the confusion matrix."""
    names = make.sample.table.names.raters
    options = model.decided.options
    if len(model.fits[0].raters) * len(options) > MOST_CELLS:
        return
    for k, option in enumerate(options):
        fit = model.fits[k] if model.decided.several else model.fits[0]
        column = fit.sensitivity[:, 1] if model.decided.several else fit.sensitivity[:, k]
        for code, value in zip(fit.raters.tolist(), column.tolist(), strict=True):
            if not isnan(value):
                yield make.row("rater_sensitivity", value=value, rater=names[code], label=option, n_raters=1)
