"""The degree of preferences: how often the preferred of two texts is clearly, not just slightly, better.

Results call it the strength of a preference. The strengths of systems by Bradley and Terry are in pairwise.py.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import QuestionCriterion, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.pairs import Preferences
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from tasks_app.task_types.base import Scale

# The prefix of the key of a criterion that asks for the degree of a preference, and its highest step
# (tasks_app.task_types.pairwise).
PREFIX, CLEARLY = "strength-", 2.0


@register
class PairwiseStrength(FilteredAnalysis):
    """Of the answers that prefer one system to another: the share of "clearly", and the mean (slightly 1, clearly 2).

    Intervals are over items. An answer without a preference has no degree.
    """

    label = _("Strength of preferences")
    summary = _("How often the preferred text was found clearly better, pair by pair.")
    source = "Bradley and Terry (1952). Rank analysis of incomplete block designs. Biometrika 39, 324-345."
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    task_types = frozenset({"pairwise"})
    whole_task = True
    statistics = {
        "strength_clearly": _("Clearly better, of the answers that prefer the first"),
        "strength_mean": _("Mean strength, of the answers that prefer the first"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every two systems, for every criterion that also asks for the degree."""
        by_key = {criterion.key: criterion for criterion in sample.question.criteria}
        for key, criterion in by_key.items():
            degree = by_key.get(f"{PREFIX}{key}")
            if degree is not None:
                yield from _of_criterion(Rows(self.name, sample), criterion, degree)


def _of_criterion(make: Rows, criterion: QuestionCriterion, degree: QuestionCriterion) -> Iterator[Row]:
    table = make.sample.table
    # The degree is a rating of its own in the same judgment.
    degree_of_judgment = np.full(len(table.judgments.id), np.nan)
    rows = (table.criterion == degree.code) & ~np.isnan(table.value)
    degree_of_judgment[table.judgment[rows]] = table.value[rows]
    sample = make.sample.where(table.criterion == criterion.code)
    preferences = Preferences.of(sample)
    degrees = degree_of_judgment[sample.table.judgment[preferences.row]]
    chosen = (preferences.sign != 0) & ~np.isnan(degrees)
    if not chosen.any():
        return
    preferences, degrees = preferences.where(chosen), degrees[chosen]
    yield from _pairs(replace(make, sample=sample), criterion.key, preferences, degrees)


def _pairs(make: Rows, criterion: str, preferences: Preferences, degrees: Floats) -> Iterator[Row]:
    n = len(preferences.systems)
    winner = np.where(preferences.sign > 0, preferences.first, preferences.second)
    loser = np.where(preferences.sign > 0, preferences.second, preferences.first)
    known, pair = np.unique(winner * n + loser, return_inverse=True)
    for name, values in (("strength_clearly", (degrees == CLEARLY).astype(float)), ("strength_mean", degrees)):
        drawn = bootstrap(make.sample, f"strength {criterion}", preferences.unit)
        means = group_means(
            values,
            pair,
            preferences.cluster,
            n_groups=len(known),
            **drawn.options,
        )
        for code, mean in enumerate(means):
            yield make.row(
                name,
                mean,
                criterion=criterion,
                system=preferences.systems[int(known[code]) // n],
                system_b=preferences.systems[int(known[code]) % n],
                n_raters=len(np.unique(preferences.rater[pair == code])),
                settings=drawn.settings,
            )
