"""Inconsistency: exclude raters who contradict themselves far more than others."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Evidence, Removal, Rule, RuleSample, not_tested, register, remove_raters
from analytics_app.ratings.carefulness import inconsistency_of, raters_in
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.stats.quality.inconsistency import outliers
from tasks_app.settings.fields import choice_field, number_field, whole_field

NO_REPEATS = "Nothing was asked twice on a numeric scale, so nobody was tested."


@register
class Inconsistency(Rule):
    """Remove raters with an inconsistency score (after Naderi 2018) that is an outlier among the raters.

    IS = sqrt(sum w (x - x')^2 / sum w) over a rater's answers x and x' to repeated questions, in shares of the
    scale. An outlier is above Q3 + 1.5 IQR of the raters with at least two pairs, and as high as the score of
    a rater who is always off by one step. Raters without repeats are not tested and are kept.
    """

    label = _("Inconsistency score (after Naderi 2018)")
    summary = _("Leaves out raters whose answers to repeated questions differ far more than those of other raters.")
    source = (
        "Naderi (2018). Motivation of workers on microtask crowdsourcing platforms. Springer; used by Macketanz et al. "
        "(2022). HumEval, 24-31. The formula is ours: docs/methods/quality-rules.md."
    )
    caution = _("A few repeats say little about a rater: plan at least two per rater, better five.")
    needs = frozenset({Repeats})
    order = 35
    strict = frozenset({Evidence.REPEATS, Evidence.SCALE})

    factor = number_field(
        _("Width of the fence above the third quartile, in interquartile ranges"), within=(0.1, 100), initial=1.5
    )
    min_pairs = whole_field(_("Minimum repeats of a rater"), within=(1, 1000), initial=2)
    weights = choice_field(
        _("Weight of a difference"),
        (
            ("equal", _("the same for every repeat")),
            ("agreed", _("more where raters agree about the text: one over the variance of its ratings")),
        ),
        initial="equal",
    )

    @property
    def checks(self) -> frozenset[str]:
        """Units that are shown twice."""
        return frozenset({"repeat"})

    @property
    def least_checks(self) -> int:
        """So many repeated answers: each criterion of a repeated unit gives one."""
        return self.min_pairs

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude the outliers."""
        table, least = sample.table, self.min_pairs
        scores = inconsistency_of(
            table, sample.extras[Repeats], sample.task.ranges, by_variance=self.weights == "agreed"
        )
        if not len(scores.raters):
            return Removal.nothing(sample, NO_REPEATS)
        fence = outliers(scores, factor=self.factor, min_pairs=least)
        tested = scores.raters[scores.pairs >= least]
        untested = len(np.setdiff1d(raters_in(table), tested))
        notes = [fence.note] if fence.note else []
        outliers_at = np.flatnonzero(fence.outside)
        limits = np.maximum(fence.limit or 0.0, scores.steps[outliers_at])
        return remove_raters(
            sample,
            scores.raters[outliers_at],
            [
                f"inconsistency score {score:.2f} over {pairs} repeats (0 never, 1 from end to end), "
                f"at most {limit:.2f}"
                for score, pairs, limit in zip(
                    scores.scores[outliers_at].tolist(),
                    scores.pairs[outliers_at].tolist(),
                    limits.tolist(),
                    strict=True,
                )
            ],
            values=scores.scores[outliers_at],
            limits=limits,
            notes=[*notes, *not_tested(untested, f"they were asked fewer than {least} things twice")],
        )
