"""Search results with raters and queries both random: each list as each rater judged it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows
from analytics_app.analyses.search_results.lists import Lists
from analytics_app.analyses.shared.crossed_shares import Answered, Columns, crossed_columns
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.ranking.retrieval import ndcg_at, precision_at

OWN = "By each rater's own labels, of the lists that a rater judged as far as anybody did."
NO_LISTS = "No rater judged a list as far as anybody did, so nothing can be said about further raters."


@dataclass(frozen=True, slots=True)
class Looks:
    """A list as one rater judged it: arrays of shape (n,), (n, depth), and (n, most results of a query).

    `judged_by_rater` counts the results up to a rank that the rater judged, `judged_by_anybody` those that anybody
    judged; `best_gains` are the gains of all results of the query by the rater; `is_complete` is true if the rater
    judged all results of the query that anybody did.
    """

    row: NDArray[np.int64]
    rater: NDArray[np.int64]
    relevance: Floats
    gain: Floats
    judged_by_rater: NDArray[np.int64]
    judged_by_anybody: NDArray[np.int64]
    best_gains: Floats
    is_complete: NDArray[np.bool_]


def looks_of(lists: Lists) -> Looks:
    """Return the lists as raters judged them, one for each list and each rater who judged a result of it."""
    row, rank, answer = _meetings(lists)
    n_raters = int(lists.answers.rater.max(initial=0)) + 1
    rater = lists.answers.rater[answer].astype(np.int64)
    keys, look = np.unique(row * n_raters + rater, return_inverse=True)
    shape = (len(keys), lists.relevance.shape[1])
    relevance, gain, is_judged = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    relevance[look, rank] = lists.answers.relevance[answer]
    gain[look, rank] = lists.answers.gain[answer]
    is_judged[look, rank] = 1
    of_row = keys // n_raters
    best_gains, is_complete = _best(lists, row, rank, answer, keys, n_raters)
    return Looks(
        row=of_row,
        rater=keys % n_raters,
        relevance=relevance,
        gain=gain,
        judged_by_rater=is_judged.cumsum(axis=1),
        judged_by_anybody=(lists.text >= 0).cumsum(axis=1)[of_row],
        best_gains=best_gains,
        is_complete=is_complete,
    )


def _meetings(lists: Lists) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (list, rank from 0, answer) for every place in a list and every answer about the text there."""
    row, rank = (index.astype(np.int64) for index in np.nonzero(lists.text >= 0))
    order = np.argsort(lists.answers.text, kind="stable")
    texts = lists.answers.text[order]
    begin = np.searchsorted(texts, lists.text[row, rank], side="left")
    times = np.searchsorted(texts, lists.text[row, rank], side="right") - begin
    within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    answer = order[np.repeat(begin, times) + within]
    return np.repeat(row, times), np.repeat(rank, times), answer.astype(np.int64)


def _best(
    lists: Lists,
    row: NDArray[np.int64],
    rank: NDArray[np.int64],
    answer: NDArray[np.int64],
    keys: NDArray[np.int64],
    n_raters: int,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the gains of all results of the query by each look's rater, and whether the rater judged them all."""
    query, rater = lists.query[row], lists.answers.rater[answer].astype(np.int64)
    query_raters, query_rater = np.unique(query * n_raters + rater, return_inverse=True)
    n_texts = int(lists.text.max(initial=0)) + 1
    # A text may stand in several lists of a query; each rater's answer about it counts once.
    _cells, first = np.unique(query_rater * n_texts + lists.text[row, rank], return_index=True)
    line, gain = query_rater[first], lists.answers.gain[answer[first]]
    counts = np.bincount(line, minlength=len(query_raters))
    column = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts)
    gains = np.zeros((len(query_raters), int(counts.max(initial=1))))
    gains[line, column] = gain
    query_texts = np.unique(query * n_texts + lists.text[row, rank])
    n_of_query = np.bincount(query_texts // n_texts, minlength=int(lists.query.max(initial=0)) + 1)
    query_of_look = lists.query[keys // n_raters]
    line_of_look = np.searchsorted(query_raters, query_of_look * n_raters + keys % n_raters)
    return gains[line_of_look], counts[line_of_look] == n_of_query[query_of_look]


def further_raters(
    make: Rows, lists: Lists, cutoffs: Sequence[int], settings: Mapping[str, Any], gains: Mapping[str, float]
) -> Iterator[Row]:
    """Yield precision and nDCG with raters and queries both random, if the plan asks for them."""
    if make.sample.common.generalise_to != "raters_and_texts":
        return
    looks, pairs = looks_of(lists), lists.pairs(make.sample)
    own = {**settings, "join": "each rater's own labels"}
    precision = [precision_at(looks.relevance, n) for n in cutoffs]
    ndcg = [np.where(looks.is_complete, ndcg_at(looks.gain, looks.best_gains, n), np.nan) for n in cutoffs]
    of_gains = {**own, "gains": dict(gains), "discount": "log2(1 + rank)"}
    for name, values, about in (("precision", precision, own), ("ndcg", ndcg, of_gains)):
        columns = Columns(
            level=f"{name}_at_crossed",
            difference=f"{name}_difference_crossed",
            labels=[f"at {n}" for n in cutoffs],
            of="pairs and cut-offs of one measure",
            settings=[{**about, "cutoff": n} for n in cutoffs],
            note=OWN,
            none=NO_LISTS,
        )
        whole = [np.where(_is_whole(looks, n), column, np.nan) for n, column in zip(cutoffs, values, strict=True)]
        answered = Answered(
            values=np.column_stack(whole),
            system=lists.system[looks.row],
            item=lists.query[looks.row],
            rater=looks.rater,
            document=lists.cluster[looks.row] if lists.unit == "documents" else None,
            systems=lists.systems,
        )
        yield from crossed_columns(make, answered, columns, pairs)


def _is_whole(looks: Looks, n: int) -> NDArray[np.bool_]:
    """Return whether the rater of each look judged all of the first n results that anybody judged."""
    deepest = min(n, looks.judged_by_rater.shape[1]) - 1
    whole: NDArray[np.bool_] = looks.judged_by_rater[:, deepest] == looks.judged_by_anybody[:, deepest]
    return whole
