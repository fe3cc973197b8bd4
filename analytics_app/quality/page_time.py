"""Page time: exclude raters who answered too fast to have read."""

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
from analytics_app.ratings.carefulness import LEAST_SECONDS, WORDS_PER_SECOND, fast_screens
from analytics_app.ratings.extras.times import Times
from analytics_app.ratings.extras.words import Words
from tasks_app.settings.fields import number_field, whole_field


@register
class PageTime(Rule):
    """Remove raters who were too fast on too large a share of their screens.

    A screen is too fast if the active seconds of its answer, including revisions, are below its number of words divided
    by the reading speed, or below the least time for any screen. The rule excludes raters, never single screens: honest
    raters need little time for short texts that are clearly bad. Where a task has a set time, raters are hurried by
    design, and only the least time counts.
    """

    label = _("Time on the page")
    summary = _("Leaves out raters who answered most screens faster than anybody can read them.")
    source = (
        "Brysbaert (2019). How many words do we read per minute? Journal of "
        "Memory and Language 109, 104047. Published limits of 15 seconds were for a page of several sentences."
    )
    caution = _("Texts that a rater has met before, such as one source for many outputs, are read faster.")
    needs = frozenset({Times, Words})
    order = 31
    strict = frozenset({Evidence.TIMES})

    words_per_second = number_field(
        _("Words that can be read per second"),
        _("People read about 4 words per second; nobody reads 10."),
        within=(1, 100),
        initial=WORDS_PER_SECOND,
    )
    least_seconds = number_field(_("Minimum seconds for any screen"), within=(0, 600), initial=LEAST_SECONDS)
    share = number_field(
        _("Exclude at this share of fast screens"),
        _("Raters with this share or more are excluded."),
        within=(0.01, 1),
        initial=0.5,
    )
    least_screens = whole_field(_("Minimum screens of a rater"), within=(1, 1000), initial=5)

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude raters with too many fast screens."""
        table, share, least = sample.table, self.share, self.least_screens
        speed, floor = self.words_per_second, self.least_seconds
        needs = f"a screen takes {floor:g} s, and 1 s for {speed:g} words"
        if sample.task.params.get("set_seconds"):
            # Nobody is slower than the study lets them be.
            speed, needs = float("inf"), f"a screen takes {floor:g} s"
        timed, fast = fast_screens(
            table, sample.extras[Times], sample.extras[Words], speed=speed, floor=floor, unrated=sample.unrated
        )
        rater = table.judgments.rater
        n = np.bincount(rater[timed], minlength=len(table.names.raters))
        n_fast = np.bincount(rater[fast], minlength=len(table.names.raters))
        shares = n_fast / np.maximum(n, 1)
        raters = sample.raters
        excluded = raters[(n >= least)[raters] & (shares >= share)[raters]]
        untested = int((n < least)[raters].sum())
        return remove_raters(
            sample,
            excluded,
            [
                f"{n_fast[code]} of {n[code]} screens too fast ({share_in_words(shares[code])}), below "
                f"{share_in_words(share)} is asked; {needs}"
                for code in excluded
            ],
            values=shares[excluded],
            limits=share,
            notes=not_tested(untested, f"fewer than {least} of their screens have a time"),
        )
