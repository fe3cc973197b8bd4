"""Error labels: how often each label was given, by system and by rater, and what raters confuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Asked, Rows, Sample
from analytics_app.analyses.error_labels.raters import confusions, profiles, seconds
from analytics_app.analyses.labels.shares import ByOutput, differences, shares
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.labelled import Answers
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.skips import REASONS, Skips
from analytics_app.results import Row
from analytics_app.stats.comparison.wilson import wilson
from tasks_app.task_types import registry as task_types
from tasks_app.task_types.base import Scale

TYPE = "error_labels"

SEVERAL = "Several raters labelled a text, and answers count as independent: the interval is too narrow."


@register
class ErrorLabels(Analysis):
    """Profiles of errors by system and by rater.

    Intervals of systems are bootstrapped over items; those of raters, and of answers without regard to a system, are
    Wilson's, with each answer as a trial, and say so where several raters labelled a text. `confusion` counts how two
    raters labelled the same texts: for all raters together both orders are counted, for a pair the first label is that
    of the rater named.
    """

    label = _("Error labels")
    summary = _(
        "Counts and shares of labels by system and by rater, answers to follow-up questions, and labels "
        "that raters confuse."
    )
    source = (
        "Ramírez-Sánchez, Bañón, Zaragoza-Bernabeu and Ortiz Rojas (2022). Human evaluation of web-crawled parallel "
        "corpora for machine translation. HumEval."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({TYPE})
    whole_task = True
    needs = frozenset({Skips, Wanted})
    statistics = {
        "share": _("Share"),
        "label_count": _("Answers with this label"),
        "overall_share": _("Share of answers, all systems"),
        "label_difference": _("Difference of shares"),
        "rater_share": _("Share of a rater's answers"),
        "follow_up_share": _("Share of answers to a further question"),
        "flag_share": _("Share of texts that were ticked"),
        "confusion": _("Texts labelled so by two raters"),
        "seconds_median": _("Median seconds per text"),
        "unlabelled_texts": _("Texts without an answer"),
        "skipped_texts": _("Texts that were skipped"),
    }

    def of_pairs(self, sample: Sample, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the leading row of a pair of systems is called."""
        return {"statistic": "label_difference", "criterion": _leading(sample).key}

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the rows of a task."""
        make = Rows(self.name, sample)
        asked = {one.key: one for one in sample.question.asked}
        _error, *others = _declared()
        first = _leading(sample)
        answers = _answers(sample, first)
        if not len(answers):
            return
        yield from _labels(make, answers, first.key)
        yield from profiles(make, answers, first.key)
        yield from confusions(make, answers, first.key)
        for key in others:
            if key in asked:
                yield from _asked_after(make, answers, asked[key])
        for key, one in asked.items():
            if key not in {first.key, *others}:
                yield from _flag(make, one)
        yield from seconds(make, first)
        yield from _left(make, answers, first.key)


def _declared() -> list[str]:
    """Return the criteria that the task type brings along, that of the label first."""
    return [one.criterion for one in task_types[TYPE].outcomes if one.criterion]


def _leading(sample: Sample) -> Asked:
    """Return the criterion of the label."""
    label = _declared()[0]
    return next((one for one in sample.question.asked if one.key == label), sample.question.asked[0])


def _answers(sample: Sample, asked: Asked) -> Answers:
    return Answers.of(sample.table.where(sample.table.criterion == asked.code), asked.labels)


def _labels(make: Rows, answers: Answers, criterion: str) -> Iterator[Row]:
    """Yield count and share of each label, of all texts and of each system, and how systems differ."""
    outputs = ByOutput.of(make.sample, answers.text)
    common, n = make.sample.common, len(answers)
    n_raters, n_items = len(np.unique(answers.rater)), len(np.unique(answers.text))
    for k, option in enumerate(answers.options):
        found = wilson(int(answers.chosen[:, k].sum()), n, confidence=common.confidence)
        yield make.row(
            "overall_share",
            found,
            criterion=criterion,
            label=option,
            n_items=n_items,
            n_raters=n_raters,
            note=SEVERAL if n > n_items else None,
            settings={"interval": "Wilson"},
        )
    raters = answers.rater[outputs.entry]
    of_systems = [len(np.unique(raters[outputs.system == code])) for code in range(len(outputs.systems))]
    values = answers.chosen.astype(float)
    yield from shares(make, "share", values, outputs, answers.options, n_raters=of_systems, criterion=criterion)
    for k, option in enumerate(answers.options):
        counts = np.bincount(outputs.system, weights=values[outputs.entry, k], minlength=len(outputs.systems))
        for system, count in zip(outputs.systems, counts.tolist(), strict=True):
            yield make.row("label_count", value=count, criterion=criterion, system=system, label=option, by_system=True)
    yield from differences(make, answers, outputs, criterion)


def _asked_after(make: Rows, answers: Answers, asked: Asked) -> Iterator[Row]:
    """Yield the answers to what is asked after some labels, for all of these and for each."""
    said = _answers(make.sample, asked)
    if not len(said):
        return
    label_of = _labels_of(answers, said)
    told = sorted({int(code) for code in label_of if code >= 0})
    for after in (None, *told):
        mine = np.ones(len(said), dtype=bool) if after is None else label_of == after
        about = None if after is None else f"after={answers.options[after]}"
        for k, option in enumerate(said.options):
            found = wilson(int(said.chosen[mine, k].sum()), int(mine.sum()), confidence=make.sample.common.confidence)
            yield make.row(
                "follow_up_share",
                found,
                criterion=asked.key,
                label=option,
                slice="; ".join(filter(None, (about, make.sample.slice))) or None,
                note=SEVERAL if _several(said.text[mine]) else None,
                settings={"interval": "Wilson"},
            )


def _several(texts: NDArray[np.int64]) -> bool:
    return len(np.unique(texts)) < len(texts)


def _labels_of(answers: Answers, said: Answers) -> NDArray[np.int64]:
    """Return the label that the rater of each answer gave the same text, -1 where there is none."""
    size = int(max(answers.rater.max(initial=0), said.rater.max(initial=0))) + 1
    known, wanted = answers.text * size + answers.rater, said.text * size + said.rater
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)]
    label: NDArray[np.int64] = np.where(known[place] == wanted, answers.chosen[place].argmax(axis=1), -1)
    return label


def _flag(make: Rows, asked: Asked) -> Iterator[Row]:
    """Yield the share of answers in which something was ticked, of all and of each system."""
    table = make.sample.table
    mine = table.where((table.criterion == asked.code) & ~np.isnan(table.value))
    if not len(mine):
        return
    ticked = mine.value > 0
    found = wilson(int(ticked.sum()), len(mine), confidence=make.sample.common.confidence)
    note = SEVERAL if _several(mine.text) else None
    yield make.row("flag_share", found, criterion=asked.key, note=note, settings={"interval": "Wilson"})
    outputs = ByOutput.of(make.sample, mine.text)
    yield from shares(make, "flag_share", ticked[:, np.newaxis].astype(float), outputs, [None], criterion=asked.key)


def _left(make: Rows, answers: Answers, criterion: str) -> Iterator[Row]:
    """Yield how many texts nobody labelled, and what was skipped and why: of the whole task alone."""
    sample = make.sample
    if sample.slice is not None or sample.group is not None or sample.wave is not None:
        return
    wanted, skips = sample.extras[Wanted].unit, sample.extras[Skips]
    labelled = np.unique(sample.table.names.unit_of_part[answers.text])
    if len(wanted):
        missing = len(np.setdiff1d(wanted, labelled))
        yield make.row("unlabelled_texts", value=float(missing), criterion=criterion, n_items=len(wanted))
    counts = np.bincount(skips.reason, minlength=len(REASONS))
    for reason, count in zip(REASONS, counts.tolist(), strict=True):
        if count:
            yield make.row("skipped_texts", value=float(count), criterion=criterion, label=reason)
