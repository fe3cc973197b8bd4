"""Cohen's kappa between raters, plain and weighted."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.rated_texts import BetweenRaters, RatedTexts, rated_texts
from analytics_app.analyses.shared.transforms import Overall
from analytics_app.results import Row
from analytics_app.stats.agreement.kappa import CohenKappas, KappaWeights, weighted_kappas
from analytics_app.stats.values import Estimate, joined
from tasks_app.settings.fields import whole_field
from tasks_app.task_types.base import Scale

# The most pairs of raters that are listed; with more pairs, only mean, least and greatest are given.
LISTED = 45

STATISTICS: dict[KappaWeights, str] = {
    "none": "cohen_kappa",
    "linear": "cohen_kappa_linear",
    "quadratic": "cohen_kappa_quadratic",
}


@register
class Kappa(Overall, BetweenRaters):
    """Cohen's kappa of every two raters over the texts that both rated, over the full scale.

    `cohen_kappa` is the plain mean over the pairs of raters, for two raters their own kappa; `…_least` and `…_greatest`
    are its ends, `…_pair` single pairs, named in `label`. `cohen_kappa_linear` and `cohen_kappa_quadratic` are weighted
    by the distance of steps. Only the first rating of a rater for a text enters.
    """

    label = _("Cohen's kappa")
    summary = _("Agreement beyond chance between pairs of raters, plain and weighted, as a mean and for each pair.")
    source = (
        "Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20(1), "
        "37-46. Cohen (1968). Weighted kappa. Psychological Bulletin 70(4), 213-220. Light (1971). Measures of "
        "response agreement for qualitative data. Psychological Bulletin 76(5), 365-377."
    )
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    statistics = {
        "cohen_kappa": _("Cohen's kappa"),
        "cohen_kappa_least": _("Cohen's kappa, lowest pair of raters"),
        "cohen_kappa_greatest": _("Cohen's kappa, highest pair of raters"),
        "cohen_kappa_pair": _("Cohen's kappa of two raters"),
        "cohen_kappa_linear": _("Cohen's kappa, linear weights"),
        "cohen_kappa_linear_least": _("Cohen's kappa, linear weights, lowest pair of raters"),
        "cohen_kappa_linear_greatest": _("Cohen's kappa, linear weights, highest pair of raters"),
        "cohen_kappa_linear_pair": _("Cohen's kappa of two raters, linear weights"),
        "cohen_kappa_quadratic": _("Cohen's kappa, quadratic weights"),
        "cohen_kappa_quadratic_least": _("Cohen's kappa, quadratic weights, lowest pair of raters"),
        "cohen_kappa_quadratic_greatest": _("Cohen's kappa, quadratic weights, highest pair of raters"),
        "cohen_kappa_quadratic_pair": _("Cohen's kappa of two raters, quadratic weights"),
    }
    agreement = {"cohen_kappa": 50}

    min_shared = whole_field(_("Texts that two raters must share to be compared"), within=(2, 1000), initial=3)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each kind of weights, those that suit the scale first."""
        ratings, min_shared = rated_texts(sample), self.min_shared
        ordered: tuple[KappaWeights, ...] = ("quadratic", "linear", "none")
        kappas = weighted_kappas(
            ratings.values,
            ratings.texts,
            ratings.raters,
            ordered if sample.question.scale is Scale.ORDINAL else ordered[-1:],
            domain=ratings.domain,
            min_shared=min_shared,
            confidence=sample.common.confidence,
        )
        for weights, kappa in kappas.items():
            yield from _rows(Rows(self.name, sample), kappa, weights, ratings, min_shared)


def _rows(make: Rows, kappa: CohenKappas, weights: KappaWeights, ratings: RatedTexts, min_shared: int) -> Iterator[Row]:
    """Yield mean, least and greatest kappa, and each pair if there are few."""
    name, names = STATISTICS[weights], make.sample.table.names.raters
    several = kappa.n_pairs > 1
    settings: dict[str, Any] = {"weights": weights, "min_shared": min_shared, "pairs": kappa.n_pairs}
    if kappa.mean.low is not None:
        settings |= {"interval": "asymptotic, over texts"}
    yield make.row(name, kappa.mean, note=joined(kappa.mean.note, *ratings.notes), settings=settings)
    if not several or kappa.least is None or kappa.most is None:
        return
    yield make.row(f"{name}_least", Estimate(kappa.least), settings={"weights": weights})
    yield make.row(f"{name}_greatest", Estimate(kappa.most), settings={"weights": weights})
    for pair in kappa.pairs if len(kappa.pairs) <= LISTED else ():
        label = f"{names[pair.rater_a]} and {names[pair.rater_b]}"
        yield make.row(
            f"{name}_pair", pair.estimate, label=label, settings={"weights": weights, "interval": "asymptotic"}
        )
