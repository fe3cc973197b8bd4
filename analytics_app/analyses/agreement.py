"""Agreement on categories and steps: percent, Gwet's AC, Fleiss' kappa, Kendall's W."""

from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import BetweenRaters, RatedTexts, rated_texts
from analytics_app.analyses.shared.transforms import Overall
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show import formats
from analytics_app.show.agreement_choice import chosen
from analytics_app.show.cells import Cell
from analytics_app.show.formats import digits, interval, items, raters, ratings
from analytics_app.show.shown import Shown, StoredRows, named, own, shared_table, table_of
from analytics_app.show.table import Table
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


# Tables of agreement between raters: what the scale calls for first, then pairs of raters.

CORRELATIONS = (
    "pearson",
    "pearson_mean",
    "pearson_mean_fisher",
    "spearman",
    "spearman_mean",
    "spearman_mean_fisher",
)
# The measures in the order in which they are shown, for labels, for steps, and for numeric scales.
OF_LABELS = ("percent_agreement", "alpha", "cohen_kappa", "gwet_ac1", "fleiss_kappa")
OF_STEPS = (
    "alpha",
    "cohen_kappa_quadratic",
    "cohen_kappa_linear",
    "gwet_ac2",
    *CORRELATIONS[3:],
    "kendall_w",
    "percent_agreement",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    *CORRELATIONS[:3],
    "noise_bound",
)
OF_NUMBERS = ("icc", "alpha", *CORRELATIONS, "noise_bound")

MEASURES = tuple(dict.fromkeys((*OF_NUMBERS, *OF_STEPS, *OF_LABELS)))
OF_RATER_PAIRS = (
    "pearson_pair",
    "spearman_pair",
    "cohen_kappa_quadratic_pair",
    "cohen_kappa_linear_pair",
    "cohen_kappa_pair",
)


@shared_table("krippendorff", "agreement", "kappa", "icc", "correlation", order=30)
def agreement(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of agreement between raters, with ratings before and after the rules side by side.

    An undefined measure is a dash, and the notes say why. If no measure is defined, one sentence says so.
    """
    whole = rows.whole
    if not whole.has(*MEASURES):
        return
    caption, lines = gettext("Agreement between raters"), list(_measures(whole))
    earlier = (whole.one(row.statistic, before=True, label=row.label) for row in lines)
    if all(row is None or row.value is None for row in (*lines, *earlier)):
        reason = next(
            (row.note for row in lines if row.note), gettext("The rules left no ratings on which raters could agree.")
        )
        yield Table(caption, [], [], [f"{caption}: {reason}"])
        return
    columns = [
        Shown(gettext("Measure"), "", _called, number=False),
        own(gettext("Value"), digits(3)),
        own(gettext("Interval"), interval(3)),
        own(gettext("Ratings"), ratings),
        own(gettext("Texts"), items),
        own(gettext("Raters"), raters),
        Shown(gettext("Before rules"), "", digits(3), before=True),
        Shown(gettext("Interval before rules"), "", interval(3), before=True),
    ]
    for table in table_of(whole, caption, columns, lines, by=("label",)):
        yield replace(table, aside=_aside(whole, len(lines)))


def _aside(rows: StoredRows, n: int) -> str:
    """Return the sentence that explains why a table of several measures is folded behind the chosen one."""
    if n < 2 or chosen(rows) is None:
        return ""
    return gettext(
        "All measures that this run computed, to compare with other studies. The measure above was chosen by scale and "
        "design; choosing the highest value among them would overstate agreement."
    )


def _measures(rows: StoredRows) -> Iterator[ResultRow]:
    order = OF_LABELS if rows.has("gwet_ac1") else OF_STEPS if rows.has("gwet_ac2") else OF_NUMBERS
    for statistic in order:
        of_statistic = rows.of(statistic)
        # If there are rows of logarithms, only the file of results has the rows of the values as given.
        logs = [row for row in of_statistic if (row.label or "").endswith("of logs")]
        yield from (logs or of_statistic) if statistic in {"icc", "noise_bound"} else of_statistic[:1]


def _called(row: ResultRow | None) -> Cell:
    measure = _with_settings(row) if row is not None else ""
    return Cell(measure, measure)


def _with_settings(row: ResultRow) -> str:
    """Return the name of a measure, with its level, form or weights."""
    settings = row.settings or {}
    if row.statistic == "icc":
        model = str(settings.get("model", "")).replace(" k ", f" {settings.get('k', 'k')} ")
        return f"{row.label}: {model}" if model else str(row.label)
    more = settings.get("level") or (settings.get("weights") if row.statistic == "gwet_ac2" else None)
    return f"{formats.statistic(row)} ({more})" if more else formats.statistic(row)


@shared_table("kappa", "correlation", order=10, folded=True)
def pairs_of_raters(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each pair of raters."""
    columns = [
        named(gettext("Raters"), lambda row: row.label),
        named(gettext("Measure"), formats.statistic),
        own(gettext("Value"), digits(3)),
        own(gettext("Interval"), interval(3)),
        own(gettext("Texts"), items),
    ]
    yield from table_of(rows.whole, gettext("Pairs of raters"), columns, rows.whole.of(*OF_RATER_PAIRS))
