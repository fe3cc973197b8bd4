"""Explain why no plan exists, and name the nearest settings that have one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tasks_app.designs.base import PlanImpossible, PlanSettings
from tasks_app.designs.engine.drawing import Drawing, is_square

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# Draws that must all succeed with settings before a refusal names them: advice that needs luck is no good. One draw is
# enough for plans with more places than these: it takes a second, and many units leave little to luck.
_ADVICE_DRAWS = 3
_ADVICE_PLACES = 3_000


def refusal(drawing: Drawing, settings: PlanSettings, rng: Random) -> PlanImpossible:
    """Return the reason why there is no plan, with the nearest settings that were tried and have one."""
    if settings.set_size > drawing.largest_set:
        reason = _(
            "Sets of {set_size} are too large: no rater judges a unit twice, and only {units} units need a judgment."
        )
    elif not drawing.may_fit(settings):
        reason = _("Units of one item cannot stand {spacing} apart in sets of {set_size}: there are too few items.")
    else:
        reason = _("No plan was found with sets of {set_size} and units of one item {spacing} apart.")
    explanation = format_lazy(reason, set_size=settings.set_size, spacing=settings.spacing, units=drawing.largest_set)
    nearest = {}
    set_size = _nearest_set_size(drawing, settings, rng)
    spacing = None if settings.set_size > drawing.largest_set else _nearest_spacing(drawing, settings, rng)
    if spacing is not None:
        nearest["spacing"] = spacing
    if set_size is not None:
        nearest["set_size"] = set_size
    return PlanImpossible(format_lazy("{} {}", explanation, _advice(nearest)), nearest)


def _advice(nearest: Mapping[str, int]) -> StrOrPromise:
    if len(nearest) == 2:
        return format_lazy(_("Choose a spacing of {spacing}, or a set size of {set_size}."), **nearest)
    if "spacing" in nearest:
        return format_lazy(_("Choose a spacing of {spacing}."), **nearest)
    if "set_size" in nearest:
        return format_lazy(_("Choose a set size of {set_size}."), **nearest)
    return _("Add items, or ask for fewer judgments of single units.")


def _works(drawing: Drawing, settings: PlanSettings, rng: Random) -> bool:
    draws = _ADVICE_DRAWS if sum(map(len, drawing.rounds)) <= _ADVICE_PLACES else 1
    return is_square(drawing.judged, settings) or (
        drawing.may_fit(settings) and all(drawing.draw_once(settings, rng) is not None for _draw in range(draws))
    )


def _nearest_set_size(drawing: Drawing, settings: PlanSettings, rng: Random) -> int | None:
    """Return the set size nearest to the one in the settings, the smaller of two, with the spacing kept."""
    largest = drawing.largest_set
    sizes = sorted(range(1, min(largest, 2 * settings.set_size) + 1), key=lambda size: abs(size - settings.set_size))
    others = (PlanSettings(size, settings.spacing) for size in sizes if size != settings.set_size)
    return next((other.set_size for other in others if _works(drawing, other, rng)), None)


def _nearest_spacing(drawing: Drawing, settings: PlanSettings, rng: Random) -> int | None:
    """Return the largest spacing below the one in the settings, with the set size kept: closer units always fit too."""
    works, fails = 0, settings.spacing
    while fails - works > 1:
        spacing = (works + fails) // 2
        if _works(drawing, PlanSettings(settings.set_size, spacing), rng):
            works = spacing
        else:
            fails = spacing
    return works or None
