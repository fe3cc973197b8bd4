"""Answers to a questionnaire by group: one line per question as in the first table of a trial, with a test."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, QuestionCriterion, Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.answer_counts import answer_counts
from analytics_app.ratings import Floats, Table
from analytics_app.results import Row
from analytics_app.show.labels import CORRECTIONS
from analytics_app.stats.comparison.corrections import METHODS, adjust
from analytics_app.stats.comparison.two_groups import association, difference_of_means, higher_answers
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import choice_field
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.panas import PREFIX

RANKS, NUMBERS, CATEGORIES = "ranks", "numbers", "categories"


@register
class AnswersByGroup(Analysis):
    """Counts, medians or means of each question by group, and each two groups tested.

    Categories are compared by chi-squared, or by Fisher's exact test where an expected count is below 5; numbers by
    Welch's t test; steps by the Mann-Whitney test, or as numbers or categories. All tests of a task are one family.
    Words of PANAS are compared as scores, by the analysis of that name, and answers in words not at all.
    """

    label = _("Answers by group")
    summary = _("Compares groups' answers to a questionnaire, for example age and gender at the start.")
    source = (
        "Balloccu and Reiter (2022). Beyond calories: evaluating how tailored communication reduces emotional load in "
        "diet-coaching. HumEval."
    )
    scales = frozenset({Scale.ORDINAL, Scale.NOMINAL, Scale.INTERVAL})
    task_types = frozenset({"questionnaire"})
    whole_task = True
    splits = False
    leads = False
    statistics = {
        "group_answered": _("People of a group who answered"),
        "group_share": _("Share of an answer in a group"),
        "group_median": _("Median of a group"),
        "group_mean": _("Mean of a group"),
        "group_sd": _("SD of a group"),
        "group_association": _("Difference between groups in categories, Cramér's V"),
        "group_higher": _("Probability that an answer of the group is higher"),
        "group_mean_difference": _("Difference between the means of groups"),
        "group_mean_difference_effect": _("Effect size of a difference of means, g"),
    }

    steps_as = choice_field(
        _("Comparison of scale answers"),
        [
            (RANKS, _("ranks: Mann-Whitney test")),
            (NUMBERS, _("numbers: Welch's t test")),
            (CATEGORIES, _("categories: chi-squared")),
        ],
        initial=RANKS,
    )
    family = choice_field(
        _("Correction for several tests"), [(method, CORRECTIONS[method]) for method in METHODS], initial="holm"
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the answers of each group to each question in each wave, then the tests of every two groups."""
        table = sample.table
        group, wave = table.judgments.group[table.judgment], table.judgments.wave[table.judgment]
        groups = [int(code) for code in np.unique(group[group >= 0])]
        if len(groups) < 2:
            return
        waves = [int(number) for number in np.unique(wave)]
        make, tests = Rows(self.name, sample), []
        for number in waves:
            shown_wave = number if len(waves) > 1 else None
            for question in sample.question.criteria:
                if question.scale is Scale.TEXT or question.key.startswith(PREFIX):
                    continue
                about = (table.criterion == question.code) & (wave == number)
                answers = {code: table.where(about & (group == code)) for code in groups}
                kind = _kind(question, self.steps_as)
                for code, group_answers in answers.items():
                    yield from _described(make, _Comparison(question, kind, shown_wave), code, group_answers)
                tests += list(_tests(make, _Comparison(question, kind, shown_wave), answers))
        yield from _corrected(make, tests, self.family)


def _kind(question: QuestionCriterion, steps_as: str) -> str:
    """Return the way in which the answers to a question are compared."""
    fixed = {Scale.NOMINAL: CATEGORIES, Scale.INTERVAL: NUMBERS}
    return fixed.get(question.scale, steps_as)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A question in a wave, and the way in which its answers are compared."""

    question: QuestionCriterion
    kind: str
    wave: int | None


@dataclass(frozen=True, slots=True)
class _Test:
    """A test before it is corrected, with its effect size where that is not its value."""

    statistic: str
    about: Mapping[str, Any]
    estimate: Estimate
    settings: Mapping[str, Any]
    effect: Estimate | None = None


def _values(answers: Table) -> Floats:
    return answers.value[~np.isnan(answers.value)]


def _described(make: Rows, comparison: _Comparison, group: int, answers: Table) -> Iterator[Row]:
    """Yield the number of raters of a group who answered a question, and shares, or a median, or mean and SD."""
    question = comparison.question
    about: dict[str, Any] = {
        "label": question.key,
        "group": answers.names.groups[group],
        "wave": comparison.wave,
        "n_raters": answers.n_raters,
        "settings": {"question": question.name},
    }
    yield make.row("group_answered", value=float(answers.n_raters), **about)
    if comparison.kind == CATEGORIES:
        options, counts = answer_counts(question, answers)
        total = sum(counts)
        for option, count in zip(options, counts, strict=True):
            settings = {**about["settings"], "count": count}
            none = None if total else "Nobody of this group answered."
            share = count / total if total else None
            yield make.row("group_share", value=share, metric=option, note=none, **{**about, "settings": settings})
        return
    values = _values(answers)
    none = None if len(values) else "Nobody of this group answered."
    if comparison.kind == RANKS:
        middle = float(np.median(values)) if len(values) else None
        quarters = np.quantile(values, (0.25, 0.75)).tolist() if len(values) else None
        settings = {**about["settings"], "quartiles": quarters}
        yield make.row("group_median", value=middle, note=none, **{**about, "settings": settings})
        return
    yield make.row("group_mean", value=float(values.mean()) if len(values) else None, note=none, **about)
    few = None if len(values) > 1 else "Fewer than two answers have no spread."
    yield make.row("group_sd", value=None if few else float(values.std(ddof=1)), note=few, **about)


def _tests(make: Rows, comparison: _Comparison, answers: Mapping[int, Table]) -> Iterator[_Test]:
    """Yield a test of every two groups, the later group of the study against the earlier one."""
    names, common = make.sample.table.names.groups, make.sample.common
    question = comparison.question
    for low, high in combinations(answers, 2):
        about = {
            "label": question.key,
            "group": names[high],
            "slice": f"against={names[low]}",
            "wave": comparison.wave,
        }
        settings: dict[str, Any] = {"question": question.name, "difference": f"{names[high]} minus {names[low]}"}
        if comparison.kind == CATEGORIES:
            counts = [answer_counts(question, answers[code]) for code in (low, high)]
            options = sorted({option for chosen, _counts in counts for option in chosen})
            rows = [[dict(zip(*counted, strict=True)).get(option, 0) for option in options] for counted in counts]
            rng = make.sample.rng(f"{question.key}/{names[low]}/{names[high]}/{comparison.wave or ''}")
            test = association(rows, n_permutations=common.n_permutations, rng=rng)
            chi2 = {} if test.chi2 is None else {"chi2": test.chi2}
            yield _Test("group_association", about, test.estimate, {**settings, "test": test.test, **chi2})
        elif comparison.kind == RANKS:
            estimate = higher_answers(_values(answers[high]), _values(answers[low]))
            yield _Test("group_higher", about, estimate, {**settings, "test": "Mann-Whitney"})
        else:
            means = difference_of_means(_values(answers[high]), _values(answers[low]), confidence=common.confidence)
            t = {} if means.t is None else {"t": means.t}
            settings = {**settings, "test": "Welch's t", **t, "interval": "Student's t"}
            yield _Test("group_mean_difference", about, means.estimate, settings, means.effect)


def _corrected(make: Rows, tests: list[_Test], method: str) -> Iterator[Row]:
    """Yield the rows of the tests, with p adjusted over all of them."""
    adjusted = adjust([test.estimate.p for test in tests], method)
    size = sum(test.estimate.p is not None for test in tests)
    family = {"correction": method, "family": in_words(size, "test", "tests")}
    for test, p in zip(tests, adjusted, strict=True):
        yield make.row(test.statistic, test.estimate, p_adjusted=p, settings={**test.settings, **family}, **test.about)
        if test.effect is not None:
            yield make.row(
                f"{test.statistic}_effect",
                test.effect,
                settings={"d": "Hedges's g", "interval": "noncentral t"},
                **test.about,
            )
