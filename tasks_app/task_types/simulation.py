"""The shared behaviour of simulated raters: texts have a latent quality, and raters stray from it by their own."""

import hashlib
from random import Random

from tasks_app.task_types.screen_data import Quality

# Deviation of a simulated rater's answer from the latent quality of a text, as a share of the scale.
NOISE = {Quality.CAREFUL: 0.08, Quality.SLOPPY: 0.3}

# The answer that a straight-liner always gives, as a share of the scale.
HABIT = 0.75


def latent_quality(text: str, criterion: str = "") -> float:
    """Return the latent quality of a text, between 0 and 1: the same for all simulated raters."""
    drawn = hashlib.sha256(f"{criterion}\n{text}".encode()).digest()
    # The mean of two uniform draws: most texts are middling, few are very good or very bad.
    return (drawn[0] + drawn[1]) / 510


def share_of(text: str, criterion: str, quality: Quality, rng: Random) -> float:
    """Return the position that a simulated rater gives to a text, as a share of the scale between 0 and 1."""
    if quality is Quality.RANDOM:
        return rng.random()
    if quality is Quality.STRAIGHT_LINER:
        return HABIT
    return min(1.0, max(0.0, latent_quality(text, criterion) + rng.gauss(0, NOISE[quality])))
