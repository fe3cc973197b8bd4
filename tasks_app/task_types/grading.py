"""Comparing an answer with known answers, and saying what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.screen_data import Value, Words


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A known answer: `kind` is exact, range, set, span or order; `answer` is what kind asks for."""

    kind: str
    answer: object
    criterion: str | None = None
    part: int | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """How an answer compares with one gold answer."""

    gold: GoldAnswer
    passed: bool
    given: tuple[float | str, ...] = ()


def grade_one(values: Sequence[Value], gold: GoldAnswer) -> Graded:
    """Compare the values about one criterion and part with a known answer of kind exact, range or set.

    Raises
    ------
    ValueError
        For a kind that needs a type of its own to grade (span, order).
    """
    given = tuple(
        said
        for value in values
        if (gold.criterion is None or value.criterion == gold.criterion)
        and (gold.part is None or value.part == gold.part)
        and (said := value.value if value.value is not None else value.label) is not None
    )
    if gold.kind == "exact":
        passed = bool(given) and all(same(said, gold.answer) for said in given)
    elif gold.kind == "set":
        allowed = gold.answer if isinstance(gold.answer, list | tuple) else [gold.answer]
        passed = bool(given) and all(any(same(said, one) for one in allowed) for said in given)
    elif gold.kind == "range":
        low, high = _limits(gold.answer)
        passed = bool(given) and all(isinstance(said, float | int) and low <= said <= high for said in given)
    else:
        raise ValueError(f"Gold of kind {gold.kind!r} is not graded by this task type.")
    return Graded(gold, passed, given)


def same(given: float | str, wanted: object) -> bool:
    """Say whether an answer is the wanted one; 3 and 3.0 are the same step, "3" and 3 are not."""
    if isinstance(given, str) or isinstance(wanted, str):
        return given == wanted
    return isinstance(wanted, int | float) and float(given) == float(wanted)


def _limits(answer: object) -> tuple[float, float]:
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        raise ValueError(f"A range needs two numbers, low and high; this is {answer!r}.")
    return float(answer[0]), float(answer[1])


def sentence_for(graded: Graded, criterion: str) -> Words:
    """Word the feedback on one known answer."""
    about = {"criterion": criterion}
    if graded.passed:
        return _("Right.") if not criterion else _("%(criterion)s: right.") % about
    return _("Not quite.") if not criterion else _("%(criterion)s: not quite.") % about
