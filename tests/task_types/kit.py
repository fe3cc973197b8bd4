"""What the tests of all task types do with a screen."""

from collections.abc import Mapping, Sequence
from random import Random

from tasks_app.task_types.base import Feedback, GoldAnswer, Graded, Quality, Screen, ScreenForm, Value


def form_of(
    screen: Screen, data: Mapping[str, str] | None = None, initial: Mapping[str, object] | None = None
) -> ScreenForm:
    """Return the form of a screen."""
    return screen.kind.form(screen, data, initial)


def ratings_of(screen: Screen, cleaned: Mapping[str, object]) -> list[Value]:
    """Return the ratings that an answer becomes."""
    return list(screen.kind.ratings(screen, cleaned))


def simulated(screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
    """Return the fields that a simulated rater sends."""
    return screen.kind.simulate(screen, quality, rng)


def grades(screen: Screen, cleaned: Mapping[str, object], known: Sequence[GoldAnswer]) -> tuple[Graded, ...]:
    """Compare an answer with known answers."""
    return screen.kind.grade(screen, cleaned, known)


def feedback_on(screen: Screen, cleaned: Mapping[str, object], known: Sequence[GoldAnswer]) -> tuple[Feedback, ...]:
    """Return the feedback of training on an answer."""
    return screen.kind.feedback(screen, cleaned, known)
