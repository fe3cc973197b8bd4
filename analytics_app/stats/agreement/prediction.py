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


def average_errors(
    values: ArrayLike, units: ArrayLike, raters: ArrayLike, rows: ArrayLike, systems: ArrayLike
) -> list[tuple[int | None, Estimate]]:
    """Return how far the averages of a rater are from those of the others: the human error of prediction [1]_.

    For a rater and a system, the average of the rater's ratings of the system is predicted by that of the others on the
    same texts, each text with the mean of its other raters. The error of the rater is the mean absolute
    difference over systems, that of all raters the mean over raters.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit.
    rows, systems : array_like of int, shape (m,)
        The ratings (from 0 to n - 1) that count for a system, and its code; a text of several systems counts for each.

    Returns
    -------
    list of (int or None, Estimate)
        The error of all raters (None), undefined if no text has two ratings, then by rater code. There are no
        intervals: the error is above 0 if raters only scatter, and so are those of resampled texts.

    References
    ----------
    .. [1] B. Saldías, G. Foster, M. Freitag and Q. Tan (2022). Toward more effective human evaluation for machine
       translation. Proceedings of HumEval, 76-89, table 12.

    Examples
    --------
    >>> errors = average_errors([1, 5, 3, 3], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 2, 3], [0, 1, 0, 1])
    >>> [(rater, estimate.value) for rater, estimate in errors]
    [(None, 2.0), (0, 2.0), (1, 2.0)]
    """
    numbers, entry = np.asarray(values, dtype=np.float64), np.asarray(rows, dtype=np.intp)
    ratings, (unit,) = rated(numbers, units)
    _codes, place = compressed(unit)
    sums, sizes = np.bincount(place, weights=ratings), np.bincount(place)
    others = sizes[place] - 1
    errors = np.full(numbers.size, np.nan)
    errors[~np.isnan(numbers)] = ratings - (sums[place] - ratings) / np.where(others > 0, others, np.nan)
    entry, system = entry[~np.isnan(errors[entry])], np.asarray(systems, dtype=np.intp)[~np.isnan(errors[entry])]
    if not entry.size:
        return [(None, Estimate(None, note=NOBODY_ELSE))]
    codes, who = compressed(np.asarray(raters, dtype=np.intp)[entry])
    width = int(system.max()) + 1
    cells, cell = np.unique(who * width + system, return_inverse=True)
    differences = np.abs(np.bincount(cell, weights=errors[entry]) / np.bincount(cell))
    n_systems = np.bincount(cells // width)
    means = np.bincount(cells // width, weights=differences) / n_systems
    of_raters = np.asarray(raters, dtype=np.intp)[np.unique(entry)]
    n_ratings = np.bincount(of_raters)[codes].tolist()
    return [
        (None, Estimate(float(means.mean()), n_ratings=len(of_raters), n_raters=len(codes))),
        *(
            (code, Estimate(mean, n_ratings=n, n_raters=1))
            for code, mean, n in zip(codes.tolist(), means.tolist(), n_ratings, strict=True)
        ),
    ]


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
