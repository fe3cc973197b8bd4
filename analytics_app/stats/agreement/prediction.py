"""Error of predicting each rating by the mean of the other raters of the same text."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.pooled import shared_units
from analytics_app.stats.resampling.bootstrap import check_settings, ratio_samples
from analytics_app.stats.resampling.pair_sums import limits
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, rated

NOBODY_ELSE = "No text has ratings by two raters, so no rating can be predicted from those of others."
ONE_ITEM = "All of it is about one item, or document, which is too few for an interval."


@dataclass(frozen=True, slots=True)
class PredictionError:
    """Errors of the ratings of one rater, given by code, or of all raters (None): mean absolute and root mean square.

    `n_ratings` counts the errors, `n_items` the items they are of.
    """

    rater: int | None
    absolute: Estimate
    square: Estimate


def prediction_errors(
    values: ArrayLike,
    units: ArrayLike,
    raters: ArrayLike,
    items: ArrayLike,
    *,
    of_items: bool = False,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[PredictionError]:
    """Return how far ratings are from the mean of the other raters of the same texts, leaving each rater out in turn.

    The error of a rating is the rating minus the mean of the other ratings of its text, the prediction that leaves
    one rater out [1]_. Texts with one rating have no error.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units, raters, items : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit, and a unit belongs to one item.
    of_items : bool
        Average the errors of a rater within each item first, so that means of items are predicted.
    clusters : ndarray of int, shape (n,), optional
        Codes of the documents that items are resampled with.
    n_resamples : int
        Resamples for the intervals of all raters together; each rater's errors have none.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    list of PredictionError
        Of all raters together, undefined if no text has two ratings, then by rater code. Raters who share no text
        with anybody are left out.

    References
    ----------
    .. [1] M. Stone (1974). Cross-validatory choice and assessment of statistical predictions. Journal of the Royal
       Statistical Society, Series B 36(2), 111-147.

    Examples
    --------
    >>> drawing = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    >>> together, one, other = prediction_errors([1, 2, 3, 3], [0, 1, 0, 1], [0, 0, 4, 4], [0, 1, 0, 1], **drawing)
    >>> together.absolute.value, round(together.square.value, 4), one.absolute.value, other.rater
    (1.5, 1.5811, 1.5, 4)
    """
    check_settings(n_resamples, confidence)
    columns = (units, raters, items) if clusters is None else (units, raters, items, clusters)
    numbers, (unit, rater, item, *document) = rated(values, *columns)
    shared = shared_units(numbers, unit, rater, item)
    if not shared.units.size or shared.clusters is None:
        undefined = Estimate(None, note=NOBODY_ELSE)
        return [PredictionError(None, undefined, undefined)]
    sums, sizes = np.bincount(shared.units, weights=shared.values), np.bincount(shared.units)
    errors = shared.values - (sums[shared.units] - shared.values) / (sizes[shared.units] - 1)
    raters_of, items_of = shared.raters, shared.clusters[shared.units]
    if of_items:
        width = int(items_of.max()) + 1
        cells, places = np.unique(raters_of * width + items_of, return_inverse=True)
        errors = np.bincount(places, weights=errors) / np.bincount(places)
        raters_of, items_of = cells // width, cells % width
    drawn = items_of if not document else _document_of_item(item, document[0])[items_of]
    codes = shared.rater_codes
    n_items = compressed(items_of)[0].size
    together = _together(errors, compressed(drawn)[1], n_resamples, confidence, rng)
    absolute, square = (
        replace(estimate, n_ratings=errors.size, n_items=n_items, n_raters=codes.size) for estimate in together
    )
    return [PredictionError(None, absolute, square), *_by_rater(errors, raters_of, items_of, codes)]


def _document_of_item(items: Codes, documents: Codes) -> Codes:
    """Return the document of each item code; an item with texts in none, each for itself, is drawn whole."""
    first = np.full(int(items.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, items, documents)
    return first


def _by_rater(errors: Floats, raters: Codes, items: Codes, codes: Codes) -> Iterator[PredictionError]:
    n = np.bincount(raters)
    width = int(items.max()) + 1
    n_items = np.bincount(np.unique(raters * width + items) // width)
    absolute = np.bincount(raters, weights=np.abs(errors)) / n
    square = np.sqrt(np.bincount(raters, weights=errors**2) / n)
    for place, code in enumerate(codes.tolist()):
        absolute_error, square_error = (
            Estimate(float(of_all[place]), n_ratings=int(n[place]), n_items=int(n_items[place]), n_raters=1)
            for of_all in (absolute, square)
        )
        yield PredictionError(code, absolute_error, square_error)


def _together(
    errors: Floats, drawn: Codes, n_resamples: int, confidence: float, rng: np.random.Generator
) -> tuple[Estimate, Estimate]:
    """Return the mean absolute and the root mean square error of all, with intervals over items or documents."""
    n = np.bincount(drawn)
    sums = np.column_stack([np.bincount(drawn, weights=terms) for terms in (np.abs(errors), errors**2)])
    absolute, square = float(np.abs(errors).mean()), float(np.sqrt((errors**2).mean()))
    if not n_resamples:
        return Estimate(absolute), Estimate(square)
    if n.size < 2:
        return Estimate(absolute, note=ONE_ITEM), Estimate(square, note=ONE_ITEM)
    samples = ratio_samples(sums, np.column_stack([n, n]), n_resamples, rng)
    of_absolute, of_square = (
        limits(drawn_means, n.size, confidence) for drawn_means in (samples[:, 0], np.sqrt(samples[:, 1]))
    )
    return Estimate(absolute, **of_absolute._asdict()), Estimate(square, **of_square._asdict())
