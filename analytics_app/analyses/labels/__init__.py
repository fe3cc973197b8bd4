"""Labels: shares by system, majority labels, the most likely label of each text, and labels of experts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, in_words
from analytics_app.analyses.labels.experts import Reference, expert_rows
from analytics_app.analyses.labels.raters import rater_rows
from analytics_app.analyses.labels.shares import (
    SEVERAL,
    ByOutput,
    compared,
    decisions_compared,
    differences,
    further_raters,
    shares,
)
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.labels_of_texts import ITEMS_DIFFER, Answers, Decided, Model, by_model, by_vote
from analytics_app.ratings import Mask, Table
from analytics_app.ratings.extras.experts import Experts
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.comparison.wilson import wilson
from tasks_app.settings.fields import choice_field, naming, number_field
from tasks_app.studyfile.fields import ListField
from tasks_app.studyfile.schema import plain
from tasks_app.task_types.base import Scale

# The most texts that are listed as uncertain, the least certain first, and can be sent to experts after one run.
MOST_TEXTS = 1000
NO_MAJORITY = "No text has a label that more raters chose than any other."
BINS = 10

MODEL, VOTE = "Dawid-Skene", "majority"
ORDERS = (("", _("not asked")), ("first", _("the first is the best")), ("last", _("the last is the best")))


@register
class Labels(FilteredAnalysis):
    """The share of each label among answers, and the joint label of each text.

    `share` counts answers, with intervals over items; unless the plan says otherwise, systems are also compared by a
    mixed model with raters and items both random; `majority_share` counts texts by their majority label; the
    model of Dawid and Skene weighs raters by how they err, and says how likely its label of each text is. Texts whose
    label stays uncertain can be sent to experts, whose labels then come first (`final_share`).
    """

    label = _("Labels")
    summary = _("Shares of labels with tests, majority, the most likely labels by Dawid and Skene, and experts.")
    source = "Dawid and Skene (1979). Maximum likelihood estimation of observer error-rates. JRSS C 28(1), 20-28."
    scales = frozenset({Scale.NOMINAL})
    # For magnitudes, the flags that raters tick.
    task_types = frozenset({"labels", "magnitude"})
    needs = frozenset({Experts, Kinds})
    statistics = {
        "share": _("Share"),
        "distribution": _("Distribution"),
        "share_crossed": _("Share, for further raters and texts"),
        "label_difference": _("Difference of shares"),
        "label_difference_crossed": _("Difference of shares, for further raters and texts"),
        "majority_share": _("Share of texts by majority"),
        "majority_ties": _("Texts without a majority"),
        "mcnemar": _("McNemar's test on the labels of texts"),
        "ds_share": _("Expected share of texts by Dawid and Skene"),
        "ds_prevalence": _("Share of texts by Dawid and Skene"),
        "ds_log_likelihood": _("Log-likelihood of the model"),
        "label_confidence": _("Mean confidence of the labels"),
        "confidence_distribution": _("Share of texts by confidence"),
        "low_confidence_texts": _("Texts whose label is uncertain"),
        "uncertain_text": _("Confidence of a text's label"),
        "rater_accuracy": _("Accuracy of a rater by Dawid and Skene"),
        "rater_sensitivity": _("How often a rater finds a label"),
        "wawa_skill": _("Share of a rater's labels that are the majority's"),
        "not_worse_than_source": _("Texts not worse than their source"),
        "expert_texts": _("Texts that experts labelled"),
        "expert_agreement": _("Crowd and experts agree, by Dawid and Skene"),
        "expert_majority_agreement": _("Crowd and experts agree, by majority"),
        "final_share": _("Share of texts, experts' labels first"),
        "final_prevalence": _("Share of texts, experts' labels first"),
        "final_confidence": _("Mean confidence after the experts"),
        "low_confidence_left": _("Uncertain texts without an expert's label"),
    }

    threshold = number_field(
        _("Labels are uncertain below"),
        _("The probability that the model of Dawid and Skene gives the label of a text."),
        within=(0, 1),
        initial=0.8,
    )
    smoothing = number_field(_("Smoothing of raters' confusion matrices"), within=(1e-9, 10), initial=0.01)
    best = choice_field(
        _("Order of the labels"),
        ORDERS,
        _("Where they have one: texts are then compared with their source, if it is a system."),
        initial="",
        required=False,
    )
    experts = naming(
        ListField(
            label=_("Groups of experts"),
            help_text=_("Groups whose labels are the experts', where they did the same task as the crowd."),
        ),
        "groups",
    )

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "label_difference"}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one criterion."""
        are_experts = _of_groups(sample.table, self.experts)
        crowd = sample.where(~are_experts) if are_experts.any() else sample
        reference = Reference.of(sample, are_experts)
        answers = _answers(crowd, reference.labels)
        make = Rows(self.name, crowd)
        if not len(answers):
            return
        voted = by_vote(answers)
        model = ITEMS_DIFFER if sample.question.items_bring_options else by_model(answers, self.smoothing)
        outputs = ByOutput.of(crowd, answers.text)
        yield from _distribution(make, answers)
        yield from _shares(make, answers, outputs)
        yield from further_raters(make, answers, outputs)
        yield from differences(make, answers, outputs)
        yield from _majority(make, voted)
        decided = model.decided if isinstance(model, Model) else voted
        by = MODEL if isinstance(model, Model) else VOTE
        yield from decisions_compared(make, decided, compared(answers), by)
        yield from _model(make, model, self.threshold)
        yield from rater_rows(make, answers, model)
        yield from _against_source(make, decided, self.best, by)
        for key in sorted(set(self.experts) - set(sample.table.names.groups)):
            yield make.row("expert_texts", label=key, note=f"This study has no group {key}.")
        yield from expert_rows(make, voted, model, reference.decided(answers), self.threshold)


def _of_groups(table: Table, groups: Sequence[str]) -> Mask:
    """Return a mask of the ratings by raters of these groups."""
    codes = [code for code, key in enumerate(table.names.groups) if key in set(groups)]
    if not codes:
        return np.zeros(len(table), dtype=bool)
    mask: Mask = np.isin(table.judgments.group[table.judgment], codes)
    return mask


def _answers(sample: Sample, more: tuple[str, ...]) -> Answers:
    """Return the answers of the crowd; labels that only experts chose are options as well."""
    question = sample.question
    # A follow-up question has one answer, even if the task allows several labels.
    several = bool(question.params.get("multiple")) and bool(question.labels or question.items_bring_options)
    others = sorted(set(more) - set(question.labels))
    return Answers.of(sample.table, (*question.labels, *others), several=several)


def _counts(answers: Answers) -> dict[str, int]:
    return {
        "n_ratings": len(answers),
        "n_items": len(np.unique(answers.text)),
        "n_raters": len(np.unique(answers.rater)),
    }


def _distribution(make: Rows, answers: Answers) -> Iterator[Row]:
    """Yield the share of answers with each option, over all systems."""
    left_out = in_words(answers.left_out, "rarer option is", "rarer options are")
    notes = [SEVERAL] if answers.several else []
    notes += [f"{left_out} left out."] if answers.left_out else []
    for k, option in enumerate(answers.options):
        value = float(answers.chosen[:, k].mean())
        counts: dict[str, Any] = _counts(answers)
        yield make.row("distribution", value=value, label=option, note=" ".join(notes) or None, **counts)


def _shares(make: Rows, answers: Answers, outputs: ByOutput) -> Iterator[Row]:
    raters = answers.rater[outputs.entry]
    n_raters = tuple(len(np.unique(raters[outputs.system == code])) for code in range(len(outputs.systems)))
    note = SEVERAL if answers.several else None
    yield from shares(make, "share", answers.chosen, outputs, answers.options, n_raters=n_raters, note=note)


def _majority(make: Rows, voted: Decided) -> Iterator[Row]:
    """Yield the number of texts with each majority label; ties are counted and not broken."""
    clear = voted.clear
    ties = int((~clear).sum())
    note = None if not ties else f"{in_words(ties, 'text is', 'texts are')} left out: their votes are tied."
    yield make.row("majority_ties", value=float(ties), n_items=len(clear))
    outputs = ByOutput.of(make.sample, voted.texts).where(clear)
    yes = np.nan_to_num(voted.yes)
    yield from shares(make, "majority_share", yes, outputs, voted.options, note=note, undefined=NO_MAJORITY)


def _model(make: Rows, model: Model | str, threshold: float) -> Iterator[Row]:
    """Yield the rows of the model: of all texts, of each system, and of uncertain texts."""
    if isinstance(model, str):
        for statistic in ("label_confidence", "low_confidence_texts"):
            yield make.row(statistic, note=model)
        return
    decided, settings = model.decided, {"threshold": plain(threshold)}
    sure = decided.confidence
    n = len(sure)
    for k, option in enumerate(decided.options):
        yield make.row(
            "ds_prevalence", value=float(decided.chance[:, k].mean()), label=option, n_items=n, note=model.note
        )
    outputs = ByOutput.of(make.sample, decided.texts)
    yield from shares(make, "ds_share", decided.chance, outputs, decided.options)
    if len(model.fits) == 1 and model.fits[0].log_likelihood is not None:
        yield make.row("ds_log_likelihood", value=model.fits[0].log_likelihood, n_items=n)
    yield make.row("label_confidence", value=float(sure.mean()), n_items=n, note=model.note)
    low = sure < threshold
    yield make.row("low_confidence_texts", value=float(low.sum()), n_items=n, settings=settings)
    counts, edges = np.histogram(sure, bins=BINS, range=(0, 1))
    for number in range(int(np.flatnonzero(counts)[0]), BINS):
        label = f"{edges[number]:g} to {edges[number + 1]:g}"
        yield make.row("confidence_distribution", value=float(counts[number] / n), label=label, n_items=n)
    yield from _uncertain(make, decided, np.flatnonzero(low), settings)


def _uncertain(make: Rows, decided: Decided, low: np.ndarray[Any, Any], settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the texts with an uncertain label, the least certain first; they can be sent to experts."""
    sample = make.sample
    left_out = "; ".join(f"system!={sample.table.names.systems[code]}" for code in sorted(sample.without))
    if (sample.slice or "") != left_out or sample.group is not None or sample.wave is not None:
        return
    names, sure = sample.table.names, decided.confidence
    units = names.unit_of_part[decided.texts[low]]
    order = np.lexsort((units, sure[low]))[:MOST_TEXTS]
    for place, unit in zip(low[order].tolist(), units[order].tolist(), strict=True):
        about = f"text={names.units[unit]}"
        yield make.row(
            "uncertain_text",
            value=float(sure[place]),
            label=decided.words(place) or None,
            slice="; ".join(filter(None, (about, sample.slice))),
            by_system=True,
            note=None if decided.clear[place] else "Two labels are as likely.",
            settings=settings,
        )


def _against_source(make: Rows, decided: Decided, best: str, by: str) -> Iterator[Row]:
    """Yield the share of texts of each system with a label that is not worse than that of their source."""
    sources = make.sample.extras[Kinds].sources()
    if not best or not sources or decided.several:
        return
    outputs = ByOutput.of(make.sample, decided.texts)
    rank = np.where(decided.clear, np.nan_to_num(decided.yes).argmax(axis=1), -1).astype(float)
    rank = np.where(rank < 0, np.nan, rank if best == "first" else len(decided.options) - 1 - rank)
    names = make.sample.table.names.systems
    is_source = np.isin([names.index(key) for key in outputs.systems], sorted(sources))[outputs.system]
    of_item = np.full(len(make.sample.table.names.items), np.nan)
    of_item[outputs.item[is_source]] = rank[outputs.entry[is_source]]
    both = ~is_source & ~np.isnan(of_item[outputs.item]) & ~np.isnan(rank[outputs.entry])
    for code, system in enumerate(outputs.systems):
        of_system = both & (outputs.system == code)
        if not of_system.any():
            continue
        good = int((rank[outputs.entry[of_system]] <= of_item[outputs.item[of_system]]).sum())
        share = wilson(good, int(of_system.sum()), confidence=make.sample.common.confidence)
        yield make.row(
            "not_worse_than_source",
            replace(share, n_ratings=None, n_items=int(of_system.sum())),
            system=system,
            settings={"labels": by, "best": best, "interval": "Wilson"},
        )
