"""Joint scores: the share of texts that are jointly good: their labels are good on all criteria of a task."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import QuestionCriterion, Rows, Sample, in_words
from analytics_app.analyses.labels.shares import ByOutput, dependent, one_an_item, shares, tested_exactly
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.labels_of_texts import Answers, Decided, Model, by_model, by_vote
from analytics_app.ratings import Floats, Names
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.values import joined
from tasks_app.settings.fields import choice_field
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

MODEL, VOTE = "dawid_skene", "majority"
NO_RATERS = (
    "A joint label has no raters of its own, so this test holds for further texts, labelled by these raters. Shares of "
    "single labels are compared for further raters too."
)


class GoodField(ListField):
    """The good labels: a list of "criterion=label"."""

    def clean(self, value: Any) -> Any:
        """Refuse entries that are not of the form criterion=label."""
        entries = super().clean(value)
        for entry in entries:
            criterion, sign, label = str(entry).partition("=")
            if not (criterion.strip() and sign and label.strip()):
                raise ValidationError(_now("Write criterion=label, such as tone=Yes."), code="no_label")
        return entries


@register
class JointLabels(FilteredAnalysis):
    """Texts with a good label on every criterion, as a share of the texts that have a label on all of them.

    The label of a text is the most likely one by Dawid and Skene, or that of the majority. It says more than the
    shares of single criteria: a text that keeps the meaning because nothing was changed is not good.
    """

    label = _("Joint scores of labels")
    summary = _("The share of texts that are good on all criteria at once, with tests between systems.")
    source = (
        "Logacheva et al. (2022). A study on manual and automatic evaluation for text style transfer: the case of "
        "detoxification. HumEval."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"labels"})
    whole_task = True
    statistics = {
        "joint_share": _("Share of texts that are good on all criteria"),
        "joint_difference": _("McNemar's test on texts that are good on all criteria"),
    }

    good = GoodField(
        label=_("Good labels"),
        help_text=_("As criterion=label, such as tone=Yes, message=Yes. Without them there is no joint score."),
    )
    aggregate = choice_field(
        _("Label of a text"),
        ((MODEL, _("the most likely one (Dawid and Skene)")), (VOTE, _("that of the majority"))),
        initial=MODEL,
    )

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems; empty without a joint score."""
        return {"statistic": "joint_difference"} if self.good else {}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of a task; none if the settings name no good labels."""
        good_by_key = good_labels(self.good)
        if not good_by_key:
            return
        make = Rows(self.name, sample)
        criteria = {criterion.key: criterion for criterion in sample.question.criteria}
        if unknown := [key for key in good_by_key if key not in criteria]:
            yield make.row("joint_share", note=f"This task does not ask {', '.join(unknown)}.")
            return
        decided = {key: _labels_on(sample, criteria[key], self.aggregate) for key in good_by_key}
        if nowhere := list(_nowhere(good_by_key, decided)):
            yield make.row("joint_share", note=f"No label that is offered, or that anybody gave: {', '.join(nowhere)}.")
            return
        by_criterion = [_good(decided[key], labels) for key, labels in good_by_key.items()]
        texts, good = joint(sample.table.names, by_criterion)
        row_settings = {"good": list(self.good), "labels": self.aggregate}
        if not len(texts):
            yield make.row(
                "joint_share", note="No text has a clear label on all of these criteria.", settings=row_settings
            )
            return
        n_unclear = _n_texts(sample.table.names, [labelled for labelled, _good_ones in by_criterion]) - len(texts)
        yield from _rows(make, texts, good, n_unclear, row_settings)


def good_labels(entries: Sequence[str]) -> dict[str, set[str]]:
    """Return the good labels of each criterion."""
    good: dict[str, set[str]] = {}
    for entry in entries:
        criterion, _sign, label = entry.partition("=")
        good.setdefault(criterion.strip(), set()).add(label.strip())
    return good


def _labels_on(sample: Sample, criterion: QuestionCriterion, aggregate: str) -> Decided:
    several = bool(sample.question.params.get("multiple"))
    answers = Answers.of(
        sample.table.where(sample.table.criterion == criterion.code), criterion.labels, several=several
    )
    return _by_aggregate(answers, aggregate)


def _nowhere(good: Mapping[str, set[str]], decided: Mapping[str, Decided]) -> Iterator[str]:
    """Yield the good labels that no text can have: because of a typing error every text would be a bad one."""
    for key, labels in good.items():
        if decided[key].options:
            yield from (f"{key}={label}" for label in sorted(labels - set(decided[key].options)))


def _good(decided: Decided, labels: set[str]) -> tuple[NDArray[np.int64], Floats]:
    """Return the labelled texts of a criterion, and whether their label is good (NaN if no label is clear)."""
    columns = [k for k, option in enumerate(decided.options) if option in labels]
    good = np.where(decided.clear, (decided.yes[:, columns] == 1).any(axis=1), np.nan)
    return decided.texts, good


def _by_aggregate(answers: Answers, aggregate: str) -> Decided:
    """Return the labels of one criterion by the aggregate of the joint score; by vote where the model is undefined."""
    model = by_model(answers, 0.01) if aggregate == MODEL and len(answers) else ""
    return model.decided if isinstance(model, Model) else by_vote(answers)


def joint(names: Names, by_criterion: Sequence[tuple[NDArray[np.int64], Floats]]) -> tuple[NDArray[np.int64], Floats]:
    """Return the texts that have a clear label on all criteria, and whether they are good on all of them.

    If criteria are asked on separate screens, a text has several units; units that show the same text are matched.
    """
    texts, good = by_criterion[0]
    for others, theirs in by_criterion[1:]:
        same, their = texts, others
        if not np.isin(texts, others).any():
            same, their = as_shown(names, texts), as_shown(names, others)
        _shared, mine, other = np.intersect1d(same, their, return_indices=True)
        texts, good = texts[mine], good[mine] * theirs[other]
    clear = ~np.isnan(good)
    return texts[clear], good[clear]


def _n_texts(names: Names, labelled: Sequence[NDArray[np.int64]]) -> int:
    """Return the number of texts labelled on any criterion; a text on several screens counts once."""
    apart = any(not np.isin(labelled[0], others).any() for others in labelled[1:])
    keys = [as_shown(names, texts) if apart else texts for texts in labelled]
    return len(np.unique(np.concatenate(keys)))


def as_shown(names: Names, texts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the content of each text: its first output, and its place among texts with that output."""
    if not len(names.shown_part):
        return texts
    place = np.minimum(np.searchsorted(names.shown_part, texts), len(names.shown_part) - 1)
    output = names.shown_item[place].astype(np.int64) * len(names.systems) + names.shown_system[place]
    keys = np.where(names.shown_part[place] == texts, output, -1)
    order = np.lexsort((texts, keys))
    turn = np.empty(len(texts), dtype=np.int64)
    turn[order] = np.arange(len(texts)) - np.searchsorted(keys[order], keys[order])
    numbers: NDArray[np.int64] = keys * (len(names.part_ids) + 1) + turn
    return numbers


def _rows(
    make: Rows, texts: NDArray[np.int64], good: Floats, n_unclear: int, settings: Mapping[str, Any]
) -> Iterator[Row]:
    sample, common = make.sample, make.sample.common
    yield make.row("joint_share", value=float(good.mean()), n_items=len(texts), settings=settings)
    outputs = ByOutput.of(sample, texts)
    note = f"{in_words(n_unclear, 'text has', 'texts have')} no clear label on all criteria." if n_unclear else None
    yield from shares(make, "joint_share", good[:, np.newaxis], outputs, [None], note=note)
    pairs = outputs.pairs(sample)
    matrix = one_an_item(good, outputs)
    for_further_raters = common.generalise_to == "raters_and_texts" and common.scope_named
    tests = [tested_exactly(common, matrix[:, a], matrix[:, b]) for a, b in pairs]
    adjusted = adjust([test.p for test, _few in tests], common.correction)
    family = {
        "test": "exact",
        "correction": common.correction,
        "family": f"{len(pairs)} pairs",
        **common.scope("items"),
        **settings,
    }
    for (a, b), (test, few), p in zip(pairs, tests, adjusted, strict=True):
        yield make.row(
            "joint_difference",
            test,
            **outputs.names(a, b),
            p_adjusted=p,
            note=joined(dependent(test, outputs), NO_RATERS if for_further_raters else None),
            settings=family | dict(few),
        )
