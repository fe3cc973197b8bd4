"""Working time: exclude raters who finished far too soon."""

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
from analytics_app.ratings.carefulness import working_seconds
from analytics_app.ratings.extras.times import Times
from tasks_app.settings.fields import choice_field, number_field


@register
class WorkingTime(Rule):
    """Remove raters with a working time at or below a share of the time their answers should have taken.

    The expected time is the study's minutes for a set, over the units of a full set, times the units that a rater
    judged. In one sitting (no gap between answers of more than 15 minutes) the time is that with a unit on the screen,
    without breaks; otherwise active time, in which gaps count for 60 seconds at most.
    """

    label = _("Working time")
    summary = _("Leaves out raters who finished in a small part of the expected time.")
    source = (
        "Macketanz, Naderi, Schmidt and Möller (2022). Perceptual quality dimensions of machine-generated text with a "
        "focus on machine translation. HumEval, 24-31."
    )
    caution = _(
        "It is only as good as the expected minutes: compare them with the median working time on the "
        "page of raters. Imported ratings need the expected seconds of a unit."
    )
    needs = frozenset({Times})
    order = 30
    strict = frozenset({Evidence.MINUTES})

    share = number_field(_("Exclude below this share of the expected time"), within=(0.01, 2), initial=0.4)
    seconds_per_unit = number_field(
        _("Expected seconds for a unit"),
        _("Without it, the study's expected minutes for a set over the units of a set."),
        within=(0.1, 100_000),
    )
    measure = choice_field(
        _("Working time is"),
        (
            ("auto", _("time with a unit on the screen where all was done in one session, else active time")),
            ("active", _("active time, gaps capped at 60 seconds")),
        ),
        initial="auto",
    )

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude raters who were too fast."""
        times, share = sample.extras[Times], self.share
        raters = sample.raters
        own_seconds = self.seconds_per_unit
        per_unit = times.per_unit if own_seconds is None else np.full(len(times.per_unit), own_seconds)
        expected = (per_unit * times.answered)[raters]
        seconds = (times.active if self.measure == "active" else working_seconds(times))[raters]
        known = ~np.isnan(seconds) & ~np.isnan(expected) & (expected > 0)
        limit = share * expected
        fast = known & (seconds <= limit)
        untimed = int(np.isnan(seconds).sum())
        notes = not_tested(untimed, "nothing says how long they worked")
        notes += not_tested(int((~known).sum()) - untimed, "nothing says how long their work should have taken")
        return remove_raters(
            sample,
            raters[fast],
            [
                f"working time {worked:.0f} s, at most {most:.0f} s ({share_in_words(share)} of {usual:.0f} s for "
                f"{units} unit{'' if units == 1 else 's'})"
                for worked, most, usual, units in zip(
                    seconds[fast].tolist(),
                    limit[fast].tolist(),
                    expected[fast].tolist(),
                    times.answered[raters[fast]].tolist(),
                    strict=True,
                )
            ],
            values=seconds[fast],
            limits=limit[fast],
            notes=notes,
        )
