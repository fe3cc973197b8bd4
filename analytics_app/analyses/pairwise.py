"""Pairwise comparisons: win rates with intervals, the chosen side, and Bradley-Terry strengths."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.families import sign_test_notes
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.over_raters import rough, with_limits
from analytics_app.analyses.shared.pairs import Preferences, chosen_pairs, names_of
from analytics_app.analyses.shared.preferred import Preferred, preferred_rows
from analytics_app.charts.compared import pair_shares, strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material
from analytics_app.ratings import Floats
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.show.comparisons import Comparison, Verb, compares
from analytics_app.show.formats import digits, interval, items, p, p_below, ranks, ratings, share, share_interval, whole
from analytics_app.show.shown import Shown, StoredRows, by_pair, by_system, facts, subsets, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.win_rates import WinRate, sign_test, win_rates
from analytics_app.stats.mixed.strengths import crossed_strengths
from analytics_app.stats.ranking.bradley_terry import bradley_terry
from analytics_app.stats.ranking.connected import all_linked
from analytics_app.stats.ranking.strengths import Strengths
from analytics_app.stats.values import joined
from tasks_app.settings.fields import choice_field
from tasks_app.task_types.base import Scale

LEFT, RIGHT = 1.0, 2.0
ALL_PLACED = "Chains of wins lead from every system to every other one."
PLACED_BY_TIES = (
    "Chains of wins and ties lead from every system to every other one; without ties, wins alone would not place them "
    "all."
)
ONLY_TIES = "All comparisons are ties, so all systems have the same strength: no win says which is better."
NOT_PLACED = "Wins do not place these systems among the others: {names}."


@register
class Pairwise(FilteredAnalysis):
    """Answers about two texts, pair by pair of systems, and the strengths that explain them.

    Win rates leave ties out, or count them half, with bootstrap intervals over items; the sign test is over items, on
    which of the two was preferred more often. Unless the plan says otherwise, shares of wins (ties half) are also
    tested with raters and items both random, and strengths have intervals clustered by both. "Both are bad" is a tie
    that is also counted by itself. Strengths are those of Bradley and Terry's model, for systems that chains of wins
    link both ways.
    """

    label = _("Pairwise preferences")
    summary = _("Wins, losses and ties of every two systems, win rates, sign tests, and Bradley-Terry strengths.")
    source = (
        "Bradley and Terry (1952). Rank analysis of incomplete block designs. Biometrika 39, 324-345. Davidson (1970). "
        "On extending the Bradley-Terry model to accommodate ties. JASA 65, 317-328. Dixon and Mood (1946). The "
        "statistical sign test. JASA 41, 557-566."
    )
    scales = frozenset({Scale.NOMINAL})
    task_types = frozenset({"pairwise"})
    distinguishing_settings = ("ties",)
    statistics = {
        "pair_wins": _("Wins"),
        "pair_losses": _("Losses"),
        "pair_ties": _("Ties"),
        "pair_both_bad": _("Both bad"),
        "win_rate": _("Win rate without ties"),
        "win_rate_half": _("Win rate, ties half"),
        "win_rate_crossed": _("Win rate, ties half, for further raters and texts"),
        "left_share": _("Share of left texts chosen"),
        "bt_strength": _("Bradley-Terry strength"),
        "bt_strength_crossed": _("Bradley-Terry strength, for further raters and texts"),
        "bt_rank": _("Rank by Bradley-Terry strength, with its range"),
        "bt_log_ties": _("Tie parameter of Davidson's model (log nu)"),
        "bt_placed": _("Systems connected by wins"),
    }

    ties = choice_field(
        _("Ties in Bradley-Terry"),
        (("half", _("as half a win of each")), ("davidson", _("by Davidson's model"))),
        initial="half",
    )

    def of_pairs(self, sample: Sample) -> dict[str, Any]:
        """Return the columns that identify the leading row of a pair of systems."""
        return {"statistic": "win_rate"}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of pairs, of sides and of strengths."""
        preferences = Preferences.of(sample)
        make = Rows(self.name, sample)
        if len(preferences.systems) > 1:
            pairs = _compared(preferences, sample.common.pairs)
            if sample.common.generalise_to == "raters_and_texts":
                yield from _crossed(make, preferences, pairs)
            if pairs:
                yield from _of_pairs(make, preferences, pairs)
            yield from _strengths(make, preferences, self.ties)
        yield from _sides(make)


def _compared(preferences: Preferences, planned: Sequence[tuple[str, str]] | None) -> list[tuple[int, int]]:
    """Return the pairs of systems to compare of which there are answers."""
    compared = {frozenset(pair) for pair in zip(preferences.first.tolist(), preferences.second.tolist(), strict=True)}
    return [pair for pair in chosen_pairs(preferences.systems, planned) if frozenset(pair) in compared]


def _crossed(make: Rows, preferences: Preferences, pairs: list[tuple[int, int]]) -> Iterator[Row]:
    """Yield shares of wins and strengths with raters and items both random."""
    preferred = Preferred(
        preference=(preferences.sign + 1) / 2,
        first=preferences.first,
        second=preferences.second,
        item=preferences.item,
        rater=preferences.rater,
        document=preferences.cluster if preferences.unit == "documents" else None,
        systems=preferences.systems,
    )
    ties = {"ties": "one half", "both_bad": "a tie"}
    yield from preferred_rows(make, preferred, pairs, "win_rate_crossed", settings=ties)
    if preferred.refusal is not None:
        return
    strengths = crossed_strengths(
        preferred.preference,
        preferred.first,
        preferred.second,
        preferred.item,
        preferred.rater,
        n_systems=len(preferences.systems),
        confidence=make.sample.common.confidence,
        clusters=preferred.document,
    )
    settings = {**ties, "interval": "t, two-way robust", "generalises_to": TO_RATERS_AND_TEXTS}
    for key, strength in zip(preferences.systems, strengths, strict=True):
        yield make.row("bt_strength_crossed", strength, system=key, settings=settings)


def _of_pairs(make: Rows, preferences: Preferences, pairs: list[tuple[int, int]]) -> Iterator[Row]:
    common = make.sample.common
    drawn = bootstrap(make.sample, "preferences", preferences.unit)
    rates = win_rates(
        preferences.first,
        preferences.second,
        preferences.sign,
        preferences.cluster,
        pairs,
        **drawn.options,
    ).pairs
    adjusted = adjust([result.rate.p for result in rates], common.correction)
    low = np.minimum(preferences.first, preferences.second) * len(preferences.systems) + np.maximum(
        preferences.first, preferences.second
    )
    for result, adjusted_p in zip(rates, adjusted, strict=True):
        of_pair = low == min(result.a, result.b) * len(preferences.systems) + max(result.a, result.b)
        yield from _pair(make, preferences, result, adjusted_p, of_pair, len(pairs), drawn.settings)


def _pair(
    make: Rows,
    preferences: Preferences,
    result: WinRate,
    p: float | None,
    of_pair: np.ndarray[Any, np.dtype[np.bool_]],
    n: int,
    settings: dict[str, Any],
) -> Iterator[Row]:
    common = make.sample.common
    about: dict[str, Any] = {
        **names_of(preferences.systems, result.a, result.b),
        "n_ratings": int(of_pair.sum()),
        "n_items": result.rate.n_items,
        "n_raters": len(np.unique(preferences.rater[of_pair])),
    }
    bad = int((of_pair & preferences.both_bad).sum())
    counts = {
        "pair_wins": result.wins,
        "pair_losses": result.losses,
        "pair_ties": result.ties - bad,
        "pair_both_bad": bad,
    }
    for name, count in counts.items():
        yield make.row(name, value=float(count), **about, settings={"both_bad": "counted apart from ties"})
    test = {
        "test": f"exact sign test over {preferences.unit}: {result.items_won} to {result.items_lost}",
        "correction": common.correction,
        "family": f"{n} pairs of one criterion",
    }
    reason, few = sign_test_notes(common, result, preferences.unit)
    yield make.row(
        "win_rate",
        result.rate,
        **about,
        p_adjusted=p,
        note=joined(result.rate.note, reason),
        settings={**settings, "ties": "left out", "both_bad": "left out", **test, **few},
    )
    yield make.row(
        "win_rate_half", result.rate_half, **about, settings={**settings, "ties": "one half", "both_bad": "a tie"}
    )


def _strengths(make: Rows, preferences: Preferences, ties: str) -> Iterator[Row]:
    drawn = bootstrap(make.sample, "strengths", preferences.unit)
    pairs = chosen_pairs(preferences.systems, None)
    counted = win_rates(
        preferences.first,
        preferences.second,
        preferences.sign,
        preferences.cluster,
        pairs,
        **drawn.options,
    )
    model = bradley_terry(
        pairs,
        [(result.wins, result.losses, result.ties) for result in counted.pairs],
        len(preferences.systems),
        ties="davidson" if ties == "davidson" else "half",
        resampled=counted.resampled,
        n_items=len(np.unique(preferences.cluster)),
        confidence=drawn.options["confidence"],
    )
    settings = {"ties": ties, "both_bad": "a tie", **drawn.settings}
    for code, key in enumerate(preferences.systems):
        of_system = (preferences.first == code) | (preferences.second == code)
        about: dict[str, Any] = {
            "system": key,
            "n_ratings": int(of_system.sum()),
            "n_items": len(np.unique(preferences.cluster[of_system])),
            "n_raters": len(np.unique(preferences.rater[of_system])),
            "settings": settings,
        }
        yield make.row("bt_strength", model.strengths[code], **about)
        yield make.row("bt_rank", model.ranks[code], **about)
    if model.log_ties is not None:
        yield make.row("bt_log_ties", model.log_ties, by_system=True, settings=settings)
    wins, _ties = preferences.totals()
    yield placed_row(make, "bt_placed", model, preferences.systems, {"ties": ties, "both_bad": "a tie"}, wins)


def placed_row(
    make: Rows, name: str, model: Strengths, systems: tuple[str, ...], settings: dict[str, Any], wins: Floats
) -> Row:
    """Return the row with the number of systems that a model places; its note names the others, or says why all are.

    `wins` counts how often the system of a row was better than that of a column, without ties.
    """
    unplaced = [key for key, strength in zip(systems, model.strengths, strict=True) if strength.value is None]
    if unplaced:
        why = NOT_PLACED.format(names=", ".join(unplaced))
    elif not wins.any():
        why = ONLY_TIES
    else:
        why = ALL_PLACED if all_linked(wins) else PLACED_BY_TIES
    note = joined(why, model.note)
    return make.row(name, value=float(len(systems) - len(unplaced)), by_system=True, note=note, settings=settings)


def _sides(make: Rows) -> Iterator[Row]:
    """Yield the share of choices of the left text, with an interval over raters, since the habit is a rater's."""
    table, drawn = make.sample.table, bootstrap(make.sample, "sides", "raters")
    chosen = (table.shown == LEFT) | (table.shown == RIGHT)
    if not chosen.any():
        return
    left, rater = (table.shown[chosen] == LEFT).astype(float), table.rater[chosen]
    (estimate,) = group_means(
        left,
        np.zeros(len(left), dtype=np.intp),
        rater,
        n_groups=1,
        shares=True,
        **drawn.options,
    )
    estimate, settings = with_limits(make.sample, estimate, left, rater, drawn.settings, share=True)
    net = np.bincount(rater, weights=2 * left - 1)
    n_raters = len(np.unique(rater))
    more, fewer = int((net > 0).sum()), int((net < 0).sum())
    yield make.row(
        "left_share",
        estimate,
        n_ratings=len(left),
        n_items=len(np.unique(table.unit[chosen])),
        n_raters=n_raters,
        p=sign_test(more, fewer),
        note=joined(estimate.note, rough(make.sample.common, n_raters)),
        settings={
            **settings,
            "test": f"exact sign test over raters: {more} more often left, {fewer} more often right",
        },
    )


# Tables of pairwise preferences: pairs, strengths, sides.


@tables_of("pairwise")
def pairwise(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield pairs first, then strengths, then the side that was chosen."""
    crossed = rows.whole.has("win_rate_crossed")
    columns = [
        Shown(gettext("Comparisons"), "win_rate_half", ratings),
        *(_crossed_columns(limit) if crossed else []),
        Shown(gettext("Wins"), "pair_wins", whole),
        Shown(gettext("Losses"), "pair_losses", whole),
        Shown(gettext("Ties"), "pair_ties", whole),
        Shown(gettext("Both bad"), "pair_both_bad", whole),
        Shown(gettext("Win rate, these raters") if crossed else gettext("Win rate"), "win_rate_half", share),
        Shown(gettext("Interval, these raters") if crossed else gettext("Interval"), "win_rate_half", share_interval),
        Shown(gettext("Adjusted p, these raters") if crossed else gettext("Adjusted p"), "win_rate", p_below(limit)),
        Shown(gettext("p, these raters") if crossed else gettext("p"), "win_rate", p),
        Shown(gettext("Items"), "win_rate_half", items),
        Shown(gettext("Without ties"), "win_rate", share),
        Shown(gettext("Interval without ties"), "win_rate", share_interval),
    ]
    caption = gettext("Preferences by pair (ties count half; the sign test leaves them out)")
    yield from by_pair(
        rows.whole, caption, columns, lead="win_rate_crossed" if crossed else "win_rate_half", sign=gettext("over")
    )
    strengths = [
        Shown(gettext("Comparisons"), "bt_strength", ratings),
        Shown(gettext("Strength (log)"), "bt_strength", digits(2)),
        Shown(gettext("For further texts and raters"), "bt_strength_crossed", interval(2)),
        Shown(gettext("Interval, these raters") if crossed else gettext("Interval"), "bt_strength", interval(2)),
        Shown(gettext("Rank"), "bt_rank", whole),
        Shown(gettext("Rank range"), "bt_rank", ranks),
    ]
    yield from by_system(
        rows.whole, gettext("Bradley-Terry strengths"), strengths, lead="bt_strength", also="bt_placed"
    )
    yield from facts(rows.whole, gettext("Sides and ties"), {"left_share": digits(2), "bt_log_ties": digits(2)})
    yield from subsets(rows, limit, gettext("Preferences by subset"))


def _crossed_columns(limit: float) -> list[Shown]:
    """Return the columns of shares of wins with raters and items both random."""
    return [
        Shown(gettext("Win rate"), "win_rate_crossed", share),
        Shown(gettext("For further texts and raters"), "win_rate_crossed", share_interval),
        Shown(gettext("Adjusted p"), "win_rate_crossed", p_below(limit)),
        Shown(gettext("p"), "win_rate_crossed", p),
    ]


# Charts of pairwise preferences: pairs, and strengths.


@chart(order=3)
def preferences(material: Material) -> Iterator[Sketch]:
    """Draw the share of preferences for the first system of every pair; ties count half."""
    yield from pair_shares(
        material, "win_rate_half", "win_rate", "preferences", "is preferred to", "over", crossed="win_rate_crossed"
    )


@chart(order=6)
def strengths(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their strength in the model of Bradley and Terry."""
    crossed = [row for row in material.of("bt_strength_crossed") if row.low is not None]
    yield from strengths_of(
        material,
        "bt_strength_crossed" if crossed else "bt_strength",
        "strengths",
        "Bradley-Terry strength (log)",
        ("is the strongest", "strengths"),
    )


# The finding that the tests of preferences support.

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
