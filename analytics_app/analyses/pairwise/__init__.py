"""Pairwise comparisons: who wins, how often, how surely; the side chosen; Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Filters, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.pairs import Preferences, chosen_pairs
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.win_rates import WinRate, sign_test, win_rates
from analytics_app.stats.estimate import joined
from analytics_app.stats.ranking.bradley_terry import bradley_terry
from analytics_app.stats.ranking.strengths import Strengths
from tasks_app.task_types.base import Scale

LEFT, RIGHT = 1.0, 2.0
FEW_RATERS = "Fewer than 10 raters: this interval is rough."
RATERS_NEEDED = 10
ALL_PLACED = "Chains of wins lead from every system to every other one."
NOT_PLACED = "Wins do not place these systems among the others: {names}."


@register
class Pairwise(Analysis):
    """Answers about two texts, pair by pair of systems, and the strengths that explain them.

    Win rates leave ties out, or count them half, with bootstrap intervals over items; the sign test is over items, on
    which of the two was preferred more often. "Both are bad" is a tie that is also counted by itself. Strengths are
    those of Bradley and Terry's model, for systems that chains of wins link both ways.
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
    told_apart_by = ("ties",)
    statistics = {
        "pair_wins": _("Wins"),
        "pair_losses": _("Losses"),
        "pair_ties": _("Ties"),
        "pair_both_bad": _("Both bad"),
        "win_rate": _("Win rate without ties"),
        "win_rate_half": _("Win rate, ties half"),
        "left_share": _("Share of left texts chosen"),
        "bt_strength": _("Bradley-Terry strength"),
        "bt_rank": _("Rank by Bradley-Terry strength, with its range"),
        "bt_log_ties": _("Tie parameter of Davidson's model (log nu)"),
        "bt_placed": _("Systems connected by wins"),
    }

    class Settings(Filters):
        ties = forms.ChoiceField(
            choices=(("half", _("as half a win of each")), ("davidson", _("by Davidson's model"))),
            initial="half",
            label=_("Ties in Bradley-Terry"),
        )

    def of_pairs(self, sample: Sample, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the leading row of a pair of systems is called."""
        return {"statistic": "win_rate"}

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the rows of pairs, of sides and of strengths."""
        given = Preferences.of(sample)
        make = Rows(self.name, sample)
        if len(given.systems) > 1:
            yield from _of_pairs(make, given)
            yield from _strengths(make, given, str(settings["ties"]))
        yield from _sides(make)


def _of_pairs(make: Rows, given: Preferences) -> Iterator[Row]:
    common = make.sample.common
    pairs = chosen_pairs(given.systems, common.pairs)
    compared = {frozenset(pair) for pair in zip(given.first.tolist(), given.second.tolist(), strict=True)}
    pairs = [pair for pair in pairs if frozenset(pair) in compared]
    if not pairs:
        return
    drawn = bootstrap(make.sample, "preferences", given.unit)
    found = win_rates(
        given.first,
        given.second,
        given.sign,
        given.cluster,
        pairs,
        **drawn.options,
    ).pairs
    adjusted = adjust([one.rate.p for one in found], common.correction)
    low = np.minimum(given.first, given.second) * len(given.systems) + np.maximum(given.first, given.second)
    for one, p in zip(found, adjusted, strict=True):
        mine = low == min(one.a, one.b) * len(given.systems) + max(one.a, one.b)
        yield from _pair(make, given, one, p, mine, len(pairs), drawn.said)


def _pair(
    make: Rows,
    given: Preferences,
    one: WinRate,
    p: float | None,
    mine: np.ndarray[Any, np.dtype[np.bool_]],
    n: int,
    said: dict[str, Any],
) -> Iterator[Row]:
    common = make.sample.common
    about: dict[str, Any] = {
        "system": given.systems[one.a],
        "system_b": given.systems[one.b],
        "by_system": True,
        "n_ratings": int(mine.sum()),
        "n_items": one.rate.n_items,
        "n_raters": len(np.unique(given.rater[mine])),
    }
    bad = int((mine & given.both_bad).sum())
    counts = {"pair_wins": one.wins, "pair_losses": one.losses, "pair_ties": one.ties - bad, "pair_both_bad": bad}
    for name, count in counts.items():
        yield make.row(name, value=float(count), **about, settings={"both_bad": "counted apart from ties"})
    test = {
        "test": f"exact sign test over {given.unit}: {one.items_won} to {one.items_lost}",
        "correction": common.correction,
        "family": f"{n} pairs of one criterion",
    }
    yield make.row(
        "win_rate",
        one.rate,
        **about,
        p_adjusted=p,
        settings={**said, "ties": "left out", "both_bad": "left out", **test},
    )
    yield make.row("win_rate_half", one.rate_half, **about, settings={**said, "ties": "one half", "both_bad": "a tie"})


def _strengths(make: Rows, given: Preferences, ties: str) -> Iterator[Row]:
    drawn = bootstrap(make.sample, "strengths", given.unit)
    pairs = chosen_pairs(given.systems, None)
    counted = win_rates(
        given.first,
        given.second,
        given.sign,
        given.cluster,
        pairs,
        **drawn.options,
    )
    found = bradley_terry(
        pairs,
        [(one.wins, one.losses, one.ties) for one in counted.pairs],
        len(given.systems),
        ties="davidson" if ties == "davidson" else "half",
        resampled=counted.resampled,
        n_items=len(np.unique(given.cluster)),
        confidence=drawn.options["confidence"],
    )
    said = {"ties": ties, "both_bad": "a tie", **drawn.said}
    for code, key in enumerate(given.systems):
        mine = (given.first == code) | (given.second == code)
        about: dict[str, Any] = {
            "system": key,
            "by_system": True,
            "n_ratings": int(mine.sum()),
            "n_items": len(np.unique(given.cluster[mine])),
            "n_raters": len(np.unique(given.rater[mine])),
            "settings": said,
        }
        yield make.row("bt_strength", found.strengths[code], **about)
        yield make.row("bt_rank", found.ranks[code], **about)
    if found.log_ties is not None:
        yield make.row("bt_log_ties", found.log_ties, by_system=True, settings=said)
    yield placed_row(make, "bt_placed", found, given.systems, {"ties": ties, "both_bad": "a tie"})


def placed_row(make: Rows, name: str, found: Strengths, systems: tuple[str, ...], said: dict[str, Any]) -> Row:
    """Say how many systems a model places, and which ones it cannot."""
    left = [key for key, one in zip(systems, found.strengths, strict=True) if one.value is None]
    note = joined(NOT_PLACED.format(names=", ".join(left)) if left else ALL_PLACED, found.note)
    return make.row(name, value=float(len(systems) - len(left)), by_system=True, note=note, settings=said)


def _sides(make: Rows) -> Iterator[Row]:
    """Yield how often the left one of two texts was chosen: over raters, since each has a habit of their own."""
    table, drawn = make.sample.table, bootstrap(make.sample, "sides", "raters")
    chosen = (table.shown == LEFT) | (table.shown == RIGHT)
    if not chosen.any():
        return
    left, rater = (table.shown[chosen] == LEFT).astype(float), table.rater[chosen]
    (found,) = group_means(
        left,
        np.zeros(len(left), dtype=np.intp),
        rater,
        n_groups=1,
        **drawn.options,
    )
    net = np.bincount(rater, weights=2 * left - 1)
    n_raters = len(np.unique(rater))
    more, fewer = int((net > 0).sum()), int((net < 0).sum())
    yield make.row(
        "left_share",
        found,
        n_ratings=len(left),
        n_items=len(np.unique(table.unit[chosen])),
        n_raters=n_raters,
        p=sign_test(more, fewer),
        note=joined(found.note, FEW_RATERS if n_raters < RATERS_NEEDED else None),
        settings={
            **drawn.said,
            "test": f"exact sign test over raters: {more} more often left, {fewer} more often right",
        },
    )
