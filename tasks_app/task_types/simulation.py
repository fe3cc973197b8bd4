"""The shared behaviour of simulated raters: texts have a latent quality, and raters stray from it by their own."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from tasks_app.task_types.data import Quality

# Deviation of a simulated rater's answer from the latent quality of a text, as a share of the scale.
NOISE = {Quality.CAREFUL: 0.08, Quality.SLOPPY: 0.3}

# The answer that a straight-liner always gives, as a share of the scale.
HABIT = 0.75

# How much higher simulated raters who read their work answer in each further wording of a question, as a share of the
# scale.
WORDING_SHIFT = 0.1

# How far the quality of a text with a planted level may be from that level, in both directions together.
AROUND_PLANTED = 0.4

# Planted levels (0 to 1) by text and criterion; a text without the criterion has the level of "".
Levels: TypeAlias = Mapping[str, Mapping[str, float]]

_planted: ContextVar[Levels] = ContextVar("planted", default=MappingProxyType({}))


@contextmanager
def planted(levels: Levels) -> Iterator[None]:
    """Let simulated raters find the planted levels in these texts; other texts keep their latent quality."""
    before = _planted.set(levels)
    try:
        yield
    finally:
        _planted.reset(before)


def latent_quality(text: str, criterion: str = "") -> float:
    """Return the latent quality of a text, 0 to 1: the same for all simulated raters but where a level is planted."""
    drawn = hashlib.sha256(f"{criterion}\n{text}".encode()).digest()
    # The mean of two uniform draws: most texts are middling, few are very good or very bad.
    quality = (drawn[0] + drawn[1]) / 510
    levels = _planted.get().get(text)
    level = None if levels is None else levels.get(criterion, levels.get(""))
    if level is None:
        return quality
    return min(1.0, max(0.0, level + AROUND_PLANTED * (quality - 0.5)))


def share_of(text: str, criterion: str, quality: Quality, rng: Random) -> float:
    """Return the position that a simulated rater gives to a text, as a share of the scale between 0 and 1."""
    if quality is Quality.RANDOM:
        return rng.random()
    if quality is Quality.STRAIGHT_LINER:
        return HABIT
    return min(1.0, max(0.0, latent_quality(text, criterion) + rng.gauss(0, NOISE[quality])))
