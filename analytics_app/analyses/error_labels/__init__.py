"""Error labels: the frequency of each label by system and by rater, and the labels that raters confuse."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import QuestionCriterion, Rows, Sample
from analytics_app.analyses.error_labels.raters import confusions, profiles, seconds
from analytics_app.analyses.labels.shares import ByOutput, answered_of, differences, further_raters, shares
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.crossed_shares import Columns, crossed_columns
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.labels_of_texts import Answers
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.skips import REASONS, Skips
from analytics_app.results import Row
from analytics_app.stats.comparison.wilson import wilson
from tasks_app.task_types import registry as task_types
from tasks_app.task_types.base import Scale

TYPE = "error_labels"

SEVERAL = "Several raters labelled a text, and answers count as independent: the interval is too narrow."


@register
class ErrorLabels(FilteredAnalysis):
    """Profiles of errors by system and by rater.

    Intervals of systems are bootstrapped over items, and beside them, unless the plan says otherwise, by a mixed model
    with raters and items both random; those of raters, and of answers without regard to a system, are
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
        "share_crossed": _("Share, for further raters and texts"),
        "label_difference": _("Difference of shares"),
        "label_difference_crossed": _("Difference of shares, for further raters and texts"),
        "rater_share": _("Share of a rater's answers"),
        "follow_up_share": _("Share of answers to a further question"),
        "flag_share": _("Share of texts that were ticked"),
        "flag_share_crossed": _("Share of texts that were ticked, for further raters and texts"),
        "confusion": _("Texts labelled so by two raters"),
        "seconds_median": _("Median seconds per text"),
        "unlabelled_texts": _("Texts without an answer"),
        "skipped_texts": _("Texts that were skipped"),
    }

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "label_difference", "criterion": _leading(sample).key}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of a task."""
        make = Rows(self.name, sample)
        criteria = {criterion.key: criterion for criterion in sample.question.criteria}
        _error, *others = _declared()
        first = _leading(sample)
        answers = _answers(sample, first)
        if not len(answers):
            return
        yield from _labels(make, answers, first.key)
        yield from profiles(make, answers, first.key)
        yield from confusions(make, answers, first.key)
        for key in others:
            if key in criteria:
                yield from _follow_ups(make, answers, criteria[key])
        for key, criterion in criteria.items():
            if key not in {first.key, *others}:
                yield from _flag(make, criterion)
        yield from seconds(make, first)
        yield from _left(make, answers, first.key)


def _declared() -> list[str]:
    """Return the criteria that the task type declares, that of the label first."""
    return [outcome.criterion for outcome in task_types[TYPE].outcomes if outcome.criterion]


def _leading(sample: Sample) -> QuestionCriterion:
    """Return the criterion of the label."""
    label = _declared()[0]
    return next(
        (criterion for criterion in sample.question.criteria if criterion.key == label), sample.question.criteria[0]
    )


def _answers(sample: Sample, criterion: QuestionCriterion) -> Answers:
    return Answers.of(sample.table.where(sample.table.criterion == criterion.code), criterion.labels)


def _labels(make: Rows, answers: Answers, criterion: str) -> Iterator[Row]:
    """Yield count and share of each label, of all texts and of each system, and the differences between systems."""
    outputs = ByOutput.of(make.sample, answers.text)
    common, n = make.sample.common, len(answers)
    n_raters, n_items = len(np.unique(answers.rater)), len(np.unique(answers.text))
    for k, option in enumerate(answers.options):
        estimate = wilson(int(answers.chosen[:, k].sum()), n, confidence=common.confidence)
        yield make.row(
            "overall_share",
            estimate,
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
            yield make.row("label_count", value=count, criterion=criterion, system=system, label=option)
    yield from further_raters(make, answers, outputs, criterion)
    yield from differences(make, answers, outputs, criterion)


def _follow_ups(make: Rows, answers: Answers, criterion: QuestionCriterion) -> Iterator[Row]:
    """Yield the answers to a follow-up question, for all labels that it follows and for each."""
    follow_ups = _answers(make.sample, criterion)
    if not len(follow_ups):
        return
    label_of = _labels_of(answers, follow_ups)
    codes = sorted({int(code) for code in label_of if code >= 0})
    for after in (None, *codes):
        under_label = np.ones(len(follow_ups), dtype=bool) if after is None else label_of == after
        about = None if after is None else f"after={answers.options[after]}"
        for k, option in enumerate(follow_ups.options):
            share = wilson(
                int(follow_ups.chosen[under_label, k].sum()),
                int(under_label.sum()),
                confidence=make.sample.common.confidence,
            )
            yield make.row(
                "follow_up_share",
                share,
                criterion=criterion.key,
                label=option,
                slice="; ".join(filter(None, (about, make.sample.slice))) or None,
                note=SEVERAL if _several(follow_ups.text[under_label]) else None,
                settings={"interval": "Wilson"},
            )


def _several(texts: NDArray[np.int64]) -> bool:
    return len(np.unique(texts)) < len(texts)


def _labels_of(answers: Answers, follow_ups: Answers) -> NDArray[np.int64]:
    """Return for each follow-up the label that its rater gave the same text, -1 if none."""
    size = int(max(answers.rater.max(initial=0), follow_ups.rater.max(initial=0))) + 1
    known, keys = answers.text * size + answers.rater, follow_ups.text * size + follow_ups.rater
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known[order], keys), len(known) - 1)]
    label: NDArray[np.int64] = np.where(known[place] == keys, answers.chosen[place].argmax(axis=1), -1)
    return label


def _flag(make: Rows, criterion: QuestionCriterion) -> Iterator[Row]:
    """Yield the share of answers that ticked a flag, of all answers and of each system."""
    table = make.sample.table
    ratings = table.where((table.criterion == criterion.code) & ~np.isnan(table.value))
    if not len(ratings):
        return
    ticked = ratings.value > 0
    share = wilson(int(ticked.sum()), len(ratings), confidence=make.sample.common.confidence)
    note = SEVERAL if _several(ratings.text) else None
    yield make.row("flag_share", share, criterion=criterion.key, note=note, settings={"interval": "Wilson"})
    outputs = ByOutput.of(make.sample, ratings.text)
    yield from shares(make, "flag_share", ticked[:, np.newaxis].astype(float), outputs, [None], criterion=criterion.key)
    if make.sample.common.generalise_to == "raters_and_texts":
        answered = answered_of(outputs, ticked[:, np.newaxis], ratings.rater)
        columns = Columns("flag_share_crossed", "flag_share_crossed", [None], "flags", criterion=criterion.key)
        # Flags are not compared between systems: their tests would be a family of their own beside that of labels.
        yield from crossed_columns(make, answered, columns, [])


def _left(make: Rows, answers: Answers, criterion: str) -> Iterator[Row]:
    """Yield the number of unlabelled texts, and of skipped texts by reason, for the whole task only."""
    sample = make.sample
    if sample.slice is not None or sample.group is not None or sample.wave is not None:
        return
    units, skips = sample.extras[Wanted].unit, sample.extras[Skips]
    labelled = np.unique(sample.table.names.unit_of_part[answers.text])
    if len(units):
        missing = len(np.setdiff1d(units, labelled))
        yield make.row("unlabelled_texts", value=float(missing), criterion=criterion, n_items=len(units))
    counts = np.bincount(skips.reason, minlength=len(REASONS))
    for reason, count in zip(REASONS, counts.tolist(), strict=True):
        if count:
            yield make.row("skipped_texts", value=float(count), criterion=criterion, label=reason)
