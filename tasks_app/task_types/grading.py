"""Comparing an answer with known answers, and the feedback on it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.screen_data import Value, Words


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A known answer: `kind` is exact, range, set, span or order; `answer` has the form that the kind needs."""

    kind: str
    answer: object
    criterion: str | None = None
    part: int | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """The result of comparing an answer with one known answer."""

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
        answer
        for value in values
        if (gold.criterion is None or value.criterion == gold.criterion)
        and (gold.part is None or value.part == gold.part)
        and (answer := value.value if value.value is not None else value.label) is not None
    )
    # An impossible known answer is refused, also where nothing was answered.
    right = [accepts(gold, answer) for answer in given or (0.0,)]
    return Graded(gold, bool(given) and all(right), given)


def accepts(gold: GoldAnswer, given: float | str) -> bool:
    """Return whether a known answer of kind exact, range or set accepts a value.

    Raises
    ------
    ValueError
        For a kind that needs a type of its own to grade (span, order), and for a range without two limits.
    """
    if gold.kind == "exact":
        return same(given, gold.answer)
    if gold.kind == "set":
        allowed = gold.answer if isinstance(gold.answer, list | tuple) else [gold.answer]
        return any(same(given, value) for value in allowed)
    if gold.kind == "range":
        low, high = _limits(gold.answer)
        return isinstance(given, float | int) and low <= given <= high
    raise ValueError(f"Gold of kind {gold.kind!r} is not graded by this task type.")


def all_of_a_set(graded: Graded) -> Graded:
    """Compare an answer that may hold several values with a known set again: it must hold all of them and no other."""
    expected = graded.gold.answer
    if graded.gold.kind != "set" or not isinstance(expected, list | tuple):
        return graded
    return replace(graded, passed=sorted(map(str, graded.given)) == sorted(map(str, expected)))


def same(given: float | str, expected: object) -> bool:
    """Return whether an answer equals the expected one; 3 and 3.0 are the same step, "3" and 3 are not."""
    if isinstance(given, str) or isinstance(expected, str):
        return given == expected
    return isinstance(expected, int | float) and float(given) == float(expected)


def _limits(answer: object) -> tuple[float, float]:
    if not isinstance(answer, list | tuple) or len(answer) != 2:
        raise ValueError(f"A range needs two numbers, low and high; this is {answer!r}.")
    return float(answer[0]), float(answer[1])


def sentence_for(graded: Graded, criterion: str) -> Words:
    """Return the feedback on one known answer, as a sentence."""
    about = {"criterion": criterion}
    if graded.passed:
        return _("Right.") if not criterion else _("%(criterion)s: right.") % about
    return _("Not quite.") if not criterion else _("%(criterion)s: not quite.") % about
