"""No differences: exclude raters who gave all texts the same number."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample, not_tested, register, remove_raters, share_in_words
from analytics_app.ratings.sameness import flat_screens, one_number
from tasks_app.settings.fields import number_field, whole_field


@register
class NoDifferences(Rule):
    """Remove raters who gave one number throughout, or the same number to all texts of a screen on too many screens.

    Each criterion of a screen counts as a screen. The rule looks at the numbers as stored, so it also tests numbers
    without a scale, such as magnitudes, for which there are no positions to look at.
    """

    label = _("Answers without differences")
    summary = _(
        "Leaves out raters who gave the same number in every answer, or who gave all texts of a screen the same number "
        "on every screen."
    )
    source = (
        "Novikova, Dušek and Rieser (2018). RankME: Reliable human ratings for natural language generation. NAACL. "
        "Their published ratings hold 971 such screens of 1,800, and raters with one number in a whole job."
    )
    caution = _(
        "Where the texts of a screen are equally good, honest raters give them the same number: look at the shares of "
        "all raters first."
    )
    order = 33

    same_share = number_field(
        _("Exclude at this share of answers with one number"),
        _("1: only raters who gave one number throughout."),
        within=(0.05, 1),
        initial=1,
    )
    flat_share = number_field(
        _("Exclude at this share of screens without differences"),
        _("Screens with two texts or more, each criterion for itself. 1: only raters with no other screen."),
        within=(0.05, 1),
        initial=1,
    )
    least = whole_field(_("Minimum answers of a rater"), within=(2, 1000), initial=10)
    least_screens = whole_field(_("Minimum screens of a rater"), within=(1, 1000), initial=5)

    def remove(self, sample: RuleSample) -> Removal:
        """Remove the raters who gave all texts the same number."""
        raters, n = sample.raters, len(sample.table.names.raters)
        share, limit, reasons = np.full(n, -1.0), np.ones(n), [""] * n
        tested = np.zeros(n, dtype=bool)
        flat = flat_screens(sample.table)
        for code, equal, screens in zip(flat.raters.tolist(), flat.equal.tolist(), flat.screens.tolist(), strict=True):
            if screens < self.least_screens:
                continue
            tested[code] = True
            if equal / screens >= self.flat_share:
                share[code], limit[code] = equal / screens, self.flat_share
                reasons[code] = (
                    f"the same number for all texts on {equal} of {screens} screens ({share_in_words(equal / screens)})"
                )
        same = one_number(sample.table)
        for code, number, times, answers in zip(
            same.raters.tolist(), same.value.tolist(), same.times.tolist(), same.answers.tolist(), strict=True
        ):
            if answers < self.least:
                continue
            tested[code] = True
            if times / answers >= self.same_share:
                share[code], limit[code] = times / answers, self.same_share
                reasons[code] = f"{number:g}{_worth(sample, number)} in {times} of {answers} answers"
        excluded = raters[share[raters] >= 0]
        return remove_raters(
            sample,
            excluded,
            [f"{reasons[code]}, below {share_in_words(limit[code])} is asked" for code in excluded],
            values=share[excluded],
            limits=limit[excluded],
            notes=not_tested(
                int((~tested[raters]).sum()),
                f"they gave fewer than {self.least} numbers, and rated several texts on fewer than "
                f"{self.least_screens} screens",
            ),
        )


def _worth(sample: RuleSample, number: float) -> str:
    """Return a phrase for a number that is that of the reference, if the task has a reference."""
    return " (the reference)" if sample.task.params.get("reference_value") == number else ""
