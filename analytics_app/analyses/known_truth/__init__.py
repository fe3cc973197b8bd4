"""Answers with a known truth: how often raters are right, beside chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Filters, Rows, Sample
from analytics_app.analyses.known_truth.right import Right, right_answers
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.families import family_of, flips
from analytics_app.analyses.shared.outputs import interval_note
from analytics_app.analyses.shared.pairs import chosen_pairs
from analytics_app.ratings.extras.own_options import OwnOptions
from analytics_app.results import Row
from analytics_app.stats.comparison.chance import right_by_chance_p
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means, paired
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.estimate import joined
from tasks_app.task_types.base import Scale

# Cells of the table of what was answered to which truth; with more categories there is none.
MOST_CELLS = 400


@register
class KnownTruth(Analysis):
    """Share of right answers to questions whose answer is known of every item, such as which newspaper a text is from.

    An answer is right if it is the truth and nothing else. Chance is one over the number of options that were offered,
    "none of these" included; where items bring options of their own, each item has its chance. Intervals and tests are
    over items (documents, where these were shown whole), those of raters over their answers.
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
        "right_against_chance": _("Share of right answers minus chance"),
        "right_difference": _("Difference of shares of right answers"),
        "right_by_rater": _("Share of right answers of a rater"),
        "answered_share": _("Share of each answer, by true label"),
    }

    class Settings(Filters):
        truth = forms.CharField(
            required=False,
            initial="",
            max_length=80,
            label=_("Feature that holds the true label"),
            help_text=_(
                "Such as newspaper for feature_newspaper of the items, or “system” where the true label is the key of "
                "the system. If empty, this analysis is skipped."
            ),
        )

    def of_pairs(self, sample: Sample, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the leading row of a pair of systems is called; empty where no truth is named."""
        return {"statistic": "right_difference"} if settings["truth"] else {}

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the rows of one criterion; none where no truth is named."""
        if not settings["truth"]:
            return
        make = Rows(self.name, sample)
        found = right_answers(sample, settings["truth"])
        if isinstance(found, str):
            yield make.row("right_share", note=found)
            return
        yield from _shares(make, found)
        yield from _tests(make, found)
        yield from _raters(make, found)
        yield from _answered(make, found)


def _shares(make: Rows, of: Right) -> Iterator[Row]:
    """Yield the share of right answers in all, of each system and of each true label."""
    for groups, names, column in (
        (np.zeros(len(of.right), dtype=np.int64), ("",), ""),
        (of.system, of.systems, "system"),
        (of.category, of.categories, "label"),
    ):
        drawn = bootstrap(make.sample, f"right by {column or 'all'}", of.unit)
        counted = of.once | (column == "system")
        means = group_means(
            of.right[counted], groups[counted], of.cluster[counted], n_groups=len(names), **drawn.options
        )
        for code, (name, mean) in enumerate(zip(names, means, strict=True)):
            mine = counted & (groups == code)
            yield make.row(
                "right_share",
                mean,
                **({column: name} if column else {}),
                by_system=column == "system" or (column == "label" and of.is_system),
                n_ratings=int(mine.sum()),
                n_raters=len(np.unique(of.rater[mine])),
                note=joined(mean.note, of.note if not column else None, interval_note(mean, of.unit)),
                settings={**drawn.said, "truth": of.truth, "chance": of.mean_chance(mine), **_own(of)},
            )


def _own(of: Right) -> dict[str, bool]:
    """Return the setting that says that the chance of a row is a mean over its answers."""
    return {"own_options": True} if of.own_options else {}


def _tests(make: Rows, of: Right) -> Iterator[Row]:
    """Yield the tests of all answers and of each system against chance, and of each pair of systems."""
    n, common = len(of.systems), make.sample.common
    by_system, items = item_means(of.right, of.system, of.item, n)
    everything = np.zeros(int(of.once.sum()), dtype=np.int64)
    means, of_means = item_means(of.right[of.once], everything, of.item[of.once], 1)
    together = np.full((len(items), 1), np.nan)
    together[np.searchsorted(items, of_means)] = means
    chance = np.full((len(items), 1), np.nan)
    if of.chance is not None:
        chance[np.searchsorted(items, of.item), 0] = of.chance
    # All answers stand beside their systems, and chance in the last column.
    matrix = np.hstack((by_system, together, chance))
    drawn = bootstrap(make.sample, "right answers", of.unit)

    def tested(pairs: list[tuple[int, int]], family: str) -> Iterator[Row]:
        found = paired(
            matrix,
            pairs,
            clusters=of.clusters_of(items),
            n_permutations=flips(common, len(pairs)),
            **drawn.options,
        )
        adjusted = adjust([one.permutation_p for one in found], common.correction)
        said = {**drawn.said, **family_of(common, found, unit=of.unit, of=family)}
        for (a, b), one, p in zip(pairs, found, adjusted, strict=True):
            names = {"system": of.systems[a]} if a < n else {}
            names |= {"system_b": of.systems[b]} if b < n else {}
            yield make.row(
                "right_difference" if b < n else "right_against_chance",
                one.difference,
                **names,
                by_system=bool(names),
                n_items=one.n_items,
                p=one.permutation_p,
                p_adjusted=p,
                note=joined(one.difference.note, said.get("cannot_differ")),
                settings={**said, "chance": of.mean_chance(of.once if a == n else of.system == a), **_own(of)},
            )

    alone = [(code, n + 1) for code in range(n)] if n > 1 else []
    if of.chance is not None:
        yield from tested([(n, n + 1), *alone], "shares against chance of one criterion")
    if pairs := chosen_pairs(of.systems, common.pairs):
        yield from tested(list(pairs), "pairs of one criterion")


def _raters(make: Rows, of: Right) -> Iterator[Row]:
    """Yield the share of right answers of each rater, with the exact p that it is chance."""
    names = make.sample.table.names.raters
    for code in np.unique(of.rater).tolist():
        of_rater = of.once & (of.rater == code)
        mine = of.right[of_rater]
        right = int(mine.sum())
        yield make.row(
            "right_by_rater",
            wilson(right, len(mine), confidence=make.sample.common.confidence),
            rater=names[code],
            n_ratings=len(mine),
            n_raters=1,
            p=right_by_chance_p(right, of.chance[of_rater]) if of.chance is not None else None,
            settings={
                "interval": "Wilson",
                "test": f"exact {'Poisson binomial' if of.own_options else 'binomial'} against chance",
                "chance": of.mean_chance(of_rater),
                **_own(of),
            },
        )


def _answered(make: Rows, of: Right) -> Iterator[Row]:
    """Yield which share of the answers about each true label names which option: label is "truth: answer"."""
    if len(of.categories) * len(of.options) > MOST_CELLS:
        return
    for code, truth in enumerate(of.categories):
        mine = of.chosen[of.once & (of.category == code)]
        for place, option in enumerate(of.options):
            yield make.row(
                "answered_share",
                value=float(mine[:, place].mean()),
                label=f"{truth}: {option}",
                by_system=of.is_system,
                n_ratings=len(mine),
                settings={"truth": truth, "answer": option},
            )
