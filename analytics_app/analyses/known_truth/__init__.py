"""Answers with a known truth: the share of right answers, compared with chance."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.known_truth.further import further_raters
from analytics_app.analyses.known_truth.joint import joint_rows
from analytics_app.analyses.known_truth.right import Right, right_answers
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.ratings.extras.own_options import OwnOptions
from analytics_app.results import Row
from analytics_app.stats.comparison.chance import right_by_chance_p
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.values import joined
from tasks_app.settings.fields import LineField, naming
from tasks_app.task_types.base import Scale

# The most cells of the table of answers by true label; with more categories there is no table.
MOST_CELLS = 400


@register
class KnownTruth(FilteredAnalysis):
    """Share of right answers to questions with a known answer for every item, such as the newspaper of a text.

    An answer is right if it is the truth and nothing else. Chance is one over the number of options that were offered,
    "none of these" included; where items bring options of their own, each item has its chance. Intervals and tests are
    over items (documents, where these were shown whole) and, unless the plan says otherwise, with raters and items both
    random; those of raters are over their answers. Beside single answers are
    joint labels, by the majority and by Dawid and Skene: the share of texts whose joint label is the truth.
    """

    label = _("Known truth")
    summary = _("How often raters choose the true label, by system, true label and rater, against chance.")
    source = (
        "De Mattei et al. (2020). Invisible to people but not to machines: evaluation of style-aware headline "
        "generation in absence of reliable human judgment. LREC, 6709-6717. Wilson (1927). Probable inference, the law "
        "of succession, and statistical inference. Journal of the American Statistical Association 22(158), 209-212."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"labels"})
    needs = frozenset({OwnOptions})
    statistics = {
        "right_share": _("Share of right answers"),
        "right_share_crossed": _("Share of right answers, for further raters and texts"),
        "right_against_chance": _("Share of right answers, difference from chance"),
        "right_against_chance_crossed": _("Share of right answers, difference from chance, further raters and texts"),
        "right_difference": _("Difference of shares of right answers"),
        "right_difference_crossed": _("Difference of shares of right answers, for further raters and texts"),
        "right_by_rater": _("Share of right answers of a rater"),
        "answered_share": _("Share of each answer, by true label"),
        "majority_right_share": _("Share of right joint labels, by the majority"),
        "ds_right_share": _("Share of right joint labels, by Dawid and Skene"),
    }

    truth = naming(
        LineField(
            required=False,
            initial="",
            max_length=80,
            label=_("Feature that holds the true label"),
            help_text=_(
                "Such as newspaper for feature_newspaper of the items, or “system” where the true label is the key of "
                "the system. If empty, this analysis is skipped."
            ),
        ),
        "truths",
    )

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems; empty if no truth is named."""
        return {"statistic": "right_difference"} if self.truth else {}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one criterion; none if no truth is named."""
        if not self.truth:
            return
        make = Rows(self.name, sample)
        answers = right_answers(sample, self.truth)
        if isinstance(answers, str):
            yield make.row("right_share", note=answers)
            return
        yield from _shares(make, answers)
        yield from further_raters(make, answers)
        yield from _tests(make, answers)
        yield from _raters(make, answers)
        yield from _answered(make, answers)
        yield from joint_rows(make, answers)


def _shares(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield the share of right answers of all answers, of each system and of each true label."""
    for groups, names, column in (
        (np.zeros(len(answers.right), dtype=np.int64), ("",), ""),
        (answers.system, answers.systems, "system"),
        (answers.category, answers.categories, "label"),
    ):
        drawn = bootstrap(make.sample, f"right by {column or 'all'}", answers.unit)
        counted = answers.once | (column == "system")
        means = group_means(
            answers.right[counted],
            groups[counted],
            answers.cluster[counted],
            n_groups=len(names),
            shares=True,
            **drawn.options,
        )
        for code, (name, mean) in enumerate(zip(names, means, strict=True)):
            of_group = counted & (groups == code)
            yield make.row(
                "right_share",
                mean,
                **({column: name} if column else {}),
                by_system=column == "system" or (column == "label" and answers.is_system),
                n_ratings=int(of_group.sum()),
                n_raters=len(np.unique(answers.rater[of_group])),
                note=joined(mean.note, answers.note if not column else None, interval_note(mean, answers.unit)),
                settings={
                    **drawn.settings,
                    "truth": answers.truth,
                    "chance": answers.mean_chance(of_group),
                    **_own(answers),
                },
            )


def _own(answers: Right) -> dict[str, bool]:
    """Return the setting that marks the chance of a row as a mean over its answers."""
    return {"own_options": True} if answers.own_options else {}


def _tests(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield the tests of all answers and of each system against chance, and of each pair of systems."""
    n = len(answers.systems)
    by_system, items = item_means(answers.right, answers.system, answers.item, n)
    one_group = np.zeros(int(answers.once.sum()), dtype=np.int64)
    means, of_means = item_means(answers.right[answers.once], one_group, answers.item[answers.once], 1)
    together = np.full((len(items), 1), np.nan)
    together[np.searchsorted(items, of_means)] = means
    chance = np.full((len(items), 1), np.nan)
    if answers.chance is not None:
        chance[np.searchsorted(items, answers.item), 0] = answers.chance
    # The columns are the systems, all answers together, and chance.
    matrix = np.hstack((by_system, together, chance))

    def tested(pairs: list[tuple[int, int]], of: str) -> Iterator[Row]:
        clusters = answers.clusters_of(items)
        family = pair_tests(make, matrix, pairs, purpose="right answers", unit=answers.unit, clusters=clusters, of=of)
        for (a, b), test in zip(pairs, family.tests, strict=True):
            names = {"system": answers.systems[a]} if a < n else {}
            names |= {"system_b": answers.systems[b]} if b < n else {}
            chance = answers.mean_chance(answers.once if a == n else answers.system == a)
            yield test.row(
                make,
                "right_difference" if b < n else "right_against_chance",
                **names,
                by_system=bool(names),
                settings={"chance": chance, **_own(answers)},
            )

    alone = [(code, n + 1) for code in range(n)] if n > 1 else []
    if answers.chance is not None:
        yield from tested([(n, n + 1), *alone], "shares against chance of one criterion")
    if pairs := answers.pairs(make.sample):
        yield from tested(pairs, "pairs of one criterion")


def _raters(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield the share of right answers of each rater, with an exact test against chance."""
    names = make.sample.table.names.raters
    for code in np.unique(answers.rater).tolist():
        of_rater = answers.once & (answers.rater == code)
        mine = answers.right[of_rater]
        right = int(mine.sum())
        yield make.row(
            "right_by_rater",
            wilson(right, len(mine), confidence=make.sample.common.confidence),
            rater=names[code],
            n_ratings=len(mine),
            n_raters=1,
            p=right_by_chance_p(right, answers.chance[of_rater]) if answers.chance is not None else None,
            settings={
                "interval": "Wilson",
                "test": f"exact {'Poisson binomial' if answers.own_options else 'binomial'} against chance",
                "chance": answers.mean_chance(of_rater),
                **_own(answers),
            },
        )


def _answered(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield the share of each option among the answers for each true label; labels are "truth: answer"."""
    if len(answers.categories) * len(answers.options) > MOST_CELLS:
        return
    for code, truth in enumerate(answers.categories):
        chosen = answers.chosen[answers.once & (answers.category == code)]
        for place, option in enumerate(answers.options):
            yield make.row(
                "answered_share",
                value=float(chosen[:, place].mean()),
                label=f"{truth}: {option}",
                by_system=answers.is_system,
                n_ratings=len(chosen),
                settings={"truth": truth, "answer": option},
            )
