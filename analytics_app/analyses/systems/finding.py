"""The finding that the tests of ratings support."""

from django.utils.translation import gettext_lazy as _

from analytics_app.show.comparisons import Comparison, Verb, compares

compares(
    Comparison(
        analysis="systems",
        level="mean",
        tested="difference",
        of_steps="log_odds",
        measure=_("Mean"),
        on_scale=True,
        pair_measure=_("Difference of means over the texts that both have, row minus column"),
        verbs={
            "": Verb(_("is rated higher than"), _("are rated higher than")),
            # A pair of adjectives runs from the left-hand word to the right-hand one.
            "semantic_differential": Verb(_("is rated closer than"), _("are rated closer than"), to_the_right=True),
            # Seconds, keystrokes, right answers and occurrences are counted, not rated.
            "counting": Verb(_("has higher values than"), _("have higher values than")),
            "post_edit": Verb(_("has higher values than"), _("have higher values than")),
            "comprehension": Verb(_("has higher values than"), _("have higher values than")),
        },
    )
)
