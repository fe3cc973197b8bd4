"""Labels of experts and of the crowd: agreement, and the final labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.labels.shares import ByOutput, shares
from analytics_app.analyses.shared.labels_of_texts import Answers, Decided, Model, by_vote, recoded
from analytics_app.ratings import Floats, Mask
from analytics_app.ratings.extras.experts import Experts
from analytics_app.results import Row
from analytics_app.stats.comparison.wilson import wilson
from tasks_app.studyfile.schema import plain

TIED = "Where experts are tied, the label of the crowd stays."


@dataclass(frozen=True, slots=True)
class Reference:
    """Labels of experts on one criterion, from a task of their own and from groups within this task."""

    label: NDArray[np.int64]
    text: NDArray[np.int64]
    rater: NDArray[np.int64]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, sample: Sample, are_experts: Mask) -> Reference:
        """Return the labels of experts on a criterion; `are_experts` marks the ratings of experts in the sample.

        Where a sample is a part of the ratings, only texts of that part count.
        """
        sent, table = sample.extras[Experts], sample.table
        code = table.names.criterion_code(str(sample.question.criterion))
        of_criterion = sent.criterion == code
        if of_criterion.any():
            of_criterion &= np.isin(sent.part, table.text)
        own = table.where(are_experts & (table.label >= 0))
        words = {sent.labels[code] for code in sent.label[of_criterion].tolist()} | _words(own.label, own.names.labels)
        labels = tuple(sorted(words))
        return cls(
            np.r_[recoded(sent.labels, labels)[sent.label[of_criterion]], recoded(own.names.labels, labels)[own.label]],
            np.r_[sent.part[of_criterion].astype(np.int64), own.text],
            np.r_[sent.rater[of_criterion], own.rater].astype(np.int64),
            labels,
        )

    def decided(self, crowd: Answers) -> Decided | None:
        """Return the majority label of experts for each text; None if they labelled nothing."""
        if not len(self.label):
            return None
        label = recoded(self.labels, crowd.options)[self.label]
        none = np.zeros(len(label), dtype=np.int64)
        return by_vote(Answers.made(label, self.text, self.rater, none, crowd.options, several=crowd.several))


def _words(codes: NDArray[Any], labels: tuple[str, ...]) -> set[str]:
    return {labels[code] for code in np.unique(codes).tolist()}


def expert_rows(
    make: Rows, voted: Decided, model: Model | str, experts: Decided | None, threshold: float
) -> Iterator[Row]:
    """Yield the agreement of crowd and experts, and the final labels: those of experts if there are any."""
    if experts is None:
        return
    crowd = model.decided if isinstance(model, Model) else voted
    place = _places(crowd.texts, experts)
    n, known = len(crowd.texts), place >= 0
    judged = known & experts.clear[np.maximum(place, 0)]
    coverage = wilson(int(known.sum()), n, confidence=make.sample.common.confidence)
    yield make.row("expert_texts", value=coverage.value, n_items=int(known.sum()), note=_ties(known & ~judged))
    pairs = [("expert_majority_agreement", voted)]
    if isinstance(model, Model):
        pairs.insert(0, ("expert_agreement", model.decided))
    for statistic, decided in pairs:
        yield _agreement(make, statistic, decided, experts)
    yes = np.where(judged[:, np.newaxis], experts.yes[np.maximum(place, 0)], crowd.yes)
    yield from _final(make, replace(crowd, yes=yes))
    if isinstance(model, Model):
        # The confidence of a label by experts is the agreement among them.
        sure = np.where(judged, experts.confidence[np.maximum(place, 0)], crowd.confidence)
        n_left = int(((crowd.confidence < threshold) & ~judged).sum())
        yield make.row("final_confidence", value=float(sure.mean()), n_items=n)
        yield make.row("low_confidence_left", value=float(n_left), n_items=n, settings={"threshold": plain(threshold)})


def _places(texts: NDArray[np.int64], experts: Decided) -> NDArray[np.intp]:
    """Return the place of each text among the texts of the experts, -1 if they did not label it."""
    place = np.minimum(np.searchsorted(experts.texts, texts), len(experts.texts) - 1)
    return np.where(experts.texts[place] == texts, place, -1)


def _agreement(make: Rows, statistic: str, decided: Decided, experts: Decided) -> Row:
    """Return the row with the share of texts on which crowd and experts agree, of those that both labelled."""
    place = _places(decided.texts, experts)
    both = (place >= 0) & decided.clear
    both &= experts.clear[np.maximum(place, 0)]
    same = (decided.yes == experts.yes[np.maximum(place, 0)]).all(axis=1) & both
    agreement = wilson(int(same.sum()), int(both.sum()), confidence=make.sample.common.confidence)
    note = (
        None if agreement.value is not None else "There is no text on which both crowd and experts have a clear label."
    )
    settings = {"interval": "Wilson"}
    return make.row(
        statistic, replace(agreement, n_ratings=None, note=note), n_items=int(both.sum()), settings=settings
    )


def _final(make: Rows, final: Decided) -> Iterator[Row]:
    clear = final.clear
    values: Floats = np.nan_to_num(final.yes)
    outputs = ByOutput.of(make.sample, final.texts).where(clear)
    for k, option in enumerate(final.options):
        if clear.any():
            share = float(values[clear, k].mean())
            yield make.row("final_prevalence", value=share, label=option, n_items=int(clear.sum()))
    yield from shares(make, "final_share", values, outputs, final.options)


def _ties(tied: Mask) -> str | None:
    return TIED if tied.any() else None
