"""The finding that the tests of preferences support."""

from django.utils.translation import gettext_lazy as _

from analytics_app.show.comparisons import Comparison, Verb, compares

compares(
    Comparison(
        analysis="pairwise",
        level="bt_strength",
        tested="win_rate",
        shown="win_rate_half",
        even=0.5,
        unit="share",
        measure=_("Strength (Bradley-Terry model, log-odds of being preferred)"),
        pair_measure=_("Share of comparisons in which the row is preferred to the column, ties half"),
        verbs={"": Verb(_("is preferred to"), _("are preferred to"))},
        order=10,
    )
)
