"""Identical texts: exclude raters who rated identical texts differently."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample, not_tested, register, remove_raters, share_in_words
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.sameness import same_texts
from tasks_app.settings.fields import number_field, whole_field


@register
class IdenticalTexts(Rule):
    """Remove raters who too often gave identical texts of one item different numbers on the same criterion.

    Studies of evalweb show identical texts of an item once, unless they are told to keep them apart; imported ratings
    often hold them several times.
    """

    label = _("Identical texts, different numbers")
    summary = _("Leaves out raters who gave identical texts of one item different numbers.")
    source = (
        "Novikova, Dušek and Rieser (2018). RankME: Reliable human ratings for natural language generation. NAACL. "
        "Their published ratings hold 324 identical texts on one screen, of which 14 got different numbers."
    )
    caution = _("Identical texts that were shown on different screens were compared with other texts each time.")
    needs = frozenset({Shown})
    order = 34

    share = number_field(
        _("Exclude at this share of identical texts with different numbers"), within=(0.01, 1), initial=0.5
    )
    least = whole_field(_("Minimum number of identical texts rated"), within=(1, 1000), initial=3)

    def remove(self, sample: RuleSample) -> Removal:
        """Remove the raters who too often rated identical texts differently."""
        share, least = self.share, self.least
        identical = same_texts(sample.table, sample.extras[Shown])
        enough = identical.texts >= least
        shares = identical.differ / np.maximum(identical.texts, 1)
        excluded = enough & (shares >= share)
        untested = len(sample.raters) - int(enough.sum())
        return remove_raters(
            sample,
            identical.raters[excluded],
            [
                f"different numbers for {differ} of {texts} identical texts ({share_in_words(differ / texts)}), below "
                f"{share_in_words(share)} is asked"
                for differ, texts in zip(
                    identical.differ[excluded].tolist(), identical.texts[excluded].tolist(), strict=True
                )
            ],
            values=shares[excluded],
            limits=share,
            notes=not_tested(untested, f"they rated fewer than {least} texts of an item more than once"),
        )
