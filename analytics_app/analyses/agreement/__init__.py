"""Agreement on categories and steps: percent, Gwet's AC, Fleiss' kappa, Kendall's W."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import BetweenRaters, RatedTexts, rated_texts
from analytics_app.analyses.shared.transforms import Overall
from analytics_app.results import Row
from analytics_app.stats.agreement.fleiss import fleiss_kappa
from analytics_app.stats.agreement.gwet import Weights, gwet_ac
from analytics_app.stats.agreement.kendall import kendall_w
from analytics_app.stats.agreement.percent import percent_agreement
from analytics_app.stats.values import joined
from tasks_app.settings.fields import OneOfField, choice_field
from tasks_app.task_types.base import Scale

NOT_BY_CHANCE = "Not corrected for chance."
WEIGHTS: tuple[Weights, ...] = ("quadratic", "linear", "ordinal")
NO_ORDER = "It takes steps as categories without an order."


@register
class Agreement(Overall, BetweenRaters):
    """How far raters of the same texts agree on labels or steps.

    `percent_agreement`; `gwet_ac1` for labels and `gwet_ac2` for steps; `fleiss_kappa` where all texts have equally
    many ratings; `kendall_w` for steps where every rater rated every text. Only the first rating of a rater for a text
    enters.
    """

    label = _("Agreement on categories")
    summary = _("Percent agreement, and agreement beyond chance by Gwet's AC, Fleiss' kappa and Kendall's W.")
    source = (
        "Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement. British "
        "Journal of Mathematical and Statistical Psychology 61, 29-48. Fleiss (1971). Measuring nominal scale "
        "agreement among many raters. Psychological Bulletin 76(5), 378-382."
    )
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    statistics = {
        "percent_agreement": _("Percent agreement"),
        "gwet_ac1": _("Gwet's AC1"),
        "gwet_ac2": _("Gwet's AC2"),
        "fleiss_kappa": _("Fleiss' kappa"),
        "kendall_w": _("Kendall's W"),
    }
    agreement = {"fleiss_kappa": 20, "gwet_ac1": 30, "gwet_ac2": 40, "kendall_w": 60, "percent_agreement": 80}
    distinguishing_settings = ("weights",)

    weights: OneOfField[Weights] = choice_field(
        _("Weights of AC2"),
        [(name, name) for name in WEIGHTS],
        _("How far two steps count as the same: by squared or plain distance, or by ranks."),
        initial="quadratic",
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each coefficient, those that suit the scale first."""
        compared_ratings = rated_texts(sample)
        make = Rows(self.name, sample)
        steps = sample.question.scale is Scale.ORDINAL
        yield from _beyond_chance(make, compared_ratings, self.weights if steps else "identity")
        drawn = bootstrap(sample, "percent", compared_ratings.drawn)
        percent = percent_agreement(
            compared_ratings.values,
            compared_ratings.texts,
            raters=compared_ratings.raters,
            clusters=compared_ratings.clusters,
            **drawn.options,
        )
        note = joined(percent.note, NOT_BY_CHANCE, *compared_ratings.notes)
        yield make.row(
            "percent_agreement", percent, note=note, settings={**drawn.settings, **compared_ratings.settings}
        )
        drawn = bootstrap(sample, "fleiss", compared_ratings.drawn, of="agreement")
        fleiss = fleiss_kappa(
            compared_ratings.values,
            compared_ratings.texts,
            raters=compared_ratings.raters,
            clusters=compared_ratings.clusters,
            **drawn.options,
        )
        order = NO_ORDER if steps and fleiss.value is not None else None
        yield make.row(
            "fleiss_kappa",
            fleiss,
            note=joined(fleiss.note, order, *compared_ratings.notes),
            settings={**drawn.settings, **compared_ratings.settings},
        )
        if steps and (table := compared_ratings.crossed) is not None:
            yield make.row(
                "kendall_w",
                kendall_w(table),
                settings={"test": "Friedman's chi-square", "ties": "corrected", **compared_ratings.settings},
            )


def _beyond_chance(make: Rows, compared_ratings: RatedTexts, weights: Weights) -> Iterator[Row]:
    """Yield Gwet's AC1 for labels, or AC2 for steps."""
    estimate = gwet_ac(
        compared_ratings.values,
        compared_ratings.texts,
        domain=compared_ratings.domain,
        weights=weights,
        raters=compared_ratings.raters,
        confidence=make.sample.common.confidence,
    )
    categories = {"categories": len(compared_ratings.domain)} if compared_ratings.domain is not None else {}
    yield make.row(
        "gwet_ac1" if weights == "identity" else "gwet_ac2",
        estimate,
        note=joined(estimate.note, *compared_ratings.notes),
        settings={"weights": weights, **categories, "interval": "t over texts", **compared_ratings.settings},
    )
