"""The smallest difference that a draft shows with 80 % power, in a sentence beside its numbers and its cost."""

from dataclasses import replace
from functools import lru_cache
from math import floor

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.selectors.planning import OF_THE_RANGE
from analytics_app.show.cells import figure
from analytics_app.stats.planning.power import Assumed, spread_of_difference
from analytics_app.stats.planning.sign_power import MOST_ITEMS
from analytics_app.stats.planning.smallest import (
    smallest_difference,
    smallest_preference,
    smallest_share_of_discriminators,
)
from tasks_app.setup import detectable
from tasks_app.setup.detectable import TaskSize

ALPHA, POWER = 0.05, 0.8
# Where less than this share of a difference is left at the ends of the scale, it is said.
LEFT = 0.9
# Share of ties that is usual in comparisons of two texts, as in the form of the planning page.
TIES = 0.2


def register() -> None:
    """Offer the sentence to the pages on which studies are set up."""
    detectable.register(sentence)


def sentence(size: TaskSize) -> str:
    """Return the sentence for a task; empty if it compares nothing, or no test is planned for its answers."""
    params = size.kind.params
    if {"goal", "pd"} <= params.keys():
        return _discrimination(size) if params["goal"] == "difference" else ""
    if size.systems < 2:
        return ""
    if any(outcome.per == "pair" for outcome in size.kind.outcomes):
        return _preference(size)
    scale = size.kind.scale_of()
    return _means(size, scale) if scale is not None and _is_rated(size) else ""


def _is_rated(size: TaskSize) -> bool:
    """Return whether each text gets a value of its own per criterion (no rank), and items have texts to compare."""
    rated = (outcome.per == "criterion" and not outcome.low_is_good for outcome in size.kind.outcomes)
    return size.items > 1 and any(rated)


def _means(size: TaskSize, scale: tuple[float, float, float]) -> str:
    per_text = max(1, round(size.per_text))
    raters = max(size.raters, per_text)
    if raters < 2:
        return _("One rater judges everything, so no difference can be generalised to other raters.")
    sizes = _of_means(size.items, per_text, raters, size.systems, scale)
    if sizes is None:
        return _(
            "Too few items or raters: not even the largest difference between two systems could be detected with 80 % "
            "power."
        )
    difference, left = sizes
    pairs = size.systems * (size.systems - 1) // 2
    about = {
        "difference": _points(difference),
        "left": _points(left),
        "items": formats.number_format(size.items),
        "raters": formats.number_format(raters),
        "pairs": formats.number_format(pairs),
    }
    sentence = ngettext(
        "Smallest difference between two systems that can be detected with 80 %% power: about %(difference)s "
        "points (mixed model with %(items)s items and %(raters)s raters at 0.05; usual standard deviations are "
        "assumed).",
        "Smallest difference between two systems that can be detected with 80 %% power: about %(difference)s "
        "points (mixed model with %(items)s items and %(raters)s raters at 0.05, corrected for %(pairs)s pairs; "
        "usual standard deviations are assumed).",
        pairs,
    )
    if left < LEFT * difference:
        sentence += " " + _("Mean ratings then differ by %(left)s, since ratings are cut at the ends of the scale.")
    return sentence % about


def _points(difference: float) -> str:
    return figure(difference, 2 if difference < 10 else 0)


def _preference(size: TaskSize) -> str:
    pairs = size.systems * (size.systems - 1) // 2
    per_pair = min(floor(size.units / pairs), MOST_ITEMS)
    wins = _of_preferences(per_pair, pairs) if per_pair else None
    if wins is None:
        return _("Too few comparisons of each pair: not even a preference of 100 % could be detected with 80 % power.")
    about = {"wins": _percent(wins), "n": formats.number_format(per_pair), "pairs": formats.number_format(pairs)}
    return (
        ngettext(
            "Smallest preference for one of the two systems that can be detected with 80 %% power: %(wins)s of the "
            "answers that are not ties (sign test over %(n)s items at 0.05; one answer in five is assumed to be a "
            "tie).",
            "Smallest preference for one of two systems that can be detected with 80 %% power: %(wins)s of the answers "
            "that are not ties (sign test over %(n)s items per pair at 0.05, corrected for %(pairs)s pairs; one answer "
            "in five is assumed to be a tie).",
            pairs,
        )
        % about
    )


def _discrimination(size: TaskSize) -> str:
    alpha = float(str(size.kind.params["alpha"]))
    pairs = max(1, size.systems * (size.systems - 1) // 2)
    share = _of_triads(size.judgments // pairs, alpha) if size.judgments >= pairs else None
    if share is None:
        return _("Too few judgments: a difference that everybody notices could not be detected with 80 % power.")
    return _(
        "Smallest share of people who notice the difference that can be detected with 80 %% power: %(share)s (exact "
        "binomial test of %(n)s judgments per pair of systems at %(alpha)s)."
    ) % {
        "share": _percent(share),
        "n": formats.number_format(size.judgments // pairs),
        "alpha": formats.number_format(alpha),
    }


def _percent(share: float) -> str:
    return f"{formats.number_format(100 * share, 0)} %"


# The same numbers are asked for at every change of a form.
@lru_cache(maxsize=256)
def _of_means(
    items: int, per_text: int, raters: int, systems: int, scale: tuple[float, float, float]
) -> tuple[float, float] | None:
    """Return the smallest difference in units of the scale, and the part of it that the ends of the scale leave.

    None where no difference within the range of the scale is found. As on the planning page, whole steps are rounded
    and cut at their ends, and the equal systems are in the middle of the scale.
    """
    least, most, step = scale
    spreads = {name: share * (most - least) for name, share in OF_THE_RANGE.items() if name.startswith("sd_")}
    steps = round(most - least) + 1 if step == 1 else 0
    assumed = Assumed(
        0.0, systems=systems, raters_per_text=per_text, raters=raters, steps=steps, middle=(steps + 1) / 2, **spreads
    )
    difference = smallest_difference(assumed, items, alpha=ALPHA / (systems * (systems - 1) / 2), power=POWER)
    if difference is None or difference > most - least:
        return None
    return difference, spread_of_difference(replace(assumed, difference=difference), items).difference


@lru_cache(maxsize=256)
def _of_preferences(items: int, pairs: int) -> float | None:
    return smallest_preference(items, ties=TIES, alpha=ALPHA / pairs, power=POWER)


@lru_cache(maxsize=256)
def _of_triads(judgments: int, alpha: float) -> float | None:
    return smallest_share_of_discriminators(judgments, alpha=alpha, power=POWER)
