"""Known answers of best-worst scaling: the best and the worst text."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, GoldAnswer, Graded, Value
from tasks_app.task_types.data import grade_one


def grade_choice(values: Sequence[Value], gold: GoldAnswer, n_parts: int) -> Graded:
    """Compare a choice with a known answer.

    Of kind exact or set: the number of the text that is best, or of those that may be. Of kind order: numbers of texts,
    the first of which is the best and the last the worst. About one part: its label.

    Raises
    ------
    ValueError
        Where the answer names no text of the unit, does not say for which criterion, or is of another kind.
    """
    if gold.part is not None:
        return grade_one(values, gold)
    criteria = {value.criterion for value in values}
    if gold.criterion is None and len(criteria) > 1:
        raise ValueError(gettext("Several criteria are asked. Say which one this answer is about."))
    about = [value for value in values if gold.criterion in {None, value.criterion}]
    places = {value.label: float(value.part + 1) for value in about if value.part is not None}
    best, worst = places.get("best"), places.get("worst")
    if gold.kind == "order":
        order = _texts(gold.answer, n_parts)
        if len(set(order)) < 2 or len(set(order)) < len(order):
            raise ValueError(gettext("An order is a list of different texts, the best first, such as [2, 1]."))
        passed = best == order[0] and worst == order[-1]
    elif gold.kind in {"exact", "set"}:
        accepted = gold.answer if gold.kind == "set" else [gold.answer]
        passed = best in _texts(accepted, n_parts)
    else:
        raise ValueError(gettext("A known answer is of kind exact or set (the best text), or order (best to worst)."))
    return Graded(gold, passed, tuple(place for place in (best, worst) if place is not None))


def end_key(end: str, criterion: str) -> str:
    """Return the name under which the choice of the best, or of the worst, of a criterion is compared."""
    return f"{end}-{criterion}"


def by_end(gold: Sequence[GoldAnswer], criteria: Sequence[Criterion]) -> Iterator[GoldAnswer]:
    """Yield known answers about the whole unit as answers about its best text and its worst one, by `end_key`."""
    for answer in gold:
        key = answer.criterion or criteria[0].key
        if answer.kind == "order" and isinstance(answer.answer, list | tuple):
            yield replace(answer, kind="exact", answer=answer.answer[0], criterion=end_key("best", key))
            yield replace(answer, kind="exact", answer=answer.answer[-1], criterion=end_key("worst", key))
        elif answer.part is None:
            yield replace(answer, criterion=end_key("best", key))


def _texts(answer: object, n_parts: int) -> list[float]:
    """Return the numbers of texts in an answer. Raises ValueError where one is none."""
    numbers = answer if isinstance(answer, list | tuple) else [answer]
    texts = [float(number) for number in numbers if isinstance(number, int | float) and not isinstance(number, bool)]
    if len(texts) < len(numbers) or any(number not in range(1, n_parts + 1) for number in texts):
        raise ValueError(gettext("Texts of the unit are named by their numbers, 1 to %(n)d.") % {"n": n_parts})
    return texts
