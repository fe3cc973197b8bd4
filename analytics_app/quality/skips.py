"""Skips: exclude raters who skipped too much."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Evidence, Removal, Rule, RuleSample, register, remove_raters
from analytics_app.ratings.extras.skips import Skips as Skipped
from tasks_app.settings.fields import whole_field


@register
class Skips(Rule):
    """Remove raters who skipped too many units because they could not judge them, or for another reason.

    Skips because a text is upsetting or something did not work never count against anyone.
    """

    label = _("Skipped units")
    summary = _("Leaves out raters who skipped many units as “cannot judge” or for another reason.")
    source = (
        "Rules of crowdsourcing platforms, as in Logacheva et al. (2022). A study on manual and automatic evaluation "
        "for text style transfer: the case of detoxification. HumEval. Five is a convention, not a finding."
    )
    caution = _("Raters who honestly say that they cannot judge a text may judge the others well.")
    needs = frozenset({Skipped})
    order = 33
    strict = frozenset({Evidence.SKIPS})

    n = whole_field(_("Exclude at this number of skips"), within=(1, 10_000), initial=5)

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude raters with too many skips."""
        skipped, n = sample.extras[Skipped], self.n
        counted = skipped.counted & (skipped.rater >= 0)
        counts = np.bincount(skipped.rater[counted], minlength=len(sample.table.names.raters))
        raters = sample.raters
        excluded = raters[counts[raters] >= n]
        return remove_raters(
            sample,
            excluded,
            [
                f"{counts[rater]} units skipped as “cannot judge” or “other”, fewer than {n} are accepted"
                for rater in excluded
            ],
            values=counts[excluded],
            limits=n,
            notes=() if len(skipped) else ("No unit was skipped.",),
        )
