"""Shares of wins of pairs of systems with raters and texts both random, and the rows of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows
from analytics_app.analyses.shared.crossed import FORMULA, IN_WORDS, ONE_ITEM, ONE_RATER, settings_of, test_of
from analytics_app.analyses.shared.pairs import names_of
from analytics_app.ratings import Floats
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.mixed.preferences import PreferredPair, preference_shares
from analytics_app.stats.mixed.results import MIXED_MODEL, CrossedComparison
from analytics_app.stats.values import Estimate, joined

# With two systems alone, what systems do on an item is what the item does.
_OF_ONE_SHARE = ("item", "rater", "cluster")


@dataclass(frozen=True, slots=True)
class Preferred:
    """Judgments of two systems each: `preference` is 1 where the first is better, 0 the second, .5 a tie.

    `document` is None where intervals are over items.
    """

    preference: Floats
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    item: NDArray[np.int64]
    rater: NDArray[np.int32]
    document: NDArray[np.int64] | None
    systems: tuple[str, ...]

    @property
    def refusal(self) -> str | None:
        """Return why further raters, or further texts, cannot be spoken of; None if they can."""
        return _refusal(len(np.unique(self.rater)), len(np.unique(self.item)))


def preferred_rows(
    make: Rows,
    preferred: Preferred,
    pairs: Sequence[tuple[int, int]],
    statistic: str,
    *,
    settings: dict[str, Any],
    note: str | None = None,
) -> Iterator[Row]:
    """Yield the row of each pair: its share of wins with interval and test, for further raters and further texts.

    A pair that one rater judged, or of which one text was judged, has no value, and its row says why.
    """
    common = make.sample.common
    shares = preference_shares(
        preferred.preference,
        preferred.first,
        preferred.second,
        preferred.item,
        preferred.rater,
        pairs=pairs,
        confidence=common.confidence,
        clusters=preferred.document,
    )
    shares = tuple(map(_or_refused, shares))
    adjusted = adjust([pair.difference.p for pair in shares], common.correction)
    family = {"correction": common.correction, "family": f"{len(pairs)} pairs of one criterion"}
    for pair, p in zip(shares, adjusted, strict=True):
        about = _settings(pair) if pair.difference.value is not None else {}
        yield make.row(
            statistic,
            pair.difference,
            **names_of(preferred.systems, pair.a, pair.b),
            p_adjusted=p,
            settings={**settings, **about, **(family if about else {})},
            note=joined(pair.difference.note, note_of_one(pair.model) if pair.model is not None else None, note),
        )


def _refusal(n_raters: int, n_items: int) -> str | None:
    if n_raters < 2:
        return ONE_RATER
    return ONE_ITEM if n_items < 2 else None


def _or_refused(pair: PreferredPair) -> PreferredPair:
    share = pair.difference
    if share.value is None or (refusal := _refusal(share.n_raters or 0, share.n_items or 0)) is None:
        return pair
    refused = Estimate(None, n_ratings=share.n_ratings, n_items=share.n_items, n_raters=share.n_raters, note=refusal)
    return replace(pair, difference=refused, model=None)


def _settings(pair: PreferredPair) -> dict[str, Any]:
    if pair.model is None:
        exact = "judgments that share no rater and no text"
        return {
            "method": "exact",
            "interval": f"Clopper-Pearson, of {exact}",
            "test": f"exact sign test of {exact}",
            "generalises_to": TO_RATERS_AND_TEXTS,
        }
    return settings_of_one(pair.model, "win ~ 1")


def settings_of_one(model: CrossedComparison, formula: str) -> dict[str, Any]:
    """Return the settings of a share that has a model of its own; `formula` is the model without its random terms."""
    about = settings_of(model)
    if model.method != MIXED_MODEL:
        return {**about, "test": test_of(model)}
    terms = [FORMULA[name] for name in _OF_ONE_SHARE if name in model.sd]
    left_out = [name for name in model.left_out if name in _OF_ONE_SHARE]
    about |= {"model": " + ".join([formula, *terms]), "test": test_of(model)}
    if not left_out:
        about.pop("left_out", None)
        return about
    return {**about, "left_out": left_out}


def note_of_one(model: CrossedComparison) -> str | None:
    """Return the note of a share that has a model of its own."""
    zero = ", ".join(IN_WORDS[name] for name in model.zero)
    left_out = {name: why for name, why in model.left_out.items() if name in _OF_ONE_SHARE}
    return joined(
        model.note,
        *(f"Without {IN_WORDS[name]}: {why}" for name, why in left_out.items()),
        f"Variance estimated as 0: {zero}." if zero else None,
    )
