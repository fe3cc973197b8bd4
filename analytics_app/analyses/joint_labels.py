"""Joint scores: the share of texts that are good on all criteria at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Asked, Filters, Rows, Sample, in_words
from analytics_app.analyses.labels.shares import ByOutput, dependent, one_an_item, shares
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.labelled import Answers, Decided, Model, by_model, by_vote
from analytics_app.ratings import Floats, Names
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.mcnemar import mcnemar
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

MODEL, VOTE = "dawid_skene", "majority"


class GoodField(ListField):
    """What counts as good: "criterion=label", one for each label that does."""

    def clean(self, value: Any) -> Any:
        """Refuse what is no criterion and label."""
        given = super().clean(value)
        for one in given:
            criterion, sign, label = str(one).partition("=")
            if not (criterion.strip() and sign and label.strip()):
                raise ValidationError(_now("Write criterion=label, such as tone=Yes."), code="no_label")
        return given


@register
class JointLabels(Analysis):
    """Texts whose label is a good one on every criterion, as a share of the texts that have a label on all of them.

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

    class Settings(Filters):
        good = GoodField(
            label=_("Good labels"),
            help_text=_("As criterion=label, such as tone=Yes, message=Yes. Without them there is no joint score."),
        )
        aggregate = forms.ChoiceField(
            choices=((MODEL, _("the most likely one (Dawid and Skene)")), (VOTE, _("that of the majority"))),
            initial=MODEL,
            label=_("Label of a text"),
        )

    def of_pairs(self, sample: Sample, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the leading row of a pair of systems is called; empty without a joint score."""
        return {"statistic": "joint_difference"} if settings["good"] else {}

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the rows of a task; none where nothing is said to be good."""
        wanted = good_labels(settings["good"])
        if not wanted:
            return
        make = Rows(self.name, sample)
        asked = {one.key: one for one in sample.question.asked}
        if unknown := [key for key in wanted if key not in asked]:
            yield make.row("joint_share", note=f"This task does not ask {', '.join(unknown)}.")
            return
        decided = {key: _of_criterion(sample, asked[key], settings["aggregate"]) for key in wanted}
        if nowhere := list(_nowhere(wanted, decided)):
            yield make.row("joint_share", note=f"No label that is offered, or that anybody gave: {', '.join(nowhere)}.")
            return
        found = [_good(decided[key], labels) for key, labels in wanted.items()]
        texts, good = joint(sample.table.names, found)
        said = {"good": list(settings["good"]), "labels": settings["aggregate"]}
        if not len(texts):
            yield make.row("joint_share", note="No text has a clear label on all of these criteria.", settings=said)
            return
        left = _n_texts(sample.table.names, [labelled for labelled, _good_ones in found]) - len(texts)
        yield from _rows(make, texts, good, left, said)


def good_labels(given: Sequence[str]) -> dict[str, set[str]]:
    """Return the good labels of each criterion."""
    wanted: dict[str, set[str]] = {}
    for one in given:
        criterion, _sign, label = one.partition("=")
        wanted.setdefault(criterion.strip(), set()).add(label.strip())
    return wanted


def _of_criterion(sample: Sample, asked: Asked, aggregate: str) -> Decided:
    several = bool(sample.question.params.get("multiple"))
    answers = Answers.of(sample.table.where(sample.table.criterion == asked.code), asked.labels, several=several)
    return _decided(answers, aggregate)


def _nowhere(wanted: Mapping[str, set[str]], decided: Mapping[str, Decided]) -> Iterator[str]:
    """Yield the good labels that no text can have: a slip of the pen would make every text a bad one."""
    for key, labels in wanted.items():
        if decided[key].options:
            yield from (f"{key}={label}" for label in sorted(labels - set(decided[key].options)))


def _good(decided: Decided, labels: set[str]) -> tuple[NDArray[np.int64], Floats]:
    """Return the labelled texts of a criterion, and whether their label is a good one: NaN where none is clear."""
    columns = [k for k, option in enumerate(decided.options) if option in labels]
    good = np.where(decided.clear, (decided.yes[:, columns] == 1).any(axis=1), np.nan)
    return decided.texts, good


def _decided(answers: Answers, aggregate: str) -> Decided:
    model = by_model(answers, 0.01) if aggregate == MODEL and len(answers) else ""
    return model.decided if isinstance(model, Model) else by_vote(answers)


def joint(names: Names, found: Sequence[tuple[NDArray[np.int64], Floats]]) -> tuple[NDArray[np.int64], Floats]:
    """Return the texts that have a clear label on all criteria, and whether they are good on all of them.

    Where criteria are asked apart, a text has a screen for each: they are the same text where they show the same.
    """
    texts, good = found[0]
    for others, theirs in found[1:]:
        same, their = texts, others
        if not np.isin(texts, others).any():
            same, their = as_shown(names, texts), as_shown(names, others)
        _shared, mine, other = np.intersect1d(same, their, return_indices=True)
        texts, good = texts[mine], good[mine] * theirs[other]
    clear = ~np.isnan(good)
    return texts[clear], good[clear]


def _n_texts(names: Names, labelled: Sequence[NDArray[np.int64]]) -> int:
    """Return how many texts were labelled on any of the criteria, those that were asked apart counted once."""
    apart = any(not np.isin(labelled[0], others).any() for others in labelled[1:])
    keys = [as_shown(names, texts) if apart else texts for texts in labelled]
    return len(np.unique(np.concatenate(keys)))


def as_shown(names: Names, texts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for what each text shows: its first output, and which of the texts with that output it is."""
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


def _rows(make: Rows, texts: NDArray[np.int64], good: Floats, left: int, said: Mapping[str, Any]) -> Iterator[Row]:
    sample, common = make.sample, make.sample.common
    yield make.row("joint_share", value=float(good.mean()), n_items=len(texts), settings=said)
    outputs = ByOutput.of(sample, texts)
    note = f"{in_words(left, 'text has', 'texts have')} no clear label on all criteria." if left else None
    yield from shares(make, "joint_share", good[:, np.newaxis], outputs, [None], note=note)
    pairs = outputs.pairs(common.pairs)
    matrix = one_an_item(good, outputs)
    tests = [mcnemar(matrix[:, a], matrix[:, b]) for a, b in pairs]
    adjusted = adjust([one.p for one in tests], common.correction)
    family = {"test": "exact", "correction": common.correction, "family": f"{len(pairs)} pairs", **said}
    for (a, b), one, p in zip(pairs, tests, adjusted, strict=True):
        yield make.row(
            "joint_difference",
            one,
            system=outputs.systems[a],
            system_b=outputs.systems[b],
            p_adjusted=p,
            note=dependent(one, outputs),
            by_system=True,
            settings=family,
        )
