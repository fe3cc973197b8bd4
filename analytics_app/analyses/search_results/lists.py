"""Ranked lists of results: the results of each system for each query, with the labels of raters."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample, in_words
from analytics_app.analyses.shared.labels_of_texts import Answers, Model, by_model, by_vote
from analytics_app.analyses.shared.pairs import OfSystems, clusters_of, unit_of
from analytics_app.ratings import Floats, Mask
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.variants import Variants
from analytics_app.stats.values import joined

MAJORITY, MEAN, MODEL = "majority", "mean", "dawid_skene"

SEVERAL = "Several options may be chosen, so no result has one label."
SMOOTHING = 0.01


@dataclass(frozen=True, slots=True)
class Judgments:
    """The relevance and the gain of a text by each single answer: arrays of shape (n,)."""

    text: NDArray[np.int64]
    rater: NDArray[np.int64]
    relevance: Floats
    gain: Floats


@dataclass(frozen=True, slots=True)
class Worth:
    """The relevance and the gain of each judged text: arrays aligned with `text`, codes of parts in ascending order."""

    text: NDArray[np.int64]
    relevance: Floats
    gain: Floats
    n_answers: NDArray[np.int64]
    answers: Judgments
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Lists(OfSystems):
    """The lists of results of queries with judged results: arrays of shape (n_lists,) and (n_lists, depth).

    `system` is a code into `systems`, `query` a code of items. A result that nobody judged has relevance and gain 0, as
    has a rank without a result. `known` has the gains of all judged results of the query, filled up with 0. `text` is
    the text of a judged result, a code of parts; -1 where nobody judged, and where the text stands in the list before.
    """

    system: NDArray[np.int64]
    query: NDArray[np.int64]
    cluster: NDArray[np.int64]
    relevance: Floats
    gain: Floats
    judged: Mask
    returned: Mask
    n_answers: NDArray[np.int64]
    known: Floats
    text: NDArray[np.int64]
    answers: Judgments
    note: str | None

    def without_results(self, system: int) -> int:
        """Return the number of queries for which a system returned nothing."""
        return len(np.unique(self.query)) - int(np.sum(self.system == system))


def lists_of(sample: Sample, relevant: Sequence[str], gains: Mapping[str, float], join: str) -> Lists | str:
    """Return the ranked lists of a sample, or a sentence that explains why there are none."""
    places = _due(sample)
    ranks = _ranks(sample, places)
    if isinstance(ranks, str):
        return ranks
    worth = _worth(sample, relevant, gains, join)
    if isinstance(worth, str):
        return worth
    return _arranged(sample, places, ranks, worth)


def _due(sample: Sample) -> NDArray[np.int64]:
    """Return the places in `names.shown_part` of outputs to be judged, without systems that are left out."""
    names = sample.table.names
    units = np.union1d(sample.extras[Wanted].unit, sample.table.judgments.unit)
    due = np.isin(names.unit_of_part[names.shown_part], units) & ~np.isin(names.shown_system, sorted(sample.without))
    return np.flatnonzero(due).astype(np.int64)


def _ranks(sample: Sample, places: NDArray[np.int64]) -> NDArray[np.int64] | str:
    """Return the rank of each output, which is its variant; one without a variant is the first result."""
    variants = sample.extras[Variants].variant
    words = [variants[place] for place in places.tolist()]
    wrong = [word for word in words if word and not (word.isascii() and word.isdigit() and int(word) > 0)]
    if wrong:
        n = in_words(len(wrong), "result has", "results have")
        return f"The variant of a result must be its rank, a whole number from 1; {n} another, such as “{wrong[0]}”."
    return np.array([int(word or "1") for word in words], dtype=np.int64)


def _worth(sample: Sample, relevant: Sequence[str], gains: Mapping[str, float], join: str) -> Worth | str:
    """Return the worth of each judged text by the labels that raters gave it."""
    question = sample.question
    answers = Answers.of(sample.table, question.labels, several=bool(question.params.get("multiple")))
    if not len(answers):
        return "Nothing was judged."
    if answers.several:
        return SEVERAL
    if unknown := [label for label in dict.fromkeys((*relevant, *gains)) if label not in answers.options]:
        return f"No label that is offered, or that anybody gave: {', '.join(unknown)}."
    is_relevant = np.array([float(option in relevant) for option in answers.options])
    gain = np.array([gains.get(option, 0.0) for option in answers.options])
    model = by_model(answers, SMOOTHING) if join == MODEL else None
    if isinstance(model, str):
        return model
    decided = model.decided if isinstance(model, Model) else by_vote(answers)
    texts, place = np.unique(answers.text, return_inverse=True)
    n_answers = np.bincount(place, minlength=len(texts))[np.searchsorted(texts, decided.texts)]
    chosen = answers.chosen.astype(float)
    single = Judgments(answers.text, answers.rater.astype(np.int64), chosen @ is_relevant, chosen @ gain)
    if join == MEAN:
        return Worth(decided.texts, decided.chance @ is_relevant, decided.chance @ gain, n_answers, single)
    # Where several labels are as likely, the text counts as the least relevant of them.
    likely = decided.chance >= decided.chance.max(axis=1, keepdims=True) - 1e-9
    relevance: Floats = np.where(likely, is_relevant, np.inf).min(axis=1)
    least: Floats = np.where(likely, gain, np.inf).min(axis=1)
    n_ties = int((likely.sum(axis=1) > 1).sum())
    tied = f"{in_words(n_ties, 'result has', 'results have')} a tie of labels, of which the least relevant counts."
    note = joined(tied if n_ties else None, model.note if isinstance(model, Model) else None)
    return Worth(decided.texts, relevance, least, n_answers, single, note)


def _arranged(sample: Sample, places: NDArray[np.int64], ranks: NDArray[np.int64], worth: Worth) -> Lists | str:
    names = sample.table.names
    part = names.shown_part[places].astype(np.int64)
    at = np.minimum(np.searchsorted(worth.text, part), len(worth.text) - 1)
    at = np.where(worth.text[at] == part, at, -1)
    lists: dict[tuple[int, int], dict[int, tuple[int, int]]] = defaultdict(dict)
    columns = (names.shown_item[places], names.shown_system[places], ranks, part, at)
    for item, system, rank, text, judged in zip(*(column.tolist() for column in columns), strict=True):
        # Where criteria are asked apart, an output has a text for each of them, and one of these was judged.
        if rank not in lists[item, system] or judged >= 0:
            lists[item, system][rank] = (text, judged)
    known: dict[int, set[int]] = defaultdict(set)
    has_judged: set[int] = set()
    for (item, system), of_ranks in lists.items():
        judged_here = {judged for _text, judged in of_ranks.values() if judged >= 0}
        known[item] |= judged_here
        if judged_here:
            has_judged.add(system)
    keys = sorted(key for key in lists if known[key[0]] and key[1] in has_judged)
    return _columns(sample, {key: lists[key] for key in keys}, known, worth)


def _columns(
    sample: Sample,
    lists: Mapping[tuple[int, int], Mapping[int, tuple[int, int]]],
    known: Mapping[int, set[int]],
    worth: Worth,
) -> Lists | str:
    """Return lists as arrays; a text that is in a list several times counts once, at its first rank."""
    if not lists:
        return "Nothing was judged."
    depth = max(rank for of_ranks in lists.values() for rank in of_ranks)
    shape = (len(lists), depth)
    relevance, gain, n_answers = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64)
    judged, returned = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    texts = np.full(shape, -1, dtype=np.int64)
    ideal = np.zeros((len(lists), max(len(known[item]) for item, _system in lists)))
    n_repeated = 0
    for row, ((item, _system), of_ranks) in enumerate(lists.items()):
        gains = worth.gain[sorted(known[item])]
        ideal[row, : len(gains)] = gains
        before: set[int] = set()
        for rank, (text, at) in sorted(of_ranks.items()):
            returned[row, rank - 1], judged[row, rank - 1] = True, at >= 0
            if text in before:
                n_repeated += 1
            elif at >= 0:
                relevance[row, rank - 1], gain[row, rank - 1] = worth.relevance[at], worth.gain[at]
                n_answers[row, rank - 1], texts[row, rank - 1] = worth.n_answers[at], text
            before.add(text)
    query = np.array([item for item, _system in lists], dtype=np.int64)
    codes, system = np.unique([system for _item, system in lists], return_inverse=True)
    clusters = clusters_of(sample.table.names, by_document=sample.question.by_document)
    repeated = (
        f"{in_words(n_repeated, 'result stands', 'results stand')} in a list a second time and count as not relevant."
    )
    return Lists(
        system=system.astype(np.int64),
        query=query,
        cluster=clusters[query],
        relevance=relevance,
        gain=gain,
        judged=judged,
        returned=returned,
        n_answers=n_answers,
        known=ideal,
        text=texts,
        answers=worth.answers,
        systems=tuple(sample.table.names.systems[code] for code in codes.tolist()),
        unit=unit_of(sample),
        cluster_of_item=clusters,
        note=joined(worth.note, repeated if n_repeated else None),
    )
