"""Error labels by rater: profiles, confusions and times."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import QuestionCriterion, Rows, of_one_system
from analytics_app.analyses.shared.labels_of_texts import Answers
from analytics_app.results import Row
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.errors.confusion import Confusion, of_pairs, together

# The most raters whose labels are listed, and the most pairs of raters with a table of their own.
MOST_RATERS, MOST_PAIRS = 200, 20

# A table of a pair of raters needs at least this many shared texts.
LEAST_SHARED = 10


def profiles(make: Rows, answers: Answers, criterion: str) -> Iterator[Row]:
    """Yield the share of each label among the answers of each rater."""
    names, confidence = make.sample.table.names.raters, make.sample.common.confidence
    codes, rater = np.unique(answers.rater, return_inverse=True)
    alone = of_one_system(make.sample.table)
    if len(codes) > MOST_RATERS:
        note = f"{len(codes):,} raters are too many to list what each of them said."
        yield make.row("rater_share", criterion=criterion, note=note)
        return
    for place, code in enumerate(codes.tolist()):
        of_rater = answers.chosen[rater == place]
        for option, count in zip(answers.options, of_rater.sum(axis=0).tolist(), strict=True):
            yield make.row(
                "rater_share",
                wilson(int(count), len(of_rater), confidence=confidence),
                criterion=criterion,
                rater=names[code],
                label=option,
                n_raters=1,
                by_system=bool(alone[code]),
                settings={"interval": "Wilson"},
            )


def confusions(make: Rows, answers: Answers, criterion: str) -> Iterator[Row]:
    """Yield the confusions of labels: of all raters together, then of the pairs that share most texts."""
    label, n_labels = answers.chosen.argmax(axis=1), len(answers.options)
    names = make.sample.table.names.raters
    yield from _cells(make, together(label, answers.text, n_labels=n_labels), answers, criterion)
    shared = _shared(answers)
    pairs = sorted(shared, key=lambda pair: (-shared[pair], pair))[:MOST_PAIRS]
    for confusion in of_pairs(label, answers.text, answers.rater, pairs, n_labels=n_labels):
        assert confusion.first is not None
        assert confusion.second is not None
        pair_columns: dict[str, Any] = {"rater": names[confusion.first], "about": f"second={names[confusion.second]}"}
        yield from _cells(make, confusion, answers, criterion, **pair_columns)


def _cells(
    make: Rows,
    confusion: Confusion,
    answers: Answers,
    criterion: str,
    rater: str | None = None,
    about: str | None = None,
) -> Iterator[Row]:
    for first, second in zip(*(place.tolist() for place in np.nonzero(confusion.counts)), strict=True):
        yield make.row(
            "confusion",
            value=float(confusion.counts[first, second]),
            criterion=criterion,
            rater=rater,
            label=f"{answers.options[first]} / {answers.options[second]}",
            slice="; ".join(filter(None, (about, make.sample.slice))) or None,
        )


def _shared(answers: Answers) -> dict[tuple[int, int], int]:
    """Return the number of shared texts of each pair that shares enough; nothing if there are too many raters."""
    codes, rater = np.unique(answers.rater, return_inverse=True)
    if len(codes) > MOST_RATERS:
        return {}
    _texts, text = np.unique(answers.text, return_inverse=True)
    counts = _texts_of_two(text, rater, len(codes))
    pairs = combinations(range(len(codes)), 2)
    return {(int(codes[a]), int(codes[b])): int(counts[a, b]) for a, b in pairs if counts[a, b] >= LEAST_SHARED}


def _texts_of_two(text: NDArray[np.intp], rater: NDArray[np.intp], n_raters: int) -> NDArray[Any]:
    # Lazy import: only background jobs compute this, so web processes never load scipy.
    from scipy.sparse import csr_array  # noqa: PLC0415

    gave = csr_array((np.ones(len(text)), (rater, text)), shape=(n_raters, int(text.max(initial=-1)) + 1))
    counts: NDArray[Any] = (gave @ gave.T).toarray()
    return counts


def seconds(make: Rows, criterion: QuestionCriterion) -> Iterator[Row]:
    """Yield the median seconds per text, of all raters and of each."""
    table = make.sample.table
    judgments = np.unique(table.judgment[table.criterion == criterion.code])
    seconds_taken = table.judgments.seconds[judgments]
    judgments, seconds_taken = judgments[~np.isnan(seconds_taken)], seconds_taken[~np.isnan(seconds_taken)]
    if not len(seconds_taken):
        return
    yield make.row(
        "seconds_median", value=float(np.median(seconds_taken)), criterion=criterion.key, n_ratings=len(seconds_taken)
    )
    rater = table.judgments.rater[judgments]
    codes = np.unique(rater)
    for code in codes.tolist() if len(codes) <= MOST_RATERS else ():
        seconds_of_rater = seconds_taken[rater == code]
        yield make.row(
            "seconds_median",
            value=float(np.median(seconds_of_rater)),
            criterion=criterion.key,
            rater=table.names.raters[code],
            n_ratings=len(seconds_of_rater),
            n_raters=1,
        )
