"""Right answers with raters and texts both random: of systems, of pairs, and against chance."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from analytics_app.analyses.base import Rows
from analytics_app.analyses.known_truth.right import Right
from analytics_app.analyses.shared.crossed import ONE_ITEM, ONE_RATER
from analytics_app.analyses.shared.crossed_shares import Answered, Columns, crossed_columns
from analytics_app.analyses.shared.preferred import note_of_one, settings_of_one
from analytics_app.ratings import Mask
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.mixed.results import CrossedComparison
from analytics_app.stats.mixed.shares import share_above
from analytics_app.stats.values import Estimate, joined

SHARES = Columns(
    level="right_share_crossed",
    difference="right_difference_crossed",
    labels=[None],
    of="pairs of one criterion",
)
AGAINST = "right_against_chance_crossed"
EXACT = "answers that share no rater and no text"


def further_raters(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield shares of right answers with raters and texts both random, if the plan asks for them."""
    if make.sample.common.generalise_to != "raters_and_texts":
        return
    answered = Answered(
        values=answers.right[:, np.newaxis],
        system=answers.system,
        item=answers.item,
        rater=answers.rater,
        document=answers.cluster if answers.unit == "documents" else None,
        systems=answers.systems,
    )
    yield from crossed_columns(make, answered, SHARES, answers.pairs(make.sample))
    if answers.chance is not None:
        yield from _against_chance(make, answers)


def _against_chance(make: Rows, answers: Right) -> Iterator[Row]:
    """Yield the tests of all answers, and of each of several systems, against chance."""
    masks: list[tuple[str | None, Mask]] = [(None, answers.once)]
    if len(answers.systems) > 1:
        masks += [(name, answers.system == code) for code, name in enumerate(answers.systems)]
    tests = [(name, mask, *_above(make, answers, mask)) for name, mask in masks]
    common = make.sample.common
    adjusted = adjust([above.p for _name, _mask, above, _model in tests], common.correction)
    family = {"correction": common.correction, "family": f"{len(tests)} shares against chance of one criterion"}
    for (name, mask, above, model), p in zip(tests, adjusted, strict=True):
        settings: dict[str, Any] = {
            "chance": answers.mean_chance(mask),
            **({"own_options": True} if answers.own_options else {}),
        }
        if model is not None:
            settings |= {**_method(above, model), **family}
        note = joined(above.note, note_of_one(model) if model is not None and above.df is not None else None)
        yield make.row(
            AGAINST, above, system=name, by_system=name is not None, p_adjusted=p, note=note, settings=settings
        )


def _above(make: Rows, answers: Right, mask: Mask) -> tuple[Estimate, CrossedComparison | None]:
    """Return the share above chance of the answers in a mask; without a model, its note says why."""
    raters, items = (len(np.unique(column[mask])) for column in (answers.rater, answers.item))
    if min(raters, items) < 2 or answers.chance is None:
        reason = ONE_RATER if raters < 2 else ONE_ITEM
        return Estimate(None, n_ratings=int(mask.sum()), n_items=items, n_raters=raters, note=reason), None
    documents = answers.cluster[mask] if answers.unit == "documents" else None
    return share_above(
        answers.right[mask],
        answers.chance[mask],
        answers.item[mask],
        answers.rater[mask],
        confidence=make.sample.common.confidence,
        clusters=documents,
    )


def _method(above: Estimate, model: CrossedComparison) -> dict[str, Any]:
    if above.df is None and above.p is not None:
        return {
            "method": "exact",
            "interval": f"Clopper-Pearson, of {EXACT}",
            "test": f"exact binomial against chance, of {EXACT}",
            "generalises_to": TO_RATERS_AND_TEXTS,
        }
    return settings_of_one(model, "right - chance ~ 1")
