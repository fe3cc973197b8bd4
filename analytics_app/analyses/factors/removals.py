"""Removal of pairs from the factors one by one: the steps in the settings, and their rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analytics_app.analyses.base import QuestionCriterion, Rows
from analytics_app.analyses.factors.solutions import Solution, aligned, solve, why_none
from analytics_app.results import Row
from analytics_app.stats.scales.reduction import loading_gaps, weakest_scale

# Reasons to remove a pair: one of two criteria, or its content, if it measures something else than the factors.
REASONS = ("communality", "cross-loading", "content")
SEPARATOR = "="


@dataclass(frozen=True, slots=True)
class Step:
    """The removal of a pair, for a reason."""

    pair: str
    reason: str

    def __str__(self) -> str:
        return f"{self.pair}{SEPARATOR}{self.reason}"


def read_steps(texts: Iterable[str]) -> list[Step]:
    """Return the removals that the settings of a run list.

    Raises
    ------
    ValueError
        A step is not written as key=reason, its reason is unknown, or its pair was removed already.
    """
    steps: list[Step] = []
    for text in texts:
        pair, separator, reason = (part.strip() for part in text.rpartition(SEPARATOR))
        if not pair or not separator or reason not in REASONS:
            raise ValueError(
                _("“%(step)s” must be key=reason, with one of these reasons: %(reasons)s.")
                % {"step": text, "reasons": ", ".join(REASONS)}
            )
        if any(step.pair == pair for step in steps):
            raise ValueError(_("“%(pair)s” is removed twice.") % {"pair": pair})
        steps.append(Step(pair, reason))
    return steps


def without(scales: tuple[QuestionCriterion, ...], removed: Sequence[Step]) -> tuple[QuestionCriterion, ...]:
    """Return the scales that remain after some removals."""
    pairs = {step.pair for step in removed}
    return tuple(scale for scale in scales if scale.key not in pairs)


def removals(
    make: Rows,
    now: Solution,
    scales: tuple[QuestionCriterion, ...],
    removed: Sequence[Step],
    n_factors: int | None,
) -> Iterator[Row]:
    """Yield each removal so far, and the loadings before the last of them.

    The solution before each removal is computed again from the ratings of this run.
    """
    before = now
    for number, step in enumerate(removed):
        before = solve(make.sample, without(scales, removed[:number]), n_factors)
        yield _removed(make, before, step, number + 1)
    if removed:
        yield from _before(make, before, now)


def next_removal(make: Rows, now: Solution, least_communality: float, least_gap: float) -> Iterator[Row]:
    """Yield the pair to remove next, or a row with a note that there is none."""
    if now.factored is None:
        return
    limits = {"least_communality": least_communality, "least_gap": least_gap}
    weakest = weakest_scale(now.factored.rotation.pattern, now.factored.communalities, **limits)
    if weakest is None:
        note = (
            f"No pair has a communality below {limits['least_communality']:g} or a loading gap below "
            f"{limits['least_gap']:g}."
        )
        yield make.row("next_removal", note=note, settings=limits)
        return
    row_settings = {**limits, "reason": weakest.criterion}
    yield make.row("next_removal", value=weakest.value, label=now.keys[weakest.place], settings=row_settings)


def _removed(make: Rows, before: Solution, step: Step, number: int) -> Row:
    """Return the row of a removal, with the figures of the pair in the solution before it."""
    settings: dict[str, Any] = {"step": number, "reason": step.reason}
    if before.factored is None or step.pair not in before.keys:
        note = why_none(before) if before.factored is None else "All of its ratings are the same."
        return make.row("removed_pair", label=step.pair, settings=settings, note=note)
    place, pattern = before.keys.index(step.pair), before.factored.rotation.pattern
    settings |= {"n_factors": before.k, "loadings": [round(float(loading), 4) for loading in pattern[place]]}
    if before.k > 1:
        settings["loading_gap"] = round(float(loading_gaps(pattern)[place]), 4)
    return make.row(
        "removed_pair", value=float(before.factored.communalities[place]), label=step.pair, settings=settings
    )


def _before(make: Rows, before: Solution, now: Solution) -> Iterator[Row]:
    """Yield the loadings before the last removal, in the order and direction of the factors now."""
    aligned_loadings = aligned(before, now)
    if aligned_loadings is None or before.factored is None:
        note = why_none(before if before.factored is None else now)
        yield make.row("loading_before", note=note)
        return
    names, loadings = aligned_loadings
    for place, key in enumerate(before.keys):
        for column, name in enumerate(names):
            yield make.row("loading_before", value=float(loadings[place, column]), label=key, metric=name)
        yield make.row("communality_before", value=float(before.factored.communalities[place]), label=key)
