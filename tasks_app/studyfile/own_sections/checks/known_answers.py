"""Check known answers: each must fit its kind, and a rater must be able to give it."""

import math
from collections.abc import Sequence
from typing import cast

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.problems import nearest, quoted, shown
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Criterion, GoldAnswer, Screen
from tasks_app.task_types.written import written


def fault_of(kind: str, answer: Json) -> str | None:
    """Return the reason why an answer does not fit its kind, or None."""
    this = {"value": shown(answer)}
    if kind == "exact" and not isinstance(answer, int | float | str):
        return _("An exact answer is one value; this is %(value)s. For several use set, for two ends range.") % this
    if kind == "set" and not (
        isinstance(answer, list) and answer and all(isinstance(value, int | float | str) for value in answer)
    ):
        return _("A set is a list of values, such as [1, 2]; this is %(value)s.") % this
    if kind != "range":
        return None
    if not (
        isinstance(answer, list)
        and len(answer) == 2
        and all(isinstance(end, int | float) and not isinstance(end, bool) and math.isfinite(end) for end in answer)
    ):
        return _("A range is [low, high], such as [60, 100]; this is %(value)s.") % this
    if answer[0] > answer[1]:
        return _("The low end of a range stands first: write [%(high)s, %(low)s].") % {
            "low": answer[0],
            "high": answer[1],
        }
    return None


def why_never(kind: TaskType, screen: Screen, known: GoldAnswer) -> str | None:
    """Return the reason why no rater can give a known answer, or None.

    A known answer about all criteria needs one criterion that can have it. A type that compares answers in a way of its
    own reports such answers itself.
    """
    if not kind.grades_values:
        return None
    about = [criterion for criterion in screen.criteria if known.criterion in {None, criterion.key}]
    faults = [_why_never(kind, screen, criterion, known) for criterion in about]
    return faults[0] if faults and all(faults) else None


def _why_never(kind: TaskType, screen: Screen, criterion: Criterion, known: GoldAnswer) -> str | None:
    outcome, answer = kind.outcome_of(criterion), cast("Json", known.answer)
    column = outcome.column if outcome is not None else "value"
    if column == "text":
        return _("Raters answer this in their own words, so it cannot have a known answer. Remove this row.")
    if known.kind == "range":
        return _off_the_scale(kind, screen, criterion, answer) if column == "value" else _no_number()
    for value in answer if known.kind == "set" else [answer]:
        given = _no_label if column == "label" else _not_a_step
        if (fault := given(kind, screen, criterion, value)) is not None:
            return fault
    return None


def _no_number() -> str:
    return _("This is answered by choosing from a list, so there is no range. Use exact or set.")


def _no_label(kind: TaskType, screen: Screen, criterion: Criterion, value: float | str) -> str | None:
    labels = kind.labels_on(screen, criterion)
    if labels is None or value in labels:
        return None
    sentence = _("Nobody can answer %(value)s here.") % {"value": quoted(str(value))}
    return f"{sentence} {nearest(str(value), labels)}".rstrip()


def _off_the_scale(kind: TaskType, screen: Screen, criterion: Criterion, ends: Sequence[float]) -> str | None:
    scale = kind.scale_of(criterion)
    if scale is None or (ends[0] <= scale[1] and ends[1] >= scale[0]):
        return None
    sentence = _("No answer lies in this range: the scale of this task goes from %(low)s to %(high)s.")
    return sentence % {"low": written(scale[0]), "high": written(scale[1])}


def _not_a_step(kind: TaskType, screen: Screen, criterion: Criterion, value: float | str) -> str | None:
    if isinstance(value, str):
        return _("This is answered by a number; %(value)s is not a number.") % {"value": quoted(value)}
    if (fault := kind.problem_in_value(float(value), criterion)) is not None:
        return fault
    scale = kind.scale_of(criterion)
    if scale is None:
        return None
    low, high, step = scale
    steps = (value - low) / step
    if low <= value <= high and math.isclose(steps, round(steps), abs_tol=1e-6):
        return None
    sentence = _("must be a step of the scale, from %(low)s to %(high)s by %(step)s; it is %(value)s.")
    return sentence % {
        "low": written(low),
        "high": written(high),
        "step": written(step),
        "value": written(float(value)),
    }
