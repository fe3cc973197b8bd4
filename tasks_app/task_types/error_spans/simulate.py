"""Simulated raters who mark errors: texts have latent errors, which careful raters find and others miss."""

import hashlib
from collections.abc import Sequence
from random import Random

from tasks_app.task_types.base import Quality
from tasks_app.task_types.error_spans.marks import Limits, Mark, words_of
from tasks_app.task_types.simulation import latent_quality

# Probabilities that a rater finds an existing error, and that they mark a place without one.
FINDS = {Quality.CAREFUL: 0.9, Quality.SLOPPY: 0.4}
INVENTS = {Quality.CAREFUL: 0.05, Quality.SLOPPY: 0.35}

# The number of errors in the worst text.
WORST = 4


def latent_errors(limits: Limits) -> list[Mark]:
    """Return the errors in a text: the same for all raters, and more of them the worse the text is."""
    text = limits.texts["output"]
    rng = Random(hashlib.sha256(text.encode()).digest())  # noqa: S311  made up, not secret
    places = words_of(text)
    count = round((1 - latent_quality(text)) * WORST)
    chosen = rng.sample(places, min(count, limits.most, len(places)))
    return sorted(_mark(place, limits, rng) for place in chosen)


def simulated(limits: Limits, kept_marks: Sequence[Mark], quality: Quality, rng: Random) -> list[Mark]:
    """Return the marks that a rater adds to those of the text that were kept."""
    if quality is Quality.STRAIGHT_LINER:
        return []
    places = words_of(limits.texts["output"])
    if quality is Quality.RANDOM:
        candidates = [_mark(place, limits, rng) for place in rng.sample(places, min(len(places), rng.randint(0, 3)))]
    else:
        candidates = [error for error in latent_errors(limits) if rng.random() < FINDS[quality]]
        if places and rng.random() < INVENTS[quality]:
            candidates.append(_mark(rng.choice(places), limits, rng))
    marks: list[Mark] = []
    for mark in candidates:
        if len(kept_marks) + len(marks) < limits.most and not any(
            mark.overlaps(other) for other in (*kept_marks, *marks)
        ):
            marks.append(mark)
    return marks


def keeps(mark: Mark, limits: Limits, quality: Quality, rng: Random) -> bool:
    """Return whether a rater keeps a mark that the text came with."""
    if quality is Quality.STRAIGHT_LINER:
        return False
    if quality is Quality.RANDOM:
        return rng.random() < 0.5
    true = any(mark.overlaps(error) for error in latent_errors(limits))
    return true if rng.random() < FINDS[quality] else not true


def _mark(place: tuple[int, int], limits: Limits, rng: Random) -> Mark:
    usable = [
        category for category in limits.scheme.categories.values() if "output" in category.sides and not category.whole
    ]
    category = rng.choice(usable) if usable else None
    severities = limits.scheme.severity_keys
    severity = rng.choice(severities) if severities else ""
    if category is not None and category.severity:
        severity = category.severity
    return Mark("output", *place, severity, category.key if category else "")
