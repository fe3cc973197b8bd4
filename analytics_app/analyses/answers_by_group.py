"""Answers to a questionnaire by group: one line per question as in the first table of a trial, with a test."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import QuestionCriterion, Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.answer_counts import answer_counts
from analytics_app.analyses.shared.change_tables import family_notes
from analytics_app.analyses.shared.regrouped import GroupsOfRaters
from analytics_app.models import ResultRow
from analytics_app.ratings import Floats, Table
from analytics_app.ratings.extras.rater_attributes import ATTRIBUTE
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.findings import Finding, FindingQuestion, finding_of, listed, sentence, tests_of
from analytics_app.show.formats import df, digits, interval, p, p_adjusted, raters
from analytics_app.show.labels import CORRECTIONS
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Column
from analytics_app.show.table import Table as ShownTable
from analytics_app.stats.comparison.association import association
from analytics_app.stats.comparison.corrections import METHODS, adjust
from analytics_app.stats.comparison.two_groups import difference_of_means, higher_answers
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import choice_field
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.panas import PREFIX

RANKS, NUMBERS, CATEGORIES = "ranks", "numbers", "categories"


@register
class AnswersByGroup(GroupsOfRaters):
    """Counts, medians or means of each question by group, and each two groups tested.

    Categories are compared by chi-squared, or by Fisher's exact test where an expected count is below 5; numbers by
    Welch's t test; steps by the Mann-Whitney test, or as numbers or categories. All tests of a task are one family.
    Words of PANAS are compared as scores, by the analysis of that name, and answers in words not at all. Groups are
    those of the study, or of an attribute of raters, whose own question is left out then.
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
        sample, _groups = self.regrouped(sample)
        own = None if self.attribute is None else self.attribute.attribute.removeprefix(ATTRIBUTE)
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
                if question.scale is Scale.TEXT or question.key.startswith(PREFIX) or question.key == own:
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
    for test, adjusted_p in zip(tests, adjusted, strict=True):
        settings = {**test.settings, **family}
        yield make.row(test.statistic, test.estimate, p_adjusted=adjusted_p, settings=settings, **test.about)
        if test.effect is not None:
            yield make.row(
                f"{test.statistic}_effect",
                test.effect,
                settings={"d": "Hedges's g", "interval": "noncentral t"},
                **test.about,
            )


# The table of answers by group: a line for each answer, a column for each group, and a test of each question.

TESTS = ("group_association", "group_higher", "group_mean_difference")
MIDDLES = ("group_median", "group_mean")


@tables_of("answers_by_group")
def group_tables(rows: StoredRows, limit: float) -> Iterator[ShownTable]:
    """Yield a table of answers for each wave, then the tests with their details."""
    for wave in rows.values("wave", "group_answered"):
        yield _answers(rows, wave, limit)
    yield from _test_table(rows, limit)


def _answers(rows: StoredRows, wave: int | None, limit: float) -> ShownTable:
    """Return the answers of groups in a wave; with two groups, with the test of each question."""
    groups = rows.values("group", "group_answered")
    beside = len(groups) == 2
    lines: list[list[Cell]] = []
    for key in rows.values("label", "group_answered"):
        about: dict[str, Any] = {"label": key, "wave": wave}
        test = next(filter(None, (rows.one(name, **about) for name in TESTS)), None) if beside else None
        tail = [_called(test), p(test), p_adjusted(limit)(test)] if beside else []
        for number, (answer, given) in enumerate(_given(rows, groups, about)):
            shown = tail if not number else [Cell("")] * len(tail)
            lines.append([_question_cell(rows, about), cells.name(answer), *given, *shown])
    heads = [Column(gettext("Question"), number=False), Column(gettext("Answer"), number=False)]
    heads += [Column(str(group)) for group in groups]
    if beside:
        heads += [Column(gettext("Test"), number=False), Column(gettext("p")), Column(gettext("Adjusted p"))]
    caption = gettext("Answers by group") if wave is None else gettext("Answers by group, wave %(n)s") % {"n": wave}
    notes = [
        gettext("Shares are of the people of a group who answered the question."),
        *notes_of(row for row in rows.of("group_answered", "group_share", *MIDDLES, *TESTS) if row.wave == wave),
        *family_notes(rows.of(*TESTS)),
    ]
    return ShownTable(caption, heads, lines, notes)


def _given(
    rows: StoredRows, groups: Sequence[str | None], about: Mapping[str, Any]
) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the name and the cells of each line about a question: one for each answer, or the mean or median."""
    options = dict.fromkeys(
        row.metric for row in rows.of("group_share") if (row.label, row.wave) == (about["label"], about["wave"])
    )
    for option in options:
        shares = [rows.one("group_share", metric=option, group=group, **about) for group in groups]
        yield _option(options, option), list(map(_share, shares))
    if not options:
        has_mean = rows.one("group_mean", **about) is not None
        name = gettext("mean (SD)") if has_mean else gettext("median (quartiles)")
        yield name, [_middle(rows, group, about) for group in groups]


def _test_table(rows: StoredRows, limit: float) -> Iterator[ShownTable]:
    """Yield a table with one line for each question and pair of groups: the test with its figures."""
    lines = rows.of(*TESTS)
    several = len({row.wave for row in lines}) > 1
    by = ("label", "group", "slice", "wave")

    def effect(row: ResultRow | None) -> ResultRow | None:
        return rows.one(f"{row.statistic}_effect", **{name: getattr(row, name) for name in by}) if row else None

    def statistic(row: ResultRow | None) -> Cell:
        settings = (row.settings or {}) if row is not None else {}
        return cells.number(settings.get("t", settings.get("chi2")))

    columns = [
        named(gettext("Question and test"), lambda row: _named(row, several=several)),
        own(gettext("People"), raters),
        own(gettext("Value"), digits(2)),
        own(gettext("Interval"), interval(2)),
        own(gettext("t or χ²"), statistic),
        own(gettext("df"), df),
        own(gettext("p"), p),
        own(gettext("Adjusted p"), p_adjusted(limit)),
        own(gettext("Effect size g"), lambda row: digits(2)(effect(row))),
        own(gettext("Interval of g"), lambda row: interval(2)(effect(row))),
    ]
    values = {
        "group_mean_difference": gettext("Value with Welch's t: difference of means."),
        "group_higher": gettext("Value with Mann-Whitney: probability that an answer of the first group is higher."),
        "group_association": gettext("Value with chi-squared and Fisher's exact test: Cramér's V."),
    }
    notes = [sentence for name, sentence in values.items() if rows.of(name)]
    notes += [*notes_of(lines), *family_notes(lines)]
    yield from table_of(rows, gettext("Tests between groups"), columns, lines, by=by, notes=notes, used_only=True)


def _named(row: ResultRow, *, several: bool) -> str:
    """Return the name of a test: its question, the groups, the wave if there are several, and the test."""
    question = str((row.settings or {}).get("question") or row.label)
    groups = f"{row.group} − {(row.slice or '').removeprefix('against=')}"
    wave = gettext("wave %(n)s") % {"n": row.wave} if several else None
    return f"{question} ({', '.join(filter(None, (groups, wave, _called(row).text)))})"


def _question_cell(rows: StoredRows, about: Mapping[str, Any]) -> Cell:
    row = rows.one("group_answered", **about)
    return cells.name((row.settings or {}).get("question") if row is not None else about["label"])


def _option(options: Collection[str | None], option: str | None) -> str:
    """Return the name of an answer; a box is stored as 0 and 1."""
    if set(options) == {"0", "1"}:
        return gettext("not ticked") if option == "0" else gettext("ticked")
    return str(option)


def _middle(rows: StoredRows, group: str | None, about: Mapping[str, Any]) -> Cell:
    """Return mean and SD of numbers, or median and quartiles of steps."""
    where: dict[str, Any] = {"group": group, **about}
    mean, median = rows.one("group_mean", **where), rows.one("group_median", **where)
    if mean is not None and mean.value is not None:
        sd = digits(2)(rows.one("group_sd", **where))
        return Cell(f"{cells.figure(mean.value, 2)} ({sd.text})", mean.value)
    if median is not None and median.value is not None:
        low, high = (cells.figure(quarter, 1) for quarter in (median.settings or {})["quartiles"])
        return Cell(f"{cells.figure(median.value, 1)} ({low}–{high})", median.value)
    return Cell(DASH)


def _share(row: ResultRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(DASH)
    return Cell(f"{(row.settings or {})['count']} ({cells.percent(row.value).text})", row.value)


def _called(row: ResultRow | None) -> Cell:
    """Return the name of the test of a row in the words of the page."""
    names = {
        "chi-squared": gettext("chi-squared"),
        "Fisher's exact": gettext("Fisher's exact"),
        "Fisher's exact, random tables": gettext("Fisher's exact (random tables)"),
        "Mann-Whitney": gettext("Mann-Whitney"),
        "Welch's t": gettext("Welch's t"),
    }
    test = (row.settings or {}).get("test") if row is not None else None
    return Cell(str(names.get(str(test), DASH)))


# The finding about answers that differ clearly between groups.


@finding_of("answers_by_group", *TESTS, order=40, parts=True)
def answers_by_group(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the questions that pairs of groups answered differently; None without tests."""
    tests = tests_of(rows, *TESTS)
    if not tests:
        return None
    differing: dict[tuple[str, str], list[str]] = {}
    for row in question.clear(tests):
        pair = ((row.slice or "").removeprefix("against="), row.group or "")
        differing.setdefault(pair, []).append(_question(row))
    if not differing:
        n = len({_question(row) for row in tests})
        text = ngettext(
            "No clear difference between groups in the answers to %(n)d question",
            "No clear difference between groups in the answers to %(n)d questions",
            n,
        )
        return Finding(text % {"n": n})
    return Finding(
        sentence(
            "; ".join(
                gettext("%(first)s and %(second)s answered %(questions)s differently")
                % {"first": first, "second": second, "questions": listed(list(dict.fromkeys(questions)))}
                for (first, second), questions in differing.items()
            )
        )
    )


def _question(row: ResultRow) -> str:
    return f"“{(row.settings or {}).get('question') or row.label}”"
