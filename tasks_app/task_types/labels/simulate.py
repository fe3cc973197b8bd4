"""Simulate raters who label a text."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from tasks_app.task_types.base import Criterion, Quality, Screen
from tasks_app.task_types.labels.form import CHOICE, DETAIL, NOTHING, TICK, WORDS
from tasks_app.task_types.labels.options import NONE
from tasks_app.task_types.list_fields import TICKED
from tasks_app.task_types.simulation import share_of

if TYPE_CHECKING:
    from tasks_app.task_types.labels import Labels

# Shares of the scale: an option is ticked from the first one on, and no option fits below the second one.
TICKED_FROM = 0.55
NONE_BELOW = 0.12


def simulated_answer(kind: Labels, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Answer a screen by the latent quality of its text for each option, with the noise of the rater's quality."""
    text = screen.shown_parts[0].part.content
    answer: dict[str, str] = {}
    for criterion in kind.asked(screen.shown_criteria):
        key, shown = criterion.key, kind.shown_options(screen, criterion)
        chosen = _chosen(kind, screen, criterion, quality, rng)
        if not kind.multiple:
            answer[CHOICE.format(key=key)] = chosen[0]
        elif chosen == [NONE]:
            answer[NOTHING.format(key=key)] = TICKED
        else:
            answer |= {TICK.format(n=shown.index(label) + 1, key=key): TICKED for label in chosen}
        if chosen == [NONE] and key in kind.none_text:
            answer[WORDS.format(key=key)] = "Something else"
        for detail in kind.details_of(key):
            if detail.label in chosen:
                share = share_of(text, f"{key}/{detail.label}/detail", quality, rng)
                answer[DETAIL.format(n=detail.number, key=key)] = _option_at(detail.options, share)
    return answer


def _chosen(kind: Labels, screen: Screen, criterion: Criterion, quality: Quality, rng: Random) -> list[str]:
    text, key = screen.shown_parts[0].part.content, criterion.key
    options = kind.options_of(screen, criterion)
    if key in kind.none_of_these and share_of(text, f"{key}/{NONE}", quality, rng) < NONE_BELOW:
        return [NONE]
    if not kind.multiple:
        return [_option_at(options, share_of(text, key, quality, rng))]
    shares = {option: share_of(text, f"{key}/{option}", quality, rng) for option in options}
    best = max(options, key=lambda option: shares[option])
    return [option for option in options if shares[option] >= TICKED_FROM or option == best]


def _option_at(options: Sequence[str], share: float) -> str:
    return options[min(len(options) - 1, int(share * len(options)))]
