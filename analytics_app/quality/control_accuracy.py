"""Controls: exclude raters who failed too many units with known answers."""

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
from analytics_app.ratings.extras.controls import Controls
from tasks_app.settings.fields import YesNoField, number_field, whole_field


@register
class ControlAccuracy(Rule):
    """Remove raters with a share of right answers to units with known answers below a limit.

    A unit is right if the rater's last answer agrees with everything that is known about it; skipped units do not
    count. The check during judging uses the same share.
    """

    label = _("Units with known answers")
    summary = _("Leaves out raters who answered too many units with known answers wrong.")
    source = (
        "Crowdsourcing for RUSSE-2022, as in Logacheva et al. (2022). A study on manual and automatic evaluation for "
        "text style transfer: the case of detoxification. HumEval."
    )
    caution = _(
        "Look at the checks first: a known answer that most raters contradict is probably wrong itself, and one that "
        "is a matter of taste says nothing about care."
    )
    needs = frozenset({Controls})
    order = 34
    strict = frozenset({Evidence.KNOWN_ANSWERS})

    share = number_field(_("Minimum share of right answers"), within=(0.01, 1), initial=0.7)
    least = whole_field(_("Minimum checks answered by a rater"), within=(1, 1000), initial=3)
    attention = YesNoField(initial=True, label=_("Count attention checks, such as “choose 3 here”"))
    copies = YesNoField(initial=True, label=_("Count texts beside their degraded copies"))

    @property
    def checks(self) -> frozenset[str]:
        """Return units with known answers, and the other checks that the settings count."""
        beside = {"attention": self.attention, "degraded": self.copies}
        return frozenset({"control", *(name for name, counts in beside.items() if counts)})

    @property
    def least_checks(self) -> int:
        """So many answers to units with known answers."""
        return self.least

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude raters with too few right answers."""
        controls, share = sample.extras[Controls], self.share
        least, n_raters = self.least, len(sample.table.names.raters)
        counts = (controls.rater >= 0) & ~(controls.attention & (not self.attention))
        counts &= ~(controls.copy & (not self.copies))
        raters = sample.raters
        if not counts.any():
            return Removal.nothing(sample, "No unit with a known answer was answered, so nobody was tested.")
        n = np.bincount(controls.rater[counts], minlength=n_raters)
        right = np.bincount(controls.rater[counts & controls.passed], minlength=n_raters)
        shares = right / np.maximum(n, 1)
        # The tolerance lets 7 of 10 count as 70 % despite rounding.
        excluded = raters[((n >= least) & (shares < share - 1e-9))[raters]]
        return remove_raters(
            sample,
            excluded,
            [
                f"{right[rater]} of {n[rater]} checks right ({share_in_words(shares[rater])}), at least "
                f"{share_in_words(share)} is asked"
                for rater in excluded
            ],
            values=shares[excluded],
            limits=share,
            notes=not_tested(int((n < least)[raters].sum()), f"they answered fewer than {least} checks"),
        )
