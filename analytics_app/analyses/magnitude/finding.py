"""The finding that the tests of magnitudes support."""

from django.utils.translation import gettext_lazy as _

from analytics_app.show.comparisons import Comparison, Verb, compares

compares(
    Comparison(
        analysis="magnitude",
        level="geometric_mean",
        tested="magnitude_ratio",
        even=1.0,
        unit="ratio",
        measure=_("Geometric mean"),
        pair_measure=_("Ratio over the texts that both have, row to column"),
        verbs={"": Verb(_("gets higher numbers than"), _("get higher numbers than"))},
        order=10,
    )
)
