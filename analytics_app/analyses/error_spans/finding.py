"""The finding that the tests of MQM penalties support."""

from django.utils.translation import gettext_lazy as _

from analytics_app.show.comparisons import Comparison, Verb, compares

compares(
    Comparison(
        analysis="error_spans",
        level="mqm_score",
        tested="mqm_difference",
        low_first=True,
        low_wins=True,
        measure=_("MQM penalty (lower is better)"),
        whole=_("MQM penalty"),
        pair_measure=_(
            "Difference of penalties over the texts that both have, row minus column: below zero the row is better"
        ),
        verbs={"": Verb(_("has a lower MQM penalty than"), _("have a lower MQM penalty than"))},
        order=10,
    )
)
