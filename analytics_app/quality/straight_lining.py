"""Straight-lining: exclude raters who gave the same position again and again."""

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import (
    Evidence,
    Removal,
    Rule,
    RuleSample,
    not_tested,
    register,
    remove_raters,
    share_in_words,
)
from analytics_app.ratings import Table
from analytics_app.ratings.carefulness import Scales, positions_of
from analytics_app.ratings.extras.screens import Screens
from analytics_app.stats.quality.straight_lining import equal_screens, runs
from tasks_app.settings.fields import number_field, whole_field

# On screens with fewer answers, one position throughout is not suspicious.
ON_A_SCREEN = 4


@register
class StraightLining(Rule):
    """Remove raters with a long run of one position, or with many screens that have one position throughout.

    Positions are those on the screen, before polarity is undone. Answers are in the order of the questions;
    criteria on the same scale are one sequence.
    """

    label = _("Straight-lining")
    summary = _("Leaves out raters who gave the same position again and again, as it was shown.")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval, 24-31. Curran (2016). Methods for the detection of carelessly invalid "
        "responses in survey data. Journal of Experimental Social Psychology 66, 4-19 (half of the answers)."
    )
    caution = _(
        "Where most texts deserve the same step, honest raters give long runs: look at the distribution first, or show "
        "scales in both directions."
    )
    needs = frozenset({Screens})
    order = 32
    strict = frozenset({Evidence.POSITIONS})

    share = number_field(
        _("Exclude at this share of identical answers (longest run, or uniform screens)"),
        _("Raters who reach it are excluded. Screens with at least four answers on one scale count."),
        within=(0.05, 1),
        initial=0.5,
    )
    least = whole_field(_("Minimum answers of a rater"), within=(2, 1000), initial=10)

    def remove(self, sample: RuleSample) -> Removal:
        """Remove the raters who gave one position too often."""
        share, least = self.share, self.least
        raters = sample.raters
        if not sample.task.scales:
            return Removal.nothing(sample, "The task has no scale with positions, so nobody was tested.")
        worst = np.full(len(sample.table.names.raters), -1.0)
        reasons = [""] * len(worst)
        for code, share_of_rater, reason in _shares(sample.table, sample.task.ranges, sample.extras[Screens], least):
            if share_of_rater > worst[code]:
                worst[code], reasons[code] = share_of_rater, reason
        excluded = raters[worst[raters] >= share]
        return remove_raters(
            sample,
            excluded,
            [f"{reasons[rater]}, below {share_in_words(share)} is asked" for rater in excluded],
            values=worst[excluded],
            limits=share,
            notes=not_tested(int((worst[raters] < 0).sum()), f"they gave fewer than {least} answers on one scale"),
        )


def _shares(table: Table, scales: Scales, screens: Screens, least: int) -> Iterator[tuple[int, float, str]]:
    """Yield (rater, share, its description) for each scale, for the longest run and for uniform screens."""
    for positions in positions_of(table, scales, screens):
        rater_runs = runs(positions.position, positions.rater)
        for code, longest, answers in zip(
            rater_runs.raters.tolist(), rater_runs.longest.tolist(), rater_runs.answers.tolist(), strict=True
        ):
            if answers >= least:
                share = longest / answers
                yield (
                    code,
                    share,
                    f"one position {longest} times in a row of {answers} answers ({share_in_words(share)})",
                )
        of_screens = equal_screens(positions.position, positions.judgment, positions.rater, least=ON_A_SCREEN)
        enough = dict(zip(rater_runs.raters.tolist(), (rater_runs.answers >= least).tolist(), strict=True))
        for code, equal, n in zip(
            of_screens.raters.tolist(), of_screens.equal.tolist(), of_screens.screens.tolist(), strict=True
        ):
            if enough[code]:
                yield code, equal / n, f"one position throughout {equal} of {n} screens ({share_in_words(equal / n)})"
