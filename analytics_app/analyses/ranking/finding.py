"""The finding that the tests of rankings support."""

from django.utils.translation import gettext_lazy as _

from analytics_app.show.comparisons import Comparison, Verb, compares

compares(
    Comparison(
        analysis="ranking",
        level="rank_mean",
        tested="ranked_above_half",
        even=0.5,
        unit="share",
        low_first=True,
        measure=_("Mean rank (lower is better)"),
        pair_measure=_("Share of rankings with the row above the column, ties half"),
        verbs={"": Verb(_("is ranked above"), _("are ranked above"))},
        order=10,
    )
)
